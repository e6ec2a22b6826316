// `leat bench loops/byte-addresses`: loops over single bytes at several code addresses. How much
// does the speed depend on the address?
#include "experiments/loops/byte_addresses.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/loops/loops.hpp"
#include "experiments/peers.hpp"
#include "measuring/statistics.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"

namespace bench::loops_byte_addresses {

namespace {

constexpr const char* names[] = {"putc", "putc_unlocked", "getc", "getc_unlocked"};

std::vector<finding> findings(const outcome& result) {
  std::vector<finding> found;
  for (const char* name : names) {
    for (const char* variant : {"leat", "libc"}) {
      std::vector<double> all;
      for (const auto& one : result.measurements)
        if (one.variant == variant && one.setting.has("loop", name))
          all.push_back(summarize(one.wall).median / static_cast<double>(one.load.operations));
      if (all.empty()) continue;
      const auto over_addresses = summarize(all);
      found.push_back(
          {fmt::format("{} by {}: {} ns per byte at the best address, {} at the median, {} "
                       "at the worst.",
                       name, variant, digits(over_addresses.min * 1e9),
                       digits(over_addresses.median * 1e9), digits(over_addresses.max * 1e9))});
    }
  }
  return found;
}

experiment make(const request& wanted) {
  loops all(wanted, 20'000'000);
  for (std::size_t function = 0; function != std::size(names); ++function) {
    const auto add = [&](const char* variant, byte_loop* loop) {
      all.add(names[function], variant, [=, count = all.count()](run& this_run) {
        const auto path = function < 2 ? null_device : utf8_from_path(this_run.folder / "bytes");
        const auto address = static_cast<int>(*this_run.setting["address"].number);
        if (loop(static_cast<int>(function), address, path.c_str(), count) != 0)
          throw failure(fmt::format("{} could not read or write '{}'", names[function], path));
      });
    };
    add("leat", leat_byte_loop);
    add("libc", libc_byte_loop);
  }
  auto experiment =
      all.make_experiment("byte-addresses", "single bytes, in loops 4 bytes apart", "byte");
  factor addresses{"address", {}, layout::row};
  for (int i = 0; i != code_addresses; ++i)
    addresses.values.push_back({fmt::format("at {}", 4 * i), i});
  experiment.factors.push_back(addresses);
  experiment.space = all.count();
  experiment.prepare = [count = all.count()](const std::filesystem::path& folder) {
    make_file(folder / "bytes", std::string(count, 'b'));
  };
  experiment.findings = findings;
  return experiment;
}

const registration byte_addresses(109, make);

}  // namespace

}  // namespace bench::loops_byte_addresses
