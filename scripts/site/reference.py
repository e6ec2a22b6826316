"""The reference of the public headers as Markdown, made from doxygen's XML, for hooks.py and facts.py.

An overload without a description shares the description of the overload before it, as in the headers.
"""
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml

SETTINGS = """
PROJECT_NAME = leat
QUIET = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
WARN_IF_UNDOCUMENTED = NO
WARN_NO_PARAMDOC = NO
EXTRACT_ALL = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
INPUT = {root}/include/leat {root}/include/leat/c {root}/include/leat/adapters
FILE_PATTERNS = *.hpp *.h
EXCLUDE = {root}/include/leat/stdio.h {root}/include/leat/stdio_ext.h
EXCLUDE_SYMBOLS = leat::detail leat::v0::detail *::detail::*
INPUT_FILTER = "sed /namespace.leat$/q"
EXTENSION_MAPPING = h=C++
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = LEAT_API= "LEAT_DELETED(why)== delete" "LEAT_PRINTF_LIKE(a,b)=" "LEAT_SCANF_LIKE(a,b)=" \
  __cplusplus=202002L
AUTOLINK_SUPPORT = NO
OUTPUT_DIRECTORY = {output}
"""

# C headers, whose functions are outside of namespaces.
PARTS_OF_C = tuple(f"c/{name}.h" for name in ("base", "files", "streams", "random", "journal", "device", "simulated",
                                              "testing"))
OF_C = PARTS_OF_C + ("remote.h", "codecs.h", "config.h")

KINDS = {"function", "variable", "typedef", "enum", "class", "struct", "concept", "define"}


# Notes that comments have in separate paragraphs: `@since 0.3.0`, `@par Threads`, `@par Time`.
NOTES = ("Since", "Threads", "Time")


class Entry:
    """A name: its declarations, description, notes and members."""

    def __init__(self, kind, name, line, form, words, notes=None):
        self.kind, self.name, self.line, self.words = kind, name, line, words
        self.notes = notes or {}
        self.bases, self.examples = [], []  # examples: titles and addresses of blocks that use it
        self.last_line = line
        self.forms = [form] if form else []
        self.values, self.members, self.more = [], [], []  # more: overloads with their own description


def plain(element):
    """The text of an element without its markup."""
    return "" if element is None else re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def tidy(code):
    """A declaration in the form that programs see."""
    for word in ("leat::v0::", "v0::", "LEAT_API ", "constinit ", "constexpr ", "[[gnu::always_inline]] ",
                 "[[nodiscard]] "):
        code = code.replace(word, "")
    code = re.sub(r"\b(leat|remote|codecs|adapters)::(?=\w)", lambda m: m[0] if m[1] != "leat" else "", code)
    code = re.sub(r"(?<=\w)< ", "<", re.sub(r"\s+(?=\S)", " ", code) if "\n" not in code else code)
    code = re.sub(r"(?<=[\w>*&]) >", ">", code).replace(" &", "&").replace(" *", "*")
    code = re.sub(r"(\w|>)(&{1,2}|\*+)(?=\w)", r"\1\2 ", code)
    code = re.sub(r"\)\s*(const|noexcept|override|&|=)", r") \1", code)
    code = re.sub(r"(?<![-=!<>+*/%&|^])\s*=\s*(?=[^\s=])", " = ", code)
    code = re.sub(r"&(noexcept)", r"& \1", code)
    code = code.replace("(* ", "(*").replace("(*", " (*") if re.search(r"\w\(\* ?\w+\)\(", code) else code
    return re.sub(r"(= = )", "== ", code).replace(">  =", ">=").strip()


def wrapped(code):
    """Puts long lists of parameters on several lines."""
    if len(code) <= 88 or "(" not in code:
        return code
    head, tail = code.split("(", 1)
    depth, parts, part = 0, [], ""
    for char in tail:
        depth += (char in "(<{[") - (char in ")>}]")
        if depth < 0:
            depth = -99
        part += char
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
    parts.append(part)
    indent = " " * min(len(head.rsplit("\n", 1)[-1]) + 1, 24)
    return head + "(" + ("\n" + indent).join(one.strip() for one in parts)


def inline(element):
    """The text of a paragraph as Markdown."""
    text = escaped(element.text or "")
    for child in element:
        if child.tag == "computeroutput":
            text += "`" + "".join(child.itertext()) + "`"
        elif child.tag in ("bold", "emphasis"):
            text += "*" + inline(child) + "*"
        elif child.tag == "sp":
            text += " "
        elif child.tag in ("ndash", "mdash", "hellip"):
            text += {"ndash": "–", "mdash": "—", "hellip": "…"}[child.tag]
        elif child.tag not in ("programlisting", "verbatim", "itemizedlist", "simplesect"):
            text += inline(child)
        text += escaped(child.tail or "")
    return text


def escaped_signs(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*")


def escaped(text):
    """Escapes plain text. Names of the library are marked as code."""
    def marked(found):
        word = found[0]
        return f"`{word}`" if re.search(r"_|::|\(\)", word) else word
    parts = re.split(r"(?<![\w`])((?:~?[A-Za-z_]\w*)(?:::\w+)*(?:\(\))?)", text)
    return "".join(marked([part]) if at % 2 else escaped_signs(part) for at, part in enumerate(parts))


def code_of(listing):
    lines = []
    for line in listing.iter("codeline"):
        text = ""
        for part in line.iter():
            if part.tag == "sp":
                text += " "
            text += part.text or ""
            if part is not line:
                text += part.tail or ""
        lines.append(text)
    return "\n".join(lines)


def block(element):
    """A description as Markdown."""
    if element is None:
        return ""
    parts = []
    for para in element:
        if para.tag != "para":
            parts.append(block(para))
            continue
        # Code, lists and notes are inside of paragraphs, and end the text before them.
        text = escaped(para.text or "")
        for child in para:
            if child.tag in ("programlisting", "verbatim", "preformatted"):
                parts += [text.strip()]
                code = code_of(child) if child.tag == "programlisting" else "".join(child.itertext())
                parts.append("```cpp\n" + code.strip("\n") + "\n```")
                text = escaped(child.tail or "")
            elif child.tag == "itemizedlist":
                parts += [text.strip()]
                parts.append("\n".join("- " + block(item).replace("\n", "\n  ") for item in child))
                text = escaped(child.tail or "")
            elif child.tag == "simplesect":
                parts += [text.strip(), "" if note_name(child) in NOTES else block(child)]
                text = escaped(child.tail or "")
            else:
                holder = xml.Element("para")
                holder.append(child)
                tail, child.tail = child.tail, None
                text += inline(holder)
                child.tail = tail
                text += escaped(tail or "")
        parts.append(text.strip())
    return "\n\n".join(part for part in parts if part)


def words_of(element):
    parts = [block(element.find("briefdescription")), block(element.find("detaileddescription"))]
    return "\n\n".join(part for part in parts if part)


def note_name(section):
    return "Since" if section.get("kind") == "since" else plain(section.find("title"))


def notes_of(element):
    found = {note_name(one): one for name in ("briefdescription", "detaileddescription")
             for one in ([] if element.find(name) is None else element.find(name).iter("simplesect"))}
    return {name: " ".join(inline(para) for para in one.findall("para")).strip()
            for name, one in found.items() if name in NOTES}


def template_of(element):
    listed = element.find("templateparamlist")
    if listed is None:
        return ""
    names = []
    for one in listed.findall("param"):
        text = plain(one.find("type"))
        if one.find("declname") is not None and one.find("declname").text not in text.split():
            text += " " + one.find("declname").text
        if one.find("defval") is not None:
            text += " = " + plain(one.find("defval"))
        names.append(text)
    return "template <" + ", ".join(names) + ">\n"


def form_of(member):
    """The declaration of a member."""
    kind, name = member.get("kind"), plain(member.find("name"))
    if kind == "define":
        return f"#define {name}"
    if kind == "typedef":
        if plain(member.find("definition")).startswith("using"):
            return template_of(member) + tidy(f"using {name} = {plain(member.find('type'))};")
        return tidy(plain(member.find("definition")) + plain(member.find("argsstring")) + ";")
    if kind == "enum":
        strong = "enum class " if member.get("strong") == "yes" else "enum "
        return strong + name
    start = "static " if member.get("static") == "yes" else ""
    start += "virtual " if member.get("virt") in ("virtual", "pure-virtual") else ""
    start += "explicit " if member.get("explicit") == "yes" else ""
    text = f"{start}{plain(member.find('type'))} {name}{plain(member.find('argsstring'))}"
    if kind == "variable":
        text += " " + plain(member.find("initializer"))
    return template_of(member) + wrapped(tidy(text.strip()) + ";")


def entry_of(member):
    entry = Entry(member.get("kind"), plain(member.find("name")), int(member.find("location").get("line")),
                 form_of(member), words_of(member), notes_of(member))
    for value in member.findall("enumvalue"):
        entry.values.append((plain(value.find("name")), words_of(value), notes_of(value)))
    return entry


def is_shown(member):
    if member.get("kind") not in KINDS or member.get("prot") in ("private", "protected"):
        return False
    if plain(member.find("name")) in ("leat_remote_included", "leat_codecs_included", "__unused__", "LEAT_API", "LEAT_ATTRIBUTE", "LEAT_DELETED",
                                      "LEAT_FORMAT_KIND",
                                      "LEAT_PRINTF_LIKE", "LEAT_SCANF_LIKE"):
        return False
    name, args = plain(member.find("name")), plain(member.find("argsstring"))
    # Deleted functions concern only the compiler; destructors, assignments and moves need no description.
    unspoken = re.match(r"~|operator=$", name) or re.search(r"=\s*delete", args) or "&&other" in args.replace(" ", "")
    return not unspoken and not name.startswith("@") and "name_the_reader" not in plain(member.find("type"))


def joined(entries, near=0):
    """The entries in the order of the header. An entry without a description and notes joins the entry before it, if
    both are of the same kind, and if one of these is true: both have the same name (overloads); both are variables, and
    the variable before has no description; both are functions or variables, and the entry follows within `near` lines.
    An overload with its own description goes to `more` of the entry before it."""
    result = []
    seen = set()
    for one in sorted(entries, key=lambda entry: entry.line):
        if (one.line, one.name) in seen:
            continue
        seen.add((one.line, one.name))
        last = result[-1] if result else None
        same = last and last.kind == one.kind and (
            last.name == one.name or one.kind == "variable" and not last.words and not last.values
            or one.kind in ("function", "variable") and one.line - last.last_line <= near)
        if same and not one.words and not one.notes:
            (last.more[-1] if last.more else last).forms += one.forms
            if one.name not in last.name.split(", "):
                last.name += ", " + one.name
            last.last_line = one.line
        elif same and last.name == one.name and last.words:
            last.more.append(one)
        else:
            result.append(one)
    return result


def read(root):
    """The entries of each header."""
    headers = {}
    with tempfile.TemporaryDirectory() as output:
        settings = SETTINGS.format(root=root, output=output)
        subprocess.run(["doxygen", "-"], input=settings.encode(), check=True)
        for path in sorted(pathlib.Path(output, "xml").glob("*.xml")):
            for compound in xml.parse(path).getroot().iter("compounddef"):
                add(headers, compound)
    # The functions of c/files.h are grouped by their headings instead (by_section).
    return {name: joined(without_aliases(entries), 0 if name == "c/files.h" else 5) for name, entries in headers.items()}


def read_all(root):
    """The entries of each header, with C's functions without a description in groups."""
    found = read(root)
    for name in OF_C:
        found[name] = by_section(found[name], (root / "include/leat" / name).read_text(encoding="utf-8"))
    return found


def without_aliases(entries):
    """The entries without C's second names of structs (typedef struct a a)."""
    structs = {one.name for one in entries if one.kind == "struct"}
    return [one for one in entries if one.kind != "typedef" or one.name not in structs]


def header_of(element):
    """The header of a declaration: the path after `leat/` that programs include."""
    path = pathlib.Path(element.find("location").get("file"))
    folder = path.parent.name
    return f"{folder}/{path.name}" if folder in ("c", "adapters") else path.name


def add(headers, compound):
    kind, name = compound.get("kind"), plain(compound.find("compoundname"))
    if "detail" in name or compound.get("prot") in ("private", "protected"):
        return
    members = [one for one in compound.iter("memberdef") if is_shown(one)]
    if kind in ("class", "struct", "concept"):
        location = compound.find("location")
        header = header_of(compound)
        short = name.replace("leat::", "").replace("v0::", "")
        if kind != "concept" and location.get("bodyfile") is None:
            return  # declared, but not defined
        if short.endswith("::iterator"):
            return
        bases = ", ".join(plain(one) for one in compound.findall("basecompoundref"))
        form = template_of(compound) + (f"{kind} {short}" + (f" : {bases}" if bases else ""))
        if kind == "concept":
            form = plain(compound.find("initializer")) and "\n".join(
                tidy(one) for one in "".join(compound.find("initializer").itertext()).splitlines())
        entry = Entry(kind, short, int(location.get("line")), tidy(form) if kind != "concept" else form,
                     words_of(compound), notes_of(compound))
        entry.bases = [re.sub(r"^leat::(v0::)?|\s*<.*$", "", plain(one)) for one in compound.findall("basecompoundref")]
        entry.members = joined(entry_of(one) for one in members)
        headers.setdefault(header, []).append(entry)
    elif kind in ("namespace", "file"):
        for one in members:
            header = header_of(one)
            if kind == "file" and header not in OF_C:
                continue
            entry = entry_of(one)
            if name.endswith(("remote", "codecs", "adapters")):
                entry.name = re.split("::", name)[-1] + "::" + entry.name
            headers.setdefault(header, []).append(entry)


def source(forms):
    return "```cpp\n" + "\n".join(forms) + "\n```\n"


def anchor(*names):
    return "-".join(re.sub(r"\W+", "-", name).strip("-") for name in names).lower()


def sections(text):
    """The headings of a C header, which begin comments in /* */, each with its line number."""
    found = re.finditer(r"^/\* (?!NOLINT)([A-Z][^*\n]*?)(?:, in|\. |:| \*/)", text, re.M)
    return [(text.count("\n", 0, one.start()) + 1, one[1]) for one in found]


def by_section(entries, text):
    """Groups C functions that have no description under their heading in the header."""
    result, at = [], sections(text)
    for entry in entries:
        title = next((name for line, name in reversed(at) if line < entry.line), "")
        if entry.kind != "function" or entry.words or entry.notes:
            result.append(entry)
            continue
        group = next((one for one in result if one.kind == "group" and one.name == title), None)
        if group is None:
            group = Entry("group", title, entry.line, None,
                          "As the functions of C and POSIX that have these names without `leat_`; "
                          "[the differences](../stdio.md#differences-from-libc).")
            result.append(group)
        group.forms += entry.forms
    return result


def names_of(entry):
    """The names of an entry; the names of a group are in its forms."""
    return re.findall(r"(\w+)\(", " ".join(form.split("(")[0] + "(" for form in entry.forms)) if entry.kind == "group" \
        else entry.name.split(", ")


def markdown(entries, link):
    """The entries of a header as Markdown. `link` makes a link from an address in the site."""
    text = []
    for entry in entries:
        title = escaped_signs(entry.name) if entry.kind == "group" else heading(entry)
        text.append(f"## {title} {{#{anchor(entry.name)}}}\n")
        text += body(entry) + facts(entry, link)
        others = []
        data = [member for member in entry.members if member.kind == "variable" and "static" not in member.forms[0]]
        if data:
            text += table("member", [(form.rstrip(";"), member.words or type_link(form)) for member in data
                                      for form in member.forms])
        for member in entry.members:
            if member in data:
                continue
            if not member.words and not member.values:
                others += member.forms
                continue
            text.append(f"### {heading(member)} {{#{anchor(entry.name, member.name)}}}\n")
            text += body(member) + facts(member, link)
        if others:
            text.append(f"### {'Other members' if len(others) < len(entry.members) else 'Members'} "
                        f"{{#{anchor(entry.name, 'others')}}}\n")
            text.append(source(others))
    return "\n".join(text)


def facts(entry, link):
    """The facts of a name, in addition to its description."""
    lines = [f"- **{name}** {entry.notes[name]}" for name in NOTES if name in entry.notes]
    if entry.examples:
        shown = ", ".join(f"[{title}]({link(address)})" for title, address in entry.examples)
        lines.append(f"- **{'Example' if len(entry.examples) == 1 else 'Examples'}** {shown}")
    return ['<div class="facts" markdown>\n\n' + "\n".join(lines) + "\n\n</div>\n"] if lines else []


def type_link(form):
    """A link to the type, if the option has its type's name and so needs no description; otherwise empty."""
    found = re.match(r"(\w+) \1 = \1::", form)
    return f"see `leat::{found[1]}`" if found else ""


def table(title, rows):
    """A table of names and their descriptions, one line each."""
    lines = [f"| {title} | meaning |", "|---|---|"]
    for name, words in rows:
        words = re.sub(r"\n+- ", "<br>• ", words)
        lines.append(f"| `{name}` | {re.sub(chr(10) + '+', ' ', words)} |")
    return ["\n".join(lines) + "\n"]


def heading(entry):
    names = list(dict.fromkeys(entry.name.split(", ")))
    return ", ".join(f"`{name}`" for name in names[:4]) + (" …" if len(names) > 4 else "")


def body(entry):
    text = [source(entry.forms)]
    if entry.words:
        text.append(entry.words + "\n")
    if entry.values:
        text += table("value", [(name, words + (f" Since {notes['Since']}." if "Since" in notes else ""))
                                for name, words, notes in entry.values])
    for other in entry.more:
        text += body(other)
    return text
