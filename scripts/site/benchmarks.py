"""The table of docs/benchmarks.md, for hooks.py: a row for each file docs/benchmarks/*.json, as written by
`leat bench --submit`."""
import json

SCHEMA = 1


def read(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    if found.get("schema") != SCHEMA:
        raise SystemExit(f"{path}: not a submission of `leat bench --submit` with schema {SCHEMA}")
    return found


def cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;")


def machine(submission):
    """The first six cells of a submission's row."""
    computer, experiments = submission["machine"], submission["experiments"]
    disks = {(experiment["disk"], experiment["file_system"]) for experiment in experiments}
    return [f"{computer['cpu']}, {computer['cores']} cores, {computer['memory_gib']} GiB", computer["kernel"],
            computer["compiler"],
            "; ".join(f"{disk}, {kind}" for disk, kind in sorted(disks)), f"{submission['leat']}, {submission['date']}",
            f"{max((experiment['cores_busy_elsewhere'] for experiment in experiments), default=0):.1f}"]


def table(folder):
    submissions = [read(path) for path in sorted(folder.glob("*.json"))]
    if not submissions:
        return "No machine is in the table yet."
    measured = [[experiment for experiment in submission["experiments"] if "ratio" in experiment] for submission in submissions]
    names = list(dict.fromkeys(experiment["experiment"] for experiments in measured for experiment in experiments))
    rows = [["machine", "kernel", "compiler", "disk", "leat", "busy", *names], ["---"] * 6 + ["---:"] * len(names)]
    for submission, experiments in zip(submissions, measured):
        ratios = {experiment["experiment"]: f"{experiment['ratio']:.2g}" for experiment in experiments}
        rows.append(machine(submission) + [ratios.get(name, "–") for name in names])
    return "\n".join("| " + " | ".join(map(cell, row)) + " |" for row in rows)
