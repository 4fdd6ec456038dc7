#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind whatif: simulated runs on ranks are the truth, in which a method costs another amount in each call and the
# ranks wait for each other; a method off the critical path gains nothing. The run without a change is that of predict.
. "$(dirname "$0")/../lib/lib.sh"

# Early is long on rank 0, Late on rank 1; Beside runs on ranks 2 and 3 alone, and is short; END waits once, at the end.
cat >steps.act <<'END'
model steps
global double EARLY = 1
global double LATE = 1
global double BESIDE = 1
global double AROUND = 1
global long END = 0
activity Main {
  call Go
}
activity Go type "Driver" method "driver.go.go" {
  action GoOwn cost 0.0001
  loop i = 1..50 {
    action Around type "Around" method "around.p.work" cost AROUND*0.0002
    action Early type "Early" method "early.p.work" cost EARLY*(pid == 0 ? 0.004 : 0.002)
    if pid > 1 {
      action Beside type "Beside" method "beside.p.work" cost BESIDE*0.001
    }
    if END == 0 {
      call Sum
    }
    action Late type "Late" method "late.p.work" cost LATE*(pid == 1 ? 0.003 : 0.001)
    if END == 0 {
      call Sum
    }
  }
  call Sum
}
activity Sum type "Mesh" method "mesh.mesh.minimum" {
  action SumOwn cost 0.00001
  allreduce All bytes 8
}
END
simulate() # FILE OPTIONS...: the time of the run
{
    run 0 activity run steps.act --interpret --config N1P4 "${@:2}"
    sed -nE '1s/^[^ ]+ +[^ ]+ +([0-9.e-]+) s .*/\1/p' out >"$1"
}
for end in 0 1; do
    simulate base --set END=$end -o steps-$end.mm
    for words in EARLY:early:-50 EARLY:early:+100 LATE:late:-100 BESIDE:beside:-50 BESIDE:beside:+300 AROUND:around:+300; do
        IFS=: read -r global name percent <<<"$words"
        simulate "$name$percent.truth" --set END=$end --set "$global=$(python3 -c "print(1 + $percent / 100)")"
        run 0 mastermind whatif steps-$end.mm "$name.p.work=$percent%" --json && cp out "$name$percent.json"
    done
    python3 - <<'END' || fail "END=$end"
import glob, json
base = float(open("base").read())
for name in glob.glob("*.truth"):
    d, truth = json.load(open(name.replace("truth", "json"))), float(open(name).read())
    assert abs(d["base_total_s"] / base - 1) < 1e-6, (name, d["base_total_s"], base)
    assert abs(d["total_s"] / truth - 1) < 1e-6, (name, d["total_s"], truth)
    assert d["low_s"] < truth < d["high_s"], (name, d, truth)
    assert d["change_low_s"] - 1e-9 <= truth - base <= d["change_high_s"] + 1e-9, (name, d, truth - base)
END
done
run 0 mastermind whatif steps-0.mm beside.p.work=+300%
says "  rank 2 becomes the busiest"
run 0 mastermind whatif steps-0.mm --json
fits whatif out
python3 - <<'END' || fail "the table: $(cat out)"
import json
d = json.load(open("out"))
m = {r["name"]: r for r in d["methods"]}
near = lambda a, b: abs(a - b) < 1e-6 * d["base_total_s"]
assert [r["name"] for r in d["methods"]][:2] == ["early.p.work", "late.p.work"]
assert near(m["early.p.work"]["gain_s"], .020) and near(m["late.p.work"]["gain_s"], .015)
assert near(m["early.p.work"]["most_s"], .150), "then rank 2 has Beside"
assert m["beside.p.work"]["elsewhere"] and m["beside.p.work"]["gain_s"] == 0 == m["beside.p.work"]["most_s"]
assert all(a["gain_s"] >= b["gain_s"] for a, b in zip(d["methods"], d["methods"][1:]))
assert d["what"]["phases"] == 102 and near(d["what"]["follows"], 1)
END

# One rank: a change of parts of the forecast
demo=$root/scripts/shock-demo.rc
fixed=(-D NY=16 -D PATCH=8 -D T_END=.06 -D PICTURE=)
run 0 ccafe --measure -o run.mm --class flux=EFMFlux -D NX=32 "${fixed[@]}" "$demo"
run 0 mastermind predict run.mm --json && cp out predicted.json
run 0 mastermind whatif run.mm flux.flux.compute=-30% rhs.rhs.evaluate=2us --json
fits whatif out
python3 - <<'END' || fail "one rank: $(cat out)"
import json
d, p = json.load(open("out")), json.load(open("predicted.json"))
parts = {x["name"]: x for x in p["parts"]}
near = lambda a, b: abs(a - b) < 1e-9 * p["total_s"]
assert near(d["base_total_s"], p["total_s"])
flux, rhs = parts["flux.flux.compute"], parts["rhs.rhs.evaluate"]
change = -.3 * flux["predicted_s"] + rhs["calls"] * 2e-6 - rhs["predicted_s"]
assert near(d["change_s"], change) and near(d["total_s"], p["total_s"] + change)
assert d["changes"][1]["call_ns"] == 2000 and abs(d["changes"][0]["percent"] + 30) < 1e-9
END
run 0 mastermind whatif run.mm flux.flux.compute=+0% --json
python3 - <<'END' || fail "no change: $(cat out)"
import json
d, p = json.load(open("out")), json.load(open("predicted.json"))
assert d["change_s"] == 0 and all(abs(d[k] / p[k] - 1) < 1e-9 for k in ("total_s", "low_s", "high_s"))
END
run 0 mastermind whatif run.mm evaluate=-10%
holds out "rhs.rhs.evaluate -10 %: "
run 0 mastermind whatif run.mm --limit 2
grep -q '^\.\.\. [0-9]* methods left out, each gains at most ' out || fail "a short table"
run 0 mastermind whatif run.mm --metric WALL_TIME compute=-30% --json
fits whatif-metric out

# A sweep, at a size that no run had
run 0 mastermind sweep -D NX=16,24,32,48 -o s -- ccafe -D FLUX=EFMFlux "${fixed[@]}" "$demo"
run 0 mastermind whatif s --set NX=64 flux.flux.compute=-50% --json
fits whatif out
python3 - <<'END' || fail "a sweep: $(cat out)"
import json
d = json.load(open("out"))
assert d["asked"]["variables"]["NX"] == "64" and d["total_s"] < d["base_total_s"]
END
expect 2 "NX varied and is not set" mastermind whatif s flux.flux.compute=-50%
run 0 mastermind whatif s/run-001.mm flux.flux.compute=-50%

# A recorded program without components: functions by their names
cat >two.c <<'END'
__attribute__((noinline)) double one(int n) { double s = 0; for (int i = 1; i < n; i++) s += 1. / i; return s; }
__attribute__((noinline)) double two(int n) { return one(2 * n) + one(n); }
int main(void) { double s = 0; for (int i = 0; i < 200; i++) s += two(2000 + i); return s < 0; }
END
gcc -O1 -g -o two two.c || fail "two.c"
if can_preload; then
    run 0 mastermind record --functions 'one,two' --no-report -o two.mm -- ./two
    run 0 mastermind whatif two.mm --json
    fits whatif out
    name=$(python3 -c 'import json; print([m["name"] for m in json.load(open("out"))["methods"] if "one" in m["name"]][0])')
    run 0 mastermind whatif two.mm "$name=-100%" --json
    python3 -c 'import json; d = json.load(open("out")); assert d["total_s"] < .5 * d["base_total_s"], d' || fail "one"
fi

# Wrong words: one line
refuse() # STATUS LINE ARGUMENTS...
{
    expect "$1" "mastermind: $2" mastermind whatif run.mm "${@:3}"
    [ "$(cat out err | wc -l)" = 1 ] || fail "more than a line: ${*:3}"
}
refuse 3 "no method 'flux.flux.compte' was called; did you mean 'flux.flux.compute'?" flux.flux.compte=-30%
refuse 2 "flux.flux.compute=HLLCFlux: expected a cost; another class is a question to mastermind predict --set flux=HLLCFlux" \
    flux.flux.compute=HLLCFlux
for value in 30% -101% -3us us 3 "" 1e999us 0x2us nan%; do
    refuse 2 "flux.flux.compute=$value: expected a c" "flux.flux.compute=$value"
done
refuse 2 "rhs.rhs.evaluate is changed twice" evaluate=-30% rhs.rhs.evaluate=2us
finish
