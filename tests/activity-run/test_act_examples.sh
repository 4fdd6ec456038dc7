#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The examples last what their closed forms say, to 12 digits, compiled and interpreted; they are checked without errors and
# printed as they are written.
. "$(dirname "$0")/../lib/lib.sh"
examples=$root/examples/activity

# lasts CONFIG FORMULA MODEL [OPTIONS]
lasts() {
    local config=$1 formula=$2 model=$3
    shift 3
    for how in "" $interpreted; do
        run 0 activity run "$examples/$model.act" --config "$config" --json $how "$@"
        python3 -c "
import json, sys
found = json.load(open('out'))['runs'][0]['total_s']
wanted = $formula
assert abs(found - wanted) <= 1e-12 * wanted, (found, wanted)" || fail "$model $config $* $how"
    done
}
interpreted=--interpret
sample="121/3.14 + 112 + 32 + 3.14 + 2.71*3.14"
for p in 1 4 32 1000; do
    lasts "N250P$p" "$sample" sample
done
interpreted= lasts N25000P100000 "$sample" sample
sed 's/GV = 1;/GV = 0;/' "$examples/sample.act" >other.act
run 0 activity run other.act --config N8P32
holds out "262.184431847 s"
for p in 1 2 5 32; do
    lasts "N8P$p" "1.5 + .5 + .25*64/$p + $p*.125 + .5" pipeline
    lasts "N8P$p" "1.5 + .5 + .25*64/$p + $p*.03125*64/$p + .5" lapw0
done
lasts N1P1 "1e-8*1000*999/2" kernel6
lasts N1P1 "1e-8*300*299/2" kernel6 --set N=300 --set DETAIL=1
for p in 2 7 64; do
    lasts "N${p}P$p" "$p*(2e-7 + 5e-6 + 1000*1e-9 + 3e-7)" ring --machine "$examples/ring.ini"
done
lasts N1P2 4.0 sharing --machine "$examples/sharing.ini"
lasts N1P2 3.0 sharing
lasts N1P1 12.0 schedules
lasts N1P1 10.0 schedules --set DYNAMIC=1
lasts N1P1 "2 + 4*.5" locks
lasts N1P1 "2 + 3*.5" locks --set T=3

# The sum of SA2's costs over all processes: of longs, which divide so
for p in 4:66 32:119 1000:119; do
    run 0 activity run "$examples/sample.act" --config "N250P${p%:*}" --json
    python3 -c "
import json
e, = [e for e in json.load(open('out'))['runs'][0]['elements'] if e.get('name') == 'SA2']
assert e['cost_s'] == ${p#*:}, e" || fail "SA2 on $p"
done

# Jobs of 1 and 3 s on one core end at 2 and 4
run 0 activity run "$examples/sharing.act" --config N1P2 --machine "$examples/sharing.ini" --json
python3 -c "
import json
e, = json.load(open('out'))['runs'][0]['elements']
assert (e['least_s'], e['largest_s']) == (2, 4), e" || fail "sharing"

for model in "$examples"/*.act; do
    run 0 activity check "$model" --config none
    run 0 activity print "$model"
    cp out printed.act
    run 0 activity print printed.act
    cmp out printed.act || fail "$model is printed as it is written"
done
finish
