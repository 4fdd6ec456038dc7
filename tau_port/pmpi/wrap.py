#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the wrappers of one MPI: its mpi.h, preprocessed, in; C out.

    wrap.py --header mpi.i --library 'nm -D of libmpi' --fortran 'nm -D of the Fortran library'
            --fortran-name libmpi_mpifh.so.40 --f08 'nm -D of the library of mpi_f08' --f08-name ...

Each function that the library has as PMPI_* gets a wrapper MPI_* that is timed; each of them that
Fortran calls by a name of its own, a wrapper of that name. What samples messages stands round the
call (hook_table.py). The output depends on the input alone.
"""
import argparse
import re
import sys

import hook_table
import kinds
import wrap_fortran

# Timed whether or not time is being measured: it is not known yet.
INIT = ("MPI_Init", "MPI_Init_thread")
# They do something also where nothing is timed and nothing is sampled.
ALWAYS = INIT + ("MPI_Finalize", "MPI_Pcontrol")


def fail(text):
    sys.exit("wrap.py: " + text)


def symbols(path, kinds="TWi"):
    """Names of defined functions in the output of nm -D; U: of those that it needs."""
    found = set()
    with open(path, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if len(words) >= 2 and words[-2] in kinds:
                found.add(words[-1].split("@")[0])
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


# Functions that programs call often: their wrappers have the clock readings inline.
OFTEN = set("""Send Recv Isend Irecv Ssend Issend Bsend Rsend Sendrecv Sendrecv_replace Mrecv Probe Iprobe
    Wait Waitall Waitany Waitsome Test Testall Testany Testsome Start Startall Get_count
    Barrier Bcast Reduce Allreduce Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv
    Reduce_scatter Reduce_scatter_block Scan Exscan Ibarrier Ibcast Iallreduce
    Put Get Accumulate Fetch_and_op Win_fence Win_lock Win_unlock Win_flush
    Comm_rank Comm_size Type_size Pack Unpack Wtime""".split())


def timed(name):
    """The statement that times the rest of a wrapper's block."""
    if name in INIT:
        return f"PMPI_TIMED(pmpi_begin_init, F_{name});"
    if name.removeprefix("MPI_") in OFTEN:
        return f"PMPI_TIMED(pmpi_begin, F_{name});"
    return f"PMPI_TIMED_RARE(F_{name});"


def print_c(function, through_fortran):
    site = "site" if through_fortran else "__builtin_return_address(0)"
    before, after = hook_table.texts(function.name, function.arguments, function.names, site, f"F_{function.name}")
    if re.search(r"\bsite\b", before + after):
        before = "void *site = pmpi_site_taken(__builtin_return_address(0));\n    " + before
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
        print(f"    {{\n        {timed(function.name)}")
        print(f"        result = {call};\n    }}")
        if after:
            print(f"    {after}")
        print("    return result;\n}\n")
        return
    print(f"    {timed(function.name)}")
    if function.variadic:
        print(f"    pmpi_control({function.names[0]});")
    print(f"    return {call};")
    print("}\n")


class Fortran:
    """A library of names that Fortran calls, from the output of nm -D."""

    def __init__(self, path, name):
        self.name = name
        self.has = symbols(path) if path else set()
        self.calls = symbols(path, "U") if path else set()

    def names(self, function):
        """(wrapped name, name of the function behind it, has other spellings, calls MPI_*)"""
        name = function.name.lower()
        in_c = function.name in self.calls
        for variant in (name, name + "_cptr"):
            if {"p" + variant + "_", variant + "_"} <= self.has:
                yield variant + "_", "p" + variant + "_", True, in_c
        # Those of mpi_f08 call PMPI_*, but for MPICH's that have buffers (f08ts).
        variant = name + "_f08_"
        for real in ("p" + variant, "pmpir" + variant[3:]):
            if {real, variant} <= self.has:
                yield variant, real, False, False
        variant = name + "_f08ts_"
        if variant in self.has and in_c and hook_table.has(function.name):
            yield variant, variant, False, True


def print_fortran(function, libraries):
    for number, library in enumerate(libraries):
        for name, real, spelt, hooks_in_c in library.names(function):
            text = wrap_fortran.print_function(function, name, real, f"FORTRAN_{number}", hooks_in_c, INIT)
            if spelt:
                wrap_fortran.print_aliases(name[:-1], *text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--header", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--fortran")
    parser.add_argument("--fortran-name", default="")
    parser.add_argument("--f08")
    parser.add_argument("--f08-name", default="")
    options = parser.parse_args()
    all_functions = functions(options.header, symbols(options.library))
    libraries = Fortran(options.fortran, options.fortran_name), Fortran(options.f08, options.f08_name)
    if not all_functions:
        fail(f"{options.header}: found no function PMPI_*, expected some hundred")
    print("/* Generated by tau_port/pmpi/wrap.py: the functions of MPI, timed. */")
    print('#include "tau_port/pmpi/mpi_headers.h"')
    print('#include "tau_port/pmpi/hooks_fortran.h"')
    print('#include "tau_port/pmpi/pmpi.h"\n')
    for number, library in enumerate(libraries):
        print(f'#define FORTRAN_{number} "{library.name}"')
    print("enum {")
    for function in all_functions:
        print(f"    F_{function.name},")
    print("};\n\nconst char *const pmpi_names[] = {")
    for function in all_functions:
        print(f'    "{function.name}",')
    print(f"}};\nconst int pmpi_name_count = {len(all_functions)};\n")
    print("const unsigned char pmpi_kinds[] = {")
    for function in all_functions:
        print(f"    PMPI_KIND_{kinds.kind(function.name)},")
    print("};\n")
    print("#pragma GCC visibility push(default)")
    for function in all_functions:
        print_c(function, any(function.name in library.calls for library in libraries))
    for function in all_functions:
        print_fortran(function, libraries)
    f08 = any("_f08" in name for library in libraries for f in all_functions for name, *_ in library.names(f))
    print(f"const int pmpi_f08_wrapped = {int(f08)};")
    print("#pragma GCC visibility pop")


main()
