#include "tune/rehearse/rehearse_state.h"
#include "base/rng.h"
#include "tune/setting.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define MARGIN        0.05       /* least gain in the race, with confidence */
#define HOLD_FIRST    8          /* windows from the first search for some traffic to the second; doubles */
#define LOOP_MARGIN   0.2        /* the same in closed loops, which keep the low rates of a trial for long */
#define LOOP_SHARE    0.1        /* of bits: with more in closed loops it is these that count */

#define HARM_MARGIN   0.05       /* of log slowdowns: the twin's choice exceeds its bound on the network */
#define HARM_SPARE    0.02       /* the same, if the gain is much larger than the harm */

void rehearser_set_goal(struct rehearser *t)
{
    double harm;

    t->goal = t->world.goal ? *t->world.goal : *goal_default;
    harm = rng_log(1 + t->goal.class_bound);
    t->goal.bound = fmax(0, harm - HARM_MARGIN);
    t->goal.limit = harm - HARM_SPARE;
}

const char *rehearser_floor_name(const struct rehearser *t)
{
    return knobs_equal(&t->floor.knobs, &t->world.start) ? "the initial setting" : "the formula";
}

void rehearser_begin_window(struct rehearser *t)
{
    t->window = (struct seen){ 0 };
    t->intervals = 0;
    t->lived_s += t->seconds;
    t->seconds = 0;
}

void rehearser_say(struct tuner_note *note, enum tuner_phase phase, const char *format, ...)
{
    va_list args;

    note->phase = phase;
    va_start(args, format);
    vsnprintf(note->why, sizeof(note->why), format, args);
    va_end(args);
}

double rehearser_percent(double log_ratio)
{
    return 100 * (exp(log_ratio) - 1);
}

void rehearser_choose_for(struct rehearser *t, const struct traffic_model *m, enum phase phase)
{
    t->hold_for = t->has_chosen && model_distance(m, &t->chosen) < 1 ? 2 * t->hold_for : HOLD_FIRST;
    t->held = 0;
    t->chosen = *m;
    t->has_chosen = true;
    t->doubts = 0;
    t->phase = phase;
}

void rehearser_refute(struct rehearser *t, const struct knobs *k)
{
    t->refuted[t->refutations++ % REFUTED] = *k;
}

bool rehearser_is_endogenous(const struct traffic_model *m)
{
    return model_following(m) > 0.5;
}

double rehearser_margin(const struct traffic_model *m)
{
    return rehearser_is_endogenous(m) && m->loop_bps_per_host > LOOP_SHARE * model_bps(m) ? LOOP_MARGIN
                                                                                          : MARGIN;
}

/* ---- the floor ---- */

const char *const floor_names[] = { "none", "bdp", "gentle", NULL };
const char *const floor_abouts[] = { "", "bdp", "a setting that marks early and cuts by little", NULL };

/* Returns whether the network starts with the default setting of NICs and switches. */
static bool is_unchosen(const struct world *w)
{
    for (int i = 0; i <= KNOB_pmax; i++)
        if (w->start.value[i] != knob_info[i].initial)
            return false;
    return true;
}

void floor_make(struct floor *f, enum floor_formula formula, const struct world *w)
{
    enum floor_formula other = formula == FLOOR_BDP ? FLOOR_GENTLE : FLOOR_BDP;

    *f = (struct floor){ .knobs = w->start, .other = w->start };
    if (formula == FLOOR_NONE || w->is_in_use || w->control || !is_unchosen(w))
        return;
    f->has_formula = true;
    setting_find(floor_names[formula])->make(&f->knobs, w);
    setting_find(floor_names[other])->make(&f->other, w);
}

bool floor_is(const struct floor *f, const struct knobs *k)
{
    return f->has_formula && knobs_equal(&f->knobs, k);
}

void floor_swap(struct floor *f)
{
    struct knobs was = f->knobs;

    f->knobs = f->other;
    f->other = was;
}

bool floor_withdraw(struct floor *f, const struct knobs *initial)
{
    if (f->is_withdrawn || !f->has_formula)
        return false;
    f->is_withdrawn = true;
    f->other = f->knobs;
    f->knobs = *initial;
    return true;
}
