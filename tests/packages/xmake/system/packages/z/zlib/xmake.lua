-- The system's zlib, for tests/packages/xmake.sh.
package("zlib")
    on_fetch(function (package)
        return package:find_package("pkgconfig::zlib")
    end)
