#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A child process loads a library first; a library that ends the child is refused.
# lane: waits
. "$(dirname "$0")/../lib/lib.sh"
unset LD_PRELOAD
export COUNT=$dir/count
skip_sanitized "a sanitizer reports what libraries do"
cat >load.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "framework/cca.h"

/* Count each loading, then act. */
__attribute__((constructor)) static void loaded(void)
{
    int fd = open(getenv("COUNT"), O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (fd < 0 || write(fd, ".", 1) != 1)
        abort();
    close(fd);
    puts("words of a constructor");
    fflush(stdout);
    ACT;
}

CCA_EXPORT const struct cca_class cca_class = {CCA_CLASS_WITHOUT_SERVICES(char), .name = "Load"};
END
mkdir lib
make_load() # WHAT IT DOES
{
    # shellcheck disable=SC2046
    $CC -shared -fPIC $(ccafe cflags) "-DACT=$1" -Wl,--build-id=sha1 load.c -o new.so 2>err ||
        fail "load.c"
    mv new.so lib/Load.so
    : >count
}
counted() # TIMES WHAT
{
    [ "$(wc -c <count)" = "$1" ] || fail "$2: loaded $(wc -c <count) times, expected $1"
}
echo 'instantiate Load l' >load.rc

# --- A good one is loaded by the child and by ccafe --------------------------------------------------
make_load '(void)0'
run 0 ccafe --path lib load.rc
counted 2 "a run"
[ "$(grep -c 'words of a constructor' out)" = 1 ] || fail "what a child prints is heard"
run 0 ccafe check --path lib load.rc
counted 2 "check"

# --- A bad one is refused, with its reason ------------------------------------------------------------
make_load '*(volatile int *)0 = 1'
run 4 ccafe --path lib load.rc
complains "load.rc:1: class 'Load' is refused: a child process that loaded it ended in signal 11: '$dir/lib/Load.so'"
counted 1 "a library that crashes"
run 4 ccafe --deadline 100 --path lib load.rc
counted 2 "a library that crashes, with a thread"
make_load '_exit(3)'
expect 4 "loaded it exited with status 3: '" ccafe --path lib load.rc
make_load 'for (;;) pause()'
expect 4 "loaded it took more than 10 s: '" ccafe --path lib load.rc
# A process that the library leaves behind is no reason: the child itself has ended well.
make_load 'if (fork() == 0) { alarm(20); pause(); }'
run 0 ccafe --path lib load.rc
counted 2 "a library that leaves a process"
# A library that the dynamic linker refuses gets the linker's reason.
make_load 'extern int nowhere(void); nowhere()'
expect 4 "undefined symbol" ccafe --path lib load.rc
# ccafe's own components are not tried.
make_load '*(volatile int *)0 = 1'
mkdir -p own/bin own/lib/mastermind
cp "$O/bin/ccafe" own/bin
cp "$O/lib/libcca.so" own/lib
cp lib/Load.so own/lib/mastermind
run 139 own/bin/ccafe load.rc
counted 1 "a component of ccafe's own"

# --- On ranks each tries it ------------------------------------------------------------------------------
for flavour in openmpi mpich; do
    [ -e "$O/lib/libcca_$flavour.so" ] && command -v mpirun.$flavour >/dev/null || continue
    make_load '(void)0'
    run 0 "$root/tests/lib/mpirun.sh" $flavour 3 ccafe --path lib load.rc
    counted 6 "three ranks of $flavour"
    make_load '*(volatile int *)0 = 1'
    run 4 "$root/tests/lib/mpirun.sh" $flavour 3 ccafe --path lib load.rc
    [ "$(grep -c 'load.rc:1: class .Load. is refused: .* ended in signal 11' err)" = 1 ] ||
        fail "the reason on ranks of $flavour"
done

# --- The library that is loaded is the one that was read ----------------------------------------------
make_load '(void)3'
cp lib/Load.so other.so
make_load 'if (!access("other.so", F_OK) && getenv("SWAP")) rename("other.so", getenv("SWAP"))'
SWAP=lib/Load.so run 4 ccafe --path lib load.rc
complains "load.rc:1: '$dir/lib/Load.so' has changed while it was loaded"
finish
