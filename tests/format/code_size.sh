#!/usr/bin/env bash
# Checks that in code optimised for size, a call of leat's print has at most 1.6 times the bytes of
# a call of fmt::print. fmt::print does not compile its format.
#
#   code_size.sh COMPILER INCLUDE_FLAG...
set -euo pipefail

compiler=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/support/compilers.sh
. "$here/../support/compilers.sh"

needs_x86_64_linux "$compiler"

object=$(mktemp)
trap 'rm -f "$object"' EXIT
# sizes LEVEL FLAG...: prints a line "NAME LEAT_BYTES FMT_BYTES" for each call, cold parts included
sizes() {
  "$compiler" -std=c++20 "$1" -DLEAT_STATIC -DCALLS_OF_FMT_PRINT -I "$here/../../include" "${@:2}" \
    -c "$here/code_size.cpp" -o "$object"
  nm -S -t d --demangle "$object" |
    sed -nE 's/^[0-9]+ 0*([0-9]+) [tT] (leat|fmt)_([a-z_]+)\(.*/\3 \2 \1/p' |
    awk '{ size[$1, $2] += $3; names[$1] }
      END { for (name in names) print name, size[name, "leat"] + 0, size[name, "fmt"] + 0 }' | sort
}

failed=0
calls=0
while read -r name leat fmt; do
  calls=$((calls + 1))
  printf '%-10s leat %4d bytes, fmt::print %4d\n' "$name" "$leat" "$fmt"
  if [ "$leat" -eq 0 ] || [ "$fmt" -eq 0 ] || [ $((10 * leat)) -gt $((16 * fmt)) ]; then
    echo "$compiler -Os: the call '$name' is too large, or was not found"
    failed=1
  fi
done < <(sizes -Os "$@")
if [ "$calls" -ne 7 ]; then
  echo "$compiler: $calls calls were counted, not 7"
  failed=1
fi
# Checks the check: the calls of -O2, which are inlined, must exceed the limit.
if ! sizes -O2 "$@" | awk '{ leat += $2; fmt += $3 } END { exit 10 * leat <= 16 * fmt }'; then
  echo "$compiler: calls of -O2 must exceed the limit, but do not"
  failed=1
fi
exit "$failed"
