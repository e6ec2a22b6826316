// Wide characters, unlocked functions and the functions of <stdio_ext.h>, compared with libc's on
// an equal file. Each run writes, rewinds and reads.
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
#include "with_va_list.hpp"

namespace {

using fuzz::input, fuzz::step;

wchar_t character(input& in) {
  constexpr std::array<wchar_t, 8> choices{L'a',          L'\n',     L'\u00e9', L'\u20ac',
                                           L'\U0001f600', L'\uffff', L' ',      L'7'};
  return in.rarely(8) ? static_cast<wchar_t>(1 + in.below(0x300)) : in.one_of(choices);
}
std::wstring characters(input& in) {
  std::wstring text;
  for (std::size_t n = in.below(in.rarely(8) ? 3000 : 30); n != 0; --n) text += character(in);
  return text;
}

struct stream_pair {
  std::string path = fuzz::scratch() + "wide";
  std::string memory = std::string(5000, ' ');  // for setbuffer
  leat_file* ours = leat_fopen((path + ".leat").c_str(), "w+");
  std::FILE* theirs = std::fopen((path + ".libc").c_str(), "w+");

  ~stream_pair() {
    leat_fclose(ours);
    std::fclose(theirs);
  }
  void expect_same(const char* operation) const {
    fuzz::expect_equal(leat_ferror(ours) != 0, std::ferror(theirs) != 0, operation);
    fuzz::expect_equal(leat_feof(ours) != 0, std::feof(theirs) != 0, operation);
  }
  void rewind() const {
    leat_rewind(ours);
    std::rewind(theirs);
  }
};

void write_wide(input& in, stream_pair& streams) {
  for (std::size_t n = in.below(20); n != 0; --n) {
    const std::wstring text = characters(in);
    switch (in.below(4)) {
      case 0: {
        const wchar_t c = character(in);
        step("fputwc {}", static_cast<unsigned>(c));
        const bool locked = in.flag();
        fuzz::expect_equal(
            locked ? leat_fputwc(c, streams.ours) : leat_fputwc_unlocked(c, streams.ours),
            ::fputwc(c, streams.theirs), "fputwc");
        break;
      }
      case 1:
        step("fputws {}", text.size());
        fuzz::expect_equal((in.flag() ? leat_fputws(text.c_str(), streams.ours)
                                      : leat_fputws_unlocked(text.c_str(), streams.ours)) < 0,
                           ::fputws(text.c_str(), streams.theirs) < 0, "fputws");
        break;
      case 2: {
        const int number = in.integer<int>();
        step("fwprintf");
        fuzz::expect_equal(
            leat_fwprintf(streams.ours, L"%d|%ls|%-9x", number, text.c_str(), number),
            ::fwprintf(streams.theirs, L"%d|%ls|%-9x", number, text.c_str(), number), "fwprintf");
        break;
      }
      default: {
        std::vector<wchar_t> ours(4000, L'?'), theirs(4000, L'?');
        const std::size_t room = 1 + (in.flag() ? text.size() + in.below(4) : in.below(3999));
        step("swprintf into {}", room);
        const int got = in.flag() ? leat_swprintf(ours.data(), room, L"<%ls>", text.c_str())
                                  : fuzz::with_va_list(leat_vswprintf, ours.data(), room)(
                                        L"<%ls>", text.c_str());
        const int wanted = ::swprintf(theirs.data(), room, L"<%ls>", text.c_str());
        fuzz::expect_equal(got, wanted, "swprintf");
        if (wanted >= 0) fuzz::expect(ours == theirs, "swprintf writes another text");
      }
    }
    fuzz::expect_equal(leat_fwide(streams.ours, 0) > 0, ::fwide(streams.theirs, 0) > 0, "fwide");
    streams.expect_same("writing");
  }
}

void read_wide(input& in, stream_pair& streams) {
  for (std::size_t n = in.below(40); n != 0; --n) {
    switch (in.below(3)) {
      case 0: {
        step("fgetwc");
        const std::wint_t got =
            in.flag() ? leat_fgetwc(streams.ours) : leat_fgetwc_unlocked(streams.ours);
        const std::wint_t wanted = ::fgetwc(streams.theirs);
        fuzz::expect_equal(got, wanted, "fgetwc");
        if (wanted == WEOF || !in.rarely(3)) break;
        step("ungetwc");
        fuzz::expect_equal(leat_ungetwc(got, streams.ours), ::ungetwc(wanted, streams.theirs),
                           "ungetwc");
        break;
      }
      case 1: {
        std::vector<wchar_t> ours(3000, L'?'), theirs(3000, L'?');
        const int room = static_cast<int>(1 + in.below(in.rarely(4) ? ours.size() : 20));
        step("fgetws {}", room);
        const bool got =
            (in.flag() ? leat_fgetws(ours.data(), room, streams.ours)
                       : leat_fgetws_unlocked(ours.data(), room, streams.ours)) != nullptr;
        const bool wanted = ::fgetws(theirs.data(), room, streams.theirs) != nullptr;
        fuzz::expect_equal(got, wanted, "fgetws");
        if (wanted)
          fuzz::expect(std::wcscmp(ours.data(), theirs.data()) == 0, "fgetws reads another text");
        break;
      }
      default: {
        int got = -1, wanted = -1;
        step("fwscanf");
        fuzz::expect_equal(leat_fwscanf(streams.ours, L"%d", &got),
                           ::fwscanf(streams.theirs, L"%d", &wanted), "fwscanf");
        fuzz::expect_equal(got, wanted, "the number that fwscanf reads");
      }
    }
    streams.expect_same("reading");
  }
}

/// Writes and reads bytes with unlocked functions, and checks the state of the buffer.
void write_and_read_bytes(input& in, stream_pair& streams) {
  const bool sets_buffer = in.flag();
  const std::size_t size = 1 + in.boundary_size(4096);
  step("{} {}", sets_buffer ? "setbuffer" : "without setbuffer", size);
  if (sets_buffer) {
    leat_setbuffer(streams.ours, in.flag() ? streams.memory.data() : nullptr, size);
    ::setvbuf(streams.theirs, nullptr, _IOFBF, size);
  } else if (in.rarely(4)) {
    leat_setlinebuf(streams.ours);
    ::setlinebuf(streams.theirs);
  }
  for (std::size_t n = in.below(30); n != 0; --n) {
    const std::string text = in.bytes(in.boundary_size(5000));
    switch (in.below(6)) {
      case 0:
        step("fwrite_unlocked {}", text.size());
        fuzz::expect_equal(leat_fwrite_unlocked(text.data(), 1, text.size(), streams.ours),
                           ::fwrite_unlocked(text.data(), 1, text.size(), streams.theirs),
                           "fwrite_unlocked");
        break;
      case 1:
        step("fputs_unlocked");
        fuzz::expect_equal(leat_fputs_unlocked(text.c_str(), streams.ours) < 0,
                           ::fputs_unlocked(text.c_str(), streams.theirs) < 0, "fputs_unlocked");
        break;
      case 2: {
        const int word = in.integer<int>();
        step("putw");
        fuzz::expect_equal(leat_putw(word, streams.ours), ::putw(word, streams.theirs), "putw");
        break;
      }
      case 3:
        step("fflush_unlocked");
        fuzz::expect_equal(leat_fflush_unlocked(streams.ours), ::fflush_unlocked(streams.theirs),
                           "fflush_unlocked");
        fuzz::expect_equal(leat_fpending(streams.ours), 0U, "fpending after a flush");
        break;
      case 4:
        step("the functions of <stdio_ext.h>");
        fuzz::expect_equal(leat_freadable(streams.ours), ::__freadable(streams.theirs),
                           "freadable");
        fuzz::expect_equal(leat_fwritable(streams.ours), ::__fwritable(streams.theirs),
                           "fwritable");
        fuzz::expect(leat_fpending(streams.ours) <= leat_fbufsize(streams.ours) ||
                         leat_fbufsize(streams.ours) == 0,
                     "fpending");
        fuzz::expect_equal(leat_fileno_unlocked(streams.ours) >= 0, true, "fileno_unlocked");
        break;
      default: {
        leat_flockfile(streams.ours);
        fuzz::expect_equal(leat_ftrylockfile(streams.ours), 0,
                           "ftrylockfile by the thread that holds the lock");
        leat_funlockfile(streams.ours);
        leat_funlockfile(streams.ours);
      }
    }
    fuzz::expect_equal(leat_ferror_unlocked(streams.ours) != 0,
                       ::ferror_unlocked(streams.theirs) != 0, "ferror_unlocked");
  }
  streams.rewind();
  for (std::size_t n = in.below(30); n != 0; --n) {
    std::string ours(in.boundary_size(5000) + 1, '?');
    std::string theirs = ours;
    switch (in.below(3)) {
      case 0:
        step("fread_unlocked {}", ours.size());
        fuzz::expect_equal(leat_fread_unlocked(ours.data(), 1, ours.size(), streams.ours),
                           ::fread_unlocked(theirs.data(), 1, theirs.size(), streams.theirs),
                           "fread_unlocked");
        break;
      case 1: {
        const int room = static_cast<int>(ours.size());
        step("fgets_unlocked {}", room);
        fuzz::expect_equal(leat_fgets_unlocked(ours.data(), room, streams.ours) != nullptr,
                           ::fgets_unlocked(theirs.data(), room, streams.theirs) != nullptr,
                           "fgets_unlocked");
        break;
      }
      default:
        step("getw");
        fuzz::expect_equal(leat_getw(streams.ours), ::getw(streams.theirs), "getw");
    }
    fuzz::expect_text(ours, theirs, "the bytes read");
    fuzz::expect_equal(leat_feof_unlocked(streams.ours) != 0, ::feof_unlocked(streams.theirs) != 0,
                       "feof_unlocked");
    if (std::feof(streams.theirs) == 0) continue;
    leat_clearerr_unlocked(streams.ours);
    ::clearerr_unlocked(streams.theirs);
  }
}

void drive(input& in) {
  static const bool has_locale = std::setlocale(LC_ALL, "C.UTF-8") != nullptr;
  if (!has_locale) return;
  stream_pair streams;
  if (in.flag()) {
    write_wide(in, streams);
    streams.rewind();
    read_wide(in, streams);
  } else {
    write_and_read_bytes(in, streams);
  }
  leat_fflush(streams.ours);
  std::fflush(streams.theirs);
  char *ours = nullptr, *theirs = nullptr;
  std::size_t our_size = 0, their_size = 0;
  leat_read_file((streams.path + ".leat").c_str(), &ours, &our_size);
  leat_read_file((streams.path + ".libc").c_str(), &theirs, &their_size);
  fuzz::expect_text({ours, our_size}, {theirs, their_size}, "the content of the files");
  std::free(ours);
  std::free(theirs);
}

const fuzz::driver self("c_wide", drive);

}  // namespace
