/* src/sim/cc/hpcc.c - HPCC (SIGCOMM 2019): switches report link utilization in packets.
 *
 * Overview (for each hop of the path, between its last record and the new one):
 *
 *   use of a hop   bytes sent / time / link rate + min(queue before, queue now) / (link rate x T)
 *                  with T the empty round trip; a queue counts only if both records show it
 *   U              use of the busiest hop, averaged: the new value weighs min(time, T) / T; starts at 1
 *   rate           hpcc.h; the window is proportional to the rate
 *
 * The first acknowledgement of a queue pair only stores its records. If records are not comparable, because
 * the packets took different paths, they are only stored. Detecting this by the number of hops and by clocks
 * and counters that went back is our addition.
 *
 * Model hpcc, as in the ns-3 fork: time has 24 bits in nanoseconds; bytes have 20 bits in units of 128, and
 * queues 17 bits in units of 80. Both units are multiplied by INT_MULTI (default: line rate / 25 Gb/s). There
 * is no check for a different path.
 */
#include "sim/cc/hpcc.h"

#define FORK_TIME_MASK   0xffffffu
#define FORK_BYTES_MASK  0xfffffu
#define FORK_QUEUE_MASK  0x1ffffu
#define FORK_BYTES_UNIT  128u
#define FORK_QUEUE_UNIT  80u

struct hpcc_path_cfg {
    struct hpcc_cfg hpcc;
    double   rtt_ps, rtt_ns;     /* T */
    double   line_bps, bdp_bytes;
    uint32_t byte_unit, queue_unit;          /* units of the fork's records */
    bool     is_fork, is_slow, has_hop_rates, skips_empty;           /* see struct cc_fork */
};

/* Telemetry of a hop, in picoseconds and bytes; in the fork: nanoseconds and units. */
struct hpcc_record { uint64_t at, sent, queue; };

struct hop_rate { double use; uint64_t base_bps; uint32_t stage; };

struct hpcc_path {
    struct hpcc        hpcc;
    double             use;      /* U */
    struct hpcc_record record[CC_HOPS_MAX];  /* of the last acknowledgement */
    uint32_t           records;
    struct hop_rate    rate[CC_HOPS_MAX];    /* if has_hop_rates; last: other settings need no space for it */
};

struct hop_use { double use, time_ns; }; /* time_ns: between two records; use_of() leaves picoseconds */

/* Converts numbers below 2^63, for which processors have an instruction. */
static inline double to_double(uint64_t n) { return (double)(int64_t)n; }

static inline struct hpcc_record record_of(const struct hpcc_path_cfg *cfg, const struct cc_hop *is)
{
    if (!cfg->is_fork)
        return (struct hpcc_record){ is->at_ps, is->sent_bytes, is->queue_bytes };
    return (struct hpcc_record){ is->at_ps / PS_PER_NS, is->sent_bytes / cfg->byte_unit,
                                 is->queue_bytes ? is->queue_bytes / cfg->queue_unit & FORK_QUEUE_MASK : 0 };
}

static void store_records(const struct hpcc_path_cfg *cfg, struct hpcc_path *f, const struct cc_ack *a)
{
    for (uint32_t i = 0; i < a->records; i++)
        f->record[i] = record_of(cfg, &a->hop[i]);
    f->records = a->records;
}

static bool is_same_path(const struct hpcc_path *f, const struct cc_ack *a)
{
    if (f->records != a->records)
        return false;
    for (uint32_t i = 0; i < a->records; i++)
        if (a->hop[i].at_ps <= f->record[i].at || a->hop[i].sent_bytes < f->record[i].sent)
            return false;
    return true;
}

/* Rounds where the fork rounds. An empty queue adds nothing. */
static inline struct hop_use use_of_fork(const struct hpcc_path_cfg *cfg, const struct hpcc_record *was,
                                         const struct hpcc_record *is, double rate_bps, double bdp_bytes)
{
    uint64_t ns = (is->at - was->at) & FORK_TIME_MASK;
    uint64_t sent = (is->sent - was->sent) & FORK_BYTES_MASK;
    uint64_t queue = is->queue < was->queue ? is->queue : was->queue;
    double   bps = to_double(sent * cfg->byte_unit * 8) / (to_double(ns) * 1e-9), use = bps / rate_bps;

    if (queue)
        use += to_double(queue * cfg->queue_unit) * cfg->line_bps / rate_bps / bdp_bytes;
    return (struct hop_use){ use, to_double(ns) };
}

static inline struct hop_use use_of(const struct hpcc_path_cfg *cfg, const struct hpcc_record *was,
                                    const struct hpcc_record *is, double rate_bps)
{
    double   time_ps = to_double(is->at - was->at);
    uint64_t queue = is->queue < was->queue ? is->queue : was->queue;
    double   use = to_double(is->sent - was->sent) * 8e12 / time_ps / rate_bps;

    if (queue)
        use += to_double(queue) * 8e12 / cfg->rtt_ps / rate_bps;
    return (struct hop_use){ use, time_ps };
}

static inline double bdp_of(const struct hpcc_path_cfg *cfg, const struct cc_ack *a)
{
    return a->pair_bdp_bytes ? to_double(a->pair_bdp_bytes) : cfg->bdp_bytes;
}

/* Returns the busiest hop and stores the records. */
static inline struct hop_use find_busiest(const struct hpcc_path_cfg *cfg, struct hpcc_path *f,
                                          const struct cc_ack *a)
{
    struct hop_use most = { 0, 0 };
    double         bdp_bytes = bdp_of(cfg, a);

    for (uint32_t i = 0; i < a->records; i++) {
        struct hpcc_record is = record_of(cfg, &a->hop[i]);
        double             rate_bps = to_double(a->hop[i].rate_bps);
        struct hop_use     hop = cfg->is_fork ? use_of_fork(cfg, &f->record[i], &is, rate_bps, bdp_bytes) :
                                                use_of(cfg, &f->record[i], &is, rate_bps);

        if (hop.use > most.use)
            most = hop;
        f->record[i] = is;
    }
    f->records = a->records;
    if (!cfg->is_fork)
        most.time_ns /= PS_PER_NS;
    return most;
}

/* In nanoseconds, as in the fork. */
static double average(const struct hpcc_path_cfg *cfg, const struct cc_ack *a, double use,
                      struct hop_use seen)
{
    double rtt = a->pair_rtt_ps ? to_double(a->pair_rtt_ps / PS_PER_NS) : cfg->rtt_ns;
    double time = seen.time_ns < rtt ? seen.time_ns : rtt;

    return (use * (rtt - time) + seen.use * time) / rtt;
}

/* ---- rarely used settings of the fork ---- */

/* SAMPLE_FEEDBACK: returns the hops that count as a bit mask, and stores only those. */
static uint32_t sample_hops(const struct hpcc_path_cfg *cfg, const struct cc_ack *a, bool is_full)
{
    uint32_t hops = 0;

    for (uint32_t i = 0; i < a->records; i++)
        if (is_full || !cfg->skips_empty || record_of(cfg, &a->hop[i]).queue)
            hops |= 1u << i;
    return hops;
}

/* Stores the records of the hops in 'hops', and averages each separately or finds the busiest. */
static void update_hops(const struct hpcc_path_cfg *cfg, struct hpcc_path *f, const struct cc_ack *a,
                        uint32_t hops)
{
    struct hop_use most = { 0, 0 };

    for (; hops; hops &= hops - 1) {
        uint32_t           i = (uint32_t)__builtin_ctz(hops);
        struct hpcc_record is = record_of(cfg, &a->hop[i]);
        struct hop_use     hop = use_of_fork(cfg, &f->record[i], &is, to_double(a->hop[i].rate_bps),
                                             bdp_of(cfg, a));

        if (cfg->has_hop_rates)
            f->rate[i].use = average(cfg, a, f->rate[i].use, hop);
        else if (hop.use > most.use)
            most = hop;
        f->record[i] = is;
    }
    if (!cfg->has_hop_rates)
        f->use = average(cfg, a, f->use, most);
}

/* MULTI_RATE: every hop has its own rate, and the lowest counts. */
static void decide_by_hop(const struct hpcc_path_cfg *cfg, struct hpcc_path *f, const struct cc_ack *a,
                          uint32_t hops, bool is_full, struct cc_out *out)
{
    uint64_t least_bps = cfg->hpcc.rates.line_bps;

    for (uint32_t i = 0; i < a->records; i++) {
        struct hop_rate *r = &f->rate[i];
        struct hpcc_step step = { r->base_bps, r->stage };

        if (hops >> i & 1)
            step = hpcc_step(&cfg->hpcc, r->base_bps, r->stage, r->use);
        least_bps = step.rate_bps < least_bps ? step.rate_bps : least_bps;
        if (is_full)
            *r = (struct hop_rate){ r->use, step.rate_bps, step.stage };
    }
    cc_rates_decide(&cfg->hpcc.rates, least_bps, out);
    if (is_full)
        cc_round_begin(&f->hpcc.round, a);
}

static void react_once_per_rtt(const struct hpcc_path_cfg *cfg, struct hpcc_path *f, const struct cc_ack *a,
                               struct cc_out *out)
{
    bool     is_full = cc_round_has_ended(&f->hpcc.round, a);
    uint32_t hops = sample_hops(cfg, a, is_full);

    if (!hops || (cfg->is_slow && !is_full))
        return;
    update_hops(cfg, f, a, hops);
    if (cfg->has_hop_rates)
        decide_by_hop(cfg, f, a, hops, is_full, out);
    else
        hpcc_decide(&cfg->hpcc, &f->hpcc, a, f->use, out);
}

/* ---- hooks ---- */

static void hpcc_on_ack(const void *cfg_, void *state, struct cc_now now, const struct cc_ack *a,
                        struct cc_out *out)
{
    const struct hpcc_path_cfg *cfg = cfg_;
    struct hpcc_path           *f = state;
    bool                        is_first = cc_round_is_first(&f->hpcc.round);

    (void)now;
    assert(a->records <= CC_HOPS_MAX);
    if (is_first)
        cc_round_begin(&f->hpcc.round, a);
    if (is_first || a->records == 0 || !(cfg->is_fork || is_same_path(f, a))) {
        store_records(cfg, f, a);
        return;
    }
    if (__builtin_expect(cfg->is_slow | cfg->has_hop_rates | cfg->skips_empty, 0)) {
        react_once_per_rtt(cfg, f, a, out);
        return;
    }
    f->use = average(cfg, a, f->use, find_busiest(cfg, f, a));
    hpcc_decide(&cfg->hpcc, &f->hpcc, a, f->use, out);
}

static void hpcc_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct hpcc_path_cfg *cfg = cfg_;
    struct hpcc_path           *f = state;

    (void)now;
    f->hpcc = (struct hpcc){ .base_bps = cfg->hpcc.rates.line_bps };
    f->use = 1;
    f->records = 0;
    for (uint32_t i = 0; i < CC_HOPS_MAX && cfg->has_hop_rates; i++)
        f->rate[i] = (struct hop_rate){ 1, cfg->hpcc.rates.line_bps, 0 };
    cc_rates_start(&cfg->hpcc.rates, out);
}

static void configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct hpcc_path_cfg *cfg = cfg_;
    uint32_t              multi = link->fork.int_multi ? link->fork.int_multi
                                  : (uint32_t)(link->line_bps / 25000000000u);

    multi = multi ? multi : 1;
    *cfg = (struct hpcc_path_cfg){ .rtt_ps = (double)link->base_rtt_ps,
                                   .rtt_ns = (double)link->base_rtt_ps / PS_PER_NS,
                                   .byte_unit = FORK_BYTES_UNIT * multi,
                                   .queue_unit = FORK_QUEUE_UNIT * multi,
                                   .is_fork = link->is_fork, .is_slow = link->fork.is_slow,
                                   .has_hop_rates = link->fork.has_hop_rates,
                                   .skips_empty = link->fork.skips_empty };
    hpcc_configure(&cfg->hpcc, k, link);
    cfg->line_bps = (double)cfg->hpcc.rates.line_bps;
    cfg->bdp_bytes = (double)cfg->hpcc.rates.bdp_bytes;
}

static size_t state_bytes(const struct cc_link *link)
{
    return link->fork.has_hop_rates ? sizeof(struct hpcc_path) : offsetof(struct hpcc_path, rate);
}

const struct cc_algo cc_hpcc = {
    .on_ack = hpcc_on_ack, .start = hpcc_start, .configure = configure, .state_bytes = state_bytes,
    .name = "hpcc", .about = "HPCC: the rate follows what switches write into packets about their links",
    .cfg_size = sizeof(struct hpcc_path_cfg), .state_size = sizeof(struct hpcc_path),
    .telemetry = CC_HOPS, .repaces = true, .has_window = true,
};
