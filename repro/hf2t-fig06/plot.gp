# gnuplot -e "curves='...'; changes='...'; picture='...'" plot.gp : a column a model and workload. Above: median and p99
# slowdown by flow size, with a timeout of 100 us; below: change against LetFlow by timeout, and the paper's (dashed).
set terminal svg size 1200,1200 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 4,3 rowsfirst margins 0.05,0.99,0.05,0.97 spacing 0.035,0.06
schemes = 'ecmp letflow hf2t_static hf2t hf2t_guarded'
colours = '#7f7f7f #1f77b4 #ff9896 #d62728 #2ca02c'
models = 'conweave conweave nic'
workloads = 'websearch hadoop websearch'
paper_p50(c, s) = s eq 'hf2t' ? (c % 2 ? -37.3 : -22.3) : (c % 2 ? -8.8 : -8.1)
paper_p99(c, s) = s eq 'hf2t' ? (c % 2 ? -28.8 : -16.5) : (c % 2 ? -8.7 : -4.6)
set grid ytics lc '#dddddd'
set border 3
set tics nomirror
set key off

is_shown(c, s) = strcol(1) eq word(models, c) && strcol(2) eq word(workloads, c) && strcol(3) eq s
set logscale xy
set xrange [500:5e7]
set format x '10^{%L}'
set xtics ('1KB' 1e3, '10KB' 1e4, '100KB' 1e5, '1MB' 1e6, '10MB' 1e7)
do for [tail = 0:1] {
    do for [c = 1:3] {
        if (tail == 0) { set title word(models, c).', '.word(workloads, c) } else { unset title }
        if (c == 1) { set ylabel (tail == 0 ? 'median slowdown' : 'p99 slowdown') } else { unset ylabel }
        if (c == 1 && tail == 0) { set key top left samplen 1 } else { set key off }
        plot for [s = 1:5] curves \
            using (is_shown(c, word(schemes, s)) && ($4 == 100 || s == 1) && $6 >= 5 ? $5 * 1.5 : NaN):(column(7 + tail)) \
            with linespoints pt 7 ps 0.4 lw 1.5 lc rgb word(colours, s) title word(schemes, s)
    }
}

unset logscale xy
set format x '%g'
set xrange [-0.5:3.5]
set xtics ('12.5 us' 0, '25 us' 1, '50 us' 2, '100 us' 3)
place(us) = us < 20 ? 0 : us < 40 ? 1 : us < 80 ? 2 : 3
set xzeroaxis lc '#000000'
set yrange [-60:120]
unset title
do for [tail = 0:1] {
    do for [c = 1:3] {
        if (c == 1) { set ylabel (tail == 0 ? 'median, change %' : 'p99, change %') } else { unset ylabel }
        plot for [s = 3:4] (tail == 0 ? paper_p50(c, word(schemes, s)) : paper_p99(c, word(schemes, s))) \
                with lines dt 2 lc rgb word(colours, s), \
             for [s = 3:5] changes \
                using (is_shown(c, word(schemes, s)) ? place($4) + 0.15 * (s - 4) : NaN) \
                    :(column(5 + 3 * tail)):(column(6 + 3 * tail)):(column(7 + 3 * tail)) \
                with yerrorbars pt 7 ps 0.6 lw 1.5 lc rgb word(colours, s)
    }
}
unset multiplot
