#!/usr/bin/env bash
# Tests leat as a part of another project (tests/packages/outer), as with FetchContent and add_subdirectory.
#
#   subproject.sh BUILD_DIR                       configures, and compiles three files; takes seconds
#   subproject.sh --whole BUILD_DIR [FMT_SOURCES] builds, runs, installs, and uses the installation; the outer
#                                                 project may bring the sources of {fmt}
#
# CMAKE, CC and CXX name the programs to use.
set -euo pipefail

whole=
if [ "$1" = --whole ]; then
  whole=yes
  shift
fi
build=$1
fmt=${2-}
CMAKE=${CMAKE:-cmake}
export CC="${CC:-cc}" CXX="${CXX:-c++}"
unset DESTDIR
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"

quiet "$CMAKE" -G Ninja -S "$here/outer" -B "$work/outer" -DLEAT_SOURCE="$root" \
  -DCMAKE_BUILD_TYPE=Release -DOUTER_FMT="$fmt"
for kind in after targets tests; do
  grep -qF "foreign $kind: <>" "$work/log" ||
    fail "leat adds names without its prefixes to the outer project: $(grep "foreign $kind:" "$work/log")"
done
if grep -q 'CMake.* Warning' "$work/log"; then fail "warnings of CMake: $(cat "$work/log")"; fi

if [ -z "$whole" ]; then
  objects=$(ninja -C "$work/outer" -t targets all | sed -n 's/: CXX_COMPILER__.*//p' |
    grep -E 'outer[.]cpp|main[.]cpp|src/search/two_way[.]cpp')
  # shellcheck disable=SC2086  # a list of files
  quiet ninja -C "$work/outer" $objects
  [ "$(wc -w <<<"$objects")" -eq 3 ] || fail "these are not three files: $objects"
  echo "subproject: passed"
  exit
fi

quiet "$CMAKE" --build "$work/outer"
if grep -q 'warning:' "$work/log"; then fail "$(cat "$work/log")"; fi
[ "$("$work/outer/program")" = "The answer is 42." ] || fail "outer/program does not print 'The answer is 42.'"
[ -n "$("$work/outer/c_program")" ] || fail "outer/c_program prints nothing"

# The outer project, leat and {fmt} are installed below one prefix, which is then moved: no file may
# need the old path.
quiet "$CMAKE" --install "$work/outer" --prefix "$work/first"
if [ -n "$fmt" ]; then quiet "$CMAKE" --install "$work/outer/fmt" --prefix "$work/first"; fi
[ -e "$work/first/share/doc/leat/LICENSE" ] || fail "share/doc/leat/LICENSE is not installed"
mv "$work/first" "$work/prefix"
quiet "$CMAKE" -S "$here/uses_outer" -B "$work/uses" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release
quiet "$CMAKE" --build "$work/uses"
[ "$("$work/uses/program")" = "The answer is 43." ] || fail "uses/program does not print 'The answer is 43.'"
quiet "$CMAKE" -S "$here/../install/c_project" -B "$work/c" -DCMAKE_PREFIX_PATH="$work/prefix"
quiet "$CMAKE" --build "$work/c"
[ -n "$("$work/c/c_program")" ] || fail "the program of c_project prints nothing"
echo "subproject: passed"
