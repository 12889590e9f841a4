# awk -F , -v window_us=W -f figures.awk INTERVALS.CSV SORTED : figures of a run that `anole run` has not by itself, a line each
# "name value". SORTED are the lines of flows.csv without head, by FCT.
#
#   all, mice, elephants   .fct_us_mean, .fct_us_p99, .fct_us_p999 and .flows; mice are below 120 KB, elephants have 1 MB and more
#   size_BYTES             the same for each size, if there are 8 at most
#   queue_kb_mean, _sd     of what all switches together held at the ends of intervals, while flows were there to start or to end
#   window_I               .fct_us_mean, .slowdown_mean of flows that started in the I-th window of W us; 0: none
function add(set, fct_us,    n) {
    n = ++count[set]
    sum[set] += fct_us
    value[set, n] = fct_us
}
function quantile(set, p,    n) {
    n = int(p * count[set])
    return value[set, n < p * count[set] ? n + 1 : n > 0 ? n : 1]
}
function print_set(set) {
    if (!count[set]) return
    printf "%s.flows %d\n%s.fct_us_mean %.9g\n", set, count[set], set, sum[set] / count[set]
    printf "%s.fct_us_p99 %.9g\n%s.fct_us_p999 %.9g\n", set, quantile(set, 0.99), set, quantile(set, 0.999)
}
FNR == 1 { file++ }
file == 1 && FNR == 1 {
    gsub(/"/, "")
    for (i = 1; i <= NF; i++) column[$i] = i
    next
}
file == 1 {
    if ($column["flows_active"] == 0 && $column["flows_started"] == 0) next
    kb = $column["queue_bytes"] / 1000
    queues++
    queue_sum += kb
    queue_squares += kb * kb
    next
}
{
    fct_us = $9 / 1000
    add("all", fct_us)
    if ($7 < 120000) add("mice", fct_us)
    if ($7 >= 1000000) add("elephants", fct_us)
    if (!($7 in is_size)) { is_size[$7]; size[++sizes] = $7 }
    if (sizes <= 8) add("size_" $7, fct_us)
    if (window_us) {
        w = int($8 / 1000 / window_us) + 1
        window_sum[w] += fct_us
        window_slowdown[w] += $11
        window_flows[w]++
        if (w > windows) windows = w
    }
}
END {
    print_set("all")
    print_set("mice")
    print_set("elephants")
    for (i = 1; sizes <= 8 && i <= sizes; i++) print_set("size_" size[i])
    for (w = 1; w <= windows; w++) {
        if (!window_flows[w]) continue
        printf "window_%d.fct_us_mean %.9g\n", w, window_sum[w] / window_flows[w]
        printf "window_%d.slowdown_mean %.9g\n", w, window_slowdown[w] / window_flows[w]
    }
    if (queues) {
        mean = queue_sum / queues
        variance = queue_squares / queues - mean * mean
        printf "queue_kb_mean %.6g\nqueue_kb_sd %.6g\n", mean, sqrt(variance > 0 ? variance : 0)
    }
}
