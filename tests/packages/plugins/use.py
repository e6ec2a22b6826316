"""Two extensions, each with its own leat, in one process: threads, a fork, and streams that are open at the end.

    use.py FOLDER     finds leat_static and leat_shared in FOLDER, and works there
"""
import os
import sys
import threading

folder = sys.argv[1]
sys.path.insert(0, folder)
import leat_shared  # noqa: E402
import leat_static  # noqa: E402

LINES = 20_000
expected = LINES * (LINES - 1) / 2 * 1.5
both = [leat_static, leat_shared]


def path(name):
    return os.path.join(folder, name)


def round_trip(module, name):
    other = both[1 - both.index(module)]
    for _ in range(5):
        module.write(path(name), LINES)
        assert other.read(path(name)) == expected
        with open(path(name), "rb") as file:
            assert module.mapped(path(name)) == file.read()


failures = []


def run_round_trip(module, name):
    try:
        round_trip(module, name)
    except BaseException as error:  # a thread's exception would only be printed
        failures.append(error)


threads = [threading.Thread(target=run_round_trip, args=(both[i % 2], f"file{i}")) for i in range(4)]
for one in threads:
    one.start()
child = os.fork()  # while the threads run
if child == 0:
    round_trip(leat_static, "of_child")
    os._exit(0)
for one in threads:
    one.join()
assert os.waitpid(child, 0)[1] == 0
assert not failures, failures

for module in both:
    try:
        module.read(path("missing"))
        raise SystemExit("a missing file was read")
    except OSError as error:
        assert "cannot open" in str(error) and "No such file" in str(error), error
    module.keep(path(module.__name__ + ".kept"))
# At the end of the process, leat writes the buffers of open streams.
