# gnuplot -e "results='...'; training='...'; picture='...'" plot.gp : slowdown by flow size for both loads, mean above and
# p99.9 below; on the right the collectives of training by number of workers.
set terminal svg size 1500,720 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 2,3 columnsfirst margins 0.05,0.99,0.08,0.93 spacing 0.05,0.1
schemes = 'default default_artifact expert hpcc bdp dcqcn_plus paraleon_published paraleon acc'
colours = '#1f77b4 #aec7e8 #2ca02c #98df8a #9467bd #7f7f7f #ff9896 #d62728 #8c564b'
set style fill solid 0.85
set grid ytics lc '#dddddd'
set border 3
set tics nomirror
set key off
at(size, tail) = 4 + 6 * size + 3 * tail

set logscale y
set xrange [-0.5:3.5]
set xtics ('<10KB' 0, '<100KB' 1, '<1MB' 2, '>=1MB' 3)
do for [panel = 0:1] {
    load = word('bisection hosts', panel + 1)
    do for [tail = 0:1] {
        if (tail == 0) { set title sprintf('FB_Hadoop, 30 %% of %s', load) } else { unset title }
        if (panel == 0) { set ylabel (tail == 0 ? 'mean slowdown' : 'p99.9 slowdown') } else { unset ylabel }
        if (panel == 0 && tail == 0) { set key top left samplen 1 noenhanced font ',9' } else { set key off }
        plot for [s = 1:9] for [size = 0:3] results \
            using (strcol(1) eq load && strcol(2) eq word(schemes, s) ? size + 0.09 * (s - 5) : NaN) \
                :(column(at(size, tail))):(column(at(size, tail) + 1) > 1 ? column(at(size, tail) + 1) : 1):(column(at(size, tail) + 2)):(0.09) \
            with boxerrorbars lc rgb word(colours, s) title (size == 0 ? word(schemes, s) : '')
    }
}
unset logscale y
set key off
set yrange [0:*]
set xrange [-0.5:1.5]
set xtics ('10' 0, '20' 1)
do for [tail = 0:1] {
    if (tail == 0) { set title 'all-to-all, 12 MB: collective' ; set ylabel 'mean, ms'; unset xlabel }
    if (tail == 1) { unset title; set ylabel 'p99 of a flow, ms'; set xlabel 'workers' }
    value = tail == 0 ? 4 : 13
    plot for [s = 1:9] training \
        using (strcol(2) eq word(schemes, s) ? ($1 == 10 ? 0 : $1 == 20 ? 1 : 2) + 0.09 * (s - 5) : NaN) \
            :(column(value) / 1e3):(column(value + 1) / 1e3):(column(value + 2) / 1e3):(0.09) \
        with boxerrorbars lc rgb word(colours, s)
}
unset multiplot
