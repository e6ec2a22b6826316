#!/usr/bin/env python3
"""Compares docs/c-and-cpp.md and the C++ module with the headers. `scripts/lint parity` runs this script; drivers.py
and facts.py call its functions.

  parity.py       takes the C++ names from scripts/site/names-*.txt; `make docs` reads the headers themselves

Each public C++ name (except those of OTHERS and adapters) and each function of leat.h needs a row in the table. The
module must export each public C++ name of the headers that the module or leat.hpp includes. In a row, the first cell
has C++ names and the second cell has C names. `name::*` means all members of `name` that have no row of their own,
`leat_*printf` all functions that match. A second cell that begins with a dash says why C has no such name.
"""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/c-and-cpp.md"
MODULE = ROOT / "src/leat.cppm"
# Headers without a counterpart in leat.h: components have their own C headers, and iostreams are only for C++. Adapters
# (cpp_names() omits them) are only for C++, too.
OTHERS = {"remote.hpp", "codecs.hpp", "fstream.hpp"}


def rows():
    """The cells of all rows: the code in the first cell, and the second cell."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if len(cells) == 2 and "`" in line:
            yield re.findall(r"`([^`]+)`", cells[0]), cells[1].rstrip("| ")


def header_of_c():
    """The text of leat.h, from its parts."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include/leat/c").glob("*.h")))


def functions():
    """The functions that leat.h declares."""
    text = re.sub(r"/\*.*?\*/", "", header_of_c(), flags=re.DOTALL)
    return set(re.findall(r"^LEAT_API [^;(]*?\b(leat_\w+)\(", text, re.MULTILINE))


def problems(names):
    """The mistakes in the table. `names` are the public C++ names that need a row."""
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


def renamed():
    """Old names and new names, each with its header."""
    lines = (ROOT / "scripts/site/renamed.txt").read_text(encoding="utf-8").splitlines()
    return {f"{header} {old}": f"{header} {new}" for header, old, new in map(str.split, lines)}


def released_names():
    """The current names for the names in the lists that were made for each release."""
    now = renamed()
    for path in sorted((ROOT / "scripts/site").glob("names-*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield now.get(line, line)


def cpp_names(lines):
    """The names that leat.h must match, from lines "header name"."""
    for line in lines:
        header, name = line.split(" ", 1)
        if header.endswith(".hpp") and header not in OTHERS and not header.startswith("adapters/"):
            yield name


def problems_of_module(lines):
    """The mistakes in the module: names that only the headers (lines "header name") or only the module has. No macros."""
    text = MODULE.read_text(encoding="utf-8")
    headers = set(re.findall(r"^#include <leat/(.*)>$", text, re.MULTILINE))
    all_of_leat = (ROOT / "include/leat/leat.hpp").read_text(encoding="utf-8")
    headers.update(re.findall(r"^#include <leat/(.*)>$", all_of_leat, re.MULTILINE))
    public = {name for header, name in (line.split(" ", 1) for line in lines) if header in headers}
    public = {name for name in public if re.fullmatch("[a-z][a-z0-9_]*", name)}
    exported = set(re.findall(r"^using leat::(\w+);$", text, re.MULTILINE))
    missing = [f"leat::{name} is not exported" for name in sorted(public - exported)]
    old = {name.split(" ", 1)[1] for name in renamed()}
    return missing + [f"there is no leat::{name}" for name in sorted(exported - public - old)]


def main():
    found = [f"docs/c-and-cpp.md: {one}" for one in problems(cpp_names(released_names()))]
    found += [f"src/leat.cppm: {one}" for one in problems_of_module(released_names())]
    for one in found:
        print(one)
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
