# SPDX-License-Identifier: BSD-3-Clause
"""Experiments of Mastermind, by libmm_reader.

    import mastermind_reader

    with mastermind_reader.Experiment("shock-1.mm") as run:
        for method in run.methods:
            print(method.name, method.calls, method.exclusive_ns)
        rows = run["flux.flux.compute"].rows()
        rows.wall_ns[0], rows["Q"][0]

Columns are memoryviews of the library's memory: indexed, sliced, iterated, given to numpy.frombuffer
or array.array without a copy. They live as long as their rows. An integer that is missing is None in
rows.value(name, i) and ABSENT in its column; a real is NaN.

The library is looked for in MASTERMIND_READER, beside this file's lib/, then as the dynamic linker does.
"""
import ctypes
import os

ABSENT = -2**63
_TEXTS = ("name", "instance", "port", "method", "class_name", "build_id", "port_type")
_KINDS = ("parameter", "mode", "out")
STATUS = ("done", "unwound", "longjmp", "open")


class Error(Exception):
    """What the library says, in one line."""


_OFF_CORE = ("host_ns", "host_exclusive_ns", "wait_ns", "wait_exclusive_ns")


class _Sums(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("calls", ctypes.c_uint64), ("inclusive_ns", ctypes.c_int64),
                ("exclusive_ns", ctypes.c_int64), ("without_row", ctypes.c_uint64),
                *((name, ctypes.c_int64) for name in _OFF_CORE)]


class _Column(ctypes.Structure):
    _fields_ = [("integer", ctypes.c_void_p), ("real", ctypes.c_void_p)]


class _Table(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("rows", ctypes.c_size_t), ("rank", ctypes.c_void_p),
                ("thread", ctypes.c_void_p), ("status", ctypes.c_void_p), ("invocation", ctypes.c_void_p),
                ("caller", ctypes.c_void_p), ("start_ns", ctypes.c_void_p), ("wall_ns", ctypes.c_void_p),
                ("exclusive_ns", ctypes.c_void_p), ("mpi_ns", ctypes.c_void_p), ("cpu_ns", ctypes.c_void_p),
                ("values", ctypes.c_size_t), ("value", ctypes.POINTER(_Column)),
                *((name, ctypes.c_void_p) for name in _OFF_CORE)]


def _load():
    own = os.path.dirname(os.path.realpath(__file__))
    names = [os.environ.get("MASTERMIND_READER"), os.path.join(own, "..", "..", "lib", "libmm_reader.so.1"),
             os.path.join(own, "libmm_reader.so.1"), "libmm_reader.so.1"]
    for name in names:
        if name and (os.sep not in name or os.path.exists(name)):
            try:
                library = ctypes.CDLL(name)
                break
            except OSError as reason:
                failure = reason
    else:
        raise Error(f"libmm_reader.so.1 was not found: set MASTERMIND_READER ({failure})" if "failure" in locals()
                    else "libmm_reader.so.1 was not found: set MASTERMIND_READER")
    text, handle, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
    for name, result, arguments in (
            ("mmr_version", ctypes.c_int, []), ("mmr_open", handle, [text, text]), ("mmr_close", None, [handle]),
            ("mmr_name", text, [handle]), ("mmr_host", text, [handle]), ("mmr_cpu", text, [handle]),
            ("mmr_command", text, [handle, size]), ("mmr_ranks", ctypes.c_int, [handle]),
            ("mmr_finished", ctypes.c_int, [handle]), ("mmr_methods", size, [handle]),
            ("mmr_method", text, [handle, size, ctypes.c_int]), ("mmr_values", size, [handle, size]),
            ("mmr_value_name", text, [handle, size, size]), ("mmr_value_kind", ctypes.c_int, [handle, size, size]),
            ("mmr_value_type", ctypes.c_int, [handle, size, size]),
            ("mmr_method_sums", ctypes.c_int, [handle, size, ctypes.POINTER(_Sums), text]),
            ("mmr_table_new", ctypes.POINTER(_Table), [handle, size, text]),
            ("mmr_table_free", None, [ctypes.POINTER(_Table)])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def _text(value):
    return None if value is None else value.decode("utf-8", "backslashreplace")


class Rows:
    """The rows of one method, as columns."""

    def __init__(self, table, method):
        self._table, self._method = table, method
        shown = table.contents
        self._count = shown.rows
        for name, code in (("rank", "i"), ("thread", "i"), ("status", "i"), ("invocation", "Q"), ("caller", "Q"),
                           ("start_ns", "q"), ("wall_ns", "q"), ("exclusive_ns", "q"), ("mpi_ns", "q"), ("cpu_ns", "q"),
                           *((name, "q") for name in _OFF_CORE)):
            setattr(self, name, self._view(getattr(shown, name), code))
        self._columns = {}
        for at, value in enumerate(method.values):
            column = shown.value[at]
            self._columns[value.name] = self._view(column.real, "d") if column.real else self._view(column.integer, "q")

    def _view(self, address, code):
        bytes_each = 4 if code == "i" else 8
        if not address or not self._count:
            return memoryview(b"").cast("B")
        array = (ctypes.c_char * (self._count * bytes_each)).from_address(address)
        array._rows = self  # memory stays while a view does
        return memoryview(array).cast("B").cast(code)

    def __len__(self):
        return self._count

    def __getitem__(self, name):
        return self._columns[name]

    def value(self, name, row):
        found = self._columns[name][row]
        return None if found == ABSENT or found != found else found

    def __del__(self):
        if getattr(self, "_table", None):
            _library.mmr_table_free(self._table)
            self._table = None


class Value:
    def __init__(self, name, kind, is_real):
        self.name, self.kind, self.is_real = name, kind, is_real

    def __repr__(self):
        return f"Value({self.name!r}, {self.kind!r})"


class Method:
    """A method: name, instance, port, method, class_name, build_id, port_type, values, and sums over all calls."""

    def __init__(self, experiment, index):
        handle = experiment._handle
        self._experiment, self._index = experiment, index
        for number, text in enumerate(_TEXTS):
            setattr(self, text, _text(_library.mmr_method(handle, index, number)))
        self.values = [Value(_text(_library.mmr_value_name(handle, index, v)),
                             _KINDS[_library.mmr_value_kind(handle, index, v)],
                             bool(_library.mmr_value_type(handle, index, v)))
                       for v in range(_library.mmr_values(handle, index))]

    def __repr__(self):
        return f"Method({self.name!r})"

    def sums(self):
        error, sums = ctypes.create_string_buffer(512), _Sums(size=ctypes.sizeof(_Sums))
        if _library.mmr_method_sums(self._experiment._open(), self._index, ctypes.byref(sums), error):
            raise Error(_text(error.value))
        return sums

    calls = property(lambda self: self.sums().calls)
    inclusive_ns = property(lambda self: self.sums().inclusive_ns)
    exclusive_ns = property(lambda self: self.sums().exclusive_ns)
    without_row = property(lambda self: self.sums().without_row)

    def rows(self):
        error = ctypes.create_string_buffer(512)
        table = _library.mmr_table_new(self._experiment._open(), self._index, error)
        if not table:
            raise Error(_text(error.value))
        return Rows(table, self)


class Experiment:
    """A run: name, host, cpu, command, ranks, finished, methods."""

    def __init__(self, path):
        error = ctypes.create_string_buffer(512)
        self._handle = _library.mmr_open(os.fsencode(path), error)
        if not self._handle:
            raise Error(_text(error.value))
        self.name, self.host = _text(_library.mmr_name(self._handle)), _text(_library.mmr_host(self._handle))
        self.cpu, self.ranks = _text(_library.mmr_cpu(self._handle)), _library.mmr_ranks(self._handle)
        self.finished, self.command = bool(_library.mmr_finished(self._handle)), []
        while (word := _library.mmr_command(self._handle, len(self.command))) is not None:
            self.command.append(_text(word))
        self.methods = [Method(self, i) for i in range(_library.mmr_methods(self._handle))]

    def __getitem__(self, name):
        for method in self.methods:
            if method.name == name:
                return method
        raise KeyError(name)

    def _open(self):
        if not self._handle:
            raise Error("the experiment is closed")
        return self._handle

    def close(self):
        if self._handle:
            _library.mmr_close(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()
