/* src/tune/rehearse/opening.c - see opening.h. */
#include "tune/rehearse/opening.h"
#include "core/units.h"
#include "tune/setting.h"

#include <math.h>

#define RISE 0.01                /* of the line, every round trip and a quarter */

const char *const opening_names[] = { "none", "bdp", "fabric", "gentle", NULL };
const char *const opening_abouts[] = { "", "bdp", "what was best on many random networks", "a setting that marks early and cuts by little", NULL };

/* What anole train opening has found: axes as in coded.c, the last is by_speed. */
static const double fabric[CODED_DIMS_MAX] = { 0.68, 0.50, 0.38, 0.28, 0.84, 0.22, 0.63, 0.27, 0.54, 1.00, 0.17, 0.69, 0.03, 0.63, 0.19, 0.39, 0.35 };

void opening_at(const struct world *w, const double unit[CODED_DIMS_MAX], struct knobs *k)
{
    struct coded coded;

    coded_init(&coded, w);
    *k = w->start;
    coded_to_knobs(&coded, unit, k);
}

/* Does the network begin with what NICs and switches come with? */
static bool is_unchosen(const struct world *w)
{
    for (int i = 0; i <= KNOB_pmax; i++)
        if (w->start.value[i] != knob_info[i].initial)
            return false;
    return true;
}

bool opening_make(enum opening opening, const struct world *w, struct knobs *k)
{
    if (opening == OPENING_NONE || w->is_in_use || w->knobs || !is_unchosen(w))
        return false;
    if (opening == OPENING_BDP || opening == OPENING_GENTLE)
        setting_find(opening_names[opening])->make(k, w);
    else
        opening_at(w, fabric, k);
    return !knobs_equal(k, &w->start);
}

void opening_recover(const struct world *w, struct knobs *k)
{
    double line_mbps = (double)w->host_bps / 1e6;

    k->value[KNOB_rpg_time_reset] = ceil(1.25 * (double)w->base_rtt_ps / (double)PS_PER_US);
    k->value[KNOB_rpg_ai_rate] = ceil(RISE * line_mbps);
    k->value[KNOB_rpg_hai_rate] = ceil(RISE * line_mbps);
    knobs_clamp(k);
}
