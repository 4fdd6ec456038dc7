# SPDX-License-Identifier: BSD-3-Clause
# exchange-model.gp: Figure 9, continued: cost of a ghost update as its model has it.
load style
set terminal svg size 560,360 background "white" font "sans-serif,13" enhanced
set output figures."/figure-09-model.svg"
set multiplot layout 1,2 margins .13,.97,.2,.91 spacing .16,.1
do for [k=1:2] {
    file = data."/exchange-fit-".(k == 1 ? "cpu" : "least").".dat"
    unset logscale
    set autoscale
    stats file using 2 nooutput
    stats file using 1 name "model" nooutput
    low = .7 * (STATS_min < model_min ? STATS_min : model_min)
    top = 1.4 * (STATS_max > model_max ? STATS_max : model_max)
    set xrange [low:top]; set yrange [low:8*top]
    set logscale xy
    set xtics (1, 10, 100, 1000, 10000); set ytics (1, 10, 100, 1000, 10000)
    set title (k == 1 ? "CPU time (μs)" : "least time inside MPI (μs)") offset 0,-.5
    set xlabel "by the model"
    set ylabel k == 1 ? "measured" : ""
    set key top left Left reverse font ",11"
    plot file index "dropped" using 1:2 with points pt 2 ps .4 lc rgb grey title k == 2 ? "all have waited" : "", \
         x with lines lc rgb "black" dt 2 lw .8 notitle, \
         file index "GhostsPerPatch" using 1:2 with points pt 4 ps .45 lc rgb orange title "GhostsPerPatch", \
         file index "GhostsPerNeighbour" using 1:2 with points pt 7 ps .5 lc rgb blue title "GhostsPerNeighbour"
}
unset multiplot
