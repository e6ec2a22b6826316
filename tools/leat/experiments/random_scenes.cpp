// Chooses and makes the files of E4. random_access.cpp and random_variants.cpp call these
// functions.
#include "experiments/random_scenes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reporting/text.hpp"
#include "system/raw_file.hpp"

namespace bench {

const scene& scenes::at(const setting& chosen) const {
  return *std::ranges::find(all, chosen["scene"].text, &scene::name);
}

std::shared_ptr<scenes> make_scenes(const request& wanted) {
  const bool published = wanted.size == size::published;
  std::uint64_t integers = wanted.sized(1U << 30, 1U << 26, 1U << 16);
  const std::size_t count = wanted.sized(100'000, 10'000, 200);
  auto all_scenes = std::make_shared<scenes>();
  all_scenes->has_time = wanted.size != size::quick;
  // The space for three files, and a quarter of a file that stays free.
  const auto space_for = [](std::uint64_t n) {
    return 3 * n * integer_size + (n * integer_size) / 4;
  };
  const std::uint64_t asked = integers;
  while (integers > 1U << 16 && space_for(integers) > wanted.free_space) integers /= 2;
  if (integers != asked) {
    all_scenes->shortage = fmt::format("only {:.1f} GB are free here: {} integers instead of {}.",
                                       static_cast<double>(wanted.free_space) / 1e9,
                                       grouped(integers), grouped(asked));
  }
  const auto add = [&](std::string name, std::string file, std::size_t positions) -> scene& {
    auto& one = all_scenes->all.emplace_back();
    one.name = std::move(name);
    one.file = std::move(file);
    one.integers = integers;
    one.count = positions;
    return one;
  };
  auto& small = add("in the cache, 4 KiB folios", "small", count);
  small.folio_size = folios::small;
  small.grid = true;
  add("in the cache, large folios", "large", count).grid = published;
  auto& disk = add("on the disk", "cold", count);
  disk.cold = true;
  disk.grid = published;
  if (published) {
    // The two dense scenes use the files of the first two scenes.
    add("in the cache, 4 KiB folios, dense", "small", 10'000'000).dense = true;
    add("in the cache, large folios, dense", "large", 10'000'000).dense = true;
    auto& little = add("64 MiB, in the cache", "little", 1'000'000);
    little.integers = 1U << 24;
    little.grid = true;
  }
  return all_scenes;
}

void prepare(scenes& all_scenes, const std::filesystem::path& folder) {
  all_scenes.open_records.clear();
  for (auto& one : all_scenes.all) {
    one.draw();
    const auto path = folder / one.file;
    if (std::filesystem::exists(path)) continue;
    make_integers(path, one.integers, one.folio_size);
    if (one.cold) all_scenes.can_be_cold = drop_from_cache(path);
  }
}

std::uint64_t space_of(const scenes& all_scenes) {
  std::map<std::string, std::uint64_t> files;
  for (const auto& one : all_scenes.all) files[one.file] = one.integers * integer_size;
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](auto sum, const auto& file) { return sum + file.second; });
}

std::filesystem::path path_of(const scene& this_scene, const run& this_run) {
  return this_run.folder / this_scene.file;
}

}  // namespace bench
