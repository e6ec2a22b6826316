// Functions of C libraries that differ between systems. If a library lacks a function, the function
// in this file fails or does nothing, and a constant such as has_c_getline is false. Experiments
// then omit the variants that need the function.
#pragma once

#include <leat/device.hpp>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "system/platform.hpp"

namespace bench {

/// fopen for any path. On failure, returns null and sets errno, as do the next three functions.
std::FILE* open_c_file(const std::filesystem::path& path, const char* mode);

inline constexpr bool has_c_memory_files = !on_windows;  // the next three functions work

/// fmemopen with mode "w".
std::FILE* open_c_memory(char* memory, std::size_t size);
/// open_memstream. The caller frees `*text`.
std::FILE* open_c_growing_memory(char** text, std::size_t* size);
/// A stream over a device, by fopencookie or funopen. The device must outlive the stream. `mode` is
/// "rb" or "rb+".
std::FILE* open_c_stream(leat::device& device, const char* mode);

/// The platform's usual function for searching memory. Returns the first match, or null if there is
/// no match.
inline constexpr std::string_view search_function = on_windows ? "string_view::find" : "memmem";
const char* search_memory(std::string_view text, std::string_view needle);

// The functions below are inline, because a call would be measured too.
#if defined(_WIN32)
inline constexpr auto unlocked_getc = "_getc_nolock";
inline constexpr auto unlocked_putc = "_putc_nolock";
inline int get_unlocked(std::FILE* from) { return _getc_nolock(from); }
inline int put_unlocked(int byte, std::FILE* to) { return _putc_nolock(byte, to); }
#else
inline constexpr auto unlocked_getc = "getc_unlocked";
inline constexpr auto unlocked_putc = "putc_unlocked";
inline int get_unlocked(std::FILE* from) { return getc_unlocked(from); }
inline int put_unlocked(int byte, std::FILE* to) { return putc_unlocked(byte, to); }
#endif

inline constexpr bool has_c_getline = !on_windows;

/// getline(3). Returns the length of the line with its newline, or -1 at the end or after an error.
inline std::ptrdiff_t get_c_line([[maybe_unused]] char** line, [[maybe_unused]] std::size_t* room,
                                 [[maybe_unused]] std::FILE* from) {
#if defined(_WIN32)
  return -1;
#else
  return ::getline(line, room, from);
#endif
}

// fread_unlocked and fputs_unlocked. If the library lacks these functions, has_unlocked_blocks is
// false.
#if defined(__GLIBC__)
inline constexpr bool has_unlocked_blocks = true;
inline std::size_t read_unlocked(void* to, std::size_t size, std::size_t count, std::FILE* from) {
  return fread_unlocked(to, size, count, from);
}
inline void put_text_unlocked(const char* text, std::FILE* to) { fputs_unlocked(text, to); }
#else
inline constexpr bool has_unlocked_blocks = false;
inline std::size_t read_unlocked(void*, std::size_t, std::size_t, std::FILE*) { return 0; }
inline void put_text_unlocked(const char*, std::FILE*) {}
#endif

}  // namespace bench
