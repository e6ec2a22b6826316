/* leat_file: the functions of <stdio.h> with the prefix `leat_`, opening with options, whole files,
 * and locks.
 *
 * The functions behave as C17 and POSIX.1-2017 specify; docs/stdio.md lists the differences.
 * SEEK_SET, EOF, _IOLBF and the other macros are the macros of <stdio.h>. */
#ifndef LEAT_C_FILES_H
#define LEAT_C_FILES_H

#include <leat/c/base.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this header is C */

#ifdef __cplusplus
extern "C" {
#endif

/** The result of leat_fgetpos: a position and the decoder state of a wide stream. */
typedef struct leat_fpos {
  leat_off_t position;
  uint64_t state;
} leat_fpos;

/** The functions that leat_fopencookie calls; each may be null. `read`, `write` and `close` return
 * what read(2), write(2) and close(2) return; `write` may also return 0 on failure. `seek` returns
 * 0 and stores the new position in `offset`, or returns -1. On failure the functions set errno; if
 * errno is 0, the error is EIO. */
typedef struct leat_cookie_functions {
  ssize_t (*read)(void* cookie, char* to, size_t size);
  ssize_t (*write)(void* cookie, const char* from, size_t size);
  int (*seek)(void* cookie, leat_off_t* offset, int whence);
  int (*close)(void* cookie);
} leat_cookie_functions;

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
/** As rename of the system's C library: on Windows, if `to` exists, the call fails. */
LEAT_API int leat_rename(const char* from, const char* to);
LEAT_API int leat_remove(const char* path);
LEAT_API leat_file* leat_popen(const char* command, const char* mode);
LEAT_API int leat_pclose(leat_file* file);
/** A write that does not fit returns a short count immediately. Bytes are written into the memory
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
 * format contains "%n" the call fails (-1, EINVAL), as for a wrong conversion. */
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

/* The functions of <stdio_ext.h> */
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

/** How to open a file. If all members are zero, leat_open does what leat_fopen does, except
 * that an opening for writing first recovers the bytes of a killed process, or discards them ("w");
 * see leat_recover. */
typedef struct leat_options {
  size_t buffer_size;              /**< Bytes; 0: leat decides. */
  enum leat_durability durability; /**< The guarantee of flush and close, or of each call. */
  int replace;                     /**< With "w": leat_fclose renames the new file to the path. If
                                        anything failed, the old file stays unchanged. */
  /** A descriptor of a folder, for untrusted names. The path must lead to a regular file in the
   * folder, without links and "..", or leat_open fails. Child programs do not inherit the file.
   * Null: the path is as for leat_fopen. ENOTSUP on Windows. */
  const int* inside;
  int live;       /**< With "r": also reads pending bytes in the sidecar of a writer with
                     LEAT_DURABILITY_PROCESS. A live stream has no descriptor. */
  int local_only; /**< EACCES for addresses in object storage, "s3://bucket/key", which leat_open
                     accepts with <leat/remote.h>. */
  /** Decodes with "r", encodes with "w" and "a". ENOTSUP without <leat/codecs.h>, and with "+". A
   * stream of a compressed file has no descriptor. Damaged files fail with EBADMSG. */
  enum leat_compression compression;
  int level;              /**< As in the codec's command; 0: the codec's default. */
  unsigned codec_threads; /**< Additional threads that compress; only zstd can use them. */
  int seekable;   /**< With "w": independent zstd frames, and a table of the frames. "a": EINVAL. */
  uint64_t limit; /**< With "r": the largest decoded size in bytes; a larger file fails with EFBIG.
                     0: no limit. */
  uint64_t codec_memory; /**< With "r": the most bytes of memory for decoding; a file that requires
                            more bytes fails with ENOTSUP. 0: 128 MiB. @since 0.3 */
  int background;        /**< With "r": a thread decodes ahead. */
  int reopen; /**< With "a": each write checks that the path still names the file. If the path names
                 another file, for example after logrotate, the write goes to that file; a missing
                 file is created. ENOTSUP for compressed files. */
  /** With "a": a rotating log. Several processes may share the log; their streams must be
   * line-buffered, or lines are cut at the ends of buffers. Null: no rotation. The struct is needed
   * only during the call. */
  const leat_rotation* rotation;
  uint64_t reserved[4]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_options;

/** leat_fopen with options, which may be null. */
LEAT_API leat_file* leat_open(const char* path, const char* mode, const leat_options* options);

/** Opens a file to read as up to `parts` streams, each over its own part, for as many threads. The
 * parts have about the same size; each part ends at the end of a line. Positions count from the
 * start of the file. Pipes can't be split (ESPIPE). Of compressed files, only seekable zstd files
 * can be split. `options` may be null. The options buffer_size, local_only, compression, limit and
 * codec_memory apply; another option, or `parts` of 0, is EINVAL. Stores the streams, which the
 * caller closes, in `files`, which has room for `parts` streams. Returns the number of streams: at
 * least 1, or 0 and errno. */
LEAT_API size_t leat_split(const char* path, size_t parts, const leat_options* options,
                           leat_file** files);

/** Recovers the bytes that a killed process with LEAT_DURABILITY_PROCESS has left in `path`.leat:
 * writes them to the file, as leat_open with "a" and "r+" does; "w" discards them. Returns the
 * number of bytes, or -1 and errno. */
LEAT_API leat_off_t leat_recover(const char* path);

/** Flushes, and waits until all written bytes survive a crash of the machine, whatever the
 * durability is. Pipes, terminals and memory have nothing to sync. Returns 0, or EOF and errno with
 * the error flag set. After a failed sync each later sync fails too, because the state of the disk
 * is unknown. Threads that sync a stream at the same time share one sync of the disk, also in
 * leat_fflush with LEAT_DURABILITY_SYSTEM; meanwhile other threads can write. The name of a new
 * file is safe only if leat_open created it with LEAT_DURABILITY_SYSTEM. */
LEAT_API int leat_sync(leat_file* file);

/** Closes a stream and discards its buffer. The target of `replace` stays unchanged. Waits for the
 * command of leat_popen, as leat_fclose does. In a function that a batch of the stream calls,
 * leat_discard does nothing and sets errno to EDEADLK. */
LEAT_API void leat_discard(leat_file* file);

/** Returns the next line, without its '\n', and stores its size. Returns null at the end
 * (leat_feof) and on errors (leat_ferror). The line is a view of the buffer, without a NUL at its
 * end, and valid until the next call for this file. If a signal or a non-blocking descriptor ends
 * the reading (EINTR, EAGAIN), the bytes of the incomplete line are returned, and leat_ferror is
 * set; otherwise these bytes would be lost. */
LEAT_API const char* leat_next_line(leat_file* file, size_t* size);

/** Reads up to the end of the next occurrence of the needle. Returns 1 and stores the position of
 * the occurrence, in bytes from the start of the stream. Positions in a pipe count from the start
 * of reading. `at` may be null. Returns 0 at the end, -1 on errors; EINVAL for an empty needle. */
LEAT_API int leat_find(leat_file* file, const void* needle, size_t size, leat_off_t* at);

#if !defined(LEAT_STDIO_H) /* in <leat/stdio.h> leat_libc_file returns a FILE* */
/** Returns libc's FILE* over the same stream, for a library that was compiled with <stdio.h>. The
 * FILE has no buffer, and is closed with the stream. Call this function again after leat_rewind or
 * leat_clearerr to clear libc's flags too. If libc can't make such a FILE, returns null and sets
 * errno to ENOTSUP. */
LEAT_API void* leat_libc_file(leat_file* file);
#endif

/* Whole files */

/** Copies a file and its permissions to a new file, or over an existing file, which is truncated
 * when the first bytes were read. Returns the number of bytes, or -1 and errno; a partial copy may
 * then stay. */
LEAT_API leat_off_t leat_copy_file(const char* from, const char* to);
/** Renames a file on the same file system, and replaces an existing file of the new name. After a
 * result of 0, the file's bytes and its name survive a crash of the machine. @since 0.3 */
LEAT_API int leat_rename_durably(const char* from, const char* to);
/** Stores all bytes of a file, with a NUL after them, in memory from malloc, which the caller
 * frees. Stores the number of bytes, without the NUL, in `size`. Returns 0; or -1 and errno, and
 * stores nothing. */
LEAT_API int leat_read_file(const char* path, char** bytes, size_t* size);
/** Creates or truncates a file, and writes `size` bytes. Returns 0, or -1 and errno. */
LEAT_API int leat_write_file(const char* path, const void* bytes, size_t size);

/* Locks between processes, on whole files. The locks are advisory: they exclude only processes that
 * also lock, for example by flock(2). A lock belongs to an open file description: two streams that
 * were opened separately exclude each other, even in one process. */

/** SHARED: other holders of a shared lock are allowed. EXCLUSIVE: no other holder. */
enum leat_lock_mode { LEAT_LOCK_SHARED, LEAT_LOCK_EXCLUSIVE };
/** A lock, held until leat_unlock, even if the file is closed earlier. */
typedef struct leat_lock leat_lock;
/** Locks the file of a descriptor, for example of leat_fileno; waits for the lock. The caller
 * releases the lock by leat_unlock. Returns null and sets errno on failure. */
LEAT_API leat_lock* leat_lock_descriptor(int descriptor, enum leat_lock_mode mode);
/** Tries to lock without waiting. If the lock is taken, returns null and sets errno to EWOULDBLOCK.
 */
LEAT_API leat_lock* leat_try_lock_descriptor(int descriptor, enum leat_lock_mode mode);
/** Releases and frees the lock, even if the result is -1. `lock` may be null. */
LEAT_API int leat_unlock(leat_lock* lock);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
