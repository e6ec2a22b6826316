#!/usr/bin/env bash
# Compiles each public C++ header as C++17: the first error must say which standard leat needs, and the
# compiler must print at most 12 lines.
#
#   older_standard.sh COMPILER INCLUDE_FLAG...
set -euo pipefail

compiler=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/support/compilers.sh
. "$here/../support/compilers.sh"

needs_compiler "$compiler"
headers=$here/../../include
first='#include <leat/detail/cpp20.hpp>'
failed=0
for header in "$headers"/leat/*.hpp "$headers"/leat/adapters/*.hpp; do
  name=${header#"$headers/"}
  # The library of an adapter may be missing. So cpp20.hpp must come first: its error ends the compilation.
  if [ "$(grep -m 1 '^# *include' "$header")" != "$first" ]; then
    echo "$name: the first include is not $first"
    failed=1
  elif messages=$(LC_ALL=C "$compiler" -std=gnu++17 -I "$headers" "$@" -fsyntax-only -x c++ - \
    <<<"#include <$name>" 2>&1); then
    echo "$name compiles as C++17"
    failed=1
  elif ! grep -m 1 'error: ' <<<"$messages" | grep -q 'leat needs C++20: compile with -std=c++20' ||
    [ "$(wc -l <<<"$messages")" -gt 12 ]; then
    printf '%s: other messages than expected\n%s\n' "$name" "$messages"
    failed=1
  fi
done
exit "$failed"
