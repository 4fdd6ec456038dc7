# SPDX-License-Identifier: BSD-3-Clause
# states.gp: Figure 4, time of States against the size of the array, by mode and rank.
load style
set terminal svg size 560,400 background "white" font "sans-serif,13" enhanced
set output figures."/figure-04.svg"
file = data."/sizes-States.dat"
set logscale xy
set format xy tens
set xlabel "array size Q (elements)"
set ylabel "CPU time of a call (μs)"
set xrange [8:3e5]
set yrange [.3:3e4]
set key top left Left reverse
plot for [r=0:2] file index sprintf("x%d", r) using 1:2 with points pt filled[r+1] ps .35 lc rgb rank_colour[r+1] \
         title sprintf("sequential, rank %d", r), \
     for [r=0:2] file index sprintf("y%d", r) using 1:2 with points pt hollow[r+1] ps .5 lc rgb rank_colour[r+1] \
         title sprintf("strided, rank %d", r)
