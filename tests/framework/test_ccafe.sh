#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The program ccafe: verbs, options, what it prints, exit statuses.
. "$(dirname "$0")/../lib/lib.sh"

# --- A script that uses the whole language --------------------------------------------------------
mkdir lib
cp "$components"/sc_source.so "$components"/sc_worker.so "$components"/sc_wide.so lib
cat >all.rc <<'EOF'
#!ccaffeine bootstrap file.
! an old comment
// another
path append $LIBRARY   # a trailing one
rep list
repository get-global ScWorker
instant ScWorker 'worker'
create ScSource source
pulldown ScSource
connect worker data source data
configure worker config nx 12
parameters worker config title "two  blanks, \"quotes\", # and \\ and $WHAT"
parameter worker config loud true
parameter worker config title
parameter worker config ALL
param source config value 7
source more.rc
go worker go
disconnect worker data source data
connect worker data ScSource0 data
run worker go
display arena
display c
remove ScSource0
display arena
bye 11
this is never read
EOF
cat >more.rc <<'EOF'
parameter worker config \
    ratio \
    0.25
EOF
run 11 ccafe -D LIBRARY=lib -DWHAT=dollars all.rc
quiet
cat >expected <<'EOF'
two  blanks, "quotes", # and \ and dollars
parameter worker config nx 12
parameter worker config ratio 0.5
parameter worker config loud true
parameter worker config title "two  blanks, \"quotes\", # and \\ and dollars"
parameter worker config fail no
worker: 7, nx 12, ratio 0.25, loud 1, title 'two  blanks, "quotes", # and \ and dollars'
worker: 42, nx 12, ratio 0.25, loud 1, title 'two  blanks, "quotes", # and \ and dollars'
instantiate ScWorker worker
instantiate ScSource source
instantiate ScSource ScSource0
connect worker data ScSource0 data
instantiate ScWorker worker
instantiate ScSource source
EOF
sed -n '/^two/,$p' out | diff expected - || fail "all.rc printed something else"
says "ScWorker                 prints what it is told"
LIBRARY=lib WHAT=x run 11 ccafe run all.rc # variables of the environment
quiet

# What is displayed is a script that makes the same assembly.
cat >state.rc <<'EOF'
instantiate ScWorker worker
instantiate ScSource source
connect worker data source data
parameter worker config title 'it''s $5 "now"'
parameter worker config title "it's \$5 \"now\""
display state
EOF
run 0 ccafe --path lib state.rc
mv out state2.rc
echo "display state" >>state2.rc
cp state2.rc first
run 0 ccafe --path lib state2.rc
diff out <(sed '$d' first) || fail "display state does not reproduce itself"
quiet

# check accepts it too, and counts; it prints nothing else and runs nothing
expect 0 "all.rc: no mistakes: 2 instances, 0 connections" ccafe check -D LIBRARY=lib -D WHAT=x all.rc
[ "$(wc -l <out)" = 1 ] || fail "check prints more than it should"
quiet

# --- Path ----------------------------------------------------------------------------------------
printf 'path set lib\npath prepend %s\npath\nquit\n' "$components" >path.rc
mkdir other
run 0 ccafe --path other path.rc
[ "$(head -n 3 out)" = "$(printf '%s\n' "$components" "$(realpath other)" "$(realpath lib)")" ] ||
    fail "path: --path does not stay first, or prepend and set do something else"
printf 'path init\npath list\n' >init.rc
CCA_COMPONENT_PATH=other:lib run 0 ccafe init.rc
[ "$(head -n 2 out)" = "$(printf '%s\n' "$(realpath other)" "$(realpath lib)")" ] || fail "path init"
run 3 ccafe init.rc
# The components that come with ccafe are last on the path and in $CCA_LIB.
if [ -d "$O/lib/mastermind" ]; then
    printf 'path set lib\npath\n' >last.rc
    run 0 ccafe last.rc
    [ "$(tail -n 1 out)" = "$(realpath "$O/lib/mastermind")" ] || fail "own components are not last"
    printf 'path append $CCA_LIB\n' >lib.rc
    run 0 ccafe lib.rc
    CCA_LIB=/nowhere run 3 ccafe lib.rc
    run 3 ccafe -D CCA_LIB=/nowhere lib.rc
fi

# --- A library that is damaged ------------------------------------------------------------------
mkdir cut
head -c 9000 lib/sc_worker.so >cut/ScWorker.so
printf 'instantiate ScWorker w\n' >cut.rc
run 3 ccafe --path cut cut.rc
complains "cut.rc:1: no class 'ScWorker' on the path; '$(realpath cut)/ScWorker.so': damaged: it ends before its section header table does"
run 3 ccafe check --path cut cut.rc
expect 3 "ccafe: 'cut/ScWorker.so': damaged: it ends before its section header table does" ccafe inspect cut/ScWorker.so
[ ! -s out ] || fail "inspect printed something about a damaged file"

# --- Signals -------------------------------------------------------------------------------------
cat >signal.rc <<'EOF'
instantiate ScWorker worker
instantiate ScSource source
connect worker data source data
parameter worker config fail signal
go worker go
EOF
if [ "$BUILD" != asan ] && [ "$BUILD" != tsan ]; then
    (exec ccafe --path lib signal.rc) >out 2>err
    [ $? = 139 ] || fail "a component's signal is not the program's"
    complains "signal.rc:5: killed in 'go' by signal 11"
fi

# --- A component that ends the program ------------------------------------------------------------
cat >Leaver.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
#include "framework/cca.h"

static void *leaver_create(const struct cca_class *cls, struct cca_error *err)
{
    (void)cls;
    (void)err;
    if (getenv("LEAVER_FORKS") && fork() == 0)
        exit(0);
    if (getenv("LEAVER_FORKS") && fork() == 0)
        _exit(0);
    (getenv("LEAVER_AT_ONCE") ? _exit : exit)(atoi(getenv("LEAVER_STATUS")));
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(int), .name = "Leaver", .create = leaver_create, .destroy = free};
EOF
mkdir leaver
if [ "$BUILD" != asan ] && [ "$BUILD" != tsan ]; then
    $CC -shared $(ccafe cflags) Leaver.c -o leaver/Leaver.so 2>err || fail "Leaver.c"
    printf 'path append leaver\ninstantiate Leaver l\nbad\n' >leave.rc
    LEAVER_STATUS=7 expect 7 "leave.rc:2: a component ended the program in 'instantiate' with status 7" ccafe leave.rc
    LEAVER_STATUS=0 expect 4 "leave.rc:2: a component ended the program in 'instantiate' with status 0" ccafe leave.rc
    LEAVER_AT_ONCE=1 LEAVER_STATUS=7 run 7 ccafe leave.rc
    complains "leave.rc:2: a component ended the program in 'instantiate' with status 7"
    LEAVER_AT_ONCE=1 LEAVER_STATUS=0 run 4 ccafe leave.rc
    complains "leave.rc:2: a component ended the program in 'instantiate' with status 0"
    LEAVER_FORKS=1 LEAVER_STATUS=7 run 7 ccafe leave.rc
    [ "$(wc -l <err)" = 1 ] || fail "a forked child that exits is reported"
fi

# --- Command line --------------------------------------------------------------------------------
run 0 ccafe </dev/null
run 0 ccafe run </dev/null
expect 2 "ccafe: check: no script given; - means standard input" ccafe check
run 2 ccafe --no-such-option all.rc
expect 2 "ccafe: 'more.rc': one script is enough, options come before it" ccafe all.rc more.rc
expect 2 "ccafe: -D '1=2': expected NAME=VALUE" ccafe -D 1=2 all.rc
run 2 ccafe -D NAME all.rc
run 2 ccafe --path nowhere all.rc
expect 2 "ccafe: inspect takes one CLASS or FILE.so, found 0 arguments" ccafe inspect
expect 2 "ccafe: unknown option '--nothing'; 'ccafe inspect -h' prints the help" ccafe inspect --nothing ScWorker
[ "$(wc -l <err)" = 1 ] || fail "a bad option of inspect is told in more than one line"
expect 2 "ccafe: '--path' needs a value" ccafe inspect --path
expect 2 "ccafe: '--measure' takes no value" ccafe --measure=3 all.rc
run 2 ccafe cflags now
run 5 ccafe none.rc
run 0 ccafe -h
grep -q '^usage: ccafe' out || fail "-h shows no usage"
quiet
cp out usage
for verb in '' run; do
    # shellcheck disable=SC2086
    run 0 ccafe help $verb
    diff usage out || fail "help $verb is not the usage"
done
grep '^  -' usage | grep -v '^  -[hV],' >options
run 0 ccafe help check
grep -q '^usage: ccafe check' out || fail "help check"
grep '^  -' out | diff options - || fail "help check has not the options of run"
run 0 ccafe help inspect
grep -q '^usage: ccafe inspect' out || fail "help inspect"
expect 2 "ccafe: unknown verb 'inspct'; did you mean 'inspect'?" ccafe help inspct
run 0 ccafe -V
grep -q '^ccafe [0-9]' out || fail "-V shows no version"
if [ -c /dev/full ]; then
    printf 'path\nparameter s config value\n' >print.rc
    ccafe -V >/dev/full 2>err
    [ $? = 5 ] || fail "a full disk is no success"
fi

# --- --experiment -------------------------------------------------------------------------------
printf 'display arena\n' >quiet.rc
mkdir full && touch full/x
expect 2 "ccafe: --experiment 'full' exists already and is not empty" ccafe --experiment full quiet.rc
expect 2 "ccafe: --experiment 'quiet.rc' exists already and is no directory" ccafe --experiment quiet.rc quiet.rc
run 5 ccafe --experiment no/such/place quiet.rc
mkdir empty
run 0 ccafe --experiment empty quiet.rc
run 0 ccafe --experiment new quiet.rc
[ "$(ls full)" = x ] || fail "the experiment that was there has been touched"

# --- --measure: an unchanged script; what has no proxy is named once -------------------------------
cat >measure.rc <<'EOF'
instantiate ScWorker worker
instantiate ScSource a
instantiate ScSource b
connect worker data a data
disconnect worker data a data
connect worker data b data
EOF
run 0 ccafe --measure --path lib measure.rc
[ "$(grep -o 'sc.DataPort/1' err | wc -l)" = 1 ] || fail "sc.DataPort/1 is not named once as unmeasured"
grep -qx "measure.rc: not measured, there is no proxy for .*; 'proxygen HEADER' makes one from the header of a port" err ||
    fail "unmeasured ports are not named"
expect 0 "measure.rc: no mistakes: 3 instances, 1 connection" ccafe check --measure --path lib measure.rc

# --- Standard files that are closed ---------------------------------------------------------------
grep -v fail signal.rc >goes.rc
ccafe --measure --experiment closed.mm --path lib goes.rc >&- 2>&- <&-
[ -s closed.mm/experiment.json ] || fail "no measurements where the standard files are closed"
grep -rqa '^experiment closed' closed.mm && fail "words went into a file of the experiment"

# --- inspect ---------------------------------------------------------------------------------------
run 0 ccafe inspect lib/sc_worker.so
quiet
sed -i 's/^build id .*/build id ID/; s/^file .*/file FILE/; /^ /d' out
cat >expected <<'EOF'
class     ScWorker  prints what it is told
file FILE
build id ID
provides  go        gov.cca.ports.GoPort/1  24 bytes
uses      data      sc.DataPort/1           24 bytes, required
uses      spare     sc.DataPort/1           24 bytes, optional, at most 3 connections
parameter nx        int                     = 4, 1 to 100: cells
parameter ratio     double                  = 0.5, at least 0
parameter loud      bool                    = false
parameter title     string                  = ''
parameter fail      string                  = no, one of no|number|words|hold|signal
EOF
diff expected out || fail "inspect"
run 0 ccafe inspect --path lib ScWide
sed -i 's/^build id .*/build id ID/; s/^file .*/file FILE/; /^ /d' out
cat >expected <<'EOF'
class     ScWide  a "port" that has grown
file FILE
build id ID
provides  data    sc.DataPort/1  32 bytes, at most 1 connection, no proxy
quality   error   0.25           sum over slots; make bench
quality   robust  3              min over slots
serves    sc.Nothing/1
ports     dynamic: there may be others while it runs
EOF
diff expected out || fail "inspect of a class by name"
for class in ScWide ScWorker ScSource; do
    run 0 ccafe inspect --json --path lib $class
    python3 -c '
import json, sys
d = json.load(open("out"))
assert d["schema"] == "ccafe/inspect/1" and d["class"] == sys.argv[1], d
if sys.argv[1] == "ScWide":
    assert d["summary"] == "a \"port\" that has grown", d
    assert d["quality"][0] == {"name": "error", "value": 0.25, "compose": "sum", "command": "make bench"}, d
    assert d["provides"][0]["size_bytes"] == 32 and d["dynamic_ports"] is True, d
if sys.argv[1] == "ScWorker":
    assert d["uses"][0]["min_connections"] == 1 and d["parameters"][0]["high"] == "100", d
    assert "unit" not in d["parameters"][0], d
' $class || fail "inspect --json $class"
done
# Methods come from the proxies that were built, with the marks of the header.
if [ -e "$O/lib/mastermind/flux_port_proxy.so" ] && [ -e "$O/lib/mastermind/EFMFlux.so" ]; then
    run 0 ccafe inspect EFMFlux
    grep -qx ' *compute(axis mode, .*Q = nx \* ny, last_active hint, iterations out)' out || fail "inspect shows no methods"
    run 0 ccafe inspect --json EFMFlux
    python3 -c '
import json
values = json.load(open("out"))["provides"][0]["methods"][0]["values"]
assert {"name": "Q", "kind": "param", "expression": "nx * ny"} in values, values
assert [v["kind"] for v in values if v["name"] in ("axis", "iterations")] == ["mode", "out"], values
' || fail "inspect --json shows no methods"
fi
# A proxy library shows its own table, wherever it lies.
if [ -e "$O/lib/mastermind/flux_port_proxy.so" ]; then
    mkdir elsewhere && cp "$O/lib/mastermind/flux_port_proxy.so" elsewhere/other_proxy.so
    mkdir -p bare/bin bare/lib && cp "$O/bin/ccafe" bare/bin && cp "$O/lib/libcca.so" bare/lib
    bare/bin/ccafe inspect elsewhere/other_proxy.so >out 2>err || fail "inspect of a proxy: $(cat err)"
    grep -qx ' *compute(axis mode, .*Q = nx \* ny, last_active hint, iterations out)' out || fail "a proxy shows no methods"
fi
expect 3 "ccafe: no class 'ScWorkr' on the path; did you mean 'ScWorker'?" ccafe inspect --path lib ScWorkr
run 3 ccafe inspect none.so
run 3 ccafe inspect /dev/null/x.so
run 3 ccafe inspect "$root/tests/framework/test_ccafe.sh"
run 3 ccafe inspect "$O/lib/libcca.so"

# An installed tree works from wherever it lies.
mkdir -p tree/bin tree/lib/mastermind tree/include/mastermind/framework
cp "$O/bin/ccafe" tree/bin
cp "$O/lib/libcca.so" tree/lib
cp lib/sc_source.so tree/lib/mastermind
cp "$root/framework/cca.h" tree/include/mastermind/framework
tree=$(realpath tree)
expect 0 "-I$tree/include/mastermind -fPIC -fvisibility=hidden -fexceptions" tree/bin/ccafe cflags
printf 'path\npath append $CCA_LIB\ninstantiate ScSource s\n' >installed.rc
expect 0 "$tree/lib/mastermind" tree/bin/ccafe installed.rc
case $O in
"$root"/*)
    expect 0 "-I$root -fPIC -fvisibility=hidden -fexceptions" ccafe cflags
    ;;
esac

# --- cflags, and libraries that were linked in other ways -----------------------------------------
cat >Tiny.c <<'EOF'
#include "framework/cca.h"
#include <stdlib.h>

CCA_EXPORT const struct cca_class cca_class;

static void *tiny_create(const struct cca_class *cls, struct cca_error *err)
{
    (void)err;
    return cls == &cca_class ? malloc(1) : NULL; /* NULL: this is another library's symbol */
}
static int tiny_set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    (void)self, (void)services, (void)err;
    return 0;
}
static const struct cca_param_decl params[] = {{.name = "n", .type = CCA_INT, .value = "1"}, {0}};
CCA_EXPORT const struct cca_class cca_class = {.abi = TINY_ABI, .size = sizeof(struct cca_class) + TINY_MORE,
    .name = "Tiny", .params = params, .create = tiny_create, .set_services = TINY_SET, .destroy = free};
EOF
printf 'repository get-global ScWorker\ninstantiate Tiny tiny\nparameter tiny config n\n' >tiny.rc
tiny() # FLAGS...: build it in a directory of its own
{
    rm -rf tiny && mkdir tiny
    # shellcheck disable=SC2046
    $CC -shared -std=gnu11 -DTINY_ABI=CCA_ABI -DTINY_MORE=0 -DTINY_SET=tiny_set_services \
        $(ccafe cflags) "$@" Tiny.c -o tiny/Tiny.so 2>err
}
tiny || fail "ccafe cflags does not compile a component"
[ "$(nm -D --defined-only tiny/Tiny.so | wc -l)" = 1 ] || fail "cflags: more than one symbol is exported"
if [ "$BUILD" != tsan ]; then
    for flags in "" -Wl,--build-id=none -Wl,--hash-style=sysv -Wl,-z,pack-relative-relocs "-O2 -s"; do
        # shellcheck disable=SC2086
        tiny $flags || { echo "$flags: not known to this linker"; continue; }
        run 0 ccafe --path tiny --path lib tiny.rc
        says 1
        run 0 ccafe inspect tiny/Tiny.so
        id=$(awk '/^build id/ { print $3 }' out)
        want=40
        [ "$flags" != -Wl,--build-id=none ] || want=16
        [ ${#id} = $want ] || fail "the build id of $flags is '$id'"
    done
fi
tiny -UTINY_ABI -DTINY_ABI=99
expect 3 "ccafe: 'tiny/Tiny.so': made for component ABI 99, this framework has 2" ccafe inspect tiny/Tiny.so
tiny -UTINY_MORE -DTINY_MORE=8
run 3 ccafe --path tiny --path lib tiny.rc
tiny -UTINY_SET -DTINY_SET=NULL
run 3 ccafe inspect tiny/Tiny.so
complains "ccafe: 'tiny/Tiny.so': damaged: its class descriptor's function 'set_services' is missing"

finish
