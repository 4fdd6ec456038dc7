#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind race`: two commands in pairs, of which it is known by construction which one computes more.
. "$(dirname "$0")/../lib/lib.sh"

mkdir own_tmp
export TMPDIR=$dir/own_tmp

cat >own.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) double kernel(const double *v, int n, int times)
{
    double sum = 0;
    for (int k = 0; k < times; k++)
        for (int i = 0; i < n; i++)
            sum += v[i] * 1.000001 + i;
    return sum;
}
__attribute__((noinline)) double extra(const double *v, int n, int times)
{
    return kernel(v, n, times) * 0;
}
int main(int argc, char **argv)
{
    int n = 20000, more = argc > 1 ? atoi(argv[1]) : 0, size = argc > 2 ? atoi(argv[2]) : 1;
    double *v = malloc(n * sizeof *v);
    volatile char *block = malloc((size_t)size << 20);
    for (size_t i = 0; i < (size_t)size << 20; i += 4096)
        block[i] = 1;
    for (int i = 0; i < n; i++)
        v[i] = i;
    printf("%g\n", kernel(v, n, 1000) + extra(v, n, more));
    return argc > 3 ? atoi(argv[3]) : 0;
}
END
$CC -O2 -g -o own own.c || fail compile
cp own another-name

# --- A program that computes five times as much is found in three pairs
run 1 mastermind race ./own -- ./own 4000
holds <(tail -n 1 out) 'worse: CPU time of B is x '
grep -q '^[3-6] pairs in ' out || fail 'more pairs than a factor of five needs'
run 0 mastermind race ./own 4000 -- ./own
holds out 'better: CPU time of B is -'

# --- A tenth more is found where both sides run at the same time on one core
run 1 mastermind race ./own 1000 -- ./own 1200
holds out 'both sides at the same time on one core'
holds out 'worse: CPU time of B is +'

# --- By turns: where asked for, and where the sides could disturb each other
cat >threads.c <<'END'
#include <pthread.h>
static void *nothing(void *context)
{
    return context;
}
int main(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL);
}
END
$CC -O2 -pthread -o threads threads.c || fail "compile threads"
run 0 mastermind race --pairs 2 --pairing turns true -- true
holds out ', by turns'
run 0 mastermind race --pairs 2 sh -c 'echo a >/dev/null' -- sh -c 'mktemp -t XXXXXXXX >name-$$; rm $(cat name-$$) name-$$'
holds out "by turns: B writes 'name-"
run 0 mastermind race --pairs 2 true -- ./threads
holds out 'by turns: B has threads'
run 0 mastermind race --pairs 2 --pairing together true -- ./threads
holds out 'both sides at the same time on one core'
run 0 mastermind race --pairs 2 sh -c 'ls >/dev/null | cat' -- sh -c 'ls | cat >/dev/null'
holds out 'both sides at the same time on one core'
run 0 mastermind race --pairs 2 sh -c 'mkdir lock 2>&1 && sleep .3 && rmdir lock' -- sh -c 'mkdir lock 2>&1 && sleep .3 && rmdir lock'
grep -q 'by turns: [AB] fails beside the other side' out || fail "sides with a lock"
expect 2 'found --pairing both, expected auto, together or turns' mastermind race --pairing both true -- true

# --- The same program under another name
run 0 mastermind race ./own -- ./another-name
grep -qE '^(same|undecided): ' out || fail "equal programs"

# --- The document, the summary, the JUnit file: one verdict
run 1 mastermind race --json --markdown race.md --junit race.xml ./own -- ./another-name 4000
cp out race.json
fits race race.json
python3 - <<'END' || fail "documents"
import json, xml.etree.ElementTree as xml
d = json.load(open("race.json"))
assert d["verdict"] == "worse" and d["ended"] == "sure" and d["pairs"] == len(d["runs"]) <= 6, d
c = d["cpu_s"]
assert abs(c["a"] - sum(r["cpu_a_s"] for r in d["runs"]) / d["pairs"]) < 1e-9
assert 2.5 < c["relative"] < 6 and c["low"] < c["relative"] < c["high"], c
suite = xml.parse("race.xml").getroot()
assert suite.get("failures") == "1" and len(suite) == 2, suite.attrib
assert "worse: CPU time" in suite[0][0].get("message")
assert open("race.md").read().splitlines()[0].startswith("### B costs more: CPU time x "), open("race.md").read()
# Samples: `kernel` alone grew, and as much as the whole
if d["functions"]:
    f = {f["name"]: f for f in d["functions"]}
    assert f["kernel"]["changed"] and abs(f["kernel"]["change_s"] - (c["b"] - c["a"])) < .1 * c["b"], d["functions"]
END

# --- Memory: both compute the same, one keeps 10 MiB more
run 1 mastermind race --same 60 --pairs 8 ./own 0 20 -- ./own 0 30
holds out 'worse: peak memory of B is '

# --- Results that differ, and those that differ from run to run
cat >clock.sh <<'END'
date +%s%N
END
run 0 mastermind race --pairs 2 echo 1 -- echo 2
holds out 'note: A and B print different results'
run 0 mastermind race --pairs 2 sh clock.sh -- sh clock.sh
! grep -q 'different results' out || fail "output with the time in it"

# --- Refusals
expect 4 "B './own' ended with status 7" mastermind race ./own -- ./own 0 1 7
expect 4 "cannot run './nothing'" mastermind race ./nothing -- ./own
expect 4 "was ended by signal 9" mastermind race sh -c 'kill -9 $$' -- ./own
expect 2 "found one command, expected race A... -- B..." mastermind race ./own
expect 2 "found no command" mastermind race
expect 2 "expected --same above" mastermind race --same 1 --min-change 2 ./own -- ./own
expect 2 "for --budget" mastermind race --budget soon ./own -- ./own
expect 5 "cannot write './no/file'" mastermind race --pairs 2 --markdown ./no/file ./own -- ./own
equal "files left in the temporary folder" "" "$(ls own_tmp)"

# --- A budget, and a signal: the run under way ends, too
run 0 mastermind race --budget 1s sleep 0.5 -- sleep 0.5
holds <(tail -n 1 out) 'undecided: '
holds out 'it ended because of --budget'
mastermind race sleep 600 -- sleep 600 >out 2>err &
race=$!
until pgrep -P $race sleep >child; do sleep .05; done
kill -TERM $race
wait $race
equal "status after SIGTERM" 143 $?
! kill -0 "$(cat child)" 2>/dev/null || fail "the run outlives its race"
finish
