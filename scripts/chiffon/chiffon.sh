#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the paper on Chiffon and its simulator shows in Figures 1 to 10, from runs of this project. `make chiffon` calls it.
#   scripts/chiffon/chiffon.sh DIR [--small] [--draw]
#     DIR         where profiles, data, figures and mesh.md go
#     --small     few steps and cells, as the test has them
#     --draw      draw the profiles that DIR has
# O is the build tree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${O:?the build tree is needed}"
export PATH=$O/bin:$O/libexec/mastermind:$PATH PYTHONDONTWRITEBYTECODE=1 MPIRUN_SECONDS=100 OMPI_MCA_mpi_yield_when_idle=1
out=${1:?a directory is needed}
shift
small= draw=
for option; do
    case $option in
    --small) small=1 ;;
    --draw) draw=1 ;;
    *) echo "chiffon: no option '$option'" >&2 && exit 2 ;;
    esac
done
for tool in gnuplot dot python3 mpirun.openmpi; do
    command -v $tool >/dev/null || { echo "chiffon: found no $tool, expected it: make deps chiffon" >&2; exit 2; }
done
mkdir -p "$out/data" "$out/figures" "$out/runs"
cd "$out"

# The paper's case: 30 x 20 x 20 cells, 300 steps. Prices of a repartition in mean part loads.
cells=30,20,20 steps=300 timed="1 2 3" repeats="1 2 3 4 5" parts=2 drawn=16 price=4x
# The block and the cell of Figures 5 to 8, where the wave passes.
block=8:11,7:10,7:10 cell=9,8,8
if [ -n "$small" ]; then
    cells=12,8,8 steps=60 timed=1 repeats=1 parts=4 drawn=4
    block=4:6,3:5,3:5 cell=5,4,4
fi
case_="--cells $cells --steps $steps"

say() { printf 'chiffon: %s\n' "$*" >&2; }

# record NAME CELLS: a profile with all steps; a program never waits for the agents, so on a busy machine slower
record() {
    local pace
    for pace in 4 8 16 32; do
        rm -rf "runs/$1.mm"
        mastermind record --cells "$2" -o "runs/$1.mm" -- mrtd $case_ --pace $pace >"runs/$1.out" 2>&1
        mastermind mesh "runs/$1.mm" --json >"data/$1.json"
        python3 "$here/tables.py" --whole "data/$1.json" "$steps" && return
        say "$1: steps are lost at $pace ms a step, once more"
    done
    return 1
}

runs() {
    local n
    say "what cells cost"
    record work work
    for n in $timed; do
        record "cost-$n" work,cost:eps=5
    done
}

# values NAME ARGUMENTS...: as CSV
values() {
    local name=$1
    shift
    mastermind mesh "$@" --csv >"data/$name.csv"
}

# balanced NAME ARGUMENTS...: policies step by step
balanced() {
    local name=$1
    shift
    mastermind balance runs/work.mm --probe work --parts $parts --partitioner rcb:planes --price $price --move 0 "$@" >"data/$name"
}

data() {
    local n s
    say "values"
    values block-work runs/work.mm --probe work --box $block
    values cell-work runs/work.mm --probe work --cell $cell
    for n in $timed; do
        values "block-cost-$n" "runs/cost-$n.mm" --probe cost --box $block
        values "cell-cost-$n" "runs/cost-$n.mm" --probe cost --cell $cell
    done
    say "policies"
    balanced policies.csv --policy fixed:20,fixed:50,paper:.15:5:20,expect,oracle --csv
    balanced policies.json --policy fixed:20,fixed:50,paper:.15:5:20,expect,oracle --json
    balanced policies.txt --policy fixed:20,fixed:50,paper:.15:5:20,loss,expect,look:10,oracle
    mastermind balance runs/work.mm --probe work --parts $drawn --partitioner rcb:planes --policy fixed:20 \
        --schedule data/drawn.json >/dev/null
    balanced sweep.txt --policy fixed:20,paper:.15:5:20,expect --vary parts=2:16
    # What the paper's pseudocode probes: the imbalance of each of its partitions at all later steps.
    for s in 0 $(python3 "$here/tables.py" --steps data/policies.json paper:.15:5:20); do
        balanced "from-$s.csv" --step $s: --policy never --csv
    done
}

# gains: the same schedules in runs on two ranks, in CPU time of the slowest rank of each step
gains() {
    local policy n
    for policy in fixed:20 fixed:50 paper:.15:5:20 expect oracle; do
        mastermind balance runs/work.mm --probe work --parts 2 --price $price --move 0 --lag 1 --policy $policy \
            --schedule "data/gain-$policy.schedule" --json >"data/gain-$policy.json"
    done
    for n in $repeats; do
        for policy in fixed:20 fixed:50 paper:.15:5:20 expect oracle; do
            say "a run with the schedule of $policy, $n"
            "$root/tests/lib/mpirun.sh" openmpi 2 mrtd_openmpi $case_ --schedule "data/gain-$policy.schedule" --json \
                --times "data/gain-$policy.$n.csv" >"data/gain-$policy.$n.run"
        done
    done
}

[ -n "$draw" ] || runs
data
[ -n "$draw" ] || gains
say "figures"
for n in 01 02 03; do
    dot -Tsvg "$here/figure-$n.dot" -o figures/figure-mesh-$n.svg
done
python3 "$here/tables.py" --parts data/drawn.json figures/figure-mesh-04.svg
python3 "$here/tables.py" data "$here/mesh.md.in" >mesh.md
gnuplot -e "style='$here/../paper/style.gp'; data='data'; figures='figures'" "$here/figures.gp"
python3 "$here/tables.py" --claims data
