#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Calls that an interposer cannot see are named at the end of a run, and by the report, each with its
# cause: bound inside the library, linked statically, found by dlsym, made as system calls.
. "$(dirname "$0")/../headers/headers.sh"
needs_preload
cc="$CC -O0 -Wall -Wextra -Werror"

printf '%s\n' 'int inner(int n);' 'int outer(int n);' > blind.h
printf '%s\n' '#include "blind.h"' 'int inner(int n) { return n + 1; }' 'int outer(int n) { return inner(n) + inner(n); }' > blind.c
printf '%s\n' '#include "blind.h"' 'int main(void) { return outer(3) == 8 && inner(5) == 6 ? 0 : 1; }' > main.c
proxygen --interpose blind.h --functions inner,outer -o proxy > /dev/null 2>&1 || fail "proxygen"
library() { # FLAGS...
    $cc -fPIC -shared "$@" -o libblind.so blind.c && $cc -o main main.c -L. -lblind -Wl,-rpath,"$dir" || fail "library $*"
}
# told ROWS-OF-inner SENTENCE NOT PROGRAM...: the run says it, the report says it, within 100 columns.
told() {
    local rows=$1 want=$2 not=$3 said report
    shift 3
    rm -rf run.mm
    said=$(timeout 60 mastermind record --proxy proxy -o run.mm -- "$@" 2>&1) || fail "$*: status $?: $said"
    case $said in *"$want"*) ;; *) fail "no '$want' from $*: $said" ;; esac
    [ -n "$not" ] && case $said in *"$not"*) fail "'$not' from $*: $said" ;; esac
    [ -e run.mm ] || { [ "$rows" = 0 ] || fail "$*: no experiment"; return; }
    [ "$(mastermind records run.mm | grep -c ',inner,')" = "$rows" ] || fail "$*: $(mastermind records run.mm)"
    report=$(mastermind report run.mm | tr -s ' \n' ' ')
    case $report in *"$want"*) ;; *) fail "no '$want' in the report: $report" ;; esac
    mastermind report run.mm | awk 'length > 100' | grep . && fail "lines beyond 100 columns"
}

# --- Bound inside the library. What is not bound is seen, and not said to be unseen.
library
told 3 "calls of outer from inside libblind.so, if any, are not seen: it binds them itself" "of inner" ./main
library -Wl,-Bsymbolic
told 1 "calls of inner and outer from inside libblind.so are not seen: it was linked with -Bsymbolic" "" ./main
library -Wl,-Bsymbolic-functions
told 1 "calls of inner and outer from inside libblind.so, if any, are not seen: it binds them itself" "" ./main
library -fvisibility=protected
told 1 "calls of inner and outer from inside libblind.so are not seen: their visibility is protected" "" ./main

# --- Linked statically, beside the library and without it; and where names were stripped
library
$cc -c blind.c && ar rcs libfixed.a blind.o && $cc -o fixed main.c -L. -lfixed || fail "fixed"
told 0 "calls of inner and outer by fixed itself are not seen: it is linked with them statically" "0 calls" ./fixed
printf '%s\n' '#include "blind.h"' '#include <dlfcn.h>' '#include <stddef.h>' \
    'int main(void) { return dlopen("./libblind.so", RTLD_NOW) && inner(1) == 2 ? 0 : 1; }' > half.c
$cc -o half half.c -L. -lfixed || fail "half"
told 0 "calls of inner and outer by half itself are not seen: it is linked with them statically" "" ./half
cp fixed stripped && strip stripped
told 0 "0 calls of inner and outer seen: no shared library of this process has them" "" ./stripped
# A function of the program that only has the same name, for itself alone, is no copy of it.
printf '%s\n' 'static int inner(int n) { return n; }' 'int main(void) { return inner(0); }' > alike.c
$cc -o alike alike.c || fail "alike"
told 0 "0 calls of inner and outer seen: no shared library of this process has them" "itself" ./alike
$cc -static -o whole main.c -L. -lfixed 2> /dev/null || $cc -static -o whole main.c blind.c || fail "whole"
timeout 60 mastermind record --proxy proxy -- ./whole 2> said
[ $? = 3 ] && grep -q 'it is linked statically, so nothing can be preloaded' said || fail "a static program: $(cat said)"
cp main foreign && chown 65534 foreign 2> /dev/null && chmod u+s foreign && {
    timeout 60 mastermind record --proxy proxy -- ./foreign 2> said
    [ $? = 3 ] && grep -q 'it runs with the rights of another user' said || fail "a set-user-ID program: $(cat said)"
}

# --- Addresses from dlsym, in a library that only dlopen knows
printf '%s\n' '#include <dlfcn.h>' '#include <stddef.h>' 'int main(void)' '{' \
    '    void *library = dlopen("./libblind.so", RTLD_NOW);' \
    '    int (*found)(int) = library ? (int (*)(int))dlsym(library, "outer") : NULL;' \
    '    return found && found(1) == 4 ? 0 : 1;' '}' > finder.c
library -Wl,-Bsymbolic
$cc -o finder finder.c -ldl || fail "finder"
told 0 "0 calls of inner and outer seen: no object is linked with libblind.so, and calls through addresses from dlsym are not seen" \
    "" ./finder
# What the library itself calls through the linker is seen all the same.
library
told 2 "0 calls of outer seen: no object is linked with libblind.so" "" ./finder

# --- System calls
printf '%s\n' '#include <sys/syscall.h>' '#include <unistd.h>' \
    'int main(void) { return write(1, "a", 1) + syscall(SYS_write, 1, "b", 1) == 2 ? 0 : 1; }' > direct.c
$cc -D_GNU_SOURCE -o direct direct.c || fail "direct"
proxygen --interpose /usr/include/unistd.h --functions write,getcwd -o posix > /dev/null 2>&1 || fail "unistd.h"
timeout 60 mastermind record --proxy posix -o direct.mm -- ./direct > out 2> said || fail "direct: $(cat said)"
grep -q 'calls of write that direct makes by syscall(), if any, are not seen' said || fail "direct: $(cat said)"
[ "$(cat out)" = ab ] && [ "$(mastermind records direct.mm | grep -c ',write,')" = 1 ] || fail "direct: $(cat out)"
finish
