# awk -F , -v from_ms=F -v to_ms=T -f figures.awk INTERVALS.CSV FLOWS.CSV : what a run did between two moments, a line each
# "name value".
#
#   steady.goodput_gbps, .rtt_us   of the window; RTTs of data packets
#   steady.rtt_us_p99              of intervals' mean RTTs, weighted by packets: not of single packets
#   steady.dropped, before.dropped packets in the window, and before it
#   steady.sd_gbps                 of goodput from interval to interval
#   steady.jain                    of payload by queue pair, of messages that ended in the window: 1 if all had the same. Only if
#                                  there were 8 messages a queue pair at least; steady.jain_hosts the same by sending host
#   steady.NAME.share              of the payload of messages that ended in the window, those of the traffic NAME
#   dropped_share                  of all data packets that were sent in the run
#   settle_ms                      from the start of the run to the last interval whose mean RTT was more than twice that of the
#                                  window
function jain(of,    key, n, sum, squares) {
    for (key in of) { n++; sum += of[key]; squares += of[key] ^ 2 }
    return squares ? sum ^ 2 / n / squares : 0
}
FNR == 1 {
    file++
    gsub(/"/, "")
    for (i = 1; i <= NF; i++) column[$i] = i
    next
}
file == 1 {
    start_ms = $column["start_us"] / 1000
    rtt[++rows] = $column["rtt_us_mean"]
    lost += $column["dropped_packets"]
    sent += $column["data_packets"]
    end_ms[rows] = $column["end_us"] / 1000
    if (start_ms < from_ms) before += $column["dropped_packets"]
    if (start_ms < from_ms || start_ms >= to_ms) next
    n++
    gbps = $column["goodput_bps"] / 1e9
    goodput += gbps
    squares += gbps ^ 2
    samples += $column["rtt_samples"]
    rtt_sum += $column["rtt_samples"] * $column["rtt_us_mean"]
    count[sprintf("%.1f", $column["rtt_us_mean"])] += $column["rtt_samples"]
    dropped += $column["dropped_packets"]
    next
}
{
    end = ($column["start_ns"] + $column["fct_ns"]) / 1e6
    name = $column["traffic"]
    gsub(/"/, "", name)
    by_traffic[name] += 0
    if (end < from_ms || end >= to_ms) next
    messages++
    by_pair[$1 " " $2 " " $3] += $column["bytes"]
    by_host[$1] += $column["bytes"]
    by_traffic[name] += $column["bytes"]
    ended += $column["bytes"]
}
END {
    if (!n) exit
    mean = goodput / n
    printf "steady.goodput_gbps %.6g\nsteady.sd_gbps %.6g\n", mean, sqrt(squares / n > mean ^ 2 ? squares / n - mean ^ 2 : 0)
    printf "steady.dropped %d\nbefore.dropped %d\n", dropped, before
    if (sent) printf "dropped_share %.6g\n", lost / sent
    for (key in by_traffic) printf "steady.%s.share %.6g\n", key, by_traffic[key] / ended
    if (!samples) exit
    mean = rtt_sum / samples
    printf "steady.rtt_us %.6g\n", mean
    values = asort_numbers()
    for (i = 1; i <= values; i++) {
        seen += count[value[i]]
        if (seen >= 0.99 * samples) break
    }
    printf "steady.rtt_us_p99 %.6g\n", value[i]
    for (i = 1; i <= rows; i++) if (rtt[i] > 2 * mean) settled = end_ms[i]
    printf "settle_ms %.6g\n", settled
    for (key in by_pair) pairs++
    if (pairs && messages >= 8 * pairs) printf "steady.jain %.6g\n", jain(by_pair)
    if (pairs) printf "steady.jain_hosts %.6g\n", jain(by_host)
}
# Keys of count, as value[1..], in order.
function asort_numbers(    key, m, i, at) {
    for (key in count) {
        at = ++m
        while (at > 1 && value[at - 1] + 0 > key + 0) { value[at] = value[at - 1]; at-- }
        value[at] = key
    }
    return m
}
