// The platform, and its names for common things. All parts of the command use these constants.
//
// The folders posix/ and windows/ implement the same headers. `#if` on a platform occurs only in
// this folder; the other files of tools/leat test `on_windows`.
#pragma once

namespace bench {

#if defined(_WIN32)
inline constexpr bool on_windows = true;
inline constexpr auto read_call = "ReadFile";
inline constexpr auto write_call = "WriteFile";
inline constexpr auto map_call = "MapViewOfFile";
inline constexpr auto null_device = "NUL";
#else
inline constexpr bool on_windows = false;
inline constexpr auto read_call = "read(2)";
inline constexpr auto write_call = "write(2)";
inline constexpr auto map_call = "mmap";
inline constexpr auto null_device = "/dev/null";
#endif

}  // namespace bench
