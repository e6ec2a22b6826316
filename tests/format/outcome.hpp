// The result of formatting, with leat or with {fmt}: a text or a format_error.
#pragma once

#include <fmt/format.h>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

namespace leat::test {

/// A text, or a refusal with its reason.
struct outcome {
  std::string text;
  bool refused = false;
  std::string reason;  // not compared: leat's messages differ

  bool operator==(const outcome& other) const {
    return refused == other.refused && (refused || text == other.text);
  }
  friend std::ostream& operator<<(std::ostream& to, const outcome& result) {
    return result.refused ? to << "refused: " << result.reason : to << '"' << result.text << '"';
  }
};

/// Returns the value for {fmt}: a std::byte as a number, because {fmt} formats std::byte since
/// version 10 only with an additional header.
template <class T>
decltype(auto) for_fmt(const T& value) {
  if constexpr (std::is_same_v<T, std::byte>)
    return static_cast<unsigned char>(value);
  else
    return (value);
}

/// Formats with {fmt}. A fmt::format_error is a refusal.
template <class... Args>
outcome by_fmt(std::string_view format, const Args&... args) try {
  const auto call = [&](const auto&... values) {
    return fmt::vformat(fmt::string_view(format.data(), format.size()),
                        fmt::make_format_args(values...));
  };
  return {call(for_fmt(args)...), false, {}};
} catch (const fmt::format_error& error) {
  return {{}, true, error.what()};
}

/// Formats with leat at run time. A leat::format_error is a refusal.
template <class... Args>
outcome by_leat(std::string_view format, const Args&... args) try {
  string_writer to;
  to.print(runtime(format), args...);
  return {to.take(), false, {}};
} catch (const format_error& error) {
  return {{}, true, error.what()};
}

}  // namespace leat::test
