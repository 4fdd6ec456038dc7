#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Measured runs end to end: what --measure leaves behind, whatever becomes of the run.
# The caller calls a, a calls b: counts, callers and values are known beforehand.
. "$(dirname "$0")/../lib/lib.sh"
# Only these: other tests have proxies of their own.
mkdir classes && ln -s "$O"/tests/components/me_*.so classes



run() { # run STATUS ARGUMENTS...: keeps out and err
    local wanted=$1
    shift
    { ccafe --path "$dir/classes" "$@" >out 2>err; } 2>/dev/null # no word of the shell's
    local status=$?
    [ $status = "$wanted" ] || {
        fail "ccafe $*: status $status, expected $wanted"
        cat out err
    }
}

# assembly NAME LINES...: two workers in a row, then the lines
assembly() {
    {
        printf '%s\n' 'instantiate MeasuredCaller caller' 'instantiate MeasuredWorker a' \
            'instantiate MeasuredWorker b' 'connect caller flux a flux' 'connect a next b flux'
        printf '%s\n' "${@:2}"
    } >"$1"
}

# look EXPERIMENT EXPRESSION: a Python expression over about, wiring, methods and rows (a list of
# dictionaries of text, from `mastermind records`)
look() {
    mastermind records "$1" --csv >records.csv 2>records.err || {
        cat records.err
        return
    }
    python3 - "$1" "$2" <<'PY'
import csv, json, os, sys
path = sys.argv[1]
def load(name):
    name = os.path.join(path, name)
    return json.load(open(name)) if os.path.exists(name) else None
about, wiring = load("experiment.json"), load("wiring.json")
cost = about.get("cost")
methods = load("rank-0000/methods.json")["methods"]
rows = list(csv.DictReader(open("records.csv")))
def of(instance): return [r for r in rows if r["instance"] == instance]
def callers(instance):
    who = {(r["thread"], r["invocation"]): r["instance"] for r in rows}
    return sorted({who.get((r["thread"], r["caller"]), "<thread>") for r in of(instance)})
def gos(): return [(g["instance"], g["port"], g.get("result")) for g in wiring["gos"]]
found = eval(sys.argv[2])
print(*found if isinstance(found, tuple) else (found,))
PY
}

# --- The same program, measured ---------------------------------------------------------------
assembly plain.rc 'parameter caller config calls 100' 'parameter caller config depth 2' \
    'go caller go'
run 0 plain.rc
cp out out.bare
equal 'a bare run says nothing' '' "$(cat err)"
run 0 --measure plain.rc
cmp -s out out.bare || fail 'the output differs under measurement'
[[ $(cat err) =~ ^experiment\ plain-1.mm:\ 3\ methods,\ 201\ rows,\ 0\ dropped\;\ measuring\ cost\ .*\ %\ of\ .*\ s\ CPU$ ]] ||
    fail "the line at the end: $(cat err)"
paid='cost["setup_ns"] > 0, cost["files_ns"] > 0, cost["helper_ns"] > 0, cost["mpi_ns"], \
    abs(cost["calls_ns"] - about["totals"]["rows"] * about["overhead"]["rows"]["pair"]["cold_ns"] * about["overhead"]["pace"]) < 2, \
    sum(cost.values()) < 2 * cost["process_ns"], about["overhead"]["reading_ns"] > 0'
equal 'what the process paid' 'True True False 0 True True True' "$(look plain-1.mm "$paid")"
equal 'rows' '1 100 100' "$(look plain-1.mm 'len(of("caller")), len(of("a")), len(of("b"))')"
equal 'callers' "['<thread>'] ['caller'] ['a']" \
    "$(look plain-1.mm 'tuple(map(callers, ["caller", "a", "b"]))')"
equal 'values of a' True "$(look plain-1.mm '[(int(r["p.axis"]), int(r["p.nx"]), int(r["p.ny"]), int(r["p.Q"])) for r in of("a")] == [(i % 2, i + 1, 2, 2 * i + 2) for i in range(100)]')"
equal 'out-values, absent behind a NULL' True "$(look plain-1.mm '[r["o.iterations"] for r in of("a")] == [r["p.Q"] if i % 3 else "" for i, r in enumerate(of("a"))] and {r["o.iterations"] for r in of("b")} == {""}')"
equal 'times nest, up to rounding' True "$(look plain-1.mm 'abs(sum(int(r["exclusive_ns"]) for r in rows) - int(of("caller")[0]["wall_ns"])) <= len(rows)')"
equal 'finished' 'True 201 auto:1000000 1' "$(look plain-1.mm '"%s %d %s %d" % (about["finished"], about["totals"]["rows"], about["storage"], about["format"])')"
equal 'measured set' "['a.flux', 'b.flux', 'caller.go']" "$(look plain-1.mm 'sorted(about["measured"])')"
equal 'wiring' "[('caller', 'flux', 'a', 'flux'), ('a', 'next', 'b', 'flux')]" \
    "$(look plain-1.mm '[(c["user"], c["uses"], c["provider"], c["provides"]) for c in wiring["connections"]]')"
equal 'instances' "['MeasuredCaller', 'MeasuredWorker', 'MeasuredWorker']" \
    "$(look plain-1.mm '[i["class"] for i in wiring["instances"]]')"
equal 'build ids agree' True "$(look plain-1.mm '{m["build_id"] for m in methods if m["instance"] == "a"} == {i["build_id"] for i in wiring["instances"] if i["name"] == "a"}')"
equal 'the go' "[('caller', 'go', 0)]" "$(look plain-1.mm 'gos()')"
equal 'its parameters' '100 2 0' "$(look plain-1.mm '" ".join(wiring["gos"][0]["parameters"][k] for k in ("caller.config.calls", "caller.config.depth", "b.config.die_at"))')"
equal 'machine' True "$(look plain-1.mm 'about["machine"]["cores"] >= 1 and len(about["machine"]["host"]) > 0')"
equal 'time on the core' True "$(look plain-1.mm 'all(0 <= int(r["cpu_ns"]) <= int(r["wall_ns"]) for r in rows)')"

# --- Names of experiments --------------------------------------------------------------------
run 0 --measure plain.rc
[ -d plain-2.mm ] || fail 'the second run is not plain-2.mm'
run 0 --measure --experiment mine plain.rc
[ -f mine/experiment.json ] || fail '--experiment is not obeyed'
run 0 --measure -o short plain.rc
[ -f short/experiment.json ] || fail '-o is not obeyed'
run 2 --measure --experiment mine plain.rc
equal 'nothing ran' '' "$(cat out)"
mkdir readonly && cp plain.rc readonly && chmod 555 readonly
if ! touch readonly/x 2>/dev/null; then
    (cd readonly && ccafe --path "$dir/classes" --measure plain.rc >../out 2>../err)
    equal 'a directory that cannot be made: status' 5 $?
    equal 'nothing ran' '' "$(cat out)"
    grep -q "cannot make experiment directory 'plain-1.mm': Permission denied" err ||
        fail "a directory that cannot be made: $(cat err)"
fi
chmod 755 readonly

# --- Several goes, part of the ports ---------------------------------------------------------
assembly twice.rc 'go caller go' 'insert a flux' 'parameter caller config calls 3' \
    'go caller go' 'parameter caller config calls 4' 'go caller go'
run 0 twice.rc
equal 'rows of the inserted port alone' '7 7' "$(look twice-1.mm 'len(rows), len(of("a"))')"
equal 'goes since the insert' "3 4" "$(look twice-1.mm '" ".join(g["parameters"]["caller.config.calls"] for g in wiring["gos"])')"
equal 'measured set' "['a.flux']" "$(look twice-1.mm 'about["measured"]')"

# --- Threads --------------------------------------------------------------------------------
assembly threads.rc 'parameter caller config threads 8' 'parameter caller config calls 500' \
    'go caller go'
run 0 --measure threads.rc
equal 'rows of threads' '4000 8 4001' "$(look threads-1.mm 'len(of("a")), len({r["thread"] for r in of("a")}), about["totals"]["rows"]')"
equal 'above a thread is nobody' "['<thread>']" "$(look threads-1.mm 'callers("a")')"

# --- Wired by hand, with parameters of the Mastermind -----------------------------------------
assembly hand.rc 'instantiate TauMeasurement tau' 'instantiate Mastermind mastermind' \
    'instantiate flux_port_proxy proxy' 'connect mastermind measurement tau measurement' \
    'parameter mastermind config experiment by-hand' \
    'connect proxy monitor mastermind monitor' 'disconnect caller flux a flux' \
    'connect proxy port a flux' 'connect caller flux proxy port' 'go caller go'
run 0 hand.rc
equal 'a proxy wired by hand' '10 10' "$(look by-hand 'len(rows), len(of("a"))')"
equal 'CPU time of each call' True "$(look by-hand 'all(int(r["cpu_ns"]) >= 0 for r in rows)')"

# The same script under --measure: one Mastermind, the script's, though it stands last; calls that
# went through the proxy by hand are told once.
sed -i 's/experiment by-hand/experiment by-hand-2/' hand.rc
run 0 --measure hand.rc
grep -c ^experiment err | grep -qx 1 || fail "more than one experiment: $(cat err)"
equal 'by hand and measured' '10' "$(look by-hand-2 'len(of("a"))')"
# The same instance serves the proxies of --measure.
assembly mixed.rc 'parameter caller config calls 5' 'go caller go'
sed -i '1i instantiate TauMeasurement tau\ninstantiate Mastermind mm\nconnect mm measurement tau measurement' mixed.rc
run 0 --measure mixed.rc
equal 'one experiment, with CPU time' '6 True' "$(look mixed-1.mm 'len(rows), all(int(r["cpu_ns"]) >= 0 for r in rows)')"
ls -d mixed-2.mm >/dev/null 2>&1 && fail 'a second Mastermind'

# --- However a run ends ---------------------------------------------------------------------
# ends STATUS END: the 10 calls are there; only a run that ends in order is finished
ends() {
    assembly "$2.rc" "parameter caller config end $2" 'go caller go'
    run "$1" "$2.rc"
    cp out out.bare
    run "$1" --measure "$2.rc"
    cmp -s out out.bare || fail "$2: the output differs under measurement"
    equal "$2: rows" "10 done" "$(look "$2-1.mm" '(len(of("a")), *{r["status"] for r in of("a")})')"
    equal "$2: finished" "$3" "$(look "$2-1.mm" 'about["finished"]')"
    equal "$2: result" "[('caller', 'go', $4)]" "$(look "$2-1.mm" 'gos()')"
    equal "$2: measured set" "['a.flux', 'b.flux', 'caller.go']" "$(look "$2-1.mm" 'sorted(about["measured"])')"
    equal "$2: the caller" "$5" "$(look "$2-1.mm" 'of("caller")[0]["status"]')"
    mastermind report "$2-1.mm" >report.out 2>report.err || fail "$2: no report: $(cat report.err)"
    case $2 in exit | abort)
        equal "$2: where it is" "experiment $2-1.mm: the run did not end in order; the experiment can be read" "$(tail -n 1 err)" ;;
    esac
}
ends 4 fail True -34 done
ends 9 exit False None open
ends 10 _exit False None open
ends 134 abort False None open
ends 137 kill False None open
ends 0 fork True 0 done
equal 'a forked child leaves the experiment alone' 1 "$(grep -c ^experiment err)"

# Killed deep inside: what was finished is there, what was open is shown with its path.
assembly deep.rc 'parameter caller config calls 1000' 'parameter caller config depth 2' \
    'parameter b config die_at 500' 'go caller go'
run 137 --measure deep.rc
equal 'finished calls' '499 499' "$(look deep-1.mm 'len([r for r in of("a") if r["status"] == "done"]), len([r for r in of("b") if r["status"] == "done"])')"
equal 'the open path' "['b', 'a', 'caller']" "$(look deep-1.mm '[r["instance"] for r in rows if r["status"] == "open"]')"

# A signal that ends it: where the experiment is, and the same status as without measurement.
assembly long.rc 'parameter caller config calls 2000000000' 'go caller go'
python3 - "$dir/classes" <<'PY' || fail 'signals'
import os, signal, subprocess, sys, time
bad = 0
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGABRT"):
    number = getattr(signal, name)
    for measured in (0, 1):
        directory = name + ".mm"
        command = ["ccafe", "--path", sys.argv[1]] + ["--measure", "--storage", "aggregates", "--experiment", directory] * measured + ["long.rc"]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        for _ in range(3000):
            if not measured or os.path.exists(directory + "/rank-0000/thread-000.ring"):
                break
            time.sleep(.01)
        time.sleep(.05 if measured else .2)
        run.send_signal(number)
        said = run.communicate()[1].decode()
        words = "experiment %s: the run did not end in order; the experiment can be read\n" % directory
        if number == signal.SIGABRT: # the line of the script comes first
            said = said[said.find("\n") + 1:]
        if (run.returncode, said) != (-number, words * measured):
            bad = print("FAILED:", command, run.returncode, said) or 1
        if measured and subprocess.run(["mastermind", "report", directory], stdout=subprocess.DEVNULL).returncode:
            bad = print("FAILED: no report of", directory) or 1
sys.exit(bad)
PY

# --- A call that was open when a signal came has the time until then -------------------------
for signal in TERM HUP; do
    assembly hung.rc "parameter caller config command 'date +%s%N >began; seq 99999 >/dev/null; date +%s%N >ended; kill -$signal \$PPID'" \
        'parameter caller config calls 1' 'go caller go'
    { env --default-signal=$signal ccafe --path "$dir/classes" --measure --experiment "hung-$signal" hung.rc >out 2>err; } 2>/dev/null
    mastermind report "hung-$signal" --json >report.json
    python3 -c 'import json, sys
open_ns = min(f["elapsed_ns"] for f in json.load(open("report.json"))["open"])
sys.exit(open_ns < int(open("ended").read()) - int(open("began").read()))' ||
        fail "SIG$signal: open for less than its command took: $(grep elapsed report.json)"
done

# --- Where nothing can be kept any more, the program goes on ----------------------------------
assembly vanish.rc "parameter caller config command 'rm -rf vanish-1.mm'" \
    'parameter caller config calls 10' 'go caller go'
run 5 --measure vanish.rc
equal 'a vanished directory' 1 "$(grep -c '^sum ' out)"
[ "$(wc -l <err)" = 2 ] && grep -q "^experiment vanish-1.mm: some measurements were not kept: removed while it was written: '.*/rank-0000'$" err &&
    grep -q ' 0 rows, 11 dropped;' err ||
    fail "a vanished directory, said once: $(cat err)"
(
    ulimit -f 16
    ccafe --path "$dir/classes" --measure --experiment full plain.rc >out 2>err
)
equal 'no room for rows: status' 0 $?
equal 'no room for rows: output' 'sum 6666' "$(cat out)"
equal 'no room for rows: dropped is said' '0 201' "$(look full 'about["totals"]["rows"], about["totals"]["dropped"]')"

# An assembly with a Mastermind and no proxy leaves nothing.
assembly idle.rc 'instantiate TauMeasurement tau' 'instantiate Mastermind mastermind' \
    'connect mastermind measurement tau measurement' 'go caller go'
run 0 idle.rc
ls -d idle*.mm >/dev/null 2>&1 && fail 'an experiment without a proxy'

# Nor does a script that ends at a mistake before anything ran.
assembly mistake.rc 'connect caller flux b nowhere'
run 3 --measure mistake.rc
equal 'one line for a mistake' 1 "$(wc -l <err)"
ls -d mistake*.mm >/dev/null 2>&1 && fail 'an experiment of a script that did not run'
mkdir premade
run 3 --measure --experiment premade mistake.rc
[ -d premade ] && rmdir premade || fail 'a directory that was there before is gone, or not empty'

finish "measured runs: all as expected"
