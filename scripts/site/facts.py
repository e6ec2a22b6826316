#!/usr/bin/env python3
"""Further facts of the reference about a name: since which version it exists, which threads may use it, and which
blocks of the documents use it.

  facts.py names      prints all public names: scripts/site/names-0.2.0.txt is the output for the first release
  facts.py missing    prints public names and member functions without an example: no compiled block of the documents uses
                      them, and their comments have no block

A name that is not in names-0.2.0.txt needs `@since` in its comment. renamed.txt lists the names that had another name in
version 0.2.0. The comment of a class has `@par Threads`, except if the class is a value or gets the note of a base. If
the cost of a call is not obvious, the comment of the function has `@par Time`. hooks.py calls add_facts().
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path += [str(pathlib.Path(__file__).parent), str(ROOT / "tests/docs")]
import blocks as documents  # noqa: E402
import drivers  # noqa: E402
import parity  # noqa: E402
import reference  # noqa: E402

FIRST = "0.2.0"
MOST_EXAMPLES = 3
# The pages with examples; pages that explain most come first.
PAGES = ["cookbook.md", "streams.md", "random-access.md", "journals.md", "object-stores.md", "compressed.md", "libraries.md", "logs.md", "testing.md", "start.md", "faq.md",
         "stdio.md", "api/*.md", "coming-from/*.md"]


# --- since -------------------------------------------------------------------------------------------


def names_of(entry):
    """The names of an entry: its own, its members and its values, each with its notes."""
    for name in entry.name.split(", "):
        yield name, entry.notes
    for member in entry.members:
        for name in member.name.split(", "):
            yield f"{entry.name}::{name}", entry.notes | member.notes
    for name, _, notes in entry.values:
        yield f"{entry.name}::{name}", entry.notes | notes


def all_names(headers):
    """Pairs of "HEADER NAME" and notes, for each public name. The header of names in include/leat/c/ is leat.h."""
    return [(f"{'leat.h' if header in reference.PARTS_OF_C else header} {name}", notes)
            for header, entries in sorted(headers.items()) for entry in entries for name, notes in names_of(entry)]


def add_since(headers):
    now = parity.renamed()
    first = (ROOT / f"scripts/site/names-{FIRST}.txt").read_text(encoding="utf-8").splitlines()
    known = {now.get(name, name) for name in first} | set(first)  # some old names stay for one version
    new = [name for name, notes in all_names(headers) if name not in known and "Since" not in notes]
    if new:
        raise SystemExit("these names are newer than version " + FIRST + ", but their comments have no @since:\n  " +
                         "\n  ".join(new))
    for entries in headers.values():
        for entry in entries:
            entry.notes.setdefault("Since", FIRST)


# --- threads -----------------------------------------------------------------------------------------


def add_threads(headers):
    """Adds notes on threads to classes. A class without its own note gets the note of a base. docs/api/README.md has the
    rule for classes and functions without a note."""
    classes = {entry.name: entry for entries in headers.values() for entry in entries if entry.kind == "class"}

    def threads(name):
        if name not in classes:
            return None
        own = classes[name].notes.get("Threads")
        return own or next(filter(None, map(threads, classes[name].bases)), None)

    for name, entry in classes.items():
        if threads(name):
            entry.notes["Threads"] = threads(name)


# --- examples ----------------------------------------------------------------------------------------


class Names:
    """The names that blocks may use, and the types that calls return."""

    def __init__(self, headers):
        entries = [entry for found in headers.values() for entry in found]
        self.entries = {name: entry for entry in entries for name in entry.name.split(", ")}
        self.classes = {entry.name: entry for entry in entries if entry.kind in ("class", "struct")}
        self.returned, self.options = {}, {}
        for entry in entries:
            if entry.kind == "function":
                for form in forms_of(entry):
                    self.add_call(form, "", entry.name)
            for member in entry.members:
                for form in forms_of(member):
                    self.add_call(form, entry.name)
        self.variables = {"leat::out": "standard_writer", "leat::err": "standard_writer",
                          "leat::in": "standard_reader"}

    def add_call(self, form, owner, function=""):
        """Adds a declaration of a function or a member: its return type, and the structs that it takes."""
        found = re.search(r"(?:^|\s)(?:([\w:]+)(?:<.*?>)?[&*]* )?(\w+)\(", form)
        if not found:
            return
        result, name = found.groups()
        name = function or (owner if name == owner else f"{owner}::{name}")
        inside = re.match("(?:remote|codecs|adapters)::", name)
        space = inside[0] if inside else ""
        if self.known(result, space):
            self.returned[name] = self.known(result, space)
        for taken in re.findall(r"const ([\w:]+)& ", form):
            if self.known(taken, space):
                self.options.setdefault(name, set()).add(self.known(taken, space))

    def known(self, name, space):
        """Returns the qualified name of a class or a struct, or None if there is none with this name."""
        return next((one for one in (f"{space}{name}", name) if one in self.classes), None)

    def members(self, name):
        """The members of a class and its bases, each with its qualified names. A member that the class and a base declare
        has two names."""
        found = {}
        if name in self.classes:
            for member in self.classes[name].members:
                for one in member.name.split(", "):
                    found[one] = [f"{name}::{one}"]
            for base in self.classes[name].bases:
                for one, whole in self.members(base).items():
                    found[one] = found.get(one, []) + whole
        return found

    def used_with(self, name, member):
        """The qualified names of a member of a class, and the names of the types that it returns."""
        whole = self.members(name).get(member, [])
        return {*whole, *filter(None, map(self.returned.get, whole))}

    def with_parts(self, options):
        """Structs of options, and the structs inside of them."""
        for name in list(options):
            for member in self.classes[name].members:
                words = re.findall(r"[\w:]+", member.forms[0])
                options = options | {word for word in words if word in self.classes}
        return options


def forms_of(entry):
    return entry.forms + [form for more in entry.more for form in more.forms]


def closing_bracket(code, at):
    """The position of the bracket that closes the bracket at `at`; the length of the code if no
    bracket closes it."""
    depth = 0
    for index in range(at, len(code)):
        depth += (code[index] in "({[") - (code[index] in ")}]")
        if depth == 0:
            return index
    return len(code)


def used_by(code, names):
    """The names that a piece of C or C++ uses."""
    code = re.sub(r"(?<!:)//.*", "", code)
    used = set(re.findall(r"\bleat_\w+|\bLEAT_\w+", code))
    variables = dict(names.variables)
    for found in re.finditer(r"leat::((?:(?:remote|codecs|adapters)::)?\w+)(?:<[^;(){}]*?>)?(?:::(\w+))?", code):
        name, member = found.groups()
        used |= {name, f"{name}::{member}"} if member else {name}
        call = f"{name}::{member}" if member else name
        rest = re.match(r"\s*[&*]*\s*(\w*)\s*([({]?)", code[found.end():])
        if rest[1] and name in names.classes and not member:
            variables[rest[1]] = name
        made = names.returned.get(call, name if name in names.classes else None)
        before = re.search(r"(\w+)\s*=\s*$", code[:found.start()])
        if before and made:
            variables[before[1]] = made
        if rest[2]:
            start = found.end() + rest.end() - 1
            end = closing_bracket(code, start)
            options = names.with_parts(names.options.get(call, set()) | ({name} & set(names.classes)))
            for option in re.findall(r"[{,(]\s*\.(\w+)\s*=", code[start:end]):
                for struct in options:
                    if option in names.members(struct):
                        used |= {struct, f"{struct}::{option}"}
            after = re.match(r"\.(\w+)", code[end + 1:])
            if after and made:
                used |= names.used_with(made, after[1])
    for found in re.finditer(r"(\w+)\s*=\s*(\w+)\.(\w+)\(", code):
        made = names.used_with(variables.get(found[2]), found[3]) & set(names.classes)
        if made:
            variables[found[1]] = min(made)
    for variable, name in variables.items():
        used.add(name)
        for found in re.finditer(rf"(?<![\w.]){variable}(?:(?:\.|->)(\w+)|(\[))", code):
            used |= names.used_with(name, found[1] or "operator[]")
    return used


@functools.cache
def examples():
    """The compiled blocks of the pages: the code, and the title and address of the heading above."""
    from markdown.extensions.toc import slugify, unique
    found = []
    for pattern in PAGES:
        for page in sorted((ROOT / "docs").glob(pattern)):
            lines, headings, taken, is_code = page.read_text(encoding="utf-8").splitlines(), {}, set(), False
            heading = ("", "")
            for number, line in enumerate(lines, 1):
                is_code ^= line.startswith("```")
                title = re.match(r"#+ (.*)", line)
                if title and not is_code:
                    text = re.sub(r"`|\[|\]\([^)]*\)", "", title[1])
                    heading = (text, unique(slugify(text, "-"), taken))
                headings[number] = heading
            for block in documents.blocks_of(page):
                title, address = headings[block.line]
                title = f"API: {title}" if page.parent.name == "api" else title
                where = f"{page.relative_to(ROOT / 'docs').as_posix()}#{address}"
                found.append(("\n".join(block.before + block.code), title, where))
    return found


def add_examples(headers):
    names = Names(headers)
    users = {}
    for code, title, address in examples():
        for name in used_by(code, names):
            users.setdefault(name, {})[(title, address)] = True
    for entries in headers.values():
        for entry in entries:
            entry.examples = first_examples(users, entry.name.split(", "))
            for member in entry.members:
                member.examples = first_examples(users, [f"{entry.name}::{one}" for one in member.name.split(", ")])


def first_examples(users, names):
    return list({one: True for name in names for one in users.get(name, ())})[:MOST_EXAMPLES]


def has_example(entry):
    """True if a page or the comment has an example. Groups of C's functions need no example."""
    return entry.examples or "```" in entry.words or entry.kind == "group"


def missing(headers):
    return [entry.name for entries in headers.values() for entry in entries if not has_example(entry)]


# -----------------------------------------------------------------------------------------------------


def add_facts(headers):
    """Adds all facts to the entries of all headers. If a comment lacks @since, or a document or the module lacks a
    public name, exits with a message."""
    add_since(headers)
    add_threads(headers)
    add_examples(headers)
    without = missing(headers)
    if without:
        raise SystemExit("no block of the documents uses these names: " + ", ".join(without))
    names = [name for name, _ in all_names(headers)]
    if wrong := parity.problems(parity.cpp_names(names)):
        raise SystemExit("docs/c-and-cpp.md: " + "; ".join(wrong))
    if wrong := parity.problems_of_module(names):
        raise SystemExit("src/leat.cppm: " + "; ".join(wrong))
    wrong, without = drivers.problems(names)
    if wrong or without:
        raise SystemExit("fuzz/README.md: " + "; ".join(wrong + [f"{name} has no row" for name in without]))


def main(arguments):
    headers = reference.read_all(ROOT)
    if arguments == ["names"]:
        print("\n".join(sorted({name for name, _ in all_names(headers)})))
    elif arguments == ["missing"]:
        add_examples(headers)
        print("\n".join(missing(headers)))
        for entries in headers.values():
            for entry in entries:
                print("\n".join(f"  {entry.name}::{member.name}" for member in entry.members
                                if not member.examples and "```" not in member.words and member.kind == "function"))
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
