// The work of E4: the positions to visit in a file of integers, and the peers' visits. The
// experiments of E4, the experiments with a store, and `leat tune` call these functions.
#pragma once

#include <leat/records.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/c_loops.h"
#include "measuring/experiment.hpp"

namespace bench {

/// The size of the folios in which the page cache holds a file. Small writes leave small folios,
/// large writes leave large folios.
enum class folios { small, large };

inline constexpr std::size_t integer_size = sizeof(std::uint32_t);

// The values of the factor "order". A variant that accepts any order has `left_open`.
inline const value as_drawn{"as drawn", {}};
inline const value in_order{"sorted", {}};
inline const value left_open{};

/// A file of integers, and the positions to visit. The integers are never zero.
class scene {
 public:
  std::string name;  // in the table
  std::string file;  // in the experiment's folder
  folios folio_size = folios::large;
  std::uint64_t integers = 0;
  std::size_t count = 0;
  bool dense = false;  // several positions in each page
  bool cold = false;   // the file is dropped from the page cache before each repetition
  bool grid = false;   // stdio visits the file in all variants, not only the usual one
  /// True if stdio has all variants. Updates of more than 100,000 positions have only the usual
  /// variant, because a million updates in each variant would take minutes.
  bool has_grid(bool updates) const { return grid && !(updates && count > 100'000); }
  /// Draws and sorts the positions: always the same positions for the same `count` and `integers`.
  void draw();
  /// Returns the positions in the order of the factor "order".
  std::span<const std::uint32_t> positions(const setting& at) const;
  std::vector<std::uint32_t> drawn_positions, sorted_positions;
  double sorting_seconds = 0;
  /// Destination of a batch. The scene keeps the destination, so that no run allocates memory.
  std::vector<std::uint32_t> values;
  /// The sum that visits of all positions find in the file as it was made.
  std::uint64_t sum = 0;
  /// Returns the sum that updates of all positions must have found, if later visits of all
  /// positions find the sum `later_sum`.
  std::uint64_t found_by_update(std::uint64_t later_sum) const {
    return later_sum - growth_ + repeats_;
  }

 private:
  std::uint64_t growth_ = 0;   // increase of a later sum by updates of all positions
  std::uint64_t repeats_ = 0;  // increase of the updates' own sum by positions drawn again
};

/// The pattern of integers that a file repeats.
inline constexpr std::size_t block_of_integers_size = integer_size << 16;
std::string block_of_integers();

/// Makes a file of `integers` integers. `integers` must be a power of two. Throws `failure`.
void make_integers(const std::filesystem::path& path, std::uint64_t integers, folios folio_size);

// Each function visits every position as often as the position is listed, and returns the sum of
// the integers found. The functions update_… also increment each integer in the file. `nanoseconds`
// gets the time of each visit, or is empty. A failed system call throws `failure`.

std::uint64_t visit_by_pread(const std::filesystem::path& path,
                             std::span<const std::uint32_t> positions,
                             std::span<std::uint64_t> nanoseconds);
std::uint64_t visit_by_mmap(const std::filesystem::path& path,
                            std::span<const std::uint32_t> positions);
std::uint64_t update_by_pread(const std::filesystem::path& path,
                              std::span<const std::uint32_t> positions,
                              std::span<std::uint64_t> nanoseconds);
/// Announces each position to the system 64 visits ahead.
std::uint64_t update_announced(const std::filesystem::path& path,
                               std::span<const std::uint32_t> positions);
std::uint64_t update_by_mmap(const std::filesystem::path& path,
                             std::span<const std::uint32_t> positions);

enum class direct_io { no, yes };
/// True if this machine has io_uring, and this program was built with io_uring.
bool has_uring();
/// Keeps up to 128 requests in flight. `direct_io::yes` reads whole pages with O_DIRECT. If
/// has_uring() is false, throws `failure`.
std::uint64_t visit_by_uring(const std::filesystem::path& path,
                             std::span<const std::uint32_t> positions, direct_io mode);

/// Returns the time of a steady clock, for the times of single visits.
std::uint64_t nanoseconds_now();

/// Calls `visit` for each position. If `nanoseconds` is not empty, measures each call.
template <class Visit>
void for_each_position(std::span<const std::uint32_t> positions,
                       std::span<std::uint64_t> nanoseconds, Visit visit) {
  if (nanoseconds.empty()) {
    for (const auto position : positions) visit(position);
    return;
  }
  for (std::size_t i = 0; i != positions.size(); ++i) {
    const auto start = nanoseconds_now();
    visit(positions[i]);
    nanoseconds[i] = nanoseconds_now() - start;
  }
}
}  // namespace bench
