#pragma once

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "corpus/contest/crawler/statistics.hpp"

namespace crawler {

/// To stdout, at the end: what all workers and each of them have done, and which pages are in the index.
inline void print_report(const std::vector<Statistics>& workers,
                         const std::map<std::string, std::string>& titles) {
    for (std::size_t event = 0; event < event_names.size(); ++event) {
        std::size_t sum = 0;
        for (const Statistics& worker : workers) sum += worker.at(event);
        std::printf("%-32s%4zu:", event_names[event], sum);
        for (const Statistics& worker : workers) std::printf(" %zu", worker.at(event));
        std::puts("");
    }
    for (const auto& [address, title] : titles) std::printf("%s: %s\n", address.c_str(), title.c_str());
}

}  // namespace crawler
