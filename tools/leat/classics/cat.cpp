// `leat cat`: copies files to standard output.
#include "classics/classics.hpp"

namespace bench {

int cat(const cat_options& options) {
  classic me("cat");
  const auto fail = [&](const std::string& name, std::error_code why) {
    me.complain(
        leat::format("{}: {}", name,
                     why == leat::errc::same_file ? "input file is output file" : why.message()));
  };
  for_each_input(
      options.from, [](leat::file_reader& in, const std::string&) { pass_on(in); }, fail, fail);
  return me.finish();
}

}  // namespace bench
