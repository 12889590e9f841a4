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
 * both times the line rate / 25 Gb/s and cut to 20 and 17 bits; nobody looks whether the way is the same.
 */
#include "cc/hpcc.h"

#define FORK_TIME_MASK   0xffffffu
#define FORK_BYTES_MASK  0xfffffu
#define FORK_QUEUE_MASK  0x1ffffu
#define FORK_BYTES_UNIT  128u
#define FORK_QUEUE_UNIT  80u

struct path_cfg {
    struct hpcc_cfg hpcc;
    uint64_t rtt_ps;             /* T */
    uint32_t multi;              /* units of the fork's records: so many times as large */
    bool     is_fork;
};

struct record { uint64_t at_ps, sent_bytes, queue_bytes; };

struct path {
    struct hpcc   hpcc;
    double        use;           /* U */
    struct record record[CC_HOPS_MAX];       /* of the last acknowledgement */
    uint32_t      records;
};

_Static_assert(sizeof(struct path_cfg) <= CC_CFG_MAX, "cfg fits");

struct seen { double use; double time_ps; };         /* the busiest hop */

static void store(struct path *f, const struct cc_ack *a)
{
    for (uint32_t i = 0; i < a->records; i++)
        f->record[i] = (struct record){ a->hop[i].at_ps, a->hop[i].sent_bytes, a->hop[i].queue_bytes };
    f->records = a->records;
}

static bool is_same_way(const struct path *f, const struct cc_ack *a)
{
    if (f->records != a->records)
        return false;
    for (uint32_t i = 0; i < a->records; i++)
        if (a->hop[i].at_ps <= f->record[i].at_ps || a->hop[i].sent_bytes < f->record[i].sent_bytes)
            return false;
    return true;
}

static uint64_t fork_units(uint64_t bytes, uint32_t unit, uint32_t mask)
{
    return bytes / unit & mask;
}

/* Written so that it rounds where the fork rounds. */
static struct seen use_of_fork(const struct path_cfg *cfg, const struct record *was, const struct cc_hop *is)
{
    const struct cc_rates *r = &cfg->hpcc.rates;
    uint32_t byte_unit = FORK_BYTES_UNIT * cfg->multi, queue_unit = FORK_QUEUE_UNIT * cfg->multi;
    uint64_t ns = (is->at_ps / PS_PER_NS - was->at_ps / PS_PER_NS) & FORK_TIME_MASK;
    uint64_t sent = (is->sent_bytes / byte_unit - was->sent_bytes / byte_unit) & FORK_BYTES_MASK;
    uint64_t queue = fork_units(is->queue_bytes, queue_unit, FORK_QUEUE_MASK);
    uint64_t queue_was = fork_units(was->queue_bytes, queue_unit, FORK_QUEUE_MASK);
    double   bps = (double)(sent * byte_unit * 8) / ((double)ns * 1e-9);

    queue = (queue < queue_was ? queue : queue_was) * queue_unit;
    return (struct seen){
        .use = bps / (double)is->rate_bps + (double)queue * (double)r->line_bps / (double)is->rate_bps /
                                            (double)r->bdp_bytes,
        .time_ps = (double)(ns * PS_PER_NS),
    };
}

static struct seen use_of(const struct path_cfg *cfg, const struct record *was, const struct cc_hop *is)
{
    double   time_ps = (double)(is->at_ps - was->at_ps), rate_bps = (double)is->rate_bps;
    uint64_t queue = is->queue_bytes < was->queue_bytes ? is->queue_bytes : was->queue_bytes;

    return (struct seen){
        .use = (double)(is->sent_bytes - was->sent_bytes) * 8e12 / time_ps / rate_bps +
               (double)queue * 8e12 / (double)cfg->rtt_ps / rate_bps,
        .time_ps = time_ps,
    };
}

static struct seen busiest(const struct path_cfg *cfg, const struct path *f, const struct cc_ack *a)
{
    struct seen most = { 0, 0 };

    for (uint32_t i = 0; i < a->records; i++) {
        struct seen hop = cfg->is_fork ? use_of_fork(cfg, &f->record[i], &a->hop[i])
                                       : use_of(cfg, &f->record[i], &a->hop[i]);

        if (hop.use > most.use)
            most = hop;
    }
    return most;
}

/* In nanoseconds, as the fork counts. */
static void average(const struct path_cfg *cfg, struct path *f, struct seen seen)
{
    double rtt = (double)cfg->rtt_ps / PS_PER_NS, time = seen.time_ps / PS_PER_NS;

    time = time < rtt ? time : rtt;
    f->use = (f->use * (rtt - time) + seen.use * time) / rtt;
}

static void hpcc_on_ack(const void *cfg_, void *state, struct cc_now now, const struct cc_ack *a, struct cc_out *out)
{
    const struct path_cfg *cfg = cfg_;
    struct path           *f = state;
    bool                   is_first = cc_round_is_first(&f->hpcc.round);

    (void)now;
    assert(a->records <= CC_HOPS_MAX);
    if (is_first)
        cc_round_begin(&f->hpcc.round, a);
    if (!is_first && a->records > 0 && (cfg->is_fork || is_same_way(f, a))) {
        average(cfg, f, busiest(cfg, f, a));
        hpcc_decide(&cfg->hpcc, &f->hpcc, a, f->use, out);
    }
    store(f, a);
}

static void hpcc_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct path_cfg *cfg = cfg_;

    (void)now;
    *(struct path *)state = (struct path){ .hpcc = { .base_bps = cfg->hpcc.rates.line_bps }, .use = 1 };
    cc_rates_start(&cfg->hpcc.rates, out);
}

static void configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct path_cfg *cfg = cfg_;
    uint64_t         multi = link->line_bps / 25000000000u;

    *cfg = (struct path_cfg){ .rtt_ps = link->base_rtt_ps, .multi = multi ? (uint32_t)multi : 1,
                              .is_fork = link->is_fork };
    hpcc_configure(&cfg->hpcc, k, link);
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
    .knobs      = knobs,
    .telemetry  = CC_HOPS,
    .repaces    = true,
    .has_window = true,
};
