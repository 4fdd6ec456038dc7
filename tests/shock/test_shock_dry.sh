#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# DryFlux and DryStates: a run of as many steps has the same calls, with the same callers and sizes, as a real one, on
# a uniform mesh of one patch or several. The dry classes stand alone, too: each beside a real one.
. "$(dirname "$0")/../lib/lib.sh"
export SCRIPTS=$root/scripts
# All rows without their costs and classes: who called whom, parameters, out-parameters.
cat >structure.py <<'END'
import csv, sys
rows = list(csv.DictReader(sys.stdin))
name = {(r["rank"], r["thread"], r["invocation"]): ".".join((r["instance"], r["port"], r["method"])) for r in rows}
values = [k for k in rows[0] if k[:2] in ("p.", "o.") and k != "o.iterations"]
for line in sorted(" ".join([name.get((r["rank"], r["thread"], r["caller"]), "-"), name[r["rank"], r["thread"], r["invocation"]]]
                            + ["%s=%s" % (k, r[k]) for k in values if r[k]]) for r in rows):
    print(line)
END
# measure NAME STATUS OPTION...
measure() {
    local name=$1
    shift
    run 0 ccafe --measure -o "$name.mm" -D FLUX=EFMFlux -D NX=44 -D NY=12 -D T_END=100 -D PICTURE= --set driver.config.max_steps=6 \
        "$@" "$SCRIPTS/shock-demo.rc"
    mastermind records "$name.mm" | python3 structure.py >"$name.rows"
}
dry=(--class flux=DryFlux --class states=DryStates)
for patch in 0 16; do
    for limiter in none vanleer; do
        name=$patch.$limiter
        measure "real.$name" -D PATCH=$patch --set states.config.limiter=$limiter
        measure "dry.$name" -D PATCH=$patch --set states.config.limiter=$limiter "${dry[@]}"
        diff "real.$name.rows" "dry.$name.rows" >out || fail "patches of $patch, $limiter: other calls"
        [ "$(grep -c 'flux.flux.compute' "real.$name.rows")" -gt 20 ] || fail "no calls of the flux"
    done
done
cmp -s real.0.vanleer.rows real.16.vanleer.rows && fail "two meshes have the same calls"
cmp -s real.16.none.rows real.16.vanleer.rows && fail "one and two ghost layers have the same calls"
measure flux -D PATCH=16 --class flux=DryFlux
measure states -D PATCH=16 --class states=DryStates
diff flux.rows states.rows >out && diff flux.rows real.16.vanleer.rows >out || fail "one dry class: other calls"

# The stated error is that of a field that does not move, rounded up.
expect 0 'DryFlux sod_l1_200 0.15' "$SCRIPTS/quality.sh" DryFlux sod_l1_200
expect 0 '"value": 0.16' ccafe inspect --json DryFlux
finish
