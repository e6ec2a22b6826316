#!/usr/bin/env python3
"""Holds docs/c-and-cpp.md against the headers: each public name of C++ has a row, and each function of leat.h.

  parity.py       the names of C++ are those that scripts/site/names-*.txt lists; `make docs` asks the headers themselves

In a row, names of C++ stand in the first cell and those of C in the second one; `name::*` are all members of a name that
have no row of their own, and `leat_*printf` all functions that match. A cell that begins with a dash says why C has nothing.
"""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/c-and-cpp.md"
# Headers of components, which have their own for C, and iostreams. Adapters are for C++, too.
OTHERS = {"remote.hpp", "codecs.hpp", "fstream.hpp"}


def rows():
    """The cells of all rows: what is marked as code in the first one, and the second one."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if len(cells) == 2 and "`" in line:
            yield re.findall(r"`([^`]+)`", cells[0]), cells[1].rstrip("| ")


def header_of_c():
    """The text of leat.h, which is in its parts."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include/leat/c").glob("*.h")))


def functions():
    """The functions that leat.h declares."""
    text = re.sub(r"/\*.*?\*/", "", header_of_c(), flags=re.DOTALL)
    return set(re.findall(r"^LEAT_API [^;(]*?\b(leat_\w+)\(", text, re.MULTILINE))


def problems(names):
    """What is wrong, if these are the public names of C++."""
    found = []
    shown, of_c = set(), set()
    declared = functions()
    for cpp, c in rows():
        shown.update(cpp)
        own = {name for name in re.findall(r"`(?:enum )?(leat_[\w*]+)", c)}
        of_c |= own
        if cpp and not own and not c.startswith("—") and not re.search(r"`|handle|inside|functions", c):
            found.append(f"the row of {cpp[0]} names nothing of C, and no reason")
    header = header_of_c()
    for name in sorted(of_c):
        if "*" in name:
            if not fnmatch.filter(declared, name):
                found.append(f"{name} matches no function of leat.h")
        elif not re.search(rf"\b{name}\b", header):
            found.append(f"leat.h has no {name}")
    for name in sorted(declared):
        if not any(fnmatch.fnmatchcase(name, one) for one in of_c):
            found.append(f"{name} has no row")
    known = set(names)
    for name in sorted(known):
        head, _, member = name.partition("::")
        if name not in shown and not (member and f"{head}::*" in shown):
            found.append(f"leat::{name} has no row")
    for name in sorted(shown):
        if name.endswith("::*"):
            name = name[:-3]
        if not name.startswith(("leat_", "<")) and name not in known:
            found.append(f"there is no leat::{name}")
    return found


def listed():
    """The names in the lists that were made for each release."""
    for path in sorted((ROOT / "scripts/site").glob("names-*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield line


def of_cpp(lines):
    """Of lines "header name", the names that leat.h has to match."""
    for line in lines:
        header, name = line.split(" ", 1)
        if header.endswith(".hpp") and header not in OTHERS and not header.startswith("adapters/"):
            yield name


def main():
    found = problems(of_cpp(listed()))
    for one in found:
        print(f"docs/c-and-cpp.md: {one}")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
