#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/execution.hpp"
#include "explorer/search_listener.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "explorer/search_state.hpp"

namespace coopcheck {

/// What one of those who work on a search says.
struct WorkerEvent {
    enum class Kind : std::uint8_t {
        Gave,         ///< it has given a part away: `text`
        Told,         ///< it tells those who have the places before its part: `text`
        Ended,        ///< it has done its part: `text` is the report, `rest` and `extra` go with it
        Lost,         ///< it is gone, and does nothing any more: `text` says why
        Interrupted,  ///< nobody in particular: the search has to stop, because of `text`
    };
    Kind kind = Kind::Ended;
    std::size_t worker = 0;
    std::string text;
    std::string rest;
    std::string extra;
};

/// Those who explore parts of one search at the same time, each with an execution of its own
/// (explorer/search_part.hpp). Call order: start() first; begin() for a worker that has nothing to do; next()
/// while somebody has.
class Workers {
  public:
    virtual ~Workers() = default;
    /// How many there are, from now on, to begin with what is known, for so many schedules in all. Those of
    /// before are gone.
    [[nodiscard]] virtual std::size_t start(const Knowledge& knowledge, std::size_t schedules) = 0;
    virtual void begin(std::size_t worker, const std::string& part, const std::string& known) = 0;
    /// It should give a part away, if and as soon as it can.
    virtual void ask_for_part(std::size_t worker) = 0;
    /// It should stop; it still ends with a report.
    virtual void stop(std::size_t worker) = 0;
    virtual WorkerEvent next() = 0;
    /// What came with a report that counts (others are of parts that the search would not have come to).
    virtual void count(const std::string& extra) = 0;
    /// The search begins again.
    virtual void start_over() {}
};

/// Goes on with a search that was begun, together with the workers. The same schedules are explored, and the
/// same is found and said, as if one had gone on alone: parts have an order, that of the search; who finds
/// something makes those after it stop, and is believed when those before it have found nothing. A bound is
/// begun when the one before is finished.
/// Of a search by source sets (explorer/shared_classes.hpp) the same classes are explored; which schedule of
/// a class is run, and so what is found first, depends on who is quicker; so it is within a bound
/// (explorer/shared_bounds.hpp), where the number of schedules may, too. Wakeup trees cannot be shared.
///
/// `execution` is used when the search has to be started over, and gets to know the names of what others have
/// met.
[[nodiscard]] SearchResult explore_together(Execution& execution, const SearchOptions& options,
                                            SearchListener* listener, Workers& workers, SearchState from);

/// The state of a search that has not begun.
[[nodiscard]] SearchState state_at_start(Assumptions assumptions);

}  // namespace coopcheck
