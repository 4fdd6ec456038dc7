#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A C program with functions of random signatures, and what its calls pass.

    signatures.py SEED FUNCTIONS >program.c

Every function mixes all that it is passed into a number, which it returns in some type; the program
prints the sum over all calls, and to the file `calls` a line "FUNCTION NAME=VALUE ..." for each call with the
arguments that are integers."""
import random
import sys

rng = random.Random(int(sys.argv[1]))
INTEGERS = {"int": (-2**31, 2**31 - 1), "unsigned": (0, 2**32 - 1), "short": (-2**15, 2**15 - 1), "signed char": (-128, 127),
            "unsigned char": (0, 255), "long": (-2**62, 2**62), "_Bool": (0, 1), "enum colour": (0, 2),
            "unsigned short": (0, 65535)}
OTHERS = ["double", "float", "const int *", "long double", "struct two", "struct mixed", "struct big", "struct three"]
print("""#include <stdio.h>
#include <stdint.h>
#include <string.h>
#pragma GCC diagnostic ignored "-Wunused-parameter"
enum colour { RED, GREEN, BLUE };
struct two { int a, b; };
struct mixed { double x; long n; };
struct big { long n[9]; };
struct three { char c[3]; };
static uint64_t sum;
static FILE *calls;
static volatile int touched; /* so that no call is left out */
static volatile int zero; /* which the compiler does not know */
static const int five = 5;
__attribute__((noinline)) static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 1099511628211u; }
static uint64_t bits(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }""")


def fold(kind, name):
    if kind in INTEGERS:
        return [f"(uint64_t){name}"]
    return {"double": [f"bits({name})"], "float": [f"bits({name})"], "const int *": [f"(uint64_t)*{name}"],
            "long double": [f"bits((double){name})"], "struct two": [f"(uint64_t){name}.a", f"(uint64_t){name}.b"],
            "struct mixed": [f"bits({name}.x)", f"(uint64_t){name}.n"],
            "struct big": [f"(uint64_t){name}.n[0]", f"(uint64_t){name}.n[8]"],
            "struct three": [f"(uint64_t){name}.c[2]"]}[kind]


def literal(kind):
    if kind in INTEGERS:
        number = rng.randint(*INTEGERS[kind])
        text = f"{number}" + ("l" if kind == "long" else "u" if kind == "unsigned" else "")
        return f"({kind})({text} + zero)" if rng.random() < .7 else f"({kind}){text}", number
    number = rng.randint(-1000, 1000)
    return {"double": f"{number}.25", "float": f"{number}.5f", "const int *": "&five", "long double": f"{number}.125L",
            "struct two": f"(struct two){{{number}, 7}}", "struct mixed": f"(struct mixed){{{number}.5, 3}}",
            "struct big": f"(struct big){{{{{number}, 0, 0, 0, 0, 0, 0, 0, 9}}}}",
            "struct three": f"(struct three){{{{1, 2, {number % 100}}}}}"}[kind], None


RETURNS = {"uint64_t": ("h", "{}"), "double": ("(double)(h >> 40)", "bits({})"), "long double": ("(long double)(h >> 40)", "bits((double){})"),
           "struct two": ("(struct two){(int)h, 1}", "(uint64_t){}.a"), "struct mixed": ("(struct mixed){(double)(h >> 40), 2}", "bits({}.x)"),
           "struct big": ("(struct big){{1, 2, 3, 4, 5, 6, 7, 8, (long)h}}", "(uint64_t){}.n[8]"), "int": ("(int)h", "(uint64_t){}")}
lines = []
for f in range(int(sys.argv[2])):
    kinds = [rng.choice(list(INTEGERS) * 2 + OTHERS) for _ in range(rng.randint(0, 11))]
    names = [f"p{i}" for i in range(len(kinds))]
    result = rng.choice(list(RETURNS))
    static = rng.choice(["", "static "])
    print(f"__attribute__((noinline)) {static}{result} f{f}({', '.join(f'{k} {n}' for k, n in zip(kinds, names)) or 'void'})\n{{\n    uint64_t h = {f + 1};\n    touched++;")
    for kind, name in zip(kinds, names):
        if rng.random() < .9: # the others are not used: compilers may drop them
            for value in fold(kind, name):
                print(f"    h = mix(h, {value});")
    if f and rng.random() < .3:
        print(f"    h = mix(h, g{rng.randrange(f)}());")
    print(f"    return {RETURNS[result][0]};\n}}")
    arguments = [literal(k) for k in kinds]
    told = " ".join(f"{n}={v}" for n, (_, v), k in zip(names, arguments, kinds) if v is not None)
    call = RETURNS[result][1].format(f"f{f}({', '.join(a for a, _ in arguments)})")
    print(f'__attribute__((noinline)) static uint64_t g{f}(void)\n{{\n    fputs("f{f} {told}\\n", calls);\n    return {call};\n}}')
    lines.append(f"    sum = mix(sum, g{f}());")
print('int main(void)\n{\n    calls = fopen("calls", "w");')
print("\n".join(lines))
print('    printf("%llx\\n", (unsigned long long)sum);\n    return fclose(calls) ? 1 : 0;\n}')
