#!/usr/bin/env bash
# Tests the Conan 2 recipe of a release: `conan create` builds leat and the programs of its test_package.
#
#   conan.sh BUILD_DIR RECIPE
#
# No remote is used: CMake and all libraries are the system's. CONAN names the program.
set -euo pipefail

build=$1
recipe=$2
CONAN=${CONAN:-conan}
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"
export CONAN_HOME="$work/home"

version=$(sed -nE 's/^ *"([0-9.]+)":$/\1/p' "$recipe/conandata.yml")
quiet "$CONAN" profile detect
quiet "$CONAN" remote disable '*'
cat >>"$CONAN_HOME/profiles/default" <<PROFILE
[platform_tool_requires]
cmake/$(cmake --version | sed -n 's/^cmake version //p')
PROFILE
# Names in Conan Center, each followed by pkg-config's name if the two differ.
for library in fmt liburing libcurl openssl expat nlohmann_json zlib zstd:libzstd lz4:liblz4 xz_utils:liblzma; do
  quiet "$CONAN" create "$here/conan" --name "${library%:*}" --version "$(pkg-config --modversion "${library#*:}")"
done

# try OPTION...: builds the recipe with these options, and checks what the test programs print. Each
# folder is compiled as one file, which is faster.
try() {
  quiet "$CONAN" create "$recipe" --version "$version" -s compiler.cppstd=20 -s build_type=Debug \
    -c "tools.cmake.cmaketoolchain:extra_variables={'CMAKE_UNITY_BUILD': 'ON'}" "$@"
  grep -qF "The answer is 42." "$work/log" || fail "program does not print 'The answer is 42.': $*"
  if [[ $* == *codecs=True* ]]; then
    grep -qF "decoded: The answer is 42." "$work/log" || fail "codecs_program does not print 'decoded: The answer is 42.': $*"
  fi
  grep -qF "leat $version" "$work/log" || fail "c_program does not print 'leat $version': $*"
}
try -o 'leat/*:remote=True' -o 'leat/*:codecs=True'
try -o 'leat/*:format=none' -o 'leat/*:uring=False' -o 'leat/*:shared=True'
echo "conan: passed"
