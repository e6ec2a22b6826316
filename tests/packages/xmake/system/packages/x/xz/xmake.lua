package("xz")
    on_fetch(function (package)
        return package:find_package("pkgconfig::liblzma")
    end)
