-- The system's LZ4, for tests/packages/xmake.sh.
package("lz4")
    on_fetch(function (package)
        return package:find_package("pkgconfig::liblz4")
    end)
