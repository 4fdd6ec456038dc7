# SPDX-License-Identifier: BSD-3-Clause
# ratio.gp: Figure 5, strided to sequential time of the same patch. `classes`: four names.
load style
set terminal svg size 620,500 background "white" font "sans-serif,12" enhanced
set output figures."/figure-05.svg"
set logscale x
set format x tens
set xrange [8:2.5e5]
set yrange [0:6]
set multiplot layout 2,2 margins .09,.985,.13,.94 spacing .08,.13
do for [k=1:words(classes)] {
    name = word(classes, k)
    file = data."/sizes-".name.".dat"
    set title name offset 0,-.6
    set xlabel k > 2 ? "array size Q (elements)" : ""
    set ylabel k % 2 ? "strided / sequential" : ""
    if (k == 1) { set key top left Left reverse } else { unset key }
    plot 1 with lines lc rgb "black" dt 2 lw .8 notitle, \
         file index "ratio" using 1:2 with points pt 7 ps .3 lc rgb "#9cc6e0" title "one patch", \
         file index "ratio-median" using 1:2:3:4 with yerrorbars pt 5 ps .5 lw 1.2 lc rgb red title "median, quartiles", \
         file index "ratio-median" using 1:2 with lines lw 1.2 lc rgb red notitle
}
unset multiplot
