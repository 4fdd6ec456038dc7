# SPDX-License-Identifier: BSD-3-Clause
# identifiers.gp: Figure 12, shares of samples in buckets of latency for each identifier. `identifiers`: how many; their names are tics.
load style
set terminal svg size 640,480 background "white" font "sans-serif,13" enhanced
set output figures."/figure-messages-12.svg"
set logscale y
set xrange [-.6:identifiers-.4]
set xtics rotate by 45 right font "monospace,11"
set xlabel "message identifier" offset 0,-.6
set ylabel "latency (μs)"
set palette defined (0 "#e8f1f8", .3 "#56B4E9", .6 "#0072B2", 1 "#00243a")
set cblabel "samples of the identifier (%)"
set cbrange [0:*]
unset key
plot data."/identifiers.dat" using 1:2:($1-.42):($1+.42):4:5:3 with boxxyerror fs solid 1 noborder fc palette
