#!/usr/bin/env bash
# Configures leat with plain cmake, as on a machine without the packages for tests and the command.
#
#   run.sh BUILD_DIR
#
# CMAKE, CC and CXX name the programs to use.
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "$1/configure.XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
  printf '%s; CMake says:\n' "$1" >&2
  cat "$work/log" >&2
  exit 1
}

# configure OPTION...: runs cmake. The output of cmake goes to $work/log.
configure() {
  "${CMAKE:-cmake}" -S "$source" -B "$work/build" "$@" >"$work/log" 2>&1
}

# says TEXT: if CMake's output does not contain TEXT, fails; line breaks count as spaces
says() {
  tr -s '[:space:]' ' ' <"$work/log" | grep -qF "$1" || fail "expected: $1"
}

export CC CXX
configure -DCMAKE_DISABLE_FIND_PACKAGE_{GTest,CLI11,nlohmann_json}=ON ||
  fail "the library needs a package of the tests or the command"
says "leat is built without the tests: GTest::gtest_main, GTest::gmock not found"
says "leat is built without the command: CLI11::CLI11, nlohmann_json::nlohmann_json not found"
for folder in tests tools; do
  if [ -e "$work/build/$folder" ]; then fail "$folder is built"; fi
done

configure -DCMAKE_BUILD_TYPE=Debug || fail "another build type than Release is an error"

if configure -DLEAT_TESTS=ON; then fail "LEAT_TESTS=ON without GoogleTest is no error"; fi
says "LEAT_TESTS is on, but: GTest::gtest_main, GTest::gmock not found (Debian: libgtest-dev"
if configure -DLEAT_TESTS=OFF -DLEAT_TOOLS=ON; then fail "LEAT_TOOLS=ON without CLI11 is no error"; fi
says "LEAT_TOOLS is on, but: CLI11::CLI11, nlohmann_json::nlohmann_json not found (Debian: libcli11"

# The installed header and package files name the library for types that leat does not format itself.
configure -DLEAT_TOOLS=OFF -DLEAT_TESTS=OFF -DLEAT_FORMAT=none -DCMAKE_INSTALL_PREFIX="$work/prefix" ||
  fail "LEAT_FORMAT=none is an error"
grep -q 'LEAT_FORMAT_FMT 0' "$work/build/include/leat/detail/format_choice.h" || fail "the header says {fmt}"
grep -q 'LEAT_FORMAT_STD 0' "$work/build/include/leat/detail/format_choice.h" || fail "the header says std"
if grep 'fmt' "$work/build/leat.pc"; then fail "leat.pc requires {fmt}"; fi
grep -q 'set(leat_format none)' "$work/build/leatConfig.cmake" || fail "leatConfig.cmake does not say none"
configure -DLEAT_FORMAT=auto -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON || fail "leat needs {fmt}"
says "leat is built without {fmt} 9.1, which is not found (Debian: libfmt-dev): LEAT_FORMAT="
if configure -DLEAT_FORMAT=fmt; then fail "LEAT_FORMAT=fmt without {fmt} is no error"; fi
if configure -DLEAT_FORMAT=printf; then fail "LEAT_FORMAT=printf is no error"; fi
says "must be auto, fmt, std or none"
configure -DLEAT_FORMAT=auto -DCMAKE_DISABLE_FIND_PACKAGE_fmt=OFF || fail "leat does not use {fmt} again"

# A machine that has GoogleTest but not GMock
mkdir "$work/gtest"
echo 'add_library(GTest::gtest_main INTERFACE IMPORTED)' >"$work/gtest/GTestConfig.cmake"
configure -DLEAT_TOOLS=OFF -DLEAT_TESTS=AUTO -DCMAKE_DISABLE_FIND_PACKAGE_GTest=OFF \
  -DGTest_DIR="$work/gtest" || fail "GoogleTest without GMock is an error"
says "leat is built without the tests: GTest::gmock not found"
if [ -e "$work/build/tests" ]; then fail "tests are built"; fi
echo "configure: passed"
