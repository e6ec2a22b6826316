# vcpkg's port of leat: downloads a release, builds it and installs it. scripts/recipes fills in the placeholders
# between @ signs.
vcpkg_download_distfile(
    archive
    URLS "@URL@"
    FILENAME "leat-@VERSION@.tar.gz"
    SHA512 @SHA512@
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

vcpkg_check_features(
    OUT_FEATURE_OPTIONS options
    FEATURES
        codecs LEAT_CODECS
        remote LEAT_REMOTE
        uring LEAT_URING
)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${options}
        -DLEAT_FORMAT=fmt
        -DLEAT_ISAL=OFF
        -DLEAT_TOOLS=OFF
        -DLEAT_TESTS=OFF
        -DLEAT_EXAMPLES=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/leat)
vcpkg_fixup_pkgconfig()
vcpkg_copy_pdbs()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
