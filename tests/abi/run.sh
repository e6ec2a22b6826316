#!/usr/bin/env bash
# Checks that a shared leat exports exactly the names in packaging/abi/leat.symbols. The suite's leat is
# static, so this test compiles the two files of scripts/amalgamate as a shared library, without
# optimisation. `make check-abi` builds the real libraries.
#
#   run.sh BUILD_DIR FORMAT [OTHER]   CXX names the compiler, FORMAT is LEAT_FORMAT. The compiler OTHER must export
#                                     the same symbols.
set -euo pipefail
build=$1
CXX=${CXX:-c++}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${here%/tests/abi}

case $("$CXX" -dumpmachine)/$("$CXX" -dM -E -x c++ /dev/null | grep -c __clang__ || true)/$2 in
  x86_64-*linux*/0/fmt) ;;
  *)
    echo 'abi: skipped, because the list is for GCC on x86-64 Linux, with {fmt}'
    exit 77
    ;;
esac

work=$(mktemp -d "$build/abi.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$root/scripts/amalgamate" "$work"
# LEAT_STATIC would hide the exported names.
sed -i 's/define LEAT_STATIC$/define NOT_LEAT_STATIC/' "$work/leat.hpp" "$work/leat.cpp"

# build COMPILER LIBRARY
build() {
  "$1" -std=c++20 -O0 -fPIC -shared -fvisibility=hidden -fvisibility-inlines-hidden \
    -Wl,--version-script="$build/leat.map" "$work/leat.cpp" -o "$2"
}
build "$CXX" "$work/libleat.so"
"$root/scripts/abi" check "$work/libleat.so"
# Other languages load the library with dlopen, when little static TLS is left.
python3 "$root/tests/c/python.py" "$work/libleat.so"

# The list has readable names. Symbols can differ although these names are equal: some compilers
# encode constraints.
symbols() { nm --dynamic --defined-only --format=posix "$1" | sed 's/ .*//' | sort; }
if [ $# -eq 3 ]; then
  build "$3" "$work/other.so"
  diff <(symbols "$work/libleat.so") <(symbols "$work/other.so") || {
    echo "abi: $CXX and $3 export different symbols" >&2
    exit 1
  }
fi
echo 'abi: passed'
