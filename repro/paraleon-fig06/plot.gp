# gnuplot -e "results='...'; picture='...'" plot.gp : goodput, RTT; dark is better.
set terminal svg size 900,360 font 'sans,11' background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout 1,2 rowsfirst

times = system("awk -F , 'NR > 1 { print $2 }' ".results." | sort -nu | tr '\n' ' '")
kmaxs = system("awk -F , 'NR > 1 { print $1 }' ".results." | sort -nu | tr '\n' ' '")
# Values are not evenly spaced; cells are.
place(list, value) = sum [i = 1:words(list)] (word(list, i) + 0 < value ? 1 : 0)

unset key
set tics nomirror out
set border 3
do for [i = 1:words(times)] { set xtics add (word(times, i) i - 1) }
do for [i = 1:words(kmaxs)] { set ytics add (word(kmaxs, i) i - 1) }
set xrange [-0.5:words(times) - 0.5]
set yrange [-0.5:words(kmaxs) - 0.5]
set xlabel 'rpg\_time\_reset, us'
set ylabel 'kmax, KB'
do for [figure in 'goodput rtt'] {
    column = figure eq 'goodput' ? 4 : 7
    scale = figure eq 'goodput' ? 1e9 : 1
    if (figure eq 'goodput') { set palette defined (0 '#f7fbff', 1 '#2171b5') } else { set palette defined (0 '#41ab5d', 1 '#f7fcf5') }
    set title (figure eq 'goodput' ? 'goodput, Gb/s' : 'mean RTT, us')
    plot results every ::1 using (place(times, $2)):(place(kmaxs, $1)):(0.5):(0.5):(column(column) / scale) \
            with boxxyerror fs solid noborder fc palette, \
         '' every ::1 using (place(times, $2)):(place(kmaxs, $1)):(sprintf('%.0f', column(column) / scale)) with labels font ',10'
}
unset multiplot
