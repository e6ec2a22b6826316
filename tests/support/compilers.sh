# Sourced by tests that examine a compiler's output. Exit status 77 skips a test.

# needs_compiler COMPILER: skips the test if the compiler is not installed
needs_compiler() {
  if ! command -v "$1" >/dev/null; then
    echo "there is no $1"
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
      echo 'counted on x86-64 Linux only'
      exit 77
      ;;
  esac
}
