/* src/tune/shy.c - marks earlier after pauses, and later when there were none for a while.
 *
 * Overview: an interval in which a port was paused takes a quarter off kmin and kmax; every 'patience'
 * intervals without one both gain a tenth, until they are back where they began.
 */
#include "base/err.h"
#include "tune/tuner.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE };

struct shy {
    struct knobs start;
    double       patience;
    uint32_t     quiet;          /* intervals since the last pause, or raise */
};

static int create(void **state, const struct world *world, const struct option_values *v, struct err *err)
{
    struct shy *s = xcalloc(1, sizeof *s);

    (void)err;
    *s = (struct shy){ .start = world->start, .patience = v->value[PATIENCE] };
    *state = s;
    return 0;
}

static void scale(const struct shy *s, struct knobs *k, double by)
{
    static const enum knob threshold[] = { KNOB_kmin, KNOB_kmax };

    for (int i = 0; i < 2; i++) {
        double *value = &k->value[threshold[i]], most = s->start.value[threshold[i]];

        *value = *value * by < most ? *value * by : most;
    }
    knobs_clamp(k);
}

static void step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct shy *s = state;

    note->phase = TUNER_HOLD;
    if (r->paused_ps > 0) {
        s->quiet = 0;
        scale(s, knobs, 0.75);
        snprintf(note->why, sizeof note->why, "ports were paused: ECN marks earlier");
    } else if (++s->quiet >= s->patience) {
        s->quiet = 0;
        scale(s, knobs, 1.1);
        snprintf(note->why, sizeof note->why, "no pause for %.0f intervals: ECN marks later", s->patience);
    } else {
        snprintf(note->why, sizeof note->why, "nothing happened");
    }
}

static const struct key_row options[] = {
    [PATIENCE] = { "patience", KEY_COUNT, "10", "intervals without a pause before a raise", .min = 1, .max = 1e6 },
    { 0 },
};

extern const struct tuner_algo tuner_shy;
const struct tuner_algo tuner_shy = {
    .create = create, .destroy = free, .step = step,
    .name = "shy", .about = "lowers ECN thresholds after pauses, raises them when there are none",
    .option = options,
};
