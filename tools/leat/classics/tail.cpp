// `leat tail`: prints the end of files, and follows them.
#include <algorithm>
#include <filesystem>

#include "classics/classics.hpp"
#include "classics/following.hpp"
#include "system/path_text.hpp"

namespace bench {

namespace {

void ignore(std::string_view) {}

void show_last(leat::reader& in, const amount& of) {
  if (of.sign == '+') {
    take_first(in, {.count = std::max<std::uint64_t>(of.count, 1) - 1, .bytes = of.bytes}, ignore);
    pass_on(in);
  } else if (const auto start = start_of_last(in, of)) {
    in.seek(*start);
    pass_on(in);
  } else {
    leat::out.write(take_last(in, of, ignore));
  }
}

/// True if the input is a file, to which more bytes may be appended. The input has been read to its
/// end, so a pipe gets no more bytes.
bool is_file(const leat::reader& in, const std::string& name) {
  std::error_code ec;
  static_cast<void>(in.size(ec));
  return !ec || (name != "-" && std::filesystem::is_regular_file(path_from_utf8(name), ec));
}

}  // namespace

int tail(const tail_options& options) try {
  classic me("tail");
  const bool shows_none = options.last.count == 0 && options.last.sign != '+';
  if (shows_none && !options.follow && !options.retry) return 0;  // without opening the files
  const bool has_headings = !options.quiet && (options.verbose || options.from.files.size() > 1);
  std::vector<followed> all;
  const auto cannot_open = [&](const auto& name, auto why) { me.cannot_open(name, why); };
  const auto cannot_read = [&](const auto& name, auto why) { me.cannot_read(name, why); };
  if (options.retry) {
    const bool waits = options.from.files.size() == 1;
    for (const auto& name : options.from.files) {
      std::error_code ec;
      if (leat::open(name, ec).is_open(); ec) cannot_open(name, ec);
      all.push_back({name, follow_name(name, options.last, waits)});
    }
    show_all_new(all, me, has_headings, waits, nullptr);
  } else {
    const auto show = [&](leat::file_reader& in, const std::string& name) {
      if (has_headings) show_heading(name);
      show_last(in, options.last);
      if (options.follow && is_file(in, name)) all.push_back({name, std::move(in)});
    };
    for_each_input(options.from, show, cannot_open, cannot_read);
    std::error_code ignored;  // finish() reports errors of standard output
    leat::out.flush(ignored);
    show_all_new(all, me, has_headings, false, all.empty() ? nullptr : &all.back());
  }
  return me.finish();
} catch (const leat::io_error& error) {
  classic me("tail");
  if (!leat::out.error()) me.cannot_read(error.path(), error.code());
  return me.finish(1);
}

}  // namespace bench
