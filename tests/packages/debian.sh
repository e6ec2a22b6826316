#!/usr/bin/env bash
# Builds leat's Debian packages in a fresh Debian with only their declared build dependencies, and
# uses the packages in another fresh Debian. Root must run this script.
#
#   debian.sh BUILD_DIR [SUITE...]     default: bookworm and trixie
set -euo pipefail

build=$1
suites=("${@:2}")
if [ ${#suites[@]} -eq 0 ]; then suites=(bookworm trixie); fi
# shellcheck source=tests/packages/common.sh
. "$(dirname "$0")/common.sh"
suite=source

# step WHAT COMMAND...: runs the command, and prints one line. If the command fails, prints the end of
# its output and ends the script.
step() {
  local start=$SECONDS
  "${@:2}" >"$work/log" 2>&1 || {
    tail -n 60 "$work/log" >&2
    printf 'debian: %s: FAILED: %s\n' "$suite" "$1" >&2
    exit 1
  }
  printf 'debian: %s: %s (%s s)\n' "$suite" "$1" $((SECONDS - start))
}
# inside ROOT COMMANDS: runs the commands in the system ROOT, as the user root
inside() { "$root/scripts/root" run "$work/$1" bash -euo pipefail -c "export DEBIAN_FRONTEND=noninteractive; $2"; }
# as_user ROOT COMMANDS: runs the commands in the system ROOT, as the user `user` in its home folder
as_user() { "$root/scripts/root" run "$work/$1" runuser -l user -c "set -eu; $2"; }

# make_root ROOT FILE...: copies the suite's system to ROOT, with a user who owns copies of these files
make_root() {
  cp -a "$build/$suite" "$work/$1"
  inside "$1" 'useradd --create-home --shell /bin/bash user; apt-get -qq update'
  cp "${@:2}" "$work/$1/home/user"
  inside "$1" 'chown -R user: /home/user'
}

# Makes the source package twice. If the two packages differ, fails.
make_source_twice() {
  "$root/scripts/debian-packages" --source "$work/source"
  "$root/scripts/debian-packages" --source "$work/again"
  diff -r "$work/source" "$work/again"
}
step "the source package, made twice with equal bytes" make_source_twice

install='apt-get -qq install -y --no-install-recommends -o Dpkg::Use-Pty=0'
binaries="/home/user/*.deb"

# Purges leat. If a file or a package of leat, or a library in the linker's cache, is left, fails.
check_removed() {
  inside use 'apt-get -qq purge -y -o Dpkg::Use-Pty=0 "leat*" "libleat*"; rm -r /home/user /tmp/*'
  if find "$work/use" -xdev -iname '*leat*' | grep .; then return 1; fi
  inside use 'if ldconfig -p | grep leat || dpkg-query -W | grep leat; then exit 1; fi'
}

for suite in "${suites[@]}"; do
  "$root/scripts/root" make "$suite" "$build/$suite"
  step "a root to build in" make_root build "$work"/source/*
  step "the source package's build dependencies" inside build \
    'cd /home/user; apt-get -qq build-dep -y --no-install-recommends -o Dpkg::Use-Pty=0 ./leat_*.dsc'
  step "the packages, built and tested" as_user build \
    'dpkg-source -x leat_*.dsc leat; cd leat; DEB_BUILD_OPTIONS=terse dpkg-buildpackage --no-sign'
  step "lintian, to install" inside build "$install lintian"
  # The changelog closes no bug in Debian, because nothing is uploaded to Debian.
  step "lintian" as_user build \
    'lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs leat_*.changes'

  step "a root to use them in" make_root use "$work"/build/home/user/lib*.deb "$work"/build/home/user/leat_*.deb
  step "the command, without the -dev packages" inside use "$install \$(ls $binaries | grep -v -- -dev_)
    [ \"\$(printf 'a b\nc\n' | leat wc | xargs)\" = '2 3 6' ]"
  step "all packages, and the dependencies of their test" inside use "$install $binaries \
    $(sed -n 's/^Depends: //p' "$root/packaging/debian/tests/control" | tr -d ,)"
  tar -C "$root" -c README.md tests/install packaging/debian/tests | tar -C "$work/use/home/user" -x
  step "programs in C++ and C, by CMake and pkg-config" as_user use \
    'mkdir work; AUTOPKGTEST_TMP=/home/user/work packaging/debian/tests/programs'
  step "removed without a trace" check_removed
  rm -rf "$work/build" "$work/use"
done
echo "debian: passed"
