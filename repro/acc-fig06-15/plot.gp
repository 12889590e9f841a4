# gnuplot -e "series='...'; picture='...'" plot.gp : queue and throughput over time; the incasts on the left, bursts on the right. Seed 1.
set terminal svg size 1400,640 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 2,2 columnsfirst margins 0.055,0.99,0.08,0.94 spacing 0.06,0.08
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
schemes = 'secn1 secn2 acc'
colours = '#1f77b4 #2ca02c #d62728'
do for [c = 1:2] {
    case = word('incasts burst', c)
    if (system('grep -c ,'.case.', '.series.' || :') + 0 == 0) { continue }
    do for [at = 4:5] {
        if (at == 4) { set title (c == 1 ? 'figure 6: incasts' : 'figure 15: bursts'); set key top right samplen 2; unset xlabel } \
        else { unset title; set key off; set xlabel 'ms' }
        set ylabel (at == 4 ? 'queue, KB' : 'throughput, Gb/s')
        if (at == 4) { set logscale y; set yrange [1:*] } else { unset logscale y; set yrange [0:*] }
        plot for [s = 1:3] '<grep ,'.case.','.word(schemes, s).', '.series using 1:(column(at) > 1 || at == 5 ? column(at) : 1) \
            with lines lw 1.2 lc rgb word(colours, s) title word(schemes, s)
    }
}
unset multiplot
