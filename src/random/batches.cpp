// The batches of leat::file, leat::records and leat.h: the checks before a batch begins.
// random_access.hpp names the callers.
#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "random/operations.hpp"
#include "random/random_access.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// Returns an error if a position is not in the file.
batch_failure check_inside(const batch_positions& input) {
  const std::size_t entry = input.first_outside();
  if (entry == input.count()) return {};
  return {{errc::no_such_record, input.has_ranges() ? "find a range in" : "find a record in"},
          input.describe(entry)};
}

/// The bytes of all ranges lie in memory one after the other. Returns the start of each range and,
/// as the last element, the end of the last range: for sizes 3 and 5, {0, 3, 8}. A sum that
/// overflows becomes the largest number, which no buffer's size equals.
std::vector<std::size_t> starts_of(std::span<const byte_range> ranges) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> starts(ranges.size() + 1);
  for (std::size_t i = 0; i != ranges.size(); ++i) {
    const std::size_t left = most - starts[i];
    starts[i + 1] =
        starts[i] + static_cast<std::size_t>(std::min<std::uint64_t>(ranges[i].size, left));
  }
  return starts;
}

batch_failure wrong_size(const char* operation, std::size_t needed, std::size_t given) {
  return {{std::make_error_code(std::errc::invalid_argument), operation},
          std::to_string(needed) + " bytes in the ranges, " + std::to_string(given) + " in memory"};
}

bool overlap(std::span<const byte_range> ranges) {
  std::vector<byte_range> sorted(ranges.begin(), ranges.end());
  std::ranges::sort(sorted, {}, &byte_range::at);
  const auto reaches = [](const byte_range& a, const byte_range& b) {
    return a.size > b.at - a.at;
  };
  return std::ranges::adjacent_find(sorted, reaches) != sorted.end();
}

}  // namespace

batch_failure random_access::gather(const record_layout& records, position_list positions,
                                    char* into) {
  const batch_positions input(records, positions);
  const std::optional<std::size_t> done = gather_singly(input, into);
  return done == input.count() ? batch_failure{} : gather_rest(input, into, done);
}

/// Gathers the records that gather_singly() has not read.
batch_failure random_access::gather_rest(const batch_positions& input, char* into,
                                         std::optional<std::size_t> done) {
  if (!done)
    if (auto failed = check_inside(input)) return failed;
  const auto run_operation = [&](auto&& operation) {
    return run(input, operation, done.value_or(0));
  };
  const std::size_t size = input.layout().size;
  switch (size) {
    case 4:
      return {run_operation(gather_operation<4>(into, 4)), {}};
    case 8:
      return {run_operation(gather_operation<8>(into, 8)), {}};
    default:
      return {run_operation(gather_operation<0>(into, size)), {}};
  }
}

batch_failure random_access::scatter(const record_layout& records, position_list positions,
                                     const char* values) {
  if (const auto ec = unchangeable()) return {{ec, "write"}, {}};
  const batch_positions input(records, positions);
  if (auto failed = check_inside(input)) return failed;
  scatter_operation operation(values, records.size);
  return {run(input, operation), {}};
}

batch_failure random_access::update(const record_layout& records, position_list positions,
                                    visitor each, void* context) {
  if (const auto ec = unchangeable()) return {{ec, "write"}, {}};
  const batch_positions input(records, positions);
  if (auto failed = check_inside(input)) return failed;
  update_operation operation(each, context);
  return {run(input, operation), {}};
}

batch_failure random_access::read_ranges(
    std::span<const byte_range> ranges, std::uint64_t end,
    const std::function<void(std::string_view, std::size_t)>& each) {
  const batch_positions input(ranges, end);
  if (auto failed = check_inside(input)) return failed;
  read_ranges_operation operation(each);
  return {run(input, operation), {}};
}

batch_failure random_access::read_ranges(std::span<const byte_range> ranges, std::uint64_t end,
                                         std::span<char> into) {
  const auto starts = starts_of(ranges);
  if (starts.back() != into.size()) return wrong_size("read", starts.back(), into.size());
  return read_ranges(ranges, end, [&](std::string_view bytes, std::size_t index) {
    std::ranges::copy(bytes, into.begin() + static_cast<std::ptrdiff_t>(starts[index]));
  });
}

batch_failure random_access::write_ranges(std::span<const byte_range> ranges,
                                          std::string_view bytes) {
  if (const auto ec = unchangeable()) return {{ec, "write"}, {}};
  const auto is_empty = [](const byte_range& range) { return range.size == 0; };
  if (std::ranges::any_of(ranges, is_empty)) {
    // Empty ranges are left out. If the gap before an empty range beyond the end were written
    // together with other ranges, the file would grow.
    std::vector<byte_range> others;
    std::ranges::remove_copy_if(ranges, std::back_inserter(others), is_empty);
    return write_ranges(others, bytes);
  }
  const auto starts = starts_of(ranges);
  if (starts.back() != bytes.size()) return wrong_size("write", starts.back(), bytes.size());
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();  // bytes of a file
  for (const auto& range : ranges) {
    if (range.at > most || range.size > most - range.at)
      return {{std::make_error_code(std::errc::file_too_large), "write", range.at}, {}};
  }
  if (overlap(ranges)) {
    // The caller's order decides which bytes stay.
    for (std::size_t i = 0; i != ranges.size(); ++i) {
      const auto part = bytes.substr(starts[i], static_cast<std::size_t>(ranges[i].size));
      if (const failure why = write_at(ranges[i].at, part)) return {why, {}};
    }
    return {};
  }
  std::error_code ec;
  std::uint64_t end = device_->size(ec);
  if (ec) return {{ec, "get the size of"}, {}};
  for (const auto& range : ranges) end = std::max(end, range.at + range.size);
  write_ranges_operation operation(bytes, starts);
  return {run(batch_positions(ranges, end), operation), {}};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
