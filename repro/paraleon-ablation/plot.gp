# gnuplot -e "changes='...'; picture='...'" plot.gp : change of the mean and of p99.9 against `corrected`, a row an option.
set terminal svg size 1100,560 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
rows = int(system(sprintf("wc -l <%s", changes)))
set multiplot layout 1,2 margins 0.27,0.99,0.1,0.93 spacing 0.03,0.1
set border 3
set tics nomirror noenhanced
set grid xtics lc '#dddddd'
set key off
set yrange [rows - 0.4:-0.6]
set arrow 1 from 0,-0.6 to 0,rows - 0.4 nohead lc '#7f7f7f'
set xlabel 'change against corrected, %'
do for [tail = 0:1] {
    at = 3 + 3 * tail
    set title (tail ? 'p99.9 slowdown' : 'mean slowdown')
    if (tail) { unset ytics }
    if (tail) { plot changes using (column(at)):0:(column(at + 1)):(column(at + 2)) with xerrorbars pt 7 ps 0.6 lc rgb '#d62728' }
    else { plot changes using (column(at)):0:(column(at + 1)):(column(at + 2)):ytic(1) with xerrorbars pt 7 ps 0.6 lc rgb '#d62728' }
}
unset multiplot
