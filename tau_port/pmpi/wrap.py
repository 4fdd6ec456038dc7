#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the wrappers of one MPI: its mpi.h, preprocessed, in; C out.

    wrap.py --header mpi.i --library 'nm -D of libmpi' --fortran 'nm -D of the Fortran library'
            --fortran-name libmpi_mpifh.so.40

Each function that the library has as PMPI_* gets a wrapper MPI_* that is timed; each of them that
Fortran calls by a name of its own, a wrapper of that name. The output depends on the input alone.
"""
import argparse
import re
import sys

import hook_table

# In Fortran: what stands in C between the parentheses is not what Fortran gives.
FORTRAN_ARGUMENTS = {"MPI_Init": 1, "MPI_Init_thread": 3, "MPI_Pcontrol": 1}
# Timed whether or not time is being measured: it is not known yet.
INIT = ("MPI_Init", "MPI_Init_thread")
# They do something also where nothing is timed and nothing is sampled.
ALWAYS = INIT + ("MPI_Finalize", "MPI_Pcontrol")


def fail(text):
    sys.exit("wrap.py: " + text)


def symbols(path):
    """Names of defined functions in the output of nm -D."""
    found = set()
    with open(path, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if len(words) == 3 and words[1] in "TWi":
                found.add(words[2].split("@")[0])
    return found


def split_arguments(text):
    """The parameters of a prototype, cut at the commas that stand in no parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "([{"
        depth -= c in ")]}"
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def named(text, number):
    """A declaration that has a name."""
    words = [w for w in re.findall(r"\w+", text) if w not in ("const", "struct", "unsigned", "long")]
    return f"{text} a{number}" if len(words) == 1 and text not in ("void", "...") else text


def argument_name(text):
    """The name that a declaration gives: before its brackets, or inside (*name)."""
    match = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", text)
    if not match:
        match = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", text)
    return match.group(1)


class Function:
    def __init__(self, name, result, arguments):
        self.name = name
        self.result = result
        self.variadic = arguments[-1] == "..."
        if arguments in (["void"], [""]):
            arguments = []
        self.arguments = [named(a, i) for i, a in enumerate(arguments)]
        self.names = [argument_name(a) for a in self.arguments if a != "..."]

    def fortran_arguments(self):
        """How many words Fortran passes: all by address, lengths of strings after them."""
        if self.name in FORTRAN_ARGUMENTS:
            return FORTRAN_ARGUMENTS[self.name]
        if self.result != "int":  # functions of Fortran, too, without an error argument
            return len(self.arguments)
        strings = sum(bool(re.search(r"\bchar\b", a)) for a in self.arguments)
        return len(self.arguments) + 1 + strings


def functions(path, exported):
    """The functions PMPI_* that a preprocessed header declares and the library has."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", text)
    text = re.sub(r"\s+", " ", text)
    pattern = re.compile(r"(?:^|[;{}]) ?(?:extern )?(\w+) (PMPIX?_\w+) ?\(([^;]*)\) ?(?=;)")
    found = {}
    for result, name, arguments in pattern.findall(text):
        if name in exported:
            found[name] = Function(name[1:], result, split_arguments(arguments))
    lost = sorted(n for n in exported if re.match(r"PMPIX?_[A-Z]", n) and re.search(r"[a-z]", n)
                  and n not in found and not re.search(r"_f(08)?$", n))
    if lost:
        fail("the library has, and its header does not declare: " + " ".join(lost))
    return [found[n] for n in sorted(found)]


def print_c(function):
    begin = "pmpi_begin_init" if function.name in INIT else "pmpi_begin"
    before, after = hook_table.texts(function.name, function.names, "PMPI_SITE", f"F_{function.name}")
    call = f"P{function.name}({', '.join(function.names)})"
    print(f"{function.result} {function.name}({', '.join(function.arguments) or 'void'})")
    print("{")
    if function.name not in ALWAYS:
        # Most of what most runs do: nothing.
        print(f"    if (!pmpi_timing(){' && !pmpi_asked()' if before or after else ''})")
        print(f"        return {call};")
    if before or after:
        if before:
            print(f"    {before}")
        # The time inside MPI holds nothing of the hooks.
        print(f"    {function.result} result;\n")
        if function.name not in ALWAYS:
            print(f"    if (!pmpi_timing())\n        result = {call};\n    else")
        print(f"    {{\n        PMPI_TIMED({begin}, F_{function.name});")
        print(f"        result = {call};\n    }}")
        if after:
            print(f"    {after}")
        print("    return result;\n}\n")
        return
    print(f"    PMPI_TIMED({begin}, F_{function.name});")
    if function.variadic:
        print(f"    pmpi_control({function.names[0]});")
    print(f"    return {call};")
    print("}\n")


def print_fortran(function, name):
    count = function.fortran_arguments()
    declared = ", ".join(f"void *a{i}" for i in range(count)) or "void"
    types = ", ".join(["void *"] * count) or "void"
    given = ", ".join(f"a{i}" for i in range(count))
    result = "void" if function.result == "int" else function.result
    begin = "pmpi_begin_init" if function.name in INIT else "pmpi_begin"
    print(f"{result} {name}_({declared});")
    print(f"{result} {name}_({declared})")
    print("{")
    print("    static pmpi_function known;")
    print(f"    {result} (*function)({types}) =")
    print(f"        ({result} (*)({types}))pmpi_fortran(&known, FORTRAN, \"p{name}_\");")
    print(f"    PMPI_TIMED({begin}, F_{function.name});")
    if function.variadic:
        print("    pmpi_control(*(int *)a0);")
    print(f"    {'return ' if result != 'void' else ''}function({given});")
    print("}")
    for alias in (name, name + "__", name.upper()):
        print(f"{result} {alias}({declared}) __attribute__((alias(\"{name}_\")));")
    print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--header", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--fortran")
    parser.add_argument("--fortran-name")
    options = parser.parse_args()
    all_functions = functions(options.header, symbols(options.library))
    fortran = symbols(options.fortran) if options.fortran else set()
    if not all_functions:
        fail(f"{options.header}: found no function PMPI_*, expected some hundred")
    print("/* Generated by tau_port/pmpi/wrap.py: the functions of MPI, timed. */")
    print('#include "tau_port/pmpi/mpi_headers.h"')
    print('#include "tau_port/pmpi/hooks.h"')
    print('#include "tau_port/pmpi/pmpi.h"\n')
    print(f'#define FORTRAN "{options.fortran_name or ""}"\n')
    print("enum {")
    for function in all_functions:
        print(f"    F_{function.name},")
    print("};\n\nconst char *const pmpi_names[] = {")
    for function in all_functions:
        print(f'    "{function.name}",')
    print(f"}};\nconst int pmpi_name_count = {len(all_functions)};\n")
    print("#pragma GCC visibility push(default)")
    for function in all_functions:
        print_c(function)
    for function in all_functions:
        name = function.name.lower()
        for variant in (name, name + "_cptr"):
            if "p" + variant + "_" in fortran and variant + "_" in fortran:
                print_fortran(function, variant)
    print("#pragma GCC visibility pop")


main()
