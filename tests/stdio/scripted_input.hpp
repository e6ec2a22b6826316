// A stream whose reads return given pieces or fail.
#pragma once

#include <leat/leat.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "support/c_files.hpp"

namespace leat_test {

/// Reads return the pieces, in order. A std::nullopt makes one read fail with EIO. Must outlive the
/// stream that open() returns.
struct scripted_input {
  std::vector<std::optional<std::string>> pieces;
  std::size_t at = 0;
  int reads = 0;

  static ssize_t read(void* cookie, char* to, std::size_t n) {
    auto& in = *static_cast<scripted_input*>(cookie);
    ++in.reads;
    if (in.at == in.pieces.size()) return 0;
    auto& piece = in.pieces[in.at];
    if (!piece) {
      ++in.at;
      errno = EIO;
      return -1;
    }
    const std::size_t taken = piece->copy(to, n);
    piece->erase(0, taken);
    if (piece->empty()) ++in.at;
    return static_cast<ssize_t>(taken);
  }
  file_ptr open() {
    return file_ptr(leat_fopencookie(
        this, "r", {.read = read, .write = nullptr, .seek = nullptr, .close = nullptr}));
  }
};

}  // namespace leat_test
