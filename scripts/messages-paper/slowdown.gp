# SPDX-License-Identifier: BSD-3-Clause
# slowdown.gp: Figure 10, slowdown of multigrid against the threshold.
load style
set terminal svg size 620,400 background "white" font "sans-serif,13" enhanced
set output figures."/figure-messages-10.svg"
file = data."/slowdown.dat"
set xrange [-4:114]
set xtics 20
set xlabel "threshold (%)"
set ylabel "slowdown of multigrid (%)"
set key top left Left reverse
plot 0 with lines lc rgb "black" lw .8 notitle, \
     "-" using 1:2 with linespoints dt 2 pt 6 ps .8 lc rgb grey title "the paper (SMG2000), its two numbers", \
     file index "freq|" using 1:2:3:4 with yerrorlines lw 1.5 pt 7 ps .7 lc rgb blue title "FREQ, median and quartiles", \
     file index "other|" using 1:2:3:4 with yerrorbars lw 1.5 pt 5 ps .7 lc rgb red title "P-0-OFF, P-1-WRITE", \
     file index "other|" using 1:2:5 with labels offset 0,-1.2 font ",11" notitle
1 6.1
90 11
e
