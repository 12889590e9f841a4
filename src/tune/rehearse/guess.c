/* src/tune/rehearse/guess.c - see guess.h. */
#include "tune/rehearse/guess.h"
#include "tune/rehearse/traffic/traffic_model.h"

#include <math.h>
#include <stdlib.h>

#define NOISE_MAX 0.35           /* of the load, until which more is waited for; a window at most */
/* log slowdowns that a guess must promise beyond what such promises were off by, doubts counted */
#define MARGIN    0.05

bool guess_is_due(const struct rehearser *t)
{
    return t->has_surrogate && t->option[OPT_GUESS] > 0 &&
           (t->phase == PHASE_WATCH || t->phase == PHASE_HOLD) && !t->has_guessed && !t->has_chosen
           && t->window.posted > 0
           && (model_noise(&t->window) < NOISE_MAX || t->intervals >= REHEARSE_WINDOW);
}

static bool begin(const struct rehearser *t, struct surrogate_ask *ask, const struct traffic_model *m)
{
    struct traffic_model bent = *m;

    model_bend(&bent, t->option[OPT_WRONG_LOAD], t->option[OPT_WRONG_SIZES]);
    return t->has_surrogate &&
           surrogate_begin(ask, &t->surrogate, &t->world, &bent, &t->goal, &t->world.start);
}

bool guess_make(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    struct surrogate_proposal *list = xcalloc(SURROGATE_PROPOSALS, sizeof(*list));
    struct traffic_model       m;
    struct surrogate_ask       ask;
    char                       text[160];
    bool                       is_set = false;

    t->has_guessed = true;
    if (model_make(&m, &t->window, t->seconds, t->hosts) && begin(t, &ask, &m)) {
        surrogate_propose(&ask, t->world.seed, list);
        is_set = list[0].word.score < -MARGIN - t->surrogate.error && !knobs_equal(&list[0].knobs, knobs);
    }
    if (is_set) {
        rehearser_say(note, "search",
                      "%s. No twin yet: by what was learnt on other networks %s is expected to be %.0f %% "
                      "better than the setting from the beginning, and set until the twin is asked",
                      model_text(&m, text, sizeof(text)), list[0].name ? list[0].name : "a new setting",
                      -rehearser_percent(list[0].word.gain));
        *knobs = list[0].knobs;
        t->guessed = m;
        t->is_guess = true;
        t->is_opening = false;
    }
    free(list);
    return is_set;
}

uint32_t guess_starts(const struct rehearser *t, const struct traffic_model *m, struct knobs *out)
{
    struct surrogate_proposal *list = xcalloc(SURROGATE_PROPOSALS, sizeof(*list));
    struct surrogate_ask       ask;
    uint32_t                   count = 0;

    if (begin(t, &ask, m)) {
        count = surrogate_propose(&ask, t->world.seed, list);
        count = count < GUESS_STARTS ? count : GUESS_STARTS;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = list[i].knobs;
    free(list);
    return count;
}
