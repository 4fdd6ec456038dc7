#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the paper on properties (JavaPSL) shows in Tables 1 to 3 and Figures 7 to 9, from runs of this project. `make
# paper-properties` calls it.
#   scripts/properties-paper/properties-paper.sh DIR [--small] [--draw]
#     DIR         where runs, data, figures and properties-paper.md go
#     --small     few and short runs, as the test has them
#     --draw      draw the runs that DIR has
# O is the build tree, with `all` and bench/properties/answers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${O:?the build tree is needed}"
export PATH=$O/bin:$PATH PYTHONDONTWRITEBYTECODE=1 MPIRUN_SECONDS=100
out=${1:?a directory is needed}
shift
small= draw=
for option; do
    case $option in
    --small) small=1 ;;
    --draw) draw=1 ;;
    *) echo "properties-paper: no option '$option'" >&2 && exit 2 ;;
    esac
done
for tool in gnuplot python3 mpirun.openmpi mpicc.openmpi gcc; do
    command -v $tool >/dev/null || { echo "properties-paper: found no $tool, expected it: make deps paper-properties" >&2; exit 2; }
done
mkdir -p "$out/data" "$out/figures" "$out/classes" "$out/runs"
cd "$out"

# Nodes x processes or threads, the sequential run first: the machine is one, of as many nodes as are asked for.
shapes="1x1 1x2 1x3 1x4 2x1 2x2 2x3 2x4 4x1 4x2 4x3 4x4 6x1 6x2 6x3 6x4" pricing=$shapes
piece=20000 sleep=40000 loop=48000 repeats="1 2 3" shock="-D NX=64 -D NY=32 -D PATCH=32 -D T_END=.2"
if [ -n "$small" ]; then
    shapes="1x1 1x3 2x4" pricing="1x1 2x2"
    piece=8000 sleep=40000 loop=8000 repeats=1 shock="-D NX=32 -D NY=16 -D PATCH=16 -D T_END=.04"
fi

say() { printf 'properties-paper: %s\n' "$*" >&2; }

# run NAME RANKS OPTIONS...: ccafe on ranks, an experiment runs/NAME.mm
run() {
    local name=$1 ranks=$2
    shift 2
    rm -rf "runs/$name.mm"
    "$root/tests/lib/mpirun.sh" openmpi "$ranks" ccafe --measure -o "runs/$name.mm" "$@" >"runs/$name.out" 2>&1 || {
        cat "runs/$name.out" >&2
        echo "properties-paper: $name ended with $?" >&2
        return 1
    }
}

compile() {
    mpicc.openmpi -O2 -g -shared $(ccafe cflags) -I"$root" -o classes/Pieces.so "$here/pieces.c"
    gcc -O2 -g -fopenmp -shared $(ccafe cflags) -I"$root" -o classes/Pricing.so "$here/pricing.c"
}

runs() {
    local shape r
    export OMP_WAIT_POLICY=passive
    compile
    for shape in $shapes; do
        say "36 pieces on $shape"
        run "lapw0-$shape" $((${shape%x*} * ${shape#*x})) --metrics CPU_TIME,MPI_SPLIT -D EACH=$piece -D SLEEP=$sleep "$here/lapw0.rc"
    done
    for shape in $pricing; do
        say "a loop on $shape"
        OMP_NUM_THREADS=${shape#*x} run "pricing-$shape" "${shape%x*}" --metrics MPI_SPLIT,OPENMP -D EACH=$loop "$here/pricing.rc"
    done
    for r in $repeats; do
        say "the shock script, $r"
        run "shock-1-$r" 1 --metrics MPI_SPLIT -D FLUX=EFMFlux $shock -D PICTURE= "$root/scripts/shock-demo.rc"
        run "shock-2-$r" 2 --metrics MPI_SPLIT --messages P-0.1-FREQ -D FLUX=EFMFlux $shock -D PICTURE= "$root/scripts/shock-demo.rc"
    done
}

# stored NAME SHAPES: the runs of all shapes as data/NAME.sqlite, the sequential one first
stored() {
    local name=$1 shape names=()
    for shape in $2; do
        names+=("runs/$name-$shape.mm")
    done
    rm -f "data/$name.sqlite"
    mastermind export sqlite "${names[@]}" -o "data/$name.sqlite"
}

data() {
    local status=0
    say "properties"
    stored lapw0 "$shapes"
    stored pricing "$pricing"
    mastermind properties runs/shock-2-*.mm --seq runs/shock-1-1.mm --why --limit 15 >data/shock.txt || status=$?
    [ "$status" -le 1 ] || return $status
    python3 "$here/tables.py" "$O/bench/properties/answers" "$root/properties/library" data "$here/properties-paper.md.in" >properties-paper.md
}

[ -n "$draw" ] || runs
data
say "figures"
gnuplot -e "style='$here/../paper/style.gp'; data='data'; figures='figures'" "$here/figures.gp"
python3 "$here/tables.py" --claims data
