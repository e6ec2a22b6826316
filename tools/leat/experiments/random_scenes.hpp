// The scenes of E4: files of integers, in the cache or on the disk, and the places to visit in
// them.
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

/// What E4 visits. The names of the scenes are the values of the factor "scene".
struct scenes {
  std::vector<scene> all;
  std::string shortage;     // why the files are smaller than they should be; empty: they are not
  bool can_be_cold = true;  // the preparation finds it out
  bool patient = false;     // there is time for rows that show little more than the others
  std::optional<std::uint64_t> written;  // by the disk, before the updates that warm up
  std::map<std::string, leat::records<std::uint32_t>> kept;  // open since the first visit

  const scene& at(const setting& where) const;
  scene& at(const setting& where) { return const_cast<scene&>(std::as_const(*this).at(where)); }
};

/// Decides on the scenes, for the space that there is. Makes no file.
std::shared_ptr<scenes> make_scenes(const request& wanted);

/// Makes the files, and draws the places.
void prepare(scenes& of, const std::filesystem::path& folder);

/// The bytes of all the files.
std::uint64_t space_of(const scenes& of);

std::filesystem::path path_of(const scene& where, const run& now);

}  // namespace bench
