#include "explorer/coverage.hpp"

#include "explorer/archive.hpp"

namespace coopcheck {

const std::string& Coverage::function_of(std::uint64_t site) {
    const auto [position, is_new] = known_sites_.try_emplace(site);
    if (is_new) {
        position->second = function_of_site_(site);
        if (!position->second.empty()) {
            functions_.insert(position->second);
        }
    }
    return position->second;
}

void Coverage::leave(Progress& progress) {
    if (!progress.function.empty() && !progress.was_interrupted) {
        not_interrupted_.insert(progress.function);
    }
    progress.was_interrupted = false;
}

void Coverage::path(const PathReport& report) {
    if (report.end != PathEnd::Abandoned) {
        add(report.steps);
    }
    if (next_ != nullptr) {
        next_->path(report);
    }
}

void Coverage::add(const std::vector<StepRecord>& steps) {
    std::map<ThreadId, Progress> threads;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StepRecord& step = steps[i];
        const std::string& function = function_of(step.operation.site);
        Progress& own = threads[step.thread];
        if (function != own.function) {
            leave(own);
            own.function = function;
        }
        // Since its last step the thread has been parked where this step was made.
        for (std::size_t between = own.last_step + 1; own.started && between < i; ++between) {
            if (function.empty()) {
                break;
            }
            own.was_interrupted = true;
            interrupted_.insert(function);
            const std::string& other = function_of(steps[between].operation.site);
            if (!other.empty()) {
                pairs_.emplace(function, other);
            }
        }
        own.started = true;
        own.ended = step.operation.kind == OpKind::ThreadExit;
        own.last_step = i;
    }
    for (auto& [thread, progress] : threads) {
        if (progress.ended) {  // otherwise it may still be in the function, with others running
            leave(progress);
        }
    }
}

std::string Coverage::to_text() const {
    std::vector<std::string> pairs;
    for (const auto& [function, other] : pairs_) {
        pairs.push_back(function);
        pairs.push_back(other);
    }
    ArchiveWriter archive;
    std::set<std::string> functions = functions_;
    std::set<std::string> interrupted = interrupted_;
    std::set<std::string> not_interrupted = not_interrupted_;
    archive(functions, interrupted, not_interrupted, pairs);
    return archive.text();
}

void Coverage::add_text(const std::string& text) {
    ArchiveReader archive(text);
    std::vector<std::string> pairs;
    archive(functions_, interrupted_, not_interrupted_, pairs);
    if (pairs.size() % 2 != 0) {
        ArchiveReader::fail();
    }
    for (std::size_t index = 0; index < pairs.size(); index += 2) {
        pairs_.emplace(pairs[index], pairs[index + 1]);
    }
}

void Coverage::start_over() {
    if (next_ != nullptr) {
        next_->start_over();
    }
}

std::vector<std::string> Coverage::tasks(bool covered) const {
    std::vector<std::string> lines;
    const auto add = [&](bool is_covered, const std::string& line) {
        if (is_covered == covered) {
            lines.push_back(line);
        }
    };
    for (const std::string& function : functions_) {
        add(interrupted_.contains(function), function + " interrupted");
        add(not_interrupted_.contains(function), function + " not interrupted");
    }
    for (const std::string& function : functions_) {
        for (const std::string& other : functions_) {
            add(pairs_.contains({function, other}), function + " interrupted by " + other);
        }
    }
    return lines;
}

}  // namespace coopcheck
