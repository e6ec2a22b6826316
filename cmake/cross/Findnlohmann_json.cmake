# nlohmann_json for a target system, from this machine's headers.
include("${CMAKE_CURRENT_LIST_DIR}/host_headers.cmake")
leat_host_headers(nlohmann_json nlohmann_json::nlohmann_json nlohmann/json.hpp)
