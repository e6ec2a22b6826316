#!/usr/bin/env python3
"""Runs the programs of the documents and of examples/ at up to a thousand times their size. The build has sanitizers.

  large.py write INTO DOCUMENT...              as blocks.py, with the numeric bounds of loops multiplied
  large.py run PROGRAM BUILD DOCUMENT...       runs these blocks, and the examples that BUILD has

Files and standard input are repeated a thousand times. The output differs then, so a run fails only if a signal ends
the program, if a sanitizer reports an error, or if the program takes longer than a minute. Failed assertions of a
program are only counted, because the assertions are about the smaller content.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import blocks

TIMES = 1000
# Loops that start threads or processes keep their bounds.
FIXED = re.compile(r"worker != |threads|fork")


def larger(line):
    """Returns the line with the bound of its `for` loop multiplied, unless FIXED matches the line."""
    if FIXED.search(line):
        return line
    return re.sub(r"(for \([^;]*; *\w+ (?:!=|<|<=) )([\d']+)(?=;)",
                  lambda found: found[1] + str(bound(int(found[2].replace("'", "")))), line)


def bound(of_document):
    """Returns a thousand times the bound, but at most 3 million, or the document's own bound if this is larger."""
    return max(of_document, min(of_document * TIMES, 3_000_000))


def write(into, documents):
    whole = blocks.blocks_of

    def scaled(document):
        for block in whole(document):
            block.code = [larger(line) for line in block.code]
            yield block

    blocks.blocks_of = scaled
    blocks.write(into, documents)


def failure_of(command, folder, stdin):
    """Returns why the program failed, or None; "assertion" if one of its own assertions failed."""
    try:
        done = subprocess.run(command, cwd=folder, timeout=60, check=False, input=stdin, capture_output=True)
    except subprocess.TimeoutExpired:
        return "the program took more than a minute"
    errors = done.stderr.decode(errors="replace")
    if "Sanitizer" in errors or "runtime error" in errors:
        return errors
    if "Assertion" in errors:
        return "assertion"
    return f"signal {-done.returncode}: {errors}" if done.returncode < 0 else None


def programs(program, build, documents):
    """Name, command, folder and standard input of each program."""
    for document in documents:
        with tempfile.TemporaryDirectory() as folder:
            for block in blocks.blocks_of(document):
                for name, content in block.files:
                    path = pathlib.Path(folder) / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(content * TIMES, encoding="utf-8")
                if block.is_run:
                    yield block.where, [program, block.name, *block.arguments], folder, block.stdin.encode() * TIMES
    listed = subprocess.run(["ctest", "--show-only=json-v1", "-R", "^examples/"], cwd=build, check=True, capture_output=True)
    for test in json.loads(listed.stdout)["tests"]:
        home = next(one["value"] for one in test["properties"] if one["name"] == "WORKING_DIRECTORY")
        with tempfile.TemporaryDirectory() as folder:
            for path in pathlib.Path(home).iterdir():
                if path.is_file():
                    (pathlib.Path(folder) / path.name).write_bytes(path.read_bytes() * TIMES)
            yield test["name"], test["command"], folder, b""


def run(program, build, documents):
    ran = failed = asserted = 0
    for name, command, folder, stdin in programs(program, build, documents):
        ran += 1
        wrong = failure_of(command, folder, stdin)
        if wrong == "assertion":
            asserted += 1
        elif wrong:
            failed += 1
            print(f"{name}: {wrong}")
    print(f"{ran} programs ran at {TIMES} times their size, {failed} failed, "
          f"{asserted} had a failed assertion about the smaller content")
    return min(failed, 1) if ran else 1


def main(arguments):
    if arguments[:1] == ["write"]:
        write(pathlib.Path(arguments[1]), [pathlib.Path(one) for one in arguments[2:]])
        return 0
    return run(pathlib.Path(arguments[1]).resolve(), arguments[2], [pathlib.Path(one) for one in arguments[3:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
