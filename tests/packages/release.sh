#!/usr/bin/env bash
# Makes a release of the last commit twice, in two folders and with different users' settings. The
# bytes must be the same, and scripts/release must refuse what must not be released.
#
#   release.sh      needs the packages of `make docs`, which `scripts/setup docs` installs
set -euo pipefail
build=${TMPDIR:-/tmp}
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"

version=$(sed -n 's/^#define LEAT_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' "$root/include/leat/config.h" | paste -sd .)
# clone FROM TO: makes a clone that this test may change
clone() {
  git clone -q "$1" "$2"
  mkdir "$2/build"
  ln -s "$root/build/docs" "$2/build/docs"
  git -C "$2" config user.name 'A test'
  git -C "$2" config user.email test@localhost
}
clone "$root" "$work/one"
# The changelog may have unreleased changes: these are removed.
sed -i '/^## \[Unreleased\]/,/^## \[[0-9]/ { /^## /!d }' "$work/one/CHANGELOG.md"
git -C "$work/one" commit -q --allow-empty -am 'All changes are released'
clone "$work/one" "$work/a much longer name"

# expect_refusal WHY [OPTION...]: if scripts/release does not refuse for this reason, fails
expect_refusal() {
  local why=$1 output
  shift
  if output=$("$work/one/scripts/release" "$@" "$work/refused" 2>&1); then
    fail "scripts/release $* succeeded, expected a refusal with \"$why\""
  fi
  grep -qF "$why" <<<"$output" || fail "expected \"$why\", got: $output"
}
# change EXPRESSION FILE: commits a change by sed
# undo [COMMIT]: goes back to COMMIT; default: the commit before HEAD
change() { sed -i "$1" "$work/one/$2" && git -C "$work/one" commit -qam 'A change of a test'; }
undo() { git -C "$work/one" reset -q --hard "${1-HEAD^}"; }

expect_refusal 'there is no tag' "$version"
expect_refusal 'config.h says' --trial 99.0.0
echo >>"$work/one/README.md"
expect_refusal 'not committed' --trial "$version"
undo HEAD
change "s/^## \[$version\] - .*/## [99.0.0] - 2026-01-01/" CHANGELOG.md
expect_refusal 'the newest release of CHANGELOG.md is 99.0.0' --trial "$version"
undo
change 's/^## \[Unreleased\]/&\n\n- A change/' CHANGELOG.md
git -C "$work/one" tag "v$version"
expect_refusal 'in no release' "$version"
git -C "$work/one" tag -d "v$version" >/dev/null
undo
git -C "$work/one" tag "v$version"
git -C "$work/one" commit -q --allow-empty -m 'After the tag'
expect_refusal "git checkout v$version" "$version"
undo

# The first release is made with the tag, the second one without a tag.
home=(--home https://example.org/leat)
(umask 077 && env TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 "$work/one/scripts/release" "${home[@]}" "v$version" "$work/first")
cd /
(umask 002 && env TZ=America/Adak LC_ALL=C "$work/a much longer name/scripts/release" --trial "${home[@]}" "$version" \
  "$work/second")
diff -r "$work/first" "$work/second" || fail 'the same commit makes different archives in two folders'

cd "$work/first"
sha256sum --quiet -c SHA256SUMS
tar -tzf "leat-$version.tar.gz" "leat-$version/CMakeLists.txt" >/dev/null
tar -tzf "leat-$version-docs.tar.gz" "leat-$version-docs/index.html" >/dev/null
[ -s release-notes.md ] || fail 'release-notes.md is missing or empty'
if grep -rE '@[A-Z0-9]+@' recipes; then fail 'these recipes have placeholders that are not filled'; fi
grep -rqF "$(sha256sum <"leat-$version.tar.gz" | cut -d ' ' -f 1)" recipes || fail 'no recipe has the hash of the archive'
for archive in *.tar.gz; do
  if tar -xzOf "$archive" | grep -aF -e "$root" -e "$work"; then fail "$archive names a folder of this machine"; fi
done
if [ -x "$root/build/spdx-tools/bin/pyspdxtools" ]; then
  "$root/build/spdx-tools/bin/pyspdxtools" -i "leat-$version.spdx.json" || fail 'the list of components is not valid SPDX'
fi
echo "release: passed"
