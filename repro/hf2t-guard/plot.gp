# gnuplot -e "results='...'; prediction='...'; picture='...'" plot.gp : a column for one, two and eight flows, a row a model: their
# goodput by timeout; the line is what the rule predicts for one flow.
set terminal svg size 1200,640 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 2,3 rowsfirst margins 0.06,0.99,0.07,0.94 spacing 0.05,0.11
schemes = 'letflow hf2t hf2t_guarded'
colours = '#1f77b4 #d62728 #2ca02c'
loads = 'lone two eight'
models = 'nic conweave'
titles = "'one flow' 'two flows of a host' 'eight flows between two pods'"
set border 3
set tics nomirror
set grid ytics lc '#dddddd'

set xrange [-0.5:3.5]
set xtics ('12.5 us' 0, '25 us' 1, '50 us' 2, '100 us' 3)
place(us) = us < 20 ? 0 : us < 40 ? 1 : us < 80 ? 2 : 3
line(model) = model eq 'nic' ? 92.6 : 95.4       # payload of full frames, Gb/s
do for [m = 1:2] {
    do for [l = 1:3] {
        model = word(models, m)
        set title word(titles, l).', '.model
        set yrange [0:l < 3 ? 110 : 800]
        if (l == 1) { set ylabel 'goodput, Gb/s' } else { unset ylabel }
        if (l == 1 && m == 1) { set key bottom left samplen 1 } else { set key off }
        plot for [s = 1:3] results \
                using (strcol(1) eq word(loads, l) && strcol(2) eq model && strcol(3) eq word(schemes, s) ? \
                    place($4) + 0.12 * (s - 2) : NaN):($6 / 1e9):($7 / 1e9):($8 / 1e9) \
                with yerrorbars pt 7 ps 0.7 lw 1.5 lc rgb word(colours, s) title word(schemes, s), \
             prediction using (l == 1 && strcol(1) eq model ? place($2) : NaN):(line(model) * (1 - $6 / 100)) \
                with lines dt 2 lc '#000000' title 'predicted'
    }
}
unset multiplot
