#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What Vetter's paper shows of sampled messages, from runs of this project on two ranks: latencies, programs, figures, claims and
# the page. `make paper-messages` calls it.
#   scripts/messages-paper/messages-paper.sh DIR [--small] [--draw] [--realtime]
#     DIR         where runs, data, figures and messages-paper.md go
#     --small     short runs, as the test has them: counts hold, times mean little
#     --draw      draw the runs that DIR has
#     --realtime  ranks get real-time priority, by chrt: for machines where others compute, too. They get nothing meanwhile
# O is the build tree, with `all`, the programs of `tests` and bench/messages/thin.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${O:?the build tree is needed}"
export PATH=$O/bin:$PATH PYTHONDONTWRITEBYTECODE=1 MPIRUN_SECONDS=60
out=${1:?a directory is needed}
shift
small= draw= first=()
for option; do
    case $option in
    --small) small=1 ;;
    --draw) draw=1 ;;
    --realtime) first=(chrt -r 1) ;;
    *) echo "messages-paper: no option '$option'" >&2 && exit 2 ;;
    esac
done
for tool in gnuplot python3 mpirun.openmpi; do
    command -v $tool >/dev/null || { echo "messages-paper: found no $tool, expected it: make deps paper-messages" >&2; exit 2; }
done
programs=$O/programs/openmpi
mkdir -p "$out/data" "$out/figures"
cd "$out"

rounds=5 blocks=100:400 sizes="4 16 64 256 1024 4096 16384 65536 262144 1048576"
multigrid="multigrid --n 64 --nz 48 --solves 2" whole="multigrid --n 64 --nz 48" bursts=1000 posted=100 seeds=200
if [ -n "$small" ]; then
    rounds=1 blocks=5:400 sizes="4 1024 65536"
    multigrid="multigrid --n 16 --nz 8" whole=$multigrid bursts=150 posted=8 seeds=60
fi

strategies="none P-0-OFF C-2-FREQ C-16-FREQ C-256-FREQ T-0.001-FREQ T-0.03-FREQ T-0.3-FREQ P-0.01-FREQ P-0.1-FREQ P-0.5-FREQ P-0.9-FREQ"
analyses="P-0.1-OFF P-0.1-STAT P-0.1-WRITE P-0.5-OFF P-0.5-STAT P-0.5-WRITE"
slowdowns="none P-0-OFF P-0.01-FREQ P-0.1-FREQ P-0.5-FREQ P-0.9-FREQ P-1-WRITE"
thresholds="0.01 0.03 0.1 0.3 0.5 0.9 1"
places="P-0.0625 C-16 C-16:8 T-0.0005 T-0.0005:0.0004"
perturbing="none P-0-OFF P-0.01-WRITE,frames=8 P-1-WRITE P-1-WRITE,frames=8"
if [ -n "$small" ]; then
    strategies=P-0-OFF analyses=P-0.5-WRITE slowdowns="none P-1-WRITE" thresholds="0.1 0.5 1"
    places="P-0.0625 C-16 C-16:8 T-0.0005"
    perturbing="none P-1-WRITE,frames=8"
fi

say() { printf 'messages-paper: %s\n' "$*" >&2; }

# run NAME REQUEST PROGRAM...: an experiment runs/NAME.mm, and what the program prints in runs/NAME.out
run() {
    local name=$1 request=$2 program=$3
    shift 3
    rm -rf "runs/$name.mm"
    local words=(--messages "$request")
    [ "$request" != none ] || words=()
    "${first[@]}" "$here/../../tests/lib/mpirun.sh" openmpi 2 mastermind record "${words[@]}" --mpi-time off -o "runs/$name.mm" -- \
        "$programs/$program" "$@" >"runs/$name.out" 2>"runs/$name.err" || {
        cat "runs/$name.err" >&2
        echo "messages-paper: $program under $request ended with $?" >&2
        return 1
    }
}

# turns SECTION SECONDS REQUESTS PROGRAM...: runs of all requests in turns; no further turn after so many seconds
turns() {
    local section=$1 until=$((SECONDS + $2)) requests=$3 round request
    shift 3
    for ((round = 1; round <= rounds; round++)); do
        [ $SECONDS -lt $until ] || [ $round = 1 ] || { say "$section: $((round - 1)) rounds of $rounds, no more time" && break; }
        for request in $requests; do
            run "$section-$request-$round" "$request" "$@"
        done
    done
}

loud() { # loud SECTION: whether the machine is, now
    "${first[@]}" python3 "$here/loud.py" data/loud.json "$1"
}

# Waiting ranks spin, as Open MPI does on a machine of one's own. On a loud one they lose their cores for it.
begin() {
    "${first[@]}" true || { echo "messages-paper: --realtime needs chrt and the right to use it" >&2; return 1; }
    echo "{\"realtime\": ${#first[@]}}" >data/options.json
    loud begin
    if [ -n "$small" ] || loud is; then
        export OMPI_MCA_mpi_yield_when_idle=1
        say "the machine is loud: waiting ranks yield"
    fi
}

csv() { # csv NAME OPTION: as users see it
    mastermind messages "runs/$1.mm" "$2" --csv >"data/$1.csv"
}

runs() {
    local program threshold request
    rm -rf runs data
    mkdir runs data
    begin
    say "latency against size"
    turns latency 100 "$strategies $analyses" ping_pong $blocks $sizes
    loud latency
    say "messages sampled against threshold"
    for threshold in $thresholds; do
        run sampled-ghost-$threshold P-$threshold-FREQ,seed=4 ghost --n 32 --steps 130
        run sampled-wavefront-$threshold P-$threshold-FREQ,seed=4 wavefront --n 48 --nz 48
        run sampled-multigrid-$threshold P-$threshold-FREQ,seed=4 $whole
        for program in ghost wavefront multigrid; do
            csv sampled-$program-$threshold --channels
        done
    done
    say "time of multigrid against threshold"
    rounds=$((rounds + rounds / 2)) turns slowdown 70 "$slowdowns" $multigrid
    mastermind messages runs/slowdown-P-1-WRITE-1.mm --json >data/slowdown-P-1-WRITE.json
    loud slowdown
    say "sample space"
    for request in $places; do
        run places-$request "$request-WRITE,seed=4" burst --bursts $bursts
        csv places-$request --records
    done
    say "expected and unexpected messages"
    turns posted 40 "$perturbing" posted --rounds $posted
    loud posted
    say "kept bytes, nested samples, latencies of each identifier"
    for request in P-0.01-STAT P-0.01-FREQ P-0.01-WRITE P-0.1-WRITE P-1-WRITE; do
        run kept-$request $request,seed=4 $whole
    done
    csv kept-P-0.01-WRITE --records
    csv kept-P-0.1-WRITE --records
    mastermind messages runs/kept-P-1-WRITE.mm --json >data/kept-P-1-WRITE.json
}

data() {
    say "data"
    python3 "$here/latency.py" runs data
    python3 "$here/sampled.py" data
    python3 "$here/slowdown.py" runs data
    python3 "$here/places.py" data
    python3 "$here/posted.py" runs data
    python3 "$here/kept.py" runs data
    python3 "$here/identifiers.py" data
    "$O/bench/messages/thin" runs/kept-P-1-WRITE.mm --seeds $seeds >data/thin-all.json
    "$O/bench/messages/thin" runs/kept-P-1-WRITE.mm --seeds $seeds --below 20000 >data/thin-below.json
    "$O/bench/messages/thin" runs/kept-P-1-WRITE.mm --first 4 --seeds 1 >data/thin-seed.json
    python3 "$here/errors.py" data
}

figure() { # figure SCRIPT ASSIGNMENTS
    gnuplot -e "style='$here/../paper/style.gp'; data='data'; figures='figures'; $2" "$here/$1.gp"
}

figures() {
    say "figures"
    figure posted ""
    figure latency "number='04'; first='P-0-OFF'"
    if [ -z "$small" ]; then
        figure latency "number='05'; first='P-0-OFF'; others='C-256-FREQ C-16-FREQ C-2-FREQ'"
        figure latency "number='06'; first='P-0-OFF'; others='T-0.3-FREQ T-0.03-FREQ T-0.001-FREQ'"
        figure latency "number='07'; first='P-0-OFF'; others='P-0.01-FREQ P-0.1-FREQ P-0.5-FREQ P-0.9-FREQ'"
        figure analyses ""
    fi
    figure sampled ""
    figure slowdown ""
    figure places "load 'data/places.gp'"
    figure identifiers "load 'data/identifiers.gp'"
    figure errors ""
}

[ -n "$draw" ] || runs
data
figures
python3 "$here/claims.py" data "$small" >claims.out || status=$?
cat claims.out
if [ -z "$small" ]; then
    python3 "$here/../paper/page.py" "$here/messages-paper.md.in" . runs/kept-P-1-WRITE.mm >messages-paper.md
fi
exit ${status:-0}
