#!/usr/bin/env bash
# Compares the size of leat's headers, in lines after preprocessing, with <iostream> and {fmt}.
# The number of lines does not depend on the speed of the machine. The compile time grows with the
# number of lines.
#
#   lines.sh COMPILER INCLUDE_FLAG...
set -euo pipefail

compiler=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/support/compilers.sh
. "$here/../support/compilers.sh"

needs_compiler "$compiler"
preprocess() { "$compiler" -std=c++20 -I "$here/../../include" "$@" -x c++ -E -; }
flags=("$@")
# lines HEADER...: the number of lines of a file that includes these headers
lines() { printf '#include <%s>\n' "$@" | preprocess "${flags[@]}" -P | wc -l; }
# value MACRO HEADER: the value of the macro, or 0 if the header does not define it
value() {
  printf '#include <%s>\n#ifndef %s\n#define %s 0\n#endif\nvalue %s\n' "$2" "$1" "$1" "$1" |
    preprocess "${flags[@]}" -P | sed -n 's/^value //p'
}

# Only with libstdc++, leat includes internal parts of some headers instead of the whole headers.
if [ "$(value __GLIBCXX__ cstddef)" = 0 ]; then
  echo "$compiler: not libstdc++"
  exit 77
fi

failed=0
# at_most LIMIT HEADER WHAT: sets `failed` if a file that includes HEADER has more than LIMIT lines
at_most() {
  local count more
  count=$(lines "$2")
  printf '%-16s %6d lines, at most %6d: %s\n' "$2" "$count" "$1" "$3"
  if [ "$count" -gt "$1" ]; then
    echo "$compiler: <$2> is too large; the compiler's option -H lists the headers that <$2> includes"
    failed=1
  fi
  # Checks the check: with one more large header, the number of lines must exceed the limit.
  more=$(lines "$2" functional)
  if [ "$more" -le "$1" ]; then
    echo "$compiler: <$2> with <functional>, $more lines, passes, too"
    failed=1
  fi
}

iostream=$(lines iostream)
at_most $((iostream - 1)) leat/writer.hpp 'less than <iostream>'
at_most $((iostream - 1)) leat/reader.hpp 'less than <iostream>'

if [ "$(value LEAT_FORMAT_STD leat/detail/custom_format.hpp)" != 0 ]; then
  echo '<format> has more lines than all of leat'
elif [ "$(value LEAT_FORMAT_FMT leat/detail/custom_format.hpp)" = 0 ] ||
  [ "$(value FMT_VERSION leat/print.hpp)" -ge 110000 ]; then
  # Without {fmt} there is nothing to compare with. {fmt} 11 includes less of the standard library
  # than leat's interface needs: no streams, vectors, errors.
  at_most $((iostream * 12 / 10)) leat/print.hpp '1.2 x <iostream>'
  at_most $((iostream * 17 / 10)) leat/leat.hpp '1.7 x <iostream>'
else
  at_most $(($(lines fmt/core.h) * 12 / 10)) leat/print.hpp '1.2 x <fmt/core.h>'
  # core.h of {fmt} 10 includes <memory>; leat needs a small part of <memory>.
  if [ "$(value FMT_VERSION leat/print.hpp)" -ge 100000 ]; then
    at_most $(($(lines fmt/format.h) * 112 / 100)) leat/leat.hpp '1.12 x <fmt/format.h>'
  else
    at_most "$(lines fmt/format.h)" leat/leat.hpp '<fmt/format.h>'
  fi
fi
exit "$failed"
