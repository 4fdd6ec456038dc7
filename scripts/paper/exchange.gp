# SPDX-License-Identifier: BSD-3-Clause
# exchange.gp: Figure 9, ghost updates by level and rank. `steps` coarse steps, redistribution after `at` of them.
load style
set terminal svg size 700,560 background "white" font "sans-serif,12" enhanced
set output figures."/figure-09.svg"
file = data."/exchange.dat"
set xrange [0:steps]
set multiplot layout 3,3 rowsfirst margins .105,.985,.12,.93 spacing .065,.045
set arrow 1 from at, graph 0 to at, graph 1 nohead dt 2 lw 1 lc rgb "black"
do for [row=1:3] {
    unset logscale y
    set format y "%g"
    set autoscale y
    if (row == 1) { set logscale y; set format y tens; set yrange [1:1e5] }
    if (row == 2) { set yrange [0:top_bytes] }
    if (row == 3) { set yrange [0:top_messages]; set ytics 1 } else { set ytics autofreq }
    do for [level=0:2] {
        set format x row == 3 ? "%g" : ""
        set xlabel row == 3 ? "coarse step" : ""
        if (row == 1) { set title sprintf("level %d", level) offset 0,-.7 } else { unset title }
        set ylabel level ? "" : row == 1 ? "time inside MPI (μs)" : row == 2 ? "bytes (10^3)" : "messages"
        if (row == 2 && level == 0) { set key top left } else { unset key }
        each = 2.0 * 2**level
        skip = row == 1 ? 1 : int(each)
        plot for [r=0:2] file index sprintf("%d-%d", level, r) every skip using (($1 - .5) / each):(row == 1 ? ($2 > 0 ? $2 : 1/0) : row == 2 ? $4/1e3 : $3) \
            with points pt hollow[r+1] ps (row == 1 ? .35 : .5) lc rgb rank_colour[r+1] title sprintf("rank %d", r)
    }
}
unset multiplot
