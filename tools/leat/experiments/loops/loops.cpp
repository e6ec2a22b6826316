// The class `loops`, which makes an experiment from loops. The other files of this folder use the
// class.
#include "experiments/loops/loops.hpp"

#include <algorithm>

namespace bench {

void loops::add(const std::string& row, const std::string& way, std::function<void(run&)> work) {
  if (std::ranges::find(rows_, row, &value::text) == rows_.end()) rows_.push_back({row, {}});
  auto found = std::ranges::find(ways_, way, &std::pair<std::string, works>::first);
  if (found == ways_.end()) found = ways_.insert(found, {way, {}});
  found->second[row] = std::move(work);
}

experiment loops::made(const std::string& name, const std::string& title,
                       const std::string& operation) const {
  experiment what{
      .name = "loops/" + name,
      .title = title,
      .published = "nothing.",
      .cached = "Output goes to the null device. What is read is in memory or in the page cache.",
      .factors = {{"loop", rows_, layout::table}},
      .variants = {},
      .load = [count = count_, operation](const setting& at) {
        return load{at["loop"].text, count, count, operation};
      }};
  for (const auto& [way, works] : ways_) {
    const auto variant_role = way == "leat"                ? role::baseline
                              : way.starts_with("leat")    ? role::leat
                              : way.starts_with("by hand") ? role::floor
                                                           : role::peer;
    what.variants.push_back(
        {way, variant_role, [all = works](run& now) { all.at(now.setting["loop"].text)(now); },
         [all = works](const setting& at) { return all.contains(at["loop"].text); }});
  }
  return what;
}

}  // namespace bench
