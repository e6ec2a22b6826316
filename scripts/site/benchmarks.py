"""The table of docs/benchmarks.md: a row for each file docs/benchmarks/*.json, as written by `leat bench --submit`."""
import json

SCHEMA = 1


def read(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    if found.get("schema") != SCHEMA:
        raise SystemExit(f"{path}: not a submission of `leat bench --submit` with schema {SCHEMA}")
    return found


def cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;")


def machine(one):
    on = one["machine"]
    disks = {(of["disk"], of["file_system"]) for of in one["experiments"]}
    return [f"{on['cpu']}, {on['cores']} cores, {on['memory_gib']} GiB", on["kernel"], on["compiler"],
            "; ".join(f"{disk}, {kind}" for disk, kind in sorted(disks)), f"{one['leat']}, {one['date']}",
            f"{max((of['cores_busy_elsewhere'] for of in one['experiments']), default=0):.1f}"]


def table(folder):
    submissions = [read(path) for path in sorted(folder.glob("*.json"))]
    if not submissions:
        return "No machine is in the table yet."
    names = list(dict.fromkeys(of["experiment"] for one in submissions for of in one["experiments"] if "ratio" in of))
    rows = [["machine", "kernel", "compiler", "disk", "leat", "busy", *names], ["---"] * 6 + ["---:"] * len(names)]
    for one in submissions:
        ratios = {of["experiment"]: f"{of['ratio']:.2g}" for of in one["experiments"] if "ratio" in of}
        rows.append(machine(one) + [ratios.get(name, "–") for name in names])
    return "\n".join("| " + " | ".join(map(cell, row)) + " |" for row in rows)
