#pragma once

#include <cstddef>

namespace coopcheck {

/// Knuth's estimate of the number of leaves of a tree: walk down from the root, choosing each branch with the
/// same probability, and multiply the numbers of branches on the way. The mean of these products over many
/// walks is the number of leaves, whatever the shape of the tree. For schedules: leaves are schedules.
///
/// Call order: branch() at every node of a walk, end_walk() at its leaf. Sums are kept relative to the
/// largest product, so that 10^1000 schedules can be estimated too.
class TreeEstimate {
  public:
    /// A node with so many ways to go on, of which one was taken at random; at least 1.
    void branch(std::size_t ways);
    void end_walk();
    /// The walk was broken off: forget it.
    void drop_walk() { log_product_ = 0; }

    [[nodiscard]] std::size_t walks() const { return walks_; }
    /// Of the mean; nothing can be said (0) before the first walk.
    [[nodiscard]] double log10_mean() const;
    /// Infinite where a double is too small for it.
    [[nodiscard]] double mean() const;
    /// Of the mean; 0 before the second walk.
    [[nodiscard]] double standard_error() const;
    /// The standard error divided by the mean.
    [[nodiscard]] double relative_error() const;

  private:
    double log_product_ = 0;
    std::size_t walks_ = 0;
    double log_scale_ = 0;
    double sum_ = 0;         // of the products, divided by exp(log_scale_)
    double square_sum_ = 0;  // of their squares, divided by exp(2 log_scale_)
};

}  // namespace coopcheck
