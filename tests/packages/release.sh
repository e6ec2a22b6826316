#!/usr/bin/env bash
# Makes a release of what is committed, twice: in two folders, by users with other settings. The bytes must be the
# same, and what must not be released is refused.
#
#   release.sh      `make docs` must have what it needs (scripts/setup docs)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf 'release: %s\n' "$1" >&2
  exit 1
}

version=$(sed -n 's/^#define LEAT_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' "$root/include/leat/config.h" | paste -sd .)
# A clone, in which this test may change and commit. Released are the newest changes.
clone() {
  git clone -q "$root" "$1"
  mkdir "$1/build"
  ln -s "$root/build/docs" "$1/build/docs"
  git -C "$1" config user.name "$2"
  git -C "$1" config user.email "$2@localhost"
}
clone "$work/one" one
clone "$work/a much longer name" two

# refused WHY [OPTION...]: what scripts/release says
refused() {
  local why=$1 said
  shift
  if said=$("$work/one/scripts/release" "$@" "$work/refused" 2>&1); then fail "this was not refused: $why"; fi
  grep -qF "$why" <<<"$said" || fail "expected \"$why\", got: $said"
}
change() { sed -i "$1" "$work/one/$2" && git -C "$work/one" commit -qam 'A change of a test'; }
undo() { git -C "$work/one" reset -q --hard "${1-HEAD^}"; }

refused 'there is no tag' "$version"
refused 'config.h says' --trial 99.0.0
echo >>"$work/one/README.md"
refused 'not committed' --trial "$version"
undo HEAD
change "s/^## \[$version\] - .*/## [99.0.0] - 2026-01-01/" CHANGELOG.md
refused 'the newest release of CHANGELOG.md is 99.0.0' --trial "$version"
undo
change 's/^## \[Unreleased\]/&\n\n- A change/' CHANGELOG.md
refused 'in no release' --trial "$version"
undo
git -C "$work/one" tag "v$version"
git -C "$work/one" commit -q --allow-empty -m 'Behind the tag'
refused "git checkout v$version" "$version"
undo

# With the tag, and without it.
(umask 077 && env TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 "$work/one/scripts/release" "v$version" "$work/first")
cd /
(umask 002 && env TZ=America/Adak LC_ALL=C "$work/a much longer name/scripts/release" --trial "$version" "$work/second")
diff -r "$work/first" "$work/second" || fail 'two folders, two results'

cd "$work/first"
sha256sum --quiet -c SHA256SUMS
tar -tzf "leat-$version.tar.gz" "leat-$version/CMakeLists.txt" >/dev/null
tar -tzf "leat-$version-docs.tar.gz" "leat-$version-docs/index.html" >/dev/null
[ -s release-notes.md ] || fail 'there are no notes'
if grep -rE '@[A-Z0-9]+@' packaging 2>/dev/null; then fail 'these recipes have places that are not filled'; fi
for archive in *.tar.gz; do
  if tar -xzOf "$archive" | grep -aF -e "$root" -e "$work"; then fail "$archive names a folder of this machine"; fi
done
if [ -x "$root/build/spdx-tools/bin/pyspdxtools" ]; then
  "$root/build/spdx-tools/bin/pyspdxtools" -i "leat-$version.spdx.json" || fail 'the list of components is no SPDX'
fi
echo "release: passed"
