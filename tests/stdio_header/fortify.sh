#!/usr/bin/env bash
# With _FORTIFY_SOURCE, a call that aborts a program with libc's header also aborts the program with
# <leat/stdio.h>. Other calls give the same bytes with both headers. The compiler warns of the same
# mistakes.
#
#   fortify.sh COMPILER BUILD_DIR
#
# COMPILER's name says whether the compiler is for C or C++. The library is BUILD_DIR/libleat.a, and
# LEAT_NEEDS has the libraries that leat needs besides the C++ runtime. If the compiler or glibc is
# missing, ends with 77.
set -euo pipefail
compiler=$1
build=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
include=$here/../../include
if ! command -v "$compiler" >/dev/null; then
  echo "there is no $compiler"
  exit 77
fi
if ! printf '#include <gnu/libc-version.h>\n' | "$compiler" -E -x c - >/dev/null 2>&1; then
  echo "libc is not glibc"
  exit 77
fi
work=$(mktemp -d "$build/fortify.XXXXXX")
trap 'rm -rf "$work"' EXIT
language=c
standard=(-std=gnu99 -DHAS_GETS)
case $compiler in *++*) language=c++ standard=() ;; esac
# With libc's header, Clang finds fewer mistakes than GCC. So GCC's result is accepted, too.
gcc=gcc
[ "$language" = c ] || gcc=g++
failed=0
read -ra needs <<<"${LEAT_NEEDS:-}"

for level in 1 2 3; do
  flags=("${standard[@]}" -O2 -w -U_FORTIFY_SOURCE "-D_FORTIFY_SOURCE=$level")
  "$compiler" "${flags[@]}" -x "$language" "$here/fortify.c" -Wl,--no-warnings -o "$work/libc"
  "$gcc" "${flags[@]}" -x "$language" "$here/fortify.c" -Wl,--no-warnings -o "$work/strict"
  "$compiler" "${flags[@]}" "-I$include" -include leat/stdio.h -x "$language" "$here/fortify.c" -x none \
    "$build/libleat.a" "${needs[@]}" -lstdc++ -lm -pthread -o "$work/leat"
  number=0
  while :; do
    expected=0 strict=0 result=0
    "$work/strict" "$number" "$work/file" </dev/null >/dev/null 2>&1 || strict=$?
    "$work/libc" "$number" "$work/file" </dev/null >"$work/expected" 2>/dev/null || expected=$?
    "$work/leat" "$number" "$work/file" </dev/null >"$work/result" 2>"$work/message" || result=$?
    [ "$expected" = 4 ] && break
    # Without a free descriptor, glibc 2.41 lets the program write; leat and glibc 2.36 do not.
    [ "$number" != 45 ] || [ "$result" != 134 ] || strict=134
    if [ "$result" != "$expected" ] && [ "$result" != "$strict" ]; then
      echo "$compiler, level $level: call $number ends with $result, with libc's header $expected"
      failed=1
    elif [ "$result" = "$expected" ] && ! cmp -s "$work/result" "$work/expected"; then
      echo "$compiler, level $level: call $number leaves other bytes than with libc's header"
      failed=1
    elif [ "$result" = 134 ] && ! grep -qE 'buffer overflow detected|%n in ' "$work/message"; then
      echo "$compiler, level $level: call $number aborts the program without a message"
      failed=1
    fi
    number=$((number + 1))
  done 2>/dev/null # hides the shell's reports of aborted programs
  [ "$number" -gt 30 ] || { echo "expected more than 30 calls, but fortify.c has only $number"; exit 1; }
done

# With _FORTIFY_SOURCE and LEAT_NO_PERCENT_N, these calls with %n fail, and the program goes on.
"$compiler" "${standard[@]}" -O2 -w -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -DLEAT_NO_PERCENT_N "-I$include" \
  -include leat/stdio.h -x "$language" "$here/fortify.c" -x none "$build/libleat.a" "${needs[@]}" -lstdc++ -lm -pthread \
  -o "$work/leat"
for number in 38 39 40 41 42 43; do
  result=0
  "$work/leat" "$number" "$work/file" </dev/null >/dev/null 2>&1 || result=$?
  if [ "$result" != 1 ]; then
    echo "$compiler, LEAT_NO_PERCENT_N: call $number ends with $result, expected 1"
    failed=1
  fi
done

warns() {
  ! "$compiler" -O2 -Wall -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 "-DNUMBER=$1" "${@:2}" -x "$language" -c \
    "$here/warnings.c" -o "$work/object" 2>"$work/warnings"
}
for number in 0 1 2 3 4 5 6; do
  if warns "$number" && ! warns "$number" "-I$include" -include leat/stdio.h; then
    echo "$compiler: no warning of mistake $number with leat's header"
    failed=1
  fi
done
exit "$failed"
