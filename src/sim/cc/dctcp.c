/* src/sim/cc/dctcp.c - DCTCP as a rate control, as in the HPCC ns-3 fork.
 *
 * Overview (R rate, a alpha, g = dctcp_g; a round trip lasts from one acknowledgement to that of the first
 * byte not yet sent when it arrived):
 *
 *   per round trip   a = (1 - g) a + g F, F the share of packets whose acknowledgement had a mark
 *   a mark           R = R (1 - a / 2), then none until everything sent by now is acknowledged
 *   per round trip   R += AI, unless it ended in such a wait
 *
 * The window is proportional to the rate. a starts at 1, so the first reaction halves the rate. The packets
 * of a round trip are counted at its start, including the next one, so F may be below 1 even if every packet
 * is marked. Marks of the first round trip count in the second.
 */
#include "sim/cc/rates.h"

struct dctcp_cfg {
    struct cc_rates rates;
    uint64_t ai_bps;
    double   g;
    uint32_t mtu_bytes;
};

struct dctcp {
    struct cc_round round;
    uint64_t rate_bps;
    double   alpha;
    uint64_t packets, marks;     /* in this round trip */
    uint64_t wait_seq;           /* no cut until this is acknowledged */
    bool     is_waiting;
};

static void end_round(const struct dctcp_cfg *cfg, struct dctcp *f, const struct cc_ack *a)
{
    double share = (double)f->marks / (double)f->packets;

    f->alpha = (1 - cfg->g) * f->alpha + cfg->g * (share < 1 ? share : 1);
    f->marks = 0;
    f->packets = (a->sent_seq - a->seq) / cfg->mtu_bytes + 1;
}

static void react(const struct dctcp_cfg *cfg, struct dctcp *f, const struct cc_ack *a, bool has_ended)
{
    if (f->is_waiting && a->seq > f->wait_seq)
        f->is_waiting = false;
    if (a->is_marked && !f->is_waiting) {
        f->rate_bps = cc_rates_bound(&cfg->rates, (uint64_t)((double)f->rate_bps * (1 - f->alpha / 2)));
        f->is_waiting = true;
        f->wait_seq = a->sent_seq;
    }
    if (has_ended && !f->is_waiting)
        f->rate_bps = cc_rates_bound(&cfg->rates, f->rate_bps + cfg->ai_bps);
}

static void dctcp_on_ack(const void *cfg_, void *state, struct cc_now now, const struct cc_ack *a,
                         struct cc_out *out)
{
    const struct dctcp_cfg *cfg = cfg_;
    struct dctcp           *f = state;
    bool                    has_ended = cc_round_has_ended(&f->round, a);

    (void)now;
    f->marks += a->is_marked;
    if (has_ended && cc_round_is_first(&f->round))
        f->packets = a->sent_seq / cfg->mtu_bytes + 1;
    else if (has_ended)
        end_round(cfg, f, a);
    if (has_ended)
        cc_round_begin(&f->round, a);
    react(cfg, f, a, has_ended);
    cc_rates_decide(&cfg->rates, f->rate_bps, out);
}

static void dctcp_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct dctcp_cfg *cfg = cfg_;

    (void)now;
    *(struct dctcp *)state = (struct dctcp){ .rate_bps = cfg->rates.line_bps, .alpha = 1 };
    cc_rates_start(&cfg->rates, out);
}

static void dctcp_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct dctcp_cfg *cfg = cfg_;

    *cfg = (struct dctcp_cfg){
        .ai_bps = knob_whole(k->value[KNOB_dctcp_ai], 1000000), .g = k->value[KNOB_dctcp_g],
        .mtu_bytes = link->mtu_bytes,
    };
    cc_rates_configure(&cfg->rates, k, link);
}

const struct cc_algo cc_dctcp = {
    .on_ack = dctcp_on_ack, .start = dctcp_start, .configure = dctcp_configure,
    .name = "dctcp", .about = "DCTCP as a rate: cuts by the share of packets that were marked",
    .cfg_size = sizeof(struct dctcp_cfg), .state_size = sizeof(struct dctcp),
    .reads_marks = true, .has_window = true,
};
