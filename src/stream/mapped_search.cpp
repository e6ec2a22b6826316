// Implements mapped_search, which searches a cached file through mappings. Called by device_source.
#include "stream/mapped_search.hpp"

#include <algorithm>
#include <string_view>

namespace leat {
inline namespace v0 {

namespace {

/// A part ends at a multiple of this size, because whole huge pages are mapped fastest. The memory
/// that a program locks, and the memory that the system shows for the program, stay small.
constexpr std::size_t part_size = 8 << 20;
/// A shorter part is read, because mapping a shorter part takes as long as reading the part.
constexpr std::size_t least_part_size = 256 << 10;
/// A part begins at a multiple of this size, because one fault maps a whole huge page if the part
/// has all of the huge page. This size is a multiple of every system's page size.
constexpr std::size_t part_alignment = 2 << 20;
/// A search for a longer text reads, so that each part has many times the text's size.
constexpr std::size_t longest_text = 64 << 10;

}  // namespace

/// Makes part_ a mapping that has `size` bytes from `at` on. Returns false if that part of the file
/// is too short or not in the page cache, or can't be mapped.
bool mapped_search::map_part(device& from, std::uint64_t at, std::size_t size) noexcept {
  if (has_mapped(at, size)) return true;
  std::error_code ec;
  const std::uint64_t file_size = from.size(ec);
  if (ec || file_size < at + least_part_size || !is_guarded_here()) return false;
  const std::uint64_t begin = at - at % part_alignment;
  const std::uint64_t most = at + longest_text + part_size;
  const std::uint64_t end = std::min(most - most % part_size, file_size);
  const auto n = static_cast<std::size_t>(end - begin);
  if (!is_cached(from, at, static_cast<std::size_t>(end - at))) return false;
  part_ = mapping(from.native_handle(), n, mapping::access::read, begin);
  part_begin_ = begin;
  is_possible_ = static_cast<bool>(part_);
  return is_possible_;
}

/// Adds `gap`, the number of bytes before an occurrence, to the mean. Returns true if reads find
/// the next occurrences faster. `is_costly`: an occurrence costs a system call anyway.
bool mapped_search::is_dense(std::uint64_t gap, bool is_costly) noexcept {
  const auto bounded = static_cast<std::size_t>(std::min<std::uint64_t>(gap, 2 * far_gap));
  mean_gap_ = (3 * mean_gap_ + bounded) / 4;
  return bounded < far_gap && mean_gap_ < (uses_hits_ || is_costly ? far_gap : near_gap);
}

bool mapped_search::find(device& from, std::uint64_t& at, search::needle& wanted,
                         bool maps) noexcept {
  thread_local constinit guarded_thread this_thread;
  const std::size_t size = wanted.text().size();
  const std::uint64_t start = at;
  if (!is_possible_ || size == 0 || size > longest_text) return false;
  if (!(maps || has_mapped(at, size)) || !this_thread.is_guarded()) return false;
  while (map_part(from, at, size)) {
    const std::string_view text = part_.view().substr(at - part_begin_);
    const std::size_t found = wanted.find(text);
    const bool hit = found != search::needle::npos;
    // Missing bytes are zeros, so an occurrence that ends with another byte is in the file.
    const bool may_be_missing = !hit || wanted.text().back() == '\0';
    if (may_be_missing ? part_.find_failure() : part_.access_failure()) {
      is_possible_ = false;  // from here on, a file that has become shorter is read
      unmap();
      return false;
    }
    if (!hit) {
      at += text.size() - (size - 1);
      continue;
    }
    if (is_dense(at + found - start, may_be_missing)) return false;
    at += found;
    hit_ = at;
    hit_end_ = at + size;
    return true;
  }
  return false;
}

}  // namespace v0
}  // namespace leat
