#!/usr/bin/env python3
"""Compiles and runs the C++ and C of documents, and compares the outputs with those in the documents.

  blocks.py write INTO DOCUMENT...            makes sources of all compiled blocks; prints the paths of the sources
  blocks.py run PROGRAM DOCUMENT...           runs the blocks that were compiled into PROGRAM
  blocks.py alone DOCUMENT... -- COMPILER...  compiles each complete program of C++ without `before` by itself
  blocks.py strict DOCUMENT... -- COMPILER... compiles each complete program of C without `before` by itself, with
                                              strict warnings

A block with a main function is a complete program; every other block is the body of a function. The blocks of
a page run in order, each in its own process, all in one new folder. A fence of the language `text` below a
block has a title. The title says what the text is compared with: the output (standard output, then standard
error), or a file:

  ```text title="prints"          what the block above prints
  ```text title="each prints"     what each compiled block since the last heading prints
  ```text title="NAME"            the content of a file that was written

HTML comments, which readers do not see, have the other instructions:

  <!-- file NAME / lines -->      a file for the blocks that follow
  <!-- stdin / lines -->          standard input of the next block
  <!-- arguments WORD... -->      arguments of the next program
  <!-- exits STATUS -->           the exit status of the next block, if not 0
  <!-- before / lines -->         code in front of the next block, in the same function or program
  <!-- not run -->                the next block is only compiled
  <!-- not compiled: why -->      the next block is only shown
  <!-- pages: not run -->         all blocks that follow on the page are only compiled
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LANGUAGES = {"cpp": "cpp", "c": "c"}


class Block:
    """Code of a document, and what it should do."""

    def __init__(self, document, line, language):
        self.document, self.line, self.language = document, line, language
        self.code, self.before = [], []
        self.files, self.expected = [], []
        self.stdin, self.arguments, self.status = "", [], 0
        self.is_run = True

    @property
    def where(self):
        return f"{self.document.name}:{self.line}"

    @property
    def name(self):
        page = f"{self.document.parent.name}_{self.document.stem}".lower()
        return f"block_{re.sub(r'[^a-z0-9]', '_', page)}_{self.line}"

    @property
    def is_global(self):
        """Returns whether the code can't be in the block's own namespace: C, and specialisations of templates."""
        return self.language == "c" or "template <>" in self.code

    @property
    def is_program(self):
        return any(re.match(r"int main\(", line) for line in self.code)


def blocks_of(document):
    """The compiled blocks of a document, with all that belongs to them."""
    found, since_heading, compiled = [], [], True
    pending = {}
    page_runs = True
    last = []  # the block that was shown last, if it is compiled
    lines = document.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        fence = re.match(r"```(\w+)(.*)$", line)
        if line.startswith("#"):
            since_heading = []
        if line.startswith("<!-- "):
            text = []
            while not lines[at].rstrip().endswith("-->"):
                text.append(lines[at])
                at += 1
            ending = lines[at].rstrip()[: -len("-->")].rstrip()
            if ending:
                text.append(ending)
            head = text[0][len("<!-- "):].strip()
            body = "".join(one + "\n" for one in text[1:])
            word = head.split(" ")[0].rstrip(":")
            if head == "pages: not run":
                page_runs = False
            elif head == "not run":
                pending["is_run"] = False
            elif word == "not":
                compiled = False
            elif word == "file":
                pending.setdefault("files", []).append((head.split(" ", 1)[1], body))
            elif word == "stdin":
                pending["stdin"] = body
            elif word == "arguments":
                pending["arguments"] = head.split(" ")[1:]
            elif word == "exits":
                pending["status"] = int(head.split(" ")[1])
            elif word == "before":
                pending["before"] = text[1:]
        elif fence:
            language, rest = fence.groups()
            start = at + 1
            at += 1
            while lines[at] != "```":
                at += 1
            content = lines[start:at]
            title = re.search(r'title="([^"]*)"', rest)
            if language in LANGUAGES:
                last = []
                if compiled:
                    block = Block(document, start + 1, LANGUAGES[language])
                    block.code = content
                    block.is_run = page_runs
                    for key, value in pending.items():
                        setattr(block, key, value)
                    found.append(block)
                    last = [block]
                    since_heading.append(block)
                    pending = {}
                compiled = True
            elif language == "text" and title:
                shown = "".join(one + "\n" for one in content)
                targets = since_heading if title[1] == "each prints" else last
                if not targets or not all(block.is_run for block in targets):
                    sys.exit(f"{document.name}:{start}: the code above this output is not run")
                for block in targets:
                    block.expected.append((title[1], shown, start))
        at += 1
    if pending:
        sys.exit(f"{document.name}: comments without a block: {pending}")
    return found


def body_of(block):
    """Returns the includes and the lines of a block, with main renamed. The lines of a C++ block are empty where the
    includes were. The lines of a C block keep the includes, and no includes are returned."""
    lines, includes, ends = [], [], False
    for number, line in enumerate(block.code):
        if block.language != "c" and re.match(r"\s*#\s*include", line):
            includes.append(line)
            line = ""
        if re.match(r"int main\(", line):
            line = line.replace("int main(", f"int {block.name}(" if block.is_global else "int program(", 1)
            ends = True
        elif ends and line.startswith("}"):
            line = "return 0; " + line  # only main may omit the return
            ends = False
        lines.append(line)
    return includes, lines


def write(into, documents):
    """Writes one C++ source for all blocks, and a C source for each block of C."""
    into.mkdir(parents=True, exist_ok=True)
    blocks = [block for document in documents for block in blocks_of(document)]
    includes, parts, table, c_files = {'#include "prelude.hpp"': None}, [], [], {}
    for block in blocks:
        own, lines = body_of(block)
        line_directive = f'#line {block.line} "{block.document}"'
        if block.language == "c":
            text = list(own)
            if not block.is_program:
                text += ["#include <leat/leat.h>", f"int {block.name}(int argc, char** argv);", f"int {block.name}(int argc, char** argv) {{",
                         "(void)argc; (void)argv;"]
                text += block.before + [line_directive] + lines + ["return 0; }"]
            else:
                text += block.before + [line_directive] + lines
            c_files[f"{block.name}.c"] = text
            takes = any("argv" in line for line in block.code) or not block.is_program
            declared = f"int {block.name}({'int, char**' if takes else 'void'});"
            parts.append(f'extern "C" {{ {declared} }}')
            call = f"{block.name}({'argc, argv' if takes else ''})"
        else:
            for one in own:
                includes[one] = None
            parts.append("" if block.is_global else f"namespace {block.name} {{")
            if block.is_program:
                parts += block.before + [line_directive] + lines
                takes = any("argv" in line for line in block.code)
                program = block.name if block.is_global else f"{block.name}::program"
                call = f"{program}({'argc, argv' if takes else ''})"
            else:
                parts += ["static void body() {"] + block.before + [line_directive] + lines + ["}"]
                call = f"({block.name}::body(), 0)"
            parts.append("" if block.is_global else "}")
        table.append(f'  if (which == "{block.name}") return {call};')
    parts += ["int main(int argc, char** argv) {", "  const std::string which = argv[1];",
              "  argv[1] = argv[0], --argc, ++argv;"] + table + ["  return 99;", "}"]
    sources = dict(c_files, **{"blocks.cpp": list(includes) + parts})
    for old in into.glob("*.c*"):
        if old.name not in sources:
            old.unlink()
    for name, text in sources.items():
        text = "\n".join(text) + "\n"
        path = into / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    print(";".join(str(into / name) for name in sources))


def difference(shown, got):
    if shown == got:
        return None
    return f"  the document shows:\n{indented(shown)}  the block gives:\n{indented(got)}"


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def run(program, documents):
    """Runs the blocks and compares their outputs. Returns the number of failed blocks, or 1 if nothing was compared."""
    ran = failed = compared = 0
    for document in documents:
        with tempfile.TemporaryDirectory() as folder:
            for block in blocks_of(document):
                for name, content in block.files:
                    path = pathlib.Path(folder) / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(content, encoding="utf-8")
                if not block.is_run:
                    continue
                ran += 1
                done = subprocess.run([program, block.name, *block.arguments], cwd=folder, timeout=60, check=False,
                                      input=block.stdin.encode(), capture_output=True)
                wrong = []
                if done.returncode != block.status:
                    wrong.append(f"  expected the exit status {block.status}, got {done.returncode}: "
                                 f"{done.stderr.decode(errors='replace')}\n")
                for title, shown, line in block.expected:
                    compared += 1
                    if title in ("prints", "each prints"):
                        got = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
                    else:
                        path = pathlib.Path(folder) / title
                        got = path.read_text(encoding="utf-8") if path.exists() else "(there is no such file)\n"
                    differs = difference(shown, got)
                    if differs:
                        wrong.append(f"  {title}, line {line}:\n{differs}")
                if wrong:
                    failed += 1
                    print(f"{block.where}:\n{''.join(wrong)}")
    print(f"{ran} blocks ran, {compared} outputs were compared, {failed} failed")
    return failed if ran and compared else 1


def compile_alone(document, compiler, language):
    """Compiles each complete program without `before` lines by itself: a program must include all that it needs.
    Returns the number of failures."""
    failed = 0
    flags = {"cpp": ["-x", "c++"], "c": ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-x", "c"]}[language]
    for block in blocks_of(document):
        if block.is_program and block.language == language and not block.before:
            done = subprocess.run([*compiler, "-fsyntax-only", *flags, "-"],
                                  input=("\n".join(block.code) + "\n").encode(), check=False)
            if done.returncode:
                print(f"{block.where} does not compile alone")
                failed += 1
    return failed


def main(arguments):
    if arguments[:1] == ["write"]:
        write(pathlib.Path(arguments[1]), [pathlib.Path(one) for one in arguments[2:]])
        return 0
    if arguments[:1] == ["run"]:
        return min(run(pathlib.Path(arguments[1]).resolve(), [pathlib.Path(one) for one in arguments[2:]]), 1)
    if arguments[:1] in (["alone"], ["strict"]):
        at = arguments.index("--")
        language = "cpp" if arguments[0] == "alone" else "c"
        return min(sum(compile_alone(pathlib.Path(one), arguments[at + 1:], language) for one in arguments[1:at]), 1)
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
