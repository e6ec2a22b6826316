// System calls, as leat's code for POSIX systems uses them. The files in the folders named posix
// call these functions.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The error in errno.
inline std::error_code system_code() noexcept { return {errno, std::generic_category()}; }

struct open_mode;
/// The flags of open(2) for a mode of fopen.
int flags_of(const open_mode& mode) noexcept;

/// Makes a system call, and repeats the call as long as signals interrupt it. Returns the call's
/// result.
template <class Call>
auto retry_on_eintr(const Call& call) noexcept {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// If a new descriptor has the number of a standard stream, moves the descriptor to a larger
/// number: the stream was closed, and output for the stream would go to the file. Returns the
/// descriptor's number. On failure, closes the descriptor and returns -1 with errno.
int above_standard_streams(int descriptor) noexcept;

/// openat with O_CLOEXEC. Repeats interrupted calls. The descriptor's number is above the numbers
/// of the standard streams. Returns -1 with errno on failure.
int open_at(int folder, const char* name, int flags, unsigned permissions) noexcept;
/// resolved_path::open for a path.
int open_descriptor(path_ref path, int flags, unsigned permissions, std::error_code& ec) noexcept;

/// The name of an open file in Linux's /proc, for a system call that takes only names.
struct proc_fd_path {
  explicit proc_fd_path(int file) noexcept {
    std::snprintf(text, sizeof text, "/proc/self/fd/%d", file);
  }
  char text[32];
};

/// Opens a pipe whose ends are closed on exec. Returns false and sets errno on failure.
bool open_pipe(int (&ends)[2]) noexcept;
/// dup2. With `close_on_exec` the new descriptor is closed on exec. The two numbers must differ.
int duplicate(int descriptor, int as, bool close_on_exec) noexcept;
/// The program's environment variables, as in POSIX's `environ`.
char** environment() noexcept;

/// The most bytes of one request. If a request is above 2 GiB, Linux carries out only the first
/// part, and macOS refuses the request.
constexpr std::size_t longest_request = std::size_t{1} << 30;
/// Makes one request of the first bytes of the pieces. The request has as many bytes as fit into
/// `vectors` and `room`.
inline std::span<const iovec> request_for(std::span<const std::string_view> pieces,
                                          std::span<iovec> vectors,
                                          std::size_t room = longest_request) noexcept {
  if (pieces.size() == 1 && !pieces[0].empty()) {  // as in the loop, in fewer instructions
    vectors[0] = {const_cast<char*>(pieces[0].data()), std::min(pieces[0].size(), room)};
    return vectors.first(1);
  }
  std::size_t count = 0;
  for (const auto& piece : pieces) {
    if (count == vectors.size() || room == 0) break;
    if (piece.empty()) continue;
    const std::size_t size = std::min(piece.size(), room);
    vectors[count++] = {const_cast<char*>(piece.data()), size};
    room -= size;
  }
  return vectors.first(count);
}
/// Returns the part of this memory that one request may fill.
inline std::span<char> request_for(std::span<char> into) noexcept {
  return into.first(into.size() < longest_request ? into.size() : longest_request);
}
/// Calls write or writev once. The call is not a cancellation point.
ssize_t write_at_cursor(int descriptor, std::span<const iovec> from) noexcept;
ssize_t write_at_cursor(int descriptor, std::string_view from) noexcept;

/// The size of a page of memory, in bytes.
std::size_t page_size() noexcept;

/// fstat without the times of the file. If the system can leave the times out, they are 0. Reason:
/// since Linux 6.13, the first write after a call that gets a file's times must store a new time.
/// On ext4 that write takes 1 us longer.
int get_status(int descriptor, struct stat& status) noexcept;

/// Makes a file's bytes survive a crash of the machine.
void sync_file(int descriptor, std::error_code& ec) noexcept;
/// Makes the names in a folder survive a crash of the machine. `parent` and `name` are the folder,
/// as openat takes it. `file` is an open file on the same file system, or -1. If this process may
/// write files in the folder but not list them, this process can't open the folder. Then the whole
/// file system of `file` is synced (Linux), or only `file` (other systems). Without a file,
/// sync_folder() fails.
void sync_folder(int parent, const char* name, int file, std::error_code& ec) noexcept;
/// Returns the end as the system's own seek finds it. Moves the descriptor's offset to the end, and
/// then back. Sets `ec` on failure, for example for a pipe.
std::uint64_t end_by_seek(int descriptor, std::error_code& ec) noexcept;
/// Returns the size of an open regular file with this status. If the file system reports false
/// sizes, as /proc (always 0) and /sys (always a page) do, fails with operation_not_supported. If
/// the size seems false, and other processes change the file so often that 20 checks do not show
/// the same file three times in a row, also fails with operation_not_supported.
std::uint64_t size_of_file(int descriptor, struct stat status, std::error_code& ec) noexcept;
/// True if this name, as given to openat, is a name of the open file. Does not follow a link. If
/// the system reports an error, sets `ec` and returns false.
bool is_name_of(int folder, const char* name, int descriptor, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
