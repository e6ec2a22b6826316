// Prints the last ten lines of a file. With -f, then prints the lines that are appended, also after
// a rotation of the file.
#include <leat/leat.hpp>

#include <string_view>

int main(int argc, char** argv) try {
  const bool follows = argc == 3 && std::string_view(argv[1]) == "-f";
  if (argc != (follows ? 3 : 2)) {
    leat::err.println("usage: tail [-f] FILE");
    return 2;
  }
  const char* const name = argv[argc - 1];
  auto in = follows ? leat::follow(name, {.last_lines = 10}) : leat::open(name);
  if (!follows) {
    int lines = 0;
    for ([[maybe_unused]] const auto line : in.lines_backwards())
      if (++lines == 10) break;
  }
  for (const std::string_view line : in.lines()) {
    leat::println("{}", line);
    // A program that prints only some of the lines must make this check after every line: a printed
    // line may still be in the buffer of the output.
    if (in.buffered().find('\n') == std::string_view::npos)
      leat::out.flush();  // the next line may come much later
  }
} catch (const leat::io_error& error) {
  leat::err.println("tail: {}", error.what());
  return 1;
}
