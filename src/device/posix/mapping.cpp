#include <sys/mman.h>
#include <sys/stat.h>

#include <limits>

#include "device/mapping.hpp"
#include "device/posix/fault_guard.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

mapping::mapping(native_handle_type file, std::size_t size, access what) noexcept {
  const std::size_t page = page_size();
  if (size == 0 || size > std::numeric_limits<std::size_t>::max() - page || !switch_on_guard())
    return;
  const bool writes = what == access::write;
  const int protection = writes ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const memory = ::mmap(nullptr, size, protection, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  range_ = guard(begin, begin + (size + page - 1) / page * page, file, writes);
  if (range_ == nullptr)
    ::munmap(memory, size);
  else
    view_ = {static_cast<const char*>(memory), size};
}

mapping::~mapping() {
  if (range_ == nullptr) return;
  // In this order: memory that is not mapped any more may become another mapping at once.
  give_up(*range_);
  ::munmap(const_cast<char*>(view_.data()), view_.size());
}

void mapping::advise(pattern expected) noexcept {
  const int advice = expected == pattern::sequential ? MADV_SEQUENTIAL
                     : expected == pattern::random   ? MADV_RANDOM
                                                     : MADV_NORMAL;
  static_cast<void>(::madvise(const_cast<char*>(view_.data()), view_.size(), advice));
}

failure mapping::met() const noexcept {
  if (range_ == nullptr) return {};
  const std::size_t end = range_->shrunk_to.load();
  const std::size_t page = range_->unreadable.load();
  if (end == guarded_range::nothing && page == guarded_range::nothing) return {};
  if (end < page) return {errc::file_shrank, "read", end};
  return {std::make_error_code(std::errc::io_error), "read", page};
}

failure mapping::missing() const noexcept {
  if (range_ == nullptr) return {};
  const failure known = met();
  struct stat status{};
  if (::fstat(range_->file.load(), &status) != 0) return known;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size >= view_.size() || (known && known.offset <= size)) return known;
  return {errc::file_shrank, "read", size};
}

}  // namespace v0
}  // namespace leat
