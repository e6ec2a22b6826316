#!/usr/bin/env python3
"""The layout of all structs and the values of all enums of leat/c/*.h. Programs are compiled with these numbers.

  layouts.py check [CC]     fails if tests/abi/c_layout_test.cpp differs from the headers
  layouts.py write [CC]     writes the file
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
TEST = HERE / "c_layout_test.cpp"
HEAD = """\
// Structs and enums of leat/c/*.h. Changing a number requires a new minor version.
// Written by tests/abi/layouts.py.
#include <leat/leat.h>

#include <cstddef>
#include <cstdint>

// clang-format off
#if UINTPTR_MAX == UINT64_MAX
#  define AT(member, position, size) \\
    (offsetof(type, member) == (position) && sizeof(type::member) == (size))
#  define STRUCT(name, size, members) \\
    static_assert([] { using type = name; return sizeof(type) == (size) && (members); }(), #name)

"""


def declared():
    """The structs with their members, and the enums with their constants, as the headers declare them."""
    structs, enums = [], []
    for header in sorted(INCLUDE.glob("leat/c/*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        for name, body in re.findall(r"^typedef struct (\w+) \{(.*?)^\}", text, re.DOTALL | re.MULTILINE):
            # `int a`, `const int* a`, `int a[4]`, or `int (*a)(void* context)`
            member = re.compile(r"[^(),]*(?:\(\*(\w+)\)\(.*\)|\b(\w+))(?:\[\d+\])?", re.DOTALL)
            members = [member.fullmatch(one.strip()) for one in body.split(";") if one.strip()]
            structs.append((name, [one[1] or one[2] for one in members]))
        for body in re.findall(r"^enum \w+ \{(.*?)\}", text, re.DOTALL | re.MULTILINE):
            enums.append([one.split("=")[0].strip() for one in body.split(",") if one.strip()])
    return structs, enums


def measured(compiler):
    """The content of the test, with the numbers of this compiler."""
    structs, enums = declared()
    lines = []  # each a format, and the numbers in it
    for name, members in structs:
        checks = " && ".join(f"AT({member}, %zu, %zu)" for member in members)
        numbers = [f"offsetof({name}, {member}), sizeof((({name}*)0)->{member})" for member in members]
        lines.append((f"STRUCT({name}, %zu, {checks});", [f"sizeof({name})", *numbers]))
    for constants in enums:
        values = " && ".join(f"{one} == %d" for one in constants)
        lines.append((f"static_assert({values});", [f"(int){one}" for one in constants]))
    calls = "\n".join(f'printf("{text}\\n", {", ".join(numbers)});' for text, numbers in lines)
    source = f"#include <leat/leat.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n{calls}\n}}\n"
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program"
        subprocess.run([compiler, f"-I{INCLUDE}", "-x", "c", "-", "-o", program], input=source, check=True, text=True)
        return HEAD + subprocess.run([program], capture_output=True, check=True, text=True).stdout + "#  undef AT\n#  undef STRUCT\n#endif\n"


def main(arguments):
    if arguments[:1] not in (["check"], ["write"]):
        print(__doc__)
        return 2
    now = measured(arguments[1] if len(arguments) == 2 else "cc")
    if arguments[0] == "write":
        TEST.write_text(now, encoding="utf-8")
    elif TEST.read_text(encoding="utf-8") != now:
        print("tests/abi/c_layout_test.cpp differs from leat/c/*.h: tests/abi/layouts.py write, and read the difference")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
