// Memory between two pages that nobody may touch.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace leat::test {

class guarded_memory {
 public:
  /// Room for at least this much.
  explicit guarded_memory(std::size_t size)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        size_((size + page_ - 1) / page_ * page_) {
    void* const memory =
        mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    begin_ = static_cast<char*>(memory) + page_;
    if (mprotect(begin_, size_, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect");
  }
  guarded_memory(const guarded_memory&) = delete;
  guarded_memory& operator=(const guarded_memory&) = delete;
  ~guarded_memory() { munmap(begin_ - page_, size_ + 2 * page_); }

  /// A copy of the text that begins right behind the page before.
  std::string_view at_begin(std::string_view text) { return copy(begin_, text); }
  /// A copy of the text that ends right before the page behind.
  std::string_view at_end(std::string_view text) {
    return copy(begin_ + (size_ - text.size()), text);
  }

 private:
  static std::string_view copy(char* to, std::string_view text) {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  std::size_t page_, size_;
  char* begin_;
};

}  // namespace leat::test
