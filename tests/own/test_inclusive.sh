#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# model --inclusive: a call with all that it calls, of functions and regions, less the cost of recording.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache

cat > nest.c <<'C'
#include "mm_region.h"
static volatile double x;
__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n * 20; i++) x = x + i; }
__attribute__((noinline)) void half(int n) { for (int i = 0; i < n; i++) leaf(n); }
__attribute__((noinline)) void solve(int n) { for (int i = 0; i < 4; i++) half(n); }
int main(void)
{
    for (int n = 20; n <= 100; n += 10)
        for (int k = 0; k < 4; k++) {
            mm_region_begin("step", mm_param(n));
            solve(n);
            mm_region_end();
        }
    return 0;
}
C
gcc -O1 -g -I"$root/mastermind/preload" -o nest nest.c || exit 1
for storage in rows aggregates; do
    run 0 mastermind record --functions solve,half,leaf --storage $storage --no-report -o $storage.mm -- ./nest
    mastermind model --inclusive $storage.mm --json > all.json 2> err
    mastermind model $storage.mm --json > own.json 2> err
    mastermind report $storage.mm --json > report.json
    mastermind model --inclusive $storage.mm --at n=100 --json > at.json 2> err
    python3 - <<'P' || fail "$storage: inclusive models"
import json
load = lambda name: {m["method"]: m for m in json.load(open(name))["methods"]}
whole, own, report = load("all.json"), load("own.json"), load("report.json")
assert {m["metric"] for m in whole.values()} == {"inclusive own time"}, whole
for name, method in whole.items():
    sum_ns = method["measured_ns"]
    assert abs(sum_ns - report[name]["inclusive_ns"]) <= .01 * sum_ns, (name, sum_ns, report[name]["inclusive_ns"])
    assert sum_ns >= own[name]["measured_ns"] * .99, name
assert own["solve"]["measured_ns"] < .2 * whole["solve"]["measured_ns"]
call = {m["method"]: m["models"][0]["estimate"]["mean_ns"] for m in json.load(open("at.json"))["methods"]}
assert .7 < call["solve"] / (4 * call["half"]) < 1.4 and .7 < call["step"] / call["solve"] < 1.4, call
assert call["half"] > 60 * call["leaf"], call
P
done
mastermind model --inclusive rows.mm > out 2> err
holds out "inclusive: each call with all that it calls"
! grep -q "by their models" out || fail "a sum would count callees twice"
expect 2 "--inclusive goes without --save" mastermind model --inclusive rows.mm --save kept
mastermind model rows.mm --save kept > out 2> err
expect 2 "--inclusive takes experiments" mastermind model --inclusive rows.mm kept
finish
