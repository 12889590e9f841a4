# gnuplot -e "results='...'; picture='...'" plot.gp : a column a knob; goodput above, RTT below; one line a model.
set terminal svg size 1500,520 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 2,9 columnsfirst margins 0.045,0.99,0.14,0.9 spacing 0.022,0.06

knobs = 'rpg_hai_rate rate_reduce_monitor_period rpg_time_reset kmax rpg_ai_rate rate_to_set_on_first_cnp min_time_between_cnps kmin pmax'
units = 'Mb/s us us KB Mb/s Gb/s us KB -'
x(model, knob) = (strcol(1) eq model && strcol(2) eq knob) ? $3 : NaN

set logscale x
set grid ytics lc '#dddddd'
set key off
set tics font ',8' nomirror
set border 3
do for [k = 1:9] {
    knob = word(knobs, k)
    set title knob font ',9' noenhanced
    unset xlabel
    set format x ''
    set yrange [900:1900]
    if (k == 1) { set ylabel 'goodput, Gb/s'; set key bottom left samplen 1 font ',8' } else { unset ylabel; set key off }
    plot for [model in 'nic artifact'] results using (x(model, knob)):($6/1e9):($7/1e9):($8/1e9) \
        with yerrorlines pt 7 ps 0.4 lc rgb (model eq 'nic' ? '#1f77b4' : '#d62728') title model
    unset title
    set key off
    set format x '%g'
    set xlabel word(units, k) font ',9'
    if (k == 1) { set ylabel 'mean RTT, us' } else { unset ylabel }
    set yrange [0:400]
    plot for [model in 'nic artifact'] results using (x(model, knob)):9:10:11 \
        with yerrorlines pt 7 ps 0.4 lc rgb (model eq 'nic' ? '#1f77b4' : '#d62728') title model
}
unset multiplot
