# gnuplot -e "series='...'; picture='...'" plot.gp : utility over time, a panel a workload, a line a scheme: means over seeds, and
# over three intervals for the eye.
set terminal svg size 1400,430 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
workloads = system(sprintf("awk -F, 'NR>1 && !($1 in s) {s[$1]=1; printf \"%%s \", $1}' %s", series))
set multiplot layout 1,words(workloads) margins 0.05,0.99,0.12,0.92 spacing 0.05,0.08
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
set xlabel 'ms'
schemes = 'default naive_sa published unguided hot unknown paraleon'
colours = '#1f77b4 #7f7f7f #ff9896 #2ca02c #9467bd #e5ae38 #d62728'

do for [workload in workloads] {
    set title workload
    if (workload eq word(workloads, 1)) { set ylabel 'utility'; set key bottom left noenhanced samplen 2 maxrows 3 } else { unset ylabel; set key off }
    plot for [s = 1:words(schemes)] \
        sprintf("<awk -F, '$1 == \"%s\" && $2 == \"%s\" {b = a; a = c; c = $4; if (++n > 2) print $3 - 1 \",\" (a + b + c) / 3}' %s", \
                workload, word(schemes, s), series) \
        using 1:2 with lines lw (word(schemes, s) eq 'paraleon' ? 2.5 : 1.3) lc rgb word(colours, s) title word(schemes, s)
}
unset multiplot
