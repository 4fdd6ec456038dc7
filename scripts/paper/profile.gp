# SPDX-License-Identifier: BSD-3-Clause
# profile.gp: Figure 3, shares of the time, inclusive and exclusive.
load style
set terminal svg size 560,400 background "white" font "sans-serif,13" enhanced
set output figures."/figure-03.svg"
file = data."/profile.dat"
stats file index "bars" using 1 nooutput
set yrange [STATS_max + .6 : -.6]
set xrange [0:100]
set xlabel "share of the time of all ranks (%)"
set grid noytics
set ytics scale 0
set key at screen .97, .32 right
set style fill solid 1 noborder
plot file index "bars" using ($4/2):1:($4/2):(.38):ytic(2) with boxxyerror lc rgb "#c4def0" title "inclusive", \
     file index "bars" using ($3/2):1:($3/2):(.22) with boxxyerror lc rgb blue title "exclusive", \
     file index "bars" using ($4 > 88 ? 89 : $4 + 1):1:(sprintf("%.1f", $3)) with labels left font ",11" notitle
