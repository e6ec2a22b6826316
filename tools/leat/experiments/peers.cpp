// Makes and checks files. The experiments and `leat tune` call these functions.
#include "experiments/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace bench {

void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies) {
  make_file(path, text, copies, text.size());
}

void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies,
               std::size_t write_size) {
  raw_file file(path);
  for (std::size_t i = 0; i < copies; ++i) {
    for (std::size_t at = 0; at < text.size(); at += write_size)
      file.write(text.substr(at, write_size));
  }
  file.sync();
  file.close();
}

void require_size(const std::filesystem::path& path, std::uint64_t expected) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) fail("find", path, error);
  if (size == expected) return;
  throw failure(fmt::format("wrote {} bytes instead of {}", size, expected));
}

void require_content(const std::filesystem::path& path, std::string_view expected) {
  require_size(path, expected.size());
  std::ifstream file(path, std::ios::binary);
  std::string content(expected.size(), '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  const auto first_wrong = std::ranges::mismatch(content, expected).in2;
  if (first_wrong == expected.end()) return;
  throw failure(
      fmt::format("wrote wrong bytes; the first is byte {}", first_wrong - expected.begin()));
}

}  // namespace bench
