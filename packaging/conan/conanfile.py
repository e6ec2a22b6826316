"""Conan's recipe for leat. scripts/recipes makes the files of a release from this folder."""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd, stdcpp_library
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir

required_conan_version = ">=2.1"


class LeatConan(ConanFile):
    name = "leat"
    description = "Streams for files: fast, checked and measured"
    license = "MIT"
    url = "@HOMEPAGE@"
    homepage = "@HOMEPAGE@"
    topics = ("io", "files", "streams", "formatting")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "format": ["fmt", "std", "none"],
        "uring": [True, False],
        "remote": [True, False],
        "codecs": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "format": "fmt",
        "uring": True,
        "remote": False,
        "codecs": False,
    }
    implements = ["auto_shared_fpic"]

    def config_options(self):
        if self.settings.os == "Windows":
            self.options.rm_safe("fPIC")
        if self.settings.os != "Linux":
            del self.options.uring

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        if self.options.format == "fmt":
            self.requires("fmt/[>=9.1 <13]", transitive_headers=True)
        if self.options.get_safe("uring"):
            self.requires("liburing/[>=2.0 <3]")
        if self.options.remote:
            self.requires("libcurl/[>=7.85 <9]")
            self.requires("openssl/[>=3.0 <4]")
            self.requires("expat/[>=2.5 <3]")
            self.requires("nlohmann_json/[>=3.11 <4]", visible=False)
        if self.options.codecs:
            self.requires("zlib/[>=1.2.11 <2]")
            self.requires("zstd/[>=1.5 <2]")
            self.requires("lz4/[>=1.9 <2]")
            self.requires("xz_utils/[>=5.2 <6]")

    def validate(self):
        check_min_cppstd(self, 20)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LEAT_FORMAT"] = str(self.options.format)
        toolchain.cache_variables["LEAT_URING"] = bool(self.options.get_safe("uring"))
        toolchain.cache_variables["LEAT_REMOTE"] = "ON" if self.options.remote else "OFF"
        toolchain.cache_variables["LEAT_CODECS"] = "ON" if self.options.codecs else "OFF"
        toolchain.cache_variables["LEAT_ISAL"] = "OFF"  # leat's CMake does not find Conan's package of ISA-L
        for part in "TOOLS", "TESTS", "EXAMPLES":
            toolchain.cache_variables[f"LEAT_{part}"] = "OFF"
        toolchain.generate()
        dependencies = CMakeDeps(self)
        dependencies.set_property("expat", "cmake_target_name", "EXPAT::EXPAT")
        dependencies.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan makes such files for users from package_info().
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "leat")
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "leat::leat")
        core.set_property("cmake_target_aliases", ["leat::leat_c"])
        core.set_property("pkg_config_name", "leat")
        core.libs = ["leat"]
        if not self.options.shared:
            core.defines.append("LEAT_STATIC")
            runtime = stdcpp_library(self)
            if runtime:
                core.system_libs.append(runtime)
        if self.settings.os == "Windows":
            core.system_libs += ["ntdll", "synchronization"]
        elif self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs += ["pthread", "m"]
        if self.options.format == "fmt":
            core.requires.append("fmt::fmt")
        if self.options.get_safe("uring"):
            core.requires.append("liburing::liburing")
        if self.options.remote:
            remote = self.cpp_info.components["remote"]
            remote.set_property("cmake_target_name", "leat::remote")
            remote.set_property("pkg_config_name", "leat-remote")
            remote.libs = ["leat_remote"]
            remote.requires = ["core", "libcurl::libcurl", "openssl::crypto", "expat::expat"]
        if self.options.codecs:
            codecs = self.cpp_info.components["codecs"]
            codecs.set_property("cmake_target_name", "leat::codecs")
            codecs.set_property("pkg_config_name", "leat-codecs")
            codecs.libs = ["leat_codecs"]
            codecs.requires = ["core", "zlib::zlib", "zstd::zstd", "lz4::lz4", "xz_utils::xz_utils"]
