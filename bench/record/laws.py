#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Fifty functions of known law in a library that nothing knows of: recorded by `mastermind record --library`, without
# any mark by hand. A law is right where the model grows as it does, to 10 %, from the largest size to four times that.
import json, math, os, subprocess, tempfile

LAWS = {  # growth, C, turns of a loop
    "1": (lambda n: 1, "1", 30000), "log n": (lambda n: math.log2(n), "log2(n)", 3000),
    "sqrt n": (lambda n: math.sqrt(n), "sqrt(n)", 1200), "n": (lambda n: n, "n", 40),
    "n log n": (lambda n: n * math.log2(n), "n * log2(n)", 6), "n^2": (lambda n: n * n, "(double)n * n", .5),
    "n^3": (lambda n: n ** 3, "(double)n * n * n", .02), "n^(3/2)": (lambda n: n ** 1.5, "n * sqrt(n)", 2)}
NAMES = ["n", "len", "size", "count", "num", "nitems", "n_rows", "width", "nbytes", "dim"]
SMALLER = {"n^3": 40, "n^2": 8}
functions = [(f"fn_{i}", list(LAWS)[i % len(LAWS)], NAMES[i % len(NAMES)]) for i in range(50)]

os.chdir(tempfile.mkdtemp())
os.makedirs("lib"), os.makedirs("include")
with open("include/laws.h", "w") as file:
    file.writelines(f"void {f}(const double *x, int {name});\n" for f, _, name in functions)
with open("laws.c", "w") as file:
    file.write('#include "laws.h"\n#include <math.h>\nstatic volatile double v = 1;\n'
               "static void spin(double k) { for (long i = 0; i < (long)k; i++) v = v * 1.0000001; }\n")
    for f, law, _ in functions:
        file.write(f"void {f}(const double *x, int n) {{ (void)x; (void)n; spin({LAWS[law][2]} * ({LAWS[law][1]})); }}\n")
with open("program.c", "w") as file:
    file.write('#include "laws.h"\nint main(void)\n{\n    static const int sizes[] = {100, 160, 250, 400, 630, 1000, 1600, 2500, 4000};\n'
               "    for (int r = 0; r < 9; r++)\n        for (int s = 0; s < 9; s++) {\n            int n = sizes[(s * 4 + r) % 9];\n")
    file.writelines(f"            {f}(0, n / {SMALLER.get(law, 1)} + 2);\n" for f, law, _ in functions)
    file.write("        }\n    return 0;\n}\n")
for command in ("cc -O1 -shared -fPIC -Iinclude -Wl,-soname,liblaws.so.1 -o lib/liblaws.so.1 laws.c -lm",
                "ln -s liblaws.so.1 lib/liblaws.so",
                f"cc -O1 -Iinclude -o program program.c -Llib -llaws -Wl,-rpath,{os.getcwd()}/lib",
                "mastermind record --library laws --no-report -o laws.mm -- ./program"):
    subprocess.run(command.split(), check=True, stderr=subprocess.DEVNULL)
document = json.loads(subprocess.run(["mastermind", "model", "laws.mm", "--json"], capture_output=True, text=True).stdout)
models = {m["method"]: m["models"][0] for m in document["methods"]}


def basis(term, x):
    value = 1
    for factor in term["factors"]:
        value *= x ** factor["exponent"] * math.log2(x) ** factor["logs"]
    return value


def cost(model, x):
    total = model.get("constant_ns", 0)
    for term in model["terms"]:
        value = basis(term, x)
        if term["kind"] == "hinge":
            value = max(0, value - basis(term, term["at"]))
        elif term["kind"] == "jump":
            value = float(x > term["at"])
        total += term["factor_ns"] * value
    return total


right = 0
for f, law, name in functions:
    high = models[f]["range"].get(name, {"high": 4002})["high"]
    growth = cost(models[f], 4 * high) / cost(models[f], high)
    share = growth / (LAWS[law][0](4 * high) / LAWS[law][0](high))
    right += .9 < share < 1.1
    if not .9 < share < 1.1:
        print(f"{f:6} {law:8} {models[f]['formula']}   {share:.2f} of the growth")
print(f"right: {right} of {len(functions)}")
