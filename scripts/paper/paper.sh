#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The results of the paper's section 5 from runs of this project: a run for the physics, runs for the performance on three
# ranks, figures and the page. `make paper` calls it.
#   scripts/paper/paper.sh DIR [--small] [--draw]
#     DIR      where runs, data, figures and case-study.md go
#     --small  short runs, as the test has them: the claims hold, the numbers mean little
#     --draw   draw the runs that DIR has
# O is the build tree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/..
: "${O:?the build tree is needed}"
export PATH=$O/bin:$PATH PYTHONDONTWRITEBYTECODE=1 HWLOC_COMPONENTS=-gl
out=${1:?a directory is needed}
shift
small= draw=
for option; do
    case $option in
    --small) small=1 ;;
    --draw) draw=1 ;;
    *) echo "paper: no option '$option'" >&2 && exit 2 ;;
    esac
done
for tool in gnuplot dot python3; do
    command -v $tool >/dev/null || { echo "paper: found no $tool, expected it: make deps paper" >&2; exit 2; }
done

steps=24 efm_steps=24 wide=".2 .1" wide_steps=12 at=12 nx=256 ny=64 end=3 picture=400 shape_steps=10
wide_grid="1344 336 448" choice="128 32 2" rounds="1 2 3 4 5"
if [ -n "$small" ]; then
    steps=3 efm_steps=2 wide=.1 wide_steps=2 at=2 nx=64 ny=16 end=.3 picture=10 shape_steps=2
    wide_grid="672 168 224" choice="64 16 .4" rounds="1"
fi
mkdir -p "$out/data" "$out/figures"
cd "$out"

say() { printf 'paper: %s\n' "$*" >&2; }

# Three ranks, whatever the number of cores: ranks COMMAND...
ranks() {
    if [ -e "$O/lib/libcca_openmpi.so" ] && command -v mpirun.openmpi >/dev/null; then
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe -n 3 "$@"
    elif [ -e "$O/lib/libcca_mpich.so" ] && command -v mpirun.mpich >/dev/null; then
        mpirun.mpich -n 3 "$@"
    else
        echo "paper: found no mpirun.openmpi and no mpirun.mpich with this build, expected one" >&2 && return 2
    fi
}

# performance NAME STATES FLUX GHOSTS EFFICIENCY STEPS AT NX NY PATCH
performance() {
    say "performance run '$1': $2, $3, $4, clusters of efficiency $5, $6 coarse steps"
    rm -rf "$1.mm"
    ranks ccafe --measure --metrics CPU_TIME -o "$1.mm" -D LEVELS=3 -D STATES="$2" -D FLUX="$3" -D NX="$8" -D NY="$9" \
        -D PATCH="${10}" -D GHOSTS="$4" -D BALANCE="at:$7" -D T_END=3 -D PICTURE="$1.png" \
        --set mesh.config.patches_x=3 --set mesh.config.efficiency="$5" --set image.config.levels=1 --set driver.config.max_steps="$6" \
        "$scripts/shock-amr.rc" >"$1.out" 2>&1 || { cat "$1.out" >&2; return 1; }
}

# choice_run NAME ROUND FLUX SCRIPT: a run of small patches; the time of all flux calls is judged.
choice_run() {
    local nx ny end
    read -r nx ny end <<<"$choice"
    ccafe --measure -o "choice-$1-$2.mm" -D FLUX="$3" -D NX="$nx" -D NY="$ny" -D PATCH=16 -D T_END="$end" -D PICTURE=choice.png \
        "$4" >choice.out 2>&1 || { cat choice.out >&2; return 1; }
}

# Scalar and Vector are measured, then their rules, by turns in each round.
choices() {
    local round flux
    say "choice of the flux class in each call"
    for round in $rounds; do
        for flux in GodunovScalar GodunovVector; do choice_run $flux "$round" $flux "$scripts/shock-demo.rc"; done
    done
    rm -f flux.dispatch
    mastermind choose choice-*-*.mm --slot flux --dispatch flux.dispatch --json >choice.found 2>choice.err || [ $? = 1 ]
    [ -e flux.dispatch ] || return 0
    sed 's/^go /dispatch flux flux flux.dispatch\n&/' "$scripts/shock-demo.rc" >choice.rc
    for round in $rounds; do
        for flux in GodunovScalar GodunovVector; do choice_run $flux "later-$round" $flux "$scripts/shock-demo.rc"; done
        choice_run rules "later-$round" GodunovScalar choice.rc
    done
}

runs() {
    local shape efficiency
    rm -rf ./*.mm data
    mkdir data
    performance godunov States GodunovFlux GhostsPerNeighbour .7 $steps $at 1344 336 448
    performance efm StatesRows EFMFlux GhostsPerPatch .7 $efm_steps $at 1344 336 448
    for efficiency in $wide; do
        performance godunov-$efficiency States GodunovFlux GhostsPerNeighbour $efficiency $wide_steps 1 $wide_grid
        performance efm-$efficiency StatesRows EFMFlux GhostsPerPatch $efficiency $wide_steps 1 $wide_grid
    done
    for shape in 6000x10 3000x20 1000x60 250x240 60x1000 20x3000 10x6000 256x256; do
        say "one patch of $shape"
        rm -rf shape-$shape.mm
        ccafe --measure --metrics CPU_TIME -o shape-$shape.mm -D FLUX=HLLCFlux -D NX=${shape%x*} -D NY=${shape#*x} \
            -D PATCH=0 -D T_END=3 -D PICTURE=shape.png --set driver.config.max_steps=$shape_steps \
            "$scripts/shock-demo.rc" >shape.out 2>&1 || { cat shape.out >&2; return 1; }
    done
    choices
    say "physics run: $nx x $ny cells, three levels, to t = $end"
    rm -rf physics.mm density-*.png
    ccafe --measure --storage aggregates -o physics.mm -D LEVELS=3 -D STATES=States -D FLUX=GodunovFlux -D NX=$nx -D NY=$ny \
        -D PATCH=0 -D GHOSTS=GhostsPerNeighbour -D BALANCE=never -D T_END=$end -D PICTURE='density-{step}.png' \
        --set mesh.config.patches_x=4 --set image.config.outlines=true --set image.config.colours=grey --set image.config.scale=1 \
        --set driver.config.output_every=$picture "$scripts/shock-amr.rc" >physics.out 2>&1 || { cat physics.out >&2; return 1; }
}

data() {
    local run
    say "data"
    for run in *.mm; do
        [ "$run" = physics.mm ] || [[ $run = choice-* ]] || mastermind records --csv "$run" >"data/${run%.mm}.csv"
    done
    mastermind report godunov.mm --by-rank --json >data/report.json
    mastermind report physics.mm --json >data/physics.json
    mastermind graph godunov.mm --json >data/graph.json
    mastermind predict godunov.mm --metric CPU_TIME --json >data/predict.json
    set -- godunov*.mm efm*.mm --metric CPU_TIME
    mastermind model "$@" --formula python >data/models.py 2>data/model.err
    mastermind model "$@" --json >data/models.json 2>data/model.err
    python3 "$here/sizes.py" data data/models.py data/godunov*.csv data/efm*.csv
    python3 "$here/equations.py" data data/sizes.json data/models.json
    python3 "$here/shapes.py" data data/shape-*.csv
    python3 "$here/profile.py" data data/report.json
    python3 "$here/exchange.py" data $at data/godunov.csv data/efm.csv data/godunov-*.csv data/efm-*.csv
    python3 "$here/dual.py" data/graph.json data/predict.json data >data/dual.dot
    python3 "$here/wiring.py" godunov.mm >data/wiring.dot
    python3 "$here/field.py" data physics.out
    python3 "$here/choice.py" data choice.found flux.dispatch choice-*.mm
}

figure() { # figure SCRIPT ASSIGNMENTS
    gnuplot -e "style='$here/style.gp'; data='data'; figures='figures'; $2" "$here/$1.gp"
}

figures() {
    say "figures"
    figure field "load 'data/field.gp'"
    dot -Tsvg data/wiring.dot -o figures/figure-02.svg
    figure profile ""
    figure states ""
    figure ratio "classes='States StatesRows EFMFlux GodunovFlux'"
    figure cost "name='States'; number='06'; load 'data/forms-States.gp'"
    figure cost "name='GodunovFlux'; number='07'; load 'data/forms-GodunovFlux.gp'"
    figure cost "name='EFMFlux'; number='08'; load 'data/forms-EFMFlux.gp'"
    figure exchange "load 'data/exchange.gp'"
    figure exchange-model ""
    dot -Tsvg data/dual.dot -o figures/figure-10.svg
}

[ -n "$draw" ] || runs
data
figures
python3 "$here/page.py" "$here/case-study.md.in" . >case-study.md
python3 "$here/claims.py" data
