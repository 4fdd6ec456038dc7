#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tables of functions in headers that nobody here wrote: generated, compiled for C and C++, called,
# recorded, and compared with what was called.
. "$(dirname "$0")/../lib/lib.sh"
compile_quickly
data=$root/tests/data/tables
needs_preload
strict="-Wall -Wextra -Werror -Wshadow -Wmissing-prototypes -Wwrite-strings"
cc="$CC -O2 -fexceptions -frounding-math -pthread -I$root -I$data -I."

# --- An awkward interface: what arrives and comes back, and one row of each call
expect 0 "wrap  (*out)->ops    # leaves a plug_ops there" proxygen --table plug_ops -I "$data" "$data/plug.h" -o proposed
expect 0 "not seen: calls of sum, variadic" proxygen --table plug_ops "$data/plug.h" --suggest
expect 0 "" proxygen --table plug_ops --sidecar "$data/plug.perf" -I "$data" "$data/plug.h"
[ "$(ls plug_tables.* | tr '\n' ' ')" = "plug_tables.c plug_tables.h " ] || fail "files: $(ls)"
for compiler in gcc "clang -fsyntax-only"; do
    for file in plug_tables.c proposed/plug_tables.c; do
        for standard in gnu11; do
            $compiler -std=$standard -O2 $strict -fPIC -I"$root" -I"$data" -c -o object.o $file ||
                fail "$compiler -std=$standard $file"
        done
    done
done
printf '#include "plug_tables.h"\nint main() { return plug_ops_wrap(nullptr, "x") != nullptr; }\n' > use.cc
for compiler in g++ clang++; do
    $compiler -std=c++17 -Wall -Wextra -Werror -I"$data" -I. -c -o object.o use.cc || fail "$compiler"
done
$cc -o plug_calls "$data/plug_calls.c" plug_tables.c -lm || fail "plug_calls"
expect 0 "fail 2000" ./plug_calls 2000
for storage in rows sample:3 reservoir:10 aggregates auto:100; do
    rm -rf some.mm
    expect 0 "fail 5000" mastermind record --storage $storage -o some.mm -- ./plug_calls 5000
done
timeout 60 mastermind record --storage rows -o plug.mm -- ./plug_calls > called 2> said || fail "plug: $(cat said)"
grep -q 'more than 8 tables: those that follow are not recorded' said || fail "said $(cat said)"
grep -q "0 calls through plug_ops 'plug' seen" said || fail "said $(cat said)"
mastermind records plug.mm > rows.csv || fail "records"
python3 - called rows.csv << 'END' || fail "rows are not the calls"
import collections, csv, sys
truth = {name: int(count) for name, count in (line.split() for line in open(sys.argv[1]))}
rows = list(csv.DictReader(open(sys.argv[2])))
found = collections.Counter(r["method"] for r in rows)
truth.pop("step")  # unmeasured
assert found == truth, (found, truth)
whole = {(r["instance"], r["port"], r["class"]) for r in rows}
assert whole == {("plug", "plug_ops", "plug_calls")}, whole
of = lambda name: [r for r in rows if r["method"] == name]
assert sorted((r["p.n"], r["p.limit"], r["o.result"]) for r in of("twice")) == [("4", "5", "13"), ("5", "100", "110")]
assert [r["p.number"] for r in of("fail")] == [str(i) for i in range(1, 30001)]
assert all(int(r["o.result"]) == -int(r["p.number"]) for r in of("fail"))
assert all(abs(float(r["p.half"]) - int(r["p.number"]) / 3) < 1e-9 for r in of("fail"))
assert [(float(r["p.x"]), r["p.flip"], float(r["o.y"])) for r in of("move")] == [(1, "1", 1)]
assert {r["p.last"] for r in of("anonymous")} == {"4"}  # letters of "four"
assert {r["status"] for r in rows} == {"done"}
END
expect 0 "plug.plug_ops.fail" mastermind report plug.mm
expect 0 "plug.plug_ops.fail" mastermind model plug.mm

# --- What is wrapped is read from a program without running it, also where it shows no symbols
cp plug_calls stripped && strip stripped || fail "strip"
expect 0 "table     plug_ops" ccafe inspect ./stripped
expect 0 "function  twice(n, limit = self->limit, result out)" ccafe inspect ./stripped
ccafe inspect --json ./stripped | python3 -c 'import json, sys
d = json.load(sys.stdin)
table, = d["tables"]
assert table["type"] == "plug_ops" and len(d["build_id"]) == 40, d
assert [m["name"] for m in table["methods"]][:3] == ["twice", "limited", "step"], table
assert [v["kind"] for v in table["methods"][0]["values"]] == ["param", "param", "out"], table' || fail "inspect --json"
python3 - stripped "${SOAK:-}" << 'END' || fail "a damaged program"
import random, subprocess, sys
whole, random.seed = open(sys.argv[1], "rb").read(), random.seed(11)
at = whole.index(b"Mastermind\0")
for i in range(4000 if sys.argv[2] else 50):
    data = bytearray(whole)
    if i % 5 == 4:
        del data[random.randrange(len(data)):]
    for _ in range(random.randrange(1, 4)):
        where = random.choice((at - 12 + random.randrange(40), random.randrange(4096), random.randrange(len(whole))))
        if where < len(data):
            data[where] ^= 1 << random.randrange(8)
    open("damaged", "wb").write(data)
    run = subprocess.run(["ccafe", "inspect", "./damaged"], capture_output=True, timeout=20)
    assert run.returncode in (0, 3, 5), (i, run.returncode, run.stderr)
    assert run.returncode == 0 or run.stderr.count(b"\n") == 1, (i, run.stderr)
END

# --- Tables share what they remember, and are asked for numbers themselves
mkdir boxes && cd boxes || exit 1
cat > box.h << 'END'
struct box_ops {
    int version;
    int (*make)(struct box_ops *self, int id, int rows, int columns);
    int (*size)(const struct box_ops *self, int id, long *rows, long *columns);
    double (*weight)(int id);
    int (*use)(struct box_ops *self, int id);
    void (*end)(int id);
    long (*newer)(int id);
};
struct reader_ops {
    int (*read)(int id, int count);
    int (*other)(int id);
};
END
# A part may recall what a later one remembers, and says to be a floating number.
cat > box.perf << 'END'
header box.h
table reader_ops
function read
    param work = count * recall cells on id
    param heavy = recall weight on id
table box_ops
    version version
function make
    unmeasured
    get r, c via size(self, return, &r, &c) if return == 1 after
    get w via weight(return) after
    remember r * c as cells on return
    remember w as weight on return
function use
    get r, c via size(self, id, &r, &c) if return == 1
    get w via weight(id) after
    get extra via newer(id)
    param n = r * c
    param extra
    out   w
    out   result = return
function end
    forget id
function newer
    since 2
END
cat > boxes.c << 'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "box_tables.h"
static int rows[9], columns[9];
static const struct box_ops *expected[3];
static int is_own(const struct box_ops *self)
{
    return self == expected[0] || self == expected[1];
}
static int make(struct box_ops *self, int id, int r, int c)
{
    rows[id] = r;
    columns[id] = c;
    return is_own(self) ? id : -1;
}
static int size(const struct box_ops *self, int id, long *r, long *c)
{
    errno = 99;
    *r = rows[id];
    *c = columns[id];
    return is_own(self) ? (id != 5) : -7;
}
static double weight(int id) { return id / 8.0; }
static int use(struct box_ops *self, int id) { return is_own(self) ? ++rows[id] : -1; }
static void end(int id) { (void)id; }
static long newer(int id) { return 1000 + id; }
static int read_some(int id, int count) { return id + count; }
int main(void)
{
    struct box_ops two = {2, make, size, weight, use, end, newer}, one = {1, make, size, weight, use, end, newer};
    struct reader_ops readers = {read_some, NULL};
    struct box_ops *outer, *old;
    struct reader_ops *reader = reader_ops_wrap(&readers, "r");
    memset(&one.newer, 0x55, sizeof one.newer); /* what is not there is not called */
    expected[0] = &two;
    expected[1] = &one;
    outer = box_ops_wrap(&two, "two");
    old = box_ops_wrap(&one, "one");
    for (int id = 1; id < 6; id++)
        if (outer->make(outer, id, id, 10) != id)
            return 1;
    for (int id = 1; id < 6; id++) {
        errno = 3;
        if (outer->use(outer, id) != id + 1 || errno != 3 || old->use(old, id) != id + 2 || reader->read(id, 3) != id + 3)
            return 2;
    }
    outer->end(2);
    return reader->read(2, 3) != 5 || reader->other;
}
END
expect 0 "" proxygen --table box_ops,reader_ops --sidecar box.perf box.h
for compiler in gcc "clang -fsyntax-only"; do
    $compiler -std=gnu11 -O2 $strict -fPIC -I"$root" -c -o object.o box_tables.c || fail "box: $compiler"
done
$cc -o boxes boxes.c box_tables.c || fail "boxes"
expect 0 "" ./boxes
expect 0 "" mastermind record -o box.mm -- ./boxes
mastermind records box.mm > rows.csv || fail "records of boxes"
ccafe inspect ./boxes | grep -c '^table' | grep -q 2 || fail "$(ccafe inspect ./boxes)"
python3 - rows.csv << 'END' || fail "rows of boxes"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
of = lambda method, instance: [r for r in rows if r["method"] == method and r["instance"] == instance]
use = lambda i: [(r["p.n"], r["p.extra"], r["o.w"], r["o.result"]) for r in of("use", i)]
# What is got counts where it says so, box 5 does not; the older table has no such member.
n = lambda id, more: str((id + more) * 10) if id != 5 else ""
assert use("two") == [(n(i, 0), str(1000 + i), str(i / 8), str(i + 1)) if i % 8 else 0 for i in range(1, 6)], use("two")
assert use("one") == [(n(i, 1), "", str(i / 8), str(i + 2)) for i in range(1, 6)], use("one")
reads = [(r["p.work"], r["p.heavy"]) for r in of("read", "r")]
assert reads == [(str(3 * i * 10) if i != 5 else "", str(i / 8)) for i in range(1, 6)] + [("", "")], reads
assert not of("make", "two") and not [r for r in rows if r["method"] in ("size", "weight", "newer")]
END
cd .. || exit 1

# --- Exceptions
expect 0 "" proxygen --table thrower -I "$data" "$data/thrower.h"
$cc -c thrower_tables.c && ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -I"$data" -I. -o thrower "$data/thrower.cc" \
    thrower_tables.o || fail "thrower"
expect 0 "5 70" ./thrower
expect 0 "5 70" mastermind record -o thrower.mm -- ./thrower
[ "$(mastermind records thrower.mm | grep -c unwound)" = 5 ] || fail "unwound calls"

# --- SQLite: bytes of the rows are those that the kernel was asked for
awk '/^`vfs.perf`:$/ { on = 1; next } on && /^```/ { on++; next } on == 2' "$root/docs/reference/marks.md" > vfs.perf
expect 0 "" proxygen --table sqlite3_vfs,sqlite3_io_methods --sidecar vfs.perf /usr/include/sqlite3.h
$cc $strict -o vfs_calls "$data/vfs_calls.c" sqlite3_tables.c -lsqlite3 || fail "vfs_calls"
timeout 60 mastermind record --storage rows -o vfs.mm -- ./vfs_calls a.db > truth 2> said || fail "vfs: $(cat said)"
mastermind records vfs.mm > rows.csv || fail "records"
python3 - truth rows.csv << 'END' || fail "bytes are not those of the vfs"
import csv, sys
truth = {name: int(count) for name, count in (line.split() for line in open(sys.argv[1]))}
rows = [r for r in csv.DictReader(open(sys.argv[2])) if r["port"] == "sqlite3_io_methods"]
total = lambda name: sum(int(r["p.iAmt"]) for r in rows if r["method"] == name and r["o.result"] in ("", "0"))
assert {r["instance"] for r in rows} == {"disk_one"} and {r["class"] for r in rows} == {"libsqlite3.so.0"}
assert truth["written"] > 600000 and total("xWrite") == truth["written"], (total("xWrite"), truth)
assert truth["read"] > 600000 and abs(total("xRead") - truth["read"]) <= 100, (total("xRead"), truth)
END
expect 0 "" ./vfs_calls b.db

# --- Hundreds of members
expect 0 "table sqlite3_api_routines" proxygen --table sqlite3_api_routines,sqlite3_module,sqlite3_mem_methods \
    /usr/include/sqlite3ext.h
gcc -std=gnu11 -O0 $([ -n "${SOAK-}" ] || echo -fsyntax-only) $strict -fPIC -I"$root" -I. -c -o object.o sqlite3ext_tables.c || fail "sqlite3ext_tables.c"

# --- Sidecars that were damaged: an answer or one line
python3 - "$data" "${SOAK:-}" << 'END' || fail "a damaged sidecar"
import random, subprocess, sys
random.seed(3)
base = open(sys.argv[1] + "/plug.perf").read()
words = ["wrap", "since", "version", "table", "function", "header", "->", "(*", "return", "#", "\n", "\0", "9" * 30, "é", "'"]
for i in range(3000 if sys.argv[2] else 15):
    text = list(base)
    for _ in range(random.randrange(1, 6)):
        at, what = random.randrange(len(text)), random.random()
        if what < .4:
            del text[at:at + random.randrange(1, 20)]
        elif what < .8:
            text[at:at] = random.choice(words)
        else:
            text[at] = chr(random.randrange(1, 256))
    open("m.perf", "w").write("".join(text))
    run = subprocess.run(["proxygen", "--table", "plug_ops", "--sidecar", "m.perf", sys.argv[1] + "/plug.h", "-o", "m"],
                         capture_output=True)
    assert run.returncode in (0, 3), (i, run)
    assert run.returncode == 0 or run.stderr.count(b"\n") == 1, (i, run.stderr)
END

# --- What cannot be
refuse() { # SIDECAR_LINES WORDS
    printf "$1" > bad.perf
    expect 3 "$2" proxygen --table plug_ops -I "$data" "$data/plug.h" --sidecar bad.perf -o refused
}
refuse '' "bad.perf:1:1: error: found no header, expected 'header plug.h'"
refuse 'header x.h\n' "bad.perf:1:1: error: found header x.h, expected 'header plug.h'"
refuse 'header plug.h\n' "no 'table NAME' in the sidecar"
refuse 'header plug.h\ntable plug_op\n' "bad.perf:2:7: error: 'plug_op' is no table of --table"
refuse 'header plug.h\ntable plug_ops\ntable plug_ops\n' "bad.perf:3:7: error: table 'plug_ops' occurs twice"
refuse 'header plug.h\ntable plug_ops\n  version vers\n' "bad.perf:3:11: error: 'vers' is no member"
refuse 'header plug.h\ntable plug_ops\nfunction later\n  since 2\n' "'since' needs a line 'version MEMBER'"
refuse 'header plug.h\ntable plug_ops\n version version\nfunction later\n  since x\n' "bad.perf:5:9: error: found 'x'"
refuse 'header plug.h\ntable plug_ops\n  wrap return\n' "'wrap' comes after 'function' and a name"
refuse 'header plug.h\nwrap return\ntable plug_ops\n' "bad.perf:2:6: error: 'wrap' comes after 'table NAME'"
refuse 'header plug.h\ntable plug_ops\nfunction open\n  wrap out->ops\n' "known: '(*out)->ops'"
refuse 'header plug.h\ntable plug_ops\nfunction opened\n' "did you mean 'open'?"
refuse 'header plug.h\ntable plug_ops\nfunction later\n  get m via twise(NULL, n)\n' "bad.perf:4:13: error: 'twise' is no function of 'plug_ops'; did you mean 'twice'?"
refuse 'header plug.h\ntable plug_ops\nfunction later\n  param m = recall size on n\n' "bad.perf:4:20: error: 'size' is recalled, and no line remembers it"
refuse 'header plug.h\ntable plug_ops\nfunction twice\n  param m\n' "bad.perf:4:9: error: 'm' is no argument of 'twice'"
expect 3 "no struct 'plug_opt' in the header; did you mean 'plug_ops'?" proxygen --table plug_opt "$data/plug.h" -o refused
expect 3 "'number' is no struct whose members are known" proxygen --table number "$data/plug.h" -o refused
expect 3 "'point' has no function pointers" proxygen --table point "$data/plug.h" -o refused
expect 3 "is requested twice" proxygen --table plug_ops,plug_ops "$data/plug.h" -o refused
for name in '' ',' 'a b' '"; x' '../x' "$(head -c 5000 /dev/zero | tr '\0' a)"; do
    expect 3 "--table takes names of structs" proxygen --table "$name" "$data/plug.h" -o refused
done
printf 'struct t { int (*f)(struct t *self, ...); };\n' > own.h
expect 3 "'f' cannot be forwarded: it is variadic" proxygen --table t own.h -o refused
expect 2 "--interpose or --table" proxygen --table t --interpose --functions f own.h
expect 5 "cannot write" proxygen --table thrower -o /dev/null/x "$data/thrower.h"
[ -e refused ] && fail "something was left behind"

finish
