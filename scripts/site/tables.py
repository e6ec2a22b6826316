#!/usr/bin/env python3
"""The tables of docs/ that are made from the headers: an index of each header, and the options of each way of opening.

  tables.py check     fails if a document does not show what the headers have
  tables.py write     writes the tables into the documents

A table is between `<!-- reference: HEADER -->` or `<!-- options -->` and `<!-- end -->`. In the site the full reference
replaces an index, and scripts/site/hooks.py checks the names of each index against doxygen's.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include/leat"
TABLE = re.compile(r"^<!-- (reference: (\S+)|options) -->\n(?:(?:(?!<!-- )[^\n]*\n)*<!-- end -->\n)?", re.M)
PRIVATE = {"leat_remote_included", "leat_codecs_included", "LEAT_INLINE_CALL", "LEAT_PRINTF_LIKE", "LEAT_SCANF_LIKE"}
FROM_C = "as the functions of C and POSIX that have these names without `leat_`"

# Each struct of options: its header, the way of opening, and the structs of C that have the same options.
WRITER, READER, FILE = "leat_writer_options", "leat_reader_options", "leat_options"
OPTION_STRUCTS = [
    ("create_options", "options.hpp", "create", (WRITER, FILE)),
    ("append_options", "options.hpp", "append", (WRITER, FILE)),
    ("replace_options", "options.hpp", "replace", (WRITER, FILE)),
    ("rotating_options", "rotating.hpp", "rotating", ("leat_rotation", WRITER)),
    ("open_options", "options.hpp", "open", (READER, FILE)),
    ("map_options", "options.hpp", "map_file", (READER,)),
    ("follow_options", "follow.hpp", "follow", ("leat_follow_options",)),
    ("split_options", "split.hpp", "split", (READER, FILE)),
    ("update_options", "options.hpp", "update", (FILE,)),
    ("temporary_options", "options.hpp", "temporary_file", ()),
    ("writer_options", "options.hpp", "file_writer", (WRITER,)),
    ("reader_options", "options.hpp", "file_reader", (READER,)),
    ("stream_options", "options.hpp", "file_stream", ()),
    ("line_options", "reader.hpp", "lines", ("leat_line_options",)),
    ("row_options", "rows.hpp", "rows", ("leat_row_options",)),
    ("access_options", "file.hpp", "file", ("leat_access_options",)),
    ("records_options", "records.hpp", "records", ()),
    ("journal_options", "journal.hpp", "journal", ("leat_journal_options",)),
    ("journal_read_options", "journal.hpp", "journal_reader", ("leat_journal_read_options",)),
]
# Options whose names differ in C. Each name in backticks must be in leat.h.
IN_C = {
    ("rotating_options", "names"): "`by_time` of `leat_rotation`",
    ("rotating_options", "finished"): "`finished` and `context` of `leat_rotation`",
    ("follow_options", "last_lines"): "`last_lines` with `begins_at_end` of `leat_follow_options`",
    ("follow_options", "timeout"): "`timeout` of `leat_follow_options`, or `no_wait` for 0",
    ("follow_options", "stop"): "`leat_reader_stop`",
    ("split_options", "delimiter"): "an argument of `leat_reader_split`",
    ("update_options", "create"): "a mode of `leat_fopen`",
    ("access_options", "progress"): "`progress` and `context` of `leat_access_options`",
    ("journal_options", "flush"): "`each` of `leat_journal_options`",
    ("journal_read_options", "access"): "`local_only` of `leat_journal_read_options`",
}


def text_of(header):
    return (HEADERS / header).read_text(encoding="utf-8")


def comment_text(comment):
    """The text of a comment up to the first empty line, example, list, @since or @par."""
    lines = [re.sub(r"^\s*(?:///<?|/\*\*<?|\*(?!\*))\s?|\s*\*/\s*$", "", line) for line in comment.strip().splitlines()]
    text = re.split(r"\n(?:\s*\n|    |- )|(?:^|\s)@(?:since|par)", "\n".join(lines), flags=re.M)[0]
    return re.sub(r"\s+", " ", text).strip()


def sentence(comment, least=30):
    """The first sentence of a comment, and further sentences until there are `least` characters."""
    text = comment_text(comment)
    for end in re.finditer(r"[.:!?](?= [A-Z0-9`(\"]| [\w:]+\(\)|$)", text):
        if end.end() >= least and (end[0] != ":" or end.end() == len(text)):
            return text[:end.end()].rstrip(":")
    return text


def in_markdown(text):
    """Returns a text as Markdown for a cell: names become code, and special characters are escaped."""
    def marked(part):
        part = re.sub(r"(?<![\w~/])~?[A-Za-z_]\w*(?:(?:::|\.)\w+)*(?:\([^()]*\))?",
                      lambda found: f"`{found[0]}`" if re.search(r"_|::|\(", found[0]) else found[0], part)
        return part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*")
    parts = text.split("`")
    text = "".join(f"`{part}`" if at % 2 else marked(part) for at, part in enumerate(parts))
    return text.replace("|", "\\|")


# --- the index of a header ---------------------------------------------------------------------------


def name_of(code):
    """The kind and the name of a declaration at the beginning of a line."""
    found = re.match(r"#\s*define (\w+)", code)
    if found:
        return "define", found[1]
    code = re.sub(r"\[\[.*?\]\]|(?:sizeof|decltype)\(\w+\)|\bLEAT_[A-Z]+\b(?:\([^)]*\))?|alignas\(\w+\)|//[^\n]*", "", code)
    code = re.sub(r"^template <[^\n]*>\n|^template <.*?>\n|^  requires\b[^\n]*\n|^    (?:&&|\|\|)[^\n]*\n", "", code, flags=re.S | re.M)
    found = (re.match(r"\s*(?:typedef )?(class|struct|enum class|enum)\s+(\w+)\s*(?:final\s*)?(?::[^:]|\{)", code)
             or re.match(r"\s*typedef (struct) (\w+) \2;", code)
             or re.match(r"\s*(concept|using) (\w+) =", code))
    if found:
        return found[1], found[2]
    found = re.match(r"[^={;]*?\(\*(\w+)\)\(", code) or re.match(r"[^=({;]*?(?<![\w:])(\w+)\s?\(", code)
    if found and not re.match(r"\s*(?:struct|class) ", code):
        return "function", found[1]
    found = re.match(r"\s*(?:extern|inline|constexpr|typedef)\b[^({;]*?(\w+)(?:\[\])?(?:;| =|\{)", code)
    return ("variable", found[1]) if found else None


def declarations(text):
    """Yields for each declaration: its namespace, the section heading above (in headers of C), the comment before the
    declaration, and the declaration without its body."""
    text = re.sub(r"^namespace detail \{\n(?:(?:(?!\}|namespace)[^\n]*;[^\n]*)?\n)*\}\n"
                  r"|^namespace detail \{\n.*?^\}  // namespace detail\n", "\n", text, flags=re.S | re.M)
    space, comment, section, code = "", "", "", ""
    lines = iter(text.splitlines())
    for line in lines:
        if code or re.match(r"[A-Za-z_\[]|#\s*define LEAT_", line):
            code += line + "\n"
            component = re.match(r"namespace (remote|codecs|adapters) \{", line)
            space = component[1] + "::" if component else space
            if line.startswith("#") or re.search(r"[;{}]$", re.sub(r"\s*(//.*|/\*.*?\*/)\s*$", "", line)):
                yield space, section, comment, code
                comment = code = ""
        elif line.startswith("///"):
            comment += line + "\n"
        elif line.startswith("/*"):
            found = line + "\n"
            while "*/" not in found:
                found += next(lines) + "\n"
            is_section = re.match(r"/\* (?!NOLINT)([A-Z][^*\n]*?)(?:, in|\. |:| \*/)", found)
            section = is_section[1] if is_section else section
            comment = found if found.startswith("/**") else ""
        elif line.startswith("}  // namespace"):
            space = ""
        elif line.strip():
            comment = ""


def methods(header, name):
    """The public functions of a class, without constructors and operators."""
    body = re.search(rf"^class [^;{{]*?\b{name}\b[^;{{]*\{{\n(.*?)^\}};", text_of(header), re.S | re.M)[1]
    parts = re.split(r"^ (\w+):\n", body, flags=re.M)
    public = "".join(part for access, part in zip(parts[1::2], parts[2::2]) if access == "public")
    found = [name_of(code) for _, _, _, code in declarations(re.sub(r"^  ", "", public, flags=re.M))
             if not re.search(r"= delete|\boperator", code)]
    return list(dict.fromkeys(one[1] for one in found if one and one[0] == "function" and one[1] != name))


def index(header):
    """The public names of a header as rows: names, and a text. Names without a comment share the row of the previous
    name; in c/files.h, functions without a comment share a row with the other functions below their heading."""
    rows, sections, seen = [], {}, set()
    for space, section, comment, code in declarations(text_of(header)):
        kind, name = name_of(code) or ("", "")
        if not name or name in PRIVATE or name.endswith("_H") or space + name in seen:
            continue
        seen.add(space + name)
        text = sentence(comment)
        if kind == "class" and methods(header, name):
            text += " Functions: " + ", ".join(f"`{one}`" for one in methods(header, name)) + "."
        row = ([], text)
        if not text and header == "c/files.h" and kind == "function":
            row = sections.setdefault(section, ([], f"{section}: {FROM_C}."))
        elif not text and rows:
            row = rows[-1]
        row[0].append(space + name)
        if row not in rows:
            rows.append(row)
    return rows


def index_table(header):
    rows = [f"`leat/{header}`: [the header](../../include/leat/{header})", "", "| name | what it is or does |", "|---|---|"]
    return rows + [f"| {', '.join(f'`{name}`' for name in names)} | {in_markdown(text)} |" for names, text in index(header)]


# --- the options -------------------------------------------------------------------------------------


def members(header, struct):
    """The members of a struct: type, name, default, and the sentence of its comment."""
    text = text_of(header)
    body = re.search(rf"^(?:typedef )?struct {struct} \{{\n(.*?)^\}}", text, re.S | re.M)[1]
    found = re.finditer(r"((?:^  ///[^\n]*\n)*|(?:^  /\*\*.*?\*/\n)?)^  (?!static)(\w[^;={\n]*?[\w>*)])[ ]\*?(\w+|\(\*\w+\)\([^)]*\))"
                        r"(?: = ([^;]*)|\{([^}]*)\})?;(\s*///<[^\n]*(?:\n +///<[^\n]*)*|\s*/\*\*<.*?\*/)?", body, re.M | re.S)
    for comment, kind, name, value, braced, after in (one.groups() for one in found):
        text = sentence(comment or after or "")
        text = text if not text or re.match(r"\w+:", text) else text[0].upper() + text[1:].rstrip(".") + "."
        yield kind, re.sub(r"\(\*(\w+)\).*", r"\1", name), value or braced or "", text


def enum_of(kind):
    """The first sentence of an enum's comment, and the enum's values; empty if there is no such enum."""
    for header in sorted(HEADERS.glob("*.hpp")):
        found = re.search(rf"((?:^///[^\n]*\n)+)^enum class {kind} \{{\n(.*?)^\}}", header.read_text(encoding="utf-8"), re.S | re.M)
        if found:
            values = re.findall(r"^  (\w+)(?: = [^,]*)?,", found[2], re.M)
            return sentence(found[1]).rstrip(".") + ": " + ", ".join(f"`{value}`" for value in values) + "."
    return ""


def default_of(value):
    for long, short in ((r"\(std::numeric_limits.*|\(std::chrono::\w+::max\).*", "no limit"), (r"(?:leat::)?\w+::(\w+)", r"\1"),
                        (r"std::\w+\{(\d+)\} << 20", r"\1 MiB"), (r"nullptr|\\{\\}|", "none")):
        if re.fullmatch(long, value):
            return re.sub(long, short, value, count=1)
    return value


def option_rows():
    """The rows of the options, and for each member that only structs of C have, the structs and the meaning."""
    of_c, used, rows = {}, set(), {}
    for struct in sorted({struct for _, _, _, structs in OPTION_STRUCTS for struct in structs}):
        header = next(one for one in parts_of_c() if f"struct {struct} {{" in text_of(one))
        of_c[struct] = {name: text for _, name, _, text in members(header, struct)}
    for struct, header, function, structs in OPTION_STRUCTS:
        for kind, name, default, text in members(header, struct):
            same = rows.setdefault(name, [])
            if re.match(r"As in \w+_options\.", text) or not text:
                kind_text = enum_of(kind.removeprefix("leat::"))
                text = next((row["text"] for row in same), kind_text)
            default = same[0]["default"] if "options{}." in default else default_of(default)
            row = next((row for row in same if (row["kind"], row["default"], row["text"]) == (kind, default, text)), None)
            if row is None:
                row = {"name": name, "kind": kind, "default": default, "text": text, "functions": [], "c": []}
                same.append(row)
            row["functions"].append(function)
            other = IN_C.get((struct, name)) or IN_C.get(("*", name))
            # For logs, leat_rotation comes before leat_writer_options. An option that leat_open takes only to read is
            # not an option of a writer.
            found = [one for one in structs if name in of_c[one] and not (one == FILE and WRITER in structs and
                                                                          of_c[one][name].startswith('With "r"'))]
            found = found[:1] if function == "rotating" else found
            used |= {(one, name) for one in found}
            row["c"] += [one for one in ([other] if other else [f"`{one}`" for one in found]) if one not in row["c"]]
    named = set(re.findall(r"`(\w+)`", " ".join(IN_C.values())))
    alone = {}
    for struct, names in of_c.items():
        for name, text in names.items():
            if (struct, name) not in used and name not in named:
                alone.setdefault(name, []).append((struct, text))
    return [row for same in rows.values() for row in same], alone


def options_table():
    rows, alone = option_rows()
    text = ["| option | type | default | for | in C: structs with this member, or the equivalent | meaning |", "|---|---|---|---|---|---|"]
    for row in rows:
        kind = row["kind"].removeprefix("leat::").replace("detail::kept_stop_token", "std::stop_token")
        text.append(f"| `{row['name']}` | `{kind}` | `{row['default']}` | {', '.join(row['functions'])} "
                    f"| {', '.join(row['c']) or '—'} | {in_markdown(row['text'])} |".replace("`no limit`", "no limit").replace("`none` |", "none |", 1))
    text += ["", "Options that only C has:", "", "| member | of | meaning |", "|---|---|---|"]
    for name, owners in alone.items():
        words = next(text for _, text in owners if not text.startswith("As in"))
        text.append(f"| `{name}` | {', '.join(f'`{struct}`' for struct, _ in owners)} | {in_markdown(words)} |")
    text += ["", "### The order of options", "", "C++ requires that a program names options in this order:", "", "| struct | options in the order of their declaration |", "|---|---|"]
    for struct, header, _, _ in OPTION_STRUCTS:
        text.append(f"| `{struct}` | {', '.join(f'`{name}`' for _, name, _, _ in members(header, struct))} |")
    return text


def parts_of_c():
    return [f"c/{path.name}" for path in sorted((HEADERS / "c").glob("*.h"))]


def main(task):
    """Makes the tables of each document, and writes or reports what differs. Returns the exit code."""
    c = "".join(map(text_of, parts_of_c()))
    wrong = [f"scripts/site/tables.py: leat.h has no {name}" for text in IN_C.values()
             for name in re.findall(r"`(\w+)`", text) if not re.search(rf"\b{name}\b", c)]
    have = {(one, name) for struct, header, _, _ in OPTION_STRUCTS for _, name, _, _ in members(header, struct) for one in (struct, "*")}
    wrong += [f"scripts/site/tables.py: leat has no {struct}::{name}" for struct, name in IN_C if (struct, name) not in have]
    structs = {one for path in HEADERS.glob("*.hpp") for one in re.findall(r"^struct (\w+_options) \{", text_of(path.name), re.M)}
    wrong += [f"scripts/site/tables.py: the table has no {one}" for one in sorted(structs - {one[0] for one in OPTION_STRUCTS})]
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        made = TABLE.sub(lambda found: "\n".join([f"<!-- {found[1]} -->", "", *(index_table(found[2]) if found[2] else options_table()),
                                                  "", "<!-- end -->", ""]), text)
        if made != text and task == "write":
            path.write_text(made, encoding="utf-8")
        elif made != text:
            wrong.append(f"{path.relative_to(ROOT)} does not show what the headers have; run scripts/site/tables.py write")
    print("\n".join(wrong), end="\n" if wrong else "")
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "check"))
