// Lines as std::getline reads them. stream_buffer.cpp calls free_marks(). The tests call all
// implementations of take_line().
#pragma once

#include <leat/detail/stream_buffer.hpp>

#include <span>
#include <string>

namespace leat {
inline namespace v0 {
namespace detail {

/// Frees the marks that take_line() has allocated.
void free_marks(line_marks* marks) noexcept;

/// An implementation of take_line() for a line without marks.
using line_implementation = bool (*)(stream_buffer& from, std::string& line, char delimiter);
/// CPU dispatch: the implementations that this processor can run, the fastest first.
std::span<const line_implementation> line_implementations() noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
