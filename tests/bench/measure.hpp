#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace coopcheck::bench {

/// Microseconds for each call of something.
struct Timing {
    double median_us = 0;
    double fastest_us = 0;
};

inline double now_us() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

inline Timing timing_of(std::vector<double> samples_us) {
    std::sort(samples_us.begin(), samples_us.end());
    return {samples_us[samples_us.size() / 2], samples_us.front()};
}

/// How often things are measured: many short batches, so that what else the machine does spoils few of them.
struct Effort {
    std::size_t batches = 1000;
    std::size_t calls_in_batch = 20;
};

template <typename Function>
double sample_us(const Effort& effort, Function&& function) {
    const double start = now_us();
    for (std::size_t call = 0; call < effort.calls_in_batch; ++call) function();
    return (now_us() - start) / static_cast<double>(effort.calls_in_batch);
}

template <typename Function>
Timing measure(const Effort& effort, Function&& function) {
    std::vector<double> samples;
    for (std::size_t batch = 0; batch < effort.batches; ++batch)
        samples.push_back(sample_us(effort, function));
    return timing_of(std::move(samples));
}

struct Comparison {
    Timing ours;
    Timing bare;
};

/// The two in turns, so that both see the same machine.
template <typename Ours, typename Bare>
Comparison compare(const Effort& effort, Ours&& ours, Bare&& bare) {
    std::vector<double> ours_us;
    std::vector<double> bare_us;
    for (std::size_t batch = 0; batch < effort.batches; ++batch) {
        bare_us.push_back(sample_us(effort, bare));
        ours_us.push_back(sample_us(effort, ours));
    }
    return {timing_of(std::move(ours_us)), timing_of(std::move(bare_us))};
}

inline const char* verdict(double value, double limit) { return value <= limit ? "ok" : "over the limit"; }

inline void print(const char* title, const Timing& timing) {
    std::printf("%-44s %9.2f us median %9.2f us fastest\n", title, timing.median_us, timing.fastest_us);
}

inline void print(const char* title, const Comparison& comparison, double limit) {
    const double ratio = comparison.ours.median_us / comparison.bare.median_us;
    std::printf("%-44s %8.2f us, bare %8.2f us: %5.2f times (fastest %5.2f times), limit %.2f: %s\n", title,
                comparison.ours.median_us, comparison.bare.median_us, ratio,
                comparison.ours.fastest_us / comparison.bare.fastest_us, limit, verdict(ratio, limit));
}

}  // namespace coopcheck::bench
