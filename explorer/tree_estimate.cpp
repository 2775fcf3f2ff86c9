#include "explorer/tree_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace coopcheck {

void TreeEstimate::branch(std::size_t ways) {
    if (ways > 1) {
        log_product_ += std::log(static_cast<double>(ways));
    }
}

void TreeEstimate::end_walk() {
    if (walks_ == 0 || log_product_ > log_scale_) {
        const double shrink = walks_ == 0 ? 0 : std::exp(log_scale_ - log_product_);
        sum_ *= shrink;
        square_sum_ *= shrink * shrink;
        log_scale_ = log_product_;
    }
    const double product = std::exp(log_product_ - log_scale_);
    sum_ += product;
    square_sum_ += product * product;
    walks_ += 1;
    log_product_ = 0;
}

double TreeEstimate::log10_mean() const {
    if (walks_ == 0) {
        return 0;
    }
    return (log_scale_ + std::log(sum_ / static_cast<double>(walks_))) / std::log(10.0);
}

double TreeEstimate::mean() const {
    return walks_ == 0 ? 0 : std::exp(log_scale_) * (sum_ / static_cast<double>(walks_));
}

double TreeEstimate::relative_error() const {
    if (walks_ < 2) {
        return 0;
    }
    const auto count = static_cast<double>(walks_);
    const double mean = sum_ / count;
    const double variance = std::max(0.0, (square_sum_ - count * mean * mean) / (count - 1));
    return std::sqrt(variance / count) / mean;
}

double TreeEstimate::standard_error() const { return relative_error() * mean(); }

}  // namespace coopcheck
