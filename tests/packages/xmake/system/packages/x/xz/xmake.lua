-- The system's liblzma, for tests/packages/xmake.sh.
package("xz")
    on_fetch(function (package)
        return package:find_package("pkgconfig::liblzma")
    end)
