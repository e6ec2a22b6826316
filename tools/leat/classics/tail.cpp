// `leat tail`: prints the end of files, and follows growing files. classic_commands.cpp calls
// tail().
#include <algorithm>
#include <filesystem>

#include "classics/classics.hpp"
#include "classics/following.hpp"
#include "system/path_text.hpp"

namespace bench {

namespace {

void ignore(std::string_view) {}

void show_last(leat::reader& in, const amount& wanted) {
  if (wanted.sign == '+') {
    read_first(in, {.count = std::max<std::uint64_t>(wanted.count, 1) - 1, .bytes = wanted.bytes},
               ignore);
    copy_to_output(in);
  } else if (const auto start = start_of_last(in, wanted)) {
    in.seek(*start);
    copy_to_output(in);
  } else {
    leat::out.write(read_last(in, wanted, ignore));
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
  classic command("tail");
  const bool shows_none = options.last.count == 0 && options.last.sign != '+';
  if (shows_none && !options.follow && !options.retry) return 0;  // without opening the files
  const bool has_headings = !options.quiet && (options.verbose || options.inputs.files.size() > 1);
  std::vector<followed_file> all;
  const auto report_open_error = [&](const auto& name, auto why) {
    command.report_open_error(name, why);
  };
  const auto report_read_error = [&](const auto& name, auto why) {
    command.report_read_error(name, why);
  };
  if (options.retry) {
    const bool waits = options.inputs.files.size() == 1;
    for (const auto& name : options.inputs.files) {
      std::error_code ec;
      if (leat::open(name, ec).is_open(); ec) report_open_error(name, ec);
      all.push_back({name, follow_name(name, options.last, waits)});
    }
    follow_files(all, command, has_headings, waits, nullptr);
  } else {
    const auto show = [&](leat::file_reader& in, const std::string& name) {
      if (has_headings) show_heading(name);
      show_last(in, options.last);
      if (options.follow && is_file(in, name)) all.push_back({name, std::move(in)});
    };
    for_each_input(options.inputs, show, report_open_error, report_read_error);
    std::error_code ignored;  // finish() reports errors of standard output
    leat::out.flush(ignored);
    follow_files(all, command, has_headings, false, all.empty() ? nullptr : &all.back());
  }
  return command.finish();
} catch (const leat::io_error& error) {
  classic command("tail");
  if (!leat::out.error()) command.report_read_error(error.path(), error.code());
  return command.finish(1);
}

}  // namespace bench
