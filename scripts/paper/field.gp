# SPDX-License-Identifier: BSD-3-Clause
# field.gp: Figure 1, pictures of FieldImage with axes. `first`, `last`: files; `first_time`, `last_time`; least and most
# density in each; `wide`: pixels of a picture in x.
load style
left = 62; right = 120; panel = wide / 4; gap = 48; bottom = 68; top = 36
width = wide + left + right; height = 2 * panel + gap + bottom + top
set terminal pngcairo size width,height font "sans-serif,17" enhanced
set output figures."/figure-01.png"
set multiplot
set lmargin at screen real(left) / width
set rmargin at screen real(left + wide) / width
set xrange [0:4]; set yrange [0:1]
set xtics .5; set ytics .5
set ylabel "y" offset 1.2,0
unset grid
set border 15 lw 1.5
set palette defined (0 "#f5f5f5", 1 "#5f5f5f")
do for [k=1:2] {
    low = bottom + (k == 1 ? panel + gap : 0)
    set bmargin at screen real(low) / height
    set tmargin at screen real(low + panel) / height
    set label 1 sprintf("t = %.2g", k == 1 ? first_time : last_time) at graph .012, graph .08 front
    set xlabel k == 2 ? "x" : "" offset 0,.5
    least = k == 1 ? first_least : last_least
    most = k == 1 ? first_most : last_most
    set cbrange [least:most]
    set cblabel "density" offset .8,0
    set cbtics 1
    set colorbox user origin real(left + wide + 16) / width, real(low) / height size 16. / width, real(panel) / height
    if (k == 1) {
        set key at screen .985, real(height - 6) / height top right horizontal maxrows 1 samplen 2
    } else { unset key }
    plot (k == 1 ? first : last) binary filetype=png dx=4./wide dy=4./wide origin=(2./wide, 2./wide) with rgbimage notitle, \
         NaN with lines lw 3 lc rgb "#aa4499" title "level 0", NaN with lines lw 3 lc rgb red title "level 1", \
         NaN with lines lw 3 lc rgb blue title "level 2", \
         '+' using 1:(NaN):(least) with points palette notitle
}
unset multiplot
