#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Libraries with several versions of a symbol: whoever was linked for one gets that one through an
# interposer, in one process, also in objects that come later, with and without recording.
. "$(dirname "$0")/../headers/headers.sh"
needs_preload

cat > foo.h << 'END'
#include <stdarg.h>
int foo(int n);
int only(int n);
long sum(int count, ...);
long vsum(int count, va_list list);
END
cat > one.c << 'END'
#include "foo.h"
int foo(int n) { return 100 + n; }
int only(int n) { return n; }
END
printf 'V1 { global: foo; only; local: *; };\n' > one.map
cat > two.c << 'END'
#include "foo.h"
int foo_1(int n);
int foo_2(int n);
int foo_3(int n);
__asm__(".symver foo_1, foo@V1\n.symver foo_2, foo@V2\n.symver foo_3, foo@@V3");
int foo_1(int n) { return 100 + n; }
int foo_2(int n) { return 200 + n; }
int foo_3(int n) { return 300 + n; }
int only(int n) { return n; }
END
printf 'V1 { global: foo; only; local: *; };\nV2 { global: foo; } V1;\nV3 { global: foo; } V2;\n' > two.map
cat > main.c << 'END'
#include "foo.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int wanted = atoi(argv[1]), wrong = 0;
    for (int i = 0; i < 5; i++) {
        errno = 44;
        wrong += foo(i) != wanted + i || only(i) != i || errno != 44;
    }
    for (int a = 2; a < argc; a += 2) {
        void *plug = dlopen(argv[a], RTLD_NOW | RTLD_LOCAL);
        int (*plugged)(int) = plug ? (int (*)(int))dlsym(plug, "plugged") : NULL;
        for (int i = 0; plugged && i < 5; i++)
            wrong += plugged(i) != atoi(argv[a + 1]) + i;
        if (!plugged)
            return puts(dlerror()), 9;
    }
    int (*found)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "foo"); /* the default */
    return wrong || foo(1) != wanted + 1 || (wanted == 300 && found(7) != 307);
}
END
printf '#include "foo.h"\nint plugged(int n);\nint plugged(int n) { return foo(n) + only(n) - n; }\n' > plug.c
build() { # LIBRARY-VERSION, then programs and plug-ins that are linked for it
    $CC -O1 -fPIC -shared -Wl,-soname,libfoo.so -Wl,--version-script="$1.map" -o libfoo.so "$1.c" || fail "library $1"
}
build one
$CC -O1 -o old main.c -L. -lfoo -Wl,-rpath,"$dir" && $CC -O1 -fPIC -shared -o old_plug.so plug.c -L. -lfoo || fail "old"
./old 100 || fail "the old program with the old library: $?"
build two
$CC -O1 -o new main.c -L. -lfoo -Wl,-rpath,"$dir" && $CC -O1 -fPIC -shared -o new_plug.so plug.c -L. -lfoo || fail "new"
# One that was linked for the version between.
sed 's/@@V3/@V3/; s/foo@V2/foo@@V2/' two.c > between.c && cp two.map between.map && build between
$CC -O1 -fPIC -shared -o between_plug.so plug.c -L. -lfoo || fail "between"
build two
proxygen --interpose foo.h --functions foo,only -o proxy > /dev/null 2>&1 || fail "proxygen"
for compiler in gcc "clang -fsyntax-only"; do
    $compiler -std=gnu11 -O2 -Wall -Wextra -Wpedantic -Wno-pedantic -Werror -Wshadow -fPIC -I"$root" -I. -c -o object.o proxy/foo_interpose.c || fail "$compiler"
done
grep -q 'interpose_real' proxy/foo_interpose.c || fail "which version is not asked"

try() { # CALLS-OF-foo PROGRAM WANTED [PLUG WANTED]...: alone, interposed, recorded
    local calls=$1
    shift
    "./$@" || { fail "$*: status $? alone"; return; }
    LD_PRELOAD=$dir/proxy/foo_interpose.so "./$@" || fail "$*: status $? without recording"
    rm -rf run.mm
    timeout 60 mastermind record --proxy proxy -o run.mm -- "./$@" 2> said || fail "$*: status $?: $(cat said)"
    [ "$(mastermind records run.mm | grep -c ',foo,')" = "$calls" ] || fail "$*: $(mastermind records run.mm | grep -c ',foo,') rows"
}
try 16 old 100 ./new_plug.so 300 ./between_plug.so 200
try 17 new 300 ./old_plug.so 100 ./between_plug.so 200
try 12 new 300 ./old_plug.so 100
try 22 new 300 ./old_plug.so 100 ./between_plug.so 200 ./new_plug.so 300
finish
