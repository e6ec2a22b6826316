// What the blocks of C++ in documents find: each becomes the body of a function.
#pragma once

#include <fcntl.h>
#include <fmt/os.h>
#include <unistd.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>
#include <leat/testing.hpp>

#include <cassert>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

struct image_header {
  std::int32_t width;
  std::int32_t height;
};

inline int done = 3, all = 4;
inline std::string name = "worker", text = "{}";
inline std::map<std::string, double> table{{"a", 1.5}};
inline image_header header{};
void use(std::string_view line);
void save(std::unique_ptr<leat::device> disk);
