/* A replacement for <stdio.h>: FILE, fopen, stdin and all other names are leat's.
 *
 *     #include <leat/stdio.h>         instead of <stdio.h>, before all other headers
 *     cc -include leat/stdio.h …      for programs that are not changed
 *
 * All source files that share a FILE* need this header. A library that was compiled with libc's
 * <stdio.h> needs leat_libc_file(f) instead. The functions of <leat/leat.h>, included after this
 * header, take the same FILE*. docs/stdio.md lists the differences from libc.
 *
 * This header defines the include guard of libc's header and so replaces libc's header. FILE keeps
 * libc's tag, for compatibility with other headers of libc. Each function is declared under its own
 * name, with leat's symbol as its assembler name. So &fclose, std::printf, (getc)(f), #undef and
 * all optimizations of the compiler work. In C on Linux this header includes no header of libc,
 * except <wchar.h> in the cases below: with -include this header comes before the program's own
 * #define _GNU_SOURCE, which libc's headers must see. */
#ifndef LEAT_STDIO_H
#define LEAT_STDIO_H

#if defined(__APPLE__) || defined(__FreeBSD__)
#  error "<leat/stdio.h> needs glibc, musl or MinGW; <leat/leat.h> has the same functions"
#endif
#if defined(_STDIO_H) || defined(_INC_STDIO)
#  error "<leat/stdio.h> must come before <stdio.h> and all headers that include it"
#endif
#if defined(_WCHAR_H)
#  error "<leat/stdio.h> must come before <wchar.h> and all headers that include it"
#endif
#if defined(LEAT_C_BASE_H)
#  error "<leat/stdio.h> must come before <leat/leat.h> and its parts"
#endif
#if defined(_STDIO_EXT_H)
#  error "<leat/stdio.h> must come before <stdio_ext.h>"
#endif
/* NOLINTBEGIN(bugprone-*,modernize-*,readability-*): names and types are libc's */
#define _STDIO_H 1
#if defined(__linux__)
#  define _STDIO_EXT_H 1
#endif

#include <leat/config.h>

#include <stdarg.h>
#include <stddef.h>
#if defined(_WIN32)
/* The guards of MinGW's <stdio.h>, and of the same declarations in MinGW's other headers. */
#  define _INC_STDIO 1
#  define _STDIO_DEFINED 1
#  define _WSTDIO_DEFINED 1
#  define _STDSTREAM_DEFINED 1
#  include <sys/types.h>
#endif

/* By default all functions are declared: with -include this header comes before the macros by which
 * a program asks for functions. A strictly conforming program (-std=c11) may define a function with
 * such a name, for example getline. LEAT_STDIO_STRICT is for such a program: only macros that are
 * defined before the header count. */
#if !defined(LEAT_STDIO_STRICT) || !defined(__STRICT_ANSI__) || defined(_GNU_SOURCE) || \
    defined(_DEFAULT_SOURCE) || defined(_POSIX_C_SOURCE) || defined(_POSIX_SOURCE) ||   \
    defined(_XOPEN_SOURCE) || defined(_BSD_SOURCE) || defined(__cplusplus)
#  define LEAT_STDIO_POSIX 1
#endif

#define LEAT_STRING_OF(x) #x
#define LEAT_STRING(x) LEAT_STRING_OF(x)
#define LEAT_AS(name) __asm__(LEAT_STRING(__USER_LABEL_PREFIX__) "leat_" #name)
/* LEAT_NO_PERCENT_N: "%n" is an error. From _FORTIFY_SOURCE 2 on, "%n" is an error except in
 * read-only formats. */
#if defined(LEAT_NO_PERCENT_N)
#  define LEAT_PRINTF_AS(name) LEAT_AS(name)
#elif defined(_FORTIFY_SOURCE) && defined(__OPTIMIZE__) && _FORTIFY_SOURCE > 1
#  define LEAT_PRINTF_AS(name) LEAT_AS(checked_##name)
#else
#  define LEAT_PRINTF_AS(name) LEAT_AS(stdio_##name)
#endif
/* C23's scanf takes "0b101" for "%i", as C++26's does. */
#if (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L) || \
    (defined(__cplusplus) && __cplusplus > 202302L)
#  define LEAT_SCANF_AS(name) LEAT_AS(name)
#else
#  define LEAT_SCANF_AS(name) LEAT_AS(c17_##name)
#endif
#define LEAT_FORMAT(kind, format, first) \
  __attribute__((__format__(LEAT_FORMAT_KIND(kind), format, first)))

/* As in libc's header, with _FORTIFY_SOURCE the compiler passes the size of the caller's memory,
 * and warns of unused results. LEAT_ROOM is SIZE_MAX if the size is unknown. `kind` is 0 for the
 * size up to the end of the whole object, 1 for the size up to the end of the member. */
#if defined(_FORTIFY_SOURCE) && defined(__OPTIMIZE__)
#  if _FORTIFY_SOURCE > 0
#    define LEAT_FORTIFIED 1
#  endif
#endif
#if defined(LEAT_FORTIFIED)
#  define LEAT_RESULT_USED __attribute__((__warn_unused_result__))
#  if _FORTIFY_SOURCE > 2 && (defined(__clang__) || __GNUC__ >= 12)
#    define LEAT_ROOM_OF(to, kind) __builtin_dynamic_object_size(to, kind)
#  else
#    define LEAT_ROOM_OF(to, kind) __builtin_object_size(to, kind)
#  endif
#  define LEAT_ROOM(to) LEAT_ROOM_OF(to, _FORTIFY_SOURCE > 1)
#else
#  define LEAT_RESULT_USED
#  define LEAT_ROOM_OF(to, kind) ((size_t)-1)
#endif
/* GCC warns of calls that write more than the memory's size. */
#if defined(__has_attribute)
#  if __has_attribute(__access__)
#    define LEAT_WRITES(to, size) __attribute__((__access__(__write_only__, to, size)))
#  endif
#endif
#if !defined(LEAT_WRITES)
#  define LEAT_WRITES(to, size)
#endif

/* libc declares the wide functions in <wchar.h>, some of them with an assembler name; Clang rejects
 * a second assembler name for a function. If _FORTIFY_SOURCE is defined, <wchar.h> declares all
 * wide functions once more. So this header includes <wchar.h> with other names for these functions
 * in three cases: for Clang with _FORTIFY_SOURCE; if the program defines LEAT_STDIO_WCHAR; and for
 * C++ and MinGW. In the last case the include is harmless: C++ always defines _GNU_SOURCE, and
 * MinGW has read <wchar.h> already. */
#if defined(__cplusplus) || defined(_WIN32) || defined(LEAT_STDIO_WCHAR) || \
    (defined(__clang__) && defined(_FORTIFY_SOURCE))
#  define fwide leat_libc_fwide
#  define fgetwc leat_libc_fgetwc
#  define getwc leat_libc_getwc
#  define getwchar leat_libc_getwchar
#  define fputwc leat_libc_fputwc
#  define putwc leat_libc_putwc
#  define putwchar leat_libc_putwchar
#  define fgetws leat_libc_fgetws
#  define fputws leat_libc_fputws
#  define ungetwc leat_libc_ungetwc
#  define fwprintf leat_libc_fwprintf
#  define wprintf leat_libc_wprintf
#  define vfwprintf leat_libc_vfwprintf
#  define vwprintf leat_libc_vwprintf
#  define swprintf leat_libc_swprintf
#  define vswprintf leat_libc_vswprintf
#  define fwscanf leat_libc_fwscanf
#  define wscanf leat_libc_wscanf
#  define swscanf leat_libc_swscanf
#  define vfwscanf leat_libc_vfwscanf
#  define vwscanf leat_libc_vwscanf
#  define vswscanf leat_libc_vswscanf
#  define open_wmemstream leat_libc_open_wmemstream
#  define getwc_unlocked leat_libc_getwc_unlocked
#  define getwchar_unlocked leat_libc_getwchar_unlocked
#  define fgetwc_unlocked leat_libc_fgetwc_unlocked
#  define fputwc_unlocked leat_libc_fputwc_unlocked
#  define putwc_unlocked leat_libc_putwc_unlocked
#  define putwchar_unlocked leat_libc_putwchar_unlocked
#  define fgetws_unlocked leat_libc_fgetws_unlocked
#  define fputws_unlocked leat_libc_fputws_unlocked
#  include <wchar.h>
#  undef fwide
#  undef fgetwc
#  undef getwc
#  undef getwchar
#  undef fputwc
#  undef putwc
#  undef putwchar
#  undef fgetws
#  undef fputws
#  undef ungetwc
#  undef fwprintf
#  undef wprintf
#  undef vfwprintf
#  undef vwprintf
#  undef swprintf
#  undef vswprintf
#  undef fwscanf
#  undef wscanf
#  undef swscanf
#  undef vfwscanf
#  undef vwscanf
#  undef vswscanf
#  undef open_wmemstream
#  undef getwc_unlocked
#  undef getwchar_unlocked
#  undef fgetwc_unlocked
#  undef fputwc_unlocked
#  undef putwc_unlocked
#  undef putwchar_unlocked
#  undef fgetws_unlocked
#  undef fputws_unlocked
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- types and constants --- */

#if defined(_WIN32)
#  define LEAT_FILE struct _iobuf
#else
#  define LEAT_FILE struct _IO_FILE
#endif
LEAT_FILE;
#define LEAT_DECLARE_FPRINTF(file)                                                      \
  extern int fprintf(file* __restrict__ __file, const char* __restrict__ __format, ...) \
      LEAT_PRINTF_AS(fprintf) LEAT_FORMAT(printf, 2, 3);
/* Clang in C: a function with overloads (below) is declared before FILE. Otherwise the compiler
 * would declare the function implicitly, without an assembler name, and before the first call the
 * function's address would be that of libc's function. */
#if defined(__clang__) && !defined(__cplusplus)
#  pragma clang diagnostic push
#  pragma clang diagnostic ignored "-Wbuiltin-requires-header"
LEAT_DECLARE_FPRINTF(LEAT_FILE)
#  pragma clang diagnostic pop
#endif

#if defined(_WIN32)
typedef struct _iobuf FILE;
#  if !defined(_FILE_DEFINED)
#    define _FILE_DEFINED 1
#  endif
#else
typedef struct _IO_FILE FILE;
#  define __FILE_defined 1
#  define ____FILE_defined 1
typedef struct _IO_FILE __FILE;
#endif
/* Complete, because programs may use sizeof(FILE); a copy is not a stream. On Windows, MinGW's
 * <wchar.h> defines FILE. */
#if !defined(_WIN32)
LEAT_FILE {
  /* The names are glibc's, for gnulib's functions that read members of a FILE: these members are a
   * stream's buffers. _IO_save_base is never null, so that gnulib's fseeko calls leat's fseeko and
   * does not move the descriptor by itself. */
  char* _IO_save_base;
  char* _IO_save_end;
  __extension__ long long _offset;
  char leat_head[224 - 2 * sizeof(char*) - 8];
  char* _IO_read_ptr;
  char* _IO_read_end;
  char* _IO_write_ptr;
  char* _IO_write_end;
  char* _IO_write_base;
  int _flags;
};
#  define _IO_EOF_SEEN 0x0010
#  define _IO_ERR_SEEN 0x0020
#endif

/** A position and the decoder state of a wide stream; as leat_fpos. */
typedef struct leat_stdio_fpos {
  __extension__ long long leat_position;
  __extension__ unsigned long long leat_state;
} fpos_t;

#if !defined(__off_t_defined) && !defined(_WIN32)
#  if defined(__LP64__) && !defined(__APPLE__)
typedef long off_t;
#  else
__extension__ typedef long long off_t;
#  endif
#  define __off_t_defined
#endif
#if !defined(__ssize_t_defined) && !defined(_WIN32)
typedef __PTRDIFF_TYPE__ ssize_t;
#  define __ssize_t_defined
#endif

#if !defined(EOF)
#  define EOF (-1)
#endif
#if !defined(SEEK_SET)
#  define SEEK_SET 0
#  define SEEK_CUR 1
#  define SEEK_END 2
#endif
#if defined(__linux__) && defined(LEAT_STDIO_POSIX)
#  define SEEK_DATA 3
#  define SEEK_HOLE 4
#endif
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
/** The size of the memory for setbuf. leat's default buffers are larger. */
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define TMP_MAX 238328
#if defined(_WIN32)
#  define L_tmpnam 260
#else
#  define L_tmpnam 20
#endif
#define L_ctermid 9
#define L_cuserid 9
#define P_tmpdir "/tmp"
#define RENAME_NOREPLACE (1 << 0)
#define RENAME_EXCHANGE (1 << 1)
#define RENAME_WHITEOUT (1 << 2)

/** Variables, as in libc: a program may assign another stream. */
LEAT_API extern FILE* stdin LEAT_AS(stdio_stdin);
LEAT_API extern FILE* stdout LEAT_AS(stdio_stdout);
LEAT_API extern FILE* stderr LEAT_AS(stdio_stderr);
#define stdin stdin
#define stdout stdout
#define stderr stderr

/* --- C --- */

#if defined(_WIN32)
/* libc's functions would interpret the path in the machine's code page. */
extern int remove(const char* __path) LEAT_AS(remove);
extern int rename(const char* __from, const char* __to) LEAT_AS(rename);
#else
extern int remove(const char* __path);
extern int rename(const char* __from, const char* __to);
#endif
extern char* tmpnam(char* __name) LEAT_RESULT_USED;
extern FILE* tmpfile(void) LEAT_AS(tmpfile) LEAT_RESULT_USED;
extern FILE* fopen(const char* __restrict__ __path, const char* __restrict__ __mode)
    LEAT_AS(fopen) LEAT_RESULT_USED;
extern FILE* freopen(const char* __restrict__ __path, const char* __restrict__ __mode,
                     FILE* __restrict__ __file) LEAT_AS(freopen) LEAT_RESULT_USED;
extern int fclose(FILE* __file) LEAT_AS(fclose);
extern int fflush(FILE* __file) LEAT_AS(fflush);
extern void setbuf(FILE* __restrict__ __file, char* __restrict__ __buffer) LEAT_AS(setbuf);
extern int setvbuf(FILE* __restrict__ __file, char* __restrict__ __buffer, int __mode,
                   size_t __size) LEAT_AS(setvbuf);

extern size_t fread(void* __restrict__ __to, size_t __size, size_t __count,
                    FILE* __restrict__ __file) LEAT_AS(fread) LEAT_RESULT_USED;
extern size_t fwrite(const void* __restrict__ __from, size_t __size, size_t __count,
                     FILE* __restrict__ __file) LEAT_AS(fwrite);
extern int fgetc(FILE* __file) LEAT_AS(fgetc);
extern int getc(FILE* __file) LEAT_AS(fgetc);
extern int getchar(void) LEAT_AS(getchar);
extern int ungetc(int __byte, FILE* __file) LEAT_AS(ungetc);
extern char* fgets(char* __restrict__ __to, int __size, FILE* __restrict__ __file) LEAT_AS(fgets)
    LEAT_WRITES(1, 2) LEAT_RESULT_USED;
#if (defined(__cplusplus) && __cplusplus < 201402L) || \
    (!defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L))
/* libc's function would skip the bytes that stdin has read ahead. */
extern char* gets(char* __to) LEAT_AS(stdio_gets) LEAT_RESULT_USED;
#endif
extern int fputc(int __byte, FILE* __file) LEAT_AS(fputc);
extern int putc(int __byte, FILE* __file) LEAT_AS(fputc);
extern int putchar(int __byte) LEAT_AS(putchar);
extern int fputs(const char* __restrict__ __text, FILE* __restrict__ __file) LEAT_AS(fputs);
extern int puts(const char* __text) LEAT_AS(puts);

#if !defined(__clang__) || defined(__cplusplus)
LEAT_DECLARE_FPRINTF(FILE)
#endif
extern int printf(const char* __restrict__ __format, ...) LEAT_PRINTF_AS(printf)
    LEAT_FORMAT(printf, 1, 2);
extern int sprintf(char* __restrict__ __to, const char* __restrict__ __format, ...)
    LEAT_PRINTF_AS(sprintf) LEAT_FORMAT(printf, 2, 3);
extern int snprintf(char* __restrict__ __to, size_t __size, const char* __restrict__ __format, ...)
    LEAT_PRINTF_AS(snprintf) LEAT_FORMAT(printf, 3, 4);
extern int vfprintf(FILE* __restrict__ __file, const char* __restrict__ __format,
                    va_list __arguments) LEAT_PRINTF_AS(vfprintf) LEAT_FORMAT(printf, 2, 0);
extern int vprintf(const char* __restrict__ __format, va_list __arguments) LEAT_PRINTF_AS(vprintf)
    LEAT_FORMAT(printf, 1, 0);
extern int vsprintf(char* __restrict__ __to, const char* __restrict__ __format, va_list __arguments)
    LEAT_PRINTF_AS(vsprintf) LEAT_FORMAT(printf, 2, 0);
extern int vsnprintf(char* __restrict__ __to, size_t __size, const char* __restrict__ __format,
                     va_list __arguments) LEAT_PRINTF_AS(vsnprintf) LEAT_FORMAT(printf, 3, 0);

extern int fscanf(FILE* __restrict__ __file, const char* __restrict__ __format, ...)
    LEAT_SCANF_AS(fscanf) LEAT_FORMAT(scanf, 2, 3) LEAT_RESULT_USED;
extern int scanf(const char* __restrict__ __format, ...) LEAT_SCANF_AS(scanf)
    LEAT_FORMAT(scanf, 1, 2) LEAT_RESULT_USED;
extern int sscanf(const char* __restrict__ __text, const char* __restrict__ __format, ...)
    LEAT_SCANF_AS(sscanf) LEAT_FORMAT(scanf, 2, 3);
extern int vfscanf(FILE* __restrict__ __file, const char* __restrict__ __format,
                   va_list __arguments) LEAT_SCANF_AS(vfscanf)
    LEAT_FORMAT(scanf, 2, 0) LEAT_RESULT_USED;
extern int vscanf(const char* __restrict__ __format, va_list __arguments) LEAT_SCANF_AS(vscanf)
    LEAT_FORMAT(scanf, 1, 0) LEAT_RESULT_USED;
extern int vsscanf(const char* __restrict__ __text, const char* __restrict__ __format,
                   va_list __arguments) LEAT_SCANF_AS(vsscanf) LEAT_FORMAT(scanf, 2, 0);

extern int fseek(FILE* __file, long __offset, int __whence) LEAT_AS(fseek);
extern long ftell(FILE* __file) LEAT_AS(ftell) LEAT_RESULT_USED;
extern void rewind(FILE* __file) LEAT_AS(rewind);
extern int fgetpos(FILE* __restrict__ __file, fpos_t* __restrict__ __position) LEAT_AS(fgetpos);
extern int fsetpos(FILE* __file, const fpos_t* __position) LEAT_AS(fsetpos);
extern void clearerr(FILE* __file) LEAT_AS(clearerr);
extern int feof(FILE* __file) LEAT_AS(feof) LEAT_RESULT_USED;
extern int ferror(FILE* __file) LEAT_AS(ferror) LEAT_RESULT_USED;
extern void perror(const char* __text) LEAT_AS(perror);

/* --- POSIX and BSD --- */

#if defined(LEAT_STDIO_POSIX)

extern FILE* fdopen(int __descriptor, const char* __mode) LEAT_AS(fdopen) LEAT_RESULT_USED;
extern int fileno(FILE* __file) LEAT_AS(fileno) LEAT_RESULT_USED;
extern FILE* popen(const char* __command, const char* __mode) LEAT_AS(popen) LEAT_RESULT_USED;
extern int pclose(FILE* __file) LEAT_AS(pclose);
extern FILE* fmemopen(void* __restrict__ __memory, size_t __size, const char* __restrict__ __mode)
    LEAT_AS(fmemopen) LEAT_RESULT_USED;
extern FILE* open_memstream(char** __memory, size_t* __size)
    LEAT_AS(open_memstream) LEAT_RESULT_USED;
#  if defined(_WIN32) && (!defined(_FILE_OFFSET_BITS) || _FILE_OFFSET_BITS != 64)
/* off_t has 32 bits on this system. */
extern int fseeko(FILE* __file, off_t __offset, int __whence) LEAT_AS(fseek);
extern off_t ftello(FILE* __file) LEAT_AS(ftell) LEAT_RESULT_USED;
#  else
extern int fseeko(FILE* __file, off_t __offset, int __whence) LEAT_AS(fseeko);
extern off_t ftello(FILE* __file) LEAT_AS(ftello) LEAT_RESULT_USED;
#  endif
extern ssize_t getline(char** __restrict__ __line, size_t* __restrict__ __size,
                       FILE* __restrict__ __file) LEAT_AS(getline) LEAT_RESULT_USED;
extern ssize_t getdelim(char** __restrict__ __line, size_t* __restrict__ __size, int __delimiter,
                        FILE* __restrict__ __file) LEAT_AS(getdelim) LEAT_RESULT_USED;
extern int dprintf(int __descriptor, const char* __restrict__ __format, ...) LEAT_PRINTF_AS(dprintf)
    LEAT_FORMAT(printf, 2, 3);
extern int vdprintf(int __descriptor, const char* __restrict__ __format, va_list __arguments)
    LEAT_PRINTF_AS(vdprintf) LEAT_FORMAT(printf, 2, 0);

extern void flockfile(FILE* __file) LEAT_AS(flockfile);
extern int ftrylockfile(FILE* __file) LEAT_AS(ftrylockfile) LEAT_RESULT_USED;
extern void funlockfile(FILE* __file) LEAT_AS(funlockfile);
extern int getc_unlocked(FILE* __file) LEAT_AS(fgetc_unlocked);
extern int getchar_unlocked(void) LEAT_AS(getchar_unlocked);
extern int putc_unlocked(int __byte, FILE* __file) LEAT_AS(fputc_unlocked);
extern int putchar_unlocked(int __byte) LEAT_AS(putchar_unlocked);

extern char* tempnam(const char* __folder, const char* __prefix) LEAT_RESULT_USED;
#  if !defined(_WIN32)
extern char* ctermid(char* __name);
extern char* cuserid(char* __name);
extern int renameat(int __from_folder, const char* __from, int __to_folder, const char* __to);
#  endif
#  if defined(__linux__) && __has_include(<gnu/libc-version.h>)
extern char* tmpnam_r(char* __name) LEAT_RESULT_USED;
struct obstack;
extern int obstack_printf(struct obstack* __restrict__ __to, const char* __restrict__ __format, ...)
    LEAT_FORMAT(printf, 2, 3);
extern int obstack_vprintf(struct obstack* __restrict__ __to, const char* __restrict__ __format,
                           va_list __arguments) LEAT_FORMAT(printf, 2, 0);
#  endif

extern int fgetc_unlocked(FILE* __file) LEAT_AS(fgetc_unlocked);
extern int fputc_unlocked(int __byte, FILE* __file) LEAT_AS(fputc_unlocked);
extern size_t fread_unlocked(void* __restrict__ __to, size_t __size, size_t __count,
                             FILE* __restrict__ __file) LEAT_AS(fread_unlocked) LEAT_RESULT_USED;
extern size_t fwrite_unlocked(const void* __restrict__ __from, size_t __size, size_t __count,
                              FILE* __restrict__ __file) LEAT_AS(fwrite_unlocked);
extern char* fgets_unlocked(char* __restrict__ __to, int __size, FILE* __restrict__ __file)
    LEAT_AS(fgets_unlocked) LEAT_WRITES(1, 2) LEAT_RESULT_USED;
extern int fputs_unlocked(const char* __restrict__ __text, FILE* __restrict__ __file)
    LEAT_AS(fputs_unlocked);
extern int fflush_unlocked(FILE* __file) LEAT_AS(fflush_unlocked);
extern void clearerr_unlocked(FILE* __file) LEAT_AS(clearerr_unlocked);
extern int feof_unlocked(FILE* __file) LEAT_AS(feof_unlocked) LEAT_RESULT_USED;
extern int ferror_unlocked(FILE* __file) LEAT_AS(ferror_unlocked) LEAT_RESULT_USED;
extern int fileno_unlocked(FILE* __file) LEAT_AS(fileno_unlocked) LEAT_RESULT_USED;
extern void setbuffer(FILE* __restrict__ __file, char* __restrict__ __buffer, size_t __size)
    LEAT_AS(setbuffer);
extern void setlinebuf(FILE* __file) LEAT_AS(setlinebuf);
extern int getw(FILE* __file) LEAT_AS(getw);
extern int putw(int __word, FILE* __file) LEAT_AS(putw);

#  if !defined(__APPLE__) && !defined(_WIN32)
/** The types of fopencookie's functions, as in libc's header; see leat_cookie_functions. */
typedef ssize_t cookie_read_function_t(void* __cookie, char* __to, size_t __size);
typedef ssize_t cookie_write_function_t(void* __cookie, const char* __from, size_t __size);
typedef int cookie_seek_function_t(void* __cookie, off_t* __offset, int __whence);
typedef int cookie_close_function_t(void* __cookie);
typedef struct _IO_cookie_io_functions_t {
  cookie_read_function_t* read;
  cookie_write_function_t* write;
  cookie_seek_function_t* seek;
  cookie_close_function_t* close;
} cookie_io_functions_t;
extern FILE* fopencookie(void* __restrict__ __cookie, const char* __restrict__ __mode,
                         cookie_io_functions_t __functions) LEAT_AS(fopencookie) LEAT_RESULT_USED;
#  endif

#  if defined(_WIN32)
/* The names of Microsoft's library. */
extern FILE* _fdopen(int __descriptor, const char* __mode) LEAT_AS(fdopen);
extern int _fileno(FILE* __file) LEAT_AS(fileno);
extern FILE* _popen(const char* __command, const char* __mode) LEAT_AS(popen);
extern int _pclose(FILE* __file) LEAT_AS(pclose);
__extension__ extern int _fseeki64(FILE* __file, long long __offset, int __whence) LEAT_AS(fseeko);
__extension__ extern long long _ftelli64(FILE* __file) LEAT_AS(ftello);
extern int _fcloseall(void) LEAT_AS(fcloseall);
extern void _lock_file(FILE* __file) LEAT_AS(flockfile);
extern void _unlock_file(FILE* __file) LEAT_AS(funlockfile);
extern int _getw(FILE* __file) LEAT_AS(getw);
extern int _putw(int __word, FILE* __file) LEAT_AS(putw);
extern int _snprintf(char* __to, size_t __size, const char* __format, ...);
extern int _vsnprintf(char* __to, size_t __size, const char* __format, va_list __arguments);
#  endif

/* Except on Windows, off_t has 64 bits, so fopen64 and fopen are the same function. */
#  if (!defined(LEAT_STDIO_STRICT) || defined(_LARGEFILE64_SOURCE) || defined(_GNU_SOURCE)) && \
      !defined(_WIN32)
#    if !defined(__off64_t_defined)
typedef off_t off64_t;
#      define __off64_t_defined
#    endif
typedef fpos_t fpos64_t;
extern FILE* fopen64(const char* __restrict__ __path, const char* __restrict__ __mode)
    LEAT_AS(fopen) LEAT_RESULT_USED;
extern FILE* freopen64(const char* __restrict__ __path, const char* __restrict__ __mode,
                       FILE* __restrict__ __file) LEAT_AS(freopen) LEAT_RESULT_USED;
extern FILE* tmpfile64(void) LEAT_AS(tmpfile) LEAT_RESULT_USED;
extern int fseeko64(FILE* __file, off64_t __offset, int __whence) LEAT_AS(fseeko);
extern off64_t ftello64(FILE* __file) LEAT_AS(ftello) LEAT_RESULT_USED;
extern int fgetpos64(FILE* __restrict__ __file, fpos64_t* __restrict__ __position) LEAT_AS(fgetpos);
extern int fsetpos64(FILE* __file, const fpos64_t* __position) LEAT_AS(fsetpos);
#  endif

/* Unless LEAT_STDIO_NO_GNU is defined, these functions are declared even if _GNU_SOURCE is not
 * defined yet. */
#  if !defined(LEAT_STDIO_NO_GNU)
extern int asprintf(char** __restrict__ __to, const char* __restrict__ __format, ...)
    LEAT_PRINTF_AS(asprintf) LEAT_FORMAT(printf, 2, 3) LEAT_RESULT_USED;
extern int vasprintf(char** __restrict__ __to, const char* __restrict__ __format,
                     va_list __arguments) LEAT_PRINTF_AS(vasprintf)
    LEAT_FORMAT(printf, 2, 0) LEAT_RESULT_USED;
#    if !defined(_WIN32)
extern int renameat2(int __from_folder, const char* __from, int __to_folder, const char* __to,
                     unsigned __flags);
#    endif
extern int fcloseall(void) LEAT_AS(fcloseall);
#  endif

#endif /* LEAT_STDIO_POSIX */

/* --- wide characters: the functions of <wchar.h> for streams --- */

extern int fwide(FILE* __file, int __mode) LEAT_AS(fwide);
extern __WINT_TYPE__ fgetwc(FILE* __file) LEAT_AS(fgetwc);
extern __WINT_TYPE__ getwc(FILE* __file) LEAT_AS(fgetwc);
extern __WINT_TYPE__ getwchar(void) LEAT_AS(getwchar);
extern __WINT_TYPE__ ungetwc(__WINT_TYPE__ __character, FILE* __file) LEAT_AS(ungetwc);
extern __WINT_TYPE__ fputwc(wchar_t __character, FILE* __file) LEAT_AS(fputwc);
extern __WINT_TYPE__ putwc(wchar_t __character, FILE* __file) LEAT_AS(fputwc);
extern __WINT_TYPE__ putwchar(wchar_t __character) LEAT_AS(putwchar);
extern wchar_t* fgetws(wchar_t* __restrict__ __to, int __size, FILE* __restrict__ __file)
    LEAT_AS(fgetws);
extern int fputws(const wchar_t* __restrict__ __text, FILE* __restrict__ __file) LEAT_AS(fputws);
extern int fwprintf(FILE* __restrict__ __file, const wchar_t* __restrict__ __format, ...)
    LEAT_PRINTF_AS(fwprintf);
extern int wprintf(const wchar_t* __restrict__ __format, ...) LEAT_PRINTF_AS(wprintf);
extern int swprintf(wchar_t* __restrict__ __to, size_t __size, const wchar_t* __restrict__ __format,
                    ...) LEAT_PRINTF_AS(swprintf);
extern int vfwprintf(FILE* __restrict__ __file, const wchar_t* __restrict__ __format,
                     va_list __arguments) LEAT_PRINTF_AS(vfwprintf);
extern int vwprintf(const wchar_t* __restrict__ __format, va_list __arguments)
    LEAT_PRINTF_AS(vwprintf);
extern int vswprintf(wchar_t* __restrict__ __to, size_t __size,
                     const wchar_t* __restrict__ __format, va_list __arguments)
    LEAT_PRINTF_AS(vswprintf);
#if defined(LEAT_STDIO_POSIX)
extern FILE* open_wmemstream(wchar_t** __memory, size_t* __size) LEAT_AS(open_wmemstream);
extern __WINT_TYPE__ fgetwc_unlocked(FILE* __file) LEAT_AS(fgetwc_unlocked);
extern __WINT_TYPE__ getwc_unlocked(FILE* __file) LEAT_AS(fgetwc_unlocked);
extern __WINT_TYPE__ getwchar_unlocked(void) LEAT_AS(getwchar_unlocked);
extern __WINT_TYPE__ fputwc_unlocked(wchar_t __character, FILE* __file) LEAT_AS(fputwc_unlocked);
extern __WINT_TYPE__ putwc_unlocked(wchar_t __character, FILE* __file) LEAT_AS(fputwc_unlocked);
extern __WINT_TYPE__ putwchar_unlocked(wchar_t __character) LEAT_AS(putwchar_unlocked);
extern wchar_t* fgetws_unlocked(wchar_t* __restrict__ __to, int __size, FILE* __restrict__ __file)
    LEAT_AS(fgetws_unlocked);
extern int fputws_unlocked(const wchar_t* __restrict__ __text, FILE* __restrict__ __file)
    LEAT_AS(fputws_unlocked);
#endif

#if defined(__clang__) && !defined(_WCHAR_H)
/* <wchar.h> would give these names to libc's functions. */
#  define LEAT_STREAM(name) __attribute__((__error__(#name " needs -DLEAT_STDIO_WCHAR with Clang")))
extern int fwscanf(FILE* __restrict__ __file, const wchar_t* __restrict__ __format, ...)
    LEAT_STREAM(fwscanf);
extern int wscanf(const wchar_t* __restrict__ __format, ...) LEAT_STREAM(wscanf);
extern int vfwscanf(FILE* __restrict__ __file, const wchar_t* __restrict__ __format,
                    va_list __arguments) LEAT_STREAM(vfwscanf);
extern int vwscanf(const wchar_t* __restrict__ __format, va_list __arguments) LEAT_STREAM(vwscanf);
#else
extern int fwscanf(FILE* __restrict__ __file, const wchar_t* __restrict__ __format, ...)
    LEAT_SCANF_AS(fwscanf);
extern int wscanf(const wchar_t* __restrict__ __format, ...) LEAT_SCANF_AS(wscanf);
extern int swscanf(const wchar_t* __restrict__ __text, const wchar_t* __restrict__ __format, ...)
    LEAT_SCANF_AS(swscanf);
extern int vfwscanf(FILE* __restrict__ __file, const wchar_t* __restrict__ __format,
                    va_list __arguments) LEAT_SCANF_AS(vfwscanf);
extern int vwscanf(const wchar_t* __restrict__ __format, va_list __arguments)
    LEAT_SCANF_AS(vwscanf);
extern int vswscanf(const wchar_t* __restrict__ __text, const wchar_t* __restrict__ __format,
                    va_list __arguments) LEAT_SCANF_AS(vswscanf);
#endif
#if defined(_FORTIFY_SOURCE) && !defined(_WCHAR_H)
/* The functions that libc's inline functions call. */
extern int __fwprintf_chk(FILE* __restrict__ __file, int __flag,
                          const wchar_t* __restrict__ __format, ...) LEAT_AS(stdio_fwprintf_chk);
extern int __wprintf_chk(int __flag, const wchar_t* __restrict__ __format, ...)
    LEAT_AS(stdio_wprintf_chk);
extern int __vfwprintf_chk(FILE* __restrict__ __file, int __flag,
                           const wchar_t* __restrict__ __format, va_list __arguments)
    LEAT_AS(stdio_vfwprintf_chk);
extern int __vwprintf_chk(int __flag, const wchar_t* __restrict__ __format, va_list __arguments)
    LEAT_AS(stdio_vwprintf_chk);
extern wchar_t* __fgetws_alias(wchar_t* __restrict__ __to, int __size, FILE* __restrict__ __file)
    LEAT_AS(fgetws);
extern wchar_t* __fgetws_chk(wchar_t* __restrict__ __to, size_t __room, int __size,
                             FILE* __restrict__ __file) LEAT_AS(stdio_fgetws_chk);
extern wchar_t* __fgetws_chk_warn(wchar_t* __restrict__ __to, size_t __room, int __size,
                                  FILE* __restrict__ __file) LEAT_AS(stdio_fgetws_chk);
extern wchar_t* __fgetws_unlocked_alias(wchar_t* __restrict__ __to, int __size,
                                        FILE* __restrict__ __file) LEAT_AS(fgetws_unlocked);
extern wchar_t* __fgetws_unlocked_chk(wchar_t* __restrict__ __to, size_t __room, int __size,
                                      FILE* __restrict__ __file) LEAT_AS(stdio_fgetws_chk);
extern wchar_t* __fgetws_unlocked_chk_warn(wchar_t* __restrict__ __to, size_t __room, int __size,
                                           FILE* __restrict__ __file) LEAT_AS(stdio_fgetws_chk);
#endif

/* --- <stdio_ext.h> --- */

#if defined(__linux__)
/** The argument and result of __fsetlocking. */
enum {
  FSETLOCKING_QUERY = 0, /**< Returns the type, and changes nothing. */
  FSETLOCKING_INTERNAL,  /**< Each function takes the stream's lock. */
  FSETLOCKING_BYCALLER   /**< No function takes the lock; the program does. */
};
#  define FSETLOCKING_QUERY FSETLOCKING_QUERY
#  define FSETLOCKING_INTERNAL FSETLOCKING_INTERNAL
#  define FSETLOCKING_BYCALLER FSETLOCKING_BYCALLER

extern size_t __fbufsize(FILE* __file) LEAT_AS(fbufsize);
extern size_t __fpending(FILE* __file) LEAT_AS(fpending);
extern int __freading(FILE* __file) LEAT_AS(freading);
extern int __fwriting(FILE* __file) LEAT_AS(fwriting);
extern int __freadable(FILE* __file) LEAT_AS(freadable);
extern int __fwritable(FILE* __file) LEAT_AS(fwritable);
extern int __flbf(FILE* __file) LEAT_AS(flbf);
extern void __fpurge(FILE* __file) LEAT_AS(fpurge);
extern void _flushlbf(void) LEAT_AS(flushlbf);
extern int __fsetlocking(FILE* __file, int __type) LEAT_AS(fsetlocking);
/* Additional functions of musl; gnulib uses them. */
extern size_t __freadahead(FILE* __file) LEAT_AS(stdio_freadahead);
extern const char* __freadptr(FILE* __file, size_t* __size) LEAT_AS(stdio_freadptr);
extern void __freadptrinc(FILE* __file, size_t __size) LEAT_AS(stdio_freadptrinc);
extern void __fseterr(FILE* __file) LEAT_AS(stdio_fseterr);
#endif

/* --- other functions of libc that take a FILE --- */

/** libc's FILE over the same stream, for a library that was compiled with <stdio.h>. The FILE has
 * no buffer, and is closed with the stream. Call this function again after rewind or clearerr to
 * clear libc's flags too. If libc can't make such a FILE, returns null and sets errno to ENOTSUP.
 */
extern FILE* leat_libc_file(FILE* __file) LEAT_AS(libc_file);

#if defined(LEAT_STDIO_POSIX) && defined(__linux__) && __has_include(<gnu/libc-version.h>)
/* Functions of other headers that take or return a FILE. setmntent and endmntent open and close a
 * stream of leat. The other functions call libc's functions with leat_libc_file(file). */
struct group;
struct passwd;
struct sgrp;
struct spwd;
extern struct group* fgetgrent(FILE* __file) LEAT_AS(fgetgrent);
extern int putgrent(const struct group* __restrict__ __entry, FILE* __restrict__ __file)
    LEAT_AS(putgrent);
extern struct passwd* fgetpwent(FILE* __file) LEAT_AS(fgetpwent);
extern int putpwent(const struct passwd* __restrict__ __entry, FILE* __restrict__ __file)
    LEAT_AS(putpwent);
extern struct sgrp* fgetsgent(FILE* __file) LEAT_AS(fgetsgent);
extern int putsgent(const struct sgrp* __entry, FILE* __file) LEAT_AS(putsgent);
extern struct spwd* fgetspent(FILE* __file) LEAT_AS(fgetspent);
extern int putspent(const struct spwd* __entry, FILE* __file) LEAT_AS(putspent);
#  if !defined(__cplusplus)
#    define LEAT_NO_THROW
#  elif __cplusplus >= 201103L
#    define LEAT_NO_THROW noexcept
#  else
#    define LEAT_NO_THROW throw()
#  endif
extern int malloc_info(int __options, FILE* __file) LEAT_NO_THROW LEAT_AS(malloc_info);
extern int fgetgrent_r(FILE* __restrict__ __file, struct group* __restrict__ __entry,
                       char* __restrict__ __buffer, size_t __size,
                       struct group** __restrict__ __result) LEAT_AS(fgetgrent_r);
extern int fgetpwent_r(FILE* __restrict__ __file, struct passwd* __restrict__ __entry,
                       char* __restrict__ __buffer, size_t __size,
                       struct passwd** __restrict__ __result) LEAT_AS(fgetpwent_r);
extern int fgetsgent_r(FILE* __file, struct sgrp* __entry, char* __buffer, size_t __size,
                       struct sgrp** __result) LEAT_AS(fgetsgent_r);
extern int fgetspent_r(FILE* __file, struct spwd* __entry, char* __buffer, size_t __size,
                       struct spwd** __result) LEAT_AS(fgetspent_r);
struct mntent;
extern FILE* setmntent(const char* __path, const char* __mode) LEAT_NO_THROW LEAT_AS(setmntent);
extern struct mntent* getmntent(FILE* __file) LEAT_NO_THROW LEAT_AS(getmntent);
extern struct mntent* getmntent_r(FILE* __restrict__ __file, struct mntent* __restrict__ __entry,
                                  char* __restrict__ __buffer, int __size) LEAT_NO_THROW
    LEAT_AS(getmntent_r);
extern int addmntent(FILE* __restrict__ __file,
                     const struct mntent* __restrict__ __entry) LEAT_NO_THROW LEAT_AS(addmntent);
extern int endmntent(FILE* __file) LEAT_NO_THROW LEAT_AS(endmntent);
/* <argp.h>'s inline function argp_usage may call __argp_state_help. */
struct argp;
struct argp_state;
extern void argp_help(const struct argp* __restrict__ __argp, FILE* __restrict__ __file,
                      unsigned __flags, char* __restrict__ __name) LEAT_AS(argp_help);
extern void argp_state_help(const struct argp_state* __restrict__ __state,
                            FILE* __restrict__ __file, unsigned __flags) LEAT_AS(argp_state_help);
extern void __argp_state_help(const struct argp_state* __restrict__ __state,
                              FILE* __restrict__ __file, unsigned __flags) LEAT_AS(argp_state_help);
#endif

#define LEAT_INLINE extern __inline__ __attribute__((__gnu_inline__, __always_inline__))

/* --- _FORTIFY_SOURCE: calls that say how much room there is --- */

#if defined(LEAT_FORTIFIED)

extern char* leat_stdio_fgets_chk(char* __to, size_t __room, int __size, FILE* __file)
    LEAT_WRITES(1, 3);
LEAT_INLINE char* fgets(char* __restrict__ __to, int __size, FILE* __restrict__ __file) {
  return leat_stdio_fgets_chk(__to, LEAT_ROOM(__to), __size, __file);
}
extern size_t leat_stdio_fread_chk(void* __to, size_t __room, size_t __size, size_t __count,
                                   FILE* __file);
/* GCC warns of each call of this function. */
extern size_t leat_stdio_fread_too_much(void* __to, size_t __room, size_t __size, size_t __count,
                                        FILE* __file) LEAT_AS(stdio_fread_chk)
#  if !defined(__clang__)
    __attribute__((__warning__("fread of more bytes than the memory can hold")))
#  endif
    ;
LEAT_INLINE size_t leat_stdio_fread_within(void* __to, size_t __room, size_t __size, size_t __count,
                                           FILE* __file) {
  if (__builtin_constant_p(__size * __count > __room) && __size * __count > __room)
    return leat_stdio_fread_too_much(__to, __room, __size, __count, __file);
  return leat_stdio_fread_chk(__to, __room, __size, __count, __file);
}
#  if defined(LEAT_NO_INLINE)
LEAT_INLINE size_t fread(void* __restrict__ __to, size_t __size, size_t __count,
                         FILE* __restrict__ __file) {
  return leat_stdio_fread_within(__to, LEAT_ROOM_OF(__to, 0), __size, __count, __file);
}
#  endif
#  if (defined(__cplusplus) && __cplusplus < 201402L) || \
      (!defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L))
extern char* leat_stdio_gets_chk(char* __to, size_t __room);
LEAT_INLINE char* gets(char* __to) { return leat_stdio_gets_chk(__to, LEAT_ROOM(__to)); }
#  endif
#  if defined(LEAT_STDIO_POSIX)
LEAT_INLINE char* fgets_unlocked(char* __restrict__ __to, int __size, FILE* __restrict__ __file) {
  return leat_stdio_fgets_chk(__to, LEAT_ROOM(__to), __size, __file);
}
LEAT_INLINE size_t fread_unlocked(void* __restrict__ __to, size_t __size, size_t __count,
                                  FILE* __restrict__ __file) {
  return leat_stdio_fread_within(__to, LEAT_ROOM_OF(__to, 0), __size, __count, __file);
}
#  endif

/* The names are the names of GCC's built-in functions, so that GCC still recognizes the functions.
 */
#  if defined(LEAT_NO_PERCENT_N)
#    define LEAT_FORTIFY_FLAG (-1)
#  else
#    define LEAT_FORTIFY_FLAG (_FORTIFY_SOURCE - 1)
#  endif
#  if defined(__clang__)
#    define LEAT_FITS(size, room) \
      __attribute__((__diagnose_if__(size > room, "the size is larger than the memory", "warning")))
#  else
#    define LEAT_FITS(size, room)
#  endif
extern int __sprintf_chk(char* __restrict__ __to, int __flag, size_t __room,
                         const char* __restrict__ __format, ...) LEAT_AS(stdio_sprintf_chk)
    LEAT_FORMAT(printf, 4, 5);
extern int __snprintf_chk(char* __restrict__ __to, size_t __size, int __flag, size_t __room,
                          const char* __restrict__ __format, ...) LEAT_FITS(__size, __room)
    LEAT_AS(stdio_snprintf_chk) LEAT_FORMAT(printf, 5, 6);
extern int __vsprintf_chk(char* __restrict__ __to, int __flag, size_t __room,
                          const char* __restrict__ __format, va_list __arguments)
    LEAT_AS(stdio_vsprintf_chk) LEAT_FORMAT(printf, 4, 0);
extern int __vsnprintf_chk(char* __restrict__ __to, size_t __size, int __flag, size_t __room,
                           const char* __restrict__ __format, va_list __arguments)
    LEAT_AS(stdio_vsnprintf_chk) LEAT_FORMAT(printf, 5, 0);
LEAT_INLINE int vsprintf(char* __restrict__ __to, const char* __restrict__ __format,
                         va_list __arguments) {
  return __vsprintf_chk(__to, LEAT_FORTIFY_FLAG, LEAT_ROOM(__to), __format, __arguments);
}
LEAT_INLINE int vsnprintf(char* __restrict__ __to, size_t __size, const char* __restrict__ __format,
                          va_list __arguments) {
  return __vsnprintf_chk(__to, __size, LEAT_FORTIFY_FLAG, LEAT_ROOM(__to), __format, __arguments);
}
#  if !defined(__clang__)
LEAT_INLINE int sprintf(char* __restrict__ __to, const char* __restrict__ __format, ...) {
  return __sprintf_chk(__to, LEAT_FORTIFY_FLAG, LEAT_ROOM(__to), __format, __builtin_va_arg_pack());
}
LEAT_INLINE int snprintf(char* __restrict__ __to, size_t __size, const char* __restrict__ __format,
                         ...) {
  return __snprintf_chk(__to, __size, LEAT_FORTIFY_FLAG, LEAT_ROOM(__to), __format,
                        __builtin_va_arg_pack());
}
#  elif !defined(__cplusplus)
#    define sprintf(to, ...) __sprintf_chk(to, LEAT_FORTIFY_FLAG, LEAT_ROOM(to), __VA_ARGS__)
#    define snprintf(to, size, ...) \
      __snprintf_chk(to, size, LEAT_FORTIFY_FLAG, LEAT_ROOM(to), __VA_ARGS__)
#  endif

#  if defined(_WCHAR_H)
/* If libc's <wchar.h> is not included yet, it declares these functions later. */
#    define LEAT_WIDE_ROOM(to) \
      (LEAT_ROOM(to) == (size_t)-1 ? (size_t)-1 : LEAT_ROOM(to) / sizeof(wchar_t))
extern wchar_t* leat_stdio_fgetws_chk(wchar_t* __to, size_t __room, int __size, FILE* __file);
LEAT_INLINE wchar_t* fgetws(wchar_t* __restrict__ __to, int __size, FILE* __restrict__ __file) {
  return leat_stdio_fgetws_chk(__to, LEAT_WIDE_ROOM(__to), __size, __file);
}
#    if defined(LEAT_STDIO_POSIX)
LEAT_INLINE wchar_t* fgetws_unlocked(wchar_t* __restrict__ __to, int __size,
                                     FILE* __restrict__ __file) {
  return leat_stdio_fgetws_chk(__to, LEAT_WIDE_ROOM(__to), __size, __file);
}
#    endif
extern int leat_stdio_swprintf_chk(wchar_t* __to, size_t __size, int __flag, size_t __room,
                                   const wchar_t* __format, ...);
extern int leat_stdio_vswprintf_chk(wchar_t* __to, size_t __size, int __flag, size_t __room,
                                    const wchar_t* __format, va_list __arguments);
LEAT_INLINE int vswprintf(wchar_t* __restrict__ __to, size_t __size,
                          const wchar_t* __restrict__ __format, va_list __arguments) {
  return leat_stdio_vswprintf_chk(__to, __size, LEAT_FORTIFY_FLAG, LEAT_WIDE_ROOM(__to), __format,
                                  __arguments);
}
#    if !defined(__clang__)
LEAT_INLINE int swprintf(wchar_t* __restrict__ __to, size_t __size,
                         const wchar_t* __restrict__ __format, ...) {
  return leat_stdio_swprintf_chk(__to, __size, LEAT_FORTIFY_FLAG, LEAT_WIDE_ROOM(__to), __format,
                                 __builtin_va_arg_pack());
}
#    elif !defined(__cplusplus)
#      define swprintf(to, size, ...) \
        leat_stdio_swprintf_chk(to, size, LEAT_FORTIFY_FLAG, LEAT_WIDE_ROOM(to), __VA_ARGS__)
#    endif
#  endif

#endif /* LEAT_FORTIFIED */

/* --- inline: a check for room and a copy --- */

#if defined(__OPTIMIZE__) && !defined(LEAT_NO_INLINE)

/** The buffers of a FILE, after its head. A buffer is empty if the stream can't read or write, or
 * if each byte needs extra work. */
struct __attribute__((__may_alias__)) leat_stdio_buffers {
  char leat_head[224];
  char* leat_get;
  char* leat_get_end;
  char* leat_put;
  char* leat_put_end;
};
#  define LEAT_BUFFERS(__file) ((struct leat_stdio_buffers*)(__file))

/* Called by the inline functions. The functions of one byte have separate names: Clang treats a
 * function that calls its own assembler name as recursive, and does not inline it. */
extern int leat_stdio_fgetc(FILE* __file);
extern int leat_stdio_fgetc_unlocked(FILE* __file);
extern int leat_stdio_fputc(int __byte, FILE* __file);
extern int leat_stdio_fputc_unlocked(int __byte, FILE* __file);
#  if defined(LEAT_FORTIFIED)
#    define leat_stdio_fread(to, size, count, file) \
      leat_stdio_fread_within(to, LEAT_ROOM_OF(to, 0), size, count, file)
#  else
extern size_t leat_stdio_fread(void* __to, size_t __size, size_t __count, FILE* __file)
    LEAT_AS(fread);
#  endif
extern size_t leat_stdio_fwrite(const void* __from, size_t __size, size_t __count, FILE* __file)
    LEAT_AS(fwrite);

#  if defined(__SANITIZE_THREAD__)
#    define LEAT_THREAD_SANITIZER 1
#  elif defined(__has_feature)
#    if __has_feature(thread_sanitizer)
#      define LEAT_THREAD_SANITIZER 1
#    endif
#  endif
#  if __has_include(<sys/single_threaded.h>) && !defined(LEAT_THREAD_SANITIZER)
/* glibc's flag: false after a second thread has started; while true, no lock is needed. The flag is
 * checked after the buffer: after a check of the flag, Intel CPUs often wait for a cursor that was
 * just stored. If other threads exist, the values read from the buffer are not used; but a
 * sanitizer would report a race. */
extern char __libc_single_threaded;
#    define LEAT_KNOWS_THREAD_COUNT 1
#    define LEAT_IS_SINGLE_THREADED __libc_single_threaded
#  else
#    define LEAT_KNOWS_THREAD_COUNT 0
#    define LEAT_IS_SINGLE_THREADED 0
#  endif

/* The number of bytes from `__at` to `*__end`, by a load and a subtraction that compilers keep.
 * Without this load, this subtraction, and a second load of the end in two of the functions, store
 * forwarding of the cursor fails in short loops on Intel CPUs, for most alignments of the code:
 * tools/leat/experiments/loops/byte_addresses_body.h. */
LEAT_INLINE size_t leat_stdio_available(char** __end, const char* __at) {
  size_t __left;
  __asm__("" : "+m"(*__end));
  __left = (size_t)(*__end - __at);
  __asm__("" : "+r"(__left), "+m"(*__end));
  return __left;
}

/* fgetc and getc have one assembler name. So neither function may call the other function. */
LEAT_INLINE int leat_stdio_get(FILE* __file) {
  struct leat_stdio_buffers* const __buffers = LEAT_BUFFERS(__file);
  char* const __from = __buffers->leat_get;
  const size_t __left =
      LEAT_KNOWS_THREAD_COUNT ? leat_stdio_available(&__buffers->leat_get_end, __from) : 0;
  if (__builtin_expect(__left != 0, 1) && __builtin_expect(LEAT_IS_SINGLE_THREADED, 1)) {
    __asm__("" : : "r"(__buffers->leat_get_end));
    __buffers->leat_get = __from + 1;
    return (unsigned char)*__from;
  }
  return leat_stdio_fgetc(__file);
}
LEAT_INLINE int fgetc(FILE* __file) { return leat_stdio_get(__file); }
LEAT_INLINE int getc(FILE* __file) { return leat_stdio_get(__file); }
LEAT_INLINE int getchar(void) { return leat_stdio_get(stdin); }
LEAT_INLINE int leat_stdio_put(int __byte, FILE* __file) {
  struct leat_stdio_buffers* const __buffers = LEAT_BUFFERS(__file);
  char* const __to = __buffers->leat_put;
  const size_t __left =
      LEAT_KNOWS_THREAD_COUNT ? leat_stdio_available(&__buffers->leat_put_end, __to) : 0;
  if (__builtin_expect(__left != 0, 1) && __builtin_expect(LEAT_IS_SINGLE_THREADED, 1)) {
    __buffers->leat_put = __to + 1;
    return (unsigned char)(*__to = (char)__byte);
  }
  return leat_stdio_fputc(__byte, __file);
}
LEAT_INLINE int fputc(int __byte, FILE* __file) { return leat_stdio_put(__byte, __file); }
LEAT_INLINE int putc(int __byte, FILE* __file) { return leat_stdio_put(__byte, __file); }
LEAT_INLINE int putchar(int __byte) { return leat_stdio_put(__byte, stdout); }

/* A copy of constant size needs only a few instructions. The cursor moves first. Otherwise the
 * cursor would be loaded again after the copy, because the bytes may alias the cursor. */
LEAT_INLINE size_t fread(void* __restrict__ __to, size_t __size, size_t __count,
                         FILE* __restrict__ __file) {
  struct leat_stdio_buffers* const __buffers = LEAT_BUFFERS(__file);
  if (__builtin_constant_p(__size * __count) && __size != 0 && __count != 0 && __size <= 64 &&
      __count <= 64 && __size * __count <= 64 && __size * __count <= LEAT_ROOM_OF(__to, 0) &&
      __builtin_expect(
          (size_t)(__buffers->leat_get_end - __buffers->leat_get) >= __size * __count &&
              LEAT_IS_SINGLE_THREADED,
          1)) {
    char* const __from = __buffers->leat_get;
    __buffers->leat_get = __from + __size * __count;
    __builtin_memcpy(__to, __from, __size * __count);
    return __count;
  }
  return leat_stdio_fread(__to, __size, __count, __file);
}
LEAT_INLINE size_t fwrite(const void* __restrict__ __from, size_t __size, size_t __count,
                          FILE* __restrict__ __file) {
  struct leat_stdio_buffers* const __buffers = LEAT_BUFFERS(__file);
  if (__builtin_constant_p(__size * __count) && __size != 0 && __count != 0 && __size <= 64 &&
      __count <= 64 && __size * __count <= 64 &&
      __builtin_expect(
          (size_t)(__buffers->leat_put_end - __buffers->leat_put) >= __size * __count &&
              LEAT_IS_SINGLE_THREADED,
          1)) {
    char* const __to = __buffers->leat_put;
    __buffers->leat_put = __to + __size * __count;
    __builtin_memcpy(__to, __from, __size * __count);
    return __count;
  }
  return leat_stdio_fwrite(__from, __size, __count, __file);
}

#  if defined(LEAT_STDIO_POSIX)
LEAT_INLINE int leat_stdio_get_unlocked(FILE* __file) {
  struct leat_stdio_buffers* const __buffers = LEAT_BUFFERS(__file);
  char* const __from = __buffers->leat_get;
  if (__builtin_expect(leat_stdio_available(&__buffers->leat_get_end, __from) != 0, 1)) {
    __buffers->leat_get = __from + 1;
    return (unsigned char)*__from;
  }
  return leat_stdio_fgetc_unlocked(__file);
}
LEAT_INLINE int fgetc_unlocked(FILE* __file) { return leat_stdio_get_unlocked(__file); }
LEAT_INLINE int getc_unlocked(FILE* __file) { return leat_stdio_get_unlocked(__file); }
LEAT_INLINE int getchar_unlocked(void) { return leat_stdio_get_unlocked(stdin); }
LEAT_INLINE int leat_stdio_put_unlocked(int __byte, FILE* __file) {
  struct leat_stdio_buffers* const __buffers = LEAT_BUFFERS(__file);
  char* const __to = __buffers->leat_put;
  if (__builtin_expect(leat_stdio_available(&__buffers->leat_put_end, __to) != 0, 1) &&
      __builtin_expect(__buffers->leat_put_end != __to, 1)) {
    __buffers->leat_put = __to + 1;
    return (unsigned char)(*__to = (char)__byte);
  }
  return leat_stdio_fputc_unlocked(__byte, __file);
}
LEAT_INLINE int fputc_unlocked(int __byte, FILE* __file) {
  return leat_stdio_put_unlocked(__byte, __file);
}
LEAT_INLINE int putc_unlocked(int __byte, FILE* __file) {
  return leat_stdio_put_unlocked(__byte, __file);
}
LEAT_INLINE int putchar_unlocked(int __byte) { return leat_stdio_put_unlocked(__byte, stdout); }
#  endif

/* Constant formats become simpler calls: a format without conversions becomes a write, and "%s\n"
 * becomes the writing of a line. (For a format without conversions GCC makes calls of fputc and
 * fwrite by itself, but does not inline these calls.) */
extern int leat_stdio_put_line(FILE* __file, const char* __text) LEAT_AS(stdio_put_line);
LEAT_INLINE int leat_stdio_put_literal(const char* __text, FILE* __file) {
  const size_t __size = __builtin_strlen(__text);
  return fwrite(__text, 1, __size, __file) == __size ? (int)__size : -1;
}

#  if defined(__clang__)
#    pragma clang diagnostic push
#    pragma clang diagnostic ignored "-Wgcc-compat"
#    define LEAT_ENABLE_IF(condition, reason) \
      __attribute__((__overloadable__, __enable_if__(condition, reason)))
#    define LEAT_NO_CONVERSION \
      LEAT_ENABLE_IF(__builtin_strchr(__format, '%') == 0, "a format without conversions")
#    define LEAT_LINE \
      LEAT_ENABLE_IF(__builtin_strcmp(__format, "%s\n") == 0, "the format of a line")
#    define LEAT_OVERLOAD static __inline__ __attribute__((__always_inline__, __unused__))
#    ifdef __cplusplus
extern "C++" {
#    endif
LEAT_OVERLOAD int fprintf(FILE* __file, const char* __format) LEAT_NO_CONVERSION {
  return leat_stdio_put_literal(__format, __file);
}
LEAT_OVERLOAD int fprintf(FILE* __file, const char* __format, const char* __text) LEAT_LINE {
  return leat_stdio_put_line(__file, __text);
}
#    ifdef __cplusplus
/* Not in C: Clang declares printf by itself. */
LEAT_OVERLOAD int printf(const char* __format) LEAT_NO_CONVERSION {
  return leat_stdio_put_literal(__format, stdout);
}
LEAT_OVERLOAD int printf(const char* __format, const char* __text) LEAT_LINE {
  return leat_stdio_put_line(stdout, __text);
}
}
#    endif
#    pragma clang diagnostic pop
#  else
/* leat_stdio_put_line for an argument from __builtin_va_arg_pack(). */
extern int leat_stdio_put_line_of(FILE* __file, ...) LEAT_AS(stdio_put_line);
extern int leat_stdio_fprintf(FILE* __file, const char* __format, ...) LEAT_PRINTF_AS(fprintf);
#    define LEAT_IS_CONSTANT(__format) __builtin_constant_p(__builtin_strlen(__format))
#    define LEAT_PUT_CONSTANT(__format, __file)                             \
      if (LEAT_IS_CONSTANT(__format) && __builtin_va_arg_pack_len() == 0 && \
          __builtin_strchr(__format, '%') == NULL)                          \
        return leat_stdio_put_literal(__format, __file);                    \
      if (LEAT_IS_CONSTANT(__format) && __builtin_va_arg_pack_len() == 1 && \
          __builtin_strcmp(__format, "%s\n") == 0)                          \
        return leat_stdio_put_line_of(__file, __builtin_va_arg_pack());
LEAT_INLINE int fprintf(FILE* __restrict__ __file, const char* __restrict__ __format, ...) {
  LEAT_PUT_CONSTANT(__format, __file)
  return leat_stdio_fprintf(__file, __format, __builtin_va_arg_pack());
}
LEAT_INLINE int printf(const char* __restrict__ __format, ...) {
  LEAT_PUT_CONSTANT(__format, stdout)
  return leat_stdio_fprintf(stdout, __format, __builtin_va_arg_pack());
}
#  endif

#endif /* inline */
#ifdef __cplusplus
}
#endif

/* NOLINTEND(bugprone-*,modernize-*,readability-*) */

#endif
