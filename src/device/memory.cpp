// Reading and writing a memory_device. testing/volatile_file.cpp and tests use this device.
#include "device/memory.hpp"

#include <cstdint>
#include <new>

namespace leat {
inline namespace v0 {

std::size_t memory_device::read_at(std::uint64_t at, std::span<char> into,
                                   std::error_code& ec) noexcept {
  ec.clear();
  if (at >= content_.size()) return 0;
  return content_.copy(into.data(), into.size(), static_cast<std::size_t>(at));
}

std::size_t memory_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                    std::error_code& ec) noexcept {
  std::uint64_t total = 0;
  for (const auto& piece : pieces) total += piece.size();
  if (total == 0) {
    ec.clear();
    return 0;
  }
  const std::uint64_t end = at + total;
  // No object in memory has more than PTRDIFF_MAX bytes, even if std::string has a larger
  // max_size().
  if (end < at || end > std::uint64_t{PTRDIFF_MAX}) {
    ec = std::make_error_code(std::errc::file_too_large);
    return 0;
  }
  if (end > content_.size())
    resize(end, ec);
  else
    ec.clear();
  if (ec) return 0;
  for (const auto& piece : pieces) {
    piece.copy(content_.data() + at, piece.size());
    at += piece.size();
  }
  return static_cast<std::size_t>(total);
}

std::uint64_t memory_device::size(std::error_code& ec) const noexcept {
  ec.clear();
  return content_.size();
}

void memory_device::resize(std::uint64_t size, std::error_code& ec) noexcept {
  try {
    // std::size_t may have 32 bits: without this check the cast could truncate `size`.
    if (size > content_.max_size()) throw std::bad_alloc();
    content_.resize(static_cast<std::size_t>(size));
    ec.clear();
  } catch (...) {
    ec = std::make_error_code(std::errc::not_enough_memory);
  }
}

}  // namespace v0
}  // namespace leat
