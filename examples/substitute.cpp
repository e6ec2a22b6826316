// Replaces a text in a file, and keeps the old content as FILE~. Other programs find the
// whole old content or the whole new content, also after a crash of the machine.
#include <leat/leat.hpp>

#include <string>
#include <string_view>

int main(int argc, char** argv) try {
  if (argc != 4 || *argv[2] == '\0') {
    leat::err.println("usage: substitute FILE OLD NEW");
    return 2;
  }
  const std::string name = argv[1], before = argv[2], after = argv[3];
  leat::copy_file(name, name + "~");
  leat::append(name + "~").sync();  // before the file changes, the copy must be on the disk
  const std::string content = leat::read_file(name);
  auto out = leat::replace(name, {.durability = leat::durability::system});
  std::string_view rest = content;
  for (std::size_t at; (at = rest.find(before)) != std::string_view::npos;) {
    out.print("{}{}", rest.substr(0, at), after);
    rest.remove_prefix(at + before.size());
  }
  out.write(rest);
  out.close();
} catch (const leat::io_error& error) {
  leat::err.println("substitute: {}", error.what());
  return 1;
}
