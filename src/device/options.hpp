// The options of all ways to open a stream, in one struct. <leat/options.hpp> documents each.
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

struct options {
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  flush_when flush = flush_when::full;
  std::chrono::milliseconds flush_interval{0};
  bool background = false;
  leat::when_full when_full = when_full::wait;
  std::uint64_t preallocate = 0;
  bool exclusive = false;
  bool create = false;
  bool readable = false;
  unsigned permissions = 0666;
  leat::pattern pattern = pattern::automatic;
  leat::caching caching = caching::cached;
  bool live = false;
  std::size_t window_limit = open_options{}.window_limit;
  bool remote = true;
  leat::compression compression = compression::none;
  std::uint64_t limit = open_options{}.limit;
  std::uint64_t codec_memory = open_options{}.codec_memory;
  int level = 0;
  unsigned codec_threads = 0;
  bool seekable = false;
  bool reopen = false;

  /// No memory holds a larger buffer, and sums with it could overflow.
  static constexpr std::size_t most_buffered = (std::numeric_limits<std::size_t>::max)() / 4;

  options() = default;
  /// From the public struct of one way. What that has not keeps its default.
  template <class Some>
  explicit options(const Some& some) noexcept {
    if constexpr (requires { some.buffer_size; })
      buffer_size = std::min(some.buffer_size, most_buffered);
    if constexpr (requires { some.durability; }) durability = some.durability;
    if constexpr (requires { some.flush; }) flush = some.flush;
    if constexpr (requires { some.flush_interval; }) flush_interval = some.flush_interval;
    if constexpr (requires { some.background; }) background = some.background;
    if constexpr (requires { some.when_full; }) when_full = some.when_full;
    if constexpr (requires { some.preallocate; }) preallocate = some.preallocate;
    if constexpr (requires { some.exclusive; }) exclusive = some.exclusive;
    if constexpr (requires { some.create; }) create = some.create;
    if constexpr (requires { some.readable; }) readable = some.readable;
    if constexpr (requires { some.permissions; }) permissions = some.permissions;
    if constexpr (requires { some.pattern; }) pattern = some.pattern;
    if constexpr (requires { some.caching; }) caching = some.caching;
    if constexpr (requires { some.live; }) live = some.live;
    if constexpr (requires { some.window_limit; }) window_limit = some.window_limit;
    if constexpr (requires { some.remote; }) remote = some.remote;
    if constexpr (requires { some.compression; }) compression = some.compression;
    if constexpr (requires { some.limit; }) limit = some.limit;
    if constexpr (requires { some.codec_memory; }) codec_memory = some.codec_memory;
    if constexpr (requires { some.level; }) level = some.level;
    if constexpr (requires { some.codec_threads; }) codec_threads = some.codec_threads;
    if constexpr (requires { some.seekable; }) seekable = some.seekable;
    if constexpr (requires { some.reopen; }) reopen = some.reopen;
  }
};

}  // namespace detail

using detail::options;

}  // namespace v0
}  // namespace leat
