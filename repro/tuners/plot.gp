# gnuplot -e "results='...'; picture='...'" plot.gp : a column a workload; mean slowdown above, p99.9 below; the line is the
# default setting's.
set terminal svg size 1700,760 font 'sans,11' noenhanced background '#ffffff'
set output picture
set datafile separator ','
workloads = system(sprintf("awk -F, 'NR>1 && !($1 in s) {s[$1]=1; printf \"%%s \", $1}' %s", results))
variants = system(sprintf("awk -F, 'NR>1 && !($2 in s) {s[$2]=1; printf \"%%s \", $2}' %s", results))
n = words(workloads)
set multiplot layout 2,n columnsfirst margins 0.045,0.99,0.19,0.94 spacing 0.03,0.05
set style fill solid 0.8
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
set key off
set yrange [0:*]
set xrange [0.3:words(variants) + 0.7]

place(name) = int(system(sprintf("echo '%s' | tr ' ' '\n' | grep -nx '%s' | cut -d: -f1", variants, name)))
colour(name) = name eq 'paraleon' ? 0xd62728 : name[1:8] eq 'paraleon' ? 0xff9896 : \
    strstrt(' default default_artifact expert hpcc bdp ', ' '.name.' ') ? 0x1f77b4 : 0x7f7f7f

do for [w = 1:n] {
    do for [tail = 0:1] {
        at = 4 + 3 * tail
        name = word(workloads, w)
        base = real(system(sprintf("awk -F, '$1==\"%s\" && $2==\"default\" {print $%d}' %s", name, at, results)))
        if (tail == 0) { set title name; set format x ''; unset xtics; set xtics scale 0 }
        if (tail == 1) { unset title; set xtics rotate by 60 right font ',9' }
        if (w == 1) { set ylabel (tail == 0 ? 'mean slowdown' : 'p99.9 slowdown') } else { unset ylabel }
        set arrow 1 from 0.3,base to words(variants) + 0.7,base nohead lc '#1f77b4' dt 2
        if (tail == 0) { set xtics () }
        if (tail == 1) { do for [i = 1:words(variants)] { set xtics add (word(variants, i) i) } }
        plot results using (strcol(1) eq name ? place(strcol(2)) : NaN):(column(at)):(column(at + 1)):(column(at + 2)):(0.7):(colour(strcol(2))) \
            with boxerrorbars lc rgb variable
    }
}
unset multiplot
