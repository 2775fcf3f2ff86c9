#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "explorer/block_runner.hpp"
#include "explorer/node.hpp"
#include "explorer/search_state.hpp"

namespace coopcheck {

/// Branches of a search that was stopped. They come without places and monitors; bring_back() runs the
/// program along the path of one of them and fills these in. What paths have in common is run once.
class SavedBranches {
  public:
    SavedBranches() = default;
    /// Takes the blocks and footprints of the state.
    explicit SavedBranches(const SearchState& state);

    /// A branch whose node knows its block (Node::saved) and nothing that has to be run for.
    [[nodiscard]] Branch unpack(const SavedBranch& saved) const;

    /// Goes to the branch's node and completes it. `root` is the place of the program's start. Throws Error
    /// if the program does not do what it did.
    void bring_back(Branch& branch, const PlacePtr& root, Execution& execution, BlockRunner& runner,
                    Fairness::Options fairness);

    /// Somebody else goes on with a branch that was not brought back.
    void give_up(const Branch& branch) {
        if (branch.node.saved) release(branch.node.saved->block);
    }

    [[nodiscard]] const std::vector<SavedBlock>& blocks() const { return blocks_; }

  private:
    /// What running to the end of a block showed; dropped when no branch is left below.
    struct Reached {
        PlacePtr place;
        TrailPtr trail;
        std::shared_ptr<const Monitors> monitors;
        Fairness fairness;
    };

    void release(std::optional<std::uint32_t> block);

    std::vector<SavedBlock> blocks_;
    std::vector<std::shared_ptr<Footprint>> footprints_;
    /// Branches at a block that were not brought back yet, and blocks after it that have such.
    std::vector<std::size_t> users_;
    std::map<std::uint32_t, Reached> reached_;
};

/// Writes branches down.
class BranchSaver {
  public:
    /// Blocks of branches that are still as they were saved come from `before`.
    BranchSaver(SearchState& state, const SavedBranches& before) : state_(state), before_(before) {}

    [[nodiscard]] SavedBranch save(const Branch& branch);

  private:
    [[nodiscard]] std::optional<std::uint32_t> block(const TrailPtr& trail);
    [[nodiscard]] std::uint32_t block_saved_before(std::uint32_t old);
    [[nodiscard]] std::optional<std::uint32_t> footprint(const std::shared_ptr<Footprint>& shared);

    SearchState& state_;
    const SavedBranches& before_;
    std::map<const Trail*, std::uint32_t> trails_;
    std::map<std::uint32_t, std::uint32_t> old_blocks_;
    std::map<const Footprint*, std::uint32_t> footprints_;
};

}  // namespace coopcheck
