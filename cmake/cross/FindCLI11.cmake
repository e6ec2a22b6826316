# CLI11 for a target system, from this machine's headers.
include("${CMAKE_CURRENT_LIST_DIR}/host_headers.cmake")
leat_host_headers(CLI11 CLI11::CLI11 CLI/CLI.hpp)
