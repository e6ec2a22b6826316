# Finds CLI11 for a target system: the header-only library, from the headers of the build machine.
include("${CMAKE_CURRENT_LIST_DIR}/host_headers.cmake")
leat_host_headers(CLI11 CLI11::CLI11 CLI/CLI.hpp)
