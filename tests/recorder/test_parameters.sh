#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The parameters of a run in experiment.json: the variables that scripts used, the parameters that scripts
# and options set, the classes of instances; as of the latest go, on a killed run, too.
. "$(dirname "$0")/../lib/lib.sh"
# Only these: other tests have proxies of their own.
mkdir classes && ln -s "$O"/tests/components/me_*.so classes

# look EXPERIMENT: its parameters, and whether those of the last go agree with wiring.json
look() {
    python3 - "$1" <<'PY'
import json, os, sys
about = json.load(open(os.path.join(sys.argv[1], "experiment.json")))
print(*(json.dumps(about.get(key)) for key in ("variables", "set", "classes")), sep="\n")
wiring = json.load(open(os.path.join(sys.argv[1], "wiring.json")))
assert about["classes"] == {i["name"]: i["class"] for i in wiring["instances"]}
assert about["set"].items() <= wiring["gos"][-1]["parameters"].items()
PY
}

cat >run.rc <<'END'
instantiate $WORKER a
instantiate MeasuredCaller caller
connect caller flux a flux
parameter caller config calls $CALLS
go caller go
parameter caller config depth 2
parameter caller config end $END
remove a
instantiate MeasuredWorker b
connect caller flux b flux
go caller go
parameter caller config depth 3
END
# All is as of the second go. Of the variables one is not used, one only behind the last go.
echo 'parameter caller config command "$LATE"' >>run.rc
ccafe --path classes --measure -o whole -D WORKER=MeasuredWorker -D CALLS=+7 -D END=return -D UNUSED=1 \
    -D LATE=x --set a.config.die_at=100 run.rc >out 2>err || fail "a run"
equal "a run" '{"WORKER": "MeasuredWorker", "CALLS": "+7", "END": "return"}
{"caller.config.calls": "7", "caller.config.depth": "2", "caller.config.end": "return"}
{"caller": "MeasuredCaller", "b": "MeasuredWorker"}' "$(look whole)"
# A killed run has them, too; options count as the script; texts may have any byte.
{ ccafe --path classes --measure -o killed --class a=MeasuredWorker --set caller.config.calls=5 \
    --set caller.config.end=kill --set b.config.die_at=9 -D WORKER=None -D CALLS=6 \
    -D END="$(printf 'a "\\\tb\xff')" run.rc >out 2>err; } 2>/dev/null
equal "a killed run" '{"WORKER": "None", "CALLS": "6"}
{"caller.config.calls": "5", "caller.config.end": "kill"}
{"a": "MeasuredWorker", "caller": "MeasuredCaller"}' "$(look killed)"
{ head -n 5 run.rc && echo 'parameter caller config command "$END"' && echo 'go caller go'; } >bytes.rc
ccafe --path classes --measure -o bytes -D WORKER=MeasuredWorker -D CALLS=6 \
    -D END="$(printf 'true "\\\tb\xff"')" bytes.rc >out 2>err || fail "a text of any bytes"
equal "a text of any bytes" '{"WORKER": "MeasuredWorker", "CALLS": "6", "END": "true \"\\\tb\ufffd\""}
{"caller.config.calls": "6", "caller.config.command": "true \"\\\tb\ufffd\""}' "$(look bytes | head -n 2)"

# Proxies that a script connects begin the experiment before its parameters are known.
{ head -n 4 run.rc && echo 'insert a flux' && echo 'go caller go'; } >late.rc
ccafe --path classes -o late -D WORKER=MeasuredWorker -D CALLS=4 late.rc >out 2>err || fail "an inserted proxy"
equal "an inserted proxy" '{"WORKER": "MeasuredWorker", "CALLS": "4"}' "$(look late | head -n 1)"

# A program that is not ccafe has no parameters.
if can_preload && [ -e "$O/lib/libmm_preload.so" ]; then
    mastermind record -o recorded -- true >out 2>err
    [ ! -e recorded/experiment.json ] ||
        python3 -c 'import json; about = json.load(open("recorded/experiment.json"))
assert not {"variables", "set", "classes"} & about.keys()' || fail "mastermind record"
fi
finish
