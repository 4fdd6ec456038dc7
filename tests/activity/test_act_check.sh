#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Each rule of the model checker has a model that breaks it and no other, found at its place; good models break none but
# those that they are known for; rules are data that a user's file changes.
. "$(dirname "$0")/../lib/lib.sh"
failing=$root/tests/activity/failing
examples=$root/examples/activity

# --- A failing model for each rule
run 0 activity check --list
cut -d' ' -f1 out | grep -vx run | sort >rules
ls "$failing" | sed 's/\.act$//' | sort | diff rules - || fail "a failing model for each rule"
run 3 activity check --json "$failing"/*.act --events 100000
fits activity-check out
python3 - <<'END' || fail "each failing model breaks its rule and no other"
import json, os
refused = {"syntax", "main", "recursion", "declared", "names", "called", "arity", "types", "profile", "waited", "thread-messages"}
for file in json.load(open("out"))["files"]:
    _, rule, place = open(file["file"]).readline().split()
    found = ["%s %d:%d" % (f["rule"], f["line"], f["column"]) for f in file["findings"]]
    assert found == ["%s %s" % (rule, place)] and os.path.basename(file["file"]) == rule + ".act", (file["file"], found)
    assert file["findings"][0]["severity"] == "error" or rule not in refused
END
# As the reader refuses it, or found in what it read.
run 3 activity check "$failing/types.act"
run 1 activity check "$failing/cost.act"
run 0 activity check "$failing/unused.act"

# --- Good models
run 0 activity check "$examples/sample.act"
equal "the sample" "$examples/sample.act:14:3: warning: guards are not exhaustive: no branch for GV = 2 [guards]" "$(head -1 out)"
holds out "$examples/sample.act:17:5: note: no process comes to action A2 [never-reached]"
run 1 activity check --strict "$examples/sample.act"
run 0 activity check "$examples/pipeline.act" --config N1P1,N2P8
holds out "pipeline.act: nothing found"

# --- Guards: what is exhaustive, and what is not
guards() { # CODE WORDS CHAIN
    printf 'model m\nglobal long a = 1\nglobal long b = 2\nglobal double x = 1\nactivity Main {\n%s\n action Z cost a*b*x\n}\n' "$3" >g.act
    run "$1" activity check --strict g.act --config none
    [ -z "$2" ] || holds out "$2"
}
guards 0 "" 'if a < 2 { } elif a >= 2 { }'
guards 0 "" 'if a < b { } elif a == b { } elif b < a { }'
guards 0 "" 'if a == 1 { } elif !(a == 1) { }'
guards 1 "no branch for a = 2" 'if a < 2 { } elif a > 2 { }'
guards 1 "no branch for pid = 1, nproc = 3" 'if pid == 0 { } elif pid == nproc - 1 { }'
guards 0 "" 'if pid == 0 { } elif pid > 0 { }'
guards 1 "no branch for x = 0.5" 'if x <= 0 { } elif x >= 1 { }'
guards 1 "no branch for a = " 'if a == 1 && b == 1 { } elif a == 1 && b != 1 { }'
guards 0 "" 'if a == 1 { } elif a == 2 { } else { }'
guards 0 "" 'if a == 1 { }'

# --- What a run shows depends on the processes asked
printf 'model m\nactivity Main {\n  if pid == 0 && nproc > 1 {\n    send S to nproc - 1 bytes 8\n  }\n  if pid == 3 {\n    recv R from 0\n  }\n}\n' >s.act
run 0 activity check s.act
holds out "s.act: nothing found"
run 0 activity check s.act --config N1P4,N1P2
holds out "s.act:4:5: warning: 1 message from process 0 to 1 with tag 0 is not received [unreceived]"
run 1 activity check s.act --config N1P5
holds out "[deadlock]"
printf '[machine]\nnodes = 2\n' >two.ini
run 1 activity check s.act --machine two.ini --config N3P4
holds out "[run]"
run 0 activity check "$failing/cost.act" --config N1P2
run 0 activity check "$failing/cost.act" --config none

# --- Rules of the user
printf '# mine\n[cost]\nseverity = off\n[no-cost]\nseverity = error\nhint = cost it\n' >mine.mcf
run 0 activity check "$failing/cost.act" --rules mine.mcf
run 1 activity check "$failing/no-cost.act" --rules mine.mcf
holds out "no-cost.act:4:3: error: action A takes no time: it has no cost [no-cost]"
holds out "    hint: cost it"
activity check --print-rules >usual.mcf
run 0 activity check --rules usual.mcf --list
bad() { # LINE MESSAGE TEXT
    printf "$3" >bad.mcf
    run 3 activity check --rules bad.mcf --list
    equal "the refusal" "activity: bad.mcf:$1: $2" "$(cat err)"
}
bad 1 "found 'costs', expected a rule of activity check --list; did you mean 'cost'?" '[costs]\n'
bad 2 "found 'loud', expected error, warning, note or off" '[cost]\nseverity = loud\n'
bad 1 "found 'severity', expected [RULE] before it" 'severity = off\n'
bad 2 "found 'color', expected severity, says, hint or match" '[cost]\ncolor = red\n'
bad 2 "found 'error', expected KEY = VALUE" '[cost]\nerror\n'
run 3 activity check nothing.act
run 2 activity check
run 2 activity check "$failing/cost.act" --config many
run 3 activity check "$failing/cost.act" --set z=1
finish
