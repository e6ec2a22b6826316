from conan import ConanFile


class SystemConan(ConanFile):
    """{fmt} or liburing of the system, in place of Conan Center's."""

    def package_info(self):
        self.cpp_info.includedirs = self.cpp_info.libdirs = self.cpp_info.bindirs = []
        self.cpp_info.system_libs = [{"fmt": "fmt", "liburing": "uring"}[self.name]]
        self.cpp_info.set_property("cmake_target_name", f"{self.name}::{self.name}")
