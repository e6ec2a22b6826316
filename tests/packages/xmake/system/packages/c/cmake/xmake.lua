-- The system's CMake, for tests/packages/xmake.sh.
package("cmake")
    set_kind("binary")
    on_fetch(function (package)
        return package:find_tool("cmake")
    end)
