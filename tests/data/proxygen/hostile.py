# SPDX-License-Identifier: BSD-3-Clause
"""hostile.py PROXYGEN: headers of absurd size, depth and spelling, by turns as functions, as a table
and as a port; in a soak larger ones, each as all three, and compiled for good.

Each ends in bounded time and memory: it is served, and what is written compiles; or one short line with
the file's name, exit status 3, and nothing written."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

PROXYGEN = os.path.abspath(sys.argv[1])
SANITIZED = os.environ.get("BUILD") in ("asan", "tsan")
SOAK = bool(os.environ.get("SOAK"))
MANY = 10000 if SOAK else 3000
ROOT = os.getcwd()
PORT = '#include "ports/cca_port.h"\n#define K_PORT_TYPE "test.K/1"\n'
failures = []
M = "a" * 1000000

def functions(arguments, before="", result="int"):
    return f"{before}{result} work({arguments});\n"

def table(arguments, before="", result="int"):
    return f"{before}typedef struct ops {{ {result} (*f)(struct ops *s{', ' if arguments else ''}{arguments}); }} ops;\n"

def port(arguments, before="", result="int"):
    return (PORT + before + f"struct k_port {{ struct cca_port base; {result} (*f)(struct k_port *self"
            f"{', ' if arguments else ''}{arguments}); }};\n")

KINDS = {"functions": (functions, ["--interpose", "--functions", "work"]),
         "table": (table, ["--table", "ops"]), "port": (port, ["-I", ROOT])}

def chain(count, first, each):
    return first + "".join(each % {"n": i, "last": i - 1} for i in range(1, count))

# name: arguments, what stands before, the result, words of the refusal or None where it is served
CASES = {
    "2^40 bytes by value": ("struct big b", "struct big { char a[1L<<40]; };\n", "int", "is passed by value and has 1099511627776 bytes"),
    "2^30 bytes returned": ("int n", "struct big { char a[1L<<30]; };\n", "struct big", "is passed by value and has 1073741824 bytes"),
    "1 MiB by value": ("struct big b, int n", "struct big { char a[1<<20]; };\n", "int", None),
    "2^60 bytes pointed to": ("struct big *b, long n", "struct big { char a[1L<<60]; };\n", "int", None),
    "2^62 elements": ("double x[1L<<62]", "", "int", "array is too large"),
    "2^28 aligned": ("struct big b", "struct big { char c; } __attribute__((aligned(1<<28)));\n", "int", "is passed by value"),
    "10^5 enumerators": ("enum e mode", "enum e {" + ",".join(f"E{i}" for i in range(100000)) + "};\n", "int", None),
    "10^4 arguments": (",".join(f"int a{i}" for i in range(10000)), "", "int", "has more than 64 arguments"),
    "64 arguments": (",".join(f"int a{i}" for i in range(63)), "", "int", None),
    "a name of 10^6 letters": (f"int {M}, struct {M} *p", f"struct {M} {{ int n; }};\n", "int", "which cannot be written into code"),
    "a typedef of 10^6 letters": (f"{M} n", f"typedef int {M};\n", "int", None),
    "10^4 stars": ("int " + "*" * 10000 + "p", "", "int", "which cannot be written into code"),
    "200 functions in each other": ("int " + "(*" * 200 + "p" + ")(void)" * 200, "", "int", "which cannot be written into code"),
    "10^4 parentheses": ("int " + "(" * 10000 + "p" + ")" * 10000, "", "int", "nesting level exceeded"),
    "structs in each other": (f"struct s{MANY - 1} *p", chain(MANY, "struct s0 { int n; };\n", "struct s%(n)d { struct s%(last)d x; };\n"), "int", None),
    "typedefs of each other": (f"t{MANY - 1} n", chain(MANY, "typedef int t0;\n", "typedef t%(last)d t%(n)d;\n"), "int", None),
    "macros": ("int n", "".join(f"#define M{i} {i}\n" for i in range(3 * MANY)), "int", None),
    "arrays of a length that comes later": ("int n, double a[n], double b[*][n], double c[n][n]", "", "int", None),
    "an include of itself": ("int n", '#include "k_port.h"\n', "int", "nested too deeply"),
    "an include of a directory": ("int n", '#include "/tmp"\n', "int", "file not found"),
    "an include of what may be a terminal": ("int n", '#include "/dev/stdin"\n', "int", None),
    "a name with \\u": ("int gr\\u00f6 , int n", "", "int", None),
    "a type with \\u": ("gr\\u00f6 n", "typedef int gr\\u00f6;\n", "int", None),
    "a type in UTF-8": ("größe *n", "typedef struct größe größe;\n", "int", "which cannot be written into code"),
    "trigraphs": ("int n??(4??)", "", "int", "expected ')'"),
    "digraphs": ("int n<:4:>, int m", "%:define X 1\n", "int", None),
    "continued lines": ("int n, i\\\nnt m\\\n2", "", "int", None),
    "#line with a lie": ("strange n", '#line 999999999 "/etc/passwd\\x1b[2J"\n', "int", "unknown type name 'strange'"),
    "#line of the C library": ("int n", '#line 1 "/usr/include/stdio.h"\n', "int", None),
    "a system header": ("int n", "#pragma GCC system_header\n", "int", None),
    "arguments not declared": ("", "", "int", "..."),
    "a vector of 2^20 bytes": ("v a, int n", "typedef float v __attribute__((vector_size(1 << 20)));\n", "int", None),
    "what gcc does not know": ("_BitInt(128) x", "", "int", "..."),
}
# name: the bytes of a header from those of a good one, words of the refusal or None
BYTES = {
    "a NUL": (lambda text: b"\0" + text, None),
    "NULs in a comment": (lambda text: b"/*\0\0*/" + text, None),
    "no newline at the end": (lambda text: text.rstrip(), None),
    "lines that end in CR LF": (lambda text: text.replace(b"\n", b"\r\n"), None),
    "lines that end in CR": (lambda text: text.replace(b"\n", b"\r"), None),
    "a mark of UTF-8": (lambda text: b"\xef\xbb\xbf" + text, None),
    "UTF-16": (lambda text: text.decode().encode("utf-16"), ":1:1: error: UTF-16"),
    "a comment that is not UTF-8": (lambda text: b"/* \xff\xfe */" + text, None),
    "a name that is not UTF-8": (lambda text: text.replace(b"int n", b"int n\xff\xfe"), "not valid UTF-8"),
    "100 MB of comment": (lambda text: b"/*" + b"x" * 100000000 + b"*/\n" + text, None),
    "10^6 empty lines": (lambda text: b"\n" * 1000000 + text, None),
    "nothing": (lambda text: b"", "error: no"),
    "half of it": (lambda text: text[:len(text) * 2 // 3], "error"),
}

def limits():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

def run(name, kind, data, words, directory):
    make, arguments = KINDS[kind]
    header = os.path.join(directory, "k_port.h")
    output = os.path.join(directory, "out")
    shutil.rmtree(output, ignore_errors=True)
    with open(header, "wb") as file:
        file.write(data)
    start = time.monotonic()
    done = subprocess.run([PROXYGEN, *arguments, "-o", output, header], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, preexec_fn=limits, check=False)
    took = time.monotonic() - start
    said = [line for line in done.stderr.decode("latin1").splitlines()
            if not line.startswith(("# ", "header ", "function ", "table ", "    "))]
    written = sorted(os.listdir(output)) if os.path.isdir(output) else []
    what = f"{name}, as {kind}"
    if any(not 32 <= byte < 127 and byte != 10 for byte in done.stderr):
        failures.append(f"{what}: raw bytes on the terminal")
    if words == "...":  # refused or served, as the compiler knows it
        if done.returncode == 0:
            return took
        words = "error"
    if words is None:
        if done.returncode != 0 or not written:
            failures.append(f"{what}: exit {done.returncode}: {' '.join(said)[:300]}")
        elif kind != "functions" or not SOAK:
            source = [f for f in written if f.endswith(".c")][0]
            cc = subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-w", "-fsyntax-only", "-I", ROOT, "-I", directory, "-I",
                                 output, os.path.join(output, source)], capture_output=True, check=False)
            if cc.returncode:
                failures.append(f"{what}: does not compile: {cc.stderr.decode()[:300]}")
    else:
        if done.returncode != 3 or len(said) != 1 or len(said[0]) > 500:
            failures.append(f"{what}: exit {done.returncode}, {len(said)} lines, expected 3 and one: {' '.join(said)[:300]}")
        elif words not in said[0] or "k_port.h" not in said[0]:
            failures.append(f"{what}: said {said[0][:300]}, expected '{words}'")
        if written:
            failures.append(f"{what}: left {written}")
    return took

def main():
    directory = tempfile.mkdtemp()
    slowest = (0, "")
    count = 0
    if not SOAK:  # the code is looked at, not made a library
        quick = os.path.join(directory, "cc")
        with open(quick, "w") as file:
            file.write('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\n')
        os.chmod(quick, 0o700)
        os.environ["CC"] = quick
    for number, (name, (arguments, before, result, words)) in enumerate(CASES.items()):
        for kind, (make, _) in KINDS.items():
            if not SOAK and kind != ("functions", "table", "port")[number % 3] and name != "10^5 enumerators":
                continue
            told = words
            if name == "10^5 enumerators" and kind == "port":
                arguments = 'CCA_MODE("") ' + arguments
                told = "expected"
            took = run(name, kind, make(arguments, before, result).encode(), told, directory)
            slowest = max(slowest, (took, f"{name}, as {kind}"))
            count += 1
    for name, (change, words) in BYTES.items():
        for kind, (make, _) in KINDS.items() if SOAK else [("functions", KINDS["functions"])]:
            took = run(name, kind, change(make("int n").encode()), words, directory)
            slowest = max(slowest, (took, f"{name}, as {kind}"))
            count += 1
    shutil.rmtree(directory)
    for failure in failures:
        print("FAILED:", failure)
    print(f"{count} headers; the slowest took {slowest[0]:.1f} s ({slowest[1]})")
    sys.exit(1 if failures else 0)

main()
