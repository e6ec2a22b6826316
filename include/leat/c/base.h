/* What the other headers of leat for C share: errors, and values of options.
 *
 * A function that can fail tells so by its result, and sets errno; leat_last_error tells the rest.
 * A struct of options is all zeros but for what the program sets: zeros are the defaults, and later
 * versions add members. On Windows paths are UTF-8. */
#ifndef LEAT_C_BASE_H
#define LEAT_C_BASE_H

#include <leat/config.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): it is C */

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the linked library, as "0.2.0". The macros LEAT_VERSION_… give the version of
 * the header. */
LEAT_API const char* leat_version(void);

/** A stream. Each function takes the stream's lock, except those named _unlocked; no lock is
 * taken while the process has one thread. If the argument is null, a closed stream or a FILE of
 * another library, the program ends with a message. Behind <leat/stdio.h>, FILE and leat_file are
 * one type. */
#if defined(LEAT_STDIO_H)
typedef FILE leat_file;
#else
typedef struct leat_file leat_file;
#endif

typedef int64_t leat_off_t; /**< Positions, in bytes. */

/** What streams stand over, see <leat/c/device.h>. */
typedef struct leat_device leat_device;

/** Bytes that belong to somebody else. No NUL follows them. */
typedef struct leat_text {
  const char* bytes; /**< Null: there is nothing, not even an empty text. */
  size_t size;
} leat_text;

#define LEAT_PRINTF_LIKE(format, first) \
  __attribute__((__format__(LEAT_FORMAT_KIND(printf), format, first)))
#define LEAT_SCANF_LIKE(format, first) \
  __attribute__((__format__(LEAT_FORMAT_KIND(scanf), format, first)))

/* Errors */

/** What errno has no value of its own for; it is the one in brackets then, or EIO. */
enum leat_reason {
  LEAT_REASON_NONE,            /**< errno says it all. */
  LEAT_REASON_CLOSED,          /**< The stream is closed. [EBADF] */
  LEAT_REASON_NO_PROGRESS,     /**< A device moved no byte and reported no error. */
  LEAT_REASON_NOT_COMMITTED,   /**< A `replace` was not closed; its target is unchanged. */
  LEAT_REASON_MEMORY_FULL,     /**< A writer's memory has no room left. [ENOSPC] */
  LEAT_REASON_NOT_A_FILE,      /**< The target of `replace`, or a path `inside`, leads to something
                                    else. [EINVAL] */
  LEAT_REASON_ENDED_EARLY,     /**< The input ended before all bytes had come. */
  LEAT_REASON_LINE_TOO_LONG,   /**< Than `longest`. [EOVERFLOW] */
  LEAT_REASON_NOT_A_NUMBER,    /**< The text is no number of the type asked for. [EINVAL] */
  LEAT_REASON_FILE_SHRANK,     /**< A mapped file has lost bytes since it was mapped. */
  LEAT_REASON_NO_SUCH_RECORD,  /**< A place that is not in the file. [EINVAL] */
  LEAT_REASON_RESERVED_NAME,   /**< On Windows the name of a device: CON, COM1, … [EINVAL] */
  LEAT_REASON_SAME_FILE,       /**< A copy from a file to itself. [EINVAL] */
  LEAT_REASON_READ_ONLY,       /**< A change of what was opened with LEAT_MODE_READ. [EBADF] */
  LEAT_REASON_INPUT_TOO_LONG,  /**< More bytes than window_limit, or than
                                   leat_reader_read_all may take. [EOVERFLOW] */
  LEAT_REASON_BAD_SIDECAR,     /**< PATH.leat is damaged, or of another version of leat; see
                                    LEAT_DURABILITY_PROCESS. */
  LEAT_REASON_FOREIGN_SIDECAR, /**< PATH.leat belongs to another file, or others have written where
                                    its bytes belong. */
  LEAT_REASON_STALE_SIDECAR,   /**< PATH.leat is older than the system's last start; its bytes are
                                    lost. */
  LEAT_REASON_LEFT_OPEN,       /**< The program ended while a thread used the stream. */
  LEAT_REASON_OUTSIDE_FOLDER,  /**< A path `inside` is absolute or has "..". [EINVAL] */
  LEAT_REASON_NO_COMPONENT,    /**< An address without <leat/remote.h>, or a compressed file without
                                    <leat/codecs.h>. [ENOTSUP] */
  LEAT_REASON_NOT_LOCAL,       /**< An address with `only_files`. [EACCES] */
  LEAT_REASON_BAD_JOURNAL,     /**< The file is no journal, or of a later version. [EBADMSG] */
  LEAT_REASON_DAMAGED,         /**< Bytes of a journal are not as they were written. [EBADMSG] */
  LEAT_REASON_BAD_QUOTES /**< A row has a quote where RFC 4180 has none, or one without an end.
                              [EBADMSG] */
};

/** What leat_error.offset is where no byte is to blame. */
#define LEAT_NO_OFFSET UINT64_MAX

/** What has failed. */
typedef struct leat_error {
  int code;                /**< As errno; 0: nothing has failed yet. */
  enum leat_reason reason; /**< LEAT_REASON_NONE, or what errno can't say. */
  const char* operation;   /**< A verb, "open", "write", "seek", …; valid for ever. Empty: the
                                function was called in a wrong way, or there is no memory. */
  const char* path;        /**< As it was given; of more than 1023 bytes the end. "<memory>",
                                "<standard output>", … for streams without one. */
  uint64_t offset;         /**< Of the first byte that could not be moved, from the start of the
                                stream; LEAT_NO_OFFSET: none. */
  uint64_t unwritten;  /**< Bytes of the failed call, and of calls that had succeeded, that are not
                            in the file. */
  uint64_t unread;     /**< Bytes that the program asked for and did not get. */
  const char* message; /**< "cannot write 'a.csv': No space left on device (at byte 12288, …)" */
} leat_error;

/** The last failure of a function of leat in this thread. Never null. It and its texts are valid
 * until the next failure in this thread. As errno, a call that succeeds does not change it. A
 * leat_file keeps bytes that it could not write, and tries them again at the next flush. */
LEAT_API const leat_error* leat_last_error(void);

/** Called when bytes are lost and no call could report it: for example when a stream that has
 * failed is freed, and the program never asked it for errors. The error is valid during the call.
 * Any thread may call it. */
typedef void leat_loss_handler(const leat_error* loss);

/** Sets the handler for losses of leat_writer, leat_reader and all streams of C++, and returns the
 * one that was set by this function before. Null restores the default, which prints a line on
 * standard error. A handler is also told of bytes of a leat_file that the end of the program could
 * not write. Without a handler these are lost in silence, as with <stdio.h>; a line on standard
 * error tells of a `replace` that was not closed. */
LEAT_API leat_loss_handler* leat_set_loss_handler(leat_loss_handler* handler);

/** The status, instead of 0, of a program that has lost bytes at exit without any call reporting
 * it. The default is EXIT_FAILURE; with 0 a loss changes nothing. Bytes of a leat_file count only
 * if it was opened with `replace`. Returns the one before. */
LEAT_API int leat_set_loss_status(int status);

/* Values of options */

/** What written bytes survive. */
enum leat_durability {
  LEAT_DURABILITY_NONE, /**< Others see the bytes after a flush; a kill can cut the last line. */
  /** Each completed call survives the death of the process. On Linux its bytes are in a mapped file
   * PATH.leat beside the file until a flush; what a killed process has left there goes into the
   * file when it is next opened to write, or by leat_recover. Where that can't be, each call writes
   * by itself. Programs without leat must not write to the file meanwhile. */
  LEAT_DURABILITY_PROCESS,
  LEAT_DURABILITY_SYSTEM /**< After a flush or a close they survive a crash of the machine. */
};

/** How the bytes of a file are compressed. All but the first need <leat/codecs.h>. */
enum leat_compression {
  LEAT_COMPRESSION_NONE, /**< As they are, whatever the file is called. */
  /** Reading: what the file's first bytes say. Writing: what the path ends in, .gz, .zst, .lz4 or
   * .xz. Else as NONE. */
  LEAT_COMPRESSION_AUTOMATIC,
  LEAT_COMPRESSION_GZIP,
  LEAT_COMPRESSION_ZSTD,
  LEAT_COMPRESSION_LZ4,
  LEAT_COMPRESSION_XZ
};

/** When a log gets a new file, and what becomes of the old ones. Several processes may write to one
 * log, with the same values; nothing else may write to it. No line is lost. */
typedef struct leat_rotation {
  uint64_t size; /**< The most bytes of a file, unless a line has more; 0: no limit. */
  int64_t every; /**< Seconds of a period, counted from 1970 in UTC: 86400 begins at midnight. The
                      first line of each begins a new file. 0: none. */
  size_t keep;   /**< Old files that stay; 0: all. */
  enum leat_compression compression; /**< Of old files, by <leat/codecs.h>; not AUTOMATIC. */
  int level;                         /**< Of the codec; 0: its default. */
  int by_time;    /**< Old files are named by their time, app.log.20261125T184415.120345Z, not by a
                       number, app.log.1, which is the newest. */
  int local_time; /**< Periods are of the local time; each comes once. */
  /** Called by a thread when there is an old file, or when that is compressed; `error` is an errno,
   * or 0. May be null. */
  void (*finished)(const char* path, int error, void* context);
  void* context;
} leat_rotation;

/** The order in which a program is going to read. */
enum leat_pattern {
  LEAT_PATTERN_AUTOMATIC,  /**< leat finds out while it reads. */
  LEAT_PATTERN_SEQUENTIAL, /**< From start to end. */
  LEAT_PATTERN_RANDOM      /**< Small pieces anywhere. */
};

/** Whether bytes go through the system's page cache. */
enum leat_caching {
  LEAT_CACHING_CACHED, /**< Through the cache, which reads ahead and writes later. */
  /** Past it: for files that are larger than memory and are read or written once. ENOTSUP if the
   * file system can't do it. While a window is written the descriptor may have O_DIRECT set. */
  LEAT_CACHING_DIRECT
};

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
