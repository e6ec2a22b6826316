// The class `loops`, which makes an experiment from loops. The other files of this folder use the
// class.
#include "experiments/loops/loops.hpp"

#include <algorithm>

namespace bench {

void loops::add(const std::string& row, const std::string& variant,
                std::function<void(run&)> work) {
  if (std::ranges::find(rows_, row, &value::text) == rows_.end()) rows_.push_back({row, {}});
  auto found = std::ranges::find(variants_, variant, &std::pair<std::string, work_by_row>::first);
  if (found == variants_.end()) found = variants_.insert(found, {variant, {}});
  found->second[row] = std::move(work);
}

experiment loops::make_experiment(const std::string& name, const std::string& title,
                                  const std::string& operation) const {
  experiment made{
      .name = "loops/" + name,
      .title = title,
      .published = "nothing.",
      .cached = "Output goes to the null device. Input is in memory or in the page cache.",
      .factors = {{"loop", rows_, layout::table}},
      .variants = {},
      .load = [count = count_, operation](const setting& at) {
        return load{at["loop"].text, count, count, operation};
      }};
  for (const auto& [variant, work] : variants_) {
    const auto variant_role = variant == "leat"                ? role::baseline
                              : variant.starts_with("leat")    ? role::leat
                              : variant.starts_with("by hand") ? role::floor
                                                               : role::peer;
    made.variants.push_back(
        {variant, variant_role,
         [all = work](run& this_run) { all.at(this_run.setting["loop"].text)(this_run); },
         [all = work](const setting& at) { return all.contains(at["loop"].text); }});
  }
  return made;
}

}  // namespace bench
