// System calls as the POSIX devices need them.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// What errno says.
inline std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

/// open(2) with O_CLOEXEC, EINTR and paths with a NUL taken care of.
int open_descriptor(path_ref path, int flags, unsigned permissions, std::error_code& ec) noexcept;

/// Both ends are closed on exec. False, with errno set, on failure.
bool open_pipe(int (&ends)[2]) noexcept;
/// dup2, or dup3 where it is to be closed on exec.
int duplicate(int descriptor, int as, bool close_on_exec) noexcept;
/// What a new process is given of ours.
char** environment() noexcept;

/// Bytes of one request at most. Linux reads and writes the first 2 GiB of more, where macOS
/// refuses them all.
constexpr std::size_t longest_request = std::size_t{1} << 30;
/// The pieces as one request: those at the front that fit into `vectors` and into `room` bytes.
std::span<const iovec> request_for(std::span<const std::string_view> pieces,
                                   std::span<iovec> vectors,
                                   std::size_t room = longest_request) noexcept;
/// As much as one request reads.
inline std::span<char> request_for(std::span<char> into) noexcept {
  return into.first(into.size() < longest_request ? into.size() : longest_request);
}

/// Bytes of a page of memory.
std::size_t page_size() noexcept;

/// Makes a file's bytes survive the death of the machine.
void sync_file(int descriptor, std::error_code& ec) noexcept;
/// Makes the names in a folder survive the death of the machine.
void sync_folder(const char* folder, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
