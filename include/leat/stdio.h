/* A drop-in for <stdio.h>: FILE, fopen, stdin and all the rest mean leat's.
 *
 *     #include <leat/stdio.h>         instead of <stdio.h>, before all other headers
 *     cc -include leat/stdio.h …      for programs as they are
 *
 * All files that share a FILE* need it. What another library was compiled with libc's <stdio.h> for
 * gets leat_libc_file(f). What is different from libc is said in docs/stdio.md.
 *
 * How it works: this header takes the place of libc's, whose guard it defines. FILE keeps libc's
 * tag, so that other headers of libc agree; each function is declared under its own name with
 * leat's symbol as its assembler name. So &fclose, std::printf, (getc)(f), #undef and all
 * optimizations of the compiler work. It includes no header of libc, as one that is included by
 * -include must not decide what _GNU_SOURCE and its like, defined later, mean. */
#ifndef LEAT_STDIO_H
#define LEAT_STDIO_H

#if defined(_STDIO_H) || defined(_INC_STDIO)
#  error "<leat/stdio.h> must come before <stdio.h> and all headers that include it"
#endif
#if defined(_WCHAR_H) && !defined(LEAT_WCHAR_H)
#  error "<leat/stdio.h> must come before <wchar.h> and all headers that include it"
#endif
#define _STDIO_H 1

#include <leat/config.h>

#include <stdarg.h>
#include <stddef.h>

/* The functions that libc shows: those of C always, the others unless the program wants C only. */
#if !defined(__STRICT_ANSI__) || defined(_GNU_SOURCE) || defined(_DEFAULT_SOURCE) || \
    defined(_POSIX_C_SOURCE) || defined(_POSIX_SOURCE) || defined(_XOPEN_SOURCE) ||  \
    defined(_BSD_SOURCE) || defined(__cplusplus)
#  define LEAT_STDIO_POSIX 1
#endif

#define LEAT_STRING_OF(x) #x
#define LEAT_STRING(x) LEAT_STRING_OF(x)
#define LEAT_AS(name) __asm__(LEAT_STRING(__USER_LABEL_PREFIX__) "leat_" #name)
/* "%n" is what C says, or refused. */
#if defined(LEAT_NO_PERCENT_N)
#  define LEAT_PRINTF_AS(name) LEAT_AS(name)
#else
#  define LEAT_PRINTF_AS(name) LEAT_AS(stdio_##name)
#endif
#define LEAT_FORMAT(kind, format, first) __attribute__((__format__(__##kind##__, format, first)))

/* Neither C++ nor the C of 1989 has the plain word. */
#define LEAT_RESTRICT __restrict__
/* libc declares the wide functions in <wchar.h>, some under other assembler names, which Clang does
 * not take a second time, and all anew where _FORTIFY_SOURCE is defined. So they are declared there
 * under names that nobody uses, where it does no harm to include it here: C++ defines _GNU_SOURCE
 * always, and others may define LEAT_STDIO_WCHAR. */
#if defined(__cplusplus) || defined(LEAT_STDIO_WCHAR) || \
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

/* --- types and constants ---------------------------------------------------------------------- */

typedef struct _IO_FILE FILE;
#define __FILE_defined 1
#define ____FILE_defined 1
typedef struct _IO_FILE __FILE;

/** A position and the state of a wide stream's decoder; as leat_fpos. */
typedef struct leat_stdio_fpos {
  __extension__ long long leat_position;
  __extension__ unsigned long long leat_state;
} fpos_t;

#if !defined(__off_t_defined)
#  if defined(__LP64__) && !defined(__APPLE__)
typedef long off_t;
#  else
__extension__ typedef long long off_t;
#  endif
#  define __off_t_defined
#endif
#if !defined(__ssize_t_defined)
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
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
/** What setbuf's memory must have. leat's own buffers are larger. */
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define TMP_MAX 238328
#define L_tmpnam 20
#define L_ctermid 9
#define L_cuserid 9
#define P_tmpdir "/tmp"
#define RENAME_NOREPLACE (1 << 0)
#define RENAME_EXCHANGE (1 << 1)
#define RENAME_WHITEOUT (1 << 2)

/** Variables, as in libc: a program may put another stream there. */
extern LEAT_API FILE* stdin LEAT_AS(stdio_stdin);
extern LEAT_API FILE* stdout LEAT_AS(stdio_stdout);
extern LEAT_API FILE* stderr LEAT_AS(stdio_stderr);
#define stdin stdin
#define stdout stdout
#define stderr stderr

/* --- C ------------------------------------------------------------------------------------------
 */

extern int remove(const char* path);
extern int rename(const char* from, const char* to);
extern char* tmpnam(char* name);
extern FILE* tmpfile(void) LEAT_AS(tmpfile);
extern FILE* fopen(const char* LEAT_RESTRICT path, const char* LEAT_RESTRICT mode) LEAT_AS(fopen);
extern FILE* freopen(const char* LEAT_RESTRICT path, const char* LEAT_RESTRICT mode,
                     FILE* LEAT_RESTRICT file) LEAT_AS(freopen);
extern int fclose(FILE* file) LEAT_AS(fclose);
extern int fflush(FILE* file) LEAT_AS(fflush);
extern void setbuf(FILE* LEAT_RESTRICT file, char* LEAT_RESTRICT buffer) LEAT_AS(setbuf);
extern int setvbuf(FILE* LEAT_RESTRICT file, char* LEAT_RESTRICT buffer, int mode, size_t size)
    LEAT_AS(setvbuf);

extern size_t fread(void* LEAT_RESTRICT to, size_t size, size_t count, FILE* LEAT_RESTRICT file)
    LEAT_AS(fread);
extern size_t fwrite(const void* LEAT_RESTRICT from, size_t size, size_t count,
                     FILE* LEAT_RESTRICT file) LEAT_AS(fwrite);
extern int fgetc(FILE* file) LEAT_AS(fgetc);
extern int getc(FILE* file) LEAT_AS(fgetc);
extern int getchar(void) LEAT_AS(getchar);
extern int ungetc(int byte, FILE* file) LEAT_AS(ungetc);
extern char* fgets(char* LEAT_RESTRICT to, int size, FILE* LEAT_RESTRICT file) LEAT_AS(fgets);
#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L)
/* libc's would read behind what stdin has read ahead. */
extern char* gets(char* to) LEAT_AS(stdio_gets);
#endif
extern int fputc(int byte, FILE* file) LEAT_AS(fputc);
extern int putc(int byte, FILE* file) LEAT_AS(fputc);
extern int putchar(int byte) LEAT_AS(putchar);
extern int fputs(const char* LEAT_RESTRICT text, FILE* LEAT_RESTRICT file) LEAT_AS(fputs);
extern int puts(const char* text) LEAT_AS(puts);

extern int fprintf(FILE* LEAT_RESTRICT file, const char* LEAT_RESTRICT format, ...)
    LEAT_PRINTF_AS(fprintf) LEAT_FORMAT(printf, 2, 3);
extern int printf(const char* LEAT_RESTRICT format, ...) LEAT_PRINTF_AS(printf)
    LEAT_FORMAT(printf, 1, 2);
extern int sprintf(char* LEAT_RESTRICT to, const char* LEAT_RESTRICT format, ...)
    LEAT_PRINTF_AS(sprintf) LEAT_FORMAT(printf, 2, 3);
extern int snprintf(char* LEAT_RESTRICT to, size_t size, const char* LEAT_RESTRICT format, ...)
    LEAT_PRINTF_AS(snprintf) LEAT_FORMAT(printf, 3, 4);
extern int vfprintf(FILE* LEAT_RESTRICT file, const char* LEAT_RESTRICT format, va_list arguments)
    LEAT_PRINTF_AS(vfprintf) LEAT_FORMAT(printf, 2, 0);
extern int vprintf(const char* LEAT_RESTRICT format, va_list arguments) LEAT_PRINTF_AS(vprintf)
    LEAT_FORMAT(printf, 1, 0);
extern int vsprintf(char* LEAT_RESTRICT to, const char* LEAT_RESTRICT format, va_list arguments)
    LEAT_PRINTF_AS(vsprintf) LEAT_FORMAT(printf, 2, 0);
extern int vsnprintf(char* LEAT_RESTRICT to, size_t size, const char* LEAT_RESTRICT format,
                     va_list arguments) LEAT_PRINTF_AS(vsnprintf) LEAT_FORMAT(printf, 3, 0);

extern int fscanf(FILE* LEAT_RESTRICT file, const char* LEAT_RESTRICT format, ...) LEAT_AS(fscanf)
    LEAT_FORMAT(scanf, 2, 3);
extern int scanf(const char* LEAT_RESTRICT format, ...) LEAT_AS(scanf) LEAT_FORMAT(scanf, 1, 2);
extern int sscanf(const char* LEAT_RESTRICT text, const char* LEAT_RESTRICT format, ...)
    LEAT_AS(sscanf) LEAT_FORMAT(scanf, 2, 3);
extern int vfscanf(FILE* LEAT_RESTRICT file, const char* LEAT_RESTRICT format, va_list arguments)
    LEAT_AS(vfscanf) LEAT_FORMAT(scanf, 2, 0);
extern int vscanf(const char* LEAT_RESTRICT format, va_list arguments) LEAT_AS(vscanf)
    LEAT_FORMAT(scanf, 1, 0);
extern int vsscanf(const char* LEAT_RESTRICT text, const char* LEAT_RESTRICT format,
                   va_list arguments) LEAT_AS(vsscanf) LEAT_FORMAT(scanf, 2, 0);

extern int fseek(FILE* file, long offset, int whence) LEAT_AS(fseek);
extern long ftell(FILE* file) LEAT_AS(ftell);
extern void rewind(FILE* file) LEAT_AS(rewind);
extern int fgetpos(FILE* LEAT_RESTRICT file, fpos_t* LEAT_RESTRICT position) LEAT_AS(fgetpos);
extern int fsetpos(FILE* file, const fpos_t* position) LEAT_AS(fsetpos);
extern void clearerr(FILE* file) LEAT_AS(clearerr);
extern int feof(FILE* file) LEAT_AS(feof);
extern int ferror(FILE* file) LEAT_AS(ferror);
extern void perror(const char* text) LEAT_AS(perror);

/* --- POSIX and BSD ------------------------------------------------------------------------------
 */

#if defined(LEAT_STDIO_POSIX)

extern FILE* fdopen(int descriptor, const char* mode) LEAT_AS(fdopen);
extern int fileno(FILE* file) LEAT_AS(fileno);
extern FILE* popen(const char* command, const char* mode) LEAT_AS(popen);
extern int pclose(FILE* file) LEAT_AS(pclose);
extern FILE* fmemopen(void* LEAT_RESTRICT memory, size_t size, const char* LEAT_RESTRICT mode)
    LEAT_AS(fmemopen);
extern FILE* open_memstream(char** memory, size_t* size) LEAT_AS(open_memstream);
extern int fseeko(FILE* file, off_t offset, int whence) LEAT_AS(fseeko);
extern off_t ftello(FILE* file) LEAT_AS(ftello);
extern ssize_t getline(char** LEAT_RESTRICT line, size_t* LEAT_RESTRICT size,
                       FILE* LEAT_RESTRICT file) LEAT_AS(getline);
extern ssize_t getdelim(char** LEAT_RESTRICT line, size_t* LEAT_RESTRICT size, int delimiter,
                        FILE* LEAT_RESTRICT file) LEAT_AS(getdelim);
extern int dprintf(int descriptor, const char* LEAT_RESTRICT format, ...) LEAT_PRINTF_AS(dprintf)
    LEAT_FORMAT(printf, 2, 3);
extern int vdprintf(int descriptor, const char* LEAT_RESTRICT format, va_list arguments)
    LEAT_PRINTF_AS(vdprintf) LEAT_FORMAT(printf, 2, 0);

extern void flockfile(FILE* file) LEAT_AS(flockfile);
extern int ftrylockfile(FILE* file) LEAT_AS(ftrylockfile);
extern void funlockfile(FILE* file) LEAT_AS(funlockfile);
extern int getc_unlocked(FILE* file) LEAT_AS(fgetc_unlocked);
extern int getchar_unlocked(void) LEAT_AS(getchar_unlocked);
extern int putc_unlocked(int byte, FILE* file) LEAT_AS(fputc_unlocked);
extern int putchar_unlocked(int byte) LEAT_AS(putchar_unlocked);

extern char* ctermid(char* name);
extern char* tempnam(const char* folder, const char* prefix);
extern int renameat(int from_folder, const char* from, int to_folder, const char* to);

extern int fgetc_unlocked(FILE* file) LEAT_AS(fgetc_unlocked);
extern int fputc_unlocked(int byte, FILE* file) LEAT_AS(fputc_unlocked);
extern size_t fread_unlocked(void* LEAT_RESTRICT to, size_t size, size_t count,
                             FILE* LEAT_RESTRICT file) LEAT_AS(fread_unlocked);
extern size_t fwrite_unlocked(const void* LEAT_RESTRICT from, size_t size, size_t count,
                              FILE* LEAT_RESTRICT file) LEAT_AS(fwrite_unlocked);
extern char* fgets_unlocked(char* LEAT_RESTRICT to, int size, FILE* LEAT_RESTRICT file)
    LEAT_AS(fgets_unlocked);
extern int fputs_unlocked(const char* LEAT_RESTRICT text, FILE* LEAT_RESTRICT file)
    LEAT_AS(fputs_unlocked);
extern int fflush_unlocked(FILE* file) LEAT_AS(fflush_unlocked);
extern void clearerr_unlocked(FILE* file) LEAT_AS(clearerr_unlocked);
extern int feof_unlocked(FILE* file) LEAT_AS(feof_unlocked);
extern int ferror_unlocked(FILE* file) LEAT_AS(ferror_unlocked);
extern int fileno_unlocked(FILE* file) LEAT_AS(fileno_unlocked);
extern void setbuffer(FILE* LEAT_RESTRICT file, char* LEAT_RESTRICT buffer, size_t size)
    LEAT_AS(setbuffer);
extern void setlinebuf(FILE* file) LEAT_AS(setlinebuf);
extern int getw(FILE* file) LEAT_AS(getw);
extern int putw(int word, FILE* file) LEAT_AS(putw);

#  if !defined(__APPLE__) && !defined(_WIN32)
/** Its functions' types are those of <stdio.h>, see leat_cookie_functions. */
typedef ssize_t cookie_read_function_t(void* cookie, char* to, size_t size);
typedef ssize_t cookie_write_function_t(void* cookie, const char* from, size_t size);
typedef int cookie_seek_function_t(void* cookie, off_t* offset, int whence);
typedef int cookie_close_function_t(void* cookie);
typedef struct _IO_cookie_io_functions_t {
  cookie_read_function_t* read;
  cookie_write_function_t* write;
  cookie_seek_function_t* seek;
  cookie_close_function_t* close;
} cookie_io_functions_t;
extern FILE* fopencookie(void* LEAT_RESTRICT cookie, const char* LEAT_RESTRICT mode,
                         cookie_io_functions_t functions) LEAT_AS(fopencookie);
#  endif

/* With 64 bits in any case, so that two names mean the same. */
#  if defined(_LARGEFILE64_SOURCE) || defined(_GNU_SOURCE)
#    if !defined(__off64_t_defined)
typedef off_t off64_t;
#      define __off64_t_defined
#    endif
typedef fpos_t fpos64_t;
extern FILE* fopen64(const char* LEAT_RESTRICT path, const char* LEAT_RESTRICT mode) LEAT_AS(fopen);
extern FILE* freopen64(const char* LEAT_RESTRICT path, const char* LEAT_RESTRICT mode,
                       FILE* LEAT_RESTRICT file) LEAT_AS(freopen);
extern FILE* tmpfile64(void) LEAT_AS(tmpfile);
extern int fseeko64(FILE* file, off64_t offset, int whence) LEAT_AS(fseeko);
extern off64_t ftello64(FILE* file) LEAT_AS(ftello);
extern int fgetpos64(FILE* LEAT_RESTRICT file, fpos64_t* LEAT_RESTRICT position) LEAT_AS(fgetpos);
extern int fsetpos64(FILE* file, const fpos64_t* position) LEAT_AS(fsetpos);
#  endif

extern int asprintf(char** LEAT_RESTRICT to, const char* LEAT_RESTRICT format, ...)
    LEAT_PRINTF_AS(asprintf) LEAT_FORMAT(printf, 2, 3);
extern int vasprintf(char** LEAT_RESTRICT to, const char* LEAT_RESTRICT format, va_list arguments)
    LEAT_PRINTF_AS(vasprintf) LEAT_FORMAT(printf, 2, 0);
extern int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                     unsigned flags);
extern int fcloseall(void) LEAT_AS(fcloseall);

#endif /* LEAT_STDIO_POSIX */

/* --- wide characters: of <wchar.h>, but for streams ----------------------------------------------
 */

extern int fwide(FILE* file, int mode) LEAT_AS(fwide);
extern __WINT_TYPE__ fgetwc(FILE* file) LEAT_AS(fgetwc);
extern __WINT_TYPE__ getwc(FILE* file) LEAT_AS(fgetwc);
extern __WINT_TYPE__ getwchar(void) LEAT_AS(getwchar);
extern __WINT_TYPE__ ungetwc(__WINT_TYPE__ character, FILE* file) LEAT_AS(ungetwc);
extern __WINT_TYPE__ fputwc(wchar_t character, FILE* file) LEAT_AS(fputwc);
extern __WINT_TYPE__ putwc(wchar_t character, FILE* file) LEAT_AS(fputwc);
extern __WINT_TYPE__ putwchar(wchar_t character) LEAT_AS(putwchar);
extern wchar_t* fgetws(wchar_t* LEAT_RESTRICT to, int size, FILE* LEAT_RESTRICT file)
    LEAT_AS(fgetws);
extern int fputws(const wchar_t* LEAT_RESTRICT text, FILE* LEAT_RESTRICT file) LEAT_AS(fputws);
extern int fwprintf(FILE* LEAT_RESTRICT file, const wchar_t* LEAT_RESTRICT format, ...)
    LEAT_PRINTF_AS(fwprintf);
extern int wprintf(const wchar_t* LEAT_RESTRICT format, ...) LEAT_PRINTF_AS(wprintf);
extern int swprintf(wchar_t* LEAT_RESTRICT to, size_t size, const wchar_t* LEAT_RESTRICT format,
                    ...) LEAT_PRINTF_AS(swprintf);
extern int vfwprintf(FILE* LEAT_RESTRICT file, const wchar_t* LEAT_RESTRICT format,
                     va_list arguments) LEAT_PRINTF_AS(vfwprintf);
extern int vwprintf(const wchar_t* LEAT_RESTRICT format, va_list arguments)
    LEAT_PRINTF_AS(vwprintf);
extern int vswprintf(wchar_t* LEAT_RESTRICT to, size_t size, const wchar_t* LEAT_RESTRICT format,
                     va_list arguments) LEAT_PRINTF_AS(vswprintf);
extern FILE* open_wmemstream(wchar_t** memory, size_t* size) LEAT_AS(open_wmemstream);
extern __WINT_TYPE__ fgetwc_unlocked(FILE* file) LEAT_AS(fgetwc_unlocked);
extern __WINT_TYPE__ getwc_unlocked(FILE* file) LEAT_AS(fgetwc_unlocked);
extern __WINT_TYPE__ getwchar_unlocked(void) LEAT_AS(getwchar_unlocked);
extern __WINT_TYPE__ fputwc_unlocked(wchar_t character, FILE* file) LEAT_AS(fputwc_unlocked);
extern __WINT_TYPE__ putwc_unlocked(wchar_t character, FILE* file) LEAT_AS(fputwc_unlocked);
extern __WINT_TYPE__ putwchar_unlocked(wchar_t character) LEAT_AS(putwchar_unlocked);
extern wchar_t* fgetws_unlocked(wchar_t* LEAT_RESTRICT to, int size, FILE* LEAT_RESTRICT file)
    LEAT_AS(fgetws_unlocked);
extern int fputws_unlocked(const wchar_t* LEAT_RESTRICT text, FILE* LEAT_RESTRICT file)
    LEAT_AS(fputws_unlocked);

#if defined(__clang__) && !defined(_WCHAR_H)
/* <wchar.h> would give these libc's names. */
#  define LEAT_STREAM(name) __attribute__((__error__(#name " needs -DLEAT_STDIO_WCHAR with Clang")))
extern int fwscanf(FILE* LEAT_RESTRICT file, const wchar_t* LEAT_RESTRICT format, ...)
    LEAT_STREAM(fwscanf);
extern int wscanf(const wchar_t* LEAT_RESTRICT format, ...) LEAT_STREAM(wscanf);
extern int vfwscanf(FILE* LEAT_RESTRICT file, const wchar_t* LEAT_RESTRICT format,
                    va_list arguments) LEAT_STREAM(vfwscanf);
extern int vwscanf(const wchar_t* LEAT_RESTRICT format, va_list arguments) LEAT_STREAM(vwscanf);
#else
extern int fwscanf(FILE* LEAT_RESTRICT file, const wchar_t* LEAT_RESTRICT format, ...)
    LEAT_AS(fwscanf);
extern int wscanf(const wchar_t* LEAT_RESTRICT format, ...) LEAT_AS(wscanf);
extern int swscanf(const wchar_t* LEAT_RESTRICT text, const wchar_t* LEAT_RESTRICT format, ...)
    LEAT_AS(swscanf);
extern int vfwscanf(FILE* LEAT_RESTRICT file, const wchar_t* LEAT_RESTRICT format,
                    va_list arguments) LEAT_AS(vfwscanf);
extern int vwscanf(const wchar_t* LEAT_RESTRICT format, va_list arguments) LEAT_AS(vwscanf);
extern int vswscanf(const wchar_t* LEAT_RESTRICT text, const wchar_t* LEAT_RESTRICT format,
                    va_list arguments) LEAT_AS(vswscanf);
#endif
#if defined(_FORTIFY_SOURCE) && !defined(_WCHAR_H)
/* What libc's inline functions call then. */
extern int __fwprintf_chk(FILE* LEAT_RESTRICT file, int flag, const wchar_t* LEAT_RESTRICT format,
                          ...) LEAT_AS(stdio_fwprintf_chk);
extern int __wprintf_chk(int flag, const wchar_t* LEAT_RESTRICT format, ...)
    LEAT_AS(stdio_wprintf_chk);
extern int __vfwprintf_chk(FILE* LEAT_RESTRICT file, int flag, const wchar_t* LEAT_RESTRICT format,
                           va_list arguments) LEAT_AS(stdio_vfwprintf_chk);
extern int __vwprintf_chk(int flag, const wchar_t* LEAT_RESTRICT format, va_list arguments)
    LEAT_AS(stdio_vwprintf_chk);
extern wchar_t* __fgetws_alias(wchar_t* LEAT_RESTRICT to, int size, FILE* LEAT_RESTRICT file)
    LEAT_AS(fgetws);
extern wchar_t* __fgetws_chk(wchar_t* LEAT_RESTRICT to, size_t room, int size,
                             FILE* LEAT_RESTRICT file) LEAT_AS(stdio_fgetws_chk);
extern wchar_t* __fgetws_chk_warn(wchar_t* LEAT_RESTRICT to, size_t room, int size,
                                  FILE* LEAT_RESTRICT file) LEAT_AS(stdio_fgetws_chk);
extern wchar_t* __fgetws_unlocked_alias(wchar_t* LEAT_RESTRICT to, int size,
                                        FILE* LEAT_RESTRICT file) LEAT_AS(fgetws_unlocked);
extern wchar_t* __fgetws_unlocked_chk(wchar_t* LEAT_RESTRICT to, size_t room, int size,
                                      FILE* LEAT_RESTRICT file) LEAT_AS(stdio_fgetws_chk);
extern wchar_t* __fgetws_unlocked_chk_warn(wchar_t* LEAT_RESTRICT to, size_t room, int size,
                                           FILE* LEAT_RESTRICT file) LEAT_AS(stdio_fgetws_chk);
#endif

/* --- other functions of libc that take a FILE
 * ----------------------------------------------------- */

/** libc's FILE over the same stream, for a library that was compiled with <stdio.h>; closed with
 * the stream. It has no buffer of its own. Null (ENOTSUP) where libc can't. */
extern FILE* leat_libc_file(FILE* file) LEAT_AS(libc_file);

#if defined(__linux__) && __has_include(<gnu/libc-version.h>)
/* Functions of other headers that take a FILE: libc's, over leat_libc_file(file). Those of
 * <mntent.h> open and close their own file, which is libc's. */
struct group;
struct passwd;
struct sgrp;
struct spwd;
extern struct group* fgetgrent(FILE* file) LEAT_AS(fgetgrent);
extern int putgrent(const struct group* LEAT_RESTRICT entry, FILE* LEAT_RESTRICT file)
    LEAT_AS(putgrent);
extern struct passwd* fgetpwent(FILE* file) LEAT_AS(fgetpwent);
extern int putpwent(const struct passwd* LEAT_RESTRICT entry, FILE* LEAT_RESTRICT file)
    LEAT_AS(putpwent);
extern struct sgrp* fgetsgent(FILE* file) LEAT_AS(fgetsgent);
extern int putsgent(const struct sgrp* entry, FILE* file) LEAT_AS(putsgent);
extern struct spwd* fgetspent(FILE* file) LEAT_AS(fgetspent);
extern int putspent(const struct spwd* entry, FILE* file) LEAT_AS(putspent);
#  if defined(__cplusplus)
extern int malloc_info(int options, FILE* file) noexcept LEAT_AS(malloc_info);
#  else
extern int malloc_info(int options, FILE* file) LEAT_AS(malloc_info);
#  endif
#endif

/* --- inline: a check for room and a copy
 * ----------------------------------------------------------- */

#if defined(__OPTIMIZE__) && !defined(LEAT_NO_INLINE)

#  if !defined(LEAT_INLINE)
#    define LEAT_INLINE extern __inline__ __attribute__((__gnu_inline__, __always_inline__))
#  endif

/** The first words of a FILE. An empty window also means that the stream does not read, or write,
 * or has more to do for each byte. */
struct __attribute__((__may_alias__)) leat_stdio_window {
  __extension__ unsigned long long mark;
  char* get;
  char* get_end;
  char* put;
  char* put_end;
};
#  define LEAT_WINDOW(file) ((struct leat_stdio_window*)(file))

extern int leat_stdio_fgetc(FILE* file) LEAT_AS(fgetc);
extern int leat_stdio_fgetc_unlocked(FILE* file) LEAT_AS(fgetc_unlocked);
extern int leat_stdio_fputc(int byte, FILE* file) LEAT_AS(fputc);
extern int leat_stdio_fputc_unlocked(int byte, FILE* file) LEAT_AS(fputc_unlocked);
extern size_t leat_stdio_fread(void* to, size_t size, size_t count, FILE* file) LEAT_AS(fread);
extern size_t leat_stdio_fwrite(const void* from, size_t size, size_t count, FILE* file)
    LEAT_AS(fwrite);

#  if defined(__GLIBC__) || defined(__linux__)
#    if __has_include(<sys/single_threaded.h>)
/* glibc: false once a second thread has started; until then there is nobody to lock out. */
extern char __libc_single_threaded;
#      define LEAT_ONE_THREAD __libc_single_threaded
#    endif
#  endif
#  if !defined(LEAT_ONE_THREAD)
#    define LEAT_ONE_THREAD 0
#  endif

LEAT_INLINE int fgetc(FILE* file) {
  struct leat_stdio_window* const window = LEAT_WINDOW(file);
  if (__builtin_expect(LEAT_ONE_THREAD && window->get != window->get_end, 1))
    return (unsigned char)*window->get++;
  return leat_stdio_fgetc(file);
}
LEAT_INLINE int getc(FILE* file) { return fgetc(file); }
LEAT_INLINE int getchar(void) { return fgetc(stdin); }
LEAT_INLINE int fputc(int byte, FILE* file) {
  struct leat_stdio_window* const window = LEAT_WINDOW(file);
  if (__builtin_expect(LEAT_ONE_THREAD && window->put != window->put_end, 1))
    return (unsigned char)(*window->put++ = (char)byte);
  return leat_stdio_fputc(byte, file);
}
LEAT_INLINE int putc(int byte, FILE* file) { return fputc(byte, file); }
LEAT_INLINE int putchar(int byte) { return fputc(byte, stdout); }

/* Of a constant size they are one load and store. */
LEAT_INLINE size_t fread(void* LEAT_RESTRICT to, size_t size, size_t count,
                         FILE* LEAT_RESTRICT file) {
  struct leat_stdio_window* const window = LEAT_WINDOW(file);
  if (__builtin_constant_p(size * count) && size != 0 && count != 0 && size <= 64 && count <= 64 &&
      size * count <= 64 && LEAT_ONE_THREAD &&
      __builtin_expect((size_t)(window->get_end - window->get) >= size * count, 1)) {
    __builtin_memcpy(to, window->get, size * count);
    window->get += size * count;
    return count;
  }
  return leat_stdio_fread(to, size, count, file);
}
LEAT_INLINE size_t fwrite(const void* LEAT_RESTRICT from, size_t size, size_t count,
                          FILE* LEAT_RESTRICT file) {
  struct leat_stdio_window* const window = LEAT_WINDOW(file);
  if (__builtin_constant_p(size * count) && size != 0 && count != 0 && size <= 64 && count <= 64 &&
      size * count <= 64 && LEAT_ONE_THREAD &&
      __builtin_expect((size_t)(window->put_end - window->put) >= size * count, 1)) {
    __builtin_memcpy(window->put, from, size * count);
    window->put += size * count;
    return count;
  }
  return leat_stdio_fwrite(from, size, count, file);
}

#  if defined(LEAT_STDIO_POSIX)
LEAT_INLINE int fgetc_unlocked(FILE* file) {
  struct leat_stdio_window* const window = LEAT_WINDOW(file);
  if (__builtin_expect(window->get != window->get_end, 1)) return (unsigned char)*window->get++;
  return leat_stdio_fgetc_unlocked(file);
}
LEAT_INLINE int getc_unlocked(FILE* file) { return fgetc_unlocked(file); }
LEAT_INLINE int getchar_unlocked(void) { return fgetc_unlocked(stdin); }
LEAT_INLINE int fputc_unlocked(int byte, FILE* file) {
  struct leat_stdio_window* const window = LEAT_WINDOW(file);
  if (__builtin_expect(window->put != window->put_end, 1))
    return (unsigned char)(*window->put++ = (char)byte);
  return leat_stdio_fputc_unlocked(byte, file);
}
LEAT_INLINE int putc_unlocked(int byte, FILE* file) { return fputc_unlocked(byte, file); }
LEAT_INLINE int putchar_unlocked(int byte) { return fputc_unlocked(byte, stdout); }
#  endif

/* A constant format is taken apart here where that makes a simpler call of it: one without
 * conversions is a write, and "%s\n" the writing of a line. (GCC makes calls of fputc and fwrite of
 * the former by itself, but does not look into those again.) */
extern int leat_stdio_put_line(FILE* file, const char* text) LEAT_AS(stdio_put_line);
LEAT_INLINE int leat_stdio_put_literal(const char* text, FILE* file) {
  const size_t size = __builtin_strlen(text);
  return fwrite(text, 1, size, file) == size ? (int)size : -1;
}

#  if defined(__clang__)
#    pragma clang diagnostic push
#    pragma clang diagnostic ignored "-Wgcc-compat"
#    define LEAT_WHERE(condition, what) \
      __attribute__((__overloadable__, __enable_if__(condition, what)))
#    define LEAT_NO_CONVERSION \
      LEAT_WHERE(__builtin_strchr(format, '%') == 0, "a format without conversions")
#    define LEAT_LINE LEAT_WHERE(__builtin_strcmp(format, "%s\n") == 0, "the format of a line")
#    define LEAT_OVERLOAD static __inline__ __attribute__((__always_inline__, __unused__))
#    ifdef __cplusplus
extern "C++" {
#    endif
LEAT_OVERLOAD int fprintf(FILE* file, const char* format) LEAT_NO_CONVERSION {
  return leat_stdio_put_literal(format, file);
}
LEAT_OVERLOAD int printf(const char* format) LEAT_NO_CONVERSION {
  return leat_stdio_put_literal(format, stdout);
}
LEAT_OVERLOAD int fprintf(FILE* file, const char* format, const char* text) LEAT_LINE {
  return leat_stdio_put_line(file, text);
}
LEAT_OVERLOAD int printf(const char* format, const char* text) LEAT_LINE {
  return leat_stdio_put_line(stdout, text);
}
#    ifdef __cplusplus
}
#    endif
#    pragma clang diagnostic pop
#  else
/* The same function, with the one argument that its format has. */
extern int leat_stdio_put_line_of(FILE* file, ...) LEAT_AS(stdio_put_line);
extern int leat_stdio_fprintf(FILE* file, const char* format, ...) LEAT_PRINTF_AS(fprintf);
#    define LEAT_IS_CONSTANT(format) __builtin_constant_p(__builtin_strlen(format))
#    define LEAT_PUT_CONSTANT(format, file)                               \
      if (LEAT_IS_CONSTANT(format) && __builtin_va_arg_pack_len() == 0 && \
          __builtin_strchr(format, '%') == NULL)                          \
        return leat_stdio_put_literal(format, file);                      \
      if (LEAT_IS_CONSTANT(format) && __builtin_va_arg_pack_len() == 1 && \
          __builtin_strcmp(format, "%s\n") == 0)                          \
        return leat_stdio_put_line_of(file, __builtin_va_arg_pack());
LEAT_INLINE int fprintf(FILE* LEAT_RESTRICT file, const char* LEAT_RESTRICT format, ...) {
  LEAT_PUT_CONSTANT(format, file)
  return leat_stdio_fprintf(file, format, __builtin_va_arg_pack());
}
LEAT_INLINE int printf(const char* LEAT_RESTRICT format, ...) {
  LEAT_PUT_CONSTANT(format, stdout)
  return leat_stdio_fprintf(stdout, format, __builtin_va_arg_pack());
}
#  endif

#endif /* inline */
#ifdef __cplusplus
}
#endif

#endif
