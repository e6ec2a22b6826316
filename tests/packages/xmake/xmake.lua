-- A project with leat from a repository of recipes. The recipe's dependencies are the system's.
add_repositories("recipes recipes", "system system")
option("format", {default = "fmt"})
option("shared", {default = false})
option("codecs", {default = false})
add_requires("leat", {configs = {format = get_config("format"), shared = get_config("shared"), codecs = get_config("codecs")}})

set_languages("c11", "c++20")
target("program")
    add_files("../outer/main.cpp", "../outer/outer.cpp")
    add_packages("leat")
target("c_program")
    add_files("../../install/program.c")
    add_packages("leat")
if has_config("codecs") then
    target("codecs_program")
        add_files("../../install/codecs_program.cpp")
        add_packages("leat")
end
