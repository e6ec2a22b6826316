// leat's files for SQLite: a read-only VFS, so that SQLite queries databases in seekable zstd files
// or in object storage. <leat/leat.hpp> does not include this header. Link sqlite3.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <sqlite3.h>
#include <leat/file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {
namespace adapters {

/// Options of a sqlite_vfs.
///
///     leat::adapters::sqlite_vfs wide("wide", {.block_size = 1 << 20, .blocks = 8});
///
/// @since 0.3
struct sqlite_vfs_options {
  /// How each database is opened, for example {.compression = leat::compression::automatic}.
  access_options access = {};
  /// Bytes of one read; should be at least the page size of the database. Use more for object
  /// storage, where a request takes as long as the transfer of some 100 KiB.
  std::size_t block_size = std::size_t{64} << 10;
  /// The number of blocks that each open database keeps in memory.
  std::size_t blocks = 32;
};

/// A VFS that opens databases for reading, by any path that leat::file::open takes. The destructor
/// unregisters the VFS: first close all connections through the VFS.
///
///     leat::adapters::sqlite_vfs vfs("leat");
///     sqlite3* db = nullptr;
///     sqlite3_open_v2("s3://bucket/people.db", &db, SQLITE_OPEN_READONLY, "leat");
///
/// The database must not change while it is open: there are no locks, and a journal or WAL in the
/// same folder is not read. SQLite's temporary files stay with the default VFS. If opening or a
/// read fails, SQLite's function returns SQLITE_CANTOPEN or SQLITE_IOERR_READ, sqlite3_log() gets
/// leat's message, and leat::last_error() of the same thread has the io_error. @since 0.3
///
/// @par Threads
/// Several threads may use a sqlite_vfs, as SQLite's threading mode allows.
class sqlite_vfs {
 public:
  /// Registers a VFS with this name. If SQLite has no default VFS, or refuses the new VFS, throws
  /// std::system_error.
  explicit sqlite_vfs(std::string name, const sqlite_vfs_options& how = {})
      : name_(std::move(name)), options_(how), default_vfs_(sqlite3_vfs_find(nullptr)) {
    if (default_vfs_ == nullptr)
      throw std::system_error(std::make_error_code(std::errc::not_supported), "sqlite3_vfs_find");
    vfs_ = *default_vfs_;  // for the limits; all functions of version 1 are replaced
    vfs_.iVersion = 1;
    vfs_.szOsFile = (std::max)(default_vfs_->szOsFile, static_cast<int>(sizeof(open_file)));
    vfs_.pNext = nullptr;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.xOpen = open;
    vfs_.xDelete = [](sqlite3_vfs* v, const char* path, int sync) {
      return default_vfs(v)->xDelete(default_vfs(v), path, sync);
    };
    // A database has no journal here, so xAccess finds no file. Only leat interprets the path.
    vfs_.xAccess = [](sqlite3_vfs*, const char*, int, int* result) {
      *result = 0;
      return SQLITE_OK;
    };
    vfs_.xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* out) {
      if (std::snprintf(out, static_cast<std::size_t>(size), "%s", path) < size) return SQLITE_OK;
      return SQLITE_CANTOPEN;
    };
    vfs_.xDlOpen = [](sqlite3_vfs* v, const char* path) {
      return default_vfs(v)->xDlOpen(default_vfs(v), path);
    };
    vfs_.xDlError = [](sqlite3_vfs* v, int size, char* out) {
      default_vfs(v)->xDlError(default_vfs(v), size, out);
    };
    vfs_.xDlSym = [](sqlite3_vfs* v, void* library, const char* symbol) {
      return default_vfs(v)->xDlSym(default_vfs(v), library, symbol);
    };
    vfs_.xDlClose = [](sqlite3_vfs* v, void* library) {
      default_vfs(v)->xDlClose(default_vfs(v), library);
    };
    vfs_.xRandomness = [](sqlite3_vfs* v, int size, char* out) {
      return default_vfs(v)->xRandomness(default_vfs(v), size, out);
    };
    vfs_.xSleep = [](sqlite3_vfs* v, int time) {
      return default_vfs(v)->xSleep(default_vfs(v), time);
    };
    vfs_.xCurrentTime = [](sqlite3_vfs* v, double* time) {
      return default_vfs(v)->xCurrentTime(default_vfs(v), time);
    };
    vfs_.xGetLastError = get_last_error;
    if (sqlite3_vfs_register(&vfs_, 0) != SQLITE_OK)
      throw std::system_error(std::make_error_code(std::errc::not_enough_memory),
                              "sqlite3_vfs_register");
  }
  sqlite_vfs(const sqlite_vfs&) = delete;
  sqlite_vfs& operator=(const sqlite_vfs&) = delete;
  ~sqlite_vfs() { sqlite3_vfs_unregister(&vfs_); }

 private:
  /// A database, and the blocks that were read last: block n is in slot n % blocks.
  struct database {
    file source;
    std::uint64_t size = 0;
    std::size_t block_size = 0;
    std::vector<char> memory;
    std::vector<std::uint64_t> slot_blocks;  // the number of each slot's block

    void read(std::uint64_t at, std::span<char> into, std::error_code& ec) noexcept {
      ec.clear();
      while (!into.empty()) {
        const std::uint64_t number = at / block_size;
        const auto from = static_cast<std::size_t>(at % block_size);
        const auto slot = static_cast<std::size_t>(number % slot_blocks.size());
        char* const block = memory.data() + slot * block_size;
        if (slot_blocks[slot] != number) {
          slot_blocks[slot] = no_block;
          const std::uint64_t start = number * block_size;
          const std::uint64_t left = (std::min)(size - start, std::uint64_t{block_size});
          source.read_at(start, {block, static_cast<std::size_t>(left)}, ec);
          if (ec) return;
          slot_blocks[slot] = number;
        }
        const std::size_t n = (std::min)(into.size(), block_size - from);
        std::memcpy(into.data(), block + from, n);
        into = into.subspan(n);
        at += n;
      }
    }
  };
  static constexpr std::uint64_t no_block = ~std::uint64_t{0};

  /// The memory that SQLite allocates for each open file.
  struct open_file {
    sqlite3_file base;
    database* data;  // owned
  };

  static sqlite_vfs& self(sqlite3_vfs* v) noexcept {
    return *static_cast<sqlite_vfs*>(v->pAppData);
  }
  static sqlite3_vfs* default_vfs(sqlite3_vfs* v) noexcept { return self(v).default_vfs_; }
  static database& database_of(sqlite3_file* f) noexcept {
    return *reinterpret_cast<open_file*>(f)->data;
  }

  /// Returns the system's number of the last error, or 0 if the error is not the system's.
  static int get_last_error(sqlite3_vfs* /*vfs*/, int size, char* out) noexcept try {
    const io_error last = last_error();
    const auto& category = last.code().category();
    if (size > 0) std::snprintf(out, static_cast<std::size_t>(size), "%s", last.what());
    const bool is_of_system =
        category == std::generic_category() || category == std::system_category();
    return is_of_system ? last.code().value() : 0;
  } catch (const std::bad_alloc&) {
    return static_cast<int>(std::errc::not_enough_memory);
  }
  static int fail(int code) noexcept {
    try {
      sqlite3_log(code, "%s", last_error().what());
    } catch (...) {
      sqlite3_log(code, "opening or a read failed; there is no memory for the reason");
    }
    return code;
  }

  static int open(sqlite3_vfs* v, const char* path, sqlite3_file* f, int flags, int* flags_out) {
    f->pMethods = nullptr;
    const sqlite_vfs& own = self(v);
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
      return own.default_vfs_->xOpen(own.default_vfs_, path, f, flags, flags_out);
    try {
      auto* const data = new database;
      reinterpret_cast<open_file*>(f)->data = data;
      f->pMethods = &methods();  // from here on SQLite calls close()
      std::error_code ec;
      data->source = file::open(path, mode::read, own.options_.access, ec);
      if (!ec) data->size = data->source.size(ec);
      if (ec) return fail(SQLITE_CANTOPEN);
      data->block_size = (std::max)(own.options_.block_size, std::size_t{512});
      data->slot_blocks.assign((std::max)(own.options_.blocks, std::size_t{1}), no_block);
      data->memory.resize(data->slot_blocks.size() * data->block_size);
    } catch (...) {
      return SQLITE_NOMEM;
    }
    if (flags_out != nullptr)
      *flags_out = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    return SQLITE_OK;
  }

  static int close(sqlite3_file* f) {
    delete &database_of(f);
    return SQLITE_OK;
  }

  static int read(sqlite3_file* f, void* into, int size, sqlite3_int64 at) {
    database& from = database_of(f);
    const auto start = static_cast<std::uint64_t>(at);
    const auto wanted = static_cast<std::size_t>(size);
    const std::uint64_t left = start < from.size ? from.size - start : 0;
    const auto n = static_cast<std::size_t>((std::min)(left, std::uint64_t{wanted}));
    const std::span<char> bytes(static_cast<char*>(into), wanted);
    std::error_code ec;
    from.read(start, bytes.first(n), ec);
    if (ec) return fail(SQLITE_IOERR_READ);
    if (n == wanted) return SQLITE_OK;
    std::memset(bytes.data() + n, 0, wanted - n);  // as SQLite demands
    return SQLITE_IOERR_SHORT_READ;
  }

  static const sqlite3_io_methods& methods() noexcept {
    static const sqlite3_io_methods all = [] {
      sqlite3_io_methods m{};
      m.iVersion = 1;
      m.xClose = close;
      m.xRead = read;
      m.xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; };
      m.xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; };
      m.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
      m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
        *size = static_cast<sqlite3_int64>(database_of(f).size);
        return SQLITE_OK;
      };
      m.xLock = m.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
      m.xCheckReservedLock = [](sqlite3_file*, int* held) {
        *held = 0;
        return SQLITE_OK;
      };
      m.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
      m.xSectorSize = [](sqlite3_file*) { return 0; };
      m.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; };
      return m;
    }();
    return all;
  }

  std::string name_;
  sqlite_vfs_options options_;
  sqlite3_vfs* default_vfs_;
  sqlite3_vfs vfs_{};
};

}  // namespace adapters
}  // namespace v0
}  // namespace leat
