#include "kills/log.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

namespace leat_kills {

void remove_all_of(const std::string& path) {
  for (const auto& one :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()))
    std::filesystem::remove(one.path());
}

leat::file_writer open_log(const std::string& path, leat::durability how) {
  return leat::rotating(path, {.size = 1000, .durability = how});
}

std::string join_log(const std::string& path, leat::durability how) try {
  open_log(path, how).close();
  std::map<int, std::filesystem::path, std::greater<>> files{{0, path}};
  const std::filesystem::path log = path;
  for (const auto& one : std::filesystem::directory_iterator(log.parent_path())) {
    const std::string name = one.path().filename().string();
    if (name == log.filename()) continue;
    const int number = name.starts_with("file.") ? std::atoi(name.c_str() + sizeof "file." - 1) : 0;
    if (number == 0) return "left behind: " + name;
    files[number] = one.path();
  }
  std::string all;
  for (const auto& [number, file] : files) {
    std::ifstream in(file, std::ios::binary);
    all.append(std::istreambuf_iterator<char>(in), {});
    if (number != 0) std::filesystem::remove(file);
  }
  std::ofstream(path, std::ios::binary | std::ios::trunc) << all;
  return {};
} catch (const std::exception& error) {
  return error.what();
}

}  // namespace leat_kills
