#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""expressions.py SEED SIDECAR PROGRAM: random expressions of the mark-up language over deep_visit,
as a sidecar, and as a C program that computes the same text in wide types and prints, for each of
its calls, what the expressions are: in the words of tests/headers/compare.py.

The values are small, and no expression overflows or divides by zero: what the language does then
is not what C does, and is tested elsewhere.
"""
import random
import sys

seed, sidecar, program = int(sys.argv[1]), sys.argv[2], sys.argv[3]
rng = random.Random(seed)
INTEGERS = ["list->n", "list->next->n", "list->dims[1]", "list->next->dims[3]", "list->low",
            "list->high", "list->wide", "list->as.whole", "list->first", "list->next->second",
            "(*list).n", "(*list->next).dims[0]", "list[0].n", "colour", "on", "v[0]", "v[2]", "count",
            "trans", "*seen", "seen[0]", "list->dims[list->next->low & 3]", "*kind", "list->name[2]",
            "strlen(kind)", "strnlen(list->title, 3)", "'x'", "7", "0x1f", "DEEP_GREEN", "strlen(list->name)"]
REALS = ["by.x", "by.y", "list->at.x", "list->next->at.y", "0.5", "3.25", "1e2"]
TRUTHS = ["list->title", "list->next", "seen", "list->next->next"]


def leaf(real):
    return rng.choice(REALS if real and rng.random() < 0.7 else INTEGERS)


def make(depth, real):
    """Text, and a bound of its size."""
    if depth == 0 or rng.random() < 0.15:
        return leaf(real), 2000
    kind = rng.randrange(12)
    left, a = make(depth - 1, real)
    right, b = make(depth - 1, real)
    if kind <= 1 and a * b < 2 ** 50:
        return f"({left}) * ({right})", a * b
    if kind == 2 and not real:
        return f"({left}) {rng.choice('/%')} {rng.randrange(1, 9)}", a
    if kind == 2:
        return f"({left}) / {rng.randrange(1, 9)}.0", a
    if kind == 3 and a < 2 ** 40 and not real:
        return f"(({left}) {rng.choice(['<<', '>>'])} {rng.randrange(0, 5)})" if rng.random() < 0.5 \
            else f"((({left}) & 255) << 3)", a * 32 + 2 ** 12
    if kind == 4:
        operator = rng.choice(["<", ">", "<=", ">=", "==", "!="])
        return f"(({left}) {operator} ({right}))", 1
    if kind == 5:
        condition = rng.choice(TRUTHS) if rng.random() < 0.4 else f"({left})"
        return f"({condition} ? {left} : {right})", max(a, b)
    if kind == 6:
        return f"({left} {rng.choice(['&&', '||'])} ({rng.choice(TRUTHS)} && {right}))", 1
    if kind == 7 and not real:
        return f"(({left}) {rng.choice('&|')} ({right}))", 4 * max(a, b)
    if kind == 8:
        return f"{rng.choice(['min', 'max'])}({left}, {right})", max(a, b)
    if kind == 9:
        return f"-({left})" if rng.random() < 0.6 else f"!({left})", a
    return f"{left} {rng.choice('+-')} ({right})", a + b


marks = []
for i in range(16):
    real = i % 2 == 1
    text, _ = make(rng.randrange(1, 5), real)
    marks.append(("param", f"p{i}", text))
for i in range(7):
    text, _ = make(rng.randrange(1, 4), i % 2 == 1)
    marks.append(("out", f"o{i}", text))

with open(sidecar, "w") as out:
    out.write("header deep.h\nfunction deep_visit\n")
    for kind, name, text in marks:
        out.write(f"    {kind} {name} = {text}\n")

HEAD = r"""
#include "deep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wide {
    struct wide *next;
    long long n, dims[4];
    struct deep_point at;
    long long low, high, wide;
    char name[8];
    struct { long long whole; } as;
    long long first, second;
    const char *title;
};

#define strlen(s) ((long long)strlen(s))
#define strnlen(s, n) ((long long)strnlen(s, n))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define tell(name, value) printf(" %s=%.17g", name, (double)(value))

static long long some(long long least, long long most)
{
    return least + rand() % (most - least + 1);
}

static void fill(struct deep_node *list, struct wide *wide)
{
    static const char *const titles[] = {"x", "", "ab", "abcdefgh"};

    wide->n = list->n = (int)some(-900, 900);
    for (int i = 0; i < 4; i++)
        wide->dims[i] = list->dims[i] = (short)some(-900, 900);
    wide->at.x = list->at.x = (double)some(-9000, 9000) / 16;
    wide->at.y = list->at.y = (double)some(-9000, 9000) / 16;
    wide->low = list->low = (unsigned)some(0, 7) & 7;
    wide->high = list->high = (unsigned)some(0, 2047) & 2047;
    wide->wide = some(-16, 15);
    list->wide = (signed char)wide->wide;
    snprintf(list->name, 8, "%d", rand() % 10000);
    memcpy(wide->name, list->name, 8);
    wide->as.whole = list->as.whole = (int)some(-900, 900);
    wide->first = list->first = (long)some(-900, 900);
    wide->second = list->second = (long)some(-900, 900);
    wide->title = list->title = titles[rand() % 4];
}

int main(void)
{
    static const char *const kinds[] = {"fast", "", "slower"};

    srand(%d);
    for (int round = 0; round < 60; round++) {
        struct deep_node nodes[3] = {{0}};
        struct wide mirror[3] = {{0}};
        struct wide *list = mirror;
        int small[3];
        long long v[3], colour = some(0, 6), on = some(0, 1), count = some(0, 900), trans = some(32, 120);
        long at = (long)some(-900, 900);
        long long wide_at = at, *seen = &wide_at;
        const char *kind = kinds[rand() %% 3];
        struct deep_point by = {(double)some(-9000, 9000) / 16, (double)some(-9000, 9000) / 16};

        for (int i = 0; i < 3; i++) {
            fill(&nodes[i], &mirror[i]);
            v[i] = small[i] = (int)some(-900, 900);
        }
        nodes[0].next = &nodes[1];
        mirror[0].next = &mirror[1];
        if (rand() %% 2) {
            nodes[1].next = &nodes[2];
            mirror[1].next = &mirror[2];
        }
        printf("deep_visit");
"""

with open(program, "w") as out:
    out.write(HEAD.replace("%%", "%").replace("srand(%d)", f"srand({seed})"))
    for kind, name, text in marks:
        if kind == "param":
            out.write(f'        tell("{name}", {text});\n')
    out.write("        deep_visit(nodes, kind, (enum deep_colour)colour, on, small, (size_t)count, by, (char)trans, &at);\n"
              "        wide_at = nodes[0].n;\n")
    for kind, name, text in marks:
        if kind == "out":
            out.write(f'        tell("{name}", {text});\n')
    out.write("        putchar('\\n');\n    }\n    return 0;\n}\n")
