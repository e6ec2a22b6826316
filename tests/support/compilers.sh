# Functions for tests that examine a compiler's output. These tests source this file. Exit status 77
# skips a test.

# needs_compiler COMPILER: skips the test if the compiler is not installed
needs_compiler() {
  if ! command -v "$1" >/dev/null; then
    echo "$1 is not installed"
    exit 77
  fi
}

# needs_x86_64_linux COMPILER: skips the test if the compiler is missing or has another target. The
# expected sizes of code are for x86-64 Linux.
needs_x86_64_linux() {
  needs_compiler "$1"
  case $("$1" -dumpmachine) in
    x86_64-*linux*) ;;
    *)
      echo 'the expected sizes are for x86-64 Linux'
      exit 77
      ;;
  esac
}
