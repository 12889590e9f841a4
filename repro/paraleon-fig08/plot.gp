# gnuplot -e "series='...'; picture='...'; begin=...; end=...; last=..." plot.gp : goodput above, RTT below; figure 8 on the left and
# 9 on the right. Lines are means over seeds, bands their 95 % intervals; of FB_Hadoop's time the ground is yellow.
set terminal svg size 1400,640 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 2,2 columnsfirst margins 0.055,0.99,0.08,0.94 spacing 0.05,0.08
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
set xrange [begin / 2:last]
set object 1 rectangle from begin, graph 0 to end, graph 1 fc rgb '#fff7c8' fs solid noborder behind
set style fill transparent solid 0.15 noborder

schemes(figure) = figure == 8 ? 'default expert dcqcn_plus paraleon_published paraleon acc' : 'pretrained1 pretrained2 paraleon'
colours(figure) = figure == 8 ? '#1f77b4 #2ca02c #9467bd #ff9896 #d62728 #8c564b' : '#1f77b4 #2ca02c #d62728'

do for [figure = 8:9] {
    do for [rtt = 0:1] {
        at = rtt ? 6 : 3
        unit = rtt ? 1.0 : 1e9
        if (rtt) { unset title; set xlabel 'ms'; set key off } else { set title sprintf('figure %d', figure); unset xlabel; set key top left noenhanced samplen 2 }
        if (figure == 8) { set ylabel (rtt ? 'RTT, us' : 'goodput, Gb/s') } else { unset ylabel }
        names = schemes(figure)
        set yrange [0:*]
        plot for [s = 1:words(names)] '<grep ,'.word(names, s).', '.series using 1:(column(at + 1) / unit):(column(at + 2) / unit) \
                with filledcurves lc rgb word(colours(figure), s) notitle, \
            for [s = 1:words(names)] '<grep ,'.word(names, s).', '.series using 1:(column(at) / unit) \
                with lines lw 1.5 lc rgb word(colours(figure), s) title word(names, s)
    }
}
unset multiplot
