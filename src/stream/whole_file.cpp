// Functions for whole files.
#include <leat/file_stream.hpp>

#include <new>

namespace leat {
inline namespace v0 {

std::string read_file(path_ref path) {
  auto file = open(path);
  auto text = file.read_all();
  file.close();
  return text;
}

std::string read_file(path_ref path, std::error_code& ec) try {
  auto file = open(path, ec);
  if (ec) return {};
  auto text = file.read_all(ec);
  if (ec) return {};
  file.close(ec);
  return text;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

void write_file(path_ref path, std::string_view bytes) {
  auto file = create(path);
  file.write(bytes);
  file.close();
}

void write_file(path_ref path, std::string_view bytes, std::error_code& ec) {
  auto file = create(path, ec);
  if (ec) return;
  file.write(bytes);
  file.close(ec);
}

}  // namespace v0
}  // namespace leat
