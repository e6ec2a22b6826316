// Lines as std::getline reads them, and the ways to read them, for tests.
#pragma once

#include <leat/detail/stream_buffer.hpp>

#include <span>
#include <string>

namespace leat {
inline namespace v0 {
namespace detail {

/// Frees what getline() has allocated.
void end_marks(line_marks* marks) noexcept;

/// As take_line() for one line.
using line_way = bool (*)(stream_buffer& from, std::string& line, char delimiter);
/// Those that this processor runs, the fastest first.
std::span<const line_way> line_ways() noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
