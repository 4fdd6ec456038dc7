#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Stacks of samples: who called a function, and the time of functions with all that they call, beside the times that
# the program itself measures.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "sanitizers change where the time goes"
[ "$(uname -m)" = x86_64 ] && [ -e /usr/include/elfutils/libdw.h ] || skip "no stacks are taken here"
rounds=${SOAK:+1500}
: "${rounds:=500}"

# --- Two callers of one function, two of a function of the C library, recursion of one function and of two
cat > calls.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
static volatile double sink;
static char from[1 << 19], to[1 << 19];
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static NOINLINE void leaf(int n)
{
    double s = 1;
    for (int i = 0; i < n; i++)
        s = s * .999 + 1. / (s + i);
    sink = s;
}
static NOINLINE void often(void) { leaf(70000); sink += 1; }
static NOINLINE void seldom(void) { leaf(30000); sink += 1; }
static NOINLINE void copy(int n) { for (int i = 0; i < n; i++) { memcpy(to, from, sizeof to); sink += to[5]; } }
static NOINLINE void copy_much(void) { copy(7); sink += 1; }
static NOINLINE void copy_little(void) { copy(3); sink += 1; }
static NOINLINE void odd(int n);
static NOINLINE void even(int n) { if (n) odd(n - 1); else leaf(15000); sink += 1; }
static NOINLINE void odd(int n) { if (n) even(n - 1); else leaf(15000); sink += 1; }
static NOINLINE int tower(int n) { int r = n ? tower(n - 1) : (leaf(15000), 0); sink += r; return r + 1; }
static NOINLINE double wide(int n) { volatile char room[40000]; room[n] = 1; leaf(15000); return room[n]; }
int main(int argc, char **argv)
{
    struct { const char *name; double spent; } parts[] = {
        {"often", 0}, {"seldom", 0}, {"copy_much", 0}, {"copy_little", 0}, {"even", 0}, {"tower", 0}, {"wide", 0}};
    for (int i = 0; i < atoi(argv[argc - 1]); i++) {
        double t[8];
        t[0] = now(); often();
        t[1] = now(); seldom();
        t[2] = now(); copy_much();
        t[3] = now(); copy_little();
        t[4] = now(); even(9);
        t[5] = now(); tower(9);
        t[6] = now(); wide(5);
        t[7] = now();
        for (int k = 0; k < 7; k++)
            parts[k].spent += t[k + 1] - t[k];
    }
    for (int k = 0; k < 7; k++)
        printf("%s %g\n", parts[k].name, parts[k].spent);
    return 0;
}
C
cat > check.py <<'P'
import re, sys
alone = {name: float(value) for name, value in (line.split() for line in open("out"))}
text = open("err").read()
whole = sum(alone.values())
rows = {}
for line in text.split(" %incl   +-  %self")[0].splitlines():
    m = re.match(r"^ +([\d.]+)(?: +([\d.]+))? +([\d.,]+) +([\d.]+)    (\S+)(?:  +(.*))?$", line)
    if m:
        rows[m[5]] = (float(m[4]), m[6] or "")
stacks = int(re.search(r"^([\d,]+) stacks; .*\+- at most ([\d.]+) points", text, re.M)[1].replace(",", ""))
def near(share, true, of):
    # four standard deviations of a share of `of` stacks, and what the host adds
    return abs(share - true) < 4 * (true * (1 - true) / of) ** .5 + .03
for name, spent in alone.items():
    if name == "wide":
        continue
    if name not in rows: # lines are for a share of 5 % and more, by stacks
        assert spent / whole < .12, (name, rows, text)
        continue
    assert near(rows[name][0] / 100, spent / whole, stacks), (name, rows[name], spent / whole, text)
copied = alone["copy_much"] + alone["copy_little"]
lines = [line for line in text.splitlines() if "from copy" in line and "mem" in line]
if "static" not in sys.argv:
    # both call it through copy, which is nearer
    assert len(lines) == 1 and re.search(r"from copy (99|100) %$", lines[0]), text
    assert near(rows["copy"][0] / 100, copied / whole, stacks), text
tree = text.split("call tree")[1].splitlines()[1:]
assert 10 < len(tree) <= 30, text
# each is below its callers, and no more than them
above = []
nodes = {}
for line in tree:
    m = re.match(r"^ +([\d.]+) +([\d.]+) +([\d.]+)  ( *)(.*)$", line)
    depth = len(m[4]) // 2
    above = above[:depth] + [(m[5].split(": ")[-1], float(m[1]))]
    assert depth == 0 or above[depth - 1][1] >= above[depth][1], line
    nodes["/".join(name for name, _ in above)] = float(m[1])
for caller in ("often", "seldom"):
    found = [share for path, share in nodes.items() if path.endswith(caller + "/leaf")]
    assert len(found) == 1 and near(found[0] / 100, alone[caller] / whole, stacks), (caller, nodes)
for caller in ("copy_much", "copy_little"):
    found = [share for path, share in nodes.items() if path.endswith(caller + "/copy")]
    assert len(found) == 1 and near(found[0] / 100, alone[caller] / whole, stacks), (caller, nodes)
assert sum(path.endswith("/tower") for path in nodes) <= 1, nodes  # its calls of itself are one node
assert max(map(len, text.splitlines())) <= 100, text
P
for how in "-O2 -fomit-frame-pointer" "-O0" "-O3 -static" "-O2 -fno-plt -s -g0"; do
    $CC -g -fno-builtin $how -o calls calls.c 2>/dev/null || continue
    if [[ $how == *-s\ * ]]; then # without symbols it runs as well, and functions have addresses
        run 0 mastermind record --stacks -- ./calls $((rounds / 5))
        grep -q "call tree" err || fail "$how: $(cat err)"
        grep -q "  calls+0x" err || fail "$how: $(cat err)"
        continue
    fi
    run 0 mastermind record --stacks -- ./calls "$rounds"
    if grep -q '^no samples: ' err; then skip "no samples here: $(cat err)"; fi
    python3 check.py $(case $how in *-static*) echo static ;; esac) || fail "$how: $(cat out err)"
done
$CC -g -O2 -o calls calls.c || fail "cannot compile"
run 0 mastermind ./calls "$rounds"
[ "$(wc -l <err)" -le 30 ] || fail "too many lines: $(cat err)"
if grep -q "call tree" err; then fail "a tree that nobody asked for: $(cat err)"; fi

# --- Beside recorded calls, whose return addresses are not on the stack: with callees, a function of the C library that
# calls one of the program, a thread, an exception's way
cat > both.c <<'C'
#include <pthread.h>
C
sed 's/^int main/static int calls_main/' calls.c >>both.c
cat >> both.c <<'C'
static double sorted;
static NOINLINE int compare(const void *a, const void *b)
{
    leaf(40);
    return *(const int *)a - *(const int *)b;
}
static NOINLINE void sorts(void)
{
    int numbers[300];
    double t = now();
    for (int i = 0; i < 300; i++)
        numbers[i] = i * 7919 % 307;
    qsort(numbers, 300, sizeof *numbers, compare);
    sink += numbers[3];
    sorted += now() - t;
}
static void *beside(void *rounds)
{
    for (long i = 0; i < 2 * (long)rounds; i++)
        sorts();
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    int status;
    pthread_create(&thread, NULL, beside, (void *)atol(argv[argc - 1]));
    status = calls_main(argc, argv);
    pthread_join(thread, NULL);
    printf("sorts %g\n", sorted);
    return status;
}
C
cat > both.py <<'P'
import re
alone = {name: float(value) for name, value in (line.split() for line in open("out"))}
text = open("err").read()
whole = sum(alone.values())
stacks = int(re.search(r"^([\d,]+) stacks; ", text, re.M)[1].replace(",", ""))
tree = text.split("call tree")[1].splitlines()[1:]
assert 10 < len(tree) <= 30 and "experiment both" in text, text
above, nodes = [], {}
for line in tree:
    m = re.match(r"^ +([\d.]+) +([\d.]+) +([\d.]+)  ( *)(.*)$", line)
    depth = len(m[4]) // 2
    above = above[:depth] + [m[5].split(": ")[-1]]
    path = "/".join(above)
    nodes[path] = nodes.get(path, 0) + float(m[1]) / 100
assert not re.search(r"libmm|libmeas|mm_call|interpose|made by the program", "\n".join(tree)), tree
def share(end):
    return sum(value for path, value in nodes.items() if path.endswith(end) and not path.endswith("/" + end.split("/")[-1] + "/" + end))
for end, name in (("often/leaf", "often"), ("seldom/leaf", "seldom"), ("copy_much/copy", "copy_much"), ("tower/leaf", "tower"), ("sorts", "sorts")):
    true = alone[name] / whole
    # four standard deviations, and calls whose return address could not be read in time
    near = 4 * (true * (1 - true) / stacks) ** .5 + .04
    assert true - near - .3 * true < share(end) < true + near, (end, share(end), true, tree)
for path in nodes: # nobody is below a function that does not call it
    parts = path.split("/")
    for caller, callee in zip(parts, parts[1:]):
        assert callee not in ("often", "seldom", "copy_much", "copy_little", "wide") or caller in ("calls_main", "main", "(callers that the copied stack does not have)"), path
        assert callee != "copy" or caller in ("copy_much", "copy_little") or caller.startswith("(callers"), path
assert any("sorts/" in path and path.endswith("compare/leaf") for path in nodes), tree
P
for how in -O2 -O0; do
    $CC -g -fno-builtin $how -pthread -o both both.c || fail "cannot compile"
    rm -rf both-*.mm
    run 0 mastermind record --stacks --functions '*' -- ./both "$rounds"
    if grep -q '^no samples: \|functions are not recorded' err; then break; fi
    python3 both.py || fail "$how, with functions: $(cat out err)"
    run 0 mastermind export folded --stacks both-1.mm
    grep -q "both: main;.*often;leaf [1-9]" out || fail "folded, with functions: $(cat out)"
done

# --- Kept stacks are exported: one line for each stack, whose times add up to the CPU time
run 0 mastermind record -o kept.mm -- ./calls "$rounds"
cp err table
run 0 mastermind export folded kept.mm
python3 - <<'P' || fail "folded: $(cat out table)"
import re
cpu = float(re.search(r"^ 100.0 +([\d.,]+) +in all$", open("table").read(), re.M)[1].replace(",", ""))
stacks = [line.rsplit(" ", 1) for line in open("out").read().splitlines()]
assert len({stack for stack, _ in stacks}) == len(stacks), stacks
assert abs(sum(int(us) for _, us in stacks) / 1000 - cpu) < .1 * cpu + 10, (cpu, stacks)
assert any(stack.split(";")[-2:] == ["often", "leaf"] and "calls: main" in stack for stack, _ in stacks), stacks
assert all(int(us) > 0 for _, us in stacks), stacks
P
cp out default
run 0 mastermind export folded --stacks kept.mm
cmp -s default out || fail "--stacks differs"
run 2 mastermind export chrome --stacks kept.mm
sed 's/"nodes":.*/"nodes":[[7,0,1]]}/; s/"check": *"[0-9a-f]*", *//' kept.mm/stacks.json >damaged && cp damaged kept.mm/stacks.json
run 3 mastermind export folded kept.mm
rm kept.mm/stacks.json
run 0 mastermind export folded kept.mm
grep -q "program.run" out || fail "without stacks: $(cat out)"
run 3 mastermind export folded --stacks kept.mm

# --- A stack of which the copy has only a part: callees are known, and the table reports it
cat > deep.c <<'C'
#include <stdlib.h>
static volatile double sink;
static __attribute__((noinline)) void leaf(int n)
{
    double s = 1;
    for (int i = 0; i < n; i++)
        s = s * .999 + 1. / (s + i);
    sink = s;
}
static __attribute__((noinline)) void wide(int n)
{
    volatile char room[60000];
    room[n] = 1;
    for (int i = 0; i < 20; i++)
        leaf(200000);
    sink += room[n];
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 20 * argc; i++)
        wide(i);
    return argv[0] == NULL;
}
C
$CC -g -O2 -o deep deep.c || fail "cannot compile"
run 0 mastermind record --stacks -- ./deep
grep -Eq "; (9[0-9]|100) % cut off: callers have more" err || fail "cut off: $(cat err)"
grep -q "wide " err || fail "cut off: $(cat err)"
grep -q "(callers that the copied stack does not have)" err || fail "cut off: $(cat err)"

# --- C++ with exceptions and threads
cat > thrown.cc <<'C'
#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>
namespace space {
template <class T> struct grid {
    std::vector<T> values;
    __attribute__((noinline)) void order()
    {
        values.clear();
        for (int i = 0; i < 20000; i++)
            values.push_back(static_cast<T>(i * 7919LL % 10007));
        std::sort(values.begin(), values.end());
    }
};
}
static volatile int sink;
__attribute__((noinline)) int dive(int n)
{
    if (n == 0)
        throw std::runtime_error("bottom");
    return dive(n - 1) + 1;
}
__attribute__((noinline)) void thrower()
{
    for (int i = 0; i < 400; i++)
        try {
            sink = dive(20);
        } catch (const std::exception &) {
            sink = sink + 1;
        }
}
static void work()
{
    space::grid<int> grid;
    for (int i = 0; i < 150; i++) {
        grid.order();
        thrower();
    }
}
int main()
{
    std::thread other(work);
    work();
    other.join();
}
C
if $CXX -g -O2 -pthread -o thrown thrown.cc; then
    run 0 mastermind record --stacks -- ./thrown
    python3 - <<'P' || fail "C++: $(cat err)"
import re
text = open("err").read()
table, tree = text.split("call tree")
share = {}
for m in re.finditer(r"^ +[\d.]+ +(?:[\d.]+ +)?[\d.,]+ +([\d.]+)    (\S+)", table, re.M):
    share[m[2]] = max(share.get(m[2], 0), float(m[1]))  # the compiler may have parted thrower into two
assert abs(share["work"] - 100) < 12, share
assert abs(share["space::grid<int>::order"] + share["thrower"] - 100) < 15, share
assert share["dive"] < share["thrower"] + 5, share
assert "_Unwind_RaiseException" in tree or "__cxa_throw" in tree, tree
assert len(re.findall(r"thrown: main|^ +[\d.]+ +[\d.]+ +[\d.]+ +work|thrown: work", tree, re.M)) >= 2, tree
P
fi
finish
