#!/usr/bin/env bash
# Tests leat as a subproject of a Meson project (tests/packages/meson), with the wrap file of a release.
#
#   meson.sh BUILD_DIR WRAP     builds and runs programs: static, with all components; and shared, without
#                               {fmt}, io_uring and components
#
# MESON, CMAKE, CC and CXX name the programs to use.
set -euo pipefail

build=$1
wrap=$2
MESON=${MESON:-meson}
CMAKE=${CMAKE:-cmake}
export CC="${CC:-cc}" CXX="${CXX:-c++}"
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"

# The project refers to other files by their relative paths in the tree.
mkdir -p "$work/packages" "$work/install"
cp -r "$here/meson" "$here/outer" "$work/packages/"
cp "$here"/../install/*program.c* "$work/install/"
mkdir "$work/packages/meson/subprojects"
cp "$wrap" "$work/packages/meson/subprojects/"

# try NAME OPTION...: builds the project with these options, and runs `program` and `c_program`. Fails after a warning.
try() {
  quiet "$MESON" setup "$work/$1" "$work/packages/meson" "${@:2}"
  if grep -q 'WARNING' "$work/log"; then fail "$1: $(grep -A 3 'WARNING' "$work/log")"; fi
  quiet ninja -C "$work/$1"
  if grep -q 'warning:' "$work/log"; then fail "$1: $(cat "$work/log")"; fi
  [ "$("$work/$1/program")" = "The answer is 42." ] || fail "$1: program does not print 'The answer is 42.'"
  [ -n "$("$work/$1/c_program")" ] || fail "$1: c_program prints nothing"
}

try static --buildtype=plain -Dleat:remote=enabled -Dleat:codecs=enabled
[ "$("$work/static/remote_program")" = invalid_argument ] || fail "static: remote_program does not print 'invalid_argument'"
[ "$("$work/static/codecs_program" "$work/answer.gz")" = "The answer is 42." ] ||
  fail "static: codecs_program does not print 'The answer is 42.'"

# Meson must compile the same files as CMake, and the same files with the same flags for AVX2.
"$CMAKE" -G Ninja -S "$root" -B "$work/cmake" -DLEAT_TESTS=OFF -DLEAT_TOOLS=OFF -DLEAT_EXAMPLES=OFF \
  -DLEAT_REMOTE=ON -DLEAT_CODECS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=OFF >"$work/log" 2>&1 || fail "$(cat "$work/log")"
compiled() { ninja -C "$work/$1" -t compdb | sed -nE 's,^ *"file": ".*(/|")(src/.*[.]cpp)".*,\2,p' | sort; }
diff <(compiled cmake) <(compiled static) || fail "only CMake (<) or only Meson (>) compiles these files"
for_avx2() { ninja -C "$work/$1" -t commands | grep -e -mavx2 | grep -oE -e '-m[a-z0-9]+|src/[^ ]*[.]cpp ?$' | sort -u; }
diff <(for_avx2 cmake) <(for_avx2 static) ||
  fail "CMake (<) and Meson (>) differ in the files that they compile for AVX2, or in the flags"

try shared --buildtype=plain -Ddefault_library=shared -Dleat:format=none -Dleat:uring=disabled \
  -Dremote=disabled -Dleat:remote=disabled -Dcodecs=disabled -Dleat:codecs=disabled
for program in remote_program codecs_program; do
  [ ! -e "$work/shared/$program" ] || fail "shared: $program was built, although its component is disabled"
done
echo "meson: passed"
