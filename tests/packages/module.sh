#!/usr/bin/env bash
# Tests a program with `import leat;`: with leat as a part of its project, and with an installed leat.
#
#   module.sh BUILD_DIR
#
# CMAKE (3.28 or newer), CC and CXX name the programs to use.
set -euo pipefail

build=$1
CMAKE=${CMAKE:-cmake}
export CC="${CC:-cc}" CXX="${CXX:-c++}"
unset DESTDIR
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"

# try NAME OPTION...: builds the program with these options, and checks what it prints
try() {
  quiet "$CMAKE" -G Ninja -S "$here/module" -B "$work/$1" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON "${@:2}"
  quiet "$CMAKE" --build "$work/$1"
  output=$("$work/$1/program" "$work/rows.txt")
  [ "$output" = "012 42 true" ] || fail "$1: expected \"012 42 true\" from the program, got \"$output\""
}
try part -DLEAT_SOURCE="$root"
quiet "$CMAKE" --install "$work/part" --prefix "$work/first"
mv "$work/first" "$work/prefix"
try installed -DCMAKE_PREFIX_PATH="$work/prefix"
echo "module: passed"
