// A program that imports leat. Textual headers must come before the import.
#include <string>
#include <string_view>
#include <system_error>

import leat;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto out = leat::create(argv[1]);
  for (int i = 0; i < 3; ++i) out.println("row {} of {:.1f}", i, 2.5);
  out.close();
  std::string text;
  for (const std::string_view line : leat::open(argv[1]).lines()) text += line.substr(4, 1);
  std::error_code ec;
  const auto none = leat::open("/nowhere/at all", ec);
  leat::println("{} {} {}", text, leat::parse<int>("42").value,
                ec == std::errc::no_such_file_or_directory);
}
