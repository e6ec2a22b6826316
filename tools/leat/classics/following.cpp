// The loop of `leat tail -f` and `leat tail -F`. tail.cpp calls follow_files().
#include "classics/following.hpp"

#include <algorithm>
#include <chrono>

#include "system/system.hpp"

namespace bench {

using namespace std::chrono_literals;

namespace {

/// The longest wait for more bytes, and the interval between checks that the output still has a
/// reader.
constexpr auto longest_wait = 50ms;

/// Shows new bytes. Returns whether there were new bytes. If the file became shorter, reports an
/// error, and starts at the file's beginning.
bool show_new(followed_file& file, classic& command, bool has_heading) {
  std::error_code ec;
  if (const auto size = file.in.size(ec); !ec && size < file.in.tell()) {
    command.report_error(file.name + ": file truncated");
    file.in.seek(0);
  }
  bool has_new_bytes = false;
  for (auto text = file.in.window(); !text.empty(); text = file.in.window()) {
    if (has_heading && !has_new_bytes) show_heading(file.name);
    has_new_bytes = true;
    leat::out.write(text);
    file.in.skip(text.size());
    leat::out.flush();
  }
  return has_new_bytes;
}

/// As show_new(). If reading fails, reports the error, closes the file and returns false. If output
/// fails, throws.
bool show_new_or_close(followed_file& file, classic& command, bool has_heading) try {
  return show_new(file, command, has_heading);
} catch (const leat::io_error& error) {
  if (leat::out.error()) throw;
  command.report_read_error(file.name, error.code());
  file.in = {};
  return false;
}

}  // namespace

leat::file_reader follow_name(const std::string& name, const amount& wanted, bool waits) {
  leat::follow_options options{.timeout = waits ? longest_wait : 0ms};
  if (!wanted.bytes && wanted.sign != '+') {
    options.last_lines = static_cast<std::size_t>(wanted.count);
    return leat::follow(name, options);
  }
  std::error_code ec;
  amount before{.count = 0, .bytes = wanted.bytes};
  if (wanted.sign == '+') {
    before.count = std::max<std::uint64_t>(wanted.count, 1) - 1;
  } else if (auto current = leat::open(name, ec); !ec) {
    const auto start = start_of_last(current, wanted);
    const auto shown = start ? 0 : read_last(current, wanted, [](std::string_view) {}).size();
    before.count = start.value_or(current.tell() - shown);
  }
  auto in = leat::follow(name, options);
  read_first(in, before, [](std::string_view) {});
  return in;
}

void follow_files(std::vector<followed_file>& all, classic& command, bool has_headings, bool waits,
                  const followed_file* shown) {
  const auto is_open = [](const followed_file& one) { return one.in.is_open(); };
  while (std::ranges::any_of(all, is_open) && !leat::out.error()) {
    bool has_new_bytes = false;
    for (auto& one : all) {
      if (!is_open(one) || !show_new_or_close(one, command, has_headings && shown != &one))
        continue;
      shown = &one;
      has_new_bytes = true;
    }
    if (!has_new_bytes && !wait_while_output_is_read(waits ? 0ms : longest_wait))
      return command.fail();
  }
}

}  // namespace bench
