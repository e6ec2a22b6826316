// The loop of `leat tail -f` and `leat tail -F`.
#include "classics/following.hpp"

#include <algorithm>
#include <chrono>

#include "system/system.hpp"

namespace bench {

using namespace std::chrono_literals;

namespace {

/// Interval between checks that the output still has a reader.
constexpr auto longest_wait = 50ms;

/// Shows new bytes. Returns whether there were any. If the file became shorter, complains, and
/// starts at the file's beginning.
bool show_new(followed& one, classic& me, bool has_heading) {
  std::error_code ec;
  if (const auto size = one.in.size(ec); !ec && size < one.in.tell()) {
    me.complain(one.name + ": file truncated");
    one.in.seek(0);
  }
  bool came = false;
  for (auto text = one.in.window(); !text.empty(); text = one.in.window()) {
    if (has_heading && !came) show_heading(one.name);
    came = true;
    leat::out.write(text);
    one.in.skip(text.size());
    leat::out.flush();
  }
  return came;
}

/// As show_new(). If reading fails, complains and closes the file. Throws only if output fails.
bool show_new_or_close(followed& one, classic& me, bool has_heading) try {
  return show_new(one, me, has_heading);
} catch (const leat::io_error& error) {
  if (leat::out.error()) throw;
  me.cannot_read(one.name, error.code());
  one.in = {};
  return false;
}

}  // namespace

leat::file_reader follow_name(const std::string& name, const amount& of, bool waits) {
  leat::follow_options how{.timeout = waits ? longest_wait : 0ms};
  if (!of.bytes && of.sign != '+') {
    how.last_lines = static_cast<std::size_t>(of.count);
    return leat::follow(name, how);
  }
  std::error_code ec;
  amount before{.count = 0, .bytes = of.bytes};
  if (of.sign == '+') {
    before.count = std::max<std::uint64_t>(of.count, 1) - 1;
  } else if (auto now = leat::open(name, ec); !ec) {
    const auto start = start_of_last(now, of);
    const auto shown = start ? 0 : take_last(now, of, [](std::string_view) {}).size();
    before.count = start.value_or(now.tell() - shown);
  }
  auto in = leat::follow(name, how);
  take_first(in, before, [](std::string_view) {});
  return in;
}

void show_all_new(std::vector<followed>& all, classic& me, bool has_headings, bool waits,
                  const followed* shown) {
  const auto is_open = [](const followed& one) { return one.in.is_open(); };
  while (std::ranges::any_of(all, is_open) && !leat::out.error()) {
    bool came = false;
    for (auto& one : all) {
      if (!is_open(one) || !show_new_or_close(one, me, has_headings && shown != &one)) continue;
      shown = &one;
      came = true;
    }
    if (!came && !wait_while_output_is_read(waits ? 0ms : longest_wait)) return me.fail();
  }
}

}  // namespace bench
