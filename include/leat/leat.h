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

/* Positions */
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
  int seekable;           /**< With "w": zstd in frames, with a table of them. */
  uint64_t limit;         /**< With "r": more decoded bytes fail with EFBIG. 0: no limit. */
  int background;         /**< With "r": a thread decodes ahead. */
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
 * buffer of its own, and is closed with the stream. Null with ENOTSUP if libc can't do this. */
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
 * record is aligned for any type. The function must not use the stream. */
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
 * options may be null. Returns null and sets errno on failure. */
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
