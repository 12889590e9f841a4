#include "tune/raise.h"

#include <math.h>

#define TIMER_US 10              /* between two raises */
#define STEPS    64              /* raises from nothing to the line rate */

void raise_begin(struct raise *r, const struct world *w, const struct knobs *was, const struct knobs *start,
                 struct knobs *now)
{
    double step_mbps = ceil((double)w->host_bps / 1e6 / STEPS);

    r->is_on = !w->is_in_use && !w->control && knobs_equal(now, start) && !knobs_equal(was, start);
    if (!r->is_on)
        return;
    r->start = *start;
    now->value[KNOB_rpg_time_reset] = fmin(now->value[KNOB_rpg_time_reset], TIMER_US);
    now->value[KNOB_rpg_ai_rate] = fmax(now->value[KNOB_rpg_ai_rate], step_mbps);
    now->value[KNOB_rpg_hai_rate] = fmax(now->value[KNOB_rpg_hai_rate], step_mbps);
    knobs_clamp(now);
}

bool raise_end(struct raise *r, struct knobs *now, struct tuner_note *note)
{
    if (!r->is_on)
        return false;
    r->is_on = false;
    *now = r->start;
    note->phase = TUNER_CONFIRM;
    tuner_say(note, "rates have risen, and the setting from the start returns");
    return true;
}
