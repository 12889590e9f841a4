# gnuplot -e "results='...'; training='...'; picture='...'" plot.gp : a column a workload, mean slowdown above, p99 below, with one bar
# for go-back-N and a paler one for selective repeat; last the collectives of training. The line is ECMP.
set terminal svg size 1500,760 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
loads = 'fat_tree leaf_websearch leaf_hadoop slow_edge'
balancers = 'ecmp ecmp_hf2t_100 letflow_25 letflow_100 hf2t_25 hf2t_100 conga drill spray_random spray_turns'
set multiplot layout 2,5 columnsfirst margins 0.035,0.995,0.14,0.94 spacing 0.036,0.05
set style fill solid 0.9
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
set key off
set logscale y
set xrange [0.3:words(balancers) + 0.7]
colour(s) = s == 0 ? 0x1f77b4 : 0xaec7e8
least(y) = y > 1 ? y : 1
bar(b, s) = word(balancers, b).(s ? '_selective' : '')

do for [l = 1:5] {
    do for [tail = 0:1] {
        if (tail == 0) {
            set title (l < 5 ? word(loads, l) : 'training'); set format x ''; set xtics scale 0
        } else {
            unset title; set xtics rotate by 60 right font ',9'
            do for [b = 1:words(balancers)] { set xtics add (word(balancers, b) b) }
        }
        if (tail == 0) { set xtics () }
        set ylabel (l == 1 ? (tail == 0 ? 'mean slowdown' : 'p99 slowdown') : l == 5 ? (tail == 0 ? 'collective, mean, ms' : 'collective, p99, ms') : '')
        file = l < 5 ? results : training
        at = (l < 5 ? 4 : 3) + 3 * tail
        scale = l < 5 ? 1 : 1e3
        base = l < 5 ? real(system(sprintf("awk -F, '$1==\"%s\" && $2==\"ecmp\" {print $%d}' %s", word(loads, l), at, file))) : \
            real(system(sprintf("awk -F, '$1==\"ecmp\" {print $%d}' %s", at, file))) / scale
        set yrange [l < 5 ? 1 : base / 3:*]
        set arrow 1 from 0.3,base to words(balancers) + 0.7,base nohead lc '#d62728' dt 2 front
        plot for [b = 1:words(balancers)] for [s = 0:1] file \
            using ((l < 5 ? strcol(1) eq word(loads, l) && strcol(2) eq bar(b, s) : strcol(1) eq bar(b, s)) ? b + 0.38 * (s - 0.5) : NaN) \
                :(column(at) / scale):(least(column(at + 1) / scale)):(column(at + 2) / scale):(0.38):(colour(s)) \
            with boxerrorbars lc rgb variable
    }
}
unset multiplot
