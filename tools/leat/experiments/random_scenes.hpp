// The scenes of experiment E4 (random_access.cpp): files of integers, in the page cache or on the
// disk, and the positions to visit.
#pragma once

#include <leat/records.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/visits.hpp"
#include "measuring/experiment.hpp"

namespace bench {

/// All scenes. The names of the scenes are the values of the factor "scene".
struct scenes {
  std::vector<scene> all;
  std::string shortage;     // why the files are smaller than intended; empty: full size
  bool can_be_cold = true;  // false: the page cache keeps files; set by prepare()
  bool has_time = false;    // there is time for rows that show little more than other rows
  // Bytes that the disk has written before the warm-up; unset: unknown.
  std::optional<std::uint64_t> bytes_written_before;
  // Keys: the names of the scenes. Each array is open since its first use.
  std::map<std::string, leat::records<std::uint32_t>> open_records;

  const scene& at(const setting& chosen) const;
  scene& at(const setting& chosen) { return const_cast<scene&>(std::as_const(*this).at(chosen)); }
};

/// Chooses the scenes for the available space. Makes no file.
std::shared_ptr<scenes> make_scenes(const request& wanted);

/// Makes the files that do not exist yet, draws the positions, and sets `can_be_cold`. Throws
/// `failure`.
void prepare(scenes& all_scenes, const std::filesystem::path& folder);

/// Returns the number of bytes of all files.
std::uint64_t space_of(const scenes& all_scenes);

std::filesystem::path path_of(const scene& this_scene, const run& this_run);

}  // namespace bench
