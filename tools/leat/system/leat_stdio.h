/* leat's stdio functions for the benchmark loops in C: c_loops_leat.c and byte_addresses_leat.c
 * include this file. On macOS and FreeBSD, which <leat/stdio.h> does not support, macros replace
 * libc's functions with leat's functions. */
#ifndef LEAT_LEAT_STDIO_H
#define LEAT_LEAT_STDIO_H

#if defined(__APPLE__) || defined(__FreeBSD__)
#  include <leat/leat.h>
#  include <stdio.h>
#  undef fputc
#  undef fgetc
#  undef ferror
#  undef getc
#  undef putc
#  undef getc_unlocked
#  undef putc_unlocked
#  define FILE leat_file
#  define fclose leat_fclose
#  define ferror leat_ferror
#  define fflush leat_fflush
#  define fgetc leat_fgetc
#  define fgets leat_fgets
#  define fmemopen leat_fmemopen
#  define fopen leat_fopen
#  define fprintf leat_fprintf
#  define fputc leat_fputc
#  define fputs leat_fputs
#  define fread leat_fread
#  define fscanf leat_fscanf
#  define fseek leat_fseek
#  define fwrite leat_fwrite
#  define getline leat_getline
#  define rewind leat_rewind
#  define setbuf leat_setbuf
#  define setvbuf leat_setvbuf
/* Macros with parameters, because byte_addresses_body.h makes names of loops from these names. */
#  define getc(file) leat_fgetc(file)
#  define getc_unlocked(file) leat_fgetc_unlocked(file)
#  define putc(byte, file) leat_fputc(byte, file)
#  define putc_unlocked(byte, file) leat_fputc_unlocked(byte, file)
#else
#  include <leat/stdio.h>
#endif

#endif
