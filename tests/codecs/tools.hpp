// The commands of the formats: they make the files that leat reads, and read the files that leat
// writes.
#pragma once

#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"
#include "support/platform.hpp"

namespace codecs_test {

using leat::compression;

/// A format, and the command for it.
struct tool {
  compression format;
  const char* name;
  std::string ending;
  std::string encode;  ///< a command line that reads standard input and writes standard output
  std::string decode;  ///< the same for decoding
};

/// Prints the format's name. GoogleTest calls this function for parameters.
inline void PrintTo(const tool& command, std::ostream* to) { *to << command.name; }

/// The commands of gzip, zstd, lz4 and xz, in this order.
inline const std::vector<tool>& tools() {
  static const std::vector<tool> all{
      {compression::gzip, "gzip", ".gz", "gzip -c", "gzip -dc"},
      {compression::zstd, "zstd", ".zst", "zstd -qc", "zstd -qdc"},
      {compression::lz4, "lz4", ".lz4", "lz4 -qc", "lz4 -qdc"},
      {compression::xz, "xz", ".xz", "xz -c", "xz -dc"},
  };
  return all;
}

/// Runs a command line by the shell, without its error output. Returns whether the exit status is
/// 0.
inline bool run_command(const std::string& command) {
  return std::system((command + " 2>/dev/null").c_str()) == 0;
}

/// Returns true if the build has the format and the machine has the command. Without a shell, the
/// command is not needed.
inline bool is_available(const tool& command) {
#if defined(HAS_SHELL)
  if (!run_command("command -v " + std::string(command.name) + " >/dev/null")) return false;
#endif
  return leat::codecs::has(command.format);
}

/// The output of a command for this input. Without a shell, leat does the work of the commands in
/// tools(), so the tests check less. Any other command then fails the test.
inline std::string output_of_command(const std::string& command, std::string_view input) {
  const leat_test::temporary_folder folder;
  leat_test::write_file(folder / "in", input);
#if defined(HAS_SHELL)
  EXPECT_TRUE(run_command(command + " <" + (folder / "in") + " >" + (folder / "out"))) << command;
#else
  for (const tool& candidate : tools()) {
    if (command == candidate.decode)
      return leat::open(folder / "in", {.compression = candidate.format}).read_all();
    if (command != candidate.encode) continue;
    auto out = leat::create(folder / "out", {.compression = candidate.format});
    out.write(input);
    out.close();
  }
#endif
  return leat_test::read_all(folder / "out");
}

/// Returns `size` bytes of lines like those of a log, partly repetitive. The last line may be cut.
inline std::string log_lines(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) {
    text += "2026-11-25T10:" + std::to_string(random() % 60) + ':' + std::to_string(random() % 60) +
            " worker-" + std::to_string(random() % 16) + " GET /item/" +
            std::to_string(random() % 100000) + " 200 " + std::to_string(random() % 4000) + "us\n";
  }
  text.resize(size);
  return text;
}

/// Returns `size` random bytes, the same for the same seed.
inline std::string random_bytes(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& one : bytes) one = static_cast<char>(random());
  return bytes;
}

/// A number as `bytes` bytes in little-endian order, which all formats use.
inline std::string little_endian(std::uint64_t value, int bytes = 4) {
  std::string text;
  for (int i = 0; i != bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}

}  // namespace codecs_test
