#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""extreme.py SEED COUNT DIRECTORY [COUNTED]: random expressions of the mark-up language over numbers that
overflow, divide by zero, shift too far, are infinite or no number, and pointers that are NULL.

Without COUNTED: write DIRECTORY/extreme.h, extreme.perf and calls.h, the calls to be made. With it, a file
of what the generated code computed: the same is computed here, after the words of docs/reference/marks.md alone, and
compared; exit 1 at a difference."""
import math
import random
import struct
import sys

seed, count, directory = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(seed)
LEAST, MOST = -2 ** 63, 2 ** 63 - 1
ARGS = [("i", "int"), ("u", "unsigned"), ("l", "long"), ("w", "unsigned long"), ("h", "short"), ("c", "signed char"),
        ("d", "double"), ("f", "float"), ("p", "const long *"), ("r", "const double *")]
BOUNDS = {"i": (-2 ** 31, 2 ** 31 - 1), "u": (0, 2 ** 32 - 1), "l": (LEAST, MOST), "w": (0, 2 ** 64 - 1),
          "h": (-2 ** 15, 2 ** 15 - 1), "c": (-128, 127)}
PER_FUNCTION, CALLS = 16, 12


class Absent(Exception):
    pass


# --- The language -------------------------------------------------------------------------------
LEVEL = {"||": 2, "&&": 3, "|": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
         "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}


class Node:
    """kind: int, real, arg, at, unary, binary, choose, min, max, truth (of a pointer)."""

    def __init__(self, kind, what=None, *parts):
        self.kind, self.what, self.parts = kind, what, parts
        if kind in ("int", "truth") or (kind == "unary" and what == "!"):
            self.real = False
        elif kind == "real":
            self.real = True
        elif kind == "arg":
            self.real = what in "df"
        elif kind == "at":
            self.real = what == "r"
        elif kind == "binary" and LEVEL[what] < 8:
            self.real = False
        elif kind == "choose":
            self.real = parts[1].real or parts[2].real
        else:
            self.real = any(part.real for part in parts)

    def level(self):
        if self.kind == "choose":
            return 1
        if self.kind == "binary":
            return LEVEL[self.what]
        return 11 if self.kind == "unary" or self.what == "*" else 12

    def text(self):
        def put(part, least):
            inside = part.text()
            return f"({inside})" if part.level() < least or rng.random() < 0.1 else inside
        if self.kind in ("int", "real"):
            return self.what
        if self.kind in ("arg", "truth"):
            return self.what
        if self.kind == "at":
            return f"*{self.what}" if not self.parts else f"{self.what}[{put(self.parts[0], 0)}]"
        if self.kind == "unary":
            inside = put(self.parts[0], 11)
            return self.what + (" " if inside[0] in "+-*" else "") + inside
        if self.kind == "choose":
            return f"{put(self.parts[0], 2)} ? {put(self.parts[1], 1)} : {put(self.parts[2], 1)}"
        if self.kind in ("min", "max"):
            return f"{self.kind}({put(self.parts[0], 1)}, {put(self.parts[1], 1)})"
        return f"{put(self.parts[0], self.level())} {self.what} {put(self.parts[1], self.level() + 1)}"


def fit(number):
    return LEAST if number < LEAST else MOST if number > MOST else number


def truth(node, args):
    if node.kind == "truth":
        return args[node.what] is not None
    return evaluate(node, args) != 0


def arithmetic(what, a, b):
    if what == "+":
        return fit(a + b)
    if what == "-":
        return fit(a - b)
    if what == "*":
        return fit(a * b)
    if what in "/%":
        if b == 0:
            return 0
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return fit(quotient) if what == "/" else a - quotient * b
    if what == "<<":
        return 0 if b < 0 or a == 0 else fit(a << min(b, 200))
    if what == ">>":
        return 0 if b < 0 else a >> min(b, 200)
    return a & b if what == "&" else a | b


def real_arithmetic(what, a, b):
    if what == "/":
        if b == 0:
            return 0.0
        return a / b
    return a + b if what == "+" else a - b if what == "-" else a * b


COMPARE = {"<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
           "==": lambda a, b: a == b, "!=": lambda a, b: a != b}


def pair(node, args):
    a, b = (evaluate(part, args) for part in node.parts)
    return (float(a), float(b)) if node.parts[0].real or node.parts[1].real else (a, b)


def evaluate(node, args):
    kind, what = node.kind, node.what
    if kind == "int":
        return int(what, 0)
    if kind == "real":
        return float(what)
    if kind == "arg":
        return args[what] - 2 ** 64 if what == "w" and args[what] > MOST else args[what]
    if kind == "at":
        index = evaluate(node.parts[0], args) if node.parts else 0
        if args[what] is None or index < 0:
            raise Absent
        return args[what][index]
    if kind == "unary":
        if what == "!":
            return int(not truth(node.parts[0], args))
        value = evaluate(node.parts[0], args)
        return value if what == "+" else -value if node.real else fit(-value)
    if kind == "choose":
        chosen = evaluate(node.parts[1 if truth(node.parts[0], args) else 2], args)
        return float(chosen) if node.real else chosen
    if kind in ("min", "max"):
        a, b = pair(node, args)
        return a if (a < b if kind == "min" else a > b) else b
    if what == "&&":
        return int(truth(node.parts[0], args) and truth(node.parts[1], args))
    if what == "||":
        return int(truth(node.parts[0], args) or truth(node.parts[1], args))
    a, b = pair(node, args)
    if what in COMPARE:
        return int(COMPARE[what](a, b))
    return real_arithmetic(what, a, b) if node.real else arithmetic(what, a, b)


# --- Random ones --------------------------------------------------------------------------------
def leaf(real):
    pick = rng.random()
    if pick < 0.2:
        return Node("int", rng.choice(["0", "1", "2", "63", "64", "200", "255", "0x7fffffff", "2147483648", "4294967296",
                                       "9223372036854775807", "0x7fffffffffffffff", str(rng.randrange(1000))]))
    if real and pick < 0.35:
        return Node("real", rng.choice(["0.5", "1e308", "1e-308", "3.0", "1.7976931348623157e308", "0.0", "1e18", "9.3e18"]))
    if pick < 0.45:
        pointer = rng.choice("pr" if real else "p")
        return Node("at", pointer) if rng.random() < 0.5 else Node("at", pointer, Node("int", str(rng.randrange(4))))
    if pick < 0.48:
        return Node("at", "p", Node("binary", "&", Node("arg", rng.choice("iuh")), Node("int", "3")))
    return Node("arg", rng.choice("iulwhcdf" if real else "iulwhc"))


def condition(depth, real):
    return Node("truth", rng.choice("pr")) if rng.random() < 0.25 else make(depth, real)


def make(depth, real):
    if depth == 0 or rng.random() < 0.12:
        return leaf(real)
    kind = rng.randrange(14)
    if kind == 0:
        return Node("unary", rng.choice("-+"), make(depth - 1, real))
    if kind == 1:
        return Node("unary", "!", condition(depth - 1, real))
    if kind == 2:
        return Node("choose", None, condition(depth - 1, real), make(depth - 1, real), make(depth - 1, real))
    if kind == 3:
        return Node(rng.choice(["min", "max"]), None, make(depth - 1, real), make(depth - 1, real))
    if kind == 4:
        return Node("binary", rng.choice(["&&", "||"]), condition(depth - 1, real), condition(depth - 1, real))
    if kind == 5:
        return Node("binary", rng.choice(list(COMPARE)), make(depth - 1, real), make(depth - 1, real))
    if kind <= 8:
        return Node("binary", rng.choice(["<<", ">>", "%", "&", "|"]), make(depth - 1, False), divisor(depth - 1, False))
    what = rng.choice("+-**/")
    return Node("binary", what, make(depth - 1, real), (divisor if what == "/" else make)(depth - 1, real))


def divisor(depth, real):
    """A number alone that is 0 is refused."""
    made = make(depth, real)
    while made.kind in ("int", "real") and float(int(made.what, 0) if made.kind == "int" else made.what) == 0:
        made = make(depth, real)
    return made


def some_integer(name):
    least, most = BOUNDS[name]
    return rng.choice([0, 1, most, least, most - 1, least + 1 if least < 0 else 2, 63 if most > 63 else 1, rng.randrange(least, most + 1),
                       rng.randrange(100), max(least, -rng.randrange(100)), max(least, min(most, 2 ** rng.randrange(63)))])


def some_real():
    return rng.choice([0.0, 1.0, -1.0, 0.5, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan, 2.0 ** 63, -2.0 ** 63, 1e19,
                       rng.uniform(-1e6, 1e6), float(rng.randrange(-100, 100))])


def single(number):
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def some_args():
    args = {name: some_integer(name) for name in BOUNDS}
    args["d"], args["f"] = some_real(), single(some_real())
    args["p"] = None if rng.random() < 0.3 else [some_integer("l") for _ in range(4)]
    args["r"] = None if rng.random() < 0.3 else [some_real() for _ in range(4)]
    return args


def c_integer(number):
    return "(-9223372036854775807 - 1)" if number == LEAST else f"{number}u" if number > MOST else str(number)


def c_real(number):
    return "__builtin_nan(\"\")" if math.isnan(number) else ("-" if number < 0 else "") + "__builtin_inf()" if math.isinf(number) \
        else number.hex()


def c_args(args):
    def array(values, kind, put):
        return "NULL" if values is None else f"({kind}[]){{{', '.join(put(value) for value in values)}}}"
    return ", ".join([c_integer(args[name]) for name in "iulwhc"] + [c_real(args["d"]), c_real(args["f"]),
                                                                      array(args["p"], "long", c_integer), array(args["r"], "double", c_real)])


functions = []
for number in range((count + PER_FUNCTION - 1) // PER_FUNCTION):
    nodes = [make(rng.randrange(1, 6), i % 2 == 1) for i in range(PER_FUNCTION)]
    functions.append(([(node, node.text()) for node in nodes], [some_args() for _ in range(CALLS)]))

if len(sys.argv) < 5:
    with open(f"{directory}/extreme.h", "w") as out:
        for number in range(len(functions)):
            out.write(f"int e{number}({', '.join(kind + ('' if kind[-1] == '*' else ' ') + name for name, kind in ARGS)});\n")
    with open(f"{directory}/extreme.perf", "w") as out:
        out.write("header extreme.h\n")
        for number, (nodes, _) in enumerate(functions):
            out.write(f"function e{number}\n")
            for i, (_, text) in enumerate(nodes):
                out.write(f"    param x{i} = {text}\n")
    with open(f"{directory}/calls.h", "w") as out:
        for number, (_, calls) in enumerate(functions):
            for args in calls:
                out.write(f"e{number}({c_args(args)});\n")
    sys.exit(0)

compared = wrong = absent = 0
with open(sys.argv[4]) as file:
    for number, (nodes, calls) in enumerate(functions):
        for args in calls:
            found = file.readline().split()
            if len(found) != PER_FUNCTION:
                sys.exit(f"e{number}: found {len(found)} values")
            for (node, text), word in zip(nodes, found):
                try:
                    value = evaluate(node, args)
                    value = LEAST + 1 if not node.real and value == LEAST else value
                except Absent:
                    value = None
                if value is None:
                    right = word == "absent"
                elif node.real:
                    got = math.nan if "nan" in word else float.fromhex(word) if word != "absent" else None
                    right = got is not None and (got == value or (math.isnan(got) and math.isnan(value)))
                else:
                    right = word == str(value)
                compared += 1
                absent += value is None
                wrong += not right
                if not right and wrong <= 3:
                    print(f"seed {seed}, e{number}({args}): {text}: found {word}, expected {value}")
print(f"{len(functions) * PER_FUNCTION} expressions, {compared} values, {absent} of them absent, {wrong} wrong")
sys.exit(1 if wrong else 0)
