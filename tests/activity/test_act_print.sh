#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Forms of models: the C++ is the paper's, token for token; the program in MPI compiles and lasts as long as its costs; GOAL,
# replayed by twelve lines of Python, lasts as long as the estimator says; a form of the manual is made and loaded as it is
# written there, and broken ones are refused.
. "$(dirname "$0")/../lib/lib.sh"
examples=$root/examples/activity
here=$root/tests/activity

# --- Tokens of the figures, comments apart
tokens() { sed 's,//.*,,' | grep -oE '"[^"]*"|[A-Za-z_0-9.]+|&&|\|\||[=!<>]=|[^[:space:]]'; }
activity print "$examples/sample.act" --as prophet | sed -n '/^long GV/,$p' | tokens >own
tokens <"$here/figures/figure-4.2.txt" >paper
[ "$(wc -l <paper)" -gt 200 ] && diff own paper || fail "Figure 4.2"
activity print "$examples/lapw0.act" --as prophet | sed -n '/^ *ETOTAL.execute/,$p' | tokens >own
tokens <"$here/figures/figure-5.4.txt" >paper
[ "$(wc -l <paper)" -gt 120 ] && diff own paper || fail "Figure 5.4"
run 0 activity print "$here/everything.act" --as prophet

# --- The text is read and printed again as it was
run 0 activity print "$examples/sample.act"
cp out again.act
run 0 activity print again.act
cmp out again.act || fail "text"

# --- JSON: all elements, in their order
run 0 activity print "$here/everything.act" --as json
fits activity-model out
python3 - <<'END' || fail "the tree as JSON"
import json
def walk(node, seen):
    if node["node"] in ("element", "statement") and node.get("element") not in ("set",):
        seen.append(node)
    for inner in node.get("in", []):
        walk(inner, seen)
    return seen
seen = walk(json.load(open("out")), [])
names = [n["name"] for n in seen if "name" in n]
assert names[:6] == ["A1", "A2", "A3", "A4", "A5", "A6"], names
assert {"S", "R", "W2", "X", "SA3", "G2", "W3", "C", "A7", "W4", "F1", "A10", "SA1", "SB1"} <= set(names)
x = next(n for n in seen if n.get("name") == "X")
assert [p["peer"] for p in x["with"]] == ["pid - 1", "pid + 1"] and x["bytes"] == "100"
END

printf 'model m\nactivity Main {\n  action A type "a\377" cost 1\n}\n' >bytes.act # no UTF-8
run 0 activity print bytes.act --as json
fits activity-model out
holds out '"type": "a?"'

# --- GOAL, replayed
cat >replay.py <<'END'
import re, sys
ops, rank = {}, None
for line in open(sys.argv[1]):
    word = line.split()
    if not word: continue
    if word[0] == "rank": rank = int(word[1])
    elif word[0] == "num_ranks": count = int(word[1])
    elif "requires" in line: ops[rank, word[0]][1].append(word[2])
    elif word[0].startswith("l"): ops[rank, word[0][:-1]] = (word[1:], [])
done, sent = {}, {}
def tags(kind): # sends and receives of one pair and tag meet in the order in which they stand
    all = {}
    for (rank, label), (word, _) in ops.items():
        if word[0] == kind:
            pair = (rank, int(word[3])) if kind == "send" else (int(word[3]), rank)
            all.setdefault((pair, word[5]), []).append((rank, label))
    return all
sends, receives = tags("send"), tags("recv")
meets = {r: sends[key][i] for key, rs in receives.items() for i, r in enumerate(rs)}
left = dict(ops)
while left:
    ready = [k for k, (w, req) in left.items() if all((k[0], r) in done for r in req) and (k not in meets or meets[k] in done)]
    assert ready, "the graph has a circle"
    for k in ready:
        word, req = left.pop(k)
        begin = max([done[k[0], r] for r in req] + ([done[meets[k]]] if k in meets else []) + [0])
        done[k] = begin + (int(word[1]) if word[0] == "calc" else 0)
print("%.9f" % (max(done.values()) * 1e-9))
END
cat >mixed.act <<'END'
model mixed
activity Main {
  action A cost 0.5*(pid + 1)
  irecv R from (pid + 1)%nproc tag 7
  isend S to (pid + nproc - 1)%nproc bytes 100 tag 7
  action B cost 0.25*(nproc - pid)
  wait W
  exchange X with pid - 1, pid + 1 bytes 10
  loop i = 1..3 {
    action C cost 0.125*((pid*i)%3)
    barrier D
  }
  bcast E root 0 bytes 8 as expanded
  action F cost 1.5
  allreduce G cost 1.0*((pid*5)%7)
  action H cost 0.5*((pid*3)%4)
  reduce I root 0 as cost
  action J cost 0.25*((pid*7)%5)
}
END
for model in "$examples/sample.act" "$examples/pipeline.act" "$examples/lapw0.act" mixed.act; do
    for p in 1 2 5 8; do
        run 0 activity print "$model" --as goal --config "N8P$p" -o m.goal
        awk '/ send / { sent += $3 } / recv / { got += $3 } END { exit sent != got }' m.goal || fail "bytes of $model"
        python3 replay.py m.goal >replayed || fail "replay of $model"
        activity run "$model" --config "N8P$p" --json >run.json
        python3 -c "
import json
a, b = float(open('replayed').read()), json.load(open('run.json'))['runs'][0]['total_s']
assert abs(a - b) < 1e-7, (a, b)" || fail "$model on $p processes: GOAL and the estimator differ"
    done
done
run 3 activity print "$here/everything.act" --as goal
holds err "found threads, expected none: GOAL has processes alone"

# --- A program in MPI
if command -v mpicc.mpich >/dev/null; then
    run 0 activity print "$here/everything.act" --as mpi -o e.c
    mpicc.mpich -std=gnu11 -fopenmp -fsyntax-only -Wall -Wextra -Werror e.c >err 2>&1 || fail "mpicc.mpich"
fi
if command -v mpicc.openmpi >/dev/null && command -v mpirun.openmpi >/dev/null; then
    run 0 activity print "$here/everything.act" --as mpi -o e.c
    expect_mpicc() { mpicc.openmpi -std=gnu11 -O1 -Wall -Wextra -Werror "$@" -lm >err 2>&1 || fail "mpicc $*"; }
    expect_mpicc -fopenmp e.c -o e
    run 0 activity print "$examples/pipeline.act" --as mpi -o p.c
    expect_mpicc p.c -o p
    mpi() { "$root/tests/lib/mpirun.sh" openmpi 2 "$@" >out 2>err; }
    mpi ./e scale=0.01 || fail "the program of everything.act"
    mpi ./p scale=0.002 NAT=32 || fail "the program of pipeline.act"
    activity run "$examples/pipeline.act" --set NAT=32 --config N1P2 --json >run.json
    python3 - <<'END' || fail "the pipeline takes less CPU time than its costs"
import json
name, ranks, lasted, unit = open("out").read().split()
assert (name, ranks, unit) == ("pipeline", "P2", "s"), name
assert float(lasted) > .99 * json.load(open("run.json"))["runs"][0]["total_s"]
END
    mpi ./p speed=1 && fail "a global that is none"
fi

# --- A form of the manual, as it is written there
sed -n '/^```c$/,/^```$/p' "$root/docs/reference/activity-language.md" | sed '1d;$d' >plantuml.c
[ "$(wc -l <plantuml.c)" -lt 100 ] || fail "a form takes 100 lines"
cc -Wall -Werror -shared $(ccafe cflags) plantuml.c -o plantuml.so || fail "the form of the manual"
run 0 activity print "$examples/sample.act" --as ./plantuml.so
tr '\n' ' ' <out >one
equal "PlantUML" "@startuml title sample start partition Main { :action A1 FA1(); if (GV == 1) then (yes) partition SA { :action SA1 112; :allreduce SA2 FSA2(pid); } elseif (GV == 0) then (yes) :action A2 212; endif :action A4 FA4(P); } stop @enduml " "$(cat one)"
broken() { # MESSAGE: form.c is what it is
    cc -shared -fPIC -I"$root" form.c -o form.so || fail "form.c"
    run 3 activity print "$examples/sample.act" --as ./form.so
    holds err "$1"
    [ "$(wc -l <err)" = 1 ] || fail "one line"
}
echo 'int x;' >form.c && broken "found no symbol act_form, expected a form"
echo 'const struct { int version; void *p[4]; } act_form = {7, {0}};' >form.c && broken "found a form of version 7, expected 1"
echo '#include <stdlib.h>
__attribute__((constructor)) static void f(void) { abort(); }' >form.c && broken "loading it dies of signal 6"
echo '#include <stdlib.h>
#include "activity/walk/walk.h"
static int enter(void *c, const struct act_node *n, struct cca_error *err) { if (n->depth) abort(); return 0; }
static int begin(struct act_content_handler *h, FILE *o, const struct act_form_host *t, struct cca_error *err)
{ *h = (struct act_content_handler){0, enter, 0}; return 0; }
const struct act_form act_form = {1, "x", 0, begin, 0};' >form.c && broken "writing it dies of signal 6"
sed -i 's/abort()/return -41/' form.c
cc -shared -fPIC -I"$root" form.c -o form.so || fail "form.c"
run 5 activity print "$examples/sample.act" --as ./form.so
holds err "./form.so: x: "
run 3 activity print "$examples/sample.act" --as ./nothing.so
run 2 activity print "$examples/sample.act" --as prophte
holds err "did you mean 'prophet'?"

# --- What a form cannot say; nothing half-written
printf 'model m\nactivity Main {\n  action A cost model("f.f.g", Q = 3)\n}\n' >m.act
printf 'model m\nactivity Main {\n  action A cost 1 {{ int i; }}\n}\n' >raw.act
run 3 activity print raw.act --as goal
holds err "raw.act:3:3: found C of the model's own, expected none"
for form in prophet mpi; do
    run 3 activity print m.act --as $form -o never
    holds err "m.act:3:17: found model(\"f.f.g\"), expected costs that"
    [ ! -e never ] || fail "half-written"
done
run 5 activity print "$examples/sample.act" -o no/such/folder
finish
