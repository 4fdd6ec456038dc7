#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The component that docs/guide/measurement.md shows, as somebody would build it who has read no more:
# what it times and counts is what Python says of the same sweeps.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "the component is not linked with sanitizers"
awk '/^## The Measurement port/ { on = 1 } on && /^```c$/ { out = "go.c"; next } on && /^```$/ {
         out = out == "go.c" ? "" : out == "" && !done ? "hand.rc" : ""; done = out == "hand.rc"; next }
     out != "" { print > out }' "$root/docs/guide/measurement.md"
[ -s go.c ] && grep -q '^go relax go$' hand.rc || fail 'the page has no such example'
{
    cat <<'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/measurement_port.h"

struct relax {
    struct go_port go;
    struct cca_services *services;
};

static double sweep(double *u, int n)
{
    double change = 0;

    for (int i = 1; i < n - 1; i++) {
        double now = (u[i - 1] + u[i + 1]) / 2;

        change += (now - u[i]) * (now - u[i]);
        u[i] = now;
    }
    return change;
}

END
    cat go.c
    cat <<'END'

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, relax_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct relax, services),
    .name = "Relax",
    .summary = "relaxes a line of numbers, and measures itself",
    CCA_IMPLEMENTS({"go", offsetof(struct relax, go), &port.base}),
    CCA_USES({.name = "measurement", .type = MEASUREMENT_PORT_TYPE, .size = sizeof(struct measurement_port)}),
};
END
} >Relax.c
# shellcheck disable=SC2046
"$CC" -Wall -Wextra -ffp-contract=off $(ccafe cflags) -shared -o Relax.so Relax.c || fail 'it does not compile'
grep -v 'tau' hand.rc >bare.rc
ccafe --path . bare.rc >out 2>err || fail "bare: $(cat err)"
[ ! -s err ] || fail "bare: $(cat err)"
ccafe --path . hand.rc >out 2>err || fail "by hand: $(cat err)"
[ "$(cat err)" = '50 sweeps timed' ] || fail "by hand: $(cat err)"
ccafe --path . --measure --experiment run.mm --tau-profiles run.tau bare.rc >out 2>err || fail "measured: $(cat err)"
grep -qx '50 sweeps timed' err || fail "measured: $(cat err)"
mastermind report run.mm | grep -q '^recording took [0-9.,]* ns a call; .* are subtracted$' ||
    fail "the report does not say what recording cost: $(mastermind report run.mm)"
python3 - <<'END'
import json, math, re, statistics
u, changes = [1.0] + [0.0] * 999, []
for sweep in range(100):
    change = 0.0
    for i in range(1, 999):
        now = (u[i - 1] + u[i + 1]) / 2
        change += (now - u[i]) * (now - u[i])
        u[i] = now
    changes.append(change)
about = json.load(open("run.mm/experiment.json"))
timers = {t["name"]: t for t in about["timers"]}
assert {n: (t["group"], t["calls"], t["subroutines"]) for n, t in timers.items()} == \
    {"relax": ("", 1, 50), "sweep": ("detail", 50, 0)}, timers
assert timers["sweep"]["inclusive_ns"] == timers["sweep"]["exclusive_ns"] > 0, timers
assert timers["relax"]["inclusive_ns"] == timers["relax"]["exclusive_ns"] + timers["sweep"]["inclusive_ns"], timers
(event,) = about["events"]
truth = {"count": 100, "min": min(changes), "max": max(changes), "mean": statistics.fmean(changes),
         "sd": statistics.stdev(changes)}
assert event.pop("name") == "change" and set(event) == set(truth), event
assert all(math.isclose(event[k], truth[k], rel_tol=1e-9) for k in truth), (event, truth)
assert about["overhead"]["call_ns"] > 0 and about["overhead"]["aggregate_ns"] > 0, about["overhead"]
# The profile, as its format has it: names in quotes, then numbers.
lines = open("run.tau/profile.0.1.0").read().splitlines()
assert re.fullmatch(r"3 templated_functions_MULTI_TIME", lines[0]), lines[0]
functions = {m[1]: [float(x) for x in m[2].split()] for m in (re.match(r'"([^"]*)" ([\d. ]+) GROUP=', l) for l in lines) if m}
assert functions["sweep"][:2] == [50, 0] and functions["relax"][:2] == [1, 50], functions
at = lines.index("1 userevents")
name, rest = re.fullmatch(r'"([^"]*)" (.*)', lines[at + 2]).groups()
count, most, least, mean, squares = map(float, rest.split())
assert name == "change" and count == 100 and math.isclose(squares, sum(c * c for c in changes), rel_tol=1e-9), lines
END
