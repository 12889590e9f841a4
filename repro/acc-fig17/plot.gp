# gnuplot -e "series='...'; picture='...'" plot.gp : the queue over time while nets learn with the two
# rewards, next to static settings.
set terminal svg size 1400,360 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 1,3 margins 0.05,0.99,0.13,0.91 spacing 0.05,0.1
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
set xlabel 'ms'
set logscale y
schemes = 'secn1 secn2 step linear'
colours = '#1f77b4 #2ca02c #d62728 #ff9896'
do for [c = 1:3] {
    case = word('4x2 8x8 16x16', c)
    set title sprintf('%s: senders x flows', case)
    if (c == 1) { set ylabel 'queue, KB'; set key bottom left samplen 2 } else { unset ylabel; set key off }
    plot for [s = 1:4] '<grep ,'.case.','.word(schemes, s).', '.series using 1:($4 > 1 ? $4 : 1) with lines lc rgb word(colours, s) title word(schemes, s)
}
unset multiplot
