// Nothing: a precompiled header has to belong to some source (see tests/CMakeLists.txt).
