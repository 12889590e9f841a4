# gnuplot -e "windows='...'; picture='...'" plot.gp : mean slowdown and mean FCT of flows by the window in
# which they start. The background is yellow during DataMining.
set terminal svg size 1000,600 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 2,1 margins 0.08,0.98,0.09,0.94 spacing 0.06,0.09
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
set xrange [0:22]
set object 1 rectangle from 9, graph 0 to 17, graph 1 fc rgb '#fff7c8' fs solid noborder behind
set object 2 rectangle from 19, graph 0 to 22, graph 1 fc rgb '#fff7c8' fs solid noborder behind
schemes = 'secn1 secn2 acc acc_online acc_new'
colours = '#1f77b4 #2ca02c #d62728 #ff9896 #8c564b'
set logscale y
do for [fct = 0:1] {
    at = fct ? 6 : 3
    set ylabel (fct ? 'mean FCT, ms' : 'mean slowdown')
    if (fct) { set key off; set xlabel 'window' } else { set key top left samplen 2 }
    plot for [s = 1:5] '<grep ,'.word(schemes, s).', '.windows using ($1 - 0.5):(column(at) / (fct ? 1e3 : 1)) with linespoints pt 7 ps 0.6 \
        lc rgb word(colours, s) title word(schemes, s)
}
unset multiplot
