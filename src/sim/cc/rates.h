/* src/sim/cc/rates.h - common parts of ACK-based controls: bounds of a rate, the window that follows it, and
 * round trips. */
#ifndef SIM_CC_RATES_H
#define SIM_CC_RATES_H

#include "sim/cc/cc.h"
#include "core/units.h"

struct cc_rates {
    uint64_t line_bps, min_bps;
    uint64_t bdp_bytes;          /* the window at line rate */
};

static inline void cc_rates_configure(struct cc_rates *r, const struct knobs *k, const struct cc_link *link)
{
    uint64_t min_bps = knob_whole(k->value[KNOB_rpg_min_rate], 1000000);

    *r = (struct cc_rates){
        .line_bps = link->line_bps,
        .min_bps = min_bps < link->line_bps ? min_bps : link->line_bps,
        .bdp_bytes = cc_link_bdp_bytes(link),
    };
}

/* Returns a step given in Mb/s, or the line rate divided by 'part' if the knob is 0. */
static inline uint64_t cc_step_bps(const struct knobs *k, enum knob knob, const struct cc_link *link,
                                   uint64_t part)
{
    return k->value[knob] > 0 ? knob_whole(k->value[knob], 1000000) : link->line_bps / part;
}

static inline uint64_t cc_rates_bound(const struct cc_rates *r, uint64_t rate_bps)
{
    if (rate_bps < r->min_bps)
        return r->min_bps;
    return rate_bps < r->line_bps ? rate_bps : r->line_bps;
}

/* Sets the rate, and the window in proportion. */
static inline void cc_rates_decide(const struct cc_rates *r, uint64_t rate_bps, struct cc_out *out)
{
    uint64_t window_bytes = units_share(r->bdp_bytes, rate_bps, r->line_bps);

    cc_set_rate(out, rate_bps);
    out->window_bytes = window_bytes ? window_bytes : 1;
}

static inline void cc_rates_start(const struct cc_rates *r, struct cc_out *out)
{
    out->due_ps = out->probe_ps = NEVER;
    cc_rates_decide(r, r->line_bps, out);
}

/* A round trip ends with the acknowledgement of a byte that had not been sent when it began. */
struct cc_round { uint64_t end_seq; };       /* 0: not started */

static inline bool cc_round_is_first(const struct cc_round *r) { return r->end_seq == 0; }

static inline bool cc_round_has_ended(const struct cc_round *r, const struct cc_ack *a)
{
    return a->seq > r->end_seq;
}

/* Returns true if there is unacknowledged data that a new round trip can wait for. */
static inline bool cc_round_begin(struct cc_round *r, const struct cc_ack *a)
{
    if (a->sent_seq <= r->end_seq)
        return false;
    r->end_seq = a->sent_seq;
    return true;
}

#endif
