// System calls as the POSIX devices need them.
#pragma once

#include <leat/file.hpp>

#include <cerrno>
#include <cstddef>
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

/// Bytes of a page of memory.
std::size_t page_size() noexcept;

/// Makes a file's bytes survive the death of the machine.
void sync_file(int descriptor, std::error_code& ec) noexcept;
/// Makes the names in a folder survive the death of the machine.
void sync_folder(const char* folder, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
