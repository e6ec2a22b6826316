"""Additions to MkDocs (mkdocs.yml): the reference of the headers, and links from docs/ to the rest of the tree.

A forge shows docs/ without these hooks. There, links may lead to files and folders outside of docs/. In the site, links
to these files lead to pages made from the files. Links to folders become plain text, except links to examples/.
"""
import functools
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import benchmarks  # noqa: E402
import facts  # noqa: E402
import reference  # noqa: E402
import tables  # noqa: E402

# Files of the tree that become pages of the site.
PAGES = {"CHANGELOG.md": "project/changes.md", "SECURITY.md": "project/security.md",
         "CONTRIBUTING.md": "project/contributing.md"}
EXAMPLES = "examples.md"
# A picture for light and dark schemes, in the form that forges understand.
PICTURE = re.compile(r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*'
                     r'<img alt="([^"]+)" src="([^"]+)">\s*</picture>')
INPUT = re.compile(r"^<!-- (file|stdin|arguments) ?([^\n]*?)(?:\n(.*?))?(?: -->|^-->)\n", re.M | re.S)
MARK = re.compile(r"^<!-- reference: (\S+) -->$", re.M)
INDEX = re.compile(MARK.pattern + r".*?^<!-- end -->$", re.M | re.S)


# Old names. Some old names stay for one version, but the reference omits all old names.
RENAMED = {line.split()[1] for line in (ROOT / "scripts/site/renamed.txt").read_text(encoding="utf-8").splitlines()
           if line and not line.startswith("#")}


@functools.cache
def headers():
    found = {header: [entry for entry in entries if not set(reference.names_of(entry)) <= RENAMED]
             for header, entries in reference.read_all(ROOT).items()}
    # The indexes in the tree are made without doxygen, so here the names of the indexes are compared with doxygen's.
    for header in set(found) - {"config.h"}:
        known = {name for entry in found[header] for name in reference.names_of(entry)} - RENAMED
        listed = {name for names, _ in tables.index(header) for name in names}
        for entry in found[header]:
            if entry.kind == "class":
                of_class = entry.name.rpartition("::")[2]
                own = {name for one in entry.members if one.kind == "function" for name in one.name.split(", ")}
                known |= {name for name in own if name != of_class and not name.startswith("operator")}
                listed |= set(tables.methods(header, of_class))
        listed -= RENAMED
        if known != listed:
            raise SystemExit(f"scripts/site/tables.py and doxygen differ in {header}: {' '.join(sorted(known ^ listed))}")
    facts.add_facts(found)
    return found


@functools.cache
def reference_pages():
    """The page of each header."""
    pages = {}
    for path in sorted((ROOT / "docs/api").glob("*.md")):
        for name in MARK.findall(path.read_text(encoding="utf-8")):
            pages[name] = f"api/{path.name}"
    missing = sorted(set(headers()) - set(pages) - {"config.h"})
    if missing:
        raise SystemExit(f"no page of docs/api shows these headers: {' '.join(missing)}")
    return pages


@functools.cache
def names():
    """The address in the site of each name of the library, without members."""
    found = {}
    for header, page in reference_pages().items():
        for entry in headers()[header]:
            for name in entry.name.split(", "):
                found.setdefault(name, f"{page}#{reference.anchor(entry.name)}")
    return found


def examples_page():
    # In search results, text comes before code.
    text = ["---\nsearch:\n  boost: 0.1\n---", (ROOT / "examples/README.md").read_text(encoding="utf-8").strip()]
    if not text[1].startswith("#"):
        text.insert(1, "# Examples")
    for path in sorted((ROOT / "examples").glob("*.cpp")):
        text.append(f"## {path.name}\n\n```cpp\n{path.read_text(encoding='utf-8').strip()}\n```")
    return "\n\n".join(text) + "\n"


def on_files(files, config):
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, EXAMPLES, content=examples_page()))
    wanted = set()
    for path in [*ROOT.glob("docs/**/*.md"), *(ROOT / source for source in PAGES)]:
        wanted |= set(outside_links(path))
    for source in sorted(wanted):
        if not source.startswith(("include/leat/", "examples/")) and (ROOT / source).is_file():
            files.append(File.generated(config, f"source/{source}.txt",
                                        content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def outside_links(path):
    """Files that a document links to, and that are neither in docs/ nor pages."""
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        full = posixpath.normpath(posixpath.join(path.parent.relative_to(ROOT).as_posix(), target))
        if not full.startswith(("docs/", "../")) and full not in PAGES and full != "README.md":
            yield full


def in_site(target, folder):
    """The site's page for a link in a document of this folder; None if the link leads to a folder other than examples/."""
    path, _, fragment = target.partition("#")
    full = posixpath.normpath(posixpath.join(folder, path))
    if full.startswith("docs/"):
        page = full[len("docs/"):]
    elif full in PAGES:
        page = PAGES[full]
    elif full == "README.md":
        page = "README.md"
    elif full.startswith("include/leat/"):
        page = reference_pages().get(full[len("include/leat/"):], "stdio.md")
    elif full == "examples" or full.startswith("examples/"):
        page = EXAMPLES
        fragment = full[len("examples/"):].replace(".", "") if full.endswith(".cpp") else fragment
    elif (ROOT / full).is_dir():
        return None
    else:
        page = f"source/{full}.txt"
    return page + (f"#{fragment}" if fragment else "")


def on_page_markdown(markdown, page, config, files):
    source = page.file.src_uri
    origin = {made: "" for made in PAGES.values()} | {EXAMPLES: "examples"}
    folder = origin.get(source, posixpath.dirname(f"docs/{source}"))
    here = posixpath.dirname(source)

    def moved(found):
        text, target = found[1], found[2]
        if "://" in target or target.startswith("#"):
            return found[0]
        to = in_site(target, folder)
        if to is None:
            return text
        path, _, fragment = to.partition("#")
        return f"[{text}]({posixpath.relpath(path, here or '.')}{'#' + fragment if fragment else ''})"

    # In code blocks, text that looks like a link is unchanged.
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.M | re.S)
    markdown = "".join(part if at % 2 else re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)", moved, part)
                       for at, part in enumerate(parts))
    # On the site, readers may choose another color scheme than the system's.
    markdown = PICTURE.sub(r"![\2](\3#only-light)![\2](\1#only-dark)", markdown)
    markdown = INDEX.sub(lambda found: reference_of(found[1], here), markdown)
    markdown = INPUT.sub(shown_input, markdown)
    markdown = markdown.replace("<!-- benchmarks -->", benchmarks.table(ROOT / "docs/benchmarks"))
    # Other comments are for tests/docs/blocks.py.
    return re.sub(r"^<!-- .*?-->\n", "", markdown, flags=re.M | re.S)


def shown_input(found):
    """Shows the files and input that a comment gives to a block: readers who repeat the block need them, too."""
    kind, rest, lines = found.groups()
    title = {"file": f"{rest}, before", "stdin": "standard input", "arguments": "arguments"}[kind]
    return f'```text title="{title}"\n{lines or rest + chr(10)}```\n'


def reference_of(header, here):
    """The reference of a header, with links from its text to the names of all headers."""
    def linked(found):
        name = found[1].removeprefix("leat::").removesuffix("()")
        to = names().get(name)
        if to is None or name in ("file", "device", "reader", "writer", "mode", "route", "open", "in", "out"):
            if not found[1].startswith("leat::") or to is None:
                return found[0]
        path, _, fragment = to.partition("#")
        return f"[{found[0]}]({posixpath.relpath(path, here or '.')}#{fragment})"

    def link(address):
        page, _, anchor = address.partition("#")
        return f"{posixpath.relpath(page, here or '.')}#{anchor}"

    parts = re.split(r"(^```.*?^```$|^#[^\n]*$)", reference.markdown(headers()[header], link), flags=re.M | re.S)
    text = "".join(part if at % 2 else re.sub(r"(?<!\| )`([\w:]+(?:\(\))?)`", linked, part) for at, part in enumerate(parts))
    everywhere = f"[what holds everywhere]({link('api/README.md#what-holds-everywhere')})"
    return f"`#include <leat/{header}>`; units, errors and threads: {everywhere}\n\n{text}"
