#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A library's function and a function of the program call each other 100,000 deep: wrappers of the library's
# functions keep a frame on the stack for each open call, and refuse to do so before the stack is used up.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"

echo 'int nest_call(int n, int (*back)(int));' > nest.h
cat > nest.c <<'C'
#include "nest.h"
int nest_call(int n, int (*back)(int)) { return back(n - 1) + 1; }
C
cat > deep.c <<'C'
#include <setjmp.h>
#include <stdio.h>
#include "nest.h"
static jmp_buf out;
static int jumps;
static int back(int n)
{
    if (n > 0)
        return nest_call(n, back) + 1;
    if (jumps)
        longjmp(out, 1);
    return 0;
}
int main(void)
{
    printf("%d\n", nest_call(100000, back));
    jumps = 1;
    for (volatile int i = 0; i < 3; i++)
        if (!setjmp(out))
            nest_call(100000, back);
    jumps = 0;
    for (int i = 0; i < 1000; i++)
        if (nest_call(10, back) != 19)
            return 1;
    return 3;
}
C
$CC -O2 -g -shared -fPIC -o libnest.so nest.c || exit 1
$CC -O2 -g -I. deep.c -o deep -L. -lnest -Wl,-rpath,"$dir" || exit 1
proxygen --interpose "$dir/nest.h" --functions nest_call -o nestproxy 2> err || fail "the wrapper"
run 3 ./deep
cp out alone
run 3 mastermind record --proxy nestproxy --storage rows --no-report -o deep.mm -- ./deep
cmp -s out alone || fail "another output"
holds err "calls of libraries' functions inside hundreds of others are not recorded"
python3 - <<'P' || fail "rows and dropped calls"
import json
totals = json.load(open("deep.mm/experiment.json"))["totals"]
assert totals["rows"] + totals["dropped"] == 4 * 100000 + 10000, totals
# those after the jumps are recorded, and the outer ones of each nest
assert totals["rows"] >= 10000 + 4 * 768 and totals["dropped"] > 200000, totals
P
finish
