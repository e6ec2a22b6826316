#!/usr/bin/env bash
# Compiles leat's headers as different programs do: with the warnings of a strict project, and after
# names and macros of the program.
#
#   run.sh COMPILER STANDARD INCLUDE_FLAG...
#
# COMPILER's name says whether the language is C or C++. The headers are found by -I here, because an
# installed header is a system header, for which compilers print no warnings.
set -euo pipefail

compiler=$1
standard=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
headers=$here/../../include/leat

if ! command -v "$compiler" >/dev/null; then
  echo "there is no $compiler"
  exit 77
fi
# GCC 12 knows C23 only as c2x.
if [ "$standard" = c23 ] && ! "$compiler" -std=c23 -fsyntax-only -x c /dev/null 2>/dev/null; then
  standard=c2x
fi

language=c
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)
case $compiler in
  *++*)
    language=c++
    warnings+=(-Wold-style-cast)
    ;;
esac
case $compiler in
  clang*)
    # All warnings of Clang, except those about other standards than C++20, about padding, and about
    # questions that only the program's author can judge.
    warnings+=(-Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-c++20-compat
      -Wno-pre-c++20-compat-pedantic -Wno-pre-c++17-compat -Wno-pre-c23-compat -Wno-padded)
    # GCC's check for missing values in a switch needs the opposite.
    warnings+=(-Wno-switch-default)
    # A function of the format parser returns only at compile time.
    warnings+=(-Wno-missing-noreturn)
    # Some function templates are instantiated only in the library, for all types that they accept.
    warnings+=(-Wno-undefined-func-template)
    # Buffers are used through pointers, and visibility decides where a virtual table is.
    warnings+=(-Wno-unsafe-buffer-usage -Wno-weak-vtables)
    # Macros and inlined functions of {fmt} and of the system's headers cause these warnings.
    warnings+=(-Wno-disabled-macro-expansion -Wno-reserved-identifier -Wno-reserved-macro-identifier)
    if [ "$language" = c ]; then warnings+=(-Wno-declaration-after-statement -Wno-unused-macros); fi
    ;;
  *++*) warnings+=(-Wuseless-cast -Wnull-dereference) ;;
  *) warnings+=(-Wnull-dereference) ;;
esac

failed=0
# check_compiles NAME FLAG...: compiles the program on standard input; on failure, prints NAME and sets
# `failed`
check_compiles() {
  local name=$1
  shift
  if ! "$compiler" "-std=$standard" -DLEAT_STATIC -I "$headers/.." "$@" -x "$language" - \
    -S -o /dev/null -Werror; then
    echo "$compiler -std=$standard: $name"
    failed=1
  fi
}
includes() { printf '#include <%s>\n' "$@"; }
# includes_found HEADER...: includes only the headers that exist; {fmt} and <format> may be missing
includes_found() {
  local header
  for header in "$@"; do
    printf '#if __has_include(<%s>)\n#include <%s>\n#endif\n' "$header" "$header"
  done
}

if [ "$language" = c++ ]; then
  cpp=("$headers"/*.hpp)
  cpp=("${cpp[@]##*/}")
  cpp=("${cpp[@]/#/leat/}")
  # The headers of other libraries come first, because leat can't change these headers.
  foreign=$(sed -nE 's/^# *include <(.*)>.*/\1/p' "$headers"/*.hpp "$headers"/detail/*.hpp |
    grep -v '^leat/' | sort -u)
  # shellcheck disable=SC2086  # one name a word
  {
    includes_found $foreign fmt/format.h
    cat "$here/names.hpp"
    includes "${cpp[@]}"
    sed 's/^#include .*//' "$here/uses.cpp"
  } | grep -v '#pragma once' | check_compiles "names of the program" "$@"
  # shellcheck disable=SC2086
  {
    includes_found $foreign fmt/format.h
    cat "$here/macros.h"
    includes "${cpp[@]}"
  } | check_compiles "macros of the program" "$@"
  check_compiles "warnings" -O2 "${warnings[@]}" "$@" <"$here/uses.cpp"
fi
parts=("$headers"/c/*.h)
parts=("${parts[@]##*/}")
for header in leat/leat.h leat/codecs.h leat/remote.h leat/stdio.h "${parts[@]/#/leat/c/}"; do
  {
    includes sys/types.h
    cat "$here/macros.h"
    includes "$header"
  } | check_compiles "$header, macros of the program" "$@"
  includes "$header" | check_compiles "$header, warnings" "${warnings[@]}" "$@"
done
{
  includes leat/stdio.h leat/leat.h
  echo 'extern int position_of(FILE* f, leat_off_t* at);'
  echo 'int position_of(FILE* f, leat_off_t* at) { return leat_find(f, "x", 1, at); }'
  echo 'extern FILE* other_kind_of(leat_file* f);'
  echo 'FILE* other_kind_of(leat_file* f) { return fputs("x", f) < 0 ? f : leat_libc_file(f); }'
} | check_compiles "leat/stdio.h with leat/leat.h" "${warnings[@]}" "$@"
# libc's __fpending() would mistake leat's FILE for a FILE of libc.
if ! {
  includes leat/stdio.h stdio_ext.h
  echo 'extern size_t waiting(FILE* f);'
  echo 'size_t waiting(FILE* f) { return __fpending(f); }'
} | "$compiler" "-std=$standard" -DLEAT_STATIC -I "$headers/.." "$@" -x "$language" - -S -o - |
  grep leat_fpending >/dev/null; then
  echo "$compiler -std=$standard: <stdio_ext.h> after leat/stdio.h is libc's"
  failed=1
fi
exit "$failed"
