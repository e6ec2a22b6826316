// The text of an errno value. Does not use strerror, because strerror's buffer belongs to the
// program. error.cpp, perror and printf's %m call error_text().
#pragma once

#include <string.h>

#include <cstddef>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

struct error_text_memory {
  char bytes[256];
};

/// Returns the text that strerror would return, in `memory` or in static memory.
template <class Int>
const char* error_text(Int error, error_text_memory& memory) noexcept {
  char* const to = memory.bytes;
  constexpr std::size_t size = sizeof memory.bytes;
  *to = '\0';
  if constexpr (requires { strerror_r(error, to, size); }) {
    // GNU's strerror_r returns the text; POSIX's returns a number.
    [[maybe_unused]] const auto result = strerror_r(error, to, size);
    if constexpr (std::is_pointer_v<decltype(result)>) return result;
  } else {
    strerror_s(to, size, error);
  }
  return to;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
