#include "cmd/storage_table.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <tuple>

#include "reporting/bytes_as_text.hpp"
#include "reporting/columns.hpp"

namespace coopcheck::cmd {

namespace {

/// What claims depend on comes first.
constexpr std::array order{StorageClass::Unprotected, StorageClass::Atomic, StorageClass::Protected,
                           StorageClass::Unshared};

std::string word(StorageClass storage) {
    switch (storage) {
        case StorageClass::Unshared:
            return "unshared";
        case StorageClass::Protected:
            return "protected";
        case StorageClass::Unprotected:
            return "unprotected";
        case StorageClass::Atomic:
            return "atomic";
    }
    return "";
}

StorageRow row_of(tracer::TracedExecution& execution, Location location, const Storage::Entry& entry) {
    StorageRow row{.storage = word(entry.storage), .bytes = 1};
    row.memory = execution.memory_label(location, main_thread);
    if (row.memory.empty()) row.memory = execution.describe_location(location);
    for (const ThreadId thread : entry.threads) row.threads.push_back(execution.names().threads.name(thread));
    if (entry.storage == StorageClass::Protected && entry.locks && entry.written) {
        for (const ObjectId lock : *entry.locks) {
            const std::string label = execution.label(lock);
            row.locks.push_back(label.empty() ? execution.names().objects.name(lock) : label);
        }
    }
    if (entry.storage == StorageClass::Protected && row.locks.empty()) {
        row.locks.emplace_back(entry.written ? "(order of threads)" : "(read only)");
    }
    return row;
}

bool continues(const StorageRow& row, const StorageRow& next, bool is_named) {
    return row.storage == next.storage && row.locks == next.locks && row.threads == next.threads &&
           (!is_named || row.memory == next.memory);
}

std::string list(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& one : words) text += (text.empty() ? "" : " ") + printable(one);
    return text;
}

std::string padded(const std::string& text, std::size_t width) {
    const std::size_t used = display_width(text);
    return text + std::string(used < width ? width - used : 0, ' ');
}

}  // namespace

std::vector<StorageRow> storage_rows(tracer::TracedExecution& execution, const Storage& storage) {
    execution.restart();
    std::vector<StorageRow> rows;
    for (const StorageClass wanted : order) {
        const std::size_t first = rows.size();
        std::uint64_t last = 0;
        bool last_named = false;
        for (const auto& [location, entry] : storage.all()) {
            if (entry.storage != wanted) continue;
            StorageRow row = row_of(execution, location, entry);
            const bool is_named = !execution.memory_label(location, main_thread).empty();
            const bool is_next =
                rows.size() > first && last + 1 == location.value() && is_named == last_named;
            last = location.value();
            last_named = is_named;
            if (is_next && continues(rows.back(), row, is_named)) {
                rows.back().bytes += 1;
            } else {
                rows.push_back(std::move(row));
            }
        }
    }
    return rows;
}

std::string storage_table(const std::vector<StorageRow>& rows, std::size_t watched) {
    std::ostringstream text;
    text << "storage, as " << watched
         << (watched == 1 ? " watched schedule shows" : " watched schedules show") << " it"
         << (rows.empty() ? ": nothing was seen" : "") << '\n';
    std::size_t memory_width = 0;
    std::size_t lock_width = 0;
    for (const StorageRow& row : rows) {
        memory_width = std::max(memory_width, display_width(printable(row.memory)));
        lock_width = std::max(lock_width, display_width(list(row.locks)));
    }
    for (const StorageRow& row : rows) {
        text << "  " << padded(row.storage, 12) << padded(printable(row.memory), memory_width + 2)
             << std::setw(6) << row.bytes << (row.bytes == 1 ? " byte   " : " bytes  ")
             << (lock_width > 0 ? padded(list(row.locks), lock_width + 2) : "") << list(row.threads) << '\n';
    }
    return text.str();
}

}  // namespace coopcheck::cmd
