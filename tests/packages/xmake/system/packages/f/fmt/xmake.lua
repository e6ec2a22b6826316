package("fmt")
    on_fetch(function (package)
        return package:find_package("pkgconfig::fmt")
    end)
