// The operations of batches on the bytes of their positions. Created in batches.cpp.
#pragma once

#include <leat/file.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "device/mapping.hpp"
#include "random/random_access.hpp"

namespace leat {
inline namespace v0 {

/// Memory is prefetched `prefetch_distance` positions ahead. Copying this many records takes as
/// long as memory needs to answer, page tables included.
inline constexpr std::size_t prefetch_distance = 32;

/// Maps the first page of each record for writing, then calls `change(i, record)`.
void change_mapped(const batch_positions& input, std::span<const std::uint64_t> positions,
                   char* file, auto&& change) {
  for (std::size_t i = 0; i != positions.size(); ++i) {
    // If the page is not mapped yet, a prefetch has no effect: prefetching never faults.
    if (i + prefetch_distance < positions.size())
      __builtin_prefetch(file + input.offset(positions[i + prefetch_distance]), 1);
    char* const record = file + input.offset(positions[i]);
    touch_to_write(record);
    change(i, record);
  }
}

/// Copies the record at positions[i] to into[i]. `Size` is the size of a record in bytes, or 0 if
/// the compiler does not know it.
template <std::size_t Size>
class gather_operation final : public batch_operation {
 public:
  gather_operation(char* into, std::size_t size) noexcept
      : batch_operation(access_kind::reads), out_(into), size_(size) {}

  void apply(const batch_positions& input, const sorted_entries& entries, const merged_range& range,
             char* bytes) override {
    for (std::size_t i = range.first; i != range.last; ++i)
      copy(entries.index(i), bytes + (input.offset(entries.position(i)) - range.at));
  }
  void apply_mapped(const batch_positions& input, std::span<const std::uint64_t> positions,
                    std::size_t first, char* file, bool prefetches) override {
    // The copied bytes may be any object's bytes, so the compiler keeps only local variables in
    // registers.
    const std::uint64_t stride = input.layout().stride;
    const char* const records = file + input.layout().header;
    const std::size_t size = Size != 0 ? Size : size_;
    char* to = out_ + first * size;
    std::size_t i = 0;
    for (; prefetches && i + prefetch_distance < positions.size(); ++i, to += size) {
      __builtin_prefetch(records + positions[i + prefetch_distance] * stride);
      std::memcpy(to, records + positions[i] * stride, size);
    }
    for (; i != positions.size(); ++i, to += size)
      std::memcpy(to, records + positions[i] * stride, size);
  }
  void apply_one(const batch_positions&, std::size_t entry, char* bytes) override {
    copy(entry, bytes);
  }

 private:
  void copy(std::size_t to, const char* from) noexcept {
    const std::size_t size = Size != 0 ? Size : size_;
    std::memcpy(out_ + to * size, from, size);
  }

  char* out_;
  std::size_t size_;
};

/// Copies values[i] to the record at positions[i].
class scatter_operation final : public batch_operation {
 public:
  scatter_operation(const char* values, std::size_t size) noexcept
      : batch_operation(access_kind::writes), values_(values), size_(size) {}

  void apply(const batch_positions& input, const sorted_entries& entries, const merged_range& range,
             char* bytes) override {
    for (std::size_t i = range.first; i != range.last; ++i) {
      std::memcpy(bytes + (input.offset(entries.position(i)) - range.at),
                  values_ + entries.index(i) * size_, size_);
    }
  }
  void apply_mapped(const batch_positions& input, std::span<const std::uint64_t> positions,
                    std::size_t first, char* file, bool) override {
    change_mapped(input, positions, file, [&](std::size_t i, char* record) {
      std::memcpy(record, values_ + (first + i) * size_, size_);
    });
  }
  void apply_one(const batch_positions&, std::size_t entry, char* bytes) override {
    std::memcpy(bytes, values_ + entry * size_, size_);
  }

 private:
  const char* values_;
  std::size_t size_;
};

/// Lets the caller change records, up to `at_once` at a time.
class update_operation final : public batch_operation {
 public:
  update_operation(detail::visitor each, void* context) noexcept
      : batch_operation(access_kind::changes), each_(each), context_(context) {}

  void apply(const batch_positions& input, const sorted_entries& entries, const merged_range& range,
             char* bytes) override {
    std::array<detail::visit, at_once> visits;
    for (std::size_t i = range.first; i != range.last;) {
      const std::size_t count = std::min(visits.size(), range.last - i);
      for (std::size_t j = 0; j != count; ++j, ++i)
        visits[j] = {bytes + (input.offset(entries.position(i)) - range.at), entries.index(i)};
      each_(context_, {visits.data(), count});
    }
  }
  void apply_mapped(const batch_positions& input, std::span<const std::uint64_t> positions,
                    std::size_t first, char* file, bool) override {
    std::array<detail::visit, at_once> visits;
    std::size_t count = 0;
    change_mapped(input, positions, file, [&](std::size_t i, char* record) {
      visits[count++] = {record, first + i};
      if (count == visits.size() || i + 1 == positions.size())
        each_(context_, {visits.data(), std::exchange(count, 0)});
    });
  }
  void apply_one(const batch_positions&, std::size_t entry, char* bytes) override {
    const detail::visit one{bytes, entry};
    each_(context_, {&one, 1});
  }

 private:
  static constexpr std::size_t at_once = 256;
  detail::visitor each_;
  void* context_;
};

/// Passes each range to the caller. A mapped range is copied first. So the caller gets the range
/// only if the file had all bytes of the range, and the bytes do not change while the caller uses
/// them.
class read_ranges_operation final : public batch_operation {
 public:
  using receiver = std::function<void(std::string_view bytes, std::size_t index)>;

  explicit read_ranges_operation(const receiver& each) noexcept
      : batch_operation(access_kind::reads), each_(&each) {}

  void apply(const batch_positions& input, const sorted_entries& entries, const merged_range& range,
             char* bytes) override {
    for (std::size_t i = range.first; i != range.last; ++i)
      give(input, entries.index(i), bytes + (input.offset(entries.position(i)) - range.at));
  }
  void apply_mapped(const batch_positions& input, std::span<const std::uint64_t> positions,
                    std::size_t first, char* file, bool) override {
    copies_.clear();
    for (std::size_t i = 0; i != positions.size(); ++i)
      copies_.append(file + input.offset(positions[i]),
                     static_cast<std::size_t>(input.size(first + i)));
  }
  std::size_t count_at_once(const batch_positions& input, std::size_t first,
                            std::size_t n) override {
    std::size_t count = 0;
    for (std::uint64_t bytes = 0; count != n && bytes < most_copied; ++count)
      bytes += input.size(first + count);
    return count;
  }
  void accept_mapped(const batch_positions& input, std::size_t first, std::size_t n) override {
    const char* at = copies_.data();
    for (std::size_t i = first; i != first + n; ++i) {
      give(input, i, at);
      at += input.size(i);
    }
  }
  void apply_one(const batch_positions& input, std::size_t entry, char* bytes) override {
    give(input, entry, bytes);
  }

 private:
  static constexpr std::uint64_t most_copied = 256 << 10;

  void give(const batch_positions& input, std::size_t index, const char* bytes) {
    (*each_)({bytes, static_cast<std::size_t>(input.size(index))}, index);
  }

  const receiver* each_;
  std::string copies_;
};

/// Writes ranges from memory. starts[i] is the offset in memory of the bytes of range i.
class write_ranges_operation final : public batch_operation {
 public:
  write_ranges_operation(std::string_view bytes, std::span<const std::size_t> starts) noexcept
      : batch_operation(access_kind::writes), from_(bytes), starts_(starts) {}

  void apply(const batch_positions& input, const sorted_entries& entries, const merged_range& range,
             char* bytes) override {
    for (std::size_t i = range.first; i != range.last; ++i) {
      const std::size_t which = entries.index(i);
      std::memcpy(bytes + (input.offset(entries.position(i)) - range.at),
                  from_.data() + starts_[which], static_cast<std::size_t>(input.size(which)));
    }
  }
  void apply_mapped(const batch_positions& input, std::span<const std::uint64_t> positions,
                    std::size_t first, char* file, bool) override {
    change_mapped(input, positions, file, [&](std::size_t i, char* range) {
      std::memcpy(range, from_.data() + starts_[first + i],
                  static_cast<std::size_t>(input.size(first + i)));
    });
  }
  void apply_one(const batch_positions& input, std::size_t entry, char* bytes) override {
    std::memcpy(bytes, from_.data() + starts_[entry], static_cast<std::size_t>(input.size(entry)));
  }

 private:
  std::string_view from_;
  std::span<const std::size_t> starts_;
};

}  // namespace v0
}  // namespace leat
