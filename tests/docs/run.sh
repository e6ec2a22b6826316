#!/usr/bin/env bash
# Compiles the blocks of C++ in a document, each as the body of a function.
#
#   run.sh DOCUMENT COMPILER [FLAG...]
set -euo pipefail

document=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

blocks=$(grep -c '^```cpp$' "$document")
echo "$blocks blocks"
# #line makes a message name the document and its line. A block may well define what it does not use.
awk -v document="$document" '
  $0 == "```cpp" { print "void block_" NR "() {"; print "#line " NR + 1 " \"" document "\""; inside = 1; next }
  $0 == "```" && inside { print "}"; inside = 0 }
  inside' "$document" |
  "$@" -include "$here/prelude.hpp" -Wall -Wextra -Wno-unused-variable -Werror -fsyntax-only -x c++ -
