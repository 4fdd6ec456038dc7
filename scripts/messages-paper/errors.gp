# SPDX-License-Identifier: BSD-3-Clause
# errors.gp: error of estimates against rate, with what theory expects, and coverage of the intervals.
load style
set terminal svg size 640,640 background "white" font "sans-serif,12" enhanced
set output figures."/figure-messages-errors.svg"
file = data."/errors.dat"
array name[4] = ["messages", "mean_latency", "transfer", "late_sender"]
array told[4] = ["number of messages", "mean latency", "total transfer", "total late sender"]
array colour[4] = [grey, blue, green, red]
set logscale x
set xrange [.07:40]
set xtics ("0.1" .1, "0.3" .3, "1" 1, "3" 3, "10" 10, "30" 30)
set multiplot layout 2,2 margins .135,.985,.095,.95 spacing .10,.11
do for [row=1:2] {
    do for [column=1:2] {
        which = column == 1 ? "all-" : "below-"
        set title row == 1 ? (column == 1 ? "all messages" : "without times over 20 μs") : "" offset 0,-.6
        set xlabel row == 2 ? "rate (%)" : ""
        if (row == 1) {
            set logscale y
            set yrange [.05:1e4]
            set format y "%g"
            set ylabel column == 1 ? "rms error (%)" : "" offset 1,0
            unset key
            plot for [i=1:4] file index which.name[i]."|" using 1:3 with lines lw 1.2 lc rgb colour[i] notitle, \
                 for [i=1:4] file index which.name[i]."|" using 1:2 with points pt 3+2*i ps .7 lc rgb colour[i] notitle, \
                 file index which."messages|" using 1:5 with linespoints dt 2 pt 6 ps .6 lc rgb purple notitle
        } else {
            unset logscale y
            set yrange [0:102]
            set ylabel column == 1 ? "95 % intervals that hold (%)" : ""
            if (column == 2) { set key bottom right reverse Left }
            plot 95 with lines lc rgb "black" dt 2 lw .8 notitle, \
                 for [i=1:4] file index which.name[i]."|" using 1:4 with linespoints lw 1.2 pt 3+2*i ps .7 lc rgb colour[i] title told[i], \
                 NaN with linespoints dt 2 pt 6 ps .6 lc rgb purple title "median latency (above)"
        }
    }
}
unset multiplot
