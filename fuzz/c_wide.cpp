// Wide characters, unlocked functions and <stdio_ext.h>, compared with libc's on an equal file.
// Each run writes, rewinds and reads.
#include <leat/leat.h>

#include <stdio_ext.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "listed.hpp"

namespace {

using fuzz::input, fuzz::step;

wchar_t character(input& in) {
  constexpr std::array<wchar_t, 8> some{L'a',          L'\n',     L'\u00e9', L'\u20ac',
                                        L'\U0001f600', L'\uffff', L' ',      L'7'};
  return in.rarely(8) ? static_cast<wchar_t>(1 + in.below(0x300)) : in.one_of(some);
}
std::wstring characters(input& in) {
  std::wstring text;
  for (std::size_t n = in.below(in.rarely(8) ? 3000 : 30); n != 0; --n) text += character(in);
  return text;
}

struct twins {
  std::string path = fuzz::scratch() + "wide";
  std::string memory = std::string(5000, ' ');  // for setbuffer
  leat_file* ours = leat_fopen((path + ".leat").c_str(), "w+");
  std::FILE* theirs = std::fopen((path + ".libc").c_str(), "w+");

  ~twins() {
    leat_fclose(ours);
    std::fclose(theirs);
  }
  void expect_same(const char* what) const {
    fuzz::expect_equal(leat_ferror(ours) != 0, std::ferror(theirs) != 0, what);
    fuzz::expect_equal(leat_feof(ours) != 0, std::feof(theirs) != 0, what);
  }
  void rewind() const {
    leat_rewind(ours);
    std::rewind(theirs);
  }
};

void write_wide(input& in, twins& on) {
  for (std::size_t n = in.below(20); n != 0; --n) {
    const std::wstring text = characters(in);
    switch (in.below(4)) {
      case 0: {
        const wchar_t c = character(in);
        step("fputwc {}", static_cast<unsigned>(c));
        const bool locked = in.flag();
        fuzz::expect_equal(locked ? leat_fputwc(c, on.ours) : leat_fputwc_unlocked(c, on.ours),
                           ::fputwc(c, on.theirs), "fputwc");
        break;
      }
      case 1:
        step("fputws {}", text.size());
        fuzz::expect_equal((in.flag() ? leat_fputws(text.c_str(), on.ours)
                                      : leat_fputws_unlocked(text.c_str(), on.ours)) < 0,
                           ::fputws(text.c_str(), on.theirs) < 0, "fputws");
        break;
      case 2: {
        const int number = in.integer<int>();
        step("fwprintf");
        fuzz::expect_equal(leat_fwprintf(on.ours, L"%d|%ls|%-9x", number, text.c_str(), number),
                           ::fwprintf(on.theirs, L"%d|%ls|%-9x", number, text.c_str(), number),
                           "fwprintf");
        break;
      }
      default: {
        std::vector<wchar_t> ours(4000, L'?'), theirs(4000, L'?');
        const std::size_t room = 1 + (in.flag() ? text.size() + in.below(4) : in.below(3999));
        step("swprintf into {}", room);
        const int got =
            in.flag() ? leat_swprintf(ours.data(), room, L"<%ls>", text.c_str())
                      : fuzz::listed(leat_vswprintf, ours.data(), room)(L"<%ls>", text.c_str());
        const int wanted = ::swprintf(theirs.data(), room, L"<%ls>", text.c_str());
        fuzz::expect_equal(got, wanted, "swprintf");
        if (wanted >= 0) fuzz::expect(ours == theirs, "swprintf writes the same");
      }
    }
    fuzz::expect_equal(leat_fwide(on.ours, 0) > 0, ::fwide(on.theirs, 0) > 0, "fwide");
    on.expect_same("writing");
  }
}

void read_wide(input& in, twins& on) {
  for (std::size_t n = in.below(40); n != 0; --n) {
    switch (in.below(3)) {
      case 0: {
        step("fgetwc");
        const std::wint_t got = in.flag() ? leat_fgetwc(on.ours) : leat_fgetwc_unlocked(on.ours);
        const std::wint_t wanted = ::fgetwc(on.theirs);
        fuzz::expect_equal(got, wanted, "fgetwc");
        if (wanted == WEOF || !in.rarely(3)) break;
        step("ungetwc");
        fuzz::expect_equal(leat_ungetwc(got, on.ours), ::ungetwc(wanted, on.theirs), "ungetwc");
        break;
      }
      case 1: {
        std::vector<wchar_t> ours(3000, L'?'), theirs(3000, L'?');
        const int room = static_cast<int>(1 + in.below(in.rarely(4) ? ours.size() : 20));
        step("fgetws {}", room);
        const bool got = (in.flag() ? leat_fgetws(ours.data(), room, on.ours)
                                    : leat_fgetws_unlocked(ours.data(), room, on.ours)) != nullptr;
        const bool wanted = ::fgetws(theirs.data(), room, on.theirs) != nullptr;
        fuzz::expect_equal(got, wanted, "fgetws");
        if (wanted)
          fuzz::expect(std::wcscmp(ours.data(), theirs.data()) == 0, "fgetws reads the same");
        break;
      }
      default: {
        int got = -1, wanted = -1;
        step("fwscanf");
        fuzz::expect_equal(leat_fwscanf(on.ours, L"%d", &got), ::fwscanf(on.theirs, L"%d", &wanted),
                           "fwscanf");
        fuzz::expect_equal(got, wanted, "fwscanf reads the same");
      }
    }
    on.expect_same("reading");
  }
}

/// Writes and reads bytes by unlocked functions, and checks the state of the buffer.
void write_bytes(input& in, twins& on) {
  const bool own = in.flag();
  const std::size_t size = 1 + in.border(4096);
  step("{} of {}", own ? "setvbuf" : "no buffer of its own", size);
  if (own) {
    leat_setbuffer(on.ours, in.flag() ? on.memory.data() : nullptr, size);
    ::setvbuf(on.theirs, nullptr, _IOFBF, size);
  } else if (in.rarely(4)) {
    leat_setlinebuf(on.ours);
    ::setlinebuf(on.theirs);
  }
  for (std::size_t n = in.below(30); n != 0; --n) {
    const std::string text = in.bytes(in.border(5000));
    switch (in.below(6)) {
      case 0:
        step("fwrite_unlocked {}", text.size());
        fuzz::expect_equal(leat_fwrite_unlocked(text.data(), 1, text.size(), on.ours),
                           ::fwrite_unlocked(text.data(), 1, text.size(), on.theirs),
                           "fwrite_unlocked");
        break;
      case 1:
        step("fputs_unlocked");
        fuzz::expect_equal(leat_fputs_unlocked(text.c_str(), on.ours) < 0,
                           ::fputs_unlocked(text.c_str(), on.theirs) < 0, "fputs_unlocked");
        break;
      case 2: {
        const int word = in.integer<int>();
        step("putw");
        fuzz::expect_equal(leat_putw(word, on.ours), ::putw(word, on.theirs), "putw");
        break;
      }
      case 3:
        step("fflush_unlocked");
        fuzz::expect_equal(leat_fflush_unlocked(on.ours), ::fflush_unlocked(on.theirs),
                           "fflush_unlocked");
        fuzz::expect_equal(leat_fpending(on.ours), 0U, "fpending after a flush");
        break;
      case 4:
        step("what <stdio_ext.h> reports");
        fuzz::expect_equal(leat_freadable(on.ours), ::__freadable(on.theirs), "freadable");
        fuzz::expect_equal(leat_fwritable(on.ours), ::__fwritable(on.theirs), "fwritable");
        fuzz::expect(
            leat_fpending(on.ours) <= leat_fbufsize(on.ours) || leat_fbufsize(on.ours) == 0,
            "fpending");
        fuzz::expect_equal(leat_fileno_unlocked(on.ours) >= 0, true, "fileno_unlocked");
        break;
      default: {
        leat_flockfile(on.ours);
        fuzz::expect_equal(leat_ftrylockfile(on.ours), 0,
                           "the thread that has the lock may have it again");
        leat_funlockfile(on.ours);
        leat_funlockfile(on.ours);
      }
    }
    fuzz::expect_equal(leat_ferror_unlocked(on.ours) != 0, ::ferror_unlocked(on.theirs) != 0,
                       "ferror_unlocked");
  }
  on.rewind();
  for (std::size_t n = in.below(30); n != 0; --n) {
    std::string ours(in.border(5000) + 1, '?');
    std::string theirs = ours;
    switch (in.below(3)) {
      case 0:
        step("fread_unlocked {}", ours.size());
        fuzz::expect_equal(leat_fread_unlocked(ours.data(), 1, ours.size(), on.ours),
                           ::fread_unlocked(theirs.data(), 1, theirs.size(), on.theirs),
                           "fread_unlocked");
        break;
      case 1: {
        const int room = static_cast<int>(ours.size());
        step("fgets_unlocked {}", room);
        fuzz::expect_equal(leat_fgets_unlocked(ours.data(), room, on.ours) != nullptr,
                           ::fgets_unlocked(theirs.data(), room, on.theirs) != nullptr,
                           "fgets_unlocked");
        break;
      }
      default:
        step("getw");
        fuzz::expect_equal(leat_getw(on.ours), ::getw(on.theirs), "getw");
    }
    fuzz::expect_text(ours, theirs, "the same bytes");
    fuzz::expect_equal(leat_feof_unlocked(on.ours) != 0, ::feof_unlocked(on.theirs) != 0,
                       "feof_unlocked");
    if (std::feof(on.theirs) == 0) continue;
    leat_clearerr_unlocked(on.ours);
    ::clearerr_unlocked(on.theirs);
  }
}

void drive(input& in) {
  static const bool set = std::setlocale(LC_ALL, "C.UTF-8") != nullptr;
  if (!set) return;
  twins on;
  if (in.flag()) {
    write_wide(in, on);
    on.rewind();
    read_wide(in, on);
  } else {
    write_bytes(in, on);
  }
  leat_fflush(on.ours);
  std::fflush(on.theirs);
  char *ours = nullptr, *theirs = nullptr;
  std::size_t our_size = 0, their_size = 0;
  leat_read_file((on.path + ".leat").c_str(), &ours, &our_size);
  leat_read_file((on.path + ".libc").c_str(), &theirs, &their_size);
  fuzz::expect_text({ours, our_size}, {theirs, their_size}, "the files");
  std::free(ours);
  std::free(theirs);
}

const fuzz::driver self("c_wide", drive);

}  // namespace
