package("zstd")
    on_fetch(function (package)
        return package:find_package("pkgconfig::libzstd")
    end)
