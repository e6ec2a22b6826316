// Memory between two inaccessible pages. A test crashes if leat reads or writes outside of the
// memory.
#pragma once

#if defined(_WIN32)
#  include "support/windows.hpp"
#else
#  include <sys/mman.h>
#  include <unistd.h>
#endif

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace leat::test {

class guarded_memory {
 public:
  /// Allocates at least `size` bytes. If the system refuses, throws std::runtime_error.
  explicit guarded_memory(std::size_t size)
      : page_(page_size()), size_((size + page_ - 1) / page_ * page_) {
#if defined(_WIN32)
    void* const memory = VirtualAlloc(nullptr, size_ + 2 * page_, MEM_RESERVE, PAGE_NOACCESS);
    if (memory == nullptr) throw std::runtime_error("VirtualAlloc");
    begin_ = static_cast<char*>(memory) + page_;
    if (VirtualAlloc(begin_, size_, MEM_COMMIT, PAGE_READWRITE) == nullptr)
      throw std::runtime_error("VirtualAlloc");
#else
    void* const memory =
        mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    begin_ = static_cast<char*>(memory) + page_;
    if (mprotect(begin_, size_, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect");
#endif
  }
  guarded_memory(const guarded_memory&) = delete;
  guarded_memory& operator=(const guarded_memory&) = delete;
#if defined(_WIN32)
  ~guarded_memory() { VirtualFree(begin_ - page_, 0, MEM_RELEASE); }
#else
  ~guarded_memory() { munmap(begin_ - page_, size_ + 2 * page_); }
#endif

  /// Copies the text to the beginning, directly after an inaccessible page. Returns the copy.
  std::string_view at_begin(std::string_view text) { return copy(begin_, text); }
  /// Copies the text to the end, directly before an inaccessible page. Returns the copy.
  std::string_view at_end(std::string_view text) {
    return copy(begin_ + (size_ - text.size()), text);
  }
  /// Returns the last `size` bytes of the memory.
  char* last_bytes(std::size_t size) { return begin_ + (size_ - size); }

 private:
  static std::size_t page_size() {
#if defined(_WIN32)
    SYSTEM_INFO about;
    GetSystemInfo(&about);
    return about.dwPageSize;
#else
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
  }

  static std::string_view copy(char* to, std::string_view text) {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  std::size_t page_, size_;
  char* begin_;
};

}  // namespace leat::test
