// Memory-mapped files on POSIX systems, with the guard of fault_guard.hpp. Sources, sidecars and
// random access use mappings.
#include <sys/mman.h>
#include <sys/stat.h>

#include <limits>

#include "device/mapping.hpp"
#include "device/posix/fault_guard.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

std::size_t whole_pages(std::size_t size) noexcept {
  const std::size_t page = page_size();
  return (size + page - 1) / page * page;
}

}  // namespace

mapping::mapping(native_handle_type file, std::size_t size, access what,
                 std::uint64_t offset) noexcept {
  if (size == 0 || size > std::numeric_limits<std::size_t>::max() - padding - page_size() ||
      !install_guard())
    return;
  const bool writes = what == access::write;
  const int protection = writes ? PROT_READ | PROT_WRITE : PROT_READ;
  // If the padding does not fit into the file's last page, one page of zeros follows.
  const std::size_t in_file = whole_pages(size);
  const std::size_t all = whole_pages(size + padding);
  void* const memory =
      ::mmap(nullptr, all, protection, MAP_SHARED, file, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return;
  const bool padded =
      all == in_file || ::mmap(static_cast<char*>(memory) + in_file, all - in_file, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (padded) range_ = guard_range(begin, begin + in_file, file, offset, writes);
  if (range_ == nullptr)
    ::munmap(memory, all);
  else
    view_ = {static_cast<const char*>(memory), size};
}

mapping::~mapping() {
  if (range_ == nullptr) return;
  // In this order, because unmapped memory may become another mapping at once.
  unguard_range(*range_);
  ::munmap(const_cast<char*>(view_.data()), whole_pages(view_.size() + padding));
}

void mapping::advise(pattern expected) noexcept {
  const int advice = expected == pattern::sequential ? MADV_SEQUENTIAL
                     : expected == pattern::random   ? MADV_RANDOM
                                                     : MADV_NORMAL;
  static_cast<void>(::madvise(const_cast<char*>(view_.data()), view_.size(), advice));
}

failure mapping::access_failure() const noexcept {
  if (range_ == nullptr) return {};
  const std::size_t end = range_->shrunk_to.load();
  const std::size_t page = range_->unreadable.load();
  if (end == guarded_range::no_offset && page == guarded_range::no_offset) return {};
  const std::uint64_t start = range_->offset.load();
  if (end < page) return {errc::file_shrank, "read", start + end};
  return {std::make_error_code(std::errc::io_error), "read", start + page};
}

failure mapping::find_failure() const noexcept {
  if (range_ == nullptr) return {};
  const failure known = access_failure();
  struct stat status{};
  if (get_status(range_->file.load(), status) != 0) return known;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size >= range_->offset.load() + view_.size() || (known && known.offset <= size)) return known;
  return {errc::file_shrank, "read", size};
}

}  // namespace v0
}  // namespace leat
