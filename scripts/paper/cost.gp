# SPDX-License-Identifier: BSD-3-Clause
# cost.gp: Figures 6 to 8, mean and standard deviation over both modes, with fitted models. `name`: the class, `number` of
# the figure; mean_form(q) and sd_form(q): the paper's forms, fitted to these data from `low` to `high`.
load style
set terminal svg size 560,580 background "white" font "sans-serif,13" enhanced
set output figures."/figure-".number.".svg"
file = data."/sizes-".name.".dat"
set logscale xy
set format xy tens
set xrange [8:2.5e5]
set multiplot
set lmargin at screen .135
set rmargin at screen .98
set tmargin at screen .97
set bmargin at screen .50
set format x ""
set ylabel "mean CPU time of a call (μs)"
set key top left Left reverse
plot file index "mean" using 1:2:($2 - $3 > .1*$2 ? $2 - $3 : .1*$2):($2 + $3) with yerrorbars pt 7 ps .6 lw 1 lc rgb blue title name.", both modes, ± standard deviation", \
     file index "model" using 1:2 with lines lw 2 lc rgb red title "models of mastermind, mean of both modes", \
     [q=low:high] '+' using 1:(mean_form($1)) with lines lw 2.5 dt 2 lc rgb "black" title mean_title
set tmargin at screen .47
set bmargin at screen .125
set format x tens
set xlabel "array size Q (elements)"
set ylabel "standard deviation (μs)"
set yrange [*:1e5]
set key top left Left reverse spacing .95
plot file index "mean" using 1:3 with points pt 7 ps .6 lc rgb blue title "both modes", \
     file index "mode-x" using 1:3 with points pt 8 ps .6 lc rgb green title "sequential alone", \
     file index "mode-y" using 1:3 with points pt 4 ps .6 lc rgb orange title "strided alone", \
     [q=low:high] '+' using 1:(sd_form($1) > 0 ? sd_form($1) : 1/0) with lines lw 2.5 dt 2 lc rgb "black" title sd_title
unset multiplot
