// Calls libc's scanf and leat's, and compares the effects.
#pragma once

#include <gtest/gtest.h>
#include <leat/leat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cwchar>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace leat_test {

// Formats that are not literals, so that the compiler does not warn about formats of C23 and about
// invalid formats.
using runtime_format = const char*;

/// The effects of a call: its result, errno, and all that it stored.
struct effects {
  int result = -2;
  int error = 0;
  alignas(std::max_align_t) std::array<std::array<char, 96>, 6> stored;
  // The state of the file after the call.
  bool at_end = false;
  long position = -1;
  std::string rest;

  effects() {
    for (auto& target : stored) target.fill('#');
  }
  bool operator==(const effects&) const = default;
};

/// Returns a text for messages. The text has the first 16 bytes of each array in `stored`.
inline std::string describe(const effects& s) {
  std::string text = "result " + std::to_string(s.result) + ", errno " + std::to_string(s.error) +
                     (s.at_end ? ", at the end" : "") + ", at " + std::to_string(s.position) +
                     ", rest '" + s.rest + "', stored";
  for (const auto& target : s.stored) {
    text += ' ';
    constexpr char digits[] = "0123456789abcdef";
    for (std::size_t i = 0; i != 16; ++i) {
      const auto byte = static_cast<unsigned char>(target[i]);
      text += {digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text;
}

/// Succeeds if both calls had the same effects. If the effects differ, the message describes the
/// effects.
inline testing::AssertionResult same_effects(const effects& theirs, const effects& ours) {
  if (theirs == ours) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "\nlibc: " << describe(theirs) << "\nleat: " << describe(ours);
}

/// Compares as same_effects() does, but ignores one NUL of libc in each target: glibc's wide
/// functions end bytes with two NULs.
inline testing::AssertionResult same_wide(effects theirs, const effects& ours) {
  for (std::size_t target = 0; target != theirs.stored.size(); ++target) {
    auto& bytes = theirs.stored[target];
    for (std::size_t i = 1; i != bytes.size(); ++i)
      if (bytes[i - 1] == '\0' && bytes[i] == '\0' && ours.stored[target][i] == '#') {
        bytes[i] = '#';
        break;
      }
  }
  return same_effects(theirs, ours);
}

/// Compares as same_wide() does, but compares errno only if libc set it to ERANGE: glibc also sets
/// errno to other errors on success, and to 0 at the end of the text.
inline testing::AssertionResult same_but_errno(effects theirs, effects ours) {
  if (theirs.error != ERANGE) theirs.error = ours.error = 0;
  return same_wide(theirs, ours);
}

/// Calls `call` with pointers to the six arrays of `stored`. Returns the result, errno and the
/// stored bytes.
template <class Call>
effects observe(Call call) {
  effects s;
  auto& p = s.stored;
  errno = 0;
  s.result = call(p[0].data(), p[1].data(), p[2].data(), p[3].data(), p[4].data(), p[5].data());
  s.error = errno;
  return s;
}

/// Returns the effects of libc's sscanf or, for wide characters, swscanf.
template <class Char>
effects effects_of_libc(const Char* text, const Char* format) {
  return observe([&](auto... targets) {
    if constexpr (std::is_same_v<Char, char>)
      return std::sscanf(text, format, targets...);
    else
      return std::swscanf(text, format, targets...);
  });
}
/// Returns the effects of leat_sscanf or, for wide characters, leat_swscanf.
template <class Char>
effects effects_of_leat(const Char* text, const Char* format) {
  return observe([&](auto... targets) {
    if constexpr (std::is_same_v<Char, char>)
      return leat_sscanf(text, format, targets...);
    else
      return leat_swscanf(text, format, targets...);
  });
}

/// Returns the effects of libc's fscanf or fwscanf. Reads `f` to its end. The caller closes `f`.
template <class Char>
effects effects_of_libc(std::FILE* f, const Char* format) {
  effects s = observe([&](auto... targets) {
    if constexpr (std::is_same_v<Char, char>)
      return std::fscanf(f, format, targets...);
    else
      return std::fwscanf(f, format, targets...);
  });
  s.at_end = std::feof(f) != 0;
  s.position = std::ftell(f);
  for (int c;
       (c = std::is_same_v<Char, char> ? std::fgetc(f) : static_cast<int>(std::fgetwc(f))) != -1;)
    s.rest += static_cast<char>(c);
  return s;
}
/// Returns the effects of leat_fscanf or leat_fwscanf. Reads `f` to its end. The caller closes `f`.
template <class Char>
effects effects_of_leat(leat_file* f, const Char* format) {
  effects s = observe([&](auto... targets) {
    if constexpr (std::is_same_v<Char, char>)
      return leat_fscanf(f, format, targets...);
    else
      return leat_fwscanf(f, format, targets...);
  });
  s.at_end = leat_feof(f) != 0;
  s.position = leat_ftell(f);
  if constexpr (std::is_same_v<Char, char>) {
    for (int c; (c = leat_fgetc(f)) != -1;) s.rest += static_cast<char>(c);
  } else {
    for (wchar_t c; leat_fwscanf(f, L"%lc", &c) == 1;) s.rest += static_cast<char>(c);
  }
  return s;
}

/// A file that both libraries read.
class scanf_files : public testing::Test {
 protected:
  /// Replaces the content of the file.
  void set_content(std::string_view text) {
    std::FILE* const f = std::fopen(path_.c_str(), "w");
    ASSERT_NE(f, nullptr);
    std::fwrite(text.data(), 1, text.size(), f);
    std::fclose(f);
  }
  /// Returns the effects of libc's fscanf or fwscanf on the file.
  template <class Char>
  effects read_by_libc(const Char* format) {
    std::FILE* const f = std::fopen(path_.c_str(), "r");
    effects s = effects_of_libc(f, format);
    std::fclose(f);
    return s;
  }
  /// Returns the effects of leat_fscanf or leat_fwscanf on the file. `buffer` is the size of the
  /// stream's buffer: 0 keeps the default size, and 1 makes the stream unbuffered.
  template <class Char>
  effects read_by_leat(const Char* format, std::size_t buffer) {
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    if (buffer != 0) leat_setvbuf(f, nullptr, buffer == 1 ? _IONBF : _IOFBF, buffer);
    effects s = effects_of_leat(f, format);
    leat_fclose(f);
    return s;
  }
  /// Returns the effects of leat_fscanf on a pipe, which has no positions.
  effects read_pipe_by_leat(std::string_view text, runtime_format format) {
    int ends[2];
    make_pipe(ends);
    leat_file* const to = leat_fdopen(ends[1], "w");
    leat_fwrite(text.data(), 1, text.size(), to);
    leat_fclose(to);
    leat_file* const f = leat_fdopen(ends[0], "r");
    effects s = effects_of_leat(f, format);
    leat_fclose(f);
    return s;
  }
  /// Expects the same effects of both libraries on a file with `text`. `buffer`: see
  /// read_by_leat().
  void compare(const std::string& text, runtime_format format, std::size_t buffer) {
    set_content(text);
    const effects theirs = read_by_libc(format);
    EXPECT_TRUE(same_effects(theirs, read_by_leat(format, buffer)))
        << "'" << text << "' as '" << format << "', buffer " << buffer;
  }

  temporary_folder folder_;
  std::string path_ = folder_ / "text";
};

using random_source = std::mt19937_64;

/// Returns a random number below `n`. `n` must not be 0.
inline std::size_t below(random_source& random, std::size_t n) { return random() % n; }

/// Returns a random string of `strings`, which must not be empty.
template <class Strings>
std::string one_of(random_source& random, const Strings& strings) {
  return std::string(strings[below(random, std::size(strings))]);
}

}  // namespace leat_test
