#!/usr/bin/env bash
# Compiles a program that must not compile, and looks for the expected message.
#
#   run.sh SOURCE COMPILER [FLAG...]
#
# SOURCE has a line `// expect: REGEX` (an extended regular expression), `// expect-first: REGEX` for
# the first line with an error, or `// expect-ok` if it must compile. Without a program that must
# compile, every test here could pass if the include path were wrong.
set -euo pipefail

source=$1
shift

status=0
output=$(LC_ALL=C "$@" -fsyntax-only "$source" 2>&1) || status=$?

if grep -q '^// expect-ok *$' "$source"; then
  if [ "$status" -ne 0 ]; then
    printf '%s\n%s\n' "$source must compile, but does not:" "$output" >&2
    exit 1
  fi
  exit 0
fi

expected=$(sed -En 's|^// expect(-first)?: *||p' "$source" | head -n 1)
if [ -z "$expected" ]; then
  echo "$source says neither '// expect: REGEX' nor '// expect-first: REGEX' nor '// expect-ok'" >&2
  exit 1
fi
if [ "$status" -eq 0 ]; then
  echo "$source compiles, but must not" >&2
  exit 1
fi
# Removes the line with the expected message, which the compiler may quote. The greps read strings,
# not pipes: grep -q stops reading at the first match, and the writer of a pipe would fail.
messages=$(grep -Ev '// expect(-first)?: ' <<<"$output" || true)
if grep -q '^// expect-first: ' "$source"; then
  messages=$(grep -m 1 -E ': (fatal )?error: ' <<<"$messages" || true)
fi
if ! grep -Eq -- "$expected" <<<"$messages"; then
  printf '%s\n%s\n' "$source: no line of the compiler's output matches '$expected':" "$output" >&2
  exit 1
fi
