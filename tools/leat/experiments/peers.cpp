#include "peers.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace bench {

mapped_bytes::mapped_bytes(const std::filesystem::path& path)
    : size_(std::filesystem::file_size(path)) {
  const raw_file file(path, O_RDONLY);
  void* area = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (area == MAP_FAILED) fail("map", path, errno);
  data_ = static_cast<char*>(area);
}

mapped_bytes::~mapped_bytes() { ::munmap(data_, size_); }

void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies) {
  make_file(path, text, copies, text.size());
}

void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies,
               std::size_t at_once) {
  raw_file file(path);
  for (std::size_t i = 0; i < copies; ++i) {
    for (std::size_t at = 0; at < text.size(); at += at_once) file.write(text.substr(at, at_once));
  }
  file.sync();
  file.close();
}

bool drop_from_cache(const std::filesystem::path& path) {
#ifdef POSIX_FADV_DONTNEED
  if (::posix_fadvise(raw_file(path, O_RDONLY).get(), 0, 0, POSIX_FADV_DONTNEED) != 0) return false;
  const mapped_bytes file(path);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> cached((file.view().size() + page - 1) / page);
  if (::mincore(const_cast<char*>(file.view().data()), file.view().size(), cached.data()) != 0) {
    return false;
  }
  return std::ranges::none_of(cached, [](unsigned char flags) { return flags & 1; });
#else
  static_cast<void>(path);
  return false;
#endif
}

void require_size(const std::filesystem::path& path, std::uint64_t expected) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) fail("find", path, error.value());
  if (size == expected) return;
  throw failure(fmt::format("wrote {} bytes instead of {}", size, expected));
}

void require_content(const std::filesystem::path& path, std::string_view expected) {
  require_size(path, expected.size());
  std::ifstream file(path, std::ios::binary);
  std::string content(expected.size(), '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  const auto differs = std::ranges::mismatch(content, expected).in2;
  if (differs == expected.end()) return;
  throw failure(fmt::format("wrote something else than it should, from byte {} on",
                            differs - expected.begin()));
}

}  // namespace bench
