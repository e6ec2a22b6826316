// Sorts the entries of a batch and merges the entries into ranges. Called by the steps of a batch.
#include "random/ranges.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace leat {
inline namespace v0 {

namespace {

// Wider digits need fewer passes. But with digits wider than `widest_digit`, in bits, a pass writes
// to more addresses than the processor's cache holds.
constexpr unsigned widest_digit = 11;
constexpr std::size_t digit_values = std::size_t{1} << widest_digit;
/// With fewer entries, counting digits takes longer than a comparison sort.
constexpr std::size_t fewest_for_digits = 512;
constexpr std::size_t bytes_per_entry = 2 * sizeof(std::uint64_t);

unsigned bits_of_position(const batch_positions& input) noexcept {
  return static_cast<unsigned>(std::bit_width(input.limit() - 1));
}

}  // namespace

std::size_t sorted_entries::most_at_once(const batch_positions& input,
                                         std::size_t memory) noexcept {
  const std::size_t by_memory = std::max<std::size_t>(memory / bytes_per_entry, fewest_for_digits);
  // An entry is one integer of 64 bits: its index uses the bits that its position does not need.
  const unsigned bits = std::min(64 - bits_of_position(input), 32U);
  return std::min(by_memory, std::size_t{1} << bits);
}

bool sorted_entries::sort(const batch_positions& input, std::size_t first,
                          std::size_t count) noexcept {
  first_ = first;
  size_ = count;
  index_bits_ = count == 0 ? 0 : static_cast<unsigned>(std::bit_width(count - 1));
  index_mask_ = (std::uint64_t{1} << index_bits_) - 1;
  const std::uint64_t stride = std::max<std::uint64_t>(input.layout().stride, 1);
  group_bits_ =
      stride >= batch_page ? 0 : static_cast<unsigned>(std::bit_width(batch_page / stride)) - 1;

  entries_ = reinterpret_cast<std::uint64_t*>(memory_.get(count * sizeof(std::uint64_t)));
  if (entries_ == nullptr) return count == 0;
  const unsigned position_bits = bits_of_position(input);
  if (count >= fewest_for_digits && position_bits > group_bits_)
    return sort_by_digits(input, position_bits);
  input.load(first, {entries_, count});
  for (std::size_t i = 0; i != count; ++i) entries_[i] = entries_[i] << index_bits_ | i;
  std::sort(entries_, entries_ + count);
  return true;
}

/// A radix sort, least significant digit first, from the lowest bit of the group up.
bool sorted_entries::sort_by_digits(const batch_positions& input, unsigned position_bits) noexcept {
  const unsigned bits = position_bits - group_bits_;
  const unsigned passes = (bits + widest_digit - 1) / widest_digit;
  const unsigned digit = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
  constexpr std::size_t most_passes = (64 + widest_digit - 1) / widest_digit;

  // One pass over the positions counts the digits of all passes and detects positions that are
  // sorted already.
  std::array<std::array<std::uint32_t, digit_values>, most_passes> counts;
  for (unsigned pass = 0; pass != passes; ++pass) counts[pass].fill(0);
  std::uint64_t before = 0;
  bool in_order = true;
  input.load(first_, {entries_, size_});
  for (std::size_t i = 0; i != size_; ++i) {
    const std::uint64_t group = entries_[i] >> group_bits_;
    in_order &= group >= before;
    before = group;
    for (unsigned pass = 0; pass != passes; ++pass) ++counts[pass][group >> (pass * digit) & mask];
    entries_[i] = entries_[i] << index_bits_ | i;
  }
  if (in_order) return true;

  auto* other = reinterpret_cast<std::uint64_t*>(spare_.get(size_ * sizeof(std::uint64_t)));
  if (other == nullptr) return false;
  for (unsigned pass = 0; pass != passes; ++pass) {
    auto& starts = counts[pass];
    std::uint32_t start = 0;
    for (std::uint64_t value = 0; value <= mask; ++value) {
      const std::uint32_t occurrences = starts[value];
      starts[value] = start;
      start += occurrences;
    }
    const unsigned shift = index_bits_ + group_bits_ + pass * digit;
    for (std::size_t i = 0; i != size_; ++i) {
      const std::uint64_t entry = entries_[i];
      other[starts[entry >> shift & mask]++] = entry;
    }
    std::swap(entries_, other);
  }
  return true;
}

bool merged_ranges::next(merged_range& range) noexcept {
  if (next_ == last_) return false;
  const auto offset = [&](std::size_t i) { return input_->offset(entries_->position(i)); };
  const auto size = [&](std::size_t i) { return input_->size(entries_->index(i)); };
  std::size_t i = next_;
  std::uint64_t begin = offset(i), end = begin + size(i), group = entries_->group(i);
  for (++i; i != last_; ++i) {
    const std::uint64_t at = offset(i), its_end = at + size(i);
    if (entries_->group(i) != group) {
      if (at > end && at - end > limits_.gap) break;
      if (its_end > begin && its_end - begin > limits_.longest) break;
      group = entries_->group(i);
    }
    begin = std::min(begin, at);
    end = std::max(end, its_end);
  }
  range = {begin, end - begin, next_, i};
  next_ = i;
  return true;
}

}  // namespace v0
}  // namespace leat
