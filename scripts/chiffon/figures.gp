# SPDX-License-Identifier: BSD-3-Clause
# figures.gp: Figures 5 to 10 of the paper on Chiffon, over the steps. `style`, `data`, `figures`: files and folders.
load style
set terminal svg size 620,300 background "white" font "sans-serif,13" enhanced
set xlabel "step"
set yrange [0:*]
unset key
do for [n=5:8] {
    set output figures.sprintf("/figure-mesh-%02d.svg", n)
    set ylabel (n % 2 ? "active coefficients" : "time, us")
    plot data.sprintf("/figure-%d.dat", n) using 1:2 with lines lw 1.4 lc rgb (n % 2 ? blue : red)
}
set output figures."/figure-mesh-09.svg"
set ylabel "interval, steps"
set key outside top center horizontal
set yrange [0:24]
plot data."/figure-9.dat" index 0 using 1:2 with linespoints lw 1 pt 7 ps .5 lc rgb blue title "probe, and the interval then", \
     data."/figure-9.dat" index 1 using 1:2 with impulses lw 1.6 lc rgb red title "repartition"
set terminal svg size 620,360 background "white" font "sans-serif,13" enhanced
set output figures."/figure-mesh-10.svg"
set ylabel "imbalance, (largest - mean) / mean"
set yrange [0:*]
set key outside top center horizontal Left reverse
plot data."/figure-10.dat" using 1:3 with lines lw 1.3 lc rgb grey title "every 50 steps", \
     data."/figure-10.dat" using 1:2 with lines lw 1.3 lc rgb orange title "every 20 steps", \
     data."/figure-10.dat" using 1:4 with lines lw 1.6 lc rgb blue title "the paper's, .15, 5 to 20", \
     data."/figure-10.dat" using 1:5 with lines lw 1.6 lc rgb green title "expect"
