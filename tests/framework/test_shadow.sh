#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Shadow calls: the run's results, counts and rows are those of a run without them, whatever a rival does: it gives
# other results, writes its input, writes beyond an array, calls measured ports, takes long; in eight threads at once.
. "$(dirname "$0")/../lib/lib.sh"

cat >scale_port.h <<'END'
#ifndef SCALE_PORT_H
#define SCALE_PORT_H
#include "ports/cca_port.h"
#define SCALE_PORT_TYPE "test.ScalePort/1"
struct scale_port {
    struct cca_port base;
    int (*scale)(struct scale_port *self, CCA_PARAM int n, const double *x, double *y, int64_t *sum)
        CCA_PERF("reads x[n]; writes y[n]; updates sum");
};
#endif
END
cat >deep_port.h <<'END'
#ifndef DEEP_PORT_H
#define DEEP_PORT_H
#include "ports/cca_port.h"
#define DEEP_PORT_TYPE "test.DeepPort/1"
struct deep_port {
    struct cca_port base;
    int (*solve)(struct deep_port *self, CCA_PARAM int n, double *x, void *plan) CCA_PERF("updates x[n]");
};
#endif
END
cat >scaler.c <<'END'
#include <string.h>
#include "framework/cca.h"
#include "scale_port.h"
struct scaler {
    struct scale_port port;
    struct cca_services *services;
    int busy;
};
static int scale(struct scale_port *self, int n, const double *x, double *y, int64_t *sum)
{
    struct scaler *s = cca_container_of(self, struct scaler, port);
    struct scale_port *next = cca_services_get_port_nonblocking(s->services, "next", SCALE_PORT_TYPE, sizeof *next, NULL);
    if (__atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE) && ONCE)
        *sum += 1000000;
    if (next) {
        next->scale(next, n, x, y, sum);
        cca_services_release_port(s->services, "next", NULL);
    }
    for (int i = 0; i < n; i++)
        y[i] = FACTOR * x[i];
    for (volatile int i = 0; i < WORK; i++)
        ;
    *sum += n;
    SPOIL
    __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
    return 0;
}
static const struct scale_port port = {.base = {SCALE_PORT_TYPE, sizeof port}, .scale = scale};
CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct scaler, services), .name = NAME, .summary = "scales",
    CCA_IMPLEMENTS({"scale", offsetof(struct scaler, port), &port.base}),
    .provides = (const struct cca_port_decl[]){{"scale", SCALE_PORT_TYPE, sizeof(struct scale_port), 0, 0, FLAGS}, {0}},
    CCA_USES(CCA_PORT("next", SCALE_PORT_TYPE, struct scale_port)),
};
END
cat >solver.c <<'END'
#include "framework/cca.h"
#include "deep_port.h"
struct solver {
    struct deep_port port;
};
static int solve(struct deep_port *self, int n, double *x, void *plan)
{
    (void)self, (void)n, (void)x, (void)plan;
    return 0;
}
static const struct deep_port port = {.base = {DEEP_PORT_TYPE, sizeof port}, .solve = solve};
CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct solver), .name = "Solver", .summary = "solves",
    CCA_IMPLEMENTS({"deep", offsetof(struct solver, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("deep", DEEP_PORT_TYPE, struct deep_port)),
};
END
cat >driver.c <<'END'
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include "framework/cca.h"
#include "ports/go_port.h"
#include "scale_port.h"
struct driver {
    struct go_port port;
    struct cca_services *services;
    struct scale_port *scale;
};
static uint64_t hash;
static void *work(void *context)
{
    struct driver *d = context;
    double x[64], y[64];
    int64_t sum = 0;
    uint64_t own = 0, bits;
    fesetround(FE_UPWARD); /* rivals have to round as the program does */
    for (int call = 0; call < 400; call++) {
        const int n = 8 + call % 56;
        for (int i = 0; i < n; i++)
            x[i] = call + i;
        errno = 7;
        feclearexcept(FE_ALL_EXCEPT);
        d->scale->scale(d->scale, n, x, y, &sum);
        for (int i = 0; i < n; i++) {
            __builtin_memcpy(&bits, &y[i], 8);
            own = own * 31 + bits;
            __builtin_memcpy(&bits, &x[i], 8);
            own = own * 31 + bits;
        }
        own = own * 31 + (uint64_t)sum + (uint64_t)errno + (uint64_t)fetestexcept(FE_ALL_EXCEPT);
    }
    fesetround(FE_TONEAREST);
    __atomic_fetch_add(&hash, own, __ATOMIC_RELAXED);
    return NULL;
}
static int go(struct go_port *self)
{
    struct driver *d = cca_container_of(self, struct driver, port);
    const int threads = (int)cca_services_param_long(d->services, "threads");
    pthread_t thread[8];
    d->scale = cca_services_get_port(d->services, "scale", SCALE_PORT_TYPE, sizeof *d->scale, NULL);
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, work, d);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    if (!threads)
        work(d);
    cca_services_release_port(d->services, "scale", NULL);
    printf("hash %016llx\n", (unsigned long long)hash);
    return 0;
}
static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = go};
CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct driver, services), .name = "Driver", .summary = "calls",
    CCA_IMPLEMENTS({"go", offsetof(struct driver, port), &port.base}),
    CCA_USES(CCA_REQUIRED("scale", SCALE_PORT_TYPE, struct scale_port)),
    CCA_PARAMS({.name = "threads", .type = CCA_LONG, .value = "0"}),
};
END
cat >run.rc <<'END'
#!ccaffeine bootstrap file.
path append .
instantiate $CLASS scale
instantiate $NEXT next
instantiate Driver driver
connect driver scale scale scale
connect scale next next scale
parameter driver config threads $THREADS
go driver go
END
flags=$(ccafe cflags)
build() { # build FILE.c CLASS [DEFINE...]
    local from=$1 class=$2
    shift 2
    run 0 $CC -O1 -I. $flags "$@" -shared "$from" -o "$class.so" -lpthread -lm
}
scaler() { # scaler CLASS FACTOR WORK SPOIL [FLAGS]
    build scaler.c "$1" "-DNAME=\"$1\"" "-DFACTOR=$2" "-DWORK=$3" "-DSPOIL=$4" "-DFLAGS=${5-CCA_PORT_INDEPENDENT}" \
        "-DONCE=${6-0}"
}
run 0 proxygen scale_port.h
run 0 proxygen deep_port.h
build scale_port_proxy.c scale_port_proxy
build deep_port_proxy.c deep_port_proxy
build driver.c Driver
build solver.c Solver
scaler Plain 2 20 ''
scaler Inner 1 20 ''
scaler Other '(2 + (i == 3))' 20 ''
scaler Slow 2 20000 '' CCA_PORT_INDEPENDENT 1
scaler Liar 2 20 '((double *)x)[n / 2] = 1e9;'
scaler Vandal 2 20 'y[n] = 5;'
scaler Stateful 2 20 '' 0
scaler Tenth .1 20 ''
scaler Noisy 2 20 'errno = 33; volatile double zero = 0; y[0] = y[0] + 0 * (1 / (zero + 1e-320)) * 0 ;'

go() { # go CLASS EXPERIMENT THREADS [OPTION...]
    local class=$1 experiment=$2 threads=$3
    shift 3
    run 0 ccafe -D CLASS="$class" -D NEXT=Inner -D THREADS="$threads" --measure --experiment "$experiment" "$@" run.rc
}
counts() { # name and calls of each method
    mastermind report "$1" --json >counts.json || fail "no report of $1"
    python3 -c '
import json, sys
for m in sorted(json.load(open("counts.json"))["methods"], key=lambda m: m["name"]): print(m["name"], m["calls"])'
}

# --- Results and counts are those of the run without shadow calls -----------------------------------------------------
go Plain plain.mm 0
hash=$(grep hash out)
go Plain shadow.mm 0 --shadow scale.scale=Other,Slow:25%
equal 'the results' "$hash" "$(grep hash out)"
equal 'the counts' "$(counts plain.mm)" "$(counts shadow.mm)"
equal 'the shadow calls' 'scale_Other.scale.scale 100
scale_Plain.scale.scale 100
scale_Slow.scale.scale 100' "$(counts shadow.mm/shadow)"
go Plain again.mm 0 --shadow scale=Other,Slow:.25
rows() { # the sampled calls, their order and their differences
    mastermind records "$1" | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["class"] == sys.argv[1]: print(*(r[k] for k in "p.n o.order o.unequal o.difference o.norm o.largest".split()))' "$2"
}
for class in Other Slow Plain; do
    rows shadow.mm/shadow $class >first
    equal "the rows of $class again" "$(cat first)" "$(rows again.mm/shadow $class)"
    [ "$(cut -d' ' -f2 first | sort -u | tr '\n' ' ')" = '0 1 2 ' ] || fail "the order of $class is not random"
    cut -d' ' -f3 first | sort -u >unequal
    equal "elements that $class has otherwise" "$([ $class = Other ] && echo 1 || echo 0)" "$(cat unequal)"
done

# --- Rivals round as the program does ------------------------------------------------------------------------------------
go Tenth tenth.mm 0 --shadow scale=Other:25%
rows tenth.mm/shadow Tenth | cut -d' ' -f3 | sort -u >unequal
equal 'elements that the class itself has otherwise' 0 "$(cat unequal)"

# --- The time of rivals is in no row of the run -----------------------------------------------------------------------
times_are_apart() {
    rm -rf timed.mm
    go Plain timed.mm 0 --shadow scale.scale=Other,Slow:25%
    mastermind report timed.mm --json >report.json
    mastermind report timed.mm/shadow --json >rivals.json
    python3 - <<'END' || fail 'the driver has the time of rivals'
import json
run = {m["name"]: m for m in json.load(open("report.json"))["methods"]}
rivals = {m["name"]: m for m in json.load(open("rivals.json"))["methods"]}
slow = rivals["scale_Slow.scale.scale"]["inclusive_ns"]
assert run["driver.go.go"]["inclusive_ns"] < slow / 2, (run["driver.go.go"]["inclusive_ns"], slow)
END
}
at_best times_are_apart
mastermind report shadow.mm/shadow --json >rivals.json

# --- One run predicts runs with the rivals ----------------------------------------------------------------------------
run 0 mastermind predict shadow.mm --set scale=Slow --json
python3 - <<'END' || fail 'the prediction with Slow'
import json
slow = {m["name"]: m for m in json.load(open("rivals.json"))["methods"]}["scale_Slow.scale.scale"]
found = json.load(open("out"))
assert 3e-9 * slow["inclusive_ns"] < found["total_s"] and found["runs"] == 1, found
assert "calls" not in found["asked"]["variables"], found["asked"]
END

# --- Rivals that do not keep to the marks -----------------------------------------------------------------------------
for class in Liar Vandal Noisy; do
    go Plain $class.mm 0 --shadow scale=$class:50%
    equal "the results with $class" "$hash" "$(grep hash out)"
    equal "the counts with $class" "$(counts plain.mm)" "$(counts $class.mm)"
    case $class in
    Liar) grep -q "shadow: class Liar has written the input 'x' of scale: it gets no more shadow calls" err || fail "no word of $class" ;;
    Vandal) grep -q "shadow: class Vandal has written outside 'y' of scale: it gets no more shadow calls" err || fail "no word of $class" ;;
    esac
done

# --- Eight threads ----------------------------------------------------------------------------------------------------
go Plain threads.mm 8
hash=$(grep hash out)
go Plain shadows.mm 8 --shadow scale=Slow,Liar:20%
equal 'the results of threads' "$hash" "$(grep hash out)"
equal 'the counts of threads' "$(counts threads.mm)" "$(counts shadows.mm)"

# --- Refusals, in one line --------------------------------------------------------------------------------------------
refused() { # refused WORDS OPTION
    rm -rf refused.mm
    expect 3 "$1" ccafe -D CLASS=Plain -D NEXT="${3-Inner}" -D THREADS=0 --measure --experiment refused.mm --shadow "$2" run.rc
}
refused "class 'Stateful' does not declare that calls of its port 'scale' are independent" scale=Stateful:1%
refused "'scale' of 'scale' cannot be shadowed: rivals would call 'scale' of 'next', and class 'Stateful' does not" \
    scale=Other:1% Stateful
refused "--shadow scale=Other:0%: found '0%', expected a rate of shadow calls, such as 1%" scale=Other:0%
refused "--shadow scale=Other: expected SLOT=CLASS[,CLASS...]:RATE%" scale=Other
refused "no class 'Nothing' on the path" scale=Nothing:1%
sed 's/^go.*/swap scale Other\n&/' run.rc >swapped.rc
expect 3 "--shadow scale=Slow:1%: 'scale' is Other since a swap; rules and shadow calls need its own class Plain" \
    ccafe -D CLASS=Plain -D NEXT=Inner -D THREADS=0 --shadow scale=Slow:1% swapped.rc
sed 's/^go.*/shadow scale scale Slow 1%\nswap scale Other\n&/' run.rc >swapped.rc
expect 3 "'scale' of 'scale' has shadow calls, and they need its class Plain" \
    ccafe -D CLASS=Plain -D NEXT=Inner -D THREADS=0 --measure --experiment swapped.mm swapped.rc
sed 's/^go.*/instantiate Solver solver\nshadow solver deep Solver 1%\n&/' run.rc >deep.rc
expect 3 "test.DeepPort/1 cannot be shadowed: the marks of solve have no size for 'plan' (reads, writes or updates)" \
    ccafe -D CLASS=Plain -D NEXT=Inner -D THREADS=0 --measure --experiment deep.mm deep.rc
finish
