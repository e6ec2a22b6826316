#!/usr/bin/env python3
"""Compares fuzz/README.md with the headers: each public call needs a driver that makes the call at random, or a reason.
`scripts/lint drivers` runs this script; facts.py calls problems().

  drivers.py         checks the calls in scripts/site/names-*.txt; `make docs` reads the headers themselves
  drivers.py list    prints the calls without a row

In a row, the first cell is a driver (`writer`: fuzz/writer.cpp) or a test (`tests/random/differential_test.cpp`). The
second cell has the names that the driver or test calls or sets. The driver or test must contain each name, itself or in
a header that it includes. A first cell that begins with a dash gives a reason; in such a row `errc::*` means all members
of errc.
"""
import fnmatch
import pathlib
import re
import sys

import parity

ROOT = pathlib.Path(__file__).resolve().parents[2]

PAGE = ROOT / "fuzz/README.md"


def source_of(driver):
    """The path of the driver's file."""
    return ROOT / driver if "/" in driver else ROOT / f"fuzz/{driver}.cpp"


def text_of(path, seen):
    """The text of the file, and of the files of fuzz/ and tests/ that it includes."""
    if path in seen or not path.exists():
        return ""
    seen.add(path)
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
        for folder in (path.parent, ROOT / "fuzz", ROOT / "tests"):
            text += text_of(folder / name, seen)
    return text


def calls(text, name):
    """True if a source calls or sets this name. For a member of a C struct, the source must also
    name the struct."""
    parent, _, last = name.rpartition("::")
    word = re.escape(last)
    if not parent:
        return re.search(rf"\b{word}\b" if name.startswith(("leat_", "LEAT_")) else rf"\bleat::{word}\b", text) is not None
    if parent.startswith("leat_") and not re.search(rf"\b{parent}\b", text):
        return False
    owner = parent.rpartition("::")[2]
    if last == owner:
        return re.search(rf"\b{word}\b", text) is not None
    return re.search(rf"(?:\.|->|\b{owner}::){word}\b", text) is not None


def wanted(lines):
    """The names that need a row, from lines "header name". Of leat.h, only functions and members of structs need a row."""
    functions = parity.functions()
    yield from functions  # the reference lists some functions only as a group
    for line in lines:
        header, name = line.split(" ", 1)
        if header != "leat.h" or name in functions or re.fullmatch(r"leat_\w+::[a-z]\w*", name):
            yield name


def problems(lines):
    """The mistakes in the table, and the names without a row. `lines` are the public names, as "header name"."""
    names = set(wanted(lines))
    shown, excused, wrong = set(), set(), []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if len(cells) != 2 or "`" not in line:
            continue
        called = re.findall(r"`([^`]+)`", cells[1])
        if cells[0].startswith("—"):
            for name in called:
                excused.update(fnmatch.filter(names, name))
            continue
        driver = cells[0].strip("`")
        text = text_of(source_of(driver), set())
        if not text:
            wrong.append(f"there is no driver {driver}")
        for name in called:
            if name in names and not calls(text, name):
                wrong.append(f"{driver} does not call {name}")
        shown.update(called)
    return wrong, sorted(names - shown - excused)


def main():
    wrong, missing = problems(parity.released_names())
    if sys.argv[1:] == ["list"]:
        print("\n".join(missing))
        return 0
    for one in wrong + [f"{name} has no row" for name in missing]:
        print(f"fuzz/README.md: {one}")
    return min(len(wrong + missing), 1)


if __name__ == "__main__":
    sys.exit(main())
