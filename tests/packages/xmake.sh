#!/usr/bin/env bash
# Tests the xmake recipe of a release. The project tests/packages/xmake gets leat from RECIPES, a local repository of
# recipes.
#
#   xmake.sh BUILD_DIR RECIPES
#
# The project's second repository, tests/packages/xmake/system, takes CMake and all libraries from the system. No
# repository on the network is used. XMAKE names the xmake program.
set -euo pipefail

build=$1
recipes=$2
XMAKE=${XMAKE:-xmake}
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"
export XMAKE_ROOT=y XMAKE_GLOBALDIR="$work/home" XMAKE_COLORTERM=nocolor

# The project refers to other files by their relative paths in the tree.
mkdir -p "$work/packages" "$work/install"
cp -r "$here/xmake" "$here/outer" "$work/packages/"
cp "$here"/../install/program.c "$here"/../install/codecs_program.cpp "$work/install/"
cp -r "$recipes" "$work/packages/xmake/recipes"
cd "$work/packages/xmake"

quiet "$XMAKE" global --network=private
# The recipe's test also compiles a program.
for options in --codecs=y "--format=none --shared=y"; do
  # shellcheck disable=SC2086  # a list of options
  quiet "$XMAKE" config --clean --yes -vD $options
  quiet "$XMAKE" --rebuild -v
  [ "$("$XMAKE" run program)" = "The answer is 42." ] || fail "program does not print 'The answer is 42.': $options"
  [ -n "$("$XMAKE" run c_program)" ] || fail "c_program prints nothing: $options"
  if [[ $options == *codecs* ]]; then
    [ "$("$XMAKE" run codecs_program "$work/answer.gz")" = "The answer is 42." ] ||
      fail "codecs_program does not print 'The answer is 42.'"
  fi
done
echo "xmake: passed"
