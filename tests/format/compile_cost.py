#!/usr/bin/env python3
"""Measures the cost of compiling calls of print, compared with fmt::print: seconds, bytes of code and of the object file.

  compile_cost.py [--calls N] [--report] COMPILER FLAG...

The calls have one to five arguments of common types, as in a code base, chosen with a fixed seed. A ratio above its
limit fails. N is 60 by default. With --report nothing fails, and N is 300 by default. Each round compiles the calls of
leat, and then the calls of {fmt}. With --report there are five rounds. Without --report the rounds end when the ratio
of the seconds holds, or after five rounds. The seconds are the least CPU time of all rounds.
"""
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

FIELDS = [("int", "i", "{}"), ("double", "d", "{:.3f}"), ("std::string_view", "s", "{}"), ("unsigned", "u", "{:x}"),
          ("double", "d", "{}"), ("char", "c", "{}"), ("bool", "b", "{}"), ("const char*", "p", "{:>12}")]
WORDS = "id value name state of is time level x queue error at took".split()
# Limits for leat's cost, as multiples of fmt::print: seconds, bytes of code, bytes of the object
# file.
LIMITS = {"-O0": (1.1, 1.6, 1.4), "-O2": (1.7, 1.9, 1.7), "-Os": (1.3, 1.5, 1.4)}
# Another program on the machine can double the CPU time of one run, but hardly of all five.
ROUNDS = 5


def source(peer, calls):
    chosen = random.Random(47)
    lines = []
    for _ in range(calls):
        fields = [chosen.choice(FIELDS) for _ in range(chosen.randint(1, 5))]
        text = "".join(chosen.choice(WORDS) + "=" + field[2] + chosen.choice([" ", ", ", "; "]) for field in fields)
        arguments = ", ".join(field[1] + str(chosen.randint(0, 3)) for field in fields)
        lines.append(f'  out.println("{text}", {arguments});' if peer == "leat" else
                     f'  fmt::print(out, "{text}\\n", {arguments});')
    types = sorted({(field[1], field[0]) for field in FIELDS})
    parameters = ", ".join(f"{name} {letter}{i}" for letter, name in types for i in range(4))
    header = "<leat/print.hpp>" if peer == "leat" else "<fmt/format.h>"
    target = "leat::writer&" if peer == "leat" else "std::FILE*"
    return "\n".join([f"#include {header}", "#include <cstdio>", "#include <string_view>",
                      f"void all({target} out, {parameters}) {{", *lines, "}", ""])


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def bytes_of(path):
    code = subprocess.run(["size", path], check=True, capture_output=True, text=True).stdout.split("\n")[1].split()[0]
    return int(code), os.path.getsize(path)


def main(arguments):
    report = "--report" in arguments
    calls = 300 if report else 60
    if "--calls" in arguments:
        at = arguments.index("--calls")
        calls = int(arguments[at + 1])
        del arguments[at:at + 2]
    compiler, *flags = [one for one in arguments if one != "--report"]
    if shutil.which(compiler) is None:
        print(f"there is no {compiler}")
        return 77
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for level, limits in LIMITS.items():
            commands = []
            for peer in ("leat", "fmt"):
                path = f"{folder}/{peer}.cpp"
                with open(path, "w", encoding="ascii") as file:
                    file.write(source(peer, calls))
                commands.append([compiler, "-std=c++20", level, "-w", *flags, "-c", path, "-o", path + ".o"])
            rounds = 1
            spent = [seconds(command) for command in commands]
            while rounds < ROUNDS and (report or spent[0] / spent[1] > limits[0]):
                rounds += 1
                spent = [min(least, seconds(command)) for least, command in zip(spent, commands)]
            ours, theirs = ((least, *bytes_of(command[-1])) for least, command in zip(spent, commands))
            ratios = [one / other for one, other in zip(ours, theirs)]
            print(f"{level}: " + ", ".join(
                f"{name} {ours[i]:.{digits}f} ({ratios[i]:.2f} times fmt::print's, at most {limits[i]})"
                for i, (name, digits) in enumerate([("seconds", 2), ("bytes of code", 0), ("bytes of the object file", 0)])))
            if not report and any(ratio > limit for ratio, limit in zip(ratios, limits)):
                print(f"{compiler} {level}: a cost of calls of print exceeds its limit")
                failed = True
    return failed


sys.exit(main(sys.argv[1:]))
