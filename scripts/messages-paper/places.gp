# SPDX-License-Identifier: BSD-3-Clause
# places.gp: Figure 11, share of samples of each place in a burst. `requests`, `sends` of a burst.
load style
set terminal svg size 640,560 background "white" font "sans-serif,12" enhanced
set output figures."/figure-messages-11.svg"
file = data."/places.dat"
array colour[5] = [blue, orange, green, red, purple]
set multiplot layout 3,2 margins .11,.985,.115,.95 spacing .10,.12
set boxwidth .8
set style fill solid .85 noborder
set xrange [.3:sends+.7]
set xtics 3
set yrange [0:*]
set ytics autofreq
unset key
do for [i=1:words(requests)] {
    set title (word(requests, i)) offset 0,-.7 noenhanced
    set xlabel (i > words(requests) - 2 ? "place of the send in its burst" : "")
    set ylabel (i % 2 ? "samples (%)" : "")
    plot file index word(requests, i)."|" using 1:2 with boxes lc rgb colour[i], 100./sends with lines lc rgb "black" dt 2
}
unset multiplot
