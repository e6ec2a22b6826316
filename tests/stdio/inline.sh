#!/usr/bin/env bash
# Checks that reading or writing a byte with <leat/stdio.h> takes a few instructions in the
# program's own code. This code calls the library only if the buffer does not suffice. LANGUAGE is c
# or c++.
#
#   inline.sh COMPILER LANGUAGE
set -euo pipefail

compiler=$1 language=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/support/compilers.sh
. "$here/../support/compilers.sh"

needs_x86_64_linux "$compiler"

object=$(mktemp)
trap 'rm -f "$object"' EXIT
readers=(getc fgetc getc_unlocked fgetc_unlocked)
writers=(putc fputc putc_unlocked fputc_unlocked)
# compile FLAG...: compiles functions into $object. call_NAME only calls NAME.
compile() {
  {
    echo '#include <leat/stdio.h>'
    echo '#if defined(__cplusplus)'
    echo 'extern "C" {'
    echo '#endif'
    for name in "${readers[@]}"; do echo "int call_$name(FILE* f) { return $name(f); }"; done
    for name in "${writers[@]}"; do echo "int call_$name(FILE* f) { return $name('x', f); }"; done
    echo '#if defined(__cplusplus)'
    echo '}'
    echo '#endif'
  } | "$compiler" -x "$language" -O2 "$@" -I "$here/../../include" -c - -o "$object"
}
# jumps: prints the names of the functions shorter than 16 bytes. A function of less than 16 bytes
# only jumps to the library.
jumps() {
  nm -S -t d "$object" | sed -nE 's/^[0-9]+ 0*([0-9]+) T call_(.*)/\1 \2/p' |
    awk '$1 < 16 { print $2 }'
}

compile
if [ -n "$(jumps)" ]; then
  echo "$compiler, $language: not inline: $(jumps | paste -sd' ')"
  exit 1
fi
for name in fgetc fgetc_unlocked fputc fputc_unlocked; do
  if ! nm -u "$object" | grep -q " leat_stdio_$name\$"; then
    echo "$compiler, $language: the library's $name is never called"
    exit 1
  fi
done
# Without inline functions, `jumps` must print all eight names.
compile -DLEAT_NO_INLINE
if [ "$(jumps | wc -l)" -ne 8 ]; then
  echo "$compiler, $language: without inline functions, only these were found: $(jumps | paste -sd' ')"
  exit 1
fi
