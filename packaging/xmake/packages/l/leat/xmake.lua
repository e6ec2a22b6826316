-- xmake's package of leat. scripts/recipes fills in the placeholders between @ signs.
package("leat")
    set_homepage("@HOMEPAGE@")
    set_description("Streams for files: fast, checked and measured")
    set_license("MIT")

    add_urls("@URL@")
    add_versions("@VERSION@", "@SHA256@")

    add_configs("format", {description = "Formatter of types that leat does not format.", default = "fmt", type = "string", values = {"fmt", "std", "none"}})
    add_configs("uring", {description = "Use io_uring, through liburing.", default = is_plat("linux"), type = "boolean"})
    add_configs("remote", {description = "Build the component for object storage.", default = false, type = "boolean"})
    add_configs("codecs", {description = "Build the component for compressed files.", default = false, type = "boolean"})

    add_deps("cmake")
    if is_plat("linux", "bsd") then
        add_syslinks("pthread")
    elseif is_plat("mingw") then
        add_syslinks("ntdll", "synchronization")
    end

    on_load(function (package)
        if package:config("remote") then
            package:add("links", "leat_remote", "leat")
            package:add("deps", "libcurl", "openssl3", "expat", "nlohmann_json")
        end
        if package:config("codecs") then
            package:add("links", "leat_codecs", "leat")
            package:add("deps", "zlib", "zstd", "lz4", "xz")
        end
        if package:config("format") == "fmt" then
            package:add("deps", "fmt >=9.1")
        end
        if package:config("uring") then
            package:add("deps", "liburing")
        end
        if not package:config("shared") then
            package:add("defines", "LEAT_STATIC")
        end
    end)

    on_install("linux", "bsd", "macosx", "mingw", function (package)
        import("package.tools.cmake").install(package, {
            "-DLEAT_TOOLS=OFF",
            "-DLEAT_TESTS=OFF",
            "-DLEAT_EXAMPLES=OFF",
            "-DLEAT_FORMAT=" .. package:config("format"),
            "-DLEAT_URING=" .. (package:config("uring") and "ON" or "OFF"),
            "-DLEAT_REMOTE=" .. (package:config("remote") and "ON" or "OFF"),
            "-DLEAT_CODECS=" .. (package:config("codecs") and "ON" or "OFF"),
            "-DLEAT_ISAL=OFF",
            "-DCMAKE_BUILD_TYPE=" .. (package:is_debug() and "Debug" or "Release"),
            "-DBUILD_SHARED_LIBS=" .. (package:config("shared") and "ON" or "OFF"),
        })
    end)

    on_test(function (package)
        assert(package:check_cxxsnippets({test = [[
            void test() { leat::println("The answer is {}.", 42); }
        ]]}, {configs = {languages = "c++20"}, includes = "leat/leat.hpp"}))
    end)
