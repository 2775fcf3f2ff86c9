#include "cmd/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace coopcheck::cmd {

namespace {

constexpr std::chrono::milliseconds between_lines{100};
constexpr std::size_t most_samples = 200;

std::string rounded(double number) {
    std::array<char, 32> text{};
    if (number >= 1e15) return "10^" + std::to_string(static_cast<int>(std::log10(number)));
    const char* unit = number >= 1e9 ? "G" : number >= 1e6 ? "M" : number >= 1e4 ? "k" : "";
    const double scale = number >= 1e9 ? 1e9 : number >= 1e6 ? 1e6 : number >= 1e4 ? 1e3 : 1;
    std::snprintf(text.data(), text.size(), scale > 1 ? "%.3g%s" : "%.0f%s", number / scale, unit);
    return text.data();
}

std::string duration(double seconds) {
    const auto whole = static_cast<long>(seconds);
    std::array<char, 32> text{};
    if (whole >= 3600) {
        std::snprintf(text.data(), text.size(), "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        std::snprintf(text.data(), text.size(), "%ld:%02ld", whole / 60, whole % 60);
    }
    return text.data();
}

std::size_t terminal_width() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

unsigned preemptions_of(const std::vector<StepRecord>& steps) {
    return static_cast<unsigned>(
        std::count_if(steps.begin(), steps.end(), [](const StepRecord& step) { return step.preempting; }));
}

bool is_failing(const PathReport& report) {
    const bool failed = report.run_end != nullptr && (report.run_end->kind == RunEnd::Kind::Failed ||
                                                      report.run_end->kind == RunEnd::Kind::Misused);
    return failed || report.end == PathEnd::Deadlocked || report.end == PathEnd::Livelocked;
}

bool can_show_progress() {
    const char* terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): there are no other threads
    return ::isatty(STDERR_FILENO) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

Progress::Progress(Options options, SearchListener* next) : options_(std::move(options)), next_(next) {}

Progress::~Progress() { erase(); }

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Progress::path(const PathReport& report) {
    if (report.end != PathEnd::Abandoned) {
        count(1, report.bound ? *report.bound : preemptions_of(report.steps));
        is_bounded_ = report.bound.has_value();
        if (is_failing(report)) failing_ += 1;
        explored_ = report.explored;
        show();
    }
    if (next_ != nullptr) next_->path(report);
}

void Progress::note(const Elsewhere& elsewhere) {
    if (elsewhere.schedules < elsewhere_.schedules) elsewhere_ = {};
    count(elsewhere.schedules - elsewhere_.schedules, elsewhere.bound);
    failing_ += elsewhere.failing - elsewhere_.failing;
    elsewhere_ = elsewhere;
    explored_ = -1;
    show();
}

void Progress::count(std::size_t schedules, unsigned bound) {
    schedules_ += schedules;
    bound_ = std::max(bound_, bound);
    if (at_bound_.size() <= bound_) at_bound_.resize(bound_ + 1);
    at_bound_[bound_] += schedules;
}

void Progress::show() {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    if (seconds >= next_sample_s_) take_sample(seconds);
    if (options_.show && now >= next_line_) {
        next_line_ = now + between_lines;
        draw(line());
    }
}

void Progress::start_over() {
    schedules_ = 0;
    failing_ = 0;
    bound_ = 0;
    elsewhere_ = {};
    at_bound_.clear();
    samples_.clear();
    next_sample_s_ = 0;
    if (next_ != nullptr) next_->start_over();
}

void Progress::take_sample(double seconds) {
    samples_.push_back({.seconds = seconds, .schedules = schedules_, .bound = bound_});
    if (samples_.size() >= most_samples) {
        // Every second one is enough, from now on too.
        for (std::size_t i = 0; i < samples_.size() / 2; ++i) samples_[i] = samples_[2 * i + 1];
        samples_.resize(samples_.size() / 2);
        sample_distance_s_ *= 2;
    }
    next_sample_s_ = seconds + sample_distance_s_;
}

double Progress::remainder() const {
    if (explored_ > 0) {
        const std::size_t counted = is_bounded_ ? at_bound_[bound_] : schedules_;
        return static_cast<double>(counted) * (1 - explored_) / explored_;
    }
    const auto of_bound = [&](unsigned bound) -> const BoundEstimate* {
        const auto found =
            std::find_if(options_.estimates.begin(), options_.estimates.end(),
                         [&](const BoundEstimate& estimate) { return estimate.bound == bound; });
        return found == options_.estimates.end() ? nullptr : &*found;
    };
    const BoundEstimate* now = of_bound(bound_);
    if (now == nullptr) return -1;
    // Before pruning; how much pruning leaves is known from the bound before.
    double all = std::pow(10.0, now->log10_schedules);
    if (bound_ > 0) {
        const BoundEstimate* before = of_bound(bound_ - 1);
        std::size_t run_before = 0;
        for (unsigned bound = 0; bound < bound_; ++bound) run_before += at_bound_[bound];
        if (before != nullptr && run_before > 0) {
            all *= std::min(1.0, static_cast<double>(run_before) / std::pow(10.0, before->log10_schedules));
        }
    }
    return std::max(0.0, all - static_cast<double>(schedules_));
}

std::string Progress::line() const {
    const double time = seconds();
    const double rate = time > 0 ? static_cast<double>(schedules_) / time : 0;
    // A search for classes may have no bound to be at.
    const std::string bound = is_bounded_ || explored_ < 0 ? "bound " + std::to_string(bound_) + "  " : "";
    std::string text = bound + rounded(static_cast<double>(schedules_)) + " schedules  " + rounded(rate) +
                       "/s  " + std::to_string(failing_) + " failing  ";
    if (const double left = remainder(); left >= 0) text += "about " + rounded(left) + " left  ";
    return text + duration(time);
}

void Progress::say(const std::string& words) {
    if (options_.show) draw(words);
}

void Progress::draw(const std::string& text) {
    const std::string line = "\r\x1b[K" + text.substr(0, terminal_width() - 1);
    // What cannot be written is not worth a word: it is only a line on a screen.
    static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) + 1);
    drawn_ = true;
}

void Progress::erase() {
    if (!drawn_) return;
    constexpr std::string_view nothing = "\r\x1b[K";
    static_cast<void>(::write(STDERR_FILENO, nothing.data(), nothing.size()) + 1);
    drawn_ = false;
}

}  // namespace coopcheck::cmd
