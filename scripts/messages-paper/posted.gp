# SPDX-License-Identifier: BSD-3-Clause
# posted.gp: Figure 2, unexpected messages and their latency against the margin of the receiver.
load style
set terminal svg size 620,600 background "white" font "sans-serif,13" enhanced
set output figures."/figure-messages-02.svg"
file = data."/posted.dat"
array name[5] = ["none", "P-0-OFF", "P-0.01-WRITE,frames=8", "P-1-WRITE", "P-1-WRITE,frames=8"]
array told[5] = ["not asked for", "P-0-OFF", "1 % written, 8 frames", "all written, 1 frame", "all written, 8 frames"]
array colour[5] = [grey, sky, blue, orange, red]
set xrange [-.5:3.3]
set multiplot
set lmargin at screen .135
set rmargin at screen .97
set tmargin at screen .97
set bmargin at screen .54
set format x ""
set ylabel "unexpected messages (%)"
set yrange [0:104]
unset key
plot for [i=1:5] file index name[i]."|" using 1:2 with linespoints lw 1.6 pt 3+2*i ps .6 lc rgb colour[i] title told[i]
set tmargin at screen .50
set bmargin at screen .12
set format x
set xlabel "time by which the sender is slower than the receiver, a message (μs)"
set ylabel "latency (μs)"
set logscale y
set yrange [.3:100]
set key top right
plot for [i=1:5] file index name[i]."|" using 1:4 with linespoints lw 1.6 pt 3+2*i ps .6 lc rgb colour[i] title told[i]
unset multiplot
