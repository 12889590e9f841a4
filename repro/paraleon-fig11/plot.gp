# gnuplot -e "accuracy='...'; results='...'; picture='...'" plot.gp : accuracy by monitor interval on the left, then slowdowns.
set terminal svg size 1300,400 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 1,3 margins 0.05,0.99,0.14,0.91 spacing 0.06,0.1
set border 3
set tics nomirror noenhanced
set grid ytics lc '#dddddd'
set xlabel 'monitor interval, ms'
set logscale x
set xrange [0.4:6]
set xtics (0.5, 1, 2, 5)
set key bottom right noenhanced

set title '(a) accuracy, %'
set yrange [*:100.3]
plot accuracy every ::1 using 1:(100 * $3):(100 * $4):(100 * $5) with yerrorlines pt 7 ps 0.5 lc rgb '#d62728' title 'paraleon', \
    '' every ::1 using 1:(100 * $6):(100 * $7):(100 * $8) with yerrorlines pt 7 ps 0.5 lc rgb '#1f77b4' title 'elastic'

set yrange [0:*]
do for [tail = 0:1] {
    at = 4 + 3 * tail
    base = real(system(sprintf("awk -F, '$1==\"default\" {print $%d}' %s", at, results)))
    set title (tail ? '(b) p99.9 slowdown' : '(b) mean slowdown')
    if (tail) { set key off }
    plot base with lines dt 2 lc '#7f7f7f' title 'default', results every ::1 \
        using (strcol(1) eq 'default' ? NaN : $2) \
        :(column(at)):(column(at + 1)):(column(at + 2)) with yerrorlines pt 7 ps 0.5 lc rgb '#d62728' \
        title 'published'
}
unset multiplot
