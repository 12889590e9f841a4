/* src/cc/hpcc.c - HPCC (SIGCOMM 2019): every switch writes into packets how much of its link is used.
 *
 * In a nutshell (for each hop of the way, between the last record of it and the new one):
 *
 *   use of a hop   bytes sent / time / rate of the link + min(queue before, queue now) / (rate of the link x T)
 *                  with T the empty round trip; a queue must be seen twice to count
 *   U              of the busiest hop, averaged: the new value weighs min(time, T) / T; it begins with 1
 *   rate           hpcc.h; the window is the rate's share of the largest
 *
 * The first acknowledgement of a queue pair only stores its records. Where records cannot be compared, because the
 * packets went different ways, they are stored and nothing else happens; telling by the number of hops and by clocks and
 * counters that went back is ours.
 *
 * Model hpcc, as the ns-3 fork has it: time has 24 bits of a nanosecond, bytes come in units of 128 and queues of 80,
 * both times INT_MULTI (the line rate / 25 Gb/s unless set) and cut to 20 and 17 bits; nobody looks whether the way is the same.
 */
#include "cc/hpcc.h"

#define FORK_TIME_MASK   0xffffffu
#define FORK_BYTES_MASK  0xfffffu
#define FORK_QUEUE_MASK  0x1ffffu
#define FORK_BYTES_UNIT  128u
#define FORK_QUEUE_UNIT  80u

struct path_cfg {
    struct hpcc_cfg hpcc;
    double   rtt_ps, rtt_ns;     /* T */
    double   line_bps, bdp_bytes;
    uint32_t byte_unit, queue_unit;          /* of the fork's records */
    bool     is_fork, is_slow, has_hop_rates, skips_empty;           /* see struct cc_fork */
};

struct record { uint64_t at, sent, queue; };     /* picoseconds and bytes; the fork's: nanoseconds and units */

struct hop_rate { double use; uint64_t base_bps; uint32_t stage; };

struct path {
    struct hpcc   hpcc;
    double        use;           /* U */
    struct record record[CC_HOPS_MAX];       /* of the last acknowledgement */
    uint32_t      records;
    struct hop_rate rate[CC_HOPS_MAX];       /* has_hop_rates; the last, so that others need no room for it */
};

_Static_assert(sizeof(struct path_cfg) <= CC_CFG_MAX, "cfg fits");

struct seen { double use, time_ns; };            /* the busiest hop */

/* Of what is below 2^63, for which processors have an instruction. */
static inline double real(uint64_t n) { return (double)(int64_t)n; }

static inline struct record record_of(const struct path_cfg *cfg, const struct cc_hop *is)
{
    if (!cfg->is_fork)
        return (struct record){ is->at_ps, is->sent_bytes, is->queue_bytes };
    return (struct record){ is->at_ps / PS_PER_NS, is->sent_bytes / cfg->byte_unit,
                            is->queue_bytes ? is->queue_bytes / cfg->queue_unit & FORK_QUEUE_MASK : 0 };
}

static void store(const struct path_cfg *cfg, struct path *f, const struct cc_ack *a)
{
    for (uint32_t i = 0; i < a->records; i++)
        f->record[i] = record_of(cfg, &a->hop[i]);
    f->records = a->records;
}

static bool is_same_way(const struct path *f, const struct cc_ack *a)
{
    if (f->records != a->records)
        return false;
    for (uint32_t i = 0; i < a->records; i++)
        if (a->hop[i].at_ps <= f->record[i].at || a->hop[i].sent_bytes < f->record[i].sent)
            return false;
    return true;
}

/* Written so that it rounds where the fork rounds. A queue of nothing adds nothing. */
static inline struct seen use_of_fork(const struct path_cfg *cfg, const struct record *was, const struct record *is,
                                      double rate_bps, double bdp_bytes)
{
    uint64_t ns = (is->at - was->at) & FORK_TIME_MASK;
    uint64_t sent = (is->sent - was->sent) & FORK_BYTES_MASK;
    uint64_t queue = is->queue < was->queue ? is->queue : was->queue;
    double   bps = real(sent * cfg->byte_unit * 8) / (real(ns) * 1e-9), use = bps / rate_bps;

    if (queue)
        use += real(queue * cfg->queue_unit) * cfg->line_bps / rate_bps / bdp_bytes;
    return (struct seen){ use, real(ns) };
}

static inline struct seen use_of(const struct path_cfg *cfg, const struct record *was, const struct record *is,
                                 double rate_bps)
{
    double   time_ps = real(is->at - was->at);
    uint64_t queue = is->queue < was->queue ? is->queue : was->queue;
    double   use = real(is->sent - was->sent) * 8e12 / time_ps / rate_bps;

    if (queue)
        use += real(queue) * 8e12 / cfg->rtt_ps / rate_bps;
    return (struct seen){ use, time_ps };
}

static inline double bdp_of(const struct path_cfg *cfg, const struct cc_ack *a)
{
    return a->pair_bdp_bytes ? real(a->pair_bdp_bytes) : cfg->bdp_bytes;
}

/* Stores what it has seen. */
static inline struct seen busiest(const struct path_cfg *cfg, struct path *f, const struct cc_ack *a)
{
    struct seen most = { 0, 0 };
    double      bdp_bytes = bdp_of(cfg, a);

    for (uint32_t i = 0; i < a->records; i++) {
        struct record is = record_of(cfg, &a->hop[i]);
        double        rate_bps = real(a->hop[i].rate_bps);
        struct seen   hop = cfg->is_fork ? use_of_fork(cfg, &f->record[i], &is, rate_bps, bdp_bytes) :
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

/* In nanoseconds, as the fork counts. */
static double average(const struct path_cfg *cfg, const struct cc_ack *a, double use, struct seen seen)
{
    double rtt = a->pair_rtt_ps ? real(a->pair_rtt_ps / PS_PER_NS) : cfg->rtt_ns;
    double time = seen.time_ns < rtt ? seen.time_ns : rtt;

    return (use * (rtt - time) + seen.use * time) / rtt;
}

/* ---- rarer settings of the fork ---- */

/* SAMPLE_FEEDBACK: sets the bits of the hops that count, and stores only those. */
static uint32_t sampled(const struct path_cfg *cfg, const struct cc_ack *a, bool is_full)
{
    uint32_t hops = 0;

    for (uint32_t i = 0; i < a->records; i++)
        if (is_full || !cfg->skips_empty || record_of(cfg, &a->hop[i]).queue)
            hops |= 1u << i;
    return hops;
}

/* Of the hops in 'hops': stores the records, and averages each by itself or finds the busiest. */
static void look_at_hops(const struct path_cfg *cfg, struct path *f, const struct cc_ack *a, uint32_t hops)
{
    struct seen most = { 0, 0 };

    for (; hops; hops &= hops - 1) {
        uint32_t      i = (uint32_t)__builtin_ctz(hops);
        struct record is = record_of(cfg, &a->hop[i]);
        struct seen   hop = use_of_fork(cfg, &f->record[i], &is, real(a->hop[i].rate_bps), bdp_of(cfg, a));

        if (cfg->has_hop_rates)
            f->rate[i].use = average(cfg, a, f->rate[i].use, hop);
        else if (hop.use > most.use)
            most = hop;
        f->record[i] = is;
    }
    if (!cfg->has_hop_rates)
        f->use = average(cfg, a, f->use, most);
}

/* MULTI_RATE: every hop has a rate, and the least of them counts. */
static void decide_by_hop(const struct path_cfg *cfg, struct path *f, const struct cc_ack *a, uint32_t hops, bool is_full,
                          struct cc_out *out)
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

static void react_rarely(const struct path_cfg *cfg, struct path *f, const struct cc_ack *a, struct cc_out *out)
{
    bool     is_full = cc_round_has_ended(&f->hpcc.round, a);
    uint32_t hops = sampled(cfg, a, is_full);

    if (!hops || (cfg->is_slow && !is_full))
        return;
    look_at_hops(cfg, f, a, hops);
    if (cfg->has_hop_rates)
        decide_by_hop(cfg, f, a, hops, is_full, out);
    else
        hpcc_decide(&cfg->hpcc, &f->hpcc, a, f->use, out);
}

/* ---- hooks ---- */

static void hpcc_on_ack(const void *cfg_, void *state, struct cc_now now, const struct cc_ack *a, struct cc_out *out)
{
    const struct path_cfg *cfg = cfg_;
    struct path           *f = state;
    bool                   is_first = cc_round_is_first(&f->hpcc.round);

    (void)now;
    assert(a->records <= CC_HOPS_MAX);
    if (is_first)
        cc_round_begin(&f->hpcc.round, a);
    if (is_first || a->records == 0 || !(cfg->is_fork || is_same_way(f, a))) {
        store(cfg, f, a);
        return;
    }
    if (__builtin_expect(cfg->is_slow | cfg->has_hop_rates | cfg->skips_empty, 0)) {
        react_rarely(cfg, f, a, out);
        return;
    }
    f->use = average(cfg, a, f->use, busiest(cfg, f, a));
    hpcc_decide(&cfg->hpcc, &f->hpcc, a, f->use, out);
}

static void hpcc_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct path_cfg *cfg = cfg_;
    struct path           *f = state;

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
    struct path_cfg *cfg = cfg_;
    uint32_t         multi = link->fork.int_multi ? link->fork.int_multi : (uint32_t)(link->line_bps / 25000000000u);

    multi = multi ? multi : 1;
    *cfg = (struct path_cfg){ .rtt_ps = (double)link->base_rtt_ps, .rtt_ns = (double)link->base_rtt_ps / PS_PER_NS,
                              .byte_unit = FORK_BYTES_UNIT * multi, .queue_unit = FORK_QUEUE_UNIT * multi,
                              .is_fork = link->is_fork, .is_slow = link->fork.is_slow,
                              .has_hop_rates = link->fork.has_hop_rates, .skips_empty = link->fork.skips_empty };
    hpcc_configure(&cfg->hpcc, k, link);
    cfg->line_bps = (double)cfg->hpcc.rates.line_bps;
    cfg->bdp_bytes = (double)cfg->hpcc.rates.bdp_bytes;
}

static size_t state_bytes(const struct cc_link *link)
{
    return link->fork.has_hop_rates ? sizeof(struct path) : offsetof(struct path, rate);
}

static const enum knob knobs[] = { KNOB_hpcc_eta, KNOB_hpcc_max_stage, KNOB_hpcc_ai, KNOB_rpg_min_rate, KNOB_COUNT };

extern const struct cc_algo cc_hpcc;
const struct cc_algo cc_hpcc = {
    .on_ack     = hpcc_on_ack,
    .start      = hpcc_start,
    .configure  = configure,
    .name       = "hpcc",
    .about      = "HPCC: the rate follows what switches write into packets about their links",
    .cfg_size   = sizeof(struct path_cfg),
    .state_size = sizeof(struct path),
    .state_bytes = state_bytes,
    .knobs      = knobs,
    .telemetry  = CC_HOPS,
    .repaces    = true,
    .has_window = true,
};
