// The positions of a batch: conversion, bounds checks and their messages. Called by batches.cpp and
// the steps of a batch.
#include "random/positions.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace leat {
inline namespace v0 {

namespace {

/// Copies positions as 64-bit numbers. Negative positions become larger than any position in a
/// file.
template <class T>
void widen(const void* from, std::size_t first, std::span<std::uint64_t> into) noexcept {
  const T* const values = static_cast<const T*>(from) + first;
  for (std::size_t i = 0; i != into.size(); ++i)
    into[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(values[i]));
}

}  // namespace

void batch_positions::load(std::size_t first, std::span<std::uint64_t> into) const noexcept {
  if (ranges_ != nullptr) {
    for (std::size_t i = 0; i != into.size(); ++i) into[i] = ranges_[first + i].at;
    return;
  }
  using kind = detail::position_list;
  switch (list_.type) {
    case kind::signed_32:
      return widen<std::int32_t>(list_.data, first, into);
    case kind::unsigned_32:
      return widen<std::uint32_t>(list_.data, first, into);
    case kind::signed_64:
    case kind::unsigned_64:
      std::memcpy(into.data(), static_cast<const std::uint64_t*>(list_.data) + first,
                  into.size_bytes());
  }
}

std::size_t batch_positions::first_outside() const noexcept {
  if (ranges_ != nullptr) {
    const std::uint64_t end = layout_.count - 1;
    const auto is_outside = [end](const byte_range& r) {
      return r.at > end || r.size > end - r.at;
    };
    return static_cast<std::size_t>(std::find_if(ranges_, ranges_ + list_.size, is_outside) -
                                    ranges_);
  }
  std::array<std::uint64_t, 1024> some;
  for (std::size_t first = 0; first < list_.size; first += some.size()) {
    const std::span part(some.data(), std::min(some.size(), list_.size - first));
    load(first, part);
    std::uint64_t highest = 0;
    for (const std::uint64_t position : part) highest = std::max(highest, position);
    if (highest < layout_.count) continue;
    const auto is_outside = [this](std::uint64_t position) { return position >= layout_.count; };
    return first + static_cast<std::size_t>(std::ranges::find_if(part, is_outside) - part.begin());
  }
  return list_.size;
}

std::string batch_positions::describe(std::size_t entry) const {
  using std::to_string;  // the formatting layer is not below this layer
  if (ranges_ != nullptr) {
    return "range " + to_string(entry) + ": " + to_string(ranges_[entry].size) + " bytes at " +
           to_string(ranges_[entry].at) + ", the file has " + to_string(layout_.count - 1);
  }
  const std::uint64_t number = position(entry);
  const bool is_signed = list_.type != detail::position_list::unsigned_32 &&
                         list_.type != detail::position_list::unsigned_64;
  return "position " +
         (is_signed ? to_string(static_cast<std::int64_t>(number)) : to_string(number)) + " of " +
         to_string(layout_.count);
}

}  // namespace v0
}  // namespace leat
