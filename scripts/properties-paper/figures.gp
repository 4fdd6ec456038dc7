# SPDX-License-Identifier: BSD-3-Clause
# figures.gp: Figures 7 to 9 of the paper on properties, over the number of units. `style`, `data`, `figures`: files and folders.
load style
set terminal svg size 620,330 background "white" font "sans-serif,13" enhanced
set xlabel "processing units"
set ylabel "severity"
set xtics (1, 2, 3, 4, 6, 8, 12, 16, 18, 24)
set xrange [0:25]
set yrange [0:*]
set key top left Left reverse
set output figures."/figure-properties-07.svg"
file = data."/figure-7.dat"
plot file using 1:5 with lines lw 1 dt 2 lc rgb grey title "36 whole pieces, by arithmetic", \
     file using 1:2 with linespoints lw 1.6 pt 7 ps .7 lc rgb blue title "coulomb1", \
     file using 1:3 with linespoints lw 1.6 pt 5 ps .7 lc rgb red title "coulomb2", \
     file using 1:4 with linespoints lw 1.6 pt 9 ps .7 lc rgb green title "xc"
set output figures."/figure-properties-08.svg"
file = data."/figure-8.dat"
plot file using 1:4 with lines lw 1 dt 2 lc rgb grey title "36 whole pieces, by arithmetic", \
     file using 1:2 with linespoints lw 1.6 pt 7 ps .7 lc rgb blue title "coulomb1", \
     file using 1:3 with linespoints lw 1.6 pt 5 ps .7 lc rgb red title "coulomb2"
set output figures."/figure-properties-09.svg"
file = data."/figure-9.dat"
plot file using 1:4 with lines lw 1 dt 2 lc rgb grey title "waiting, by arithmetic", \
     file using 1:2 with linespoints lw 1.6 pt 7 ps .7 lc rgb blue title "CommunicationOverhead", \
     file using 1:3 with linespoints lw 1.6 pt 4 ps 1.1 lc rgb red title "LateSender"
