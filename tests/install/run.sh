#!/usr/bin/env bash
# Installs a built tree into a temporary prefix, and uses it from outside, as another project would.
#
#   run.sh cmake|pkgconfig BUILD_DIR
#   run.sh cmake|pkgconfig WORK_DIR PREFIX     uses the installation in PREFIX
#
# CMAKE, CC and CXX name the programs to use. LEAT_EXPECT_VERSION is the expected result of
# leat_version().
set -euo pipefail

method=$1
build=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CMAKE=${CMAKE:-cmake}
CC=${CC:-cc}
CXX=${CXX:-c++}

work=$(mktemp -d "$build/install_$method.XXXXXX")
trap 'rm -rf "$work"' EXIT

# expect WHAT WANTED GOT: ends the test if GOT is not WANTED
expect() {
  if [ "$2" != "$3" ]; then
    printf '%s: expected "%s", got "%s"\n' "$1" "$2" "$3" >&2
    exit 1
  fi
}

# DESTDIR would change where the tree is installed.
unset DESTDIR
prefix=${3-}
if [ -z "$prefix" ]; then
  "$CMAKE" --install "$build" --prefix "$work/first" >"$work/install.log"
  # A moved tree must work, too: it must not contain the path of its installation.
  mv "$work/first" "$work/prefix"
  prefix=$work/prefix
fi

if [ -x "$prefix/bin/leat" ]; then
  "$prefix/bin/leat" --help >"$work/help.txt"
  if ! grep -q bench "$work/help.txt"; then
    echo "the installed command does not know 'bench'" >&2
    exit 1
  fi
  for file in man/man1/leat.1 man/man1/leat-bench.1 man/man1/leat-tune.1 man/man3/leat.3 \
    bash-completion/completions/leat 'zsh/*/_leat' fish/vendor_completions.d/leat.fish; do
    if ! compgen -G "$prefix/share/$file*" >/dev/null; then
      echo "$file is not installed" >&2
      exit 1
    fi
  done
fi

case $method in
  cmake)
    "$CMAKE" -S "$here/cmake_project" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
      -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=Release
    "$CMAKE" --build "$work/build"
    program=$work/build/program
    remote_program=$work/build/remote_program
    codecs_program=$work/build/codecs_program
    c_program=$work/build/c_program
    # A project without C++
    "$CMAKE" -S "$here/c_project" -B "$work/c_build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC"
    "$CMAKE" --build "$work/c_build"
    expect "the C project's program" "leat ${LEAT_EXPECT_VERSION}" "$("$work/c_build/c_program")"
    # A component that does not exist, and a component that this build may lack: CMake's error must say why.
    mkdir "$work/wrong_component"
    for component in codec module; do
      printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(wrong CXX)' \
        "find_package(leat REQUIRED COMPONENTS $component)" >"$work/wrong_component/CMakeLists.txt"
      if messages=$("$CMAKE" -S "$work/wrong_component" -B "$work/wrong_component/$component" \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$CXX" 2>&1); then
        [ "$component" = module ] || expect "the component $component" "an error" "none"
      else
        reason="leat has no component codec, only remote, codecs and module"
        [ "$component" = codec ] || reason="this leat was built without the component module"
        # CMake divides its messages into lines.
        expect "the reason" "$reason" "$(tr -s ' \n' ' ' <<<"$messages" | grep -o "$reason")"
      fi
    done
    # A program may be compiled by another compiler than the library.
    for other in g++ clang++-19; do
      if [ "$(basename "$CXX")" = "$other" ] || ! command -v "$other" >/dev/null; then continue; fi
      "$CMAKE" -S "$here/cmake_project" -B "$work/$other" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$other" -DCMAKE_BUILD_TYPE=Release
      "$CMAKE" --build "$work/$other"
      "$work/$other/program" "$work/answer.txt"
      expect "the program by $other" "The answer is 42." "$(cat "$work/answer.txt")"
    done
    ;;
  pkgconfig)
    pc=$(find "$prefix" -name leat.pc)
    # leat's directory is added to pkg-config's standard directories, in which pkg-config finds {fmt}.
    export PKG_CONFIG_PATH="${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
    expect "pkg-config --modversion" "$LEAT_EXPECT_VERSION" "$(pkg-config --modversion leat)"
    # Plain --libs, without --static, as in most makefiles.
    read -ra cflags <<<"$(pkg-config --cflags leat)"
    read -ra libs <<<"$(pkg-config --libs leat)"
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir leat)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    program=$work/program
    c_program=$work/c_program
    set -x
    "$CXX" -std=c++20 -O2 "$here/program.cpp" -o "$program" "${cflags[@]}" "${libs[@]}"
    remote_program=$work/remote_program
    if pkg-config --exists leat-remote; then
      read -ra remote_flags <<<"$(pkg-config --cflags --libs leat-remote)"
      "$CXX" -std=c++20 -O2 "$here/remote_program.cpp" -o "$remote_program" "${remote_flags[@]}"
    fi
    codecs_program=$work/codecs_program
    if pkg-config --exists leat-codecs; then
      read -ra codecs_flags <<<"$(pkg-config --cflags --libs leat-codecs)"
      "$CXX" -std=c++20 -O2 "$here/codecs_program.cpp" -o "$codecs_program" "${codecs_flags[@]}"
    fi
    # C programs do not need {fmt}, for which there may be no static library.
    read -ra c_cflags <<<"$(pkg-config --cflags leat-c)"
    read -ra c_libs <<<"$(pkg-config --libs leat-c)"
    "$CC" -O2 "$here/program.c" -o "$c_program" "${c_cflags[@]}" "${c_libs[@]}"
    # A program with references to all functions of include/leat/c/: if a function is missing, linking
    # fails.
    {
      echo '#include <leat/leat.h>'
      echo 'void (*all[])(void) = {'
      sed -nE 's/^LEAT_API .*[ *](leat_[a-z0-9_]+)[(].*/(void (*)(void)) \1,/p' "$here"/../../include/leat/c/*.h
      echo '}; int main(void) { return all[0] == 0; }'
    } >"$work/all.c"
    "$CC" -O2 "$work/all.c" -o "$work/all" "${c_cflags[@]}" "${c_libs[@]}"
    # shellcheck disable=SC2016  # backticks, for sed
    sed -n '/^```c$/,/^```$/{/^```/d;p}' "$here/../../README.md" >"$work/readme.c"
    "$CC" -O2 "$work/readme.c" -o "$work/readme_c" "${c_cflags[@]}" "${c_libs[@]}"
    # The README's C++ program, unchanged.
    # shellcheck disable=SC2016  # backticks, for sed
    sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$here/../../README.md" >"$work/readme.cpp"
    "$CXX" -std=c++20 -O2 "$work/readme.cpp" -o "$work/readme" "${cflags[@]}" "${libs[@]}"
    set +x
    (cd "$work" && ./readme >/dev/null)
    expect "the README's file" "The answer is 42." "$(head -n 1 "$work/guide.txt")"
    expect "the README's C program" "1000000 rows" "$(cd "$work" && ./readme_c)"
    expect "the C program's table" "999999,99999.900" "$(tail -n 1 "$work/table.csv")"
    ;;
  *)
    echo "usage: run.sh cmake|pkgconfig BUILD_DIR [PREFIX]" >&2
    exit 2
    ;;
esac

"$program" "$work/answer.txt"
expect "the C++ program's file" "The answer is 42." "$(cat "$work/answer.txt")"
if [ -x "$codecs_program" ]; then
  expect "the program with compressed files" "The answer is 42." "$("$codecs_program" "$work/answer.gz")"
fi
if [ -x "$remote_program" ]; then
  expect "the program with the component" "invalid_argument" "$("$remote_program")"
fi
expect "the C program" "leat ${LEAT_EXPECT_VERSION}" "$("$c_program")"
echo "install_$method: passed"
