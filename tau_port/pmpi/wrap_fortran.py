# SPDX-License-Identifier: BSD-3-Clause
"""Wrappers of the functions that Fortran calls; wrap.py prints them.

Fortran passes addresses: integers for handles, the lengths of strings last. Two kinds of library are below:

    MPICH       calls MPI_* of C, whose wrapper has the hooks. The wrapper here leaves its callsite to it.
    Open MPI    calls PMPI_*. The wrapper here has the hooks: it declares the C arguments that their
                texts name (hook_table.py), under the names that C has for them.

`mpi_f08` is called by other names, with the same addresses; there the error argument may be missing. It
calls PMPI_* in both, but for MPICH's functions that have buffers.
"""
import re

import hook_table

# In Fortran: what stands in C between the parentheses is not what Fortran gives.
ARGUMENTS = {"MPI_Init": 1, "MPI_Init_thread": 3, "MPI_Pcontrol": 1}
FROM_FORTRAN = {"MPI_Comm": "PMPI_Comm_f2c", "MPI_Datatype": "PMPI_Type_f2c", "MPI_Request": "PMPI_Request_f2c",
                "MPI_Message": "PMPI_Message_f2c"}
FIRST = {"MPI_Waitany": "WAITANY", "MPI_Testany": "TESTANY", "MPI_Waitsome": "SOME", "MPI_Testsome": "SOME"}
NOTHING = {"MPI_Comm": "MPI_COMM_NULL", "MPI_Request": "MPI_REQUEST_NULL", "MPI_Message": "MPI_MESSAGE_NULL"}


def is_string(declaration):
    return bool(re.search(r"\bchar\b", declaration))


def argument_count(function):
    """How many words Fortran passes."""
    if function.name in ARGUMENTS:
        return ARGUMENTS[function.name]
    if function.result != "int":  # functions of Fortran, too, without an error argument
        return len(function.arguments)
    return len(function.arguments) + 1 + sum(map(is_string, function.arguments))


class Converted:
    """The C arguments of a hook: `declared` before the call, `given` and `taken` just before and behind it,
    `restored` at the end."""

    def __init__(self, function, real, before, after):
        self.function, self.real, self.before, self.after = function, real, before, after
        self.declared, self.given, self.taken, self.restored = [], [], [], []
        for number, (declaration, name) in enumerate(zip(function.arguments, function.names)):
            if self.names(before, name) or self.names(after, name):
                self.convert(number, declaration, name)

    @staticmethod
    def names(text, name):
        return bool(re.search(rf"(?<![\w.>]){name}\b", text))

    def convert(self, number, declaration, name):
        given = f"*(MPI_Fint *)a{number}"
        kind = re.match(r"(?:const )?(\w+)", declaration).group(1)
        points = "*" in declaration or "[" in declaration
        if kind == "MPI_Status":
            self.status(number, name)
        elif name == "array_of_requests":
            self.requests(number, name)
        elif name == "array_of_indices":
            # Nobody else may use them before the call returns.
            self.first()
            self.taken.append(f"int *{name} = pmpi_f_indices(a{number}, *outcount, -first);")
            self.restored.append(f"pmpi_f_indices(a{number}, *outcount, first);")
        elif name == "outcount":
            # Not written where the call has failed as a whole.
            self.taken.append(f"int {name}_c = waits ? pmpi_f_done(result, a{number}) : MPI_UNDEFINED, "
                              f"*{name} = &{name}_c;")
        elif name in ("index", "indx"):
            self.first()
            self.taken.append(f"int {name}_c = {given} - first, *{name} = &{name}_c;")
        elif kind in FROM_FORTRAN and points:
            self.handle(kind, given, name)
        elif kind in FROM_FORTRAN:
            self.declared.append(f"{kind} {name} = {FROM_FORTRAN[kind]}({given});")
        elif is_string(declaration):
            length = len(self.function.arguments) + 1 + sum(
                map(is_string, self.function.arguments[:number]))
            self.declared.append(f"char {name}[PMPI_F_TEXT];\n"
                                 f"    pmpi_f_text({name}, a{number}, (size_t)a{length});")
        elif kind == "int":
            self.declared.append(f"int *{name} = a{number};" if points else f"int {name} = {given};")
        elif kind == "MPI_Count" and not points:
            self.declared.append(f"MPI_Count {name} = *(MPI_Count *)a{number};")
        else:
            raise KeyError(f"{self.function.name}: nothing makes '{declaration}' of what Fortran passes")

    def handle(self, kind, given, name):
        first = f"{FROM_FORTRAN[kind]}({given})" if self.names(self.before, name) else NOTHING[kind]
        self.declared.append(f"{kind} {name}_c = {first}, *{name} = &{name}_c;")
        if self.names(self.after, name):
            self.taken.append(f"if (result == MPI_SUCCESS)\n        {name}_c = {FROM_FORTRAN[kind]}({given});")

    def first(self):
        """They count from 1 in Fortran."""
        if self.real.startswith("pmpir"):
            # But not in mpi_f08 of MPICH 4.0.
            self.taken.append(f"static int known_first = -1;\n    int first = waits ? pmpi_f08_first("
                              f"&known_first, known, PMPI_F_{FIRST[self.function.name]}) : 1;")
        else:
            self.taken.append("const int first = 1;")

    def status(self, number, name):
        """Both languages have it in the same words, and each an address for nobody's."""
        several = "ES" if name == "array_of_statuses" else ""
        self.declared.append(f"MPI_Status *{name} = pmpi_f_ignores{several and '_all'}(a{number}) "
                             f"? MPI_STATUS{several}_IGNORE : a{number};")
        self.given.append(f"if ({name} != MPI_STATUS{several}_IGNORE)\n        a{number} = {name};")

    def requests(self, number, name):
        count = "incount" if "incount" in self.function.names else "count"
        wanted = "1" if self.function.name == "MPI_Startall" else "(pmpi_asked() && pmpi_following()) || pmpi_splitting()"
        self.declared.append(f"struct pmpi_f_requests room;\n    MPI_Request *{name} = "
                             f"pmpi_f_requests(&room, a{number}, {wanted} ? {count} : 0);\n"
                             f"    {count} = room.count;")
        # Those that are complete are null now.
        self.taken.append(f"pmpi_f_requests_again(&room, a{number});")
        self.restored.append("pmpi_f_requests_end(&room);")


def print_hooked(function, real, call, timed, texts, error):
    before, after = texts
    converted = Converted(function, real, before, after)
    lines = ["MPI_Fint own_error = MPI_SUCCESS;", f"if (!{error})\n        {error} = &own_error;"]
    lines += converted.declared + [before] + converted.given + [f"{{\n        {timed}\n        {call}\n    }}"]
    if "result" in after:
        lines.append(f"int result = *(MPI_Fint *){error};")
    lines += converted.taken + [after] + converted.restored
    for line in lines:
        if line:
            print("    " + line)


def print_function(function, name, real, library, hooks_in_c, init):
    """One wrapper `name` of the function `real` of a library."""
    count = argument_count(function)
    declared = ", ".join(f"void *a{i}" for i in range(count)) or "void"
    types = ", ".join(["void *"] * count) or "void"
    given = ", ".join(f"a{i}" for i in range(count))
    result = "void" if function.result == "int" else function.result
    timed = f"PMPI_TIMED(pmpi_begin_init, F_{function.name});" if function.name in init else f"PMPI_TIMED_RARE(F_{function.name});"
    texts = hook_table.texts(function.name, function.arguments, function.names, "__builtin_return_address(0)", f"F_{function.name}")
    call = f"{'return ' if result != 'void' else ''}function({given});"
    print(f"{result} {name}({declared});")
    print(f"{result} {name}({declared})")
    print("{")
    print("    static pmpi_function known;")
    print(f"    {result} (*function)({types}) =")
    print(f"        ({result} (*)({types}))pmpi_fortran(&known, {library}, \"{real}\");\n")
    if hooks_in_c:
        if any(texts):
            print("    if (pmpi_asked())\n        pmpi_fortran_site = __builtin_return_address(0);")
        print(f"    {timed}")
    elif any(texts):
        if function.name not in init:
            print(f"    if (!pmpi_asked() && !pmpi_splitting()) {{\n        {timed}\n        {call}\n        return;\n    }}")
        print_hooked(function, real, call, timed, texts, f"a{ARGUMENTS.get(function.name, len(function.arguments) + 1) - 1}")
        print("}")
        return declared, result
    else:
        print(f"    {timed}")
    if function.variadic:
        print("    pmpi_control(*(int *)a0);")
    print(f"    {call}")
    if hooks_in_c and any(texts):
        print("    pmpi_fortran_site = NULL;")
    print("}")
    return declared, result


def print_aliases(name, declared, result):
    """Compilers spell the same name in several ways."""
    for alias in (name, name + "__", name.upper()):
        print(f"{result} {alias}({declared}) __attribute__((alias(\"{name}_\")));")
    print()
