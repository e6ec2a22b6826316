#!/usr/bin/env bash
# Makes the amalgamation, compiles it as a user would, and runs programs that use it.
#
#   amalgamation.sh BUILD_DIR [CC CXX [FLAG...]]     default: $CC and $CXX, or else cc and c++; -O0
#
# LEAT_NEEDS: options for linking, for example -lntdll. LEAT_EMULATOR: the command that runs the programs. Default of
# both: none.
set -euo pipefail

build=$1
shift
CC=${1:-${CC:-cc}}
CXX=${2:-${CXX:-c++}}
flags=("${@:3}")
if [ ${#flags[@]} -eq 0 ]; then flags=(-O0); fi
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"

"$root/scripts/amalgamate" "$work"
cd "$work"
# The same tree must give the same archive, and the archive must contain all files.
cp leat-amalgamated.zip once.zip
"$root/scripts/amalgamate" "$work"
cmp once.zip leat-amalgamated.zip
rm -r leat ./leat.* LICENSE
python3 -m zipfile -e leat-amalgamated.zip .
cd leat-amalgamated
cp "$here"/amalgamated/program.* .

read -ra needs <<<"${LEAT_NEEDS-}"
read -ra emulator <<<"${LEAT_EMULATOR-}"
# leat.cpp must compile without warnings under the program's flags.
"$CXX" -std=c++20 "${flags[@]}" -Wall -Wextra -Werror -c leat.cpp
# Windows needs the suffix .exe; elsewhere the suffix has no effect.
"$CXX" -std=c++20 "${flags[@]}" -Wall -Wextra -Werror program.cpp leat.o -o program.exe "${needs[@]}"
"$CC" "${flags[@]}" -c program.c -o c_program.o
"$CXX" "${flags[@]}" c_program.o leat.o -o c_program.exe "${needs[@]}"

# expect_equal WHAT WANTED GOT: ends the test if GOT is not WANTED
expect_equal() {
  [ "$2" = "$3" ] || fail "$1: expected \"$2\", got \"$3\""
}
output=$("${emulator[@]}" ./program.exe answer.txt | tr -d '\r')
expect_equal "the C++ program" "found of true" "$output"
expect_equal "the file of the C++ program" "The answer is 42, or 2.500." "$(cat answer.txt)"
output=$("${emulator[@]}" ./c_program.exe answer.txt | tr -d '\r')
expect_equal "the C program" "The answer is 42, or 2.500." "${output#leat *: }"
# The AVX2 loops exist, although no flag enables AVX2.
case $("$CXX" -dumpmachine) in
  x86_64*linux*)
    [ "$(nm -C leat.o | grep -c 'loops_avx2::scan<.*avx2')" -gt 0 ] || fail "there are no loops for AVX2"
    ;;
esac
echo "amalgamation: passed"
