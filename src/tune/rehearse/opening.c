/* src/tune/rehearse/opening.c - see opening.h. */
#include "tune/rehearse/opening.h"
#include "core/units.h"
#include "tune/setting.h"

#include <math.h>

#define RISE 0.01                /* of the line, every round trip and a quarter */

const char *const opening_names[] = { "none", "bdp", "gentle", NULL };
const char *const opening_abouts[] = { "", "bdp", "a setting that marks early and cuts by little", NULL };

/* Returns whether the network starts with the default setting of NICs and switches. */
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
    setting_find(opening_names[opening])->make(k, w);
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
