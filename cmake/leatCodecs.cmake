# Makes the targets leat::codec_zlib, leat::codec_isal, leat::codec_zstd, leat::codec_lz4 and leat::codec_lzma, for
# the libraries that are found. CMakeLists.txt and the installed leatConfig.cmake include this file. This file uses
# neither pkg-config nor CMake packages, because not all systems have .pc files or CMake packages for these
# libraries.
function(leat_codec name header library)
  string(TOUPPER "${name}" upper)
  if(TARGET leat::codec_${name})
    return()
  endif()
  find_path(LEAT_${upper}_INCLUDE_DIR ${header})
  find_library(LEAT_${upper}_LIBRARY ${library})
  mark_as_advanced(LEAT_${upper}_INCLUDE_DIR LEAT_${upper}_LIBRARY)
  if(LEAT_${upper}_INCLUDE_DIR AND LEAT_${upper}_LIBRARY)
    add_library(leat::codec_${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(
      leat::codec_${name} PROPERTIES IMPORTED_LOCATION "${LEAT_${upper}_LIBRARY}"
                                     INTERFACE_INCLUDE_DIRECTORIES "${LEAT_${upper}_INCLUDE_DIR}")
  endif()
endfunction()

leat_codec(zlib zlib.h z)
leat_codec(isal isa-l/igzip_lib.h isal)
leat_codec(zstd zstd.h zstd)
leat_codec(lz4 lz4frame.h lz4)
leat_codec(lzma lzma.h lzma)
