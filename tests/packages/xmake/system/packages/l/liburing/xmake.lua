package("liburing")
    on_fetch(function (package)
        return package:find_package("pkgconfig::liburing")
    end)
