# leat_part(NAME part debian target...)
#
# Makes the option NAME for a part of the build that has additional dependencies, for example the tests.
# CMakeLists.txt calls leat_part(). With AUTO, if leat is the top project and all targets exist or are found, the
# part is built; if the top project lacks targets, a message names these targets. With ON, a missing target is an
# error. Sets the variable NAME, which is true if the part is built. `part`: the name of the part in messages.
# `debian`: Debian's packages that have the targets. `target`: PACKAGE::LIBRARY, a target that find_package(PACKAGE)
# makes.
function(leat_part name part debian)
  set(${name} AUTO CACHE STRING
                         "Build ${part}: ON, OFF, or AUTO: if leat is the top project and needed packages are found")
  set_property(CACHE ${name} PROPERTY STRINGS AUTO ON OFF)
  set(build "${${name}}")
  if(build STREQUAL "AUTO")
    set(build ${PROJECT_IS_TOP_LEVEL})
  endif()

  set(missing)
  if(build)
    foreach(target IN LISTS ARGN)
      string(REGEX REPLACE "::.*" "" package "${target}")
      if(NOT TARGET ${target} AND NOT ${package}_FOUND)
        find_package(${package} QUIET)
      endif()
      if(NOT TARGET ${target})
        list(APPEND missing ${target})
      endif()
    endforeach()
  endif()
  if(missing)
    list(JOIN missing ", " missing)
    set(reason "${missing} not found (Debian: ${debian})")
    if(NOT "${${name}}" STREQUAL "AUTO")
      message(FATAL_ERROR "${name} is on, but: ${reason}")
    endif()
    message(STATUS "leat is built without ${part}: ${reason}")
    set(build OFF)
  endif()
  set(${name} ${build} PARENT_SCOPE)
endfunction()
