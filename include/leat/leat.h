/* leat for C, from C11 on, and for C++.
 *
 * The functions are those of <stdio.h> with the prefix `leat_`. They promise what C17 and
 * POSIX.1-2017 promise; docs/stdio.md lists the differences. Functions that only leat has follow at
 * the end. <leat/stdio.h> has the same functions without the prefix, for existing programs. */
#ifndef LEAT_LEAT_H
#define LEAT_LEAT_H

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

/** The result of leat_fgetpos: a position and the decoder state of a wide stream. */
typedef struct leat_fpos {
  leat_off_t position;
  uint64_t state;
} leat_fpos;

/** The functions that leat_fopencookie calls; each may be null. They return what read(2),
 * write(2), lseek(2) and close(2) return; seek stores the new position in `offset`. */
typedef struct leat_cookie_functions {
  ssize_t (*read)(void* cookie, char* to, size_t size);
  ssize_t (*write)(void* cookie, const char* from, size_t size);
  int (*seek)(void* cookie, leat_off_t* offset, int whence);
  int (*close)(void* cookie);
} leat_cookie_functions;

#define LEAT_PRINTF_LIKE(format, first) \
  __attribute__((__format__(LEAT_FORMAT_KIND(printf), format, first)))
#define LEAT_SCANF_LIKE(format, first) \
  __attribute__((__format__(LEAT_FORMAT_KIND(scanf), format, first)))

/* Opening and closing */
LEAT_API leat_file* leat_stdin(void);
LEAT_API leat_file* leat_stdout(void);
LEAT_API leat_file* leat_stderr(void);
LEAT_API leat_file* leat_fopen(const char* path, const char* mode);
LEAT_API leat_file* leat_fdopen(int descriptor, const char* mode);
LEAT_API leat_file* leat_freopen(const char* path, const char* mode, leat_file* file);
LEAT_API int leat_fclose(leat_file* file);
LEAT_API int leat_fcloseall(void);
LEAT_API leat_file* leat_tmpfile(void);
/** As the rename of the system's C library: on Windows it fails if `to` exists. */
LEAT_API int leat_rename(const char* from, const char* to);
LEAT_API int leat_remove(const char* path);
LEAT_API leat_file* leat_popen(const char* command, const char* mode);
LEAT_API int leat_pclose(leat_file* file);
/** A write that does not fit gives a short count at once. Bytes are written into the memory
 * without a buffer. */
LEAT_API leat_file* leat_fmemopen(void* memory, size_t size, const char* mode);
LEAT_API leat_file* leat_open_memstream(char** memory, size_t* size);
LEAT_API leat_file* leat_open_wmemstream(wchar_t** memory, size_t* size);
LEAT_API leat_file* leat_fopencookie(void* cookie, const char* mode,
                                     leat_cookie_functions functions);

/* The buffer */
LEAT_API int leat_fflush(leat_file* file);
LEAT_API int leat_fflush_unlocked(leat_file* file);
LEAT_API void leat_setbuf(leat_file* file, char* buffer);
LEAT_API void leat_setbuffer(leat_file* file, char* buffer, size_t size);
LEAT_API void leat_setlinebuf(leat_file* file);
LEAT_API int leat_setvbuf(leat_file* file, char* buffer, int mode, size_t size);

/* Bytes */
LEAT_API size_t leat_fread(void* to, size_t size, size_t count, leat_file* file);
LEAT_API size_t leat_fread_unlocked(void* to, size_t size, size_t count, leat_file* file);
LEAT_API size_t leat_fwrite(const void* from, size_t size, size_t count, leat_file* file);
LEAT_API size_t leat_fwrite_unlocked(const void* from, size_t size, size_t count, leat_file* file);
LEAT_API int leat_fgetc(leat_file* file);
LEAT_API int leat_fgetc_unlocked(leat_file* file);
LEAT_API int leat_getchar(void);
LEAT_API int leat_getchar_unlocked(void);
/** At least 64 bytes can be pushed back. */
LEAT_API int leat_ungetc(int byte, leat_file* file);
LEAT_API int leat_fputc(int byte, leat_file* file);
LEAT_API int leat_fputc_unlocked(int byte, leat_file* file);
LEAT_API int leat_putchar(int byte);
LEAT_API int leat_putchar_unlocked(int byte);
LEAT_API int leat_getw(leat_file* file);
LEAT_API int leat_putw(int word, leat_file* file);

/* Lines */
LEAT_API char* leat_fgets(char* to, int size, leat_file* file);
LEAT_API char* leat_fgets_unlocked(char* to, int size, leat_file* file);
LEAT_API int leat_fputs(const char* text, leat_file* file);
LEAT_API int leat_fputs_unlocked(const char* text, leat_file* file);
LEAT_API int leat_puts(const char* text);
LEAT_API ssize_t leat_getline(char** line, size_t* size, leat_file* file);
LEAT_API ssize_t leat_getdelim(char** line, size_t* size, int delimiter, leat_file* file);

/* Formatted output. leat writes numbers exactly and correctly rounded, without the locale. If a
 * format contains "%n" the call fails (-1, EINVAL) and writes nothing. */
LEAT_API int leat_printf(const char* format, ...) LEAT_PRINTF_LIKE(1, 2);
LEAT_API int leat_fprintf(leat_file* file, const char* format, ...) LEAT_PRINTF_LIKE(2, 3);
LEAT_API int leat_dprintf(int descriptor, const char* format, ...) LEAT_PRINTF_LIKE(2, 3);
LEAT_API int leat_sprintf(char* to, const char* format, ...) LEAT_PRINTF_LIKE(2, 3);
LEAT_API int leat_snprintf(char* to, size_t size, const char* format, ...) LEAT_PRINTF_LIKE(3, 4);
LEAT_API int leat_asprintf(char** to, const char* format, ...) LEAT_PRINTF_LIKE(2, 3);
LEAT_API int leat_vprintf(const char* format, va_list arguments) LEAT_PRINTF_LIKE(1, 0);
LEAT_API int leat_vfprintf(leat_file* file, const char* format, va_list arguments)
    LEAT_PRINTF_LIKE(2, 0);
LEAT_API int leat_vdprintf(int descriptor, const char* format, va_list arguments)
    LEAT_PRINTF_LIKE(2, 0);
LEAT_API int leat_vsprintf(char* to, const char* format, va_list arguments) LEAT_PRINTF_LIKE(2, 0);
LEAT_API int leat_vsnprintf(char* to, size_t size, const char* format, va_list arguments)
    LEAT_PRINTF_LIKE(3, 0);
LEAT_API int leat_vasprintf(char** to, const char* format, va_list arguments)
    LEAT_PRINTF_LIKE(2, 0);

/* Formatted input */
LEAT_API int leat_scanf(const char* format, ...) LEAT_SCANF_LIKE(1, 2);
LEAT_API int leat_fscanf(leat_file* file, const char* format, ...) LEAT_SCANF_LIKE(2, 3);
LEAT_API int leat_sscanf(const char* text, const char* format, ...) LEAT_SCANF_LIKE(2, 3);
LEAT_API int leat_vscanf(const char* format, va_list arguments) LEAT_SCANF_LIKE(1, 0);
LEAT_API int leat_vfscanf(leat_file* file, const char* format, va_list arguments)
    LEAT_SCANF_LIKE(2, 0);
LEAT_API int leat_vsscanf(const char* text, const char* format, va_list arguments)
    LEAT_SCANF_LIKE(2, 0);

/* Positions. `whence` is SEEK_SET, SEEK_CUR or SEEK_END of <stdio.h>. */
LEAT_API int leat_fseek(leat_file* file, long offset, int whence);
LEAT_API int leat_fseeko(leat_file* file, leat_off_t offset, int whence);
LEAT_API long leat_ftell(leat_file* file);
LEAT_API leat_off_t leat_ftello(leat_file* file);
LEAT_API int leat_fgetpos(leat_file* file, leat_fpos* position);
LEAT_API int leat_fsetpos(leat_file* file, const leat_fpos* position);
LEAT_API void leat_rewind(leat_file* file);

/* State */
LEAT_API int leat_feof(leat_file* file);
LEAT_API int leat_feof_unlocked(leat_file* file);
LEAT_API int leat_ferror(leat_file* file);
LEAT_API int leat_ferror_unlocked(leat_file* file);
LEAT_API void leat_clearerr(leat_file* file);
LEAT_API void leat_clearerr_unlocked(leat_file* file);
LEAT_API int leat_fileno(leat_file* file);
LEAT_API int leat_fileno_unlocked(leat_file* file);
LEAT_API void leat_flockfile(leat_file* file);
LEAT_API int leat_ftrylockfile(leat_file* file);
LEAT_API void leat_funlockfile(leat_file* file);
LEAT_API void leat_perror(const char* text);

/* Wide characters, in the encoding of the locale. The first function that is used on a stream
 * decides whether it is a stream of bytes or of wide characters. */
LEAT_API int leat_fwide(leat_file* file, int mode);
LEAT_API __WINT_TYPE__ leat_fgetwc(leat_file* file);
LEAT_API __WINT_TYPE__ leat_fgetwc_unlocked(leat_file* file);
LEAT_API __WINT_TYPE__ leat_getwchar(void);
LEAT_API __WINT_TYPE__ leat_getwchar_unlocked(void);
LEAT_API __WINT_TYPE__ leat_ungetwc(__WINT_TYPE__ character, leat_file* file);
LEAT_API __WINT_TYPE__ leat_fputwc(wchar_t character, leat_file* file);
LEAT_API __WINT_TYPE__ leat_fputwc_unlocked(wchar_t character, leat_file* file);
LEAT_API __WINT_TYPE__ leat_putwchar(wchar_t character);
LEAT_API __WINT_TYPE__ leat_putwchar_unlocked(wchar_t character);
LEAT_API wchar_t* leat_fgetws(wchar_t* to, int size, leat_file* file);
LEAT_API wchar_t* leat_fgetws_unlocked(wchar_t* to, int size, leat_file* file);
LEAT_API int leat_fputws(const wchar_t* text, leat_file* file);
LEAT_API int leat_fputws_unlocked(const wchar_t* text, leat_file* file);
LEAT_API int leat_wprintf(const wchar_t* format, ...);
LEAT_API int leat_fwprintf(leat_file* file, const wchar_t* format, ...);
LEAT_API int leat_swprintf(wchar_t* to, size_t size, const wchar_t* format, ...);
LEAT_API int leat_vwprintf(const wchar_t* format, va_list arguments);
LEAT_API int leat_vfwprintf(leat_file* file, const wchar_t* format, va_list arguments);
LEAT_API int leat_vswprintf(wchar_t* to, size_t size, const wchar_t* format, va_list arguments);
LEAT_API int leat_wscanf(const wchar_t* format, ...);
LEAT_API int leat_fwscanf(leat_file* file, const wchar_t* format, ...);
LEAT_API int leat_swscanf(const wchar_t* text, const wchar_t* format, ...);
LEAT_API int leat_vwscanf(const wchar_t* format, va_list arguments);
LEAT_API int leat_vfwscanf(leat_file* file, const wchar_t* format, va_list arguments);
LEAT_API int leat_vswscanf(const wchar_t* text, const wchar_t* format, va_list arguments);

/* What <stdio_ext.h> has */
LEAT_API size_t leat_fbufsize(leat_file* file);
LEAT_API size_t leat_fpending(leat_file* file);
LEAT_API int leat_freading(leat_file* file);
LEAT_API int leat_fwriting(leat_file* file);
LEAT_API int leat_freadable(leat_file* file);
LEAT_API int leat_fwritable(leat_file* file);
LEAT_API int leat_flbf(leat_file* file);
LEAT_API void leat_fpurge(leat_file* file);
LEAT_API void leat_flushlbf(void);
LEAT_API int leat_fsetlocking(leat_file* file, int type);

/* --- functions that only leat has ------------------------------------------------------------ */

/* Errors. All functions of leat report failures by their result and errno; these tell the rest. */

/** Failures for which errno has no value of its own; see leat::errc. */
enum leat_reason {
  LEAT_REASON_NONE, /**< errno says it all. */
  LEAT_REASON_CLOSED,
  LEAT_REASON_NO_PROGRESS,
  LEAT_REASON_NOT_COMMITTED,
  LEAT_REASON_MEMORY_FULL,
  LEAT_REASON_NOT_A_FILE,
  LEAT_REASON_ENDED_EARLY,
  LEAT_REASON_LINE_TOO_LONG,
  LEAT_REASON_NOT_A_NUMBER,
  LEAT_REASON_FILE_SHRANK,
  LEAT_REASON_NO_SUCH_RECORD,
  LEAT_REASON_RESERVED_NAME,
  LEAT_REASON_SAME_FILE,
  LEAT_REASON_READ_ONLY,
  LEAT_REASON_INPUT_TOO_LONG,
  LEAT_REASON_BAD_SIDECAR,
  LEAT_REASON_FOREIGN_SIDECAR,
  LEAT_REASON_STALE_SIDECAR,
  LEAT_REASON_LEFT_OPEN,
  LEAT_REASON_OUTSIDE_FOLDER,
  LEAT_REASON_NO_COMPONENT,
  LEAT_REASON_NOT_LOCAL,
  LEAT_REASON_BAD_JOURNAL,
  LEAT_REASON_DAMAGED,
  LEAT_REASON_BAD_QUOTES
};

/** What leat_error.offset is where no byte is to blame. */
#define LEAT_NO_OFFSET UINT64_MAX

/** What has failed; see leat::io_error. */
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

/** Called when bytes are lost and no call could report it: see leat::loss_handler. The error is
 * valid during the call. Any thread may call it. */
typedef void leat_loss_handler(const leat_error* loss);

/** Sets the handler for losses of leat_writer, leat_reader and all streams of C++, and returns the
 * one that was set by this function before. Null restores the default, which prints a line on
 * standard error. A handler is also told of bytes of a leat_file that the end of the program could
 * not write. Without a handler these are lost in silence, as with <stdio.h>; a line on standard
 * error tells of a `replace` that was not closed. */
LEAT_API leat_loss_handler* leat_set_loss_handler(leat_loss_handler* handler);

/** The status of a program that has lost bytes at exit: see leat::set_loss_status. Bytes of a
 * leat_file count only if it was opened with `replace`. Returns the one before. */
LEAT_API int leat_set_loss_status(int status);

/** What written bytes survive; see leat::durability. */
enum leat_durability { LEAT_DURABILITY_NONE, LEAT_DURABILITY_PROCESS, LEAT_DURABILITY_SYSTEM };

/** How the bytes of a file are compressed; see leat::compression. */
enum leat_compression {
  LEAT_COMPRESSION_NONE,
  LEAT_COMPRESSION_AUTOMATIC,
  LEAT_COMPRESSION_GZIP,
  LEAT_COMPRESSION_ZSTD,
  LEAT_COMPRESSION_LZ4,
  LEAT_COMPRESSION_XZ
};

/** When a log gets a new file, and what becomes of the old ones: see leat::rotating_options. */
typedef struct leat_rotation {
  uint64_t size;                     /**< The most bytes of a file; 0: no limit. */
  int64_t every;                     /**< Seconds of a period; 0: none. */
  size_t keep;                       /**< Old files that stay; 0: all. */
  enum leat_compression compression; /**< Of old files, by <leat/codecs.h>; not AUTOMATIC. */
  int level;
  int by_time;    /**< Old files are named by their time, not by a number. */
  int local_time; /**< Periods are of the local time; each comes once. */
  /** Called by a thread when there is an old file, or when that is compressed; `error` is an errno,
   * or 0. May be null. */
  void (*finished)(const char* path, int error, void* context);
  void* context;
} leat_rotation;

/** How to open a file. If all members are zero, leat_open does what leat_fopen does; but
 * it first looks after what a killed process has left, see leat_recover. */
typedef struct leat_options {
  size_t buffer_size;              /**< Bytes; 0: leat decides. */
  enum leat_durability durability; /**< What flush and close, or each call, promise. */
  int replace;                     /**< With "w": leat_fclose renames the new file to the path. If
                                        anything failed, the old file stays unchanged. */
  const int* inside;               /**< A descriptor of a folder: the path leads to a regular file
                                        in it, through no link and no "..", or leat_open fails. See
                                        leat::folder. Started programs do not get the file.
                                        Null: the path is as for leat_fopen. ENOTSUP on Windows. */
  int live;                        /**< With "r": also the bytes that a writer with
                                        LEAT_DURABILITY_PROCESS keeps beside the file. The stream
                                        has no descriptor then. */
  int only_files;                  /**< EACCES for addresses of other machines, "s3://bucket/key",
                                        which <leat/remote.h> makes leat_open take. */
  /** Decodes with "r", encodes with "w" and "a", by <leat/codecs.h>: ENOTSUP without it, and with
   * "+". The stream has no descriptor then. Damaged files give EBADMSG. */
  enum leat_compression compression;
  int level;              /**< Of the codec, as in its command; 0: its default. */
  unsigned codec_threads; /**< That compress; 0: none but the program's. Only zstd can use them. */
  int seekable;           /**< With "w": zstd in frames, with a table of them. "a": EINVAL. */
  uint64_t limit;         /**< With "r": more decoded bytes fail with EFBIG. 0: no limit. */
  uint64_t codec_memory;  /**< With "r": the most memory that a file may ask for, as in
                               leat::open_options; ENOTSUP. 0: 128 MiB. @since 0.3 */
  int background;         /**< With "r": a thread decodes ahead. */
  int reopen; /**< With "a": each write looks whether the file still has its name; if not,
                   it goes to a new file. See leat::append_options. */
  /** With "a": a log that gets a new file now and then, as leat::rotating. Several processes may
   * share it; their streams have to be line-buffered, or lines are cut where a buffer ends. Null:
   * no such log. The struct is needed only during the call. */
  const leat_rotation* rotation;
} leat_options;

/** leat_fopen with options, which may be null. */
LEAT_API leat_file* leat_open(const char* path, const char* mode, const leat_options* options);

/** Opens a file to read as up to `parts` streams, each over its own part of it, for as many
 * threads: see leat::split. Of the options, which may be null, buffer_size, only_files, compression
 * and limit apply; EINVAL for `inside` and `live`. Stores the streams, which the caller closes, in
 * `files`. Returns how many: at least one, or 0 and errno. */
LEAT_API size_t leat_split(const char* path, size_t parts, const leat_options* options,
                           leat_file** files);

/** Writes what a killed process has left in `path`.leat to the file, as leat_open with "a" and "r+"
 * does too; "w" gives it up. See leat::recover. Returns how many bytes, or -1 and errno. */
LEAT_API leat_off_t leat_recover(const char* path);

/** leat_fflush, and the bytes that were written survive a crash of the machine, whatever the
 * durability is. Pipes, terminals and memory have nothing to sync. Returns 0, or EOF and errno with
 * the error flag set. After a sync that failed each later one fails too, because nobody knows what
 * the disk has. Threads that sync a stream at the same time share what the disk does, also in
 * leat_fflush with LEAT_DURABILITY_SYSTEM; others can write meanwhile. The name of a new file is
 * safe only if leat_open made it with LEAT_DURABILITY_SYSTEM. */
LEAT_API int leat_sync(leat_file* file);

/** Closes a stream and drops what is buffered. The target of `replace` stays unchanged. */
LEAT_API void leat_discard(leat_file* file);

/** Returns the next line, without its '\n', and stores its size. Null at the end (leat_feof) and
 * on errors (leat_ferror). A line in the buffer is not copied, and no NUL follows it. Valid
 * until the next call for this file. If a signal, or a descriptor that does not wait, ends the
 * reading (EINTR, EAGAIN), the part of the line that has come is returned, and leat_ferror is set:
 * it would be lost otherwise. */
LEAT_API const char* leat_next_line(leat_file* file, size_t* size);

/** Reads up to the end of the next occurrence of the needle. Returns 1 and stores where the
 * occurrence begins, in bytes from the start of the stream (of a pipe: from where reading
 * began). Returns 0 at the end and -1 on errors. */
LEAT_API int leat_find(leat_file* file, const void* needle, size_t size, leat_off_t* at);

#if !defined(LEAT_STDIO_H) /* there it returns a FILE* */
/** libc's FILE* over the same stream, for a library that was compiled with <stdio.h>. It has no
 * buffer of its own, and is closed with the stream. A call after leat_rewind or leat_clearerr, for
 * example, clears the flags of libc's FILE, too. Null with ENOTSUP if libc can't do this. */
LEAT_API void* leat_libc_file(leat_file* file);
#endif

/* Batches: many places of a file at once, in any order and with repeats. They take the routes of
 * leat::file and have its figures (docs/random-access.md). They need a stream that can be read and
 * has positions. The stream's lock is held until the batch ends. Bytes written before are in the
 * file when a batch begins. The stream's position is the same afterwards. A batch that changes the
 * file forgets what the stream has read ahead and what was pushed back.
 *
 * Each returns 0; or -1 and errno:
 *   EINVAL  a size of 0, or a place that is not in the file: nothing was read or changed
 *   EBADF   the stream's mode does not allow it; a stream that appends can't be changed
 *   ESPIPE  the stream has no positions
 *   ENOMEM  there is no memory
 *   EIO     the file has become shorter meanwhile
 * or what the system says. All but EINVAL, ESPIPE and ENOMEM set the stream's error flag. */

/** Reads records[positions[i]] to out + i * size, for all i. The file is an array of records of
 * `size` bytes. An incomplete record at its end does not count: 10 bytes are two records of 4. */
LEAT_API int leat_gather(leat_file* file, size_t size, const uint64_t* positions, size_t count,
                         void* out);

/** Writes values + i * size to records[positions[i]], for all i. If a position comes again, the
 * last of its values stays. No records are added. After an error some records are written and
 * others are not. */
LEAT_API int leat_scatter(leat_file* file, size_t size, const uint64_t* positions, size_t count,
                          const void* values);

/** Changes a record: the one at positions[index]. A result that is not zero ends the update. The
 * record is aligned for any type. In leat_update the function must not use the stream:
 * leat_scatter, leat_update, leat_fclose and leat_freopen fail with EDEADLK, and what others do is
 * undefined. In leat_random_update it may read the file; functions that change or close the file
 * fail with EDEADLK. */
typedef int leat_change(void* record, size_t index, void* context);

/** Reads the records at these positions, calls `change` for each position, and writes the records
 * back. Records come in any order. The occurrences of one record come in the caller's order, and
 * each sees the change of the one before.
 *
 * If `change` returns a number that is not zero, leat_update returns it too: that record stays as
 * it was, and others may have changed. After an error, records for which `change` was not called
 * are unchanged. Other records may be unchanged too, if the range that holds them could not be
 * written. */
LEAT_API int leat_update(leat_file* file, size_t size, const uint64_t* positions, size_t count,
                         leat_change* change, void* context);

/** A run of bytes in a file. */
typedef struct leat_range {
  uint64_t at;   /**< From the start of the file, in bytes. */
  uint64_t size; /**< Bytes; may be 0. */
} leat_range;

/** Reads ranges of any lengths, overlapping or not. Their bytes go to `out`, one behind the other
 * in the order of the list; `out` has room for the sum of their sizes. */
LEAT_API int leat_read_ranges(leat_file* file, const leat_range* ranges, size_t count, void* out);

/** The ways in which a batch can be carried out; see leat::route. */
enum leat_route {
  LEAT_ROUTE_AUTOMATIC, /**< There was no batch yet. */
  LEAT_ROUTE_MAPPED,    /**< Through a mapping, in the order given. */
  LEAT_ROUTE_MERGED,    /**< Sorted; places that are near each other are read as one range. */
  LEAT_ROUTE_SINGLE,    /**< Sorted; one request for each page that has a place. */
  LEAT_ROUTE_DIRECT     /**< As single, but past the system's cache, many requests at a time. */
};

/** How a batch was carried out; see leat::batch_plan. */
typedef struct leat_plan {
  enum leat_route taken;
  const char* why;  /**< A sentence for people, valid for ever; empty without a batch. */
  size_t places;    /**< Positions or ranges asked for. */
  size_t requests;  /**< To the system; 0 through a mapping. */
  uint64_t bytes;   /**< Read from the file, gaps included. */
  size_t hole;      /**< The widest gap, in bytes, that was read along; 0 through a mapping. */
  double cached;    /**< The share of a sample that was in the system's cache; -1: no sample. */
  uint64_t sorting; /**< Nanoseconds, a part of the total. */
  uint64_t total;   /**< Nanoseconds. */
  double dollars;   /**< US dollars for the batch, at the usual prices; 0: it is free. */
} leat_plan;

/** How the stream's last batch was carried out. A batch without places, or with a place that is not
 * in the file, does not count. */
LEAT_API leat_plan leat_last_plan(leat_file* file);

/* Streams of leat's own: leat_reader and leat_writer are leat::reader and leat::writer. They give
 * views of their window, so that lines, words and whole files need no copy; they keep their first
 * failure; and what nobody was told of goes to the loss handler. leat_file has the rules of
 * <stdio.h> instead. One thread at a time may use a stream, unless leat_writer_share was called.
 *
 * Functions that return int return 0, or -1 and errno; those that look for something return 1, 0 at
 * the end, or -1. leat_last_error() tells more. Structs of options are all zeros but for what
 * the program sets: later versions add members, whose zeros mean what happened before. */

/** Bytes that belong to somebody else. No NUL follows them. */
typedef struct leat_text {
  const char* bytes; /**< Null: there is nothing, not even an empty text. */
  size_t size;
} leat_text;

/** The order in which a program is going to read; see leat::pattern. */
enum leat_pattern { LEAT_PATTERN_AUTOMATIC, LEAT_PATTERN_SEQUENTIAL, LEAT_PATTERN_RANDOM };

/** Whether bytes go through the system's page cache; see leat::caching. */
enum leat_caching { LEAT_CACHING_CACHED, LEAT_CACHING_DIRECT };

/** When a writer's window is written; see leat::flush_when. */
enum leat_flush_when { LEAT_FLUSH_FULL, LEAT_FLUSH_LINE, LEAT_FLUSH_CALL };

/** What a writer with `background` does when its windows are full; see leat::when_full. */
enum leat_when_full { LEAT_WHEN_FULL_WAIT, LEAT_WHEN_FULL_DROP };

/** A device that has bytes, see below. */
typedef struct leat_device leat_device;

/** A stream of input. */
typedef struct leat_reader leat_reader;

/** How a file is opened to read. Zeros: as leat::open_options has them. */
typedef struct leat_reader_options {
  size_t buffer_size; /**< Bytes; 0: it adapts. */
  enum leat_pattern pattern;
  enum leat_caching caching;
  int live;            /**< As in leat_options. */
  size_t window_limit; /**< The most bytes of a line or a word; EOVERFLOW. 0: no limit. */
  int only_files;      /**< As in leat_options. */
  enum leat_compression compression;
  uint64_t limit;        /**< As in leat_options. */
  uint64_t codec_memory; /**< As in leat_options. @since 0.3 */
  int background;        /**< A thread decodes ahead. */
  const int* inside;     /**< As in leat_options. */
} leat_reader_options;

/** Opens a file to read. The options may be null. Returns null and sets errno on failure. */
LEAT_API leat_reader* leat_reader_open(const char* path, const leat_reader_options* options);
/** The same; "-" is standard input. See leat::open_or_stdin. */
LEAT_API leat_reader* leat_reader_open_or_stdin(const char* path,
                                                const leat_reader_options* options);
/** A file as memory: see leat::map_file. Of the options, pattern, only_files and inside apply. */
LEAT_API leat_reader* leat_reader_map(const char* path, const leat_reader_options* options);
/** All bytes of a mapped file, at any position of the reader; valid until it is closed. Several
 * threads may read them. Zeros may be bytes that the file has lost: leat_reader_error tells. Null
 * bytes and EINVAL: the reader is no mapping. */
LEAT_API leat_text leat_reader_mapped(const leat_reader* reader);
/** Whether mappings run under a guard, see leat::guard_mappings. Returns what was set before. */
LEAT_API int leat_guard_mappings(int on);

/** How a growing file is followed. Zeros: all lines, and it waits for ever. */
typedef struct leat_follow_options {
  int begins_at_end;   /**< Only `last_lines` of the lines that the file has come first. */
  size_t last_lines;   /**< With begins_at_end. */
  uint64_t timeout;    /**< Milliseconds without a byte after which the reader is at its end; the
                            next call waits again. 0: it waits for ever. */
  int no_wait;         /**< The same with a timeout of 0. */
  size_t window_limit; /**< As in leat_reader_options. */
} leat_follow_options;

/** Reads what is in a file, and waits for what is appended, as `tail -F`: see leat::follow. The
 * options may be null. */
LEAT_API leat_reader* leat_reader_follow(const char* path, const leat_follow_options* options);
/** Ends the waiting of a followed file for good, from any thread; nothing else may be called beside
 * other functions of the reader. EINVAL: the reader does not follow. */
LEAT_API int leat_reader_stop(leat_reader* reader);

/** Over memory of the program, which must outlive the reader. There is no copy. */
LEAT_API leat_reader* leat_reader_of_memory(const void* bytes, size_t size);
/** Over a device. Of the options, buffer_size, pattern and window_limit apply. Errors call it
 * `name`, which may be null. The reader keeps the device alive. */
LEAT_API leat_reader* leat_reader_over(leat_device* device, const leat_reader_options* options,
                                       const char* name);
/** As leat_split, but for readers, and with any byte that ends lines. */
LEAT_API size_t leat_reader_split(const char* path, size_t parts, char delimiter,
                                  const leat_reader_options* options, leat_reader** readers);
/** Standard input. Closing it does nothing. If nobody reads standard output any more, reads fail
 * with EPIPE until leat_writer_clear_error: a filter of endless input ends. */
LEAT_API leat_reader* leat_reader_stdin(void);
/** Closes the reader and frees it, whatever it returns. -1 also if a read has failed and no call
 * has told of it. Null is no error. */
LEAT_API int leat_reader_close(leat_reader* reader);
/** The last failed read as errno, or 0. */
LEAT_API int leat_reader_error(const leat_reader* reader);
/** The descriptor, or -1 and EBADF if there is none; always so on Windows. */
LEAT_API int leat_reader_fileno(const leat_reader* reader);

/** The next byte, 0 to 255; -1 at the end; -2 on errors. */
LEAT_API int leat_reader_get(leat_reader* reader);
/** Copies up to `size` bytes and returns how many: fewer only at the end or before an error, which
 * the next call reports. -1 on errors. */
LEAT_API ssize_t leat_reader_read(leat_reader* reader, void* to, size_t size);
/** Copies exactly `size` bytes. LEAT_REASON_ENDED_EARLY if there are fewer; leat_error.unread says
 * how many are missing. */
LEAT_API int leat_reader_read_exactly(leat_reader* reader, void* to, size_t size);
/** The rest of the input as memory of malloc, which the caller frees. A NUL follows it. EOVERFLOW
 * if it has more than `limit` bytes (0: no limit); the reader does not move then. */
LEAT_API int leat_reader_read_all(leat_reader* reader, size_t limit, char** bytes, size_t* size);

/** The next bytes, which stay. They are fewer only at the end, or before an error; null bytes on
 * errors. Valid, as all views of a reader, until the next call that does not take a const. */
LEAT_API leat_text leat_reader_peek(leat_reader* reader, size_t size);
/** All bytes in memory; some are read if there are none. Of size 0 at the end; null bytes on
 * errors. leat_reader_skip takes them: so a parser needs no copy. */
LEAT_API leat_text leat_reader_window(leat_reader* reader);
/** The bytes that are in memory already. */
LEAT_API leat_text leat_reader_buffered(const leat_reader* reader);
/** Passes over bytes and returns how many: fewer only at the end. -1 on errors. */
LEAT_API leat_off_t leat_reader_skip(leat_reader* reader, uint64_t size);
/** Goes to a position, in bytes from the start. ESPIPE for a pipe. */
LEAT_API int leat_reader_seek(leat_reader* reader, uint64_t position);
/** Goes forward, or back. EINVAL before the start. */
LEAT_API int leat_reader_seek_by(leat_reader* reader, leat_off_t offset);
LEAT_API uint64_t leat_reader_tell(const leat_reader* reader);
/** Bytes from the start to the end, or -1 and errno. */
LEAT_API leat_off_t leat_reader_size(const leat_reader* reader);

/** How input is divided into lines. Zeros: each ends with a newline. */
typedef struct leat_line_options {
  int delimiter;  /**< A byte, 1 to 255; 0: a newline. LEAT_NUL: the byte 0. */
  int crlf;       /**< Also without one carriage return at the end of each line. */
  size_t longest; /**< A longer line is an error, EOVERFLOW. 0: no limit. */
} leat_line_options;
#define LEAT_NUL (-1)

/** Takes the next line, without its delimiter. The options may be null. Returns 1, 0 at the end, or
 * -1. */
LEAT_API int leat_reader_next_line(leat_reader* reader, const leat_line_options* options,
                                   leat_text* line);
/** Goes back: the first call gives the last line of the input, each further one the line before.
 * The reader is at the start of that line then. After a 0 it begins anew. */
LEAT_API int leat_reader_previous_line(leat_reader* reader, const leat_line_options* options,
                                       leat_text* line);
/** Takes the whole line that holds the next byte, and stores where it begins. `start` may be
 * null. */
LEAT_API int leat_reader_line_around(leat_reader* reader, const leat_line_options* options,
                                     leat_text* line, uint64_t* start);
/** Takes the next word: a text between blanks. */
LEAT_API int leat_reader_next_word(leat_reader* reader, leat_text* word);

/** How input is divided into rows and fields. Zeros: a comma, quotes are not special. A delimiter
 * that has another meaning is an error, EINVAL: a newline, a carriage return without only_lf, a
 * quote with `quotes`. */
typedef struct leat_row_options {
  int delimiter;  /**< A byte, 1 to 255; 0: a comma. LEAT_NUL: the byte 0. */
  int quotes;     /**< Fields may be in quotes, as RFC 4180 has it, and newlines in these. */
  int only_lf;    /**< A carriage return before a newline belongs to the last field. */
  size_t longest; /**< A longer row is an error, EOVERFLOW. 0: 2^30. */
} leat_row_options;
/** A row, valid until the next call with its reader. */
typedef struct leat_row {
  leat_text text; /**< As the input has it, with quotes, without the end of the line. */
  size_t fields;  /**< How many there are: one more than delimiters. */
  const void* of; /**< For leat_row_field. */
} leat_row;

/** Takes the next row of CSV or its like. The options may be null. Returns 1, 0 at the end, or -1;
 * where a quote is wrong errno is EBADMSG, and leat_last_error() tells the byte.
 *
 *     for (leat_row row; leat_reader_next_row(in, NULL, &row) == 1;)
 *       leat_parse_double(leat_row_field(&row, 2), &value, NULL); */
LEAT_API int leat_reader_next_row(leat_reader* reader, const leat_row_options* options,
                                  leat_row* row);
/** A field, without its quotes; null and empty where the row has fewer. */
LEAT_API leat_text leat_row_field(const leat_row* row, size_t column);

/** How often a byte is in a text. */
LEAT_API size_t leat_count(leat_text text, char byte);

/** A text to search for, prepared once; for one thread at a time. */
typedef struct leat_finder leat_finder;
/** Keeps a copy of the needle. Null and ENOMEM without memory. */
LEAT_API leat_finder* leat_finder_new(const void* needle, size_t size);
LEAT_API void leat_finder_free(leat_finder* finder);
/** The offset of the first occurrence in `bytes` at or after `from`, or SIZE_MAX. */
LEAT_API size_t leat_finder_find_in(leat_finder* finder, const void* bytes, size_t size,
                                    size_t from);
/** Goes to the next occurrence, at or behind the reader's position, and stores where it is. To find
 * the one after it, skip the needle first. Returns 1, 0 at the end, or -1. */
LEAT_API int leat_reader_find(leat_reader* reader, leat_finder* finder, uint64_t* at);

/** Passes over blanks and takes a number, as strtoll does, but decimal, without '+' and without the
 * locale. Returns 1, 0 at the end, or -1: EINVAL if there is no number, ERANGE if it does not fit;
 * the reader stays before the blanks then. */
LEAT_API int leat_reader_parse_int64(leat_reader* reader, int64_t* value);
LEAT_API int leat_reader_parse_uint64(leat_reader* reader, uint64_t* value);
LEAT_API int leat_reader_parse_double(leat_reader* reader, double* value);
/** The same of a text; `rest`, which may be null, becomes what is behind the number. `base` is 2 to
 * 36. Returns 0, or -1. */
LEAT_API int leat_parse_int64(leat_text text, int base, int64_t* value, leat_text* rest);
LEAT_API int leat_parse_uint64(leat_text text, int base, uint64_t* value, leat_text* rest);
LEAT_API int leat_parse_double(leat_text text, double* value, leat_text* rest);
/** Cuts the next field from what is left of a line, which begins as the whole line. Returns 1, or 0
 * if there is none left: "a,,b" has three, an empty line has one. Quotes are not special.
 *
 *     for (leat_text field; leat_next_field(&line, ',', &field) == 1;) … */
LEAT_API int leat_next_field(leat_text* rest, char delimiter, leat_text* field);
/** The CRC-32C of bytes. `before` is that of the bytes in front, to go on with; else 0. @since 0.3
 */
LEAT_API uint32_t leat_crc32c(const void* bytes, size_t size, uint32_t before);

/** A stream of output. write, put and printf do not fail: the first failure is kept, and flush,
 * sync, seek, patch and close report it. */
typedef struct leat_writer leat_writer;

/** How a file is opened to write. Zeros: as leat::create_options has them. */
typedef struct leat_writer_options {
  size_t buffer_size; /**< Bytes; 0: it adapts. */
  enum leat_durability durability;
  enum leat_flush_when flush;
  unsigned flush_interval;       /**< Milliseconds; a thread flushes. 0: none. */
  int background;                /**< A thread writes full windows. */
  enum leat_when_full when_full; /**< With background. */
  uint64_t preallocate;          /**< Bytes to reserve on the disk. */
  int exclusive;                 /**< Create only: EEXIST if the file exists. */
  int readable;                  /**< Create and append: the descriptor can also be read. */
  unsigned permissions;          /**< Of a new file; 0: 0666, without the umask's bits. */
  enum leat_caching caching;     /**< Not for append. */
  int only_files;                /**< As in leat_options. */
  enum leat_compression compression;
  int level;              /**< As in leat_options. */
  unsigned codec_threads; /**< As in leat_options. */
  int seekable;           /**< As in leat_options. */
  const int* inside;      /**< As in leat_options. */
  int reopen;             /**< Append only, as in leat_options. */
} leat_writer_options;

/** Opens a new file, or empties an existing one. The options may be null. Null and errno on
 * failure. */
LEAT_API leat_writer* leat_writer_create(const char* path, const leat_writer_options* options);
/** The same; "-" is standard output. See leat::create_or_stdout. */
LEAT_API leat_writer* leat_writer_create_or_stdout(const char* path,
                                                   const leat_writer_options* options);
/** Opens a file to write at its end, and makes it if it does not exist. Lines of several processes
 * stay whole. */
LEAT_API leat_writer* leat_writer_append(const char* path, const leat_writer_options* options);
/** A log that gets a new file now and then: see leat::rotating. Of the options, those apply that
 * leat::rotating_options has. */
LEAT_API leat_writer* leat_writer_rotating(const char* path, const leat_rotation* rotation,
                                           const leat_writer_options* options);
/** Goes to the file that has the name now: see leat::writer::reopen. ENOTSUP: the stream does not
 * look for it. */
LEAT_API int leat_writer_reopen(leat_writer* writer);
/** A new file, which takes the place of the old one with leat_writer_close, if nothing has failed:
 * see leat::replace. */
LEAT_API leat_writer* leat_writer_replace(const char* path, const leat_writer_options* options);
/** Into memory of the program, which must outlive the writer. What does not fit is lost, ENOSPC. */
LEAT_API leat_writer* leat_writer_of_memory(void* memory, size_t size);
/** Into memory that grows. */
LEAT_API leat_writer* leat_writer_of_string(void);
/** Over a device; as leat_reader_over. Of the options, the first five apply. */
LEAT_API leat_writer* leat_writer_over(leat_device* device, const leat_writer_options* options,
                                       const char* name);
/** leat::out and leat::err. Threads may share them. Closing them flushes. */
LEAT_API leat_writer* leat_writer_stdout(void);
LEAT_API leat_writer* leat_writer_stderr(void);
/** From now on threads may share the writer: the bytes of a call stay together. It has no positions
 * then. Called before any other thread has it. */
LEAT_API int leat_writer_share(leat_writer* writer);
/** Flushes, closes and frees the writer, whatever it returns. Null is no error. */
LEAT_API int leat_writer_close(leat_writer* writer);
/** Frees the writer, and gives up what is in its window; the target of leat_writer_replace stays
 * unchanged. */
LEAT_API void leat_writer_discard(leat_writer* writer);

LEAT_API void leat_writer_put(leat_writer* writer, char byte);
LEAT_API void leat_writer_write(leat_writer* writer, const void* bytes, size_t size);
/** Writes a field of CSV (RFC 4180): between quotes, with each quote doubled, where it has the
 * delimiter, a quote, "\r" or "\n"; else as it is. @since 0.3 */
LEAT_API void leat_writer_write_csv(leat_writer* writer, const char* text, size_t size,
                                    char delimiter);
/** Writes a string of JSON (RFC 8259) with its quotes, and escaped where it has to be. @since 0.3
 */
LEAT_API void leat_writer_write_json(leat_writer* writer, const char* text, size_t size);
/** As leat_fprintf. Returns how many bytes, or -1 and errno if the format is wrong; that of a write
 * is kept. */
LEAT_API int leat_writer_printf(leat_writer* writer, const char* format, ...)
    LEAT_PRINTF_LIKE(2, 3);
LEAT_API int leat_writer_vprintf(leat_writer* writer, const char* format, va_list arguments)
    LEAT_PRINTF_LIKE(2, 0);
/** Writes all bytes to the device. */
LEAT_API int leat_writer_flush(leat_writer* writer);
/** The same, and they survive a crash of the machine. */
LEAT_API int leat_writer_sync(leat_writer* writer);
LEAT_API int leat_writer_seek(leat_writer* writer, uint64_t position);
LEAT_API uint64_t leat_writer_tell(const leat_writer* writer);
/** Overwrites bytes written before; the position stays. EINVAL if they are not all before it. */
LEAT_API int leat_writer_patch(leat_writer* writer, uint64_t position, const void* bytes,
                               size_t size);
/** The first failure as errno, or 0. */
LEAT_API int leat_writer_error(const leat_writer* writer);
/** Bytes that were accepted and will not be written. */
LEAT_API uint64_t leat_writer_lost(const leat_writer* writer);
/** Calls that were dropped; see enum leat_when_full. */
LEAT_API uint64_t leat_writer_dropped(const leat_writer* writer);
/** Forgets the failure, so that the stream goes on: see leat::writer::clear_error. */
LEAT_API void leat_writer_clear_error(leat_writer* writer);
/** The descriptor, or -1 and EBADF if there is none; always so on Windows. */
LEAT_API int leat_writer_fileno(const leat_writer* writer);
/** What was written into memory; valid until the next write. Null bytes and EINVAL for others. */
LEAT_API leat_text leat_writer_view(const leat_writer* writer);
/** Forgets what was written into memory, and starts at the beginning. EINVAL for others. */
LEAT_API int leat_writer_clear(leat_writer* writer);

/** Bytes for the text of leat_now. */
#define LEAT_NOW_SIZE 40
/** Stores the time now, "2026-11-21T09:27:19.120345Z" in UTC, or in local time with its offset, and
 * returns `text`. See leat::now. */
LEAT_API const char* leat_now(char text[LEAT_NOW_SIZE], int local_time);

/** Called during a copy with the bytes copied so far. A result that is not zero ends it, with
 * ECANCELED. */
typedef int leat_copy_progress(uint64_t done, void* context);
/** Copies the rest of a reader, inside the kernel where that is possible. `progress` may be null.
 * Returns how many bytes, or -1. */
LEAT_API leat_off_t leat_copy(leat_reader* from, leat_writer* to, leat_copy_progress* progress,
                              void* context);
/** Copies a file and its permissions. Returns how many bytes, or -1. */
LEAT_API leat_off_t leat_copy_file(const char* from, const char* to);
/** Gives a file another name, and makes that durable, together with the file. See
 * leat::rename_durably. @since 0.3 */
LEAT_API int leat_rename_durably(const char* from, const char* to);
/** All bytes of a file, as leat_reader_read_all gives them. */
LEAT_API int leat_read_file(const char* path, char** bytes, size_t* size);
/** Writes a file with this content. */
LEAT_API int leat_write_file(const char* path, const void* bytes, size_t size);

/* Locks between processes, on whole files: see leat::file_lock. */

enum leat_lock_mode { LEAT_LOCK_SHARED, LEAT_LOCK_EXCLUSIVE };
/** A lock, which is held until leat_unlock, even if the file is closed before. */
typedef struct leat_lock leat_lock;
/** Waits for the lock of the file of a descriptor, such as leat_fileno gives. Null and errno on
 * failure. */
LEAT_API leat_lock* leat_lock_descriptor(int descriptor, enum leat_lock_mode mode);
/** The same without waiting: null and EWOULDBLOCK if somebody else has it. */
LEAT_API leat_lock* leat_try_lock_descriptor(int descriptor, enum leat_lock_mode mode);
/** Ends the lock and frees it, whatever it returns. Null is no error. */
LEAT_API int leat_unlock(leat_lock* lock);

/* Devices: what streams stand over. See leat::device. A handle is freed by leat_device_free; the
 * device lives until the last stream and the last device over it are gone, too. One thread at a
 * time. */

/** The functions of a device that the program makes. read and write return how many bytes, 0 at the
 * end of what can be read, or -1 and errno. Each may be null. */
typedef struct leat_device_functions {
  ssize_t (*read)(void* context, uint64_t at, void* to, size_t size);
  ssize_t (*write)(void* context, uint64_t at, const void* from, size_t size);
  leat_off_t (*size)(void* context); /**< Bytes, or -1 and errno. Null: no positions, as a pipe. */
  int (*resize)(void* context, uint64_t size);
  int (*sync)(void* context);
  int (*close)(void* context); /**< Called once, at the latest when the device ends. */
} leat_device_functions;

LEAT_API leat_device* leat_device_new(const leat_device_functions* functions, void* context);
/** Over a descriptor, which the device owns and closes. Not on Windows, ENOTSUP. */
LEAT_API leat_device* leat_device_adopt(int descriptor);
/** The same; the descriptor stays open. */
LEAT_API leat_device* leat_device_borrow(int descriptor);
LEAT_API void leat_device_free(leat_device* device);

/** Once: bytes from a position. Returns how many, 0 at the end, or -1. */
LEAT_API ssize_t leat_device_read_at(leat_device* device, uint64_t at, void* to, size_t size);
/** Once: up to `size` bytes. Returns how many, or -1. */
LEAT_API ssize_t leat_device_write_at(leat_device* device, uint64_t at, const void* from,
                                      size_t size);
LEAT_API leat_off_t leat_device_size(const leat_device* device);
LEAT_API int leat_device_resize(leat_device* device, uint64_t size);
LEAT_API int leat_device_sync(leat_device* device);
LEAT_API int leat_device_close(leat_device* device);
/** Nanoseconds of the clock by which the device is measured. */
LEAT_API uint64_t leat_device_now(const leat_device* device);
/** US dollars so far. */
LEAT_API double leat_device_cost(const leat_device* device);

/** Models of simulated devices; see leat::simulated_disk. */
enum leat_simulated_disk {
  LEAT_DISK_HDD,
  LEAT_DISK_SSD,
  LEAT_DISK_NVME,
  LEAT_DISK_NFS,
  LEAT_DISK_S3
};

/** The cost of reads, or of writes; see leat::simulated_service. Times are nanoseconds. */
typedef struct leat_simulated_service {
  uint64_t latency;
  uint64_t interval;
  uint64_t rate;        /**< Bytes a second, all requests together; 0: no limit. */
  uint64_t stream_rate; /**< Bytes a second of one request; 0: no limit. */
  double dollars_per_request;
  double dollars_per_gigabyte;
} leat_simulated_service;

/** The mechanics of a hard disk; see leat::simulated_platter. Times are nanoseconds. */
typedef struct leat_simulated_platter {
  uint64_t capacity; /**< Bytes; 0: there is no platter. */
  uint64_t rotation;
  uint64_t track_switch;
  uint64_t average_seek;
  uint64_t full_stroke;
  uint64_t outer_rate; /**< Bytes a second. */
  uint64_t inner_rate;
  uint64_t read_ahead; /**< Bytes. */
  unsigned queue;
} leat_simulated_platter;

/** The parameters of a simulated device; see leat::simulated_model. */
typedef struct leat_simulated_model {
  leat_simulated_service read;
  leat_simulated_service write;
  unsigned channels; /**< 0: one. */
  uint64_t submit;   /**< Nanoseconds. */
  uint64_t sync;     /**< Nanoseconds. */
  leat_simulated_platter platter;
} leat_simulated_model;

/** The requests to a simulated disk so far. */
typedef struct leat_simulated_statistics {
  uint64_t reads;
  uint64_t bytes_read;
  uint64_t writes;
  uint64_t bytes_written;
} leat_simulated_statistics;

/** The parameters of a model that leat has. */
LEAT_API leat_simulated_model leat_model_of(enum leat_simulated_disk disk);
/** Does what another device does, and counts how long it would have taken by a model. */
LEAT_API leat_device* leat_device_simulate(leat_device* bytes, const leat_simulated_model* model);
/** Both are of a simulated device: EINVAL, and zeros, for others. */
LEAT_API int leat_device_spend(leat_device* device, uint64_t nanoseconds);
LEAT_API leat_simulated_statistics leat_device_statistics(const leat_device* device);

/** The kinds of operations that can fail. */
enum leat_device_operation {
  LEAT_OPERATION_ANY,
  LEAT_OPERATION_READ,
  LEAT_OPERATION_WRITE,
  LEAT_OPERATION_SYNC,
  LEAT_OPERATION_SIZE,
  LEAT_OPERATION_RESIZE,
  LEAT_OPERATION_RESERVE,
  LEAT_OPERATION_CLOSE
};

/** What goes wrong, and in which operation; see leat::device_fault. */
typedef struct leat_device_fault {
  enum leat_device_operation in;
  uint64_t nth;   /**< The one that is hit; 0 and 1: the first. */
  int onwards;    /**< All later ones are hit, too. */
  int code;       /**< What it reports, as errno; 0: it does its work. */
  int shortens;   /**< A read or a write moves at most `most` bytes. */
  size_t most;    /**< With shortens. */
  uint64_t delay; /**< Nanoseconds that it takes longer. */
} leat_device_fault;

/** Faults of failing devices. Several threads may use it at once. */
typedef struct leat_fault_plan leat_fault_plan;
LEAT_API leat_fault_plan* leat_fault_plan_new(void);
/** Adds a fault. Its `nth` counts from the first operation of the plan on. */
LEAT_API int leat_fault_plan_add(leat_fault_plan* plan, const leat_device_fault* fault);
/** Operations of a kind so far, with those that have failed. */
LEAT_API uint64_t leat_fault_plan_count(const leat_fault_plan* plan, enum leat_device_operation of);
/** The devices that have the plan keep it alive. */
LEAT_API void leat_fault_plan_free(leat_fault_plan* plan);
/** Does what another device does, but for the faults of a plan. */
LEAT_API leat_device* leat_device_fail(leat_device* below, leat_fault_plan* plan);

/** A file in memory whose disk may lose its power; see leat::volatile_file. */
typedef struct leat_volatile_file leat_volatile_file;
/** With a content that is safe already. */
LEAT_API leat_volatile_file* leat_volatile_file_new(const void* synced, size_t size);
/** Opens the file, as often as you like. It must outlive the device. */
LEAT_API leat_device* leat_volatile_file_open(leat_volatile_file* file);
/** What programs see; valid until something is written. */
LEAT_API leat_text leat_volatile_file_content(const leat_volatile_file* file);
/** The number of changes that were not synced. */
LEAT_API size_t leat_volatile_file_unsynced(const leat_volatile_file* file);
/** The power fails: of the changes that were not synced, only these survive, by their numbers and
 * in this order. EINVAL for a number that no change has. */
LEAT_API int leat_volatile_file_cut_power(leat_volatile_file* file, const size_t* surviving,
                                          size_t count);
/** Each change survives or not, by chance; the same seed gives the same. */
LEAT_API int leat_volatile_file_cut_power_at_random(leat_volatile_file* file, uint64_t seed);
LEAT_API void leat_volatile_file_free(leat_volatile_file* file);

/* Files at any place: leat_random is leat::file. Several threads may use one. Batches are those of
 * leat_file, with the choice of how they go. Functions return 0, or -1 and errno. */

/** A file that is read and written at any place. */
typedef struct leat_random leat_random;

/** What a file is opened for; see leat::mode. */
enum leat_mode {
  LEAT_MODE_READ,
  LEAT_MODE_UPDATE,
  LEAT_MODE_UPDATE_OR_CREATE,
  LEAT_MODE_COPY /**< Changes stay in memory; the file is only read. */
};

/** Called now and then during a batch, with the number of finished places and of all places. A
 * result that is not zero ends the batch as an error does, with ECANCELED. */
typedef int leat_batch_progress(size_t done, size_t all, void* context);

/** How batches go; see leat::access_options. Zeros: leat measures and chooses. */
typedef struct leat_access_options {
  enum leat_route route;
  unsigned threads; /**< For one batch; 0: one. They call the program's functions at once. */
  size_t hole;      /**< The widest gap that is read along, in bytes. */
  size_t longest;   /**< The longest range that is read as one, in bytes. */
  size_t depth;     /**< Requests under way at a time. */
  size_t memory;    /**< Bytes for sorting; 0: 256 MiB. */
  enum leat_caching caching;
  enum leat_durability durability;
  leat_batch_progress* progress; /**< May be null. */
  void* context;                 /**< Of progress. */
  int only_files;                /**< As in leat_options. */
  enum leat_compression compression;
  uint64_t codec_memory; /**< As in leat_options. @since 0.3 */
  const int* inside;     /**< As in leat_options. */
} leat_access_options;

/** Opens a file. The options may be null. Null and errno on failure. */
LEAT_API leat_random* leat_random_open(const char* path, enum leat_mode mode,
                                       const leat_access_options* options);
/** Makes an empty file, or empties an existing one, to read and to write. */
LEAT_API leat_random* leat_random_create(const char* path, const leat_access_options* options);
/** Over a device that has positions; as leat_reader_over. */
LEAT_API leat_random* leat_random_over(leat_device* device, enum leat_mode mode,
                                       const leat_access_options* options, const char* name);
/** Closes the file and frees it, whatever it returns; but in a function that a batch of the file
 * calls it does nothing and fails with EDEADLK. Null is no error. */
LEAT_API int leat_random_close(leat_random* file);

/** Reads exactly `size` bytes: LEAT_REASON_ENDED_EARLY if the file ends before. */
LEAT_API int leat_random_read_at(const leat_random* file, uint64_t at, void* to, size_t size);
/** Writes all the bytes. The file grows if they reach behind its end. */
LEAT_API int leat_random_write_at(leat_random* file, uint64_t at, const void* from, size_t size);
/** In bytes, or -1 and errno. */
LEAT_API leat_off_t leat_random_size(const leat_random* file);
/** Makes the file this many bytes long. New bytes are zeros. */
LEAT_API int leat_random_resize(leat_random* file, uint64_t size);
LEAT_API int leat_random_sync(leat_random* file);
/** Both tell the system what is going to be read. */
LEAT_API void leat_random_advise(leat_random* file, enum leat_pattern expected);
LEAT_API void leat_random_announce(leat_random* file, leat_range soon);

/** As leat_gather, leat_scatter and leat_update, for records that begin `header` bytes behind the
 * start of the file. */
LEAT_API int leat_random_gather(const leat_random* file, uint64_t header, size_t size,
                                const uint64_t* positions, size_t count, void* out);
LEAT_API int leat_random_scatter(leat_random* file, uint64_t header, size_t size,
                                 const uint64_t* positions, size_t count, const void* values);
LEAT_API int leat_random_update(leat_random* file, uint64_t header, size_t size,
                                const uint64_t* positions, size_t count, leat_change* change,
                                void* context);
/** As leat_read_ranges. */
LEAT_API int leat_random_read_ranges(const leat_random* file, const leat_range* ranges,
                                     size_t count, void* out);
/** Gets a range of a batch, which is ranges[index]. The bytes are valid during the call. */
typedef void leat_visit_range(leat_text bytes, size_t index, void* context);
/** Calls `visit` once for each range, in the order in which they come from the disk. */
LEAT_API int leat_random_visit_ranges(const leat_random* file, const leat_range* ranges,
                                      size_t count, leat_visit_range* visit, void* context);
/** Writes ranges, whose bytes lie in `from` one behind the other. Of ranges that overlap, the bytes
 * of the later one stay. The file may grow. */
LEAT_API int leat_random_write_ranges(leat_random* file, const leat_range* ranges, size_t count,
                                      const void* from);
/** How the last batch was carried out. */
LEAT_API leat_plan leat_random_last_plan(const leat_random* file);

/* Journals: files of records to which records are added, and which survive torn tails and bit rot;
 * see leat::journal and docs/journals.md. Functions return 0, or -1 and errno: EBUSY if the journal
 * has a writer, EBADMSG if the file is no journal, EINVAL if no record begins at a position, or
 * what the system says. After a failed write or sync each later call fails with the same errno. */

/** A journal that is open to write. Several threads may use it at once; those that sync at the same
 * time share one sync of the disk. */
typedef struct leat_journal leat_journal;

/** How a journal is opened to write. Zeros: as leat::journal_options has them. */
typedef struct leat_journal_options {
  enum leat_durability durability; /**< What flush, or each append, promises. */
  int each;                        /**< Each append writes to the file. */
  size_t buffer_size;              /**< Bytes; 0: leat decides. */
  unsigned flush_interval;         /**< Milliseconds; a thread flushes. 0: none. */
  int background;                  /**< A thread writes full windows. */
  uint64_t preallocate;            /**< Bytes to reserve on the disk. */
} leat_journal_options;

/** Some bytes of the program. */
typedef struct leat_piece {
  const void* bytes;
  size_t size;
} leat_piece;

/** A record. */
typedef struct leat_journal_record {
  uint64_t position; /**< Where it begins, in bytes from the start of the file. */
  const void* bytes;
  size_t size;
  unsigned char kind; /**< As the program has said. */
} leat_journal_record;

/** Opens a journal, and makes it if the file does not exist or is empty. A torn tail is cut. The
 * journal has a lock until the process that opened it closes it or ends; meanwhile another open
 * fails with EBUSY. The options may be null. Returns null and sets errno on failure. */
LEAT_API leat_journal* leat_journal_open(const char* path, const leat_journal_options* options);
/** Cuts a torn tail and nothing else. Returns how many bytes, or -1 and errno. */
LEAT_API leat_off_t leat_journal_recover(const char* path);
/** Adds a record and stores its position, if `position` is not null. */
LEAT_API int leat_journal_append(leat_journal* journal, const void* bytes, size_t size,
                                 unsigned char kind, uint64_t* position);
/** Adds records, with none of another thread between them. `positions` may be null. */
LEAT_API int leat_journal_append_all(leat_journal* journal, const leat_piece* records, size_t count,
                                     unsigned char kind, uint64_t* positions);
/** Writes all records to the file. */
LEAT_API int leat_journal_flush(leat_journal* journal);
/** Returns when all records that were added before survive a crash of the machine. */
LEAT_API int leat_journal_sync(leat_journal* journal);
/** Removes all records, and makes that durable. See leat::journal::clear.
 * @since 0.3 */
LEAT_API int leat_journal_clear(leat_journal* journal);
/** Copies the record at a position, up to `room` bytes of it, and stores its size. ERANGE if it has
 * more. */
LEAT_API int leat_journal_get(leat_journal* journal, uint64_t position, void* to, size_t room,
                              size_t* size);
/** Where the last record ends, in bytes from the start of the file. */
LEAT_API uint64_t leat_journal_size(const leat_journal* journal);
/** Flushes and closes, whatever it returns. Null is no error. */
LEAT_API int leat_journal_close(leat_journal* journal);

/** A journal that is open to read, for one thread at a time. */
typedef struct leat_journal_reader leat_journal_reader;

/** How a journal is read. Zeros: as leat::journal_read_options has them. */
typedef struct leat_journal_read_options {
  int strict;     /**< Damage is an error, EBADMSG; the next call goes on behind it. */
  int live;       /**< Also what a writer with LEAT_DURABILITY_PROCESS keeps beside the file. */
  int only_files; /**< As in leat_options. */
} leat_journal_read_options;

/** Opens a journal to read. The options may be null. Returns null and sets errno on failure. */
LEAT_API leat_journal_reader* leat_journal_reader_open(const char* path,
                                                       const leat_journal_read_options* options);
/** Takes the next record, whose bytes are valid until the next call for this reader. Returns 1, 0
 * at the end, or -1 and errno. There may be more after the end later. */
LEAT_API int leat_journal_next(leat_journal_reader* reader, leat_journal_record* record);
/** The next record is the first one that begins at this position or behind it. */
LEAT_API void leat_journal_seek(leat_journal_reader* reader, uint64_t position);
/** The record at a position. Its bytes are valid until the next call for this reader. */
LEAT_API int leat_journal_read_at(leat_journal_reader* reader, uint64_t position,
                                  leat_journal_record* record);
/** Gets a record of a batch, which is that of positions[index]. */
typedef void leat_journal_visit(const leat_journal_record* record, size_t index, void* context);
/** Reads the records at these positions in one batch, in the order in which they come from the
 * disk. */
LEAT_API int leat_journal_gather(leat_journal_reader* reader, const uint64_t* positions,
                                 size_t count, leat_journal_visit* visit, void* context);
/** What a reader has passed over. */
typedef struct leat_journal_damage {
  uint64_t places; /**< Runs of damaged bytes. */
  uint64_t bytes;  /**< All of their bytes. */
  uint64_t torn;   /**< At the end: bytes behind the last whole record. */
} leat_journal_damage;
LEAT_API leat_journal_damage leat_journal_skipped(const leat_journal_reader* reader);
/** Closes a reader. Null is no error. */
LEAT_API void leat_journal_reader_close(leat_journal_reader* reader);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
