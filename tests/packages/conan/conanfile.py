"""One recipe for all libraries that leat's recipe needs. Each package refers to the system's library. conan.sh runs
the recipe with --name.
"""

from conan import ConanFile

# For each library's name in Conan Center: the names of its CMake package and CMake target there, and the linker's names
# of the system's library.
LIBRARIES = {
    "fmt": ("fmt", "fmt::fmt", ["fmt"]),
    "liburing": ("liburing", "liburing::liburing", ["uring"]),
    "libcurl": ("CURL", "CURL::libcurl", ["curl"]),
    "openssl": ("OpenSSL", "OpenSSL::Crypto", ["crypto"]),
    "expat": ("EXPAT", "expat::expat", ["expat"]),
    "nlohmann_json": ("nlohmann_json", "nlohmann_json::nlohmann_json", []),
    "zlib": ("ZLIB", "ZLIB::ZLIB", ["z"]),
    "zstd": ("zstd", "zstd::libzstd", ["zstd"]),
    "lz4": ("lz4", "lz4::lz4", ["lz4"]),
    "xz_utils": ("LibLZMA", "LibLZMA::LibLZMA", ["lzma"]),
}


class SystemConan(ConanFile):
    """A library of the system, in place of Conan Center's."""

    def package_info(self):
        package, target, libraries = LIBRARIES[self.name]
        self.cpp_info.set_property("cmake_file_name", package)
        # OpenSSL has two libraries, so its recipe has components.
        info = self.cpp_info.components["crypto"] if self.name == "openssl" else self.cpp_info
        info.set_property("cmake_target_name", target)
        info.includedirs = info.libdirs = info.bindirs = []
        info.system_libs = libraries
