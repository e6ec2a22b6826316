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
using format = const char*;

/// The effects of a call: its result, errno, and all that it stored.
struct seen {
  int result = -2;
  int error = 0;
  alignas(std::max_align_t) std::array<std::array<char, 96>, 6> stored;
  // The state of the file after the call.
  bool at_end = false;
  long position = -1;
  std::string rest;

  seen() {
    for (auto& target : stored) target.fill('#');
  }
  bool operator==(const seen&) const = default;
};

inline std::string shown(const seen& s) {
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

inline testing::AssertionResult same(const seen& theirs, const seen& ours) {
  if (theirs == ours) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\nlibc: " << shown(theirs) << "\nleat: " << shown(ours);
}

/// Compares as same() does, but ignores one NUL of libc in each target: glibc's wide functions end
/// bytes with two NULs.
inline testing::AssertionResult same_wide(seen theirs, const seen& ours) {
  for (std::size_t target = 0; target != theirs.stored.size(); ++target) {
    auto& bytes = theirs.stored[target];
    for (std::size_t i = 1; i != bytes.size(); ++i)
      if (bytes[i - 1] == '\0' && bytes[i] == '\0' && ours.stored[target][i] == '#') {
        bytes[i] = '#';
        break;
      }
  }
  return same(theirs, ours);
}

/// Compares as same_wide() does, but compares errno only if libc set it to ERANGE: glibc also sets
/// errno to other errors on success, and to 0 at the end of the text.
inline testing::AssertionResult same_but_errno(seen theirs, seen ours) {
  if (theirs.error != ERANGE) theirs.error = ours.error = 0;
  return same_wide(theirs, ours);
}

/// Calls `call` with pointers to the six arrays of `stored`. Returns the result, errno and the
/// stored bytes.
template <class Call>
seen observe(Call call) {
  seen s;
  auto& p = s.stored;
  errno = 0;
  s.result = call(p[0].data(), p[1].data(), p[2].data(), p[3].data(), p[4].data(), p[5].data());
  s.error = errno;
  return s;
}

template <class Char>
seen of_libc(const Char* text, const Char* how) {
  return observe([&](auto... targets) {
    if constexpr (std::is_same_v<Char, char>)
      return std::sscanf(text, how, targets...);
    else
      return std::swscanf(text, how, targets...);
  });
}
template <class Char>
seen of_leat(const Char* text, const Char* how) {
  return observe([&](auto... targets) {
    if constexpr (std::is_same_v<Char, char>)
      return leat_sscanf(text, how, targets...);
    else
      return leat_swscanf(text, how, targets...);
  });
}

template <class Char>
seen of_libc(std::FILE* f, const Char* how) {
  seen s = observe([&](auto... targets) {
    if constexpr (std::is_same_v<Char, char>)
      return std::fscanf(f, how, targets...);
    else
      return std::fwscanf(f, how, targets...);
  });
  s.at_end = std::feof(f) != 0;
  s.position = std::ftell(f);
  for (int c;
       (c = std::is_same_v<Char, char> ? std::fgetc(f) : static_cast<int>(std::fgetwc(f))) != -1;)
    s.rest += static_cast<char>(c);
  return s;
}
template <class Char>
seen of_leat(leat_file* f, const Char* how) {
  seen s = observe([&](auto... targets) {
    if constexpr (std::is_same_v<Char, char>)
      return leat_fscanf(f, how, targets...);
    else
      return leat_fwscanf(f, how, targets...);
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
  void hold(std::string_view text) {
    std::FILE* const f = std::fopen(path_.c_str(), "w");
    ASSERT_NE(f, nullptr);
    std::fwrite(text.data(), 1, text.size(), f);
    std::fclose(f);
  }
  template <class Char>
  seen libc_file(const Char* how) {
    std::FILE* const f = std::fopen(path_.c_str(), "r");
    seen s = of_libc(f, how);
    std::fclose(f);
    return s;
  }
  template <class Char>
  seen leat_file_of(const Char* how, std::size_t buffer) {
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    if (buffer != 0) leat_setvbuf(f, nullptr, buffer == 1 ? _IONBF : _IOFBF, buffer);
    seen s = of_leat(f, how);
    leat_fclose(f);
    return s;
  }
  /// Returns the effects of leat_fscanf on a pipe, which has no positions.
  seen leat_pipe(std::string_view text, format how) {
    int ends[2];
    make_pipe(ends);
    leat_file* const to = leat_fdopen(ends[1], "w");
    leat_fwrite(text.data(), 1, text.size(), to);
    leat_fclose(to);
    leat_file* const f = leat_fdopen(ends[0], "r");
    seen s = of_leat(f, how);
    leat_fclose(f);
    return s;
  }
  void compare(const std::string& text, format how, std::size_t buffer) {
    hold(text);
    const seen theirs = libc_file(how);
    EXPECT_TRUE(same(theirs, leat_file_of(how, buffer)))
        << "'" << text << "' as '" << how << "', buffer " << buffer;
  }

  temporary_folder folder_;
  std::string path_ = folder_ / "text";
};

using random_source = std::mt19937_64;

inline std::size_t below(random_source& random, std::size_t n) { return random() % n; }

template <class Strings>
std::string one_of(random_source& random, const Strings& strings) {
  return std::string(strings[below(random, std::size(strings))]);
}

}  // namespace leat_test
