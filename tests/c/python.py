#!/usr/bin/env python3
"""Calls leat.h from another language, by Python's ctypes: python.py LIBRARY. The calls work because all structs are plain,
and calls take and return only numbers, pointers and structs."""
import ctypes
import errno
import os
import pathlib
import sys
import tempfile
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("reason", c_int), ("operation", c_char_p), ("path", c_char_p),
                ("offset", c_uint64), ("unwritten", c_uint64), ("unread", c_uint64), ("message", c_char_p)]


class Text(ctypes.Structure):
    _fields_ = [("bytes", c_void_p), ("size", c_size_t)]

    def get(self):
        return ctypes.string_at(self.bytes, self.size)


class WriterOptions(ctypes.Structure):
    _fields_ = [("buffer_size", c_size_t), ("durability", c_int), ("flush", c_int), ("flush_interval", c_uint),
                ("background", c_int), ("when_full", c_int), ("preallocate", c_uint64), ("exclusive", c_int),
                ("readable", c_int), ("permissions", c_uint), ("caching", c_int), ("local_only", c_int),
                ("compression", c_int), ("level", c_int), ("codec_threads", c_uint), ("seekable", c_int),
                ("inside", POINTER(c_int)), ("reopen", c_int), ("reserved", c_uint64 * 4)]


class Range(ctypes.Structure):
    _fields_ = [("at", c_uint64), ("size", c_uint64)]


class Plan(ctypes.Structure):
    _fields_ = [("taken", c_int), ("why", c_char_p), ("positions", c_size_t), ("requests", c_size_t),
                ("bytes", c_uint64), ("gap", c_size_t), ("cached", c_double), ("sorting", c_uint64),
                ("total", c_uint64), ("dollars", c_double)]


LOSS_HANDLER = ctypes.CFUNCTYPE(None, POINTER(Error))

RESULTS = {
    "leat_last_error": POINTER(Error), "leat_version": c_char_p, "leat_set_loss_handler": c_void_p,
    "leat_writer_create": c_void_p, "leat_writer_of_memory": c_void_p, "leat_reader_open": c_void_p,
    "leat_random_access_open": c_void_p, "leat_random_access_last_plan": Plan, "leat_reader_mapped": Text,
    "leat_reader_map": c_void_p, "leat_fopen": c_void_p, "leat_random_access_size": c_int64,
}


def load(path):
    leat = ctypes.CDLL(path, use_errno=True)
    for name, result in RESULTS.items():
        getattr(leat, name).restype = result
    return leat


def check(holds, failure):
    if not holds:
        raise AssertionError(failure)


def write_and_read(leat, path):
    out = c_void_p(leat.leat_writer_create(path, byref(WriterOptions(exclusive=1, flush=1))))
    check(out, "leat_writer_create has returned null")
    leat.leat_writer_write(out, b"one\ntwo\n", c_size_t(8))
    check(leat.leat_writer_printf(out, b"%d\n", 3) == 2, "leat_writer_printf must return 2")
    check(pathlib.Path(os.fsdecode(path)).read_bytes() == b"one\ntwo\n3\n",
          "the writer must flush each line")
    check(leat.leat_writer_close(out) == 0, "leat_writer_close has failed")

    source = c_void_p(leat.leat_reader_open(path, None))
    line, lines = Text(), []
    while leat.leat_reader_next_line(source, None, byref(line)) == 1:
        lines.append(line.get())
    check(lines == [b"one", b"two", b"3"], lines)
    check(leat.leat_reader_close(source) == 0, "leat_reader_close has failed")

    mapping = c_void_p(leat.leat_reader_map(path, None))
    check(leat.leat_reader_mapped(mapping).get() == b"one\ntwo\n3\n", "the mapping differs from the file")
    check(leat.leat_reader_close(mapping) == 0, "leat_reader_close of the mapping has failed")


def positions(leat, path):
    file = c_void_p(leat.leat_random_access_open(path, 1, None))  # LEAT_MODE_UPDATE
    ranges = (Range * 2)(Range(4, 3), Range(0, 3))
    check(leat.leat_random_access_write_ranges(file, ranges, c_size_t(2), b"TWOONE") == 0,
          "leat_random_access_write_ranges has failed")
    into = ctypes.create_string_buffer(6)
    check(leat.leat_random_access_read_ranges(file, ranges, c_size_t(2), into) == 0 and into.raw == b"TWOONE", into.raw)
    check(leat.leat_random_access_last_plan(file).positions == 2, "the plan must have 2 positions")
    check(leat.leat_random_access_size(file) == 10, "the file must have 10 bytes")
    check(leat.leat_random_access_close(file) == 0, "leat_random_access_close has failed")


def errors(leat, path):
    check(leat.leat_writer_create(path, byref(WriterOptions(exclusive=1))) is None,
          "an exclusive create of an existing file must fail")
    check(ctypes.get_errno() == errno.EEXIST, "errno must be EEXIST")
    error = leat.leat_last_error().contents
    check((error.code, error.operation, error.path) == (errno.EEXIST, b"open", path), error.message)
    check(error.message.startswith(b"cannot open '" + path), error.message)
    check(leat.leat_fopen(path + b"/none", b"r") is None, "leat_fopen of a path below a file must fail")
    check(leat.leat_last_error().contents.code == errno.ENOTDIR, "leat_fopen must set the last error to ENOTDIR")

    lost = []
    handler = LOSS_HANDLER(lambda loss: lost.append((loss.contents.operation, loss.contents.unwritten)))
    leat.leat_set_loss_handler(handler)
    memory = ctypes.create_string_buffer(4)
    out = c_void_p(leat.leat_writer_of_memory(memory, c_size_t(4)))
    leat.leat_writer_write(out, b"123456", c_size_t(6))
    check(leat.leat_writer_flush(out) == -1, "a flush must fail if the memory is full")
    error = leat.leat_last_error().contents
    check((error.code, error.reason, error.offset, error.unwritten) == (errno.ENOSPC, 4, 4, 2), error.message)
    leat.leat_writer_write(out, b"7", c_size_t(1))
    leat.leat_writer_discard(out)
    check(lost == [(b"write", 3)], lost)
    leat.leat_set_loss_handler(None)


def main():
    leat = load(sys.argv[1])
    print("leat", leat.leat_version().decode())
    with tempfile.TemporaryDirectory() as folder:
        path = os.fsencode(os.path.join(folder, "a"))
        write_and_read(leat, path)
        positions(leat, path)
        errors(leat, path)


if __name__ == "__main__":
    main()
