// The C library functions of c_library.hpp for Windows.
#include "system/c_library.hpp"

#include <cerrno>
#include <string>

namespace bench {

std::FILE* open_c_file(const std::filesystem::path& path, const char* mode) {
  return ::_wfopen(path.c_str(), std::wstring(mode, mode + std::string_view(mode).size()).c_str());
}

namespace {

std::FILE* unsupported() {
  errno = ENOSYS;
  return nullptr;
}

}  // namespace

std::FILE* open_c_memory(char*, std::size_t) { return unsupported(); }
std::FILE* open_c_growing_memory(char**, std::size_t*) { return unsupported(); }
std::FILE* open_c_stream(leat::device&, const char*) { return unsupported(); }

const char* search_memory(std::string_view text, std::string_view needle) {
  const auto at = text.find(needle);
  return at == std::string_view::npos ? nullptr : text.data() + at;
}

}  // namespace bench
