// Prints the lines that contain a text. The program searches for the text, and determines line
// ends only around a hit.
#include <leat/leat.hpp>

int main(int argc, char** argv) try {
  if (argc < 3 || *argv[1] == '\0') {
    leat::err.println("usage: grep TEXT FILE...");
    return 2;
  }
  leat::finder text(argv[1]);
  bool found = false;
  for (int i = 2; i != argc; ++i) {
    auto in = leat::open(argv[i]);
    while (in.find(text)) {
      leat::println("{}:{}", argv[i], in.line_around().text);
      found = true;
    }
  }
  leat::out.flush();
  return found ? 0 : 1;
} catch (const leat::io_error& error) {
  leat::err.println("grep: {}", error.what());
  return 2;
}
