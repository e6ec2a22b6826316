// The work of E4: places to visit in a file of integers, and the ways to go there.
#pragma once

#include <leat/records.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../bench.hpp"
#include "c_loops.h"

namespace bench {

/// Pieces in which the system's cache keeps a file: small writes leave small ones, large writes
/// large ones.
enum class folios { small, large };

/// A file of integers, and the places to visit in it. The integers are never zero.
class scene {
 public:
  std::string name;  // of the table
  std::string file;  // in the experiment's folder
  folios cached_in = folios::large;
  std::uint64_t integers = 0;
  std::size_t count = 0;
  bool dense = false;  // several places in each page
  bool cold = false;   // the file is dropped from the cache before each visit
  bool grid = false;   // all the ways of stdio, not only the usual one

  /// Draws the places; the same ones whenever it is called.
  void draw();
  std::span<const std::uint32_t> places(const setting& at) const;
  std::vector<std::uint32_t> drawn, sorted;
  /// Where the integers of the drawn places go; without it memory would be measured, too.
  std::vector<std::uint32_t> values;
  /// What a visit finds in a file as it was made.
  std::uint64_t sum = 0;
  /// What an update must have found, if a visit after it finds this.
  std::uint64_t found_by_update(std::uint64_t now) const { return now - growth_ + repeats_; }

 private:
  std::uint64_t growth_ = 0;   // what an update adds to what a visit finds
  std::uint64_t repeats_ = 0;  // what it has added itself to what it finds
};

/// Makes a file of so many integers, a power of two.
void make_integers(const std::filesystem::path& path, std::uint64_t integers, folios of);

// Each visits the places as often as they are listed and returns the sum of what it found there.
// `nanoseconds`, if there is any, takes the time of each visit.

std::uint64_t visit_by_pread(const std::filesystem::path& path,
                             std::span<const std::uint32_t> places,
                             std::span<std::uint64_t> nanoseconds);
std::uint64_t visit_by_mmap(const std::filesystem::path& path,
                            std::span<const std::uint32_t> places);
std::uint64_t update_by_pread(const std::filesystem::path& path,
                              std::span<const std::uint32_t> places,
                              std::span<std::uint64_t> nanoseconds);
/// The same, but the system is told 64 places ahead.
std::uint64_t update_announced(const std::filesystem::path& path,
                               std::span<const std::uint32_t> places);
std::uint64_t update_by_mmap(const std::filesystem::path& path,
                             std::span<const std::uint32_t> places);

enum class past_cache { no, yes };
/// Whether this machine has io_uring, and this program was built with it.
bool has_uring();
/// 128 requests at a time.
std::uint64_t visit_by_uring(const std::filesystem::path& path,
                             std::span<const std::uint32_t> places, past_cache how);

/// The clock of single visits.
std::uint64_t nanoseconds_now();

}  // namespace bench
