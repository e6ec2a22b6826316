#!/usr/bin/env bash
# Builds extensions of CPython and R as authors of extensions do, and runs two in one process: one with
# the static library and one with the shared library.
#
#   plugins.sh BUILD_DIR
set -euo pipefail
build=$1
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"

for kind in static shared; do
  quiet cmake -G Ninja -S "$root" -B "$build/plugins/$kind" -DCMAKE_BUILD_TYPE=Release -DLEAT_TESTS=OFF -DLEAT_TOOLS=OFF \
    -DLEAT_EXAMPLES=OFF -DLEAT_REMOTE=OFF -DLEAT_CODECS=OFF \
    "-DBUILD_SHARED_LIBS=$([ "$kind" = shared ] && echo ON || echo OFF)"
  quiet cmake --build "$build/plugins/$kind"
  quiet cmake --install "$build/plugins/$kind" --prefix "$work/$kind"
  mapfile -t found < <(find "$work/$kind" -name leat-c.pc -printf '%h\n')
  export PKG_CONFIG_PATH=${found[0]}
  # Links as pkg-config says. The shared library is found by rpath.
  read -ra compile <<<"$(pkg-config --cflags leat-c)"
  read -ra link <<<"$(pkg-config --libs leat-c) -Wl,-rpath,$(dirname "${found[0]}")"

  read -ra python <<<"$(python3-config --includes)"
  quiet gcc -O2 -Wall -Wextra -Werror -fPIC -shared "${python[@]}" "${compile[@]}" "-DMODULE=leat_$kind" \
    "$here/plugins/python.c" "${link[@]}" -o "$work/leat_$kind.so"
  mkdir "$work/r_$kind"
  cp "$here/plugins/r.c" "$work/r_$kind/"
  (cd "$work/r_$kind" && PKG_CFLAGS="${compile[*]}" PKG_LIBS="${link[*]}" quiet R CMD SHLIB -o "../r_$kind.so" r.c)
done

python3 "$here/plugins/use.py" "$work"
for kind in static shared; do
  [ "$(cat "$work/leat_$kind.kept")" = "kept by leat_$kind" ] || fail "the bytes that leat_$kind kept are lost at Python's end"
done
Rscript "$here/plugins/use.R" "$work"
echo "plugins: passed"
