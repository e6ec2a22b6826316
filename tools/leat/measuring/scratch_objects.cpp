// A private prefix of objects that are removed at the end. The commands bench and tune use the
// prefix.
#include "measuring/scratch_objects.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <cstdio>
#include <ctime>
#include <random>

#include "system/failure.hpp"

namespace bench {

namespace {

constexpr std::string_view marker_name = "made-by-leat-bench";

}  // namespace

scratch_objects::scratch_objects(std::string_view prefix) {
  std::random_device random;
  address_ = fmt::format("{}{}leat-bench-{:%Y%m%dT%H%M%SZ}-{:08x}/", prefix,
                         prefix.ends_with('/') ? "" : "/", fmt::gmtime(std::time(nullptr)),
                         static_cast<std::uint32_t>(random()));
  auto note = leat::create(address_ + std::string(marker_name));
  note.print(
      "`leat bench` or `leat tune` made the objects with this prefix at {:%FT%TZ}, and removes "
      "them.\n",
      fmt::gmtime(std::time(nullptr)));
  note.close();
}

scratch_objects::~scratch_objects() { remove(true); }

void scratch_objects::clear() noexcept { remove(false); }

void scratch_objects::remove(bool all) noexcept try {
  for (const auto& one : leat::remote::uploads(address_)) leat::remote::abort(one);
  for (const auto& one : leat::remote::list(address_))
    if (all || !one.address.ends_with(marker_name)) leat::remote::remove(one.address);
} catch (const std::exception& error) {
  std::fprintf(stderr, "leat: cannot remove all objects below %s: %s\n",
               leat::detail::escaped(address_).c_str(), error.what());
}

}  // namespace bench
