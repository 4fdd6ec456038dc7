#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A library is loaded by a child before it is loaded for the first time; a bad one is blocked.
. "$(dirname "$0")/../lib/lib.sh"
unset LD_PRELOAD
export XDG_CACHE_HOME=$dir/cache COUNT=$dir/count

# --- What is known, from a file that was made by hand: also such as no run leaves ---------------------
real=$(pwd -P)
mkdir hand
echo one >hand/one.so
echo two >hand/two.so
key() # FILE: size and time of change
{
    stat -c '%s %.9Y' "$1" | tr -d .
}
{
    echo "good $(key hand/one.so) 0a $real/hand/one.so"
    printf 'bad %s 0b %s\tfirst reason\n' "$(key hand/two.so)" "$real/hand/two.so"
    printf 'bad %s 0b %s\tloading it \001ended\n' "$(key hand/two.so)" "$real/hand/two.so"
    echo "good 1 2 0c $real/hand/one.so" # another build of it, long gone
    echo "good 1 2 0d $real/hand/gone one.so"
    printf 'bad 1 2 0e relative.so\treason\nbad 1 2 0f /without/reason.so\ngood 1 2 /too/few.so\n\nnonsense\n'
    printf 'good 7 7 77 /cut'
} >hand/libraries
cp hand/libraries kept
run 0 ccafe inspect --cache=hand
printf '%s\n' "gone     /cut" "gone     $real/hand/gone one.so" "good     $real/hand/one.so" \
    "blocked  $real/hand/two.so: loading it ?ended" | diff - out || fail "the list of a file made by hand"
run 0 ccafe inspect --cache=hand --json
python3 -c 'import json; d = json.load(open("out"))["libraries"]; assert [x["state"] for x in d] == ["gone", "gone", "good", "blocked"] and d[2]["build_id"] == "0a", d' ||
    fail "the same as JSON"
run 0 ccafe inspect --cache=hand --forget "hand/two.so"
grep -q two hand/libraries && fail "not every line on a library is forgotten"
grep -v two kept | diff - <(sed '$!b' hand/libraries) || fail "other lines are not kept"
run 0 ccafe inspect --cache=hand --forget "$real/hand/gone one.so"
run 1 ccafe inspect --cache=hand --forget "$real/hand/gone"
for length in $(seq 0 13 "$(wc -c <kept)"); do
    head -c "$length" kept >hand/libraries
    run 0 ccafe inspect --cache=hand
done
head -c 100000 /dev/urandom >hand/libraries
run 0 ccafe inspect --cache=hand
run 1 ccafe inspect --cache=hand --forget hand/one.so
rm hand/libraries
run 0 ccafe inspect --cache=hand
[ ! -s out ] || fail "a list without a file"

[ $failures = 0 ] || finish
skip_sanitized "a sanitizer reports what libraries do"
cat >load.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "framework/cca.h"

/* Each loading is counted; then what is to happen happens. */
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

static void *load_create(const struct cca_class *cls, struct cca_error *err)
{
    (void)cls;
    (void)err;
    return malloc(1);
}

static int load_set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    (void)self;
    (void)services;
    (void)err;
    return 0;
}

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI, .size = sizeof(struct cca_class), .name = "Load",
    .create = load_create, .set_services = load_set_services, .destroy = free,
};
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

# --- A good one is tried once ----------------------------------------------------------------------
make_load '(void)0'
run 0 ccafe --path lib load.rc
counted 2 "the first run"
[ "$(grep -c 'words of a constructor' out)" = 1 ] || fail "what a child prints is heard"
run 0 ccafe --path lib load.rc
counted 3 "the second run"
run 0 ccafe check --path lib load.rc
counted 3 "check"
grep -q "^good [0-9]* [0-9]* [0-9a-f]* $(pwd -P)/lib/Load.so\$" cache/mastermind/libraries ||
    fail "a good library is not remembered"

# --- A bad one is blocked, with its reason, until it is another ------------------------------------
make_load '*(volatile int *)0 = 1'
for times in 1 1; do
    run 4 ccafe --path lib load.rc
    grep -qx "load.rc:1: class 'Load' is blocked: loading it ended in signal 11; '$(pwd -P)/lib/Load.so' is tried again once it has changed" err ||
        fail "the reason is not told"
    counted $times "a library that crashes"
done
run 0 ccafe inspect --path lib Load
grep -qx 'blocked   loading it ended in signal 11' out || fail "inspect does not tell the reason"
run 0 ccafe inspect --json --path lib Load
python3 -c 'import json; assert json.load(open("out"))["blocked"] == "loading it ended in signal 11"' ||
    fail "the JSON of inspect does not tell the reason"
make_load '_exit(3)'
run 4 ccafe --path lib load.rc
grep -qF "is blocked: loading it ended the program with status 3; " err || fail "a library that exits"
make_load 'for (;;) pause()'
run 4 ccafe --path lib load.rc
grep -qF "is blocked: loading it took more than 5 s; " err || fail "a library that hangs"
if [ -n "${SOAK-}" ]; then # five seconds of a core
    make_load 'for (;;) puts("")'
    run 4 ccafe --path lib load.rc
    grep -qF "is blocked: loading it took more than 5 s; " err || fail "a library that spins"
fi
# What it leaves behind is no reason: the child itself has ended well.
make_load 'if (fork() == 0) { for (int i = 0; i < 8; i++) sleep(1); _exit(0); }'
run 0 ccafe --path lib load.rc
counted 2 "a library that leaves a process"
make_load '(void)0'
run 0 ccafe --path lib load.rc
counted 2 "a library that was mended"
run 0 ccafe inspect --path lib Load
grep -q '^blocked' out && fail "inspect blocks what was mended"

# --- What is known is shown, and can be forgotten -----------------------------------------------------
make_load '_exit(3)'
run 4 ccafe --path lib load.rc
run 0 ccafe inspect --cache
[ "$(cat out)" = "blocked  $real/lib/Load.so: loading it ended the program with status 3" ] ||
    fail "the list of what is blocked"
run 0 ccafe inspect --json --cache
python3 - "$real/lib/Load.so" <<'END' || fail "the list in JSON"
import json, sys
d = json.load(open("out"))
assert d["schema"] == "ccafe/libraries/1" and d["cache"].endswith("/cache/mastermind/libraries"), d
(one,) = d["libraries"]
assert one["state"] == "blocked" and one["file"] == sys.argv[1], one
assert one["reason"] == "loading it ended the program with status 3" and len(one["build_id"]) == 40, one
END
run 0 ccafe inspect --forget --path lib Load
[ "$(cat out)" = "forgotten $real/lib/Load.so" ] || fail "what is said of forgetting"
run 0 ccafe inspect --cache
[ ! -s out ] || fail "it is not forgotten"
run 1 ccafe inspect --forget lib/Load.so
grep -qx "not known: $real/lib/Load.so" out || fail "what was not known is forgotten"
run 3 ccafe inspect --forget --path lib Lod
: >count
run 4 ccafe --path lib load.rc
counted 1 "a library that was forgotten"
touch lib/Load.so
run 0 ccafe inspect --cache
[ "$(cat out)" = "changed  $real/lib/Load.so" ] || fail "a library that has changed"
mv lib/Load.so away.so
run 0 ccafe inspect --cache
[ "$(cat out)" = "gone     $real/lib/Load.so" ] || fail "a library that is gone"
run 0 ccafe inspect --forget "$real/lib/Load.so"
mv away.so lib/Load.so
run 2 ccafe inspect --cache=other extra words
HOME=/dev/null XDG_CACHE_HOME=/dev/null run 5 ccafe inspect --cache

# --- Several at once: one tries it, the others wait for what comes of it ----------------------------
make_load '(void)0'
for i in 1 2 3 4; do
    ccafe --path lib load.rc >"out$i" 2>&1 &
done
wait
counted 5 "four at once"

# --- With threads the child is no copy ---------------------------------------------------------------
make_load '(void)2'
run 0 ccafe --deadline 100 --path lib load.rc
counted 2 "with a thread"
make_load '*(volatile int *)0 = 2'
run 4 ccafe --deadline 100 --path lib load.rc
grep -qF "is blocked: loading it ended in signal 11; " err || fail "a library that crashes a thread's child"
counted 1 "a library that crashes, with a thread"

# --- On ranks the first of a machine tries it -----------------------------------------------------------
for flavour in openmpi mpich; do
    [ -e "$O/lib/libcca_$flavour.so" ] && command -v mpirun.$flavour >/dev/null || continue
    make_load '(void)0'
    run 0 "$root/tests/lib/mpirun.sh" $flavour 3 ccafe --path lib load.rc
    counted 4 "three ranks of $flavour"
    make_load '*(volatile int *)0 = 1'
    run 4 "$root/tests/lib/mpirun.sh" $flavour 3 ccafe --path lib load.rc
    counted 1 "three ranks of $flavour and a library that crashes"
    [ "$(grep -c 'load.rc:1: class .Load. is blocked: loading it ended in signal 11' err)" = 1 ] ||
        fail "the reason on ranks of $flavour"
done

# --- What is loaded is what was read --------------------------------------------------------------------
make_load '(void)3'
cp lib/Load.so other.so
make_load 'if (!access("other.so", F_OK) && getenv("SWAP")) rename("other.so", getenv("SWAP"))'
cp lib/Load.so kept.so
SWAP=lib/Load.so XDG_CACHE_HOME=/dev/null HOME=/dev/null run 4 ccafe --path lib load.rc
grep -qx "load.rc:1: '$real/lib/Load.so' has changed while it was loaded" err ||
    fail "a library that another one takes the place of while it is loaded"
# In the child's turn, too: it was read before.
cp kept.so other.so && mv kept.so lib/Load.so && : >count
SWAP=lib/Load.so run 4 ccafe --path lib load.rc
grep -qx "load.rc:1: '$real/lib/Load.so' has changed while it was loaded" err ||
    fail "a library that another one takes the place of while it is tried"

# --- Without a place to remember nothing is tried; another place may be named ----------------------
make_load '(void)1'
XDG_CACHE_HOME=/dev/null run 0 ccafe --path lib load.rc
counted 1 "without a cache"
mkdir other
run 0 ccafe --cache other --path lib load.rc
counted 3 "with another cache"
grep -q ^good other/libraries || fail "--cache is not used"
# A damaged file is as none.
head -c 1000 /dev/urandom >other/libraries
run 0 ccafe --cache other --path lib load.rc
counted 5 "with a damaged cache"
# What cannot be loaded for want of another library is not blocked: that one may come.
make_load 'extern int nowhere(void); nowhere()'
run 4 ccafe --path lib load.rc
grep -q 'undefined symbol' err || fail "the words of the dynamic linker"
grep -q blocked err && fail "a library that lacks another is blocked"
finish
