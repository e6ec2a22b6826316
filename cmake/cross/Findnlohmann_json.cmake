# Finds nlohmann_json for a target system: the header-only library, from the headers of the build machine.
include("${CMAKE_CURRENT_LIST_DIR}/host_headers.cmake")
leat_host_headers(nlohmann_json nlohmann_json::nlohmann_json nlohmann/json.hpp)
