// Files of integers, and visits by system calls: pread, mmap and io_uring. The experiments of E4
// (docs/method.md), the experiments with a store, and `leat tune` call these functions.
#include "experiments/visits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <random>

#include "experiments/peers.hpp"
#if defined(LEAT_URING)
#  include <liburing.h>
#endif

namespace bench {

namespace {

constexpr std::uint32_t integers_per_block = block_of_integers_size / integer_size;
/// Returns the integer with the index `position` in a new file.
std::uint32_t integer_at(std::uint64_t position) {
  return static_cast<std::uint32_t>(position % integers_per_block) + 1;
}

std::uint64_t offset_of(std::uint32_t position) { return std::uint64_t{position} * integer_size; }

std::uint32_t read_one(const raw_file& file, std::uint32_t position) {
  std::uint32_t value = 0;
  file.read_at(offset_of(position), reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

void write_one(const raw_file& file, std::uint32_t position, std::uint32_t value) {
  file.write_at(offset_of(position), {reinterpret_cast<const char*>(&value), sizeof value});
}

}  // namespace

std::uint64_t nanoseconds_now() {
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(now.count());
}

void scene::draw() {
  std::mt19937_64 random(1);
  drawn_positions.clear();
  drawn_positions.reserve(count);
  sum = growth_ = repeats_ = 0;
  for (std::size_t i = 0; i != count; ++i) {
    drawn_positions.push_back(static_cast<std::uint32_t>(random() % integers));
    sum += integer_at(drawn_positions.back());
  }
  sorted_positions = drawn_positions;
  const std::uint64_t begin = nanoseconds_now();
  std::ranges::sort(sorted_positions);
  sorting_seconds = static_cast<double>(nanoseconds_now() - begin) / 1e9;
  values.assign(count, 1);
  for (std::size_t i = 0; i != sorted_positions.size();) {
    std::size_t end = i;
    while (end != sorted_positions.size() && sorted_positions[end] == sorted_positions[i]) ++end;
    const std::uint64_t times = end - i;
    growth_ += times * times;
    repeats_ += times * (times - 1) / 2;
    i = end;
  }
}

std::span<const std::uint32_t> scene::positions(const setting& at) const {
  return at.has("order", "sorted") ? sorted_positions : drawn_positions;
}

std::string block_of_integers() {
  std::string text;
  text.reserve(integers_per_block * integer_size);
  for (std::uint64_t i = 0; i != integers_per_block; ++i) {
    const std::uint32_t value = integer_at(i);
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return text;
}

void make_integers(const std::filesystem::path& path, std::uint64_t integers, folios folio_size) {
  constexpr std::size_t small = 4096, large = 8 << 20;
  std::vector<std::uint32_t> numbers(std::min<std::uint64_t>(integers, large / integer_size));
  for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = integer_at(i);
  const std::string_view text(reinterpret_cast<const char*>(numbers.data()),
                              numbers.size() * integer_size);
  make_file(path, text, integers / numbers.size(), folio_size == folios::small ? small : large);
}

std::uint64_t visit_by_pread(const std::filesystem::path& path,
                             std::span<const std::uint32_t> positions,
                             std::span<std::uint64_t> nanoseconds) {
  const raw_file file(path, access::read);
  std::uint64_t sum = 0;
  for_each_position(positions, nanoseconds,
                    [&](std::uint32_t position) { sum += read_one(file, position); });
  return sum;
}

std::uint64_t visit_by_mmap(const std::filesystem::path& path,
                            std::span<const std::uint32_t> positions) {
  const mapped_bytes file(path);
  std::uint64_t sum = 0;
  for (const auto position : positions) {
    std::uint32_t value = 0;
    std::memcpy(&value, file.view().data() + offset_of(position), sizeof value);
    sum += value;
  }
  return sum;
}

std::uint64_t update_by_pread(const std::filesystem::path& path,
                              std::span<const std::uint32_t> positions,
                              std::span<std::uint64_t> nanoseconds) {
  const raw_file file(path, access::update);
  std::uint64_t sum = 0;
  for_each_position(positions, nanoseconds, [&](std::uint32_t position) {
    const std::uint32_t value = read_one(file, position);
    sum += value;
    write_one(file, position, value + 1);
  });
  return sum;
}

std::uint64_t update_announced(const std::filesystem::path& path,
                               std::span<const std::uint32_t> positions) {
  constexpr std::size_t ahead = 64;
  const raw_file file(path, access::update);
  const auto announce = [&](std::size_t i) {
    if (i < positions.size()) file.announce(offset_of(positions[i]), integer_size);
  };
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i != std::min(ahead, positions.size()); ++i) announce(i);
  for (std::size_t i = 0; i != positions.size(); ++i) {
    announce(i + ahead);
    const std::uint32_t value = read_one(file, positions[i]);
    sum += value;
    write_one(file, positions[i], value + 1);
  }
  return sum;
}

std::uint64_t update_by_mmap(const std::filesystem::path& path,
                             std::span<const std::uint32_t> positions) {
  mapped_bytes file(path, access::update);
  auto* const numbers = reinterpret_cast<std::uint32_t*>(file.data());
  std::uint64_t sum = 0;
  for (const auto position : positions) sum += numbers[position]++;
  return sum;
}

#if defined(LEAT_URING)

bool has_uring() {
  static const bool has = [] {
    io_uring ring;
    if (io_uring_queue_init(4, &ring, 0) != 0) return false;
    io_uring_queue_exit(&ring);
    return true;
  }();
  return has;
}

std::uint64_t visit_by_uring(const std::filesystem::path& path,
                             std::span<const std::uint32_t> positions, direct_io mode) {
  constexpr unsigned depth = 128;
  constexpr std::size_t page = 4096;
  const bool direct = mode == direct_io::yes;
  const raw_file file(path, access::read, direct ? hint::direct : hint::none);
  io_uring new_ring;
  if (const int error = io_uring_queue_init(depth, &new_ring, 0)) fail("queue", path, -error);
  struct closer {
    io_uring ring;
    ~closer() { io_uring_queue_exit(&ring); }
  } queue{new_ring};
  const std::unique_ptr<char, void (*)(void*)> memory(
      static_cast<char*>(std::aligned_alloc(page, depth * page)), std::free);
  if (memory == nullptr) throw std::bad_alloc();

  std::uint64_t sum = 0;
  std::vector<std::uint32_t> positions_of(depth);
  std::size_t next = 0, done = 0;
  const auto submit = [&](std::uint64_t slot) {
    io_uring_sqe* const entry = io_uring_get_sqe(&queue.ring);
    const auto at = offset_of(positions[next]);
    positions_of[slot] = positions[next++];
    io_uring_prep_read(entry, file.get(), memory.get() + slot * page, direct ? page : integer_size,
                       direct ? at / page * page : at);
    io_uring_sqe_set_data64(entry, slot);
  };
  while (next != std::min<std::size_t>(depth, positions.size())) submit(next);
  while (done != positions.size()) {
    io_uring_submit_and_wait(&queue.ring, 1);
    io_uring_cqe* completion = nullptr;
    unsigned head = 0, seen = 0;
    io_uring_for_each_cqe(&queue.ring, head, completion) {
      if (completion->res < static_cast<int>(integer_size))
        fail("read", path, completion->res < 0 ? -completion->res : EIO);
      const std::uint64_t slot = io_uring_cqe_get_data64(completion);
      const auto at = static_cast<std::size_t>(offset_of(positions_of[slot]));
      std::uint32_t value = 0;
      std::memcpy(&value, memory.get() + slot * page + (direct ? at % page : 0), sizeof value);
      sum += value;
      ++done;
      ++seen;
      if (next != positions.size()) submit(slot);
    }
    io_uring_cq_advance(&queue.ring, seen);
  }
  return sum;
}

#else

bool has_uring() { return false; }

std::uint64_t visit_by_uring(const std::filesystem::path& path, std::span<const std::uint32_t>,
                             direct_io) {
  fail("queue", path, ENOSYS);
}

#endif

}  // namespace bench
