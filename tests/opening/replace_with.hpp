// replace_with() calls leat::replace to give a file new content. Throws leat::io_error.
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
