# gnuplot -e "accuracy='...'; fct='...'; picture='...'" plot.gp : accuracy by load on the left, slowdowns by monitor on the right.
set terminal svg size 1300,430 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 1,3 margins 0.05,0.99,0.24,0.92 spacing 0.06,0.1
set border 3
set tics nomirror noenhanced
set grid ytics lc '#dddddd'

monitors = 'paraleon paraleon_delta2 host elastic netflow_5ms netflow'
colours = '#d62728 #ff9896 #2ca02c #1f77b4 #9467bd #7f7f7f'
set title '(a) accuracy, %'
set xlabel 'load, % of the uplinks'
set xrange [27:73]
set yrange [74:100.5]
set label 1 'netflow, which tells nothing in so short a run: 0' at 72,74.8 right font ',9' noenhanced
set key at graph 0.02,0.42 left noenhanced reverse Left samplen 2
plot for [m = 1:6] accuracy every ::1 using (strcol(1) eq word(monitors, m) ? 100 * $2 + 0.25 * (m - 3) : NaN) \
    :(100 * $4):(100 * $5):(100 * $6) with yerrorlines pt 7 ps 0.5 lc rgb word(colours, m) title word(monitors, m)

set key off
unset label 1
set xlabel ''
set yrange [0:*]
set style fill solid 0.8
set xtics rotate by 50 right font ',9'
rows = int(system(sprintf("wc -l <%s", fct)))
set xrange [-0.6:rows - 1.4]
do for [tail = 0:1] {
    at = 4 + 3 * tail
    set title (tail ? '(b) p99.9 slowdown' : '(b) mean slowdown')
    plot fct every ::1 using 0:(column(at)):(column(at + 1)):(column(at + 2)):(0.7) \
        :(strcol(1) eq 'paraleon' ? 0xd62728 : strcol(1) eq 'default' ? 0x1f77b4 : 0xff9896) with boxerrorbars lc rgb variable, \
        '' every ::1 using 0:(0):xtic(strcol(1) eq 'paraleon_published' ? 'published/'.strcol(2) : strcol(1).'/'.strcol(2)) with dots lc '#ffffff'
}
unset multiplot
