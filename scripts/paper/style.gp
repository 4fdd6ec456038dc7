# SPDX-License-Identifier: BSD-3-Clause
# style.gp: what the figures share. `data` and `figures` are folders; colours are those of Okabe and Ito.
blue = "#0072B2"; red = "#D55E00"; green = "#009E73"; orange = "#E69F00"; sky = "#56B4E9"; purple = "#CC79A7"
grey = "#888888"
array rank_colour[3] = [blue, red, green]
array filled[3] = [7, 5, 9]
array hollow[3] = [6, 4, 8]
set encoding utf8
set border 3 lw 1
set tics nomirror out scale .6
set grid lc rgb "#e4e4e4" lt 1 lw .7
set key samplen 1.2 spacing 1.05 height .3 noopaque
tens = "10^{%T}"
