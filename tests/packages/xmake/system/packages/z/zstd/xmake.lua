-- The system's Zstandard, for tests/packages/xmake.sh.
package("zstd")
    on_fetch(function (package)
        return package:find_package("pkgconfig::libzstd")
    end)
