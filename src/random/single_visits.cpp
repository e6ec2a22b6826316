// Small batches, entry by entry, as single reads and writes are made. random_access::gather()
// and run() call these functions before they make a batch.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

#include "base/no_cancel.hpp"
#include "random/random_access.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// True if sorting these positions and merging near positions saves more time than the sorting
/// takes: if several positions are in a block of two pages that has another position. Gaps of up to
/// a page are always read. `mapped`: null, or a mapping whose positions do not count.
bool are_near(const batch_positions& input, std::span<const std::uint64_t> positions,
              const mapped_reads* mapped) noexcept {
  if (positions.size() < 3) return false;
  // A set of blocks: a bit for each hash. With 32 bits for each position, few blocks share a bit.
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  const auto bits = 5 + static_cast<unsigned>(std::bit_width(positions.size() - 1));
  std::array<std::uint64_t, 32 * fewest_sampled / 64> blocks;
  std::fill_n(blocks.begin(), (std::size_t{1} << bits) / 64, 0);
  const std::size_t enough = 2 + positions.size() / 8;
  std::size_t near = 0;
  for (const std::uint64_t position : positions) {
    const std::uint64_t at = input.offset(position);
    if (mapped != nullptr && mapped->is_mapped(at)) continue;
    const std::uint64_t bit = at / (2 * batch_page) * golden >> (64 - bits);
    std::uint64_t& word = blocks[static_cast<std::size_t>(bit / 64)];
    near += word >> bit % 64 & 1;
    if (near == enough) return true;
    word |= std::uint64_t{1} << bit % 64;
  }
  return false;
}

}  // namespace

/// Reads an entry. Checks first whether the read would wait for the disk, because the rest of a
/// batch from the disk must be announced. The check takes a tenth of the time of a read from the
/// page cache. So if the last `enough` reads were ready, only one read in `ask_interval` is
/// checked. `is_last`: this is the batch's last read, which is not checked, because nothing is left
/// to announce. Returns false if the bytes are not ready, or if the file may not have the bytes.
bool random_access::read_in_batch(std::uint64_t at, std::span<char> into, bool is_last) noexcept {
  constexpr unsigned enough = 16, ask_interval = 16;  // as in larger batches
  std::error_code ec;
  if (is_last) return device_->read_at(at, into, ec) == into.size();
  const unsigned ready = ready_reads_.load(std::memory_order_relaxed);
  const bool asks = ready < enough || ready % ask_interval == 0;
  const bool is_read =
      (asks ? device_->read_ready(at, into, ec) : device_->read_at(at, into, ec)) == into.size();
  ready_reads_.store(is_read ? ready + 1 : 0, std::memory_order_relaxed);
  return is_read;
}

/// Reads the first records of a small batch, in the caller's order. If a record must come from the
/// disk or may not be in the file, or if merging near positions is better, stops. Returns the
/// number of read records. If the batch is not small, or if a position may not be in the file,
/// returns nothing: then the caller must check the positions.
std::optional<std::size_t> random_access::gather_singly(const batch_positions& input,
                                                        char* into) noexcept {
  const std::size_t count = input.count(), size = input.layout().size;
  if (!visits_singly_ || count == 0 || count > most_single_visits || size > mapped_reads::longest)
    return {};
  if (count == 1) {
    // The shortest path for one position: with the code below, the first batch would take 200 ns
    // more.
    const std::uint64_t position = input.position(0);
    if (position >= input.limit() || read_at(input.offset(position), {into, size})) return {};
    store_singles(1, size);
    return 1;
  }
  std::array<std::uint64_t, most_single_visits> positions;
  input.load(0, {positions.data(), count});
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i != count; ++i) highest = std::max(highest, positions[i]);
  if (highest >= input.limit()) return {};
  constexpr std::size_t ahead = 8;  // this many reads take as long as memory needs to answer
  for (std::size_t i = 0; i != std::min(ahead, count); ++i)
    single_reads_.prefetch(input.offset(positions[i]));
  std::optional<no_cancel> reads_follow;  // so that each read does not disable cancellation
  for (std::size_t i = 0; i != count; ++i) {
    if (i + ahead < count) single_reads_.prefetch(input.offset(positions[i + ahead]));
    const std::uint64_t at = input.offset(positions[i]);
    const std::span bytes(into + i * size, size);
    if (single_reads_.read(*device_, at, bytes)) continue;
    if (!reads_follow) {
      if (are_near(input, {&positions[i], count - i}, &single_reads_)) return i;
      reads_follow.emplace();
    }
    if (!read_in_batch(at, bytes, i + 1 == count)) return i;
  }
  store_singles(count, count * size);
  return count;
}

/// As gather_singly(), for any operation. The caller has checked the positions. Counts the visited
/// entries in `done`. If a change can't be written, returns the failure. Throws the exceptions of
/// the operation.
failure random_access::visit_singly(const batch_positions& input, batch_operation& operation,
                                    std::size_t& done) {
  const bool reads = operation.kind() != batch_operation::access_kind::writes;
  const bool writes = operation.kind() != batch_operation::access_kind::reads;
  const std::size_t count = input.count();
  // Many writes take less time in the order of the file.
  constexpr std::size_t most_single_writes = 48;
  const std::size_t most = writes ? most_single_writes : most_single_visits;
  if (!visits_singly_ || count == 0 || count > most) return {};
  std::array<std::uint64_t, most_single_visits> positions;
  input.load(0, {positions.data(), count});
  const auto are_left_near = [&] {
    return are_near(input, {&positions[done], count - done}, writes ? nullptr : &single_reads_);
  };
  if (writes && are_left_near()) return {};
  bool are_far = writes;
  store_singles(count, input.bytes_before(count));  // before the operation, which may throw
  const no_cancel guard;
  scratch_memory memory;
  for (; done != count; ++done) {
    const std::uint64_t at = input.offset(positions[done]);
    const auto size = static_cast<std::size_t>(input.size(done));
    char* const bytes = size <= mapped_reads::longest ? memory.get(size) : nullptr;
    if (bytes == nullptr) return {};
    std::optional<stripe_locks::guard> lock;
    if (writes) lock.emplace(stripes_, at, size);
    if (reads && !single_reads_.read(*device_, at, {bytes, size})) {
      if (!are_far && are_left_near()) return {};
      are_far = true;
      if (!read_in_batch(at, {bytes, size}, done + 1 == count)) return {};
    }
    operation.apply_one(input, done, bytes);
    if (writes)
      if (const failure why = write_unlocked(at, {bytes, size})) return why;
  }
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
