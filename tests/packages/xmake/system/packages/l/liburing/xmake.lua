-- The system's liburing, for tests/packages/xmake.sh.
package("liburing")
    on_fetch(function (package)
        return package:find_package("pkgconfig::liburing")
    end)
