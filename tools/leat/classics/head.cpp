// `leat head`: prints the start of files. classic_commands.cpp calls head().
#include "classics/classics.hpp"

namespace bench {

namespace {

void write(std::string_view text) { leat::out.write(text); }

void show_all_but_last(leat::reader& in, const amount& wanted) {
  const auto first = in.tell();
  const auto last_start = start_of_last(in, wanted);
  if (!last_start) {
    read_last(in, wanted, write);
    return;
  }
  in.seek(first);
  read_first(in, {.count = *last_start - first, .bytes = true}, write);
}

}  // namespace

int head(const head_options& options) {
  classic command("head");
  const bool has_headings = !options.quiet && (options.verbose || options.inputs.files.size() > 1);
  const auto show = [&](leat::file_reader& in, const std::string& name) {
    if (has_headings) show_heading(name);
    if (options.first.sign == '-')
      show_all_but_last(in, options.first);
    else
      read_first(in, options.first, write);
  };
  for_each_input(
      options.inputs, show,
      [&](const std::string& name, std::error_code why) { command.report_open_error(name, why); },
      [&](const std::string& name, std::error_code why) { command.report_read_error(name, why); });
  return command.finish();
}

}  // namespace bench
