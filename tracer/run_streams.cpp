// Standard input, output and error, and random numbers: what we answer ourselves.
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "tracer/run.hpp"

namespace coopcheck::tracer {

namespace {

/// Far more than any sane transfer; what is asked for comes from the target.
constexpr std::uint64_t largest_transfer = std::uint64_t{64} << 20U;

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31U);
}

}  // namespace

std::optional<int> Run::stream_of(std::uint64_t file) const {
    const auto found = std::find_if(state_.streams.begin(), state_.streams.end(), [&](const auto& stream) {
        return stream.first == static_cast<int>(file);
    });
    if (found == state_.streams.end()) return std::nullopt;
    return found->second;
}

void Run::set_stream(int file, std::optional<int> stream) {
    std::erase_if(state_.streams, [&](const auto& known) { return known.first == file; });
    if (stream) state_.streams.emplace_back(file, *stream);
}

Run::Next Run::on_output(VirtualThread& thread) {
    const auto stream = stream_of(thread.registers.rdi);
    if (!stream || *stream == 0) return on_file_call(thread);
    const auto file = static_cast<std::uint32_t>(*stream);
    return park_at_system_call(thread, {.kind = OpKind::Output, .location = Location::output(file)});
}

std::uint64_t Run::record_output(const VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    std::string& output = state_.output[stream_of(registers.rdi) == 2 ? 1 : 0];
    std::vector<iovec> pieces;
    if (registers.orig_rax == SYS_write) {
        pieces.push_back({reinterpret_cast<void*>(registers.rsi), registers.rdx});
    } else {
        pieces.resize(std::min<std::uint64_t>(registers.rdx, IOV_MAX));
        if (memory_.read(RemoteAddress{registers.rsi}, std::as_writable_bytes(std::span(pieces)))) {
            return static_cast<std::uint64_t>(-EFAULT);
        }
    }
    std::uint64_t total = 0;
    for (const iovec& piece : pieces) {
        const std::uint64_t size = std::min<std::uint64_t>(piece.iov_len, largest_transfer);
        const std::size_t before = output.size();
        output.resize(before + size);
        const auto room = std::as_writable_bytes(std::span(output).subspan(before));
        if (memory_.read(RemoteAddress{reinterpret_cast<std::uint64_t>(piece.iov_base)}, room)) {
            output.resize(before);
            return total > 0 ? total : static_cast<std::uint64_t>(-EFAULT);
        }
        total += size;
    }
    return total;
}

Run::Next Run::on_input(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    if (stream_of(registers.rdi) != 0) return on_file_call(thread);
    RemoteAddress to{registers.rsi};
    std::uint64_t wanted = registers.rdx;
    if (registers.orig_rax == SYS_readv) {
        // A short read is always allowed: the first piece is enough.
        const auto piece = memory_.read_value<iovec>(to);
        if (!piece) return answer(thread, -EFAULT);
        to = RemoteAddress{reinterpret_cast<std::uint64_t>(piece.value().iov_base)};
        wanted = piece.value().iov_len;
    }
    const std::string& input = session_->input();
    const std::size_t count = std::min<std::uint64_t>(wanted, input.size() - state_.input_read);
    if (memory_.write(to, std::as_bytes(std::span(input).subspan(state_.input_read, count)))) {
        return answer(thread, -EFAULT);
    }
    state_.input_read += count;
    return answer(thread, static_cast<std::int64_t>(count));
}

Run::Next Run::on_random(VirtualThread& thread) {
    return give_random(thread, RemoteAddress{thread.registers.rdi}, thread.registers.rsi);
}

Run::Next Run::give_random(VirtualThread& thread, RemoteAddress to, std::uint64_t count) {
    std::vector<std::uint8_t> bytes(std::min(count, largest_transfer));
    for (std::uint8_t& byte : bytes) {
        // A sequence of its own for each thread, so that it does not depend on what others draw.
        thread.random_drawn += 1;
        byte = static_cast<std::uint8_t>(
            mix((static_cast<std::uint64_t>(thread.kernel_id) << 40U) + thread.random_drawn));
    }
    if (memory_.write(to, std::as_bytes(std::span(bytes)))) return answer(thread, -EFAULT);
    return answer(thread, static_cast<std::int64_t>(bytes.size()));
}

}  // namespace coopcheck::tracer
