# shellcheck shell=bash
# The scripts of this folder source this file. Each script first sets `build`, a folder for temporary files.
# This file sets:
#   name    the script's name without .sh
#   here    the folder of these scripts
#   root    leat's folder
#   work    a new folder for this run, removed at the end
name=$(basename "$0" .sh)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034  # for the scripts that source this file
root=${here%/tests/packages}
work=$(mktemp -d "${build:?}/$name.XXXXXX")
trap 'rm -rf "$work"' EXIT

# fail WHY: prints the reason, and ends the script
fail() {
  printf '%s: %s\n' "$name" "$1" >&2
  exit 1
}

# quiet COMMAND...: runs the command, with the output in $work/log. If the command fails, shows the
# output and ends the script.
quiet() {
  "$@" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "failed: $*"
  }
}
