include(CMakeFindDependencyMacro)
find_dependency(leat)
include("${CMAKE_CURRENT_LIST_DIR}/outerTargets.cmake")
