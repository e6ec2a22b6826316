-- The system's {fmt}, for tests/packages/xmake.sh.
package("fmt")
    on_fetch(function (package)
        return package:find_package("pkgconfig::fmt")
    end)
