// Declarations for the C++ blocks of documents. Complete programs include what they need.
#pragma once

#include <fcntl.h>
#include <fmt/os.h>
#include <unistd.h>
#include <leat/fstream.hpp>
#include <leat/leat.hpp>
#include <leat/simulated.hpp>
#include <leat/testing.hpp>
#if defined(LEAT_DOCS_CODECS)
#  include <leat/codecs.hpp>
#endif
#if defined(LEAT_DOCS_REMOTE)
#  include <leat/remote.hpp>
#endif

#include <array>
#include <cassert>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

struct image_header {
  std::int32_t width;
  std::int32_t height;
};

[[maybe_unused]] inline int done = 3, all = 4;
inline std::string name = "worker", text = "{}";
inline std::map<std::string, double> table{{"a", 1.5}};
inline image_header header{};
inline void use(std::string_view /*line*/) {}
/// Replaces the content of a disk with `text`.
inline void save(std::unique_ptr<leat::device> disk) {
  leat::file file(std::move(disk));
  file.resize(0);
  file.write_at(0, text);
  file.close();
}
