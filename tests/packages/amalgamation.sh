#!/usr/bin/env bash
# Makes the two files, compiles them as a user does, and runs programs with them.
#
#   amalgamation.sh BUILD_DIR [CC CXX [FLAG...]]     -O0 and this system's compilers, if none is given
#
# LEAT_NEEDS are libraries to link, LEAT_EMULATOR runs the programs.
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
# From the archive: it must be whole, and the same for the same tree.
cp leat-amalgamated.zip once.zip
"$root/scripts/amalgamate" "$work"
cmp once.zip leat-amalgamated.zip
rm -r leat ./leat.* LICENSE
python3 -m zipfile -e leat-amalgamated.zip .
cd leat-amalgamated
cp "$here"/amalgamated/program.* .

read -ra needs <<<"${LEAT_NEEDS-}"
read -ra emulator <<<"${LEAT_EMULATOR-}"
# Windows wants the suffix; elsewhere it does no harm.
# A program that compiles leat.cpp with its own warnings has none of ours.
"$CXX" -std=c++20 "${flags[@]}" -Wall -Wextra -Werror -c leat.cpp
"$CXX" -std=c++20 "${flags[@]}" -Wall -Wextra -Werror program.cpp leat.o -o program.exe "${needs[@]}"
"$CC" "${flags[@]}" -c program.c -o c_program.o
"$CXX" "${flags[@]}" c_program.o leat.o -o c_program.exe "${needs[@]}"

says() {
  [ "$2" = "$3" ] || fail "$1: expected \"$2\", got \"$3\""
}
said=$("${emulator[@]}" ./program.exe answer.txt | tr -d '\r')
says "the C++ program" "found of true" "$said"
says "its file" "The answer is 42, or 2.500." "$(cat answer.txt)"
said=$("${emulator[@]}" ./c_program.exe answer.txt | tr -d '\r')
says "the C program" "The answer is 42, or 2.500." "${said#leat *: }"
# The loops for AVX2 are there, although nobody has asked the compiler for AVX2.
case $("$CXX" -dumpmachine) in
  x86_64*linux*)
    [ "$(nm -C leat.o | grep -c 'loops_avx2::scan<.*avx2')" -gt 0 ] || fail "there are no loops for AVX2"
    ;;
esac
echo "amalgamation: passed"
