// The positions of a batch, as an array of integers. records.hpp makes this array.
#pragma once

#include <leat/detail/ranges.hpp>
#include <leat/file.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace leat {
inline namespace v0 {
namespace detail {

/// If the caller's integers are an array with elements of 4 or 8 bytes, refers to this array, which
/// must then outlive the object. Otherwise keeps a copy.
class listed_positions {
 public:
  template <std::ranges::input_range R>
  explicit listed_positions(R&& positions) {
    using value = std::ranges::range_value_t<R>;
    if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                  !std::same_as<value, bool> && (sizeof(value) == 4 || sizeof(value) == 8)) {
      list_ = {std::ranges::data(positions), std::ranges::size(positions), kind<value>()};
    } else {
      // A negative number stays negative, so that a message says "position -3" and not a large
      // number.
      using wide = std::conditional_t<std::is_signed_v<value>, std::int64_t, std::uint64_t>;
      if constexpr (std::ranges::sized_range<R>) copy_.reserve(std::ranges::size(positions));
      for (auto&& one : positions)
        copy_.push_back(static_cast<std::uint64_t>(static_cast<wide>(one)));
      list_ = {copy_.data(), copy_.size(), kind<wide>()};
    }
  }
  listed_positions(const listed_positions&) = delete;
  listed_positions& operator=(const listed_positions&) = delete;

  position_list list() const noexcept { return list_; }

 private:
  template <class T>
  static constexpr position_list::kind kind() noexcept {
    if constexpr (sizeof(T) == 4)
      return std::is_signed_v<T> ? position_list::signed_32 : position_list::unsigned_32;
    else
      return std::is_signed_v<T> ? position_list::signed_64 : position_list::unsigned_64;
  }

  std::vector<std::uint64_t> copy_;
  position_list list_;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
