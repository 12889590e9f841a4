# gnuplot -e "series='...'; thresholds='...'; picture='...'" plot.gp : queue and throughput over time; the incasts on the left, bursts on
# the right, there with the thresholds that ACC gave the port to the receiver. Seed 1.
set terminal svg size 1400,900 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 3,2 columnsfirst margins 0.055,0.99,0.06,0.96 spacing 0.06,0.07
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
schemes = 'secn1 secn2 acc'
colours = '#1f77b4 #2ca02c #d62728'
do for [c = 1:2] {
    case = word('incasts burst', c)
    if (system('grep -c ,'.case.', '.series.' || :') + 0 == 0) { continue }
    if (c == 2) { set xtics 2 }
    do for [at = 4:5] {
        if (at == 4) { set title (c == 1 ? 'figure 6: incasts' : 'figure 15: bursts'); set key top right samplen 2; unset xlabel } \
        else { unset title; set key off; if (c == 1) { set xlabel 'ms' } }
        set ylabel (at == 4 ? 'queue, KB' : 'throughput, Gb/s')
        if (at == 4) { set logscale y; set yrange [1:*] } else { unset logscale y; set yrange [0:*] }
        plot for [s = 1:3] '<grep ,'.case.','.word(schemes, s).', '.series using 1:(column(at) > 1 || at == 5 ? column(at) : 1) \
            with lines lw 1.2 lc rgb word(colours, s) title word(schemes, s)
    }
    if (c == 1) { set multiplot next; continue }
    set xlabel 'ms'
    set title 'ACC: the queue of the port to the receiver, and its thresholds'
    set key top right samplen 2
    set ylabel 'KB'
    set logscale y
    set yrange [1:*]
    plot thresholds using 1:($2 > 1 ? $2 : 1) skip 1 with steps lw 1.2 lc rgb '#d62728' title 'queue', \
        '' using ($1 + 0.1):3 skip 1 with steps lw 1.2 lc rgb '#aaaaaa' title 'Kmin', \
        '' using ($1 + 0.1):4 skip 1 with steps lw 1.2 lc rgb '#000000' title 'Kmax'
}
unset multiplot
