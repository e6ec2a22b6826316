// Empty: a precompiled header needs a source file (tests/CMakeLists.txt).
