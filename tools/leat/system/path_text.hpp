// Conversions between paths and UTF-8, the encoding of the command line and of the output, on
// Windows too. All parts of the command call these functions.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bench {

inline std::filesystem::path path_from_utf8(std::string_view utf8) {
  return std::u8string(utf8.begin(), utf8.end());
}

inline std::string utf8_from_path(const std::filesystem::path& path) {
  const auto utf8 = path.u8string();
  return {utf8.begin(), utf8.end()};
}

}  // namespace bench
