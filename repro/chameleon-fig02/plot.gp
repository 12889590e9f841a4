# gnuplot -e "results='...'; picture='...'" plot.gp : tail of completion times, and throughput.
set terminal svg size 900,400 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 1,2 margins 0.08,0.99,0.24,0.92 spacing 0.1,0.1
set border 3
set tics nomirror noenhanced
set grid ytics lc '#dddddd'
set key off
set style fill solid 0.8
set yrange [0:*]
set xrange [-0.6:4.6]
set xtics rotate by 35 right
colour(name) = name[1:9] eq 'chameleon' ? 0xd62728 : 0x1f77b4
set title 'p99 FCT, us'
plot results every ::1 using 0:6:7:8:(0.6):(colour(strcol(1))):xtic(1) with boxerrorbars lc rgb variable
set title 'goodput, Gb/s'
plot results every ::1 using 0:($12 / 1e9):($13 / 1e9):($14 / 1e9):(0.6):(colour(strcol(1))):xtic(1) with boxerrorbars lc rgb variable
unset multiplot
