/* Streams with leat's interface: leat_reader and leat_writer. Readers return views of their buffer,
 * so that lines, words and whole files need no copy. A writer keeps its first failure; unreported
 * failures go to the loss handler. leat_file follows the rules of <stdio.h> instead. One thread at
 * a time may use a stream. After leat_writer_share, several threads may use the writer.
 *
 * Functions that return int return 0, or -1 and errno. Functions that take the next line, word, row
 * or number, or search, return 1, 0 at the end, or -1 and errno. Functions that open return null
 * and set errno on failure; the caller closes the stream. */
#ifndef LEAT_C_STREAMS_H
#define LEAT_C_STREAMS_H

#include <leat/c/base.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this header is C */

#ifdef __cplusplus
extern "C" {
#endif

/** When a writer's buffer is written. */
enum leat_flush_when {
  LEAT_FLUSH_FULL, /**< When the buffer is full. */
  LEAT_FLUSH_LINE, /**< Also at the end of each call that wrote a newline. */
  LEAT_FLUSH_CALL  /**< At the end of each call. */
};

/** The behaviour of a writer with `background` when all its buffers are full. */
enum leat_when_full {
  LEAT_WHEN_FULL_WAIT, /**< Waits until a buffer is written. */
  LEAT_WHEN_FULL_DROP  /**< Drops all bytes of the call; see leat_writer_dropped. */
};

/** A stream of input. */
typedef struct leat_reader leat_reader;

/** How a file is opened to read. Opening fails with EINVAL for an unsupported option. */
typedef struct leat_reader_options {
  size_t buffer_size; /**< Bytes of the buffer; 0: adaptive. */
  enum leat_pattern pattern;
  enum leat_caching caching;
  int live; /**< Also reads pending bytes in the sidecar of a writer with LEAT_DURABILITY_PROCESS.
               A live stream has no descriptor. */
  size_t window_limit; /**< The longest line or word in bytes. A longer line or word fails with
                          EOVERFLOW. A limit below 64 KiB is raised to 64 KiB. 0: no limit. */
  int local_only;      /**< EACCES for addresses in object storage; see <leat/remote.h>. */
  enum leat_compression compression; /**< Positions count decoded bytes. A stream of a compressed
                                        file has no descriptor. Damaged files fail with EBADMSG. */
  /** The largest decoded size in bytes; a larger file fails with EFBIG. 0: no limit. */
  uint64_t limit;
  uint64_t codec_memory; /**< The most bytes of memory for decoding; a file that requires more bytes
                            fails with ENOTSUP. 0: 128 MiB. @since 0.3 */
  int background;        /**< A thread decodes ahead. */
  /** A descriptor of a folder. The path must lead to a regular file in the folder, without links
   * and "..", or opening fails. Null: any path. ENOTSUP on Windows. */
  const int* inside;
  uint64_t reserved[4]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_reader_options;

/** Opens a file, a pipe or a terminal to read. The options may be null. */
LEAT_API leat_reader* leat_reader_open(const char* path, const leat_reader_options* options);
/** Opens as leat_reader_open, but "-" means standard input, including the buffer of
 * leat_reader_stdin. Without `compression`, the options do not apply to "-". */
LEAT_API leat_reader* leat_reader_open_or_stdin(const char* path,
                                                const leat_reader_options* options);
/** Maps a file into memory, without a copy. Pipes, and files without a size as in /proc, are read
 * into memory. If another process makes the file shorter, the missing bytes are zeros, and
 * leat_reader_error returns the error. EINVAL for options other than pattern, local_only and
 * inside. */
LEAT_API leat_reader* leat_reader_map(const char* path, const leat_reader_options* options);
/** Returns all bytes of a mapped file, wherever the reader's position is; valid until the reader is
 * closed. Several threads may read the bytes. If the file has become shorter, lost bytes read as
 * zeros: check leat_reader_error. If the reader is not a mapping, returns null bytes and sets errno
 * to EINVAL. */
LEAT_API leat_text leat_reader_mapped(const leat_reader* reader);
/** Turns mapping on (the default), with a SIGBUS handler for files that shrink. With 0 the previous
 * handler is restored, and leat_reader_map reads files into memory. Returns the previous setting.
 */
LEAT_API int leat_guard_mappings(int on);

/** How a growing file is followed. Zeros: all lines, waiting forever. */
typedef struct leat_follow_options {
  int begins_at_end; /**< Reading begins with the last `last_lines` lines of the file. */
  size_t last_lines; /**< With begins_at_end. */
  uint64_t timeout;  /**< Milliseconds without a byte after which the reader is at its end; the next
                        call waits again. 0: no timeout. */
  int no_wait;       /**< Never waits: without new bytes the reader is at its end immediately. */
  size_t window_limit;  /**< As in leat_reader_options. */
  uint64_t reserved[4]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_follow_options;

/** Reads a file and waits for appended bytes, as `tail -F`; the file need not exist yet. If the
 * file is renamed and a new file created, the reader continues in the new file; if the file becomes
 * shorter, the reader continues at the start of the file. The reader can't seek. The options may be
 * null. */
LEAT_API leat_reader* leat_reader_follow(const char* path, const leat_follow_options* options);
/** Permanently ends the waiting of a reader that follows a file. While the reader is in use, other
 * threads may call only this function. EINVAL if the reader does not follow a file. */
LEAT_API int leat_reader_stop(leat_reader* reader);

/** Reads the program's memory, which must outlive the reader, without a copy. */
LEAT_API leat_reader* leat_reader_of_memory(const void* bytes, size_t size);
/** Reads a device, which the reader keeps alive. EINVAL for options other than buffer_size,
 * pattern, window_limit and local_only. `name` is for messages and may be null. */
LEAT_API leat_reader* leat_reader_over(leat_device* device, const leat_reader_options* options,
                                       const char* name);
/** Opens a file as up to `parts` readers, each over its own part, for as many threads. The parts
 * have about the same size and end after a delimiter. Stores the readers, which the caller closes,
 * in `readers`, which has room for `parts` readers. Returns the number of readers, or 0 and errno:
 * EINVAL for `parts` of 0 and for the options pattern, caching, live, background and inside. */
LEAT_API size_t leat_reader_split(const char* path, size_t parts, char delimiter,
                                  const leat_reader_options* options, leat_reader** readers);
/** Returns standard input. Closing standard input does nothing. If standard output is a pipe
 * without a reader, and the program ignores SIGPIPE, reads fail with EPIPE until
 * leat_writer_clear_error, so that a filter of endless input ends. */
LEAT_API leat_reader* leat_reader_stdin(void);
/** Closes and frees the reader, even if the result is -1. Also returns -1 for an unreported failed
 * read. `reader` may be null. */
LEAT_API int leat_reader_close(leat_reader* reader);
/** Returns the errno of the last failed read, or 0. */
LEAT_API int leat_reader_error(const leat_reader* reader);
/** Returns the descriptor of a file. If there is no descriptor, for leat_reader_stdin, and always
 * on Windows, returns -1 and sets errno to EBADF. */
LEAT_API int leat_reader_fileno(const leat_reader* reader);

/** Takes the next byte. Returns the byte, 0 to 255; -1 at the end; -2 on errors. */
LEAT_API int leat_reader_get(leat_reader* reader);
/** Copies up to `size` bytes. Returns the number of bytes: less than `size` only at the end, or
 * before an error that the next call reports. -1 on errors. */
LEAT_API ssize_t leat_reader_read(leat_reader* reader, void* to, size_t size);
/** Copies exactly `size` bytes. If the input has fewer bytes, fails with LEAT_REASON_ENDED_EARLY;
 * leat_error.unread is the number of missing bytes. */
LEAT_API int leat_reader_read_exactly(leat_reader* reader, void* to, size_t size);
/** Returns the rest of the input in memory from malloc, which the caller frees. A NUL follows the
 * bytes. If the rest has more than `limit` bytes, fails with EOVERFLOW, and the reader does not
 * move. 0: no limit. On failure stores nothing. */
LEAT_API int leat_reader_read_all(leat_reader* reader, size_t limit, char** bytes, size_t* size);

/** Returns the next `size` bytes without taking them; fewer bytes only at the end or before an
 * error; null bytes on errors. The result is valid, as all views of a reader, until the next call
 * that takes a non-const reader. */
LEAT_API leat_text leat_reader_peek(leat_reader* reader, size_t size);
/** Returns all bytes in the buffer (the window); reads first if the buffer is empty. Size 0 at the
 * end; null bytes on errors. With leat_reader_skip, a parser needs no copy. */
LEAT_API leat_text leat_reader_window(leat_reader* reader);
/** Returns the bytes that are in the buffer already. */
LEAT_API leat_text leat_reader_buffered(const leat_reader* reader);
/** Skips `size` bytes. Returns the number of skipped bytes, which is less than `size` only at the
 * end. -1 on errors. */
LEAT_API leat_off_t leat_reader_skip(leat_reader* reader, uint64_t size);
/** Goes to a position, in bytes from the start. ESPIPE for a position outside of a pipe's buffer.
 */
LEAT_API int leat_reader_seek(leat_reader* reader, uint64_t position);
/** Goes forward or back by `offset` bytes. EINVAL for a position before the start. */
LEAT_API int leat_reader_seek_by(leat_reader* reader, leat_off_t offset);
/** Returns the position of the next byte, in bytes from the start. */
LEAT_API uint64_t leat_reader_tell(const leat_reader* reader);
/** Returns the number of bytes from the start to the end, or -1 and errno. */
LEAT_API leat_off_t leat_reader_size(const leat_reader* reader);

/** How input is divided into lines. Zeros: each line ends with a newline. */
typedef struct leat_line_options {
  int delimiter;        /**< A byte, 1 to 255; 0: a newline. LEAT_NUL: the byte 0. */
  int crlf;             /**< Also removes one carriage return at the end of each line. */
  size_t longest;       /**< A longer line is an error, EOVERFLOW. 0: no limit. */
  uint64_t reserved[1]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_line_options;
#define LEAT_NUL (-1)

/** Takes the next line, without its delimiter. The options may be null. Returns 1; or 0 at the end,
 * or -1, and stores a null text. */
LEAT_API int leat_reader_next_line(leat_reader* reader, const leat_line_options* options,
                                   leat_text* line);
/** Goes back: the first call stores the last line of the input, and each further call stores the
 * line before the line of the previous call. The reader is then at the start of the stored line.
 * After a result of 0 or -1, and with other options, the next call starts at the end again. */
LEAT_API int leat_reader_previous_line(leat_reader* reader, const leat_line_options* options,
                                       leat_text* line);
/** Takes the whole line that contains the next byte, and stores the line's start position. `start`
 * and the options may be null. Returns 1; or 0 at the end, or -1, and stores a null text and no
 * position. */
LEAT_API int leat_reader_line_around(leat_reader* reader, const leat_line_options* options,
                                     leat_text* line, uint64_t* start);
/** Takes the next word: a text between blanks. Returns 1; or 0 at the end, or -1, and stores a null
 * text. */
LEAT_API int leat_reader_next_word(leat_reader* reader, leat_text* word);

/** How input is divided into rows and fields. Zeros: a comma, quotes are not special. EINVAL for a
 * delimiter that has another meaning: a newline, a carriage return without lf_only, a quote with
 * `quotes`. */
typedef struct leat_row_options {
  int delimiter;  /**< A byte, 1 to 255; 0: a comma. LEAT_NUL: the byte 0. */
  int quotes;     /**< Fields may be quoted (RFC 4180); newlines may be in quotes. */
  int lf_only;    /**< A carriage return before a newline, or at the end of the input, belongs to
                       the last field; by default, to no field. */
  size_t longest; /**< A longer row is an error, EOVERFLOW. 0: 2^30. */
  uint64_t reserved[1]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_row_options;
/** A row, valid until the next call with its reader. */
typedef struct leat_row {
  leat_text text; /**< As in the input, with quotes, without the end of the line. */
  size_t fields;  /**< The number of delimiters outside of quotes, plus 1. */
  const void* of; /**< For leat_row_field. */
} leat_row;

/** Takes the next row of CSV or a similar format. The options may be null. Returns 1; or 0 at the
 * end, or -1, and stores a row of zeros. EBADMSG for a wrong quote; leat_last_error() has its
 * offset.
 *
 *     for (leat_row row; leat_reader_next_row(in, NULL, &row) == 1;)
 *       leat_parse_double(leat_row_field(&row, 2), &value, NULL); */
LEAT_API int leat_reader_next_row(leat_reader* reader, const leat_row_options* options,
                                  leat_row* row);
/** Returns a field without its quotes; null and empty if the row has fewer fields. */
LEAT_API leat_text leat_row_field(const leat_row* row, size_t column);

/** Returns the number of occurrences of a byte in a text. */
LEAT_API size_t leat_count(leat_text text, char byte);

/** A prepared search text, for one thread at a time. */
typedef struct leat_finder leat_finder;
/** Makes a finder with a copy of the needle. If there is no memory, returns null and sets errno to
 * ENOMEM. */
LEAT_API leat_finder* leat_finder_new(const void* needle, size_t size);
/** Frees a finder, which may be null. */
LEAT_API void leat_finder_free(leat_finder* finder);
/** Returns the offset of the first occurrence in `bytes` at or after `from`, or SIZE_MAX. */
LEAT_API size_t leat_finder_find_in(leat_finder* finder, const void* bytes, size_t size,
                                    size_t from);
/** Goes to the next occurrence at or after the reader's position, and stores the occurrence's
 * position in `at`, which may be null. To find the next occurrence, skip the needle first. Returns
 * 1, 0 at the end, or -1. */
LEAT_API int leat_reader_find(leat_reader* reader, leat_finder* finder, uint64_t* at);

/** Skips blanks and takes a number, as strtoll does, but decimal, without '+' and without the
 * locale. Returns 1, 0 at the end, or -1: EINVAL if there is no number, ERANGE if the number does
 * not fit. After a failure the reader stays before the blanks. */
LEAT_API int leat_reader_parse_int64(leat_reader* reader, int64_t* value);
LEAT_API int leat_reader_parse_uint64(leat_reader* reader, uint64_t* value);
LEAT_API int leat_reader_parse_double(leat_reader* reader, double* value);
/** Skips blanks and takes a number from a text, as leat_reader_parse_int64 does. Stores the text
 * after the number in `rest`, which may be null. `base` is 2 to 36. Returns 0, or -1 with EINVAL or
 * ERANGE. */
LEAT_API int leat_parse_int64(leat_text text, int base, int64_t* value, leat_text* rest);
LEAT_API int leat_parse_uint64(leat_text text, int base, uint64_t* value, leat_text* rest);
LEAT_API int leat_parse_double(leat_text text, double* value, leat_text* rest);
/** Cuts the next field from `rest`, which is at first a whole line, and then the rest of the line.
 * Returns 1, or 0 if no field is left: "a,,b" has three fields, an empty line has one field. Quotes
 * are not special.
 *
 *     for (leat_text field; leat_next_field(&line, ',', &field) == 1;) … */
LEAT_API int leat_next_field(leat_text* rest, char delimiter, leat_text* field);
/** Returns the CRC-32C of bytes. `before` is the CRC of the preceding bytes, or 0. @since 0.3 */
LEAT_API uint32_t leat_crc32c(const void* bytes, size_t size, uint32_t before);

/** A stream of output. write, put and printf do not report write errors: the first failure is kept,
 * and flush, sync and close report the failure; for files, also seek and patch. */
typedef struct leat_writer leat_writer;

/** How a file is opened to write. Opening fails with EINVAL for an unsupported option. */
typedef struct leat_writer_options {
  size_t buffer_size; /**< Bytes of the buffer; 0: adaptive. */
  enum leat_durability durability;
  enum leat_flush_when flush;
  unsigned flush_interval;       /**< Milliseconds between flushes by a thread; 0: no thread. */
  int background;                /**< A thread writes full buffers. */
  enum leat_when_full when_full; /**< With background; not for replace. */
  uint64_t preallocate; /**< Bytes to reserve on the disk; ENOSPC without space. The size of the
                           file does not change. */
  int exclusive;        /**< Create only: EEXIST if the file exists. */
  int readable;         /**< Create, append, rotating: the descriptor can also be read. */
  unsigned permissions; /**< Mode bits of a new file; 0: 0666, without the umask's bits. */
  enum leat_caching caching; /**< Not for append. */
  int local_only;            /**< EACCES for addresses in object storage; see <leat/remote.h>. */
  enum leat_compression compression; /**< A compressed stream has no positions or descriptor. */
  int level;                         /**< As in the codec's command; 0: the codec's default. */
  unsigned codec_threads; /**< Additional threads that compress; only zstd can use them. */
  int seekable;      /**< Not for append: independent zstd frames, and a table of the frames. */
  const int* inside; /**< As in leat_reader_options. */
  int reopen; /**< Append only: each write checks that the path still names the file. If the path
                 names another file, the write goes to that file; a missing file is created. ENOTSUP
                 for compressed files. */
  uint64_t reserved[4]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_writer_options;

/** Opens a new file, or empties an existing file. The options may be null. */
LEAT_API leat_writer* leat_writer_create(const char* path, const leat_writer_options* options);
/** Opens as leat_writer_create, but "-" means standard output: the writer shares the buffer of
 * leat_writer_stdout, and closing flushes. Without `compression`, the options do not apply to "-".
 */
LEAT_API leat_writer* leat_writer_create_or_stdout(const char* path,
                                                   const leat_writer_options* options);
/** Opens a file to write at its end; creates a missing file. If several processes append, and no
 * flush comes within a line, lines of up to 1 MiB stay whole. */
LEAT_API leat_writer* leat_writer_append(const char* path, const leat_writer_options* options);
/** Opens a log that is rotated between two lines. If `rotation` is null, the log is not rotated.
 * Closing waits for the thread that compresses. EINVAL for the options exclusive, preallocate,
 * caching, seekable and the options of compression: `rotation` has its own. */
LEAT_API leat_writer* leat_writer_rotating(const char* path, const leat_rotation* rotation,
                                           const leat_writer_options* options);
/** Flushes, and continues in the file that the path names now. For a program that gets a signal,
 * such as SIGHUP, after its log was moved; do not call leat_writer_reopen in the signal handler.
 * ENOTSUP for writers that were opened neither by leat_writer_rotating nor with `reopen`. */
LEAT_API int leat_writer_reopen(leat_writer* writer);
/** Opens a new file. If no call has failed, the new file replaces the old file at
 * leat_writer_close. Until then other programs see the old file. EINVAL for the options exclusive,
 * readable, when_full and reopen. */
LEAT_API leat_writer* leat_writer_replace(const char* path, const leat_writer_options* options);
/** Writes into the program's memory, which must outlive the writer. Bytes that do not fit are lost;
 * flush and close report ENOSPC. */
LEAT_API leat_writer* leat_writer_of_memory(void* memory, size_t size);
/** Writes into memory that grows. */
LEAT_API leat_writer* leat_writer_of_string(void);
/** Writes to a device, which the writer keeps alive. EINVAL for options other than local_only and
 * the options from buffer_size to when_full. `name` is for messages and may be null. */
LEAT_API leat_writer* leat_writer_over(leat_device* device, const leat_writer_options* options,
                                       const char* name);
/** Return standard output and standard error. Threads may share these two writers. Closing one of
 * these writers only flushes. */
LEAT_API leat_writer* leat_writer_stdout(void);
LEAT_API leat_writer* leat_writer_stderr(void);
/** Makes the writer usable by several threads: the bytes of a call stay together. The writer then
 * can't seek. Call leat_writer_share before any other thread uses the writer. */
LEAT_API int leat_writer_share(leat_writer* writer);
/** Flushes, closes and frees the writer, even if the result is -1. `writer` may be null. */
LEAT_API int leat_writer_close(leat_writer* writer);
/** Frees the writer and discards its buffer; the target of leat_writer_replace stays unchanged.
 * `writer` may be null. Does nothing for leat_writer_stdout and leat_writer_stderr. */
LEAT_API void leat_writer_discard(leat_writer* writer);

/** Writes a byte, or bytes. */
LEAT_API void leat_writer_put(leat_writer* writer, char byte);
LEAT_API void leat_writer_write(leat_writer* writer, const void* bytes, size_t size);
/** Writes a field of CSV (RFC 4180). A field with the delimiter, a quote, "\r" or "\n" is quoted,
 * with each quote doubled. @since 0.3 */
LEAT_API void leat_writer_write_csv(leat_writer* writer, const char* text, size_t size,
                                    char delimiter);
/** Writes a JSON string (RFC 8259), quoted and escaped. @since 0.3 */
LEAT_API void leat_writer_write_json(leat_writer* writer, const char* text, size_t size);
/** As leat_fprintf. Returns the number of bytes; or -1 and errno: EINVAL for a wrong format,
 * EILSEQ, EOVERFLOW for a text that is too long, ENOMEM. A write error is kept. */
LEAT_API int leat_writer_printf(leat_writer* writer, const char* format, ...)
    LEAT_PRINTF_LIKE(2, 3);
LEAT_API int leat_writer_vprintf(leat_writer* writer, const char* format, va_list arguments)
    LEAT_PRINTF_LIKE(2, 0);
/** Writes all bytes to the device. */
LEAT_API int leat_writer_flush(leat_writer* writer);
/** Writes all bytes to the device, and syncs: the bytes survive a crash of the machine. */
LEAT_API int leat_writer_sync(leat_writer* writer);
/** Goes to a position, in bytes from the start. ESPIPE for a pipe and for a writer that appends.
 * ENOTSUP for a shared writer, and for content that can only be written in order, such as an object
 * in object storage. */
LEAT_API int leat_writer_seek(leat_writer* writer, uint64_t position);
/** Returns the position of the next byte, in bytes from the start. */
LEAT_API uint64_t leat_writer_tell(const leat_writer* writer);
/** Overwrites bytes that were written earlier; the position does not change. EINVAL if the bytes
 * would end after the position; ESPIPE and ENOTSUP as in leat_writer_seek, but a shared writer can
 * patch. */
LEAT_API int leat_writer_patch(leat_writer* writer, uint64_t position, const void* bytes,
                               size_t size);
/** Returns the errno of the first failure, or 0. */
LEAT_API int leat_writer_error(const leat_writer* writer);
/** Returns the number of accepted bytes that will not be written. */
LEAT_API uint64_t leat_writer_lost(const leat_writer* writer);
/** Returns the number of dropped calls; see enum leat_when_full. */
LEAT_API uint64_t leat_writer_dropped(const leat_writer* writer);
/** Clears a failure whose cause is gone, such as a full disk. The next byte goes to the offset of
 * the first lost byte. Failures of sync, of leat_writer_replace and of writers into memory stay. */
LEAT_API void leat_writer_clear_error(leat_writer* writer);
/** Returns the descriptor of a file. If there is no descriptor, for leat_writer_stdout and
 * leat_writer_stderr, and always on Windows, returns -1 and sets errno to EBADF. */
LEAT_API int leat_writer_fileno(const leat_writer* writer);
/** Returns the bytes written into memory; valid until the next write. For other writers, returns
 * null bytes and sets errno to EINVAL. */
LEAT_API leat_text leat_writer_view(const leat_writer* writer);
/** For a writer into memory: empties the memory, and starts at the beginning. EINVAL for other
 * writers. */
LEAT_API int leat_writer_clear(leat_writer* writer);

/** The buffer size for leat_now. */
#define LEAT_NOW_SIZE 40
/** Stores the current time, "2026-11-21T09:27:19.120345Z" in UTC, or in local time with its offset,
 * "2026-11-21T10:27:19.120345+01:00". Returns `text`. */
LEAT_API const char* leat_now(char text[LEAT_NOW_SIZE], int local_time);

/** Called during a copy with the number of bytes copied so far. A nonzero result ends the copy with
 * ECANCELED. */
typedef int leat_copy_progress(uint64_t done, void* context);
/** Copies the rest of a reader, inside the kernel if possible. `progress` may be null. Returns the
 * number of bytes, or -1. */
LEAT_API leat_off_t leat_copy(leat_reader* from, leat_writer* to, leat_copy_progress* progress,
                              void* context);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
