#!/usr/bin/env bash
# Compiles the format layer and program.cpp with one choice of LEAT_FORMAT, and runs the program, which compares
# formatted values with the expected texts.
#
#   run.sh CHOICE INCLUDE_FOLDER WORK_FOLDER COMPILER [FLAG...]
#
# CHOICE is fmt, std or none; INCLUDE_FOLDER contains its format_choice.h. If CHOICE is std and the
# compiler's library has no std::format, Clang 19 with libc++ is tried. Exit status 77: no library
# has std::format.
set -euo pipefail

choice=$1
generated=$2
folder=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$here/../..

work=$(mktemp -d "$folder/format_choice.XXXXXX")
trap 'rm -rf "$work"' EXIT

has_format() {
  printf '#include <format>\nint main() { return std::format("{}", 1).size() != 1; }\n' |
    "$@" -std=c++20 -x c++ - -o "$work/probe" 2>/dev/null
}
compiler=("$@")
if [ "$choice" = std ] && ! has_format "${compiler[@]}"; then
  compiler=(clang++-19 -stdlib=libc++)
  if ! has_format "${compiler[@]}"; then
    echo "no standard library here has std::format"
    exit 77
  fi
fi

# All sources in one file, which compiles in seconds.
for file in "$source"/src/{base/copy,base/error,base/over_read,device/posix/clock,format/*,number/*}.cpp; do
  printf '#include "%s"\n' "$file"
done >"$work/format.cpp"
flags=(-std=c++20 -O0 -Wall -Wextra -Wconversion -Wsign-conversion -Werror -DLEAT_STATIC -DLEAT_BUILDING
  -I "$generated" -I "$source/include" -I "$source/src")
"${compiler[@]}" "${flags[@]}" -fsyntax-only "$source/src/stream/print.cpp" &
libraries=()
if [ "$choice" = fmt ]; then libraries=(-lfmt); fi
"${compiler[@]}" "${flags[@]}" "$work/format.cpp" "$here"/{program,stubs}.cpp -o "$work/program" \
  "${libraries[@]}"
wait $!
"$work/program"
if [ "$choice" != fmt ] && nm -C "$work/program" | grep 'fmt::v'; then
  echo "the program has symbols of {fmt}"
  exit 1
fi
