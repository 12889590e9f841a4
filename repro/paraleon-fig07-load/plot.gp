# gnuplot -e "results='...'; picture='...'" plot.gp : a column a model and meaning of load; mean slowdown above, p99.9 below.
set terminal svg size 1400,640 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 2,4 columnsfirst margins 0.055,0.99,0.09,0.93 spacing 0.035,0.1

settings = 'default_85 default_50 expert hpcc'
colours = '#1f77b4 #9467bd #d62728 #2ca02c'
set style fill solid 0.8
set logscale y
set grid ytics lc '#dddddd'
set border 3
set tics nomirror
set xrange [-0.5:3.5]
set yrange [1:200]
set xtics ('<10KB' 0, '<100KB' 1, '<1MB' 2, '>=1MB' 3)
set key off

# Sizes lie side by side in a row: mean and p99.9 of each, three columns a figure; the first is the 23rd.
at(size, tail) = 23 + 6 * size + 3 * tail
is(model, load, setting) = strcol(1) eq model && strcol(2) eq load && strcol(3) eq setting

do for [panel = 0:3] {
    model = word('nic nic hpcc hpcc', panel + 1)
    load = word('hosts bisection hosts bisection', panel + 1)
    do for [tail = 0:1] {
        if (tail == 0) { set title sprintf('%s, 30 %% of %s', model, load) } else { unset title }
        if (panel == 0) { set ylabel tail == 0 ? 'mean slowdown' : 'p99.9 slowdown' } else { unset ylabel }
        if (panel == 0 && tail == 0) { set key top right samplen 1 noenhanced } else { set key off }
        plot for [s = 1:4] for [size = 0:3] results \
            using (is(model, load, word(settings, s)) ? size + 0.2 * (s - 2.5) : NaN) \
                :(column(at(size, tail))):(column(at(size, tail) + 1) > 1 ? column(at(size, tail) + 1) : 1):(column(at(size, tail) + 2)):(0.2) \
            with boxerrorbars lc rgb word(colours, s) title (size == 0 ? word(settings, s) : '')
    }
}
unset multiplot
