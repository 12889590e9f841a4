# gnuplot -e "results='...'; distribution='...'; picture='...'" plot.gp : left the share of gaps in bins of
# 1/16 octave; right the share of gaps of at least 1, 2 and 3 RTTs, and the paper's.
set terminal svg size 1200,480 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 1,2 margins 0.07,0.98,0.12,0.93 spacing 0.08,0.1
variants = 'dcqcn dcqcn_conweave dctcp cubic newreno'
colours = '#d62728 #ff9896 #1f77b4 #2ca02c #9467bd'
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
set logscale xy
set format y '%g'
set xlabel 'gap, us'
set ylabel 'share of gaps'
set xrange [0.05:2000]
set yrange [1e-7:1]
set key top right samplen 1
set arrow 1 from 12.5,1e-7 to 12.5,1 nohead dt 2 lc '#000000'
set label 1 ' RTT' at 12.5,0.5
plot for [v = 1:5] distribution using (strcol(1) eq word(variants, v) ? $2 : NaN):3 \
    with lines lw 1.5 lc rgb word(colours, v) title word(variants, v)

unset arrow 1
unset label 1
unset logscale x
unset xlabel
set ylabel '% of gaps'
set xrange [-0.5:2.5]
set yrange [1e-3:100]
set xtics ('>= RTT' 0, '>= 2 RTT' 1, '>= 3 RTT' 2)
set style fill solid 0.85
array rdma[3] = [0.012, 0.006, 0.003]
array tcp[3] = [2.376, 1.854, 1.550]
plot for [v = 1:5] for [n = 0:2] results \
        using (strcol(1) eq word(variants, v) ? n + 0.15 * (v - 3) : NaN):(column(4 + 3 * n)) \
            :(column(5 + 3 * n) > 1e-3 ? column(5 + 3 * n) : 1e-3):(column(6 + 3 * n)):(0.15) \
        with boxerrorbars lc rgb word(colours, v) title (n == 0 ? word(variants, v) : ''), \
     for [n = 0:2] '+' using (n):(rdma[n + 1]) every ::0::0 with points pt 9 ps 1.2 lc '#000000' title (n == 0 ? 'RDMA, the paper' : ''), \
     for [n = 0:2] '+' using (n):(tcp[n + 1]) every ::0::0 with points pt 11 ps 1.2 lc '#000000' title (n == 0 ? 'TCP, the paper' : '')
unset multiplot
