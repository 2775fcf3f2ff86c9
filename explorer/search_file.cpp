#include "explorer/search_file.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "core/error.hpp"
#include "core/race.hpp"
#include "explorer/archive.hpp"

namespace coopcheck {

namespace {

constexpr std::string_view header = "coopcheck search 5\n";

/// FNV-1a: against accidents, not against malice; the reader trusts nothing either way.
std::uint64_t checksum(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char character : text) {
        hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
    }
    return hash;
}

}  // namespace

template <typename Archive>
void transfer(Archive& archive, Variant& variant) {
    archive(Upto{variant.kind, Variant::Kind::Cancel}, variant.thread, variant.value);
}

template <typename Archive>
void transfer(Archive& archive, Choice& choice) {
    archive(choice.thread, choice.variant);
}

constexpr auto last_op_kind = static_cast<OpKind>(op_kind_count - 1);

template <typename Archive>
void transfer(Archive& archive, Operation& operation) {
    archive(Upto{operation.kind, last_op_kind}, operation.timed, operation.outlasted, operation.trusted,
            operation.atomic, operation.size, operation.object, operation.mutex, operation.thread,
            operation.location, operation.value, operation.site);
}

template <typename Archive>
void transfer(Archive& archive, Wait& wait) {
    archive(wait.thread, wait.operation, wait.blockers);
}

template <typename Archive>
void transfer(Archive& archive, Access& access) {
    std::optional<CallStack> stack;
    if (access.stack) stack = *access.stack;
    archive(access.location, access.write, access.atomic, access.site, access.size, access.also_read,
            access.freed, access.before, access.after, stack);
    if (stack) access.stack = std::make_shared<const CallStack>(*std::move(stack));
}

template <typename Archive>
void transfer(Archive& archive, RaceSide& side) {
    archive(side.thread, side.access, side.locks);
}

template <typename Archive>
void transfer(Archive& archive, Race& race) {
    archive(race.first, race.second, race.ordered_here);
}

template <typename Archive>
void transfer(Archive& archive, Finding& finding) {
    bool is_misuse = finding.misuse.has_value();
    Misuse misuse = finding.misuse.value_or(Misuse{});
    std::optional<Race> race;
    if (finding.race) race = *finding.race;
    archive(Upto{finding.kind, FindingKind::Livelock}, finding.thread, is_misuse,
            Upto{misuse, Misuse::ConsistentWithoutDeath}, finding.operation, finding.message, finding.waits,
            finding.is_cycle, finding.confirmed, finding.preemptions, finding.schedule, finding.visible,
            race);
    if (is_misuse) finding.misuse = misuse;
    if (race) finding.race = std::make_shared<const Race>(*std::move(race));
}

template <typename Archive>
void transfer(Archive& archive, Footprint& footprint) {
    std::vector<Footprint::Entry> entries = footprint.entries();
    archive(entries);
    footprint.clear();
    for (const Footprint::Entry& entry : entries) footprint.add(entry.location, entry.write);
}

template <typename Archive>
void transfer(Archive& archive, Footprint::Entry& entry) {
    archive(entry.location, entry.write);
}

template <typename Archive>
void transfer(Archive& archive, SavedStep& step) {
    archive(step.thread, step.variant, step.preempting, Upto{step.kind, last_op_kind}, step.object);
}

template <typename Archive>
void transfer(Archive& archive, SavedBlock& block) {
    archive(block.before, block.thread, block.steps);
}

template <typename Archive>
void transfer(Archive& archive, SavedDelayed& delayed) {
    archive(delayed.thread, delayed.footprint);
}

template <typename Archive>
void transfer(Archive& archive, SavedBlocked& blocked) {
    archive(blocked.thread, blocked.at_start, blocked.attempt);
}

template <typename Archive>
void transfer(Archive& archive, SavedBranch& branch) {
    archive(branch.block, branch.enabled, branch.delayed, branch.blocked, branch.last, branch.last_can_go_on,
            branch.is_begin, branch.begun, branch.preemptions, branch.last_held_back, branch.forced_switches,
            branch.nobody_spun, branch.run, branch.at_limit, branch.current, branch.taken, branch.no_notify,
            branch.footprint, branch.fire_timeout, branch.progressed);
    // Sorted by ids, which may be others for the reader.
    if constexpr (std::is_same_v<Archive, ArchiveReader>) {
        std::sort(branch.enabled.begin(), branch.enabled.end());
    }
}

template <typename Archive>
void transfer(Archive& archive, Label::Entry& entry) {
    archive(entry.location, Upto{entry.effect, Effect::Write});
}

template <typename Archive>
void transfer(Archive& archive, Move& move) {
    const std::span<const Label::Entry> known = move.label.entries();
    std::vector<Label::Entry> entries(known.begin(), known.end());
    archive(move.thread, move.variant, entries);
    move.label = Label{};
    for (const Label::Entry& entry : entries) move.label.add(entry.location, entry.effect);
}

template <typename Archive>
void transfer(Archive& archive, WakeupTree& tree) {
    std::vector<WakeupTree::Branch> branches = tree.branches();
    archive(branches);
    tree.clear();
    for (WakeupTree::Branch& branch : branches) tree.append(std::move(branch));
}

template <typename Archive>
void transfer(Archive& archive, WakeupTree::Branch& branch) {
    archive(branch.move, branch.rest);
}

template <typename Archive>
void transfer(Archive& archive, ClassPlace& place) {
    archive(place.sleep, place.todo, place.is_fresh, place.taken, Upto{place.kind, last_op_kind});
}

template <typename Archive>
void transfer(Archive& archive, ClassNews& news) {
    archive(Upto{news.kind, ClassNews::Kind::Alone}, news.at, news.moves, Upto{news.step, last_op_kind});
}

template <typename Archive>
void transfer(Archive& archive, SearchCounts& counts) {
    archive(counts.complete, counts.deadlocked, counts.livelocked, counts.redundant, counts.truncated,
            counts.abandoned, counts.predictions, counts.steps);
}

template <typename Archive>
void transfer(Archive& archive, Assumptions& assumptions) {
    assumptions.transfer_with(archive);
}

template <typename Archive>
void transfer(Archive& archive, SearchState& state) {
    archive(state.path, state.own_from, state.analysed, state.news, state.is_on_record, state.steps_begun,
            state.blocks, state.footprints, state.stack, state.deferred, state.bound, state.finished_bound,
            state.used_fairness, state.counts, state.paths_at_bound, state.assumptions, state.findings,
            state.predicted, state.races);
}

template <typename Archive>
void transfer(Archive& archive, WatchState& watch) {
    archive(watch.paths, watch.watched, watch.watched_with, watch.switches, watch.search_cost,
            watch.watch_cost, watch.visible, watch.races);
}

namespace {

// Names are written in the order of their ids, so that reading them gives each its id again, or tells which
// one it has for the reader.

void write_names(ArchiveWriter& archive, const Names& names) {
    std::vector<std::string> threads;
    std::vector<std::string> objects;
    for (std::uint32_t index = 0; index < names.threads.size(); ++index) {
        threads.push_back(names.threads.name(ThreadId{index}));
    }
    for (std::uint32_t index = 0; index < names.objects.size(); ++index) {
        objects.push_back(names.objects.name(ObjectId{index}));
    }
    archive(threads, objects);
}

/// "T0.1.2" is the second child of T0.1.
ThreadId add_thread(ThreadNames& names, std::map<std::string, ThreadId>& known, const std::string& name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) ArchiveReader::fail();
    const auto parent = known.find(name.substr(0, dot));
    unsigned nth = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + dot + 1, end, nth);
    if (parent == known.end() || error != std::errc{} || rest != end) ArchiveReader::fail();
    const ThreadId thread = names.child(parent->second, nth);
    if (!known.emplace(name, thread).second) ArchiveReader::fail();
    return thread;
}

Names read_names(ArchiveReader& archive, Names names) {
    std::vector<std::string> threads;
    std::vector<std::string> objects;
    archive(threads, objects);
    std::map<std::string, ThreadId> known{{names.threads.name(main_thread), main_thread}};
    if (threads.empty() || threads.front() != names.threads.name(main_thread)) ArchiveReader::fail();
    std::vector<ThreadId> thread_ids{main_thread};
    for (std::size_t index = 1; index < threads.size(); ++index) {
        thread_ids.push_back(add_thread(names.threads, known, threads[index]));
    }
    std::vector<ObjectId> object_ids;
    object_ids.reserve(objects.size());
    for (const std::string& object : objects) object_ids.push_back(names.objects.intern(object));
    if (std::set<ObjectId>(object_ids.begin(), object_ids.end()).size() != object_ids.size()) {
        ArchiveReader::fail();
    }
    archive.set_ids(std::move(thread_ids), std::move(object_ids));
    return names;
}

void check_indices(const SearchState& state) {
    for (std::size_t index = 0; index < state.path.size(); ++index) {
        const bool is_last = index + 1 == state.path.size();
        if (!is_last && !state.path[index].taken) ArchiveReader::fail();
    }
    if (state.own_from > state.path.size()) ArchiveReader::fail();
    if (state.analysed > state.path.size()) ArchiveReader::fail();
    for (const ClassNews& news : state.news) {
        if (news.moves.empty() != (news.kind == ClassNews::Kind::Impossible)) ArchiveReader::fail();
    }
    const auto check = [](std::optional<std::uint32_t> index, std::size_t limit) {
        if (index && *index >= limit) ArchiveReader::fail();
    };
    for (std::size_t index = 0; index < state.blocks.size(); ++index) {
        check(state.blocks[index].before, index);
    }
    for (const std::vector<SavedBranch>* branches : {&state.stack, &state.deferred}) {
        for (const SavedBranch& branch : *branches) {
            check(branch.block, state.blocks.size());
            check(branch.run, state.footprints.size());
            check(branch.footprint, state.footprints.size());
            for (const SavedDelayed& delayed : branch.delayed) {
                check(delayed.footprint, state.footprints.size());
            }
        }
    }
}

}  // namespace

std::string write_search(const SavedSearch& search) {
    ArchiveWriter archive;
    SavedSearch copy = search;  // one description serves for reading, too: it takes what can be changed
    archive(copy.about);
    write_names(archive, copy.knowledge.names);
    archive(copy.knowledge.learnt, copy.state, copy.watch);
    return std::string(header) + std::to_string(checksum(archive.text())) + '\n' + archive.text();
}

SavedSearch read_search(std::string_view text, const Names& own) {
    if (!text.starts_with(header)) {
        throw Error("It is not the file of a search that this version of coopcheck has saved.");
    }
    text.remove_prefix(header.size());
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos) ArchiveReader::fail();
    const std::string_view sum = text.substr(0, line);
    text.remove_prefix(line + 1);
    if (sum != std::to_string(checksum(text))) ArchiveReader::fail();
    ArchiveReader archive(text);
    SavedSearch search;
    archive(search.about);
    search.knowledge.names = read_names(archive, own);
    archive(search.knowledge.learnt, search.state, search.watch);
    if (!archive.at_end()) ArchiveReader::fail();
    check_indices(search.state);
    return search;
}

}  // namespace coopcheck
