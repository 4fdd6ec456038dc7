# SPDX-License-Identifier: BSD-3-Clause
# sampled.gp: Figure 9, messages sampled on rank 0 against the threshold.
load style
set terminal svg size 620,440 background "white" font "sans-serif,13" enhanced
set output figures."/figure-messages-09.svg"
file = data."/sampled.dat"
array name[3] = ["multigrid", "wavefront", "ghost"]
array colour[3] = [red, green, blue]
set logscale xy
set xrange [.008:1.25]
set yrange [.5:*]
set format y tens
set xtics ("0.01" .01, "0.03" .03, "0.1" .1, "0.3" .3, "0.5" .5, "" .9, "1" 1)
set xlabel "threshold X of P-X"
set ylabel "messages sampled on rank 0"
set key top left Left reverse
plot for [i=1:3] file index name[i]."|" using 1:($3 > .6 ? $3 : .6):4 with filledcurves fc rgb colour[i] fs transparent solid .25 noborder notitle, \
     for [i=1:3] file index name[i]."|" using 1:2 with points pt filled[i] ps .8 lc rgb colour[i] title name[i], \
     NaN with filledcurves fc rgb grey fs transparent solid .25 noborder title "99 % of a binomial"
