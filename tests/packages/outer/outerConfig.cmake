# For find_package(outer): a package that links leat.
include(CMakeFindDependencyMacro)
find_dependency(leat)
include("${CMAKE_CURRENT_LIST_DIR}/outerTargets.cmake")
