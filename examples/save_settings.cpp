// Saves a file. Other programs find the whole old content or the whole new content, also after a
// crash of the machine.
#include <leat/leat.hpp>

int main() try {
  auto file = leat::replace("settings.toml", {.durability = leat::durability::system});
  file.println("volume = {}", 11);
  file.println("theme = \"{}\"", "dark");
  file.close();
} catch (const leat::io_error& error) {
  leat::err.println("{}", error.what());
  return 1;
}
