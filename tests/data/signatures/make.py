#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make.py SEED COUNT plain|all: COUNT random signatures of C, as files in the current directory:

    signatures.h        the types, the functions f0, f1, ..., and a table of functions m0, m1, ...
    signatures_port.h   a port of the same methods
    values.h            for each type, how a value is made of a number and told from others
    signatures.c        the library: each function checks all that it is given
    calls.c, table_calls.c    a program that calls the functions, and one that calls the table
    target.c, caller.c        a component with the port, and one that calls it
    signatures.perf, tables.perf, port.perf    marks: each call's number

`plain` leaves out what libffi cannot pass by value. Each function takes its own number first, and
answers with a value that the caller knows.
"""
import random
import sys

seed, count, plain = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "plain"
rng = random.Random(seed)
NUMBERS = ["char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned",
           "long", "unsigned long", "long long", "unsigned long long", "size_t", "int64_t", "uint8_t"]
REALS = ["float", "double", "long double"]
COMPLEX = ["float _Complex", "double _Complex"]
WIDE = ["__int128", "unsigned __int128", "__float128", "long double _Complex"]
POINTERS = ["void *", "const char *", "int *", "const volatile long *", "char *const *", "const double *",
            "struct never *", "FILE *"]
types = []      # text of the definitions
makers = []     # text of fill_X and same_X
records = []    # names of types made so far, by value
unnamed = [0]


def fill(kind, place, number):
    """Statements that make a value of what `kind` says at `place`."""
    word = f"mix({number})"
    if kind == "bool":
        return f"{place} = {word} & 1;"
    if kind in REALS or kind == "__float128":
        return f"{place} = ({kind})((double)(int)({word} >> 40) / 64) {'/ 3' if kind[0] in 'l_' else ''};"
    if "_Complex" in kind:
        half = kind.replace(" _Complex", "")
        return (f"__real__ {place} = ({half})(int)({word} >> 41); "
                f"__imag__ {place} = ({half})(int)(mix({number} + 7) >> 41) / 8;")
    if "__int128" in kind:
        return f"{place} = (({kind}){word} << 64) | ({kind})mix({number} + 7);"
    if kind.endswith("*"):
        return f"{place} = ({kind})(uintptr_t)({word} & 0xfffffffffff0);"
    if kind.startswith("enum "):
        return f"{place} = ({kind})({word} % 3);"
    if kind == "callback":
        return f"{place} = ({number}) % 2 ? callback_a : callback_b;"
    return f"{place} = ({kind}){word};"


def same(kind, a, b):
    if kind == "callback":  # each file has its own
        return f"({a}(1) == {b}(1))"
    return f"({a} == {b})"


class Record:
    """A struct or a union of random fields."""

    def __init__(self, depth=0, inline=False):
        self.union = not plain and rng.random() < 0.25
        self.word = "union" if self.union else "struct"
        self.fields = []
        for _ in range(rng.choice([1, 1, 2, 2, 3, 4, 6])):
            self.fields.append(self.field(depth))
        self.packed = not plain and not inline and not self.union and rng.random() < 0.1
        # A packed struct's fields may lie anywhere, and code takes their addresses.
        if self.packed:
            self.fields = [f for f in self.fields if f[0] in ("number", "bits")] or [("number", "int", self.name())]

    @staticmethod
    def name():
        unnamed[0] += 1
        return f"x{unnamed[0]}"

    def field(self, depth):
        kind = rng.random()
        if kind < 0.12 and records:
            return ("record", rng.choice(records), self.name())
        if kind < 0.25:
            return ("array", scalar(), self.name(), rng.randrange(1, 4))
        if kind < 0.37 and not plain and not self.union:
            signed = rng.random() < 0.5
            return ("bits", "int" if signed else "unsigned", self.name(), rng.randrange(1, 32))
        if kind < 0.45 and depth < 2 and not plain:
            return ("inline", Record(depth + 1, True))
        return ("number", scalar(), self.name())

    def text(self, indent):
        space = " " * indent
        lines = []
        for f in self.fields:
            if f[0] == "inline":
                lines.append(f"{space}{f[1].word} {{\n{f[1].text(indent + 4)}{space}}};\n")
            elif f[0] == "array":
                lines.append(f"{space}{f[1]} {f[2]}[{f[3]}];\n")
            elif f[0] == "bits":
                lines.append(f"{space}{f[1]} {f[2]} : {f[3]};\n")
            else:
                lines.append(f"{space}{f[1]} {f[2]};\n")
        return "".join(lines)

    def shown(self, f):
        """Of a union one field holds the value."""
        return not self.union or f is self.fields[0]

    def fills(self, at):
        out = []
        for i, f in enumerate(self.fields):
            if not self.shown(f):
                continue
            number = f"(number + {i + 3}) * 31"
            if f[0] == "inline":
                out += f[1].fills(at)
            elif f[0] == "record":
                out.append(f"fill_{f[1].replace(' ', '_')}(&{at}{f[2]}, {number});")
            elif f[0] == "array":
                for k in range(f[3]):
                    out.append(fill(f[1], f"{at}{f[2]}[{k}]", f"{number} + {k}"))
            elif f[0] == "bits":
                mask = f"0x{(1 << (f[3] - (f[1] == 'int'))) - 1:x}"
                out.append(f"{at}{f[2]} = ({f[1]})(mix({number}) & {mask});")
            else:
                out.append(fill(f[1], at + f[2], number))
        return out

    def tests(self, a, b):
        out = []
        for f in self.fields:
            if not self.shown(f):
                continue
            if f[0] == "inline":
                out += f[1].tests(a, b)
            elif f[0] == "record":
                out.append(f"equal_{f[1].replace(' ', '_')}(&{a}{f[2]}, &{b}{f[2]})")
            elif f[0] == "array":
                out += [same(f[1], f"{a}{f[2]}[{k}]", f"{b}{f[2]}[{k}]") for k in range(f[3])]
            else:
                out.append(same(f[1], a + f[2], b + f[2]))
        return out


def scalar():
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(NUMBERS)
    if kind < 0.7:
        return rng.choice(REALS)
    if kind < 0.77:
        return rng.choice(COMPLEX)
    if kind < 0.83 and not plain:
        return rng.choice(WIDE)
    if kind < 0.88:
        return "bool"
    if kind < 0.94:
        return rng.choice(["enum colour", "enum sign"])
    return rng.choice(POINTERS)


def add_maker(kind, name, fills, tests):
    body = "\n    ".join(fills)
    makers.append(f"""static inline void fill_{name}({kind} *to, uint64_t number)
{{
    {body}
    (void)number;
}}

static inline int equal_{name}(const {kind} *a, const {kind} *b)
{{
    return {' && '.join(tests)};
}}
""")


def add_record():
    record = Record()
    name = f"r{len(records)}"
    kind = f"{record.word} {name}"
    packed = " __attribute__((packed))" if record.packed else ""
    types.append(f"{kind} {{\n{record.text(4)}}}{packed};\n")
    add_maker(kind, kind.replace(" ", "_"), record.fills("to->"), record.tests("a->", "b->"))
    records.append(kind)
    if rng.random() < 0.3:
        types.append(f"typedef {kind} t{len(records)};\ntypedef const t{len(records)} c{len(records)};\n")


VECTORS = [] if plain else [("v2f", "float", 8), ("v4f", "float", 16), ("v2d", "double", 16), ("v16c", "signed char", 16)]
for name, element, size in VECTORS:
    types.append(f"typedef {element} {name} __attribute__((vector_size({size})));\n")
    add_maker(name, name, [f"for (size_t i = 0; i < sizeof *to / sizeof({element}); i++)\n        (*to)[i] = ({element})(int)(mix(number + i) >> 41);"],
              ["memcmp(a, b, sizeof *a) == 0"])
for _ in range(max(8, count // 4)):
    add_record()

# What decays or is only ever passed by address: how it is declared, and as what it is filled.
ODD = [("double {}[3]", "double *"), ("const int {}[][4]", "const int (*)[4]"), ("int (*{})(int)", "callback"),
       ("int *__restrict {}", "int *"), ("const struct late *{}", "const struct late *"),
       ("char {}[]", "char *"), ("struct tail *{}", "struct tail *")]


def argument(name):
    """How it is declared, and its kind."""
    kind = rng.random()
    if kind < 0.4:
        chosen = rng.choice(records)
        if rng.random() < 0.2:
            return f"const {chosen} {name}", chosen
        return f"{chosen} {name}", chosen
    if kind < 0.5 and VECTORS:
        chosen = rng.choice(VECTORS)[0]
        return f"{chosen} {name}", chosen
    if kind < 0.62:
        how, chosen = rng.choice(ODD)
        return how.format(name), chosen
    chosen = scalar()
    return f"{chosen}{'' if chosen.endswith('*') else ' '}{name}", chosen


def result():
    kind = rng.random()
    if kind < 0.1:
        return "void"
    if kind < 0.5:
        return rng.choice(records)
    if kind < 0.6 and VECTORS:
        return rng.choice(VECTORS)[0]
    return scalar()


class Function:
    def __init__(self, i):
        self.i = i
        self.result = result()
        self.args = [argument(f"a{k}") for k in range(rng.choice([0, 1, 2, 3, 4, 6, 9, 14]))]
        if plain and "long double" in self.result:
            self.result = "double"
        if plain and self.result in records:
            self.result = rng.choice(small) if small else "int"

    def head(self, name, first):
        words = [word for word in [first, "int n"] + [how for how, _ in self.args] if word]
        gap = "" if self.result.endswith("*") else " "
        return f"{self.result}{gap}{name}({', '.join(words)})"

    def body(self):
        lines = [f"    if (n != {self.i})", f"        wrong({self.i}, -1);"]
        for k, (_, kind) in enumerate(self.args):
            lines.append(f"    {{\n{declare(kind, 'want', f'{self.i * 100 + k}')}\n"
                         f"        if (!{equal(kind, f'a{k}', 'want')})\n            wrong({self.i}, {k});\n    }}")
        lines.append("    right();")
        if self.result != "void":
            lines.append(f"{declare(self.result, 'made', f'{self.i * 100 + 99}', 4)}\n    return made;")
        return "{\n" + "\n".join(lines) + "\n}\n\n"

    def call(self, name, first):
        lines = ["    {"]
        for k, (_, kind) in enumerate(self.args):
            lines.append(declare(kind, f"a{k}", f"{self.i * 100 + k}"))
        words = [word for word in [first, str(self.i)] + [f"a{k}" for k in range(len(self.args))] if word]
        called = f"{name}({', '.join(words)});"
        if self.result == "void":
            lines.append(f"        {called}")
        else:
            gap = "" if self.result.endswith("*") else " "
            lines.append(f"        {self.result}{gap}got = {called}\n{declare(self.result, 'want', f'{self.i * 100 + 99}')}\n"
                         f"        if (!{equal(self.result, 'got', 'want')})\n            wrong({self.i}, 99);")
        lines.append("    }")
        return "\n".join(lines) + "\n"


def made(kind):
    return kind in records or any(kind == name for name, _, _ in VECTORS)


def declare(kind, name, number, indent=8):
    space = " " * indent
    if kind == "callback":
        return f"{space}int (*{name})(int);\n{space}{fill(kind, name, number)}"
    if kind == "const int (*)[4]":
        return f"{space}const int (*{name})[4] = (const int (*)[4])(uintptr_t)(mix({number}) & 0xfffffffffff0);"
    if made(kind):
        return (f"{space}{kind} {name};\n{space}memset(&{name}, 0, sizeof {name});\n"
                f"{space}fill_{kind.replace(' ', '_')}(&{name}, {number});")
    gap = "" if kind.endswith("*") else " "
    return f"{space}{kind}{gap}{name};\n{space}{fill(kind, name, number)}"


def equal(kind, a, b):
    if made(kind):
        return f"equal_{kind.replace(' ', '_')}(&{a}, &{b})"
    return same(kind, a, b)


# A struct with a long double comes back from other registers than libffi looks into.
extended = set()
small = []
if plain:
    for kind, text in zip(records, (t for t in types if "{" in t)):
        if "long double" in text or any(f" {other}{end}" in text.replace(other, f" {other}") for other in extended for end in " ["):
            extended.add(kind)
    small = [kind for kind in records if kind not in extended]
functions = [Function(i) for i in range(count)]


def write(name, text):
    with open(name, "w") as out:
        out.write(text)


write("signatures.h", """#ifndef SIGNATURES_H
#define SIGNATURES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
enum colour { RED, GREEN, BLUE };
enum sign { MINUS = -1, NONE, PLUS, MANY = 2 };
struct never;
struct late;
struct tail {
    int count;
    double items[];
};
""" + "".join(types) + "".join(f.head(f"f{f.i}", "") + ";\n" for f in functions)
      + "struct many {\n" + "".join(f"    {f.head(f'(*m{f.i})', 'struct many *self')};\n" for f in functions)
      + "};\n#ifdef __cplusplus\n}\n#endif\n#endif\n")
write("signatures_port.h", """#ifndef SIGNATURES_PORT_H
#define SIGNATURES_PORT_H
#include "ports/cca_port.h"
#include "signatures.h"
#define SIGNATURES_PORT_TYPE "test.Signatures/1"
struct signatures_port {
    struct cca_port base;
""" + "".join(f"    {f.head(f'(*m{f.i})', 'struct signatures_port *self')};\n" for f in functions) + "};\n#endif\n")
write("values.h", """#include "signatures.h"
#include <stdlib.h>
#include <string.h>
static int calls;
static inline void wrong(int function, int argument)
{
    printf("f%d: %d is another\\n", function, argument);
    fflush(stdout);
    _Exit(9);
}
static inline void right(void) { calls++; }
static inline uint64_t mix(uint64_t number)
{
    number = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (number ^ number >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}
static int callback_a(int n) { return n; }
static int callback_b(int n) { return n + 1; }
""" + "".join(makers) + "static inline void use_all(void) { (void)callback_a; (void)callback_b; (void)calls; }\n")
library = "".join(f.head(f"f{f.i}", "") + "\n" + f.body() for f in functions)
write("signatures.c", '#include "values.h"\n' + library)
write("calls.c", '#include "values.h"\nint main(void)\n{\n'
      + "".join(f.call(f"f{f.i}", "") for f in functions) + "    return 0;\n}\n")
methods = "".join("static " + f.head(f"m{f.i}", "struct many *self") + "\n{\n    if (self != &own)\n        wrong("
                  + f"{f.i}, -2);\n" + f.body()[2:] for f in functions)
table = ", ".join(f"m{f.i}" for f in functions)
write("table_calls.c", '#include "signatures_tables.h"\n#include "values.h"\nstatic struct many own;\n' + methods
      + f"static struct many own = {{{table}}};\nint main(void)\n{{\n    struct many *outer = many_wrap(&own, \"many\");\n"
      + "    if (outer == &own)\n        return 8;\n"
      + "".join(f.call(f"outer->m{f.i}", "outer") for f in functions)
      + f"    return calls == {count} ? 0 : 7;\n}}\n")
methods = "".join("static " + f.head(f"m{f.i}", "struct signatures_port *self") + "\n{\n    (void)self;\n" + f.body()[2:]
                  for f in functions)
write("target.c", '#include "framework/cca.h"\n#include "signatures_port.h"\n#include "values.h"\n' + methods
      + "static struct signatures_port port = {{SIGNATURES_PORT_TYPE, sizeof port}, " + table + """};
static void *create(const struct cca_class *cls, struct cca_error *err)
{
    (void)cls;
    (void)err;
    return &port;
}
static int wire(void *self, struct cca_services *services, struct cca_error *err)
{
    (void)self;
    return cca_services_add_provides_port(services, &port.base, "s", NULL, err);
}
static void destroy(void *self) { (void)self; }
CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI, .size = sizeof(struct cca_class), .name = "Target", .flags = CCA_DYNAMIC_PORTS,
    .create = create, .set_services = wire, .destroy = destroy,
};
""")
write("caller.c", '#include "framework/cca.h"\n#include "ports/go_port.h"\n#include "signatures_port.h"\n#include "values.h"\n'
      """static struct cca_services *services;
static int run(struct go_port *self)
{
    struct signatures_port *port = (struct signatures_port *)cca_services_get_port(
        services, "s", SIGNATURES_PORT_TYPE, sizeof *port, NULL);
    (void)self;
    if (!port)
        return -1;
""" + "".join(f.call(f"port->m{f.i}", "port") for f in functions) + """    cca_services_release_port(services, "s", NULL);
    return 0;
}
static struct go_port go = {{GO_PORT_TYPE, sizeof go}, run};
static void *create(const struct cca_class *cls, struct cca_error *err)
{
    (void)cls;
    (void)err;
    return &go;
}
static int wire(void *self, struct cca_services *own, struct cca_error *err)
{
    services = own;
    (void)self;
    return cca_services_register_uses_port(own, "s", SIGNATURES_PORT_TYPE, sizeof(struct signatures_port), NULL, err) ||
           cca_services_add_provides_port(own, &go.base, "go", NULL, err);
}
static void destroy(void *self) { (void)self; }
CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI, .size = sizeof(struct cca_class), .name = "Caller", .flags = CCA_DYNAMIC_PORTS,
    .create = create, .set_services = wire, .destroy = destroy,
};
""")
for name, head, word, letter in (("signatures.perf", "header signatures.h", "function", "f"),
                                 ("tables.perf", "header signatures.h\ntable many", "function", "m"),
                                 ("port.perf", "port test.Signatures/1", "method", "m")):
    write(name, head + "\n" + "".join(f"{word} {letter}{f.i}\n  param n\n" for f in functions))
