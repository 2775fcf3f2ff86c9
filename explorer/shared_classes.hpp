#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "explorer/gathered_parts.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "explorer/search_state.hpp"
#include "explorer/shared_search.hpp"

namespace coopcheck {

/// A search for classes that several work on: one start of it, from a state to its end, or to where it has to
/// begin again.
///
/// Here is the tree of the places that have something to do with more than one of them: what was, is and has
/// to be explored from each. Whoever works explores everything that begins with one sequence of steps. It
/// tells what has to be run from places before its own because of a race that it saw, and gives its first
/// places away when others have nothing to do.
///
/// What is being explored sleeps in the branches after it like what has been: either way somebody explores
/// all that begins with it. For the same reason a reversal is covered by what is being explored, and nothing
/// has to be said to whoever explores that. So every class is explored once, as by one alone; which of its
/// schedules is run may depend on who was quicker.
///
/// That holds for source sets. Wakeup trees (Reduction::Optimal) leave out what something asleep could come
/// before, because whoever explores that will add the rest to branches that have not begun: there what is
/// found in one branch decides how the next one is run, and they cannot be explored at the same time.
class SharedClasses {
  public:
    SharedClasses(Execution& execution, const SearchOptions& options, Workers& workers)
        : execution_(execution), options_(options), workers_(workers) {}

    void run(const SearchState& from);

    [[nodiscard]] bool has_to_start_over() const { return start_over_; }
    [[nodiscard]] const GatheredParts& gathered() const { return gathered_; }
    [[nodiscard]] SearchResult result() const;

  private:
    /// A step that leads from one place to the next.
    struct Way {
        Move move;
        OpKind kind = OpKind::ThreadStart;
    };
    struct Place {
        Place* before = nullptr;
        /// From there; none to the start of the program.
        std::optional<Way> way;
        std::vector<Move> sleep;
        WakeupTree todo;
        bool is_fresh = false;
        /// A branch was given to somebody who has not said yet what its first step touches. What is heard
        /// about the place waits until then.
        bool waits = false;
        std::vector<ClassNews> put_off;
        std::size_t analysed = 0;
        /// How many explore something that begins here.
        std::size_t users = 0;
        std::list<std::unique_ptr<Place>> next;
    };
    struct Worker {
        /// From the start of the program to the last that does not belong to it.
        std::vector<Place*> places;
        /// From there to its own.
        std::optional<Way> way;
        bool is_busy = false;
        bool is_asked = false;
        bool is_lost = false;
    };

    Place* add_after(Place* before, const std::optional<Way>& way, const ClassPlace& saved);
    /// The way from a place that was saved with one.
    [[nodiscard]] static std::optional<Way> way_from(const ClassPlace& saved);
    [[nodiscard]] Place* find_work();
    void give_work();
    /// Something of what is to be done from there; nothing if it turns out not to be needed.
    void give(std::size_t number, Place& place);
    void ask_for_parts();
    void hear(const WorkerEvent& event);
    void take_places(Worker& worker, const SearchState& part);
    void take_news(Worker& worker, const ClassNews& news) const;
    static void insert(Place& place, const ClassNews& news, Reduction reduction);
    void end_part(std::size_t number, const WorkerEvent& event);
    /// It has nothing to do with these places any more.
    void leave_places(Worker& worker);
    void stop(const std::string& why);
    [[nodiscard]] SearchState read(const std::string& text);

    Execution& execution_;
    const SearchOptions& options_;
    Workers& workers_;
    GatheredParts gathered_;
    std::unique_ptr<Place> root_;
    std::vector<Worker> all_;
    bool has_enough_ = false;
    bool start_over_ = false;
    /// Why nobody is given anything any more; empty if they are.
    std::string stop_;
};

}  // namespace coopcheck
