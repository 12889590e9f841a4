/* src/sim/cc/hpcc_pint.c - HPCC-PINT (SIGCOMM 2020): HPCC with two bytes of telemetry.
 *
 * Overview: a packet carries one number, the utilization of the busiest port on its path, which that port has
 * averaged (pint.h). The rest is HPCC (hpcc.h), without storing or averaging records. The first
 * acknowledgement of a queue pair only starts a round trip.
 *
 * The fork draws a random number at each acknowledgement to ignore some of them (PINT_PROB); by default it
 * ignores none. The caller does this draw: this control sees only the other acknowledgements.
 */
#include "sim/cc/hpcc.h"
#include "sim/cc/pint.h"

struct pint_sender_cfg { struct hpcc_cfg hpcc; double base; };

static void pint_on_ack(const void *cfg_, void *state, struct cc_now now, const struct cc_ack *a,
                        struct cc_out *out)
{
    const struct pint_sender_cfg *cfg = cfg_;
    struct hpcc                  *f = state;

    (void)now;
    if (cc_round_is_first(&f->round))
        cc_round_begin(&f->round, a);
    else
        hpcc_decide(&cfg->hpcc, f, a, pint_use(cfg->base, a->digest), out);
}

static void pint_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct pint_sender_cfg *cfg = cfg_;

    (void)now;
    *(struct hpcc *)state = (struct hpcc){ .base_bps = cfg->hpcc.rates.line_bps };
    cc_rates_start(&cfg->hpcc.rates, out);
}

static void pint_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct pint_sender_cfg *cfg = cfg_;

    hpcc_configure(&cfg->hpcc, k, link);
    cfg->base = link->fork.pint_base > 0 ? link->fork.pint_base : PINT_BASE;
}

const struct cc_algo cc_hpcc_pint = {
    .on_ack = pint_on_ack, .start = pint_start, .configure = pint_configure,
    .name = "hpcc_pint", .about = "HPCC-PINT: HPCC by one number of two bytes, that of the busiest port",
    .cfg_size = sizeof(struct pint_sender_cfg), .state_size = sizeof(struct hpcc),
    .telemetry = CC_DIGEST, .repaces = true, .has_window = true,
};
