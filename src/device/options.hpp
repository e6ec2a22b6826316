// The options of all functions that open a stream or a leat::file, in one struct. These functions
// and the streams use the struct. <leat/options.hpp> documents each option.
#pragma once

#include <leat/options.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace leat {
inline namespace v0 {
namespace detail {

/// Expands to OPTION(type, name, default) for each option of the functions that open a stream or a
/// leat::file.
#define LEAT_OPTIONS(OPTION)                                       \
  OPTION(std::size_t, buffer_size, 0)                              \
  OPTION(leat::durability, durability, leat::durability::none)     \
  OPTION(flush_when, flush, flush_when::full)                      \
  OPTION(std::chrono::milliseconds, flush_interval, {})            \
  OPTION(bool, background, false)                                  \
  OPTION(leat::when_full, when_full, leat::when_full::wait)        \
  OPTION(std::uint64_t, preallocate, 0)                            \
  OPTION(bool, exclusive, false)                                   \
  OPTION(bool, create, false)                                      \
  OPTION(bool, readable, false)                                    \
  OPTION(unsigned, permissions, 0666)                              \
  OPTION(leat::pattern, pattern, leat::pattern::automatic)         \
  OPTION(leat::caching, caching, leat::caching::cached)            \
  OPTION(bool, live, false)                                        \
  OPTION(std::size_t, window_limit, open_options{}.window_limit)   \
  OPTION(bool, local_only, false)                                  \
  OPTION(leat::compression, compression, leat::compression::none)  \
  OPTION(std::uint64_t, limit, open_options{}.limit)               \
  OPTION(std::uint64_t, codec_memory, open_options{}.codec_memory) \
  OPTION(int, level, 0)                                            \
  OPTION(unsigned, codec_threads, 0)                               \
  OPTION(bool, seekable, false)                                    \
  OPTION(bool, reopen, false)

struct options {
// NOLINTBEGIN(bugprone-macro-parentheses): names and types
#define LEAT_MEMBER(type, name, value) type name = value;
#define LEAT_TAKE(type, name, value) \
  if constexpr (requires { from.name; }) name = from.name;

  LEAT_OPTIONS(LEAT_MEMBER)

  options() = default;
  /// Takes the options of a public struct, such as open_options. Options that the struct does not
  /// have keep their defaults.
  template <class PublicOptions>
  explicit options(const PublicOptions& from) noexcept {
    LEAT_OPTIONS(LEAT_TAKE)
    // No memory holds a larger buffer, and sums with the size could overflow.
    buffer_size = std::min(buffer_size, (std::numeric_limits<std::size_t>::max)() / 4);
  }

#undef LEAT_MEMBER
#undef LEAT_TAKE
  // NOLINTEND(bugprone-macro-parentheses)
};

}  // namespace detail

using detail::options;

}  // namespace v0
}  // namespace leat
