# gnuplot -e "results='...'; fct='...'; picture='...'" plot.gp : figure 1, throughput and queue by threshold, for both incasts; figure 2, FCT.
set terminal svg size 1400,420 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 1,3 margins 0.05,0.99,0.16,0.91 spacing 0.06,0.1
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
incasts = '8x32 15x8'
schemes = 'secn0 secn1 secn2 vendor acc'
colours = '#7f7f7f #1f77b4 #2ca02c #9467bd #d62728'
k(name) = name[1:2] eq 'K=' ? real(name[3:*]) : NaN

set xlabel 'throughput of the receiver, Gb/s'
set ylabel 'queue, KB'
set logscale y
do for [c = 1:2] {
    set title sprintf('figure 1: %s', word(incasts, c) eq '8x32' ? '8 senders, 32 flows each' : '15 senders, 8 flows each')
    if (c == 1) { set key top left samplen 1 } else { set key off }
    plot results using (strcol(1) eq word(incasts, c) && k(strcol(2)) > 0 ? $4 / 1e9 : NaN):($7 / 1e3) with points pt 7 lc rgb '#555555' title 'one threshold', \
        '' using (strcol(1) eq word(incasts, c) && k(strcol(2)) > 0 ? $4 / 1e9 : NaN):($7 / 1e3):(strcol(2)) with labels offset 0,0.8 font ',9' notitle, \
        for [s = 1:5] results using (strcol(1) eq word(incasts, c) && strcol(2) eq word(schemes, s) ? $4 / 1e9 : NaN):($7 / 1e3) \
            with points pt 5 ps 1.5 lc rgb word(colours, s) title word(schemes, s)
}
unset logscale y
unset xlabel
set key off
cases = system("tail -n +2 '".fct."' | cut -d , -f 1 | uniq")
label(s) = system("echo '".s."' | sed s/%/%%/")
place(name) = sum [c = 1:words(cases)] (word(cases, c) eq name ? c : 0)
set title 'figure 2: mean FCT'
set ylabel 'ms'
set style fill solid 0.85
set yrange [0:*]
set xrange [0.4:words(cases) + 0.6]
set xtics rotate by -20 left ()
do for [c = 1:words(cases)] { set xtics add (label(word(cases, c)) c) }
plot for [s = 1:5] fct using (strcol(2) eq word(schemes, s) ? place(strcol(1)) + 0.16 * (s - 3) : NaN):($4 / 1e3):($5 / 1e3):($6 / 1e3):(0.16) \
    with boxerrorbars lc rgb word(colours, s) title word(schemes, s)
unset multiplot
