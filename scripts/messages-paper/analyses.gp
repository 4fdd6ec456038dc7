# SPDX-License-Identifier: BSD-3-Clause
# analyses.gp: Figure 8, what each analysis adds, at two rates.
load style
set terminal svg size 620,420 background "white" font "sans-serif,13" enhanced
set output figures."/figure-messages-08.svg"
file = data."/latency.dat"
array name[4] = ["OFF", "STAT", "FREQ", "WRITE"]
array colour[4] = [grey, blue, green, red]
set logscale x 2
set xrange [3:1.4e6]
set xtics ("4" 4, "16" 16, "64" 64, "256" 256, "1 Ki" 1024, "4 Ki" 4096, "16 Ki" 16384, "64 Ki" 65536, "256 Ki" 262144, "1 Mi" 1048576)
set xlabel "size of the message (bytes)"
set ylabel "time over plain MPI"
set yrange [.9:*]
set key top right
plot 1 with lines lc rgb "black" lw .8 notitle, \
     for [i=1:4] file index "P-0.5-".name[i]."|" using 1:3 with linespoints lw 1.6 pt 3+2*i ps .7 lc rgb colour[i] title "P-0.5-".name[i], \
     for [i=1:4] file index "P-0.1-".name[i]."|" using 1:3 with linespoints lw 1.4 dt 2 pt 4+2*i ps .7 lc rgb colour[i] title "P-0.1-".name[i]
