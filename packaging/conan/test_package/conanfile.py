"""Tests the recipe: builds and runs programs with the package. `conan create` runs this test."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class LeatTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires(self.tested_reference_str)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            options = self.dependencies["leat"].options
            programs = ["program", "c_program"]
            programs += ["remote_program"] * bool(options.remote)
            programs += ["codecs_program"] * bool(options.codecs)
            for program in programs:
                self.run(os.path.join(self.cpp.build.bindir, program), env="conanrun")
