#!/usr/bin/env bash
# Whatever feature macros a program defines, <leat/stdio.h> declares all names of libc's <stdio.h> and
# <stdio_ext.h>, and no name is a function that takes libc's FILE. Exception: with LEAT_STDIO_STRICT,
# the header hides names of POSIX and GNU.
#
#   names.sh COMPILER
set -euo pipefail

compiler=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
include=$here/../../include
if ! command -v "$compiler" >/dev/null || ! command -v gcc >/dev/null; then
  echo "there is no $compiler, or no gcc"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

language=c
case $compiler in *++*) language=c++ ;; esac
# Functions without a stream; and internal names of glibc's headers.
libc_only='remove|rename|renameat|renameat2|tmpnam|tmpnam_r|tempnam|ctermid|cuserid'
libc_only+='|obstack_printf|obstack_vprintf|swscanf|vswscanf'
internal_names='__overflow|__uflow|__underflow|__asprintf|__getdelim|_IO_[a-z_]*'

headers='#include <stdio.h>
#if __has_include(<stdio_ext.h>)
#  include <stdio_ext.h>
#endif
#include <sys/types.h>'

failed=0
checked_variants=0
# check STANDARD FLAG MACRO...: lists the functions and types that libc's headers declare with these
# options. Checks that leat's header declares each of them, too, and that each function that is not in
# $libc_only is leat's.
check() {
  local standard=$1 flag=$2 define macros
  shift 2
  macros=
  for define in "$@"; do macros+="#define $define"$'\n'; done
  # gcc lists the declarations of libc's headers: "/* stdio.h:178:NC */ extern int remove (const
  # char *);"
  printf '%s%s\n' "$macros" "$headers" >"$work/libc.c"
  gcc -w "-std=$(c_standard_of "$standard")" ${flag:+"$flag"} ${cxx_macros:+"$cxx_macros"} -aux-info "$work/list" \
    -fsyntax-only -x c "$work/libc.c"
  names=$(sed -nE 's,^/\* [^ ]*/(bits/)?stdio[^ ]*\.h:[^ ]* \*/ .*[ *]([a-zA-Z_0-9]+) \(.*,\2,p' "$work/list" |
    grep -vxE "$internal_names" | sort -u)
  if [ "$(wc -l <<<"$names")" -lt 40 ]; then
    echo "expected at least 40 functions in libc's headers, found only: $names"
    exit 1
  fi
  local types=(FILE)
  printf '%s#include <stdio.h>\n' "$macros" |
    gcc -w "-std=$(c_standard_of "$standard")" ${flag:+"$flag"} ${cxx_macros:+"$cxx_macros"} -E -P -x c - >"$work/libc.i"
  for type in size_t fpos_t off_t ssize_t va_list off64_t fpos64_t cookie_io_functions_t cookie_read_function_t; do
    if grep -qE "[ }]$type( \(.*)?;" "$work/libc.i"; then types+=("$type"); fi
  done
  {
    printf '%s%s\n' "$macros" "$headers"
    if [ "$language" = c++ ]; then echo 'extern "C" {'; fi
    echo "unsigned long size_of_file = sizeof(FILE);"
    for name in "${types[@]}"; do echo "typedef $name type_$name;"; done
    # Take the addresses of the functions: the compiler could replace a call by another function.
    for name in $names; do echo "void* address_of_$name(void) { return (void*)&$name; }"; done
    if [ "$language" = c++ ]; then echo '}'; fi
  } >"$work/leat.c"
  local optimizations=(-O2)
  if [ "$standard$flag$*" = c11 ] || [ "$standard$flag$*" = c++20 ]; then optimizations+=(-O0); fi
  for optimization in "${optimizations[@]}"; do
    if ! "$compiler" -w "-std=$standard" ${flag:+"$flag"} "$optimization" \
      "-I$include" -include leat/stdio.h -x "$language" -c "$work/leat.c" -o "$work/leat.o" 2>"$work/messages"; then
      echo "$compiler -std=$standard $optimization $flag $*:"
      grep -m 8 'error' "$work/messages"
      failed=1
      continue
    fi
    foreign_names=$(nm -u "$work/leat.o" | awk '{ print $2 }' | grep -vE '^leat_' | grep -vxE "$libc_only" |
      grep -vxE '__libc_single_threaded|_GLOBAL_OFFSET_TABLE_' || true)
    if [ -n "$foreign_names" ]; then
      echo "$compiler -std=$standard $optimization $flag $*: these names are libc's, not leat's:"
      paste -sd' ' <<<"$foreign_names"
      failed=1
    fi
    checked_variants=$((checked_variants + 1))
  done
}
# gcc's -aux-info works for C only. For C++, check uses C's list with the macro that C++ compilers
# define.
c_standard_of() { if [ "$language" = c ]; then echo "$1"; else echo gnu17; fi; }
cxx_macros=
standards=(c99 c11 gnu17 c2x)
if [ "$language" = c++ ]; then
  cxx_macros=-D_GNU_SOURCE
  standards=(c++11 c++20)
fi

for standard in "${standards[@]}"; do
  check "$standard" ''
  check "$standard" '' '_POSIX_C_SOURCE 200809L'
  check "$standard" '' '_GNU_SOURCE 1'
done
standard=${standards[1]}
check "$standard" '' '_XOPEN_SOURCE 500'
check "$standard" '' '_XOPEN_SOURCE 700' '_XOPEN_SOURCE_EXTENDED 1'
check "$standard" '' '_POSIX_C_SOURCE 1' '_POSIX_SOURCE 1'
check "$standard" '' '_DEFAULT_SOURCE 1'
check "$standard" '' '_DEFAULT_SOURCE 1' '_BSD_SOURCE 1' '_SVID_SOURCE 1'
check "$standard" '' '_LARGEFILE64_SOURCE 1' '_LARGEFILE_SOURCE 1'
check "$standard" -D_LARGEFILE64_SOURCE '_FILE_OFFSET_BITS 64'
check "$standard" -D_FILE_OFFSET_BITS=64 '_GNU_SOURCE 1'
check "$standard" -D_GNU_SOURCE
check "$standard" -D_POSIX_C_SOURCE=200809L '_GNU_SOURCE 1'
check "$standard" -D_ISOC2X_SOURCE

# In strict C, names of POSIX and GNU belong to the program. With LEAT_STDIO_STRICT, the header hides these names.
if [ "$language" = c ]; then
  printf '%s\n' '#include <stdio.h>' 'int getline(char* to, int size) { return to != NULL && size != 0; }' \
    'void dprintf(int level) { (void)level; }' 'int fopen64, off64_t, cuserid;' >"$work/own.c"
  if ! "$compiler" -std=c99 -Wall -Werror -DLEAT_STDIO_STRICT "-I$include" -include leat/stdio.h -c "$work/own.c" \
    -o "$work/own.o"; then
    echo "$compiler: with LEAT_STDIO_STRICT, a strict C program can't declare names of POSIX and GNU"
    failed=1
  fi
fi
# "%i" accepts the prefix "0b" since C23. C++ before C++26 and older versions of C get leat_c17_sscanf.
scanf_symbol() {
  echo 'int read(const char* text, int* n) { return sscanf(text, "%i", n); }' |
    "$compiler" "-std=$1" "-I$include" -include leat/stdio.h -x "$language" -c - -o "$work/scanf.o"
  nm -u "$work/scanf.o" | grep -oE 'leat_.*'
}
for standard in "${standards[@]}"; do
  expected=leat_c17_sscanf
  if [ "$standard" = c2x ]; then expected=leat_sscanf; fi
  if [ "$(scanf_symbol "$standard")" != "$expected" ]; then
    echo "$compiler -std=$standard: sscanf is $(scanf_symbol "$standard"), expected $expected"
    failed=1
  fi
done

if [ "$failed" = 0 ]; then echo "$compiler: in $checked_variants variants, all names are leat's"; fi
exit "$failed"
