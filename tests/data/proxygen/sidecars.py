# SPDX-License-Identifier: BSD-3-Clause
"""sidecars.py PROXYGEN: sidecars beyond measure, or not text at all, for functions or, every fourth one, for a
table; in a soak each for both. A check has all that are read, and every second one that is refused.

Each is read, and what is made of it compiles without a warning; or it is refused with one short line that
says file, line and column, exit status 3."""
import os
import subprocess
import sys
import tempfile

PROXYGEN = os.path.abspath(sys.argv[1])
ROOT = os.getcwd()
SOAK = bool(os.environ.get("SOAK"))
HEADER = """enum e { RED, GREEN };
int work(int n, long m, const double *x, const char *s, enum e c, unsigned char k, double d, int *q);
void *make(int n);
typedef struct ops { int (*work)(int n, long m, const double *x, const char *s, enum e c, unsigned char k, double d, int *q); } ops;
"""

def repeat(count, line):
    return "".join(line % i for i in range(count)).encode()

# What follows "function work", and where and why it is refused: LINE:COLUMN: WORDS; None: it is read
BODIES = {
    "a control character": (b"param n\x1b[2J\n", "0:8: '.' has no meaning"),
    "an expression of 1 MB": (b"param Q = n" + b"*n" * 500000 + b"\n", "0:511: an expression of more than 500"),
    "a name of 1 MB": (b"param " + b"a" * 1000000 + b" = n\n", "0:7: a name of 1000000 characters is too long"),
    "a comment of 1 MB": (b"#" + b"x" * 1000000 + b"\nparam n\n", None),
    "10^6 empty lines": (b"\n" * 1000000 + b"param n\n", None),
    "10^5 parameters": (repeat(100000, "param a%d = n\n"), "16:7: 'a16' is one value too many"),
    "10^5 functions": (b"function work\n" * 100000, "0:10: method 'work' occurs twice"),
    "10^4 parentheses": (b"param Q = " + b"(" * 10000 + b"n" + b")" * 10000 + b"\n", "0:75: an expression nested deeper"),
    "10^4 signs": (b"param Q = " + b"-" * 10000 + b"n\n", "0:75: an expression nested deeper"),
    "10^4 stars": (b"param Q = " + b"*" * 10000 + b"q\n", "0:75: an expression nested deeper"),
    "10^4 choices": (b"param Q = " + b"n ? " * 10000 + b"n\n", "0:267: an expression nested deeper"),
    "an integer of 67 bits": (b"param Q = 99999999999999999999\n", "0:11: '99999999999999999999' is out of range"),
    "a number of 10^999": (b"param Q = 1e999\n", "0:11: '1e999' is out of range"),
    "division by 0": (b"param Q = n / 0\n", "0:13: division by zero"),
    "remainder of 0": (b"param Q = n % (0)\n", "0:13: division by zero"),
    "division by what is 0": (b"param Q = n / (1 - 1)\n", None),
    "a shift by 200": (b"param Q = n << 200\nparam R = 1 >> 200\nparam S = n << -1\n", None),
    "the least by -1": (b"param Q = m / -1\nparam R = m % -1\nparam S = -m\n", None),
    "names of the language": (b"param int = n\nparam return_ = n\nmode while = c\n", None),
    "names of the code": (b"param pg_in = n\nparam pg_result = m\nparam MONITOR_PARAM = 1\nparam proxy_gone = *q\nparam NULL = 2\n", None),
    "a name twice": (b"param n\nparam n\n", "1:7: 'n' is marked twice"),
    "a name in Latin-1": ("param größe = n\n".encode("latin1"), "0:9: '.' has no meaning"),
    "a name in UTF-8": ("param größe = n\n".encode(), "0:9: '.' has no meaning"),
    "another direction of writing": ("param \u202en\n".encode(), "0:7: '.' has no meaning"),
    "lines that end in CR LF": (b"param n\r\nparam m\r\n", None),
    "no newline at the end": (b"param n", None),
    "10^5 blanks": (b"\t" * 100000 + b"param n\n", None),
    "a form feed": (b"\x0cparam n\n", "0:1: '.' has no meaning"),
    "labels that look like code": (b'mode c { 0: "; int canary; */ ??/ %s %n, 1: \\ }\n', None),
    "a label of 10^5 letters": (b"mode n { 0: " + b"a" * 100000 + b" }\n", "0:10: a label has 1 to 63"),
    "10^5 labels": (b"mode n { " + b", ".join(b"%d: a" % i for i in range(100000)) + b" }\n", "0:1948: more than 256 labels"),
    "a label twice": (b"mode n { 0: a, 0: b }\n", "0:16: value 0 has two labels"),
    "a string twice": (b'mode z = s { "a", "a" }\n', "0:19: string \"a\" is in the set twice"),
    "a set without end": (b'mode z = s { "a\n', "0:14: the string has no end"),
    "labels without end": (b"mode n { 0: a\n", "0:14: the end of the line where"),
    "a recall of nothing": (b"param z = recall nothing on q\n", "0:18: 'nothing' is recalled, and no line"),
    "a call of the shell": (b'get a via system("id")\nparam a\n', "0:11: 'system' is no function"),
    "a name in its own call": (b"get a via make(a)\nparam a\n", "0:1"),
    "10^10 lengths": (b"fortran_lengths 99999999999\n", "0:17: '99999999999' where a number of lengths"),
    "a struct of its own": (b"param z = sizeof(struct { char a[1]; })\n", "0:18: 'struct' is neither"),
    "an array of 10^11": (b"param z = sizeof(int[99999999999])\n", "0:21: '[' where ')'"),
    "an index of 2^63 - 1": (b"param z = x[9223372036854775807]\nparam y = x[-1]\n", None),
    "an escape": (b"param z = '\\n'\n", "0:11: the character has no end"),
    "a string of its own": (b'param z = strlen("abc")\n', "0:18: '\"abc\"' where an argument"),
    "a remainder of a double": (b"param e = d % 2\n", "0:13: '%' takes integers"),
    "a cast": (b"param z = (int)d\n", "0:12: 'int' is no argument"),
    "an assignment": (b"param z = n = 3\n", "0:13: '=' where the end of the line"),
    "a step": (b"param z = n++\n", "0:14: the end of the line where"),
    "a call": (b"param z = exit(1)\n", "0:11: 'exit' is no argument"),
    "statements": (b"param z = ({ exit(1); 0; })\n", "0:12: '{' where an argument"),
    "a pointer": (b"param z = x\n", "0:11: 'x' is a pointer"),
    "macros of the compiler": (b"param z = __LINE__\n", "0:11: '__LINE__' is no argument"),
    "what is written as code": (b'param z = n; int canary(void) { return 1; }\n', "0:12: ';' where the end of the line"),
    "a double of the largest": (b"param z = 1.7976931348623157e308 * d\nparam y = 4.9e-324 * d\nmode w = (d > 1e308)\n", None),
}
# Whole files
FILES = {
    "nothing": (b"", None),
    "a mark of UTF-8": (b"\xef\xbb\xbfheader h.h\nfunction work\nparam n\n", None),
    "UTF-16": ("header h.h\n".encode("utf-16"), "1:1:"),
    "a NUL": (b"header h.h\0\nfunction work\n", "1:1:"),
    "lines that end in CR": (b"header h.h\rfunction work\r", "1:1:"),
    "another header": (b"header x.h\nfunction work\n", "1:1: the sidecar is for header 'x.h'"),
    "no header": (b"function work\nparam n\n", "1:1: 'function' where 'header'"),
    "a quality of 10^999": (b"header h.h\nquality a = 1e999 max\n", "2:13: '1e999' is out of range"),
    "a quality that is no number": (b"header h.h\nquality a = nan max\n", "2:13: 'nan' where a number"),
    "32 MiB": (b"#\n" * (1 << 24), "error: cannot read the sidecar: File too large"),
    "noise": (bytes((i * i * 31 + i // 7) % 251 + 1 for i in range(5000)), "1:1:"),
}
TABLES = {
    "a line before the table": (b"header h.h\nquality a = 1 max\ntable ops\nfunction work\n", "2:1: a line before the first 'table NAME'"),
    "a function before the table": (b"header h.h\nfunction work\ntable ops\n", "2:1: a line before the first"),
    "a line before the header": (b"what\nheader h.h\ntable ops\n", "1:1: a line before the first"),
    "a table twice": (b"header h.h\ntable ops\ntable ops\n", "3:7: table 'ops' occurs twice"),
    "a table that is none": (b"header h.h\ntable opps\n", "2:7: 'opps' is no table"),
    "a table of 1 MB": (b"header h.h\ntable " + b"o" * 1000000 + b"\n", "2:7: '" + "o" * 80 + "' is no table"),
}
failures = []

def run(name, text, expected, arguments, code, directory):
    sidecar = os.path.join(directory, "marks.perf")
    output = os.path.join(directory, "out")
    with open(sidecar, "wb") as file:
        file.write(text)
    done = subprocess.run([PROXYGEN, *arguments, "--sidecar", sidecar, "-o", output, os.path.join(directory, "h.h")],
                          capture_output=True, timeout=100, check=False)
    said = done.stderr.decode("latin1")
    if any(not 32 <= byte < 127 and byte != 10 for byte in done.stderr):
        failures.append(f"{name}: raw bytes on the terminal")
    if expected is not None:
        where = "" if expected.startswith("error") else "marks.perf:"
        if ": " in expected and expected[0].isdigit():
            place, words = expected.split(": ", 1)
            expected = f"{place}: error: {words}"
        if done.returncode != 3 or said.count("\n") != 1 or len(said) > 500 or where + expected not in said:
            failures.append(f"{name}: exit {done.returncode}, said '{said[:300]}', expected 3 and '{where}{expected}'")
        return
    if done.returncode != 0 or said:
        failures.append(f"{name}: exit {done.returncode}, said '{said[:300]}'")
        return
    made = subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-trigraphs", "-Wall", "-Wextra", "-Werror", "-fPIC", "-I", ROOT, "-I", directory,
                           "-I", output, "-fsyntax-only", os.path.join(output, code)], capture_output=True, check=False)
    if made.returncode:
        failures.append(f"{name}: {made.stderr.decode()[:500]}")

def shifted(expected, first):
    """0:8: words, with the number of the first line of the body for 0."""
    if expected is None or not expected[0].isdigit():
        return expected
    line, rest = expected.split(":", 1)
    return f"{int(line) + first}:{rest}"

with tempfile.TemporaryDirectory() as directory:
    with open(os.path.join(directory, "h.h"), "w") as file:
        file.write(HEADER)
    # What is made is looked at here, not compiled for each.
    compiler = os.path.join(directory, "cc")
    with open(compiler, "w") as file:
        file.write('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\n')
    os.chmod(compiler, 0o700)
    os.environ["CC"] = compiler
    functions = (["--interpose", "--functions", "work,make"], "h_interpose.c", directory)
    table = (["--table", "ops"], "h_tables.c", directory)
    for number, (name, (body, expected)) in enumerate(BODIES.items()):
        if expected is not None and number % 2 and not SOAK:
            continue
        as_table = (number % 4 == 0 or SOAK) and "make(" not in body.decode("latin1") and "fortran" not in name
        if not as_table or SOAK:
            run(name, b"header h.h\nfunction work\n" + body, shifted(expected, 3), *functions)
        if as_table:
            run(name + ", in a table", b"header h.h\ntable ops\nfunction work\n" + body, shifted(expected, 4), *table)
    for name, (text, expected) in FILES.items():
        run(name, text, expected, *functions)
    for name, (text, expected) in TABLES.items():
        run(name, text, expected, *table)
for failure in failures:
    print("FAILED:", failure)
print(len(BODIES), len(FILES), len(TABLES), "sidecars")
sys.exit(1 if failures else 0)
