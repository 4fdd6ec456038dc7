# SPDX-License-Identifier: BSD-3-Clause
# Simulated and measured times by configuration: figure, data
set terminal svg size 760,300 font "Helvetica,12" background "white"
set output figure
set style data histogram
set style histogram cluster gap 1
set style fill solid
set boxwidth 0.9
set ylabel "seconds"
set yrange [0:*]
set grid ytics lc rgb "#dddddd"
set key top right
set border 3
set tics nomirror
set bmargin 3.5
plot data using 2:xtic(1) title "simulated" lc rgb "#4477aa", data using 3 title "measured, or SMPI" lc rgb "#ccbb44"
