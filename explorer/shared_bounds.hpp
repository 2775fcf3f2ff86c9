#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/execution.hpp"
#include "explorer/gathered_parts.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "explorer/search_state.hpp"
#include "explorer/shared_search.hpp"

namespace coopcheck {

/// A search for classes within a bound that several work on: one start of it, from a state to its end, or to
/// where it has to begin again. A bound begins when the one before is finished.
///
/// Here is the tree of the places that have to do with more than one of them, or from which something is to
/// be explored with more preemptions. Whoever works explores, within the present bound, everything that
/// begins with one sequence of steps. It tells what others have to go first by at places before its own,
/// gives its first places away when somebody has nothing to do, and in the end leaves the places that wait
/// for the next bound.
///
/// No class is run twice: the branches of a place have an order, in which they are begun, and what was begun
/// before sleeps in those after it, whether it is done or not. None is lost, though what a detour is taken
/// for depends on what the asker knows of the places before: that others are explored from there, or will be
/// in this bound (`sleep`, `todo`), and that nobody can overtake what was chosen there within the bound
/// (`settled_within`). Both stay true once they are: nothing is taken out of `todo` but to be explored, or
/// because it sleeps. Who knows less asks for more, and sooner. What is asked for at a place is asked for by
/// paths that begin with what was chosen there first, and changes nothing in branches that were begun
/// instead.
class SharedBounds {
  public:
    SharedBounds(Execution& execution, const SearchOptions& options, Workers& workers)
        : execution_(execution), options_(options), workers_(workers) {}

    void run(const SearchState& from);

    [[nodiscard]] bool has_to_start_over() const { return start_over_; }
    [[nodiscard]] const GatheredParts& gathered() const { return gathered_; }
    [[nodiscard]] SearchResult result() const;

  private:
    struct Place {
        std::size_t number = 0;
        std::size_t depth = 0;
        Place* before = nullptr;
        /// But for SavedClassNode::before.
        SavedClassNode known;
        /// A branch was given to somebody who has not said yet what its first step touches. What is heard
        /// about the place waits until then.
        bool waits = false;
        std::vector<ClassNews> put_off;
        /// How many explore something that begins here.
        std::size_t users = 0;
        std::vector<Place*> next;
    };
    /// A step that leads from one place to the next.
    struct Way {
        Move move;
        OpKind kind = OpKind::ThreadStart;
    };
    struct Worker {
        /// From the start of the program to the last that does not belong to it.
        std::vector<Place*> places;
        bool is_busy = false;
        bool is_asked = false;
        bool is_lost = false;
    };

    void take_over(const SearchState& from);
    Place* add_after(Place* before, const SavedClassNode& known);
    void remove(Place* place);
    /// And those before it, as long as nobody has anything to do with them.
    void remove_if_done(Place* place);
    /// Those places that are not here yet.
    void add_places(const std::vector<SavedClassNode>& tree);
    [[nodiscard]] static Place* find_after(const Place& before, const Move& move);
    [[nodiscard]] static bool has_work(const Place& place);
    /// After every change of what there is to do.
    void list(Place& place);

    /// What waits for the present bound.
    void take_up_later();
    void explore_bound();
    void count_bound();
    void add_held_findings(unsigned most);

    void give_work();
    /// Something of what is to be done from there; nothing if it turns out not to be needed.
    void give(std::size_t number, Place& place);
    void ask_for_parts();
    void hear(const WorkerEvent& event);
    void take_places(Worker& worker, const SearchState& part);
    void take_news(Worker& worker, const ClassNews& news);
    void insert(Place& place, const ClassNews& news);
    [[nodiscard]] bool is_covered(const Place& place, const std::vector<Move>& sequence);
    void end_part(std::size_t number, const WorkerEvent& event);
    void stop(const std::string& why);
    [[nodiscard]] SearchState read(const std::string& text);

    Execution& execution_;
    const SearchOptions& options_;
    Workers& workers_;
    GatheredParts gathered_;
    std::map<std::size_t, std::unique_ptr<Place>> places_;
    std::size_t next_number_ = 0;
    Place* root_ = nullptr;
    /// Places with something to do in the present bound, those nearest to the start of the program first.
    std::map<std::pair<std::size_t, std::size_t>, Place*> work_;
    std::vector<Worker> all_;
    /// What was found that needs more preemptions than the present bound.
    std::vector<Finding> held_;
    unsigned bound_ = 0;
    std::optional<unsigned> finished_bound_;
    std::vector<std::size_t> paths_at_bound_;
    bool has_enough_ = false;
    bool start_over_ = false;
    /// Why nobody is given anything any more; empty if they are.
    std::string stop_;
};

}  // namespace coopcheck
