# gnuplot -e "results='...'; picture='...'; schemes='...'; titles='...'; scales='...'; logs='...'" bars.gp :
# draws results.csv of acc.sh, one panel per metric, with bars by case and scheme and 95 % intervals. titles
# and scales are words; a _ in a title is a space. logs are the numbers of logarithmic panels.
cases = system("tail -n +2 '".results."' | cut -d , -f 1 | uniq")
panels = words(titles)
columns = panels < 4 ? panels : panels == 4 ? 2 : 3
rows = (panels + columns - 1) / columns
# With many cases, their names need space below the panels.
is_many = words(cases) > 6
below = is_many ? 150 : 60
height = (240.0 + below) * rows + 40
set terminal svg size 470 * columns,height font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
set multiplot layout rows,columns margins 0.05,(is_many ? 0.93 : 0.98),below / height,1 - (is_many ? 75 : 60) / height spacing 0.05,(below + 30) / height
colours = '#7f7f7f #1f77b4 #2ca02c #9467bd #d62728 #ff9896 #8c564b #e377c2'
spaces(s) = system("echo '".s."' | tr _ ' '")
label(s) = system("echo '".s."' | sed s/%/%%/")
place(name) = sum [c = 1:words(cases)] (word(cases, c) eq name ? c : 0)
n = words(schemes)
set style fill solid 0.85
set grid ytics lc '#dddddd'
set border 3
set tics nomirror
set yrange [0:*]
set xrange [0.4:words(cases) + 0.6]
set xtics rotate by (is_many ? -40 : -20) left ()
do for [c = 1:words(cases)] { set xtics add (label(word(cases, c)) c) }
do for [panel = 1:panels] {
    at = 1 + 3 * panel
    scale = real(word(scales, panel))
    set title spaces(word(titles, panel))
    if (strstrt(" ".logs." ", " ".panel." ")) { set logscale y; set yrange [10:*] } else { unset logscale y; set yrange [0:*] }
    if (panel == 1) { set key at screen 0.5,0.995 center top horizontal maxrows 1 samplen 1 } else { set key off }
    plot for [s = 1:n] results using (strcol(2) eq word(schemes, s) ? place(strcol(1)) + 0.8 / n * (s - (n + 1) / 2.0) : NaN) \
        :(column(at) * scale):(column(at + 1) * scale):(column(at + 2) * scale):(0.8 / n) \
        with boxerrorbars lc rgb word(colours, s) title word(schemes, s)
}
unset multiplot
