// replace_with() replaces the content of a file with leat::replace. Throws leat::io_error.
#pragma once

#include <leat/file_stream.hpp>

#include <string>
#include <string_view>

namespace leat_test {

inline void replace_with(const std::string& path, std::string_view content) {
  auto out = leat::replace(path);
  out.write(content);
  out.close();
}

}  // namespace leat_test
