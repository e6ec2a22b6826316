// Recovers the sidecar of a file that is being opened. Called by the functions that open files, by
// leat::recover(), and by logs before a rotation. Linux only.
#include "recovery/sidecar.hpp"

#if defined(__linux__)

#  include <dirent.h>
#  include <fcntl.h>
#  include <sys/stat.h>
#  include <unistd.h>

#  include <algorithm>
#  include <array>
#  include <cerrno>
#  include <chrono>
#  include <climits>
#  include <memory>
#  include <new>
#  include <string_view>
#  include <thread>
#  include <utility>

#  include "base/loss.hpp"
#  include "base/no_cancel.hpp"
#  include "device/posix/system.hpp"
#  include "recovery/posix/sidecar_file.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Limits the attempts while another process is changing the sidecar. The pause between two
/// attempts is 1 ms.
constexpr int most_attempts = 10'000;

/// The pending bytes of a sidecar, in the order of the file. If the bytes are in thread buffers,
/// only the calls older than `before` count. If the thread buffers are not mapped, or if there is
/// no memory, the constructor sets `ec`.
class pending_content {
 public:
  pending_content(const mapping& map, std::error_code& ec,
                  std::uint64_t before = thread_buffer::max_stamp) noexcept {
    const sidecar_header& header = sidecar_file::header_of(map);
    if (header.in_thread_buffers.load() == 0) {
      bytes_ = sidecar_file::buffer(
          map, std::min<std::size_t>(header.count.load(), sidecar_file::buffer_size));
      return;
    }
    const char* const thread_buffers = sidecar_file::thread_buffers(map);
    merged_.reset(new (std::nothrow) char[thread_buffers_size]);
    if (thread_buffers == nullptr) ec = errc::bad_sidecar;
    if (merged_ == nullptr) ec = std::make_error_code(std::errc::not_enough_memory);
    if (ec) return;
    bytes_ = {merged_.get(), merge_thread_buffers(thread_buffers, before, merged_.get())};
  }
  std::size_t size() const noexcept { return bytes_.size(); }
  std::string_view first(std::size_t n) const noexcept { return bytes_.substr(0, n); }

 private:
  std::unique_ptr<char[]> merged_;
  std::string_view bytes_;
};

/// Returns the number of pending bytes that must still go into the file: all bytes that a killed
/// process has left or, if another process has opened the file since, the decided bytes.
std::size_t count_pending(const mapping& map, std::error_code& ec) noexcept {
  const sidecar_header& header = sidecar_file::header_of(map);
  if (header.placed.load() != 0) return 0;
  const pending_content pending(map, ec);
  // After withdraw() only the decided bytes belong to completed calls.
  const std::uint32_t decided = header.decided.load();
  return std::min<std::size_t>(decided, pending.size());
}

/// If the writer has made thread buffers since the sidecar was mapped, maps these buffers, too.
/// Sets `ec` on failure.
void map_thread_buffers(int sidecar, mapping& map, std::error_code& ec) noexcept {
  if (sidecar_file::header_of(map).in_thread_buffers.load() != 0 &&
      sidecar_file::thread_buffers(map) == nullptr)
    map = sidecar_file::map(sidecar, ec);
  if (!ec && sidecar_file::header_of(map).in_thread_buffers.load() != 0 &&
      sidecar_file::thread_buffers(map) == nullptr)
    ec = errc::bad_sidecar;
}

/// Waits 1 ms for a writer that is in the middle of a change. Returns false if the writer has died.
/// If the change takes too long, sets `ec` and returns false.
bool wait_for_writer(int sidecar, int& attempts, bool& writer_alive, std::error_code& ec) noexcept {
  writer_alive = lock_writer(sidecar, ec) == lock_result::held_by_others;
  if (!writer_alive) return false;
  if (attempts++ == most_attempts) {  // another process, such as a child, holds the writer's lock
    ec = std::make_error_code(std::errc::device_or_resource_busy);
    return false;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return true;
}

/// Counts the pending bytes of a sidecar whose writer's threads see that the file is shared. All
/// calls that had returned when this function was called are counted. Returns false on an error, or
/// if the writer has died.
bool count_completed(int sidecar, mapping& map, std::uint32_t& count, bool& writer_alive,
                     std::error_code& ec) noexcept {
  map_thread_buffers(sidecar, map, ec);
  if (ec) return false;
  std::uint64_t before = thread_buffer::max_stamp;
  if (sidecar_file::header_of(map).in_thread_buffers.load() != 0) {
    const char* const thread_buffers = sidecar_file::thread_buffers(map);
    const stamp_clock clock = sidecar_file::header_of(map).clock.load();
    const std::uint64_t now = stamp_now(clock);
    before = completed_before(thread_buffers, clock);
    for (int attempts = 0; before < now; before = completed_before(thread_buffers, clock)) {
      if (!wait_for_writer(sidecar, attempts, writer_alive, ec)) return false;
    }
  }
  count = static_cast<std::uint32_t>(pending_content(map, ec, before).size());
  if (ec) return false;
  return true;
}

/// If the pending bytes belong to an earlier file, whose name `file` has now, makes the bytes
/// belong at the end of `file`. After a kill at any moment, the next recovery puts the bytes into
/// one of the two files. If the status of `file` can't be read, sets `ec`.
void retarget(sidecar_header& header, int file, std::error_code& ec) noexcept {
  struct stat status{};
  if (get_status(file, status) != 0) ec = system_code();
  if (ec) return;
  const file_identity identity = identity_of(status, file);
  if (belongs_to(header, identity)) return;
  header.base.store(static_cast<std::uint64_t>(status.st_size));
  header.call_size.store(0);  // a part of an unfinished call may be in the other file
  header.moving.store(0);     // a part of the moved bytes may be in the other file, too
  header.placed_count.store(0);
  for (std::size_t i = 0; i != identity.size(); ++i) header.identity[i].store(identity[i]);
}

/// Puts the first `size` pending bytes into the file. Then completes the call that a killed process
/// has begun to write. Before all bytes are in the file, no process joins the sidecar of a killed
/// writer. Only a process that drops the bytes removes the sidecar's name earlier. Returns `size`,
/// or 0 if the bytes were placed before or could not be placed. errc::foreign_sidecar: other
/// processes have written where the bytes belong.
std::uint64_t replay_pending(int sidecar, mapping& map, int file, std::size_t size,
                             std::error_code& ec) noexcept {
  sidecar_header& header = sidecar_file::header_of(map);
  const pending_content pending(map, ec);
  if (!ec && !lock_calls(sidecar, F_WRLCK)) ec = system_code();
  if (ec) return 0;
  const bool done = header.placed.load() != 0;
  if (!done && size != 0) retarget(header, file, ec);
  if (!ec) sidecar_file::replay(header, file, pending.first(size), header.follows != 0, ec);
  const bool is_placed = !done && !ec;
  if (!ec) sidecar_file::complete_call(map, file, ec);
  lock_calls(sidecar, F_UNLCK);
  return is_placed ? size : 0;
}

/// Sets the mark `shared`. A living writer checks this mark after each call and before it moves its
/// buffer, and then must withdraw() its bytes.
void mark_shared(sidecar_header& header) noexcept {
  header.shared.store(1);
  barrier_for_all_threads();
}

/// Makes a living writer write its calls itself. Puts the pending bytes into the file. Returns the
/// number of these bytes. If the writer has died meanwhile, clears `writer_alive`.
std::uint64_t share(int sidecar, mapping& map, int file, bool& writer_alive,
                    std::error_code& ec) noexcept {
  mark_shared(sidecar_file::header_of(map));
  for (int attempts = 0; sidecar_file::header_of(map).moving.load() != 0;) {
    if (!wait_for_writer(sidecar, attempts, writer_alive, ec)) return 0;
  }
  std::uint32_t count = 0;
  if (!count_completed(sidecar, map, count, writer_alive, ec)) return 0;
  const std::uint32_t size = decide(sidecar_file::header_of(map), count);
  const std::uint64_t moved = replay_pending(sidecar, map, file, size, ec);
  // The writer will meet the same error, and writes its bytes after the bytes of other processes.
  if (ec == errc::foreign_sidecar) ec.clear();
  return moved;
}

/// Puts the bytes that a killed process has left into the file. Returns the number of these bytes.
std::uint64_t replay(mapping& map, int sidecar, int file, std::error_code& ec) noexcept {
  map_thread_buffers(sidecar, map, ec);
  if (ec) return 0;
  const std::size_t size = count_pending(map, ec);
  return ec ? 0 : replay_pending(sidecar, map, file, size, ec);
}

/// Opens the file of a sidecar under the file's other name in the same folder. Returns -1 if there
/// is no other name, or on an error.
int open_moved_file(const sidecar_location& where, const sidecar_header& header) noexcept {
  const int descriptor = open_at(where.folder.get(), ".", O_RDONLY | O_DIRECTORY, 0);
  DIR* const list = descriptor < 0 ? nullptr : ::fdopendir(descriptor);
  if (list == nullptr) {
    if (descriptor >= 0) ::close(descriptor);
    return no_handle;
  }
  int found = no_handle;
  while (const dirent* const entry = ::readdir(list)) {
    struct stat status{};
    if (::fstatat(descriptor, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || status.st_ino != header.identity[1].load())
      continue;
    found = open_at(descriptor, entry->d_name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0);
    if (found < 0 ||
        (get_status(found, status) == 0 && belongs_to(header, identity_of(status, found))))
      break;
    ::close(std::exchange(found, no_handle));
  }
  ::closedir(list);
  return found;
}

/// For a file that has lost its name, and whose writer stays with the file: makes sure that no
/// bytes are or become pending in the sidecar. If bytes are pending, sets errc::foreign_sidecar.
void ensure_nothing_pending(int sidecar, mapping& map, bool writer_alive,
                            std::error_code& ec) noexcept {
  sidecar_header& header = sidecar_file::header_of(map);
  if (writer_alive) mark_shared(header);
  map_thread_buffers(sidecar, map, ec);
  const std::size_t size = ec ? 0 : count_pending(map, ec);
  if (!ec && (size != 0 || header.moving.load() != 0 ||
              (header.placed.load() == 0 && decide(header, 0) != 0)))
    ec = errc::foreign_sidecar;
}

/// If a sidecar still has its name, removes the name.
void remove_name(int sidecar, const sidecar_location& where) noexcept {
  std::error_code unknown;
  if (!lock_calls(sidecar, F_WRLCK)) return;
  if (where.is_name_of(sidecar, unknown)) where.remove();
  lock_calls(sidecar, F_UNLCK);
}

/// Returns the number of bytes that were pending before the system started. Returns 0 if the number
/// is unknown.
std::size_t count_pending_in_stale(const sidecar_header& header, int sidecar) noexcept {
  if (header.placed.load() != 0) return 0;
  if (header.in_thread_buffers.load() == 0)
    return std::min(
        {header.decided.load(), header.count.load(), std::uint32_t{sidecar_file::buffer_size}});
  std::error_code ec;
  const mapping map = sidecar_file::map(sidecar, ec);
  return ec ? 0 : count_pending(map, ec);
}

/// True if one look at a name shows that there is no sidecar. Most files have no sidecar.
bool has_no_sidecar(const opened_path& path) noexcept {
  if (path.is_inside) return true;
  constexpr std::string_view ending = ".leat";
  std::array<char, PATH_MAX> name;
  if (path.may_be_link || path.text.size() + ending.size() >= name.size()) return false;
  char* const end = std::copy(path.text.begin(), path.text.end(), name.begin());
  *std::copy(ending.begin(), ending.end(), end) = '\0';
  struct stat status{};
  return ::lstat(name.data(), &status) != 0 && (errno == ENOENT || errno == ENAMETOOLONG);
}

enum class outcome { done, again };

/// Recovers the open sidecar. Stores in `moved` how many bytes have gone into the file. `again`:
/// another process is changing the sidecar, so the caller must open the sidecar again.
outcome recover_once(const opened_path& path, int opened, int sidecar,
                     const sidecar_location& where, const struct stat& file, recovery_mode how,
                     std::uint64_t& moved, std::error_code& ec) {
  if (!is_trusted(sidecar, file)) {
    ec = errc::bad_sidecar;
    return outcome::done;
  }
  bool writer_alive = lock_writer(sidecar, ec) == lock_result::held_by_others;
  if (ec) return outcome::done;
  if (!where.is_name_of(sidecar, ec)) return ec ? outcome::done : outcome::again;
  const header_copy header(sidecar, ec);
  if (ec) return outcome::done;
  const file_identity identity = identity_of(file, opened);
  if (header.is_stale(ec)) {
    if (header->identity[1].load() != identity[1] && header->follows == 0) {
      ec = errc::foreign_sidecar;
      return outcome::done;
    }
    const std::size_t count = count_pending_in_stale(*header, sidecar);
    if (count != 0 && how != recovery_mode::drop)
      report_loss({errc::stale_sidecar, "recover", header->base.load(), count}, path.text);
    remove_name(sidecar, where);
    return outcome::done;
  }
  mapping map;
  if (!ec) map = sidecar_file::map(sidecar, ec);
  if (!map) return outcome::done;
  const bool is_foreign = !belongs_to(sidecar_file::header_of(map), identity);
  const unique_descriptor append_file(reopen_to_append(opened, ec));
  if (ec) return outcome::done;
  // The pending bytes of a moved file go into that file, which may have a part of them already.
  const unique_descriptor moved_file(
      is_foreign ? open_moved_file(where, sidecar_file::header_of(map)) : no_handle);
  const int target = moved_file.get() >= 0 ? moved_file.get() : append_file.get();
  const bool drops = how == recovery_mode::drop && moved_file.get() < 0;
  if (is_foreign && sidecar_file::header_of(map).follows == 0)
    ensure_nothing_pending(sidecar, map, writer_alive, ec);
  else if (is_foreign && writer_alive && drops)
    mark_shared(sidecar_file::header_of(map));
  else if (writer_alive)
    moved = share(sidecar, map, target, writer_alive, ec);
  // If the writer is dead, other processes may have recovered the sidecar meanwhile and made
  // another sidecar.
  if (!writer_alive && !ec && !where.is_name_of(sidecar, ec))
    return ec ? outcome::done : outcome::again;
  if (!writer_alive && !ec && !drops) moved = replay(map, sidecar, target, ec);
  // Other processes may still share the file after the death of the writer.
  const bool is_last =
      !ec && !writer_alive && lock_sharing(sidecar, F_WRLCK, ec) == lock_result::acquired;
  if (ec || !(is_last || is_foreign || how == recovery_mode::retire)) return outcome::done;
  if (is_last) {  // if the name can't be removed, the sidecar holds nothing
    sidecar_header& mapped_header = sidecar_file::header_of(map);
    mapped_header.count.store(0);
    mapped_header.in_thread_buffers.store(0);
    mapped_header.decided.store(0);
    mapped_header.placed.store(1);
    mapped_header.call_size.store(0);
  }
  // Processes that share a sidecar see that its name is gone, and look for the next file.
  remove_name(sidecar, where);
  return outcome::done;
}

}  // namespace

std::uint64_t recover_sidecar(const opened_path& path, native_handle_type opened, recovery_mode how,
                              std::error_code& ec) noexcept try {
  const no_cancel guard;
  ec.clear();
  struct stat status{};
  if (opened < 0 || has_no_sidecar(path)) return 0;
  if (get_status(opened, status) != 0) {
    ec = system_code();
    return 0;
  }
  if (!S_ISREG(status.st_mode)) return 0;
  const sidecar_location where = locate_sidecar(path, status, opened, ec);
  if (where.name.empty()) return 0;
  for (int attempt = 0; attempt != most_attempts; ++attempt) {
    const unique_descriptor found(open_sidecar(where, O_RDWR, ec));
    if (found.get() < 0) return 0;
    std::uint64_t moved = 0;
    if (recover_once(path, opened, found.get(), where, status, how, moved, ec) == outcome::done)
      return moved;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ec = std::make_error_code(std::errc::device_or_resource_busy);
  return 0;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

}  // namespace v0
}  // namespace leat

#endif
