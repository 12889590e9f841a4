# gnuplot -e "results='...'; picture='...'" plot.gp : one column per knob; goodput above, RTT below.
set terminal svg size 1500,520 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 2,4 columnsfirst margins 0.045,0.99,0.14,0.9 spacing 0.022,0.06

knobs = 'rpg_hai_rate rate_reduce_monitor_period rpg_time_reset kmax'
units = 'Mb/s us us KB'
x(knob) = strcol(1) eq knob ? $2 : NaN

set logscale x
set grid ytics lc '#dddddd'
set key off
set tics font ',8' nomirror
set border 3
do for [k = 1:4] {
    knob = word(knobs, k)
    set title knob font ',9' noenhanced
    unset xlabel
    set format x ''
    set yrange [900:1900]
    if (k == 1) { set ylabel 'goodput, Gb/s' } else { unset ylabel }
    plot results using (x(knob)):($5/1e9):($6/1e9):($7/1e9) with yerrorlines pt 7 ps 0.4 lc rgb '#d62728'
    unset title
    set format x '%g'
    set xlabel word(units, k) font ',9'
    if (k == 1) { set ylabel 'mean RTT, us' } else { unset ylabel }
    set yrange [0:400]
    plot results using (x(knob)):8:9:10 with yerrorlines pt 7 ps 0.4 lc rgb '#d62728'
}
unset multiplot
