// `leat cat`: copies files to standard output. classic_commands.cpp calls cat().
#include "classics/classics.hpp"

namespace bench {

int cat(const cat_options& options) {
  classic command("cat");
  const auto fail = [&](const std::string& name, std::error_code why) {
    command.report_error(
        leat::format("{}: {}", name,
                     why == leat::errc::same_file ? "input file is output file" : why.message()));
  };
  for_each_input(
      options.inputs, [](leat::file_reader& in, const std::string&) { copy_to_output(in); }, fail,
      fail);
  return command.finish();
}

}  // namespace bench
