# SPDX-License-Identifier: BSD-3-Clause
# latency.gp: Figures 4 to 7, latency of messages and its ratio to plain MPI. `number` of the figure; `first`, and `others`: requests.
load style
if (!exists("others")) { others = "" }
shown = first." ".others
array colour[4] = [sky, blue, orange, red]
colour_of(i) = i == 1 ? grey : colour[4 - words(shown) + i]
set terminal svg size 620,580 background "white" font "sans-serif,13" enhanced
set output figures."/figure-messages-".number.".svg"
file = data."/latency.dat"
set logscale x 2
set xrange [3:1.4e6]
set xtics ("" 4, "" 16, "" 64, "" 256, "" 1024, "" 4096, "" 16384, "" 65536, "" 262144, "" 1048576)
set multiplot
set lmargin at screen .14
set rmargin at screen .97
set tmargin at screen .97
set bmargin at screen .53
set logscale y
set ylabel "one way (μs)" offset .5,0
set key top left Left reverse
plot file index "plain|" using 1:2 with linespoints lw 1.6 pt 6 ps .7 lc rgb "black" title "plain MPI", \
     for [i=1:words(shown)] file index word(shown, i)."|" using 1:2 with linespoints lw 1.4 pt 5+2*i ps .6 lc rgb colour_of(i) title word(shown, i)
set tmargin at screen .49
set bmargin at screen .12
unset logscale y
set xtics ("4" 4, "16" 16, "64" 64, "256" 256, "1 Ki" 1024, "4 Ki" 4096, "16 Ki" 16384, "64 Ki" 65536, "256 Ki" 262144, "1 Mi" 1048576)
set xlabel "size of the message (bytes)"
set ylabel "time over plain MPI"
set yrange [.9:*]
set key top right noreverse
plot 1 with lines lc rgb "black" lw .8 notitle, \
     for [i=1:words(shown)] file index word(shown, i)."|" using 1:3:4:5 with yerrorlines lw 1.4 pt 5+2*i ps .6 lc rgb colour_of(i) title word(shown, i)
unset multiplot
