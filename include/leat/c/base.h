/* Shared by the headers of leat for C: errors, and values of options.
 *
 * A function reports a failure by its result and sets errno; leat_last_error has the details.
 * Structs of options must be zero-initialized: zeros are the defaults, and later versions add
 * members. On Windows paths are UTF-8. */
#ifndef LEAT_C_BASE_H
#define LEAT_C_BASE_H

#include <leat/config.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this header is C */

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the linked library, as "0.2.0". The macros LEAT_VERSION_… give the version of
 * the header. */
LEAT_API const char* leat_version(void);

/** A stream. Each function takes the stream's lock, except functions whose names end in _unlocked.
 * With glibc, while the process has one thread, no function takes a lock. If a function that takes
 * the lock gets null, a stream after leat_fclose, or a FILE of another library, the program ends
 * with a message. Functions whose names end in _unlocked do not check for null, and detect a
 * closed or foreign stream only in calls that go beyond the buffer. Exceptions: leat_fflush and
 * leat_fflush_unlocked accept null; a function called with a closed standard stream fails with
 * EBADF. After <leat/stdio.h>, FILE and leat_file are one type. */
#if defined(LEAT_STDIO_H)
typedef FILE leat_file;
#else
typedef struct leat_file leat_file;
#endif

typedef int64_t leat_off_t; /**< Positions, in bytes. */

/** A device, which streams read or write; see <leat/c/device.h>. */
typedef struct leat_device leat_device;

/** A view of bytes, without ownership and without a NUL at the end. */
typedef struct leat_text {
  const char* bytes; /**< Null: no text, not even an empty text. */
  size_t size;
} leat_text;

#define LEAT_PRINTF_LIKE(format, first) \
  __attribute__((__format__(LEAT_FORMAT_KIND(printf), format, first)))
#define LEAT_SCANF_LIKE(format, first) \
  __attribute__((__format__(LEAT_FORMAT_KIND(scanf), format, first)))

/* Errors */

/** Errors for which errno has no value; errno is then the value in brackets, or EIO. */
enum leat_reason {
  LEAT_REASON_NONE,           /**< errno is the whole reason. */
  LEAT_REASON_CLOSED,         /**< The stream is closed. [EBADF] */
  LEAT_REASON_NO_PROGRESS,    /**< A device moved no byte and reported no error. */
  LEAT_REASON_NOT_COMMITTED,  /**< A stream of `replace`, or to object storage, was not closed; its
                                   target is unchanged. */
  LEAT_REASON_MEMORY_FULL,    /**< A writer's memory has no room left. [ENOSPC] */
  LEAT_REASON_NOT_A_FILE,     /**< Not a regular file, which `replace`, `inside`, rotation,
                                 leat_reader_follow, leat_random_access_open and journals require.
                                 [EINVAL] */
  LEAT_REASON_ENDED_EARLY,    /**< The input ended before all requested bytes. */
  LEAT_REASON_LINE_TOO_LONG,  /**< A line or a row is longer than `longest`. [EOVERFLOW] */
  LEAT_REASON_NOT_A_NUMBER,   /**< The text is not a number of the requested type. [EINVAL] */
  LEAT_REASON_FILE_SHRANK,    /**< A mapped file has lost bytes since it was mapped. */
  LEAT_REASON_NO_SUCH_RECORD, /**< A position is not in the file, or no record begins there.
                                   [EINVAL] */
  LEAT_REASON_RESERVED_NAME,  /**< Windows: the name means a device: CON, COM1, … [EINVAL] */
  LEAT_REASON_SAME_FILE,      /**< A copy from a file to itself. [EINVAL] */
  LEAT_REASON_READ_ONLY, /**< A change to a file that was opened with LEAT_MODE_READ. [EBADF] */
  LEAT_REASON_INPUT_TOO_LONG,  /**< The input has more bytes than window_limit or the limit of
                                  leat_reader_read_all. [EOVERFLOW] */
  LEAT_REASON_BAD_SIDECAR,     /**< PATH.leat is damaged or from another version of leat; see
                                  LEAT_DURABILITY_PROCESS. */
  LEAT_REASON_FOREIGN_SIDECAR, /**< PATH.leat belongs to another file, or another program has
                                  written at the positions of its pending bytes. */
  LEAT_REASON_STALE_SIDECAR,   /**< PATH.leat is older than the last boot; its bytes are lost. */
  LEAT_REASON_LEFT_OPEN,       /**< The program ended while a thread was using the stream. */
  LEAT_REASON_OUTSIDE_FOLDER,  /**< A path `inside` is absolute or has "..". [EINVAL] */
  LEAT_REASON_NO_COMPONENT,    /**< An address without <leat/remote.h>. [ENOTSUP] */
  LEAT_REASON_NOT_LOCAL,       /**< An address with `local_only`. [EACCES] */
  LEAT_REASON_BAD_JOURNAL, /**< The file is not a journal, or is from a later version. [EBADMSG] */
  LEAT_REASON_DAMAGED,     /**< A journal has damaged bytes. [EBADMSG] */
  LEAT_REASON_BAD_QUOTES,  /**< A row has a quote where RFC 4180 allows none, or an unclosed quote.
                              [EBADMSG] */
  LEAT_REASON_NO_CODECS    /**< A compressed file without <leat/codecs.h>. [ENOTSUP] @since 0.3 */
};

/** The value of leat_error.offset if the error has no position. */
#define LEAT_NO_OFFSET UINT64_MAX

/** A failure. */
typedef struct leat_error {
  int code;                /**< As errno; 0: nothing has failed yet. */
  enum leat_reason reason; /**< The reason if errno has no value for it, else LEAT_REASON_NONE. */
  const char* operation;   /**< A verb, "open", "write", "seek", …; static storage. May be empty if
                              an argument is wrong or there is no memory. */
  const char* path;   /**< The path as the program gave it; at most its last 1023 bytes. Streams
                         without a path have names such as "<memory>" and "<standard output>". */
  uint64_t offset;    /**< Offset of the first byte not read or written, from the start of the
                         stream; LEAT_NO_OFFSET if the error has no position. */
  uint64_t unwritten; /**< Bytes of the failed call and of earlier, successful calls that are not in
                         the file. */
  uint64_t unread;    /**< Bytes that the program requested and did not get. */
  const char* message; /**< "cannot write 'a.csv': No space left on device (at byte 12288, …)" */
} leat_error;

/** Returns the last failure of a leat function in this thread; never null. The failure and its
 * texts are valid until the next failure in this thread. A call that succeeds does not change the
 * failure, as with errno. A leat_file keeps bytes that it could not write, and retries them at the
 * next flush. */
LEAT_API const leat_error* leat_last_error(void);

/** Called for losses that no call has reported, for example if a failed stream is freed before a
 * call reports the failure. The error is valid during the call. Any thread may call the handler. If
 * there is no memory for the report, a line is printed on standard error instead. */
typedef void leat_loss_handler(const leat_error* loss);

/** Sets the handler for losses of leat_writer, leat_reader and all C++ streams. Returns the handler
 * of the previous call of this function. Null restores the default, which prints a line on standard
 * error. A handler is also called for bytes of a leat_file that could not be written at exit.
 * Without a handler these bytes are lost silently, as with <stdio.h>; for a `replace` that was not
 * closed, a line is printed on standard error. */
LEAT_API leat_loss_handler* leat_set_loss_handler(leat_loss_handler* handler);

/** Sets the exit status of a program that has an unreported loss at exit. This status replaces the
 * status 0; with C libraries other than glibc, any status. The default is EXIT_FAILURE; with 0, a
 * loss does not change the exit status. Bytes of a leat_file count only if the leat_file was opened
 * with `replace`. Returns the previous status. */
LEAT_API int leat_set_loss_status(int status);

/* Values of options */

/** The failures that written bytes survive. */
enum leat_durability {
  LEAT_DURABILITY_NONE, /**< Other processes see the bytes after a flush; a kill can cut the last
                           line. */
  /** Each completed call survives the death of the process. On Linux its bytes are pending in a
   * mapped sidecar PATH.leat beside the file, at the latest until a flush. The pending bytes of a
   * killed process are recovered when the file is next opened to write, or by leat_recover. If no
   * sidecar is possible, each call writes directly. While the stream is open, programs without leat
   * must not write to the file. */
  LEAT_DURABILITY_PROCESS,
  LEAT_DURABILITY_SYSTEM /**< Flushed bytes survive a crash of the machine. */
};

/** How the bytes of a file are compressed. All except the first need <leat/codecs.h>. */
enum leat_compression {
  LEAT_COMPRESSION_NONE, /**< No compression, whatever the file's name is. */
  /** Reading: by the file's magic number. Writing: by the end of the path, .gz, .zst, .lz4 or .xz.
     Other files are not compressed. */
  LEAT_COMPRESSION_AUTOMATIC,
  LEAT_COMPRESSION_GZIP,
  LEAT_COMPRESSION_ZSTD,
  LEAT_COMPRESSION_LZ4,
  LEAT_COMPRESSION_XZ
};

/** When a log is rotated, and how its archives are kept. Several processes may write to one log,
 * with the same values; no other program may write to the log. No line is lost. */
typedef struct leat_rotation {
  uint64_t size; /**< The largest size of a file in bytes. A longer line is a file of its own.
                    0: no limit. */
  int64_t every; /**< The length of a period in seconds. Periods are counted from 1970 in UTC: a
                    period of 86400 begins at midnight, with a new file. 0: no periods. */
  size_t keep;   /**< The number of archives to keep; 0: all. */
  enum leat_compression compression; /**< Of archives, by <leat/codecs.h>; not AUTOMATIC. */
  int level;                         /**< The codec's level; 0: the codec's default. */
  int by_time;    /**< Archives are named by their time, app.log.20261125T184415.120345Z, not by a
                     number (app.log.1 is the newest). */
  int local_time; /**< Periods are in local time. The repeated hour at the end of daylight saving
                     time begins no new period. */
  /** Called by a thread after a rotation; with `compression`, after the archive is compressed.
   * `path` is the archive's path or, if the rotation failed, the log's path. Of several failed
   * rotations in a row only the first is reported. `error` is an errno, or 0. May be null. */
  void (*finished)(const char* path, int error, void* context);
  void* context;        /**< Passed to `finished`. */
  uint64_t reserved[4]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_rotation;

/** The order in which a program is going to read. */
enum leat_pattern {
  LEAT_PATTERN_AUTOMATIC,  /**< leat detects the pattern while it reads. */
  LEAT_PATTERN_SEQUENTIAL, /**< From start to end. */
  LEAT_PATTERN_RANDOM      /**< Small pieces at any position. */
};

/** Use of the page cache, or direct I/O. */
enum leat_caching {
  LEAT_CACHING_CACHED, /**< Through the page cache, which reads ahead and writes later. */
  /** Direct I/O: for files that are larger than memory and are read or written once. ENOTSUP if the
     file system has no direct I/O. While a buffer is written, the descriptor may have O_DIRECT set.
   */
  LEAT_CACHING_DIRECT
};

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
