#!/usr/bin/env bash
# Compiles program.c with libc's <stdio.h>, and with leat's in several variants (optimizations,
# macros, -include), and compares the output of the programs.
#
#   run.sh COMPILER STANDARD BUILD_DIR [FLAG...]
#
# COMPILER's name says whether the compiler is for C or C++. The library is the archive in
# BUILD_DIR, and LEAT_NEEDS has the libraries that leat needs besides the C++ runtime. If
# LEAT_EMULATOR is set, it runs the programs that COMPILER makes. Each FLAG adds a variant: `-static`,
# `-flto`, … If LEAT_PEER is set to a native compiler, the other side of the comparison is the
# native libc: for systems whose libc translates line ends and lacks functions.
set -euo pipefail

compiler=$1
standard=$2
build=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
include=$here/../../include

if ! command -v "$compiler" >/dev/null; then
  echo "there is no $compiler"
  exit 77
fi
work=$(mktemp -d "$build/stdio_header.XXXXXX")
trap 'rm -rf "$work"' EXIT

language=c
case $compiler in *++*) language=c++ ;; esac
defines=()
case $compiler in clang-*) defines=(-DLEAT_STDIO_WCHAR) ;; esac
case $standard in c[0-9]*) [ "$language" = c ] && defines+=(-DSTRICT_C) ;; esac
emulator=${LEAT_EMULATOR:-}
peer=${LEAT_PEER:-}
if [ -n "$peer" ]; then defines+=(-DWITHOUT_PROCESSES); fi
warnings=(-Wall -Wextra -Werror -Wno-format-truncation -Wno-format-overflow -Wno-unused-result
  -Wno-address)

# compile_program COMPILER OUTPUT FLAG...: compiles program.c into the program OUTPUT
compile_program() {
  local program_compiler=$1 output=$2
  shift 2
  "$program_compiler" "-std=$standard" "${defines[@]}" "${warnings[@]}" "$@" -x "$language" \
    "$here/program.c" -o "$output" "${libraries[@]}"
}

# run_program [EMULATOR] PROGRAM: runs the program in $work, so that its messages have no absolute
# path. Prints the program's output and messages.
run_program() {
  (cd "$work" && printf 'qline\n77\n' | "$@" out.txt 2>&1)
}

libraries=()
compile_program "${peer:-$compiler}" "$work/libc" -O1
if [ -z "$peer" ]; then
  run_program ${emulator:+"$emulator"} "$work/libc" >"$work/expected"
else
  run_program "$work/libc" >"$work/expected"
fi

failed=0
# check_variant NAME FLAG...: compiles program.c with leat's header, and compares the program's output
# with the output of the program with libc's header
check_variant() {
  local name=$1
  shift
  if ! compile_program "$compiler" "$work/program.exe" -DLEAT_STATIC "-I$include" "$@" 2>"$work/messages"; then
    echo "$compiler -std=$standard $name: program.c does not compile"
    head -n 20 "$work/messages"
    failed=1
  elif ! run_program ${emulator:+"$emulator"} "$work/program.exe" >"$work/result" ||
    ! cmp -s "$work/expected" "$work/result"; then
    echo "$compiler -std=$standard $name: the output differs from the output with libc's header"
    diff "$work/expected" "$work/result" | head -n 20 || true
    failed=1
  else
    echo "$compiler -std=$standard $name: the same output as with libc's header"
  fi
}

read -ra needs <<<"${LEAT_NEEDS:-}"
libraries=("-L$build" -lleat "${needs[@]}" -lstdc++ -lm -lpthread)
for optimization in -O0 -O2 '-O2 -D_FORTIFY_SOURCE=2' '-O3 -D_FILE_OFFSET_BITS=64' "$@"; do
  read -ra flags <<<"$optimization"
  check_variant "$optimization" -DWITH_LEAT "${flags[@]}"
done
check_variant "-O2 -include leat/stdio.h" -O2 -include leat/stdio.h
exit "$failed"
