/* src/cc/hpcc_pint.c - HPCC-PINT (SIGCOMM 2020): HPCC with two bytes of telemetry.
 *
 * In a nutshell: a packet brings one number, the use of the busiest port on its way, which that port has averaged
 * itself (pint.h). From there on it is HPCC (hpcc.h): there is nothing to store and nothing to average here. The first
 * acknowledgement of a queue pair only begins a round trip.
 *
 * The fork draws a random number at each acknowledgement, to leave some of them out; with a probability of 1, as in all
 * of its settings, none is left out. Whoever shares its random numbers draws it in the place of this control.
 */
#include "cc/hpcc.h"
#include "cc/pint.h"

_Static_assert(sizeof(struct hpcc_cfg) <= CC_CFG_MAX, "cfg fits");

static void pint_on_ack(const void *cfg, void *state, struct cc_now now, const struct cc_ack *a, struct cc_out *out)
{
    struct hpcc *f = state;

    (void)now;
    if (cc_round_is_first(&f->round))
        cc_round_begin(&f->round, a);
    else
        hpcc_decide(cfg, f, a, pint_use(a->digest), out);
}

static void pint_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct hpcc_cfg *cfg = cfg_;

    (void)now;
    *(struct hpcc *)state = (struct hpcc){ .base_bps = cfg->rates.line_bps };
    cc_rates_start(&cfg->rates, out);
}

static void pint_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    hpcc_configure(cfg, k, link);
}

static const enum knob knobs[] = { KNOB_hpcc_eta, KNOB_hpcc_max_stage, KNOB_hpcc_ai, KNOB_rpg_min_rate, KNOB_COUNT };

extern const struct cc_algo cc_hpcc_pint;
const struct cc_algo cc_hpcc_pint = {
    .on_ack     = pint_on_ack,
    .start      = pint_start,
    .configure  = pint_configure,
    .name       = "hpcc_pint",
    .about      = "HPCC-PINT: HPCC by one number of two bytes, that of the busiest port",
    .cfg_size   = sizeof(struct hpcc_cfg),
    .state_size = sizeof(struct hpcc),
    .knobs      = knobs,
    .telemetry  = CC_DIGEST,
    .repaces    = true,
    .has_window = true,
};
