/* src/tune/rehearse.c - the tuner `rehearse`: tries settings on a twin of the network before it applies one.
 *
 * Overview:
 *
 *   watch     Hosts report message sizes at post time and completion times. Two consecutive windows that
 *             agree give a traffic model (rehearse/traffic/traffic_model.h).
 *   floor     From the beginning on a formula applies that follows from the network alone (rehearse_state.h).
 *             Doubt returns to it. As soon as jobs post most of the bytes, the initial setting is the floor:
 *             the user has not asked for the formula, so it must show that it makes jobs no slower.
 *   check     A twin with that traffic runs with the current setting, for as long as the network has. If its
 *             slowdowns differ from those of the hosts, the model is wrong, and the twin is not asked. Then
 *             the network itself compares the floor with the other formula, in alternating blocks
 *             (rehearse/proof/proving.h). Where messages are hardly slower than in an empty network, there is
 *             nothing to gain, and no twin is made.
 *   rehearse  Settings are tried on the twin (rehearse/search/twin_search.h). The winner is applied if its
 *             gain over the current setting, in a race on messages that the search has not seen, exceeds a
 *             margin with confidence.
 *   prove     The winner is applied for a window. If prediction and hosts' measurements, weighted by their
 *             precision (rehearse/proof/proof.h), show that it is worse, the previous setting returns.
 *   hold      The setting stays until it is worse, by much within intervals (rehearse/proof/regret.h) or by
 *             less in windows, or until the traffic changes. Then the floor returns, or an earlier result for
 *             such traffic.
 */
#include "base/rng.h"
#include "core/units.h"
#include "tune/rehearse/proof/proving.h"
#include "tune/rehearse/search/twin_search.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_MORE   3          /* A window may grow to this multiple of REHEARSE_WINDOW, */
#define NOISE_MAX     0.21       /* until the load estimate is this precise. Two such windows give 0.15. */
#define WARM_MAX      2.0        /* longest warm-up of a trial, in windows */
#define SEARCH_LENGTH 0.5        /* length of a search trial, as a fraction of a full trial */
#define HORIZON       3.0        /* length of the final, where trials are cheap and have no bursts */
#define LOAD_MORE     1.1        /* load on the twin, relative to the measured load */
#define QUIET         0.9        /* share of the speed of an empty network above which a search cannot gain */
#define DOUBTS_MAX    4          /* after this many wrong twins in a row, the twin is checked less often */

/* ---- windows ---- */

/* Adds an interval to the window. Returns true when it is full. Windows grow while large messages are rare,
 * because the load estimate is then noisy. */
static bool gather(struct rehearser *t, const struct report *r)
{
    seen_add(&t->window, &r->seen);
    t->seconds += (double)(r->end_ps - r->start_ps) / (double)PS_PER_S;
    t->intervals++;
    return t->intervals >= WINDOW_MORE * REHEARSE_WINDOW ||
           (t->intervals >= REHEARSE_WINDOW && model_noise(&t->window) < NOISE_MAX);
}

/* ---- deciding ---- */

static void start_proof(struct rehearser *t, const struct traffic_model *m, const struct knobs *better,
                        struct race_gain gain, const struct twin_check *c, struct knobs *knobs)
{
    t->was = *knobs;
    t->candidate = *better;
    t->before_bps = model_bps(m);
    proof_begin(&t->proof, gain, c->noise, &t->under);
    t->proofs = t->regrets = 0;
    regret_begin(&t->regret);
    rehearser_choose_for(t, m, PHASE_SETTLING);
    *knobs = t->candidate;
}

static int search(struct rehearser *t, const struct traffic_model *m, const struct predictor *p,
                  const struct knobs *now, struct rehearsal *r, struct err *err)
{
    struct knobs            known[REHEARSE_STARTS + MEMORIES + 1];
    struct rehearse_request q = { .predictor = p, .world = &t->world, .goal = &t->goal,
                                  .base = t->world.start, .length = SEARCH_LENGTH,
                                  .race_length = m->bursts_per_s > 0 ? 1 : HORIZON,
                                  .seed = t->world.seed * 1000 + ++t->decisions * 100000, .now = now,
                                  .more = known, .not = t->refuted,
                                  .nots = t->refutations < REFUTED ? t->refutations : REFUTED,
                                  .budget = (uint64_t)(t->option[OPT_BUDGET] * 1e6) };

    q.mores = rehearse_starts(&t->world, &t->world.start, known);
    known[q.mores++] = *now;
    q.mores += memory_good(&t->memories, &known[q.mores]);
    return rehearse(r, &q, err);
}

/* Logs the twin's predictions for presets relative to the initial setting. */
static void say_named(const struct rehearser *t, struct tuner_note *note, const struct rehearsal *r)
{
    size_t at = strlen(note->why);

    for (uint32_t i = 0; i < r->nameds && at < sizeof(note->why); i++)
        at += (size_t)snprintf(note->why + at, sizeof(note->why) - at, "%s%s %+.0f %%",
                               i ? ", " : ". By name, against the start: ", r->named[i].name,
                               rehearser_percent(r->named[i].gain));
    if (at < sizeof(note->why))
        snprintf(note->why + at, sizeof(note->why) - at, ". Reports: %u bytes per host and interval at most",
                 t->all.told_bytes);
}

static void decide(struct rehearser *t, const struct traffic_model *m, const struct rehearsal *r,
                   const struct twin_check *c, struct knobs *knobs, struct tuner_note *note)
{
    const struct runner *winner = &r->race.runner[r->race.winner], *now = race_find(&r->race, knobs);
    struct race_gain     gain = race_gain(winner, now);

    assert(knobs_equal(&now->knobs, knobs));     /* the current setting always runs */
    if (winner == now || gain.high > -rehearser_margin(m)) {
        rehearser_say(note, TUNER_HOLD,
                      "%u trials on the twin (%+.0f %% off): nothing is surely better than the setting in "
                      "force by more than %.0f %%; it stays", r->trials, rehearser_percent(c->off),
                      100 * rehearser_margin(m));
        say_named(t, note, r);
        memory_add(&t->memories, m, knobs, false);
        rehearser_choose_for(t, m, PHASE_HOLD);
        return;
    }
    rehearser_say(note, TUNER_SEARCH,
                  "%u trials on the twin (%+.0f %% off): %s is predicted to be %.0f %% better, %.0f to "
                  "%.0f; it is set", r->trials, rehearser_percent(c->off),
                  winner->name ? winner->name : "a new setting", -rehearser_percent(gain.mean),
                  -rehearser_percent(gain.high), -rehearser_percent(gain.low));
    say_named(t, note, r);
    start_proof(t, m, &winner->knobs, gain, c, knobs);
}

/* The twin is not used, for the reason 'why'. A setting that was chosen for other traffic does not survive a
 * second doubt. The floor is compared with the other formula on the network itself. */
static void doubt(struct rehearser *t, const struct traffic_model *m, const char *why, struct knobs *knobs,
                  struct tuner_note *note)
{
    bool is_other = t->has_chosen && model_distance(m, &t->chosen) >= 1;
    bool is_back = ++t->doubts == 2 && is_other && !floor_is(&t->floor, knobs);

    if (is_back) {
        *knobs = t->floor.knobs;
        t->has_chosen = false;
    }
    rehearser_say(note, TUNER_WATCH, "%s; %s%s", why,
                  is_back ? rehearser_floor_name(t) : "nothing is changed", is_back ? " comes back" : "");
    if (t->doubts >= 2 && floor_is(&t->floor, knobs))
        duel_begin(t, knobs, note);
}

/* True if the twin can be used; else writes why not. Without TCP only the current setting is predicted. */
static bool is_believed(const struct rehearser *t, const struct predictor *p, const struct twin_check *c,
                        char *why, size_t size)
{
    if (p->unaware_of)
        snprintf(why, size, "the twin knows nothing of %s, and is not asked", p->unaware_of);
    else if (!check_is_right(c, t->option[OPT_TRUST]))
        snprintf(why, size, "the twin is wrong: with the setting in force its slowdowns are %+.0f %% off "
                 "those that hosts see, where chance makes %.0f %%", rehearser_percent(c->off),
                 rehearser_percent(c->chance));
    else
        return true;
    return false;
}

static void try_on_twin(struct rehearser *t, const struct traffic_model *m, struct predictor *p,
                        struct knobs *knobs, struct tuner_note *note)
{
    struct rehearsal *r = xmalloc(sizeof(*r));
    struct err        err;
    struct outcomes   saw = seen_outcomes(&t->under);
    struct twin_check check = { 0 };
    char              why[200];
    int               rc = p->unaware_of ? 0 :
                           check_twin(&check, p, &t->goal, knobs, t->world.seed, &saw, &err);
    bool              is_right = !rc && is_believed(t, p, &check, why, sizeof(why));

    if (is_right)
        rc = search(t, m, p, knobs, r, &err);
    if (rc) {
        rehearser_say(note, TUNER_HOLD, "no twin: %.200s", err.text);
        rehearser_choose_for(t, m, PHASE_HOLD);
    } else if (!is_right) {
        doubt(t, m, why, knobs, note);
    } else {
        note->tried = t->tried;
        note->tries = tried_of_race(&r->race, knobs, t->tried);
        decide(t, m, r, &check, knobs, note);
    }
    free(r);
}

static void rehearse_for(struct rehearser *t, const struct traffic_model *m, struct knobs *knobs,
                         struct tuner_note *note)
{
    bool                 is_again = t->has_chosen && model_distance(m, &t->chosen) < 1;
    const struct memory *known = is_again ? NULL : memory_recall(&t->memories, m);
    struct predictor     p = { 0 };
    struct err           err;

    if (known && known->is_bad) {
        rehearser_say(note, TUNER_HOLD, "such traffic was met before, and what the twin found for it was no "
                      "better; the setting stays");
    } else if (known && !knobs_equal(&known->knobs, knobs)) {
        rehearser_say(note, TUNER_HOLD, "such traffic was met before; what was found for it then is set "
                      "again");
        *knobs = known->knobs;
    } else if (t->world.maker->make(t->world.maker_arg, &t->world, m, &p, &err)) {
        rehearser_say(note, TUNER_HOLD, "no twin: %.200s", err.text);
    } else {
        try_on_twin(t, m, &p, knobs, note);
        t->world.maker->drop(&p);
        return;
    }
    rehearser_choose_for(t, m, PHASE_HOLD);
}

/* ---- a window is over ---- */

/* After repeated failures of the twin it is tried less often. */
static bool is_patient(const struct rehearser *t)
{
    return t->doubts >= DOUBTS_MAX && (t->doubts & (t->doubts - 1)) != 0;
}

/* Windows that agree are merged: large messages are so few that the load estimate of one window is noisy. In
 * doubt the load is overestimated, which costs little; an underestimate would cost much. */
static void sum_up(struct rehearser *t, const struct traffic_model *now, bool is_new,
                   struct traffic_model *all)
{
    if (is_new) {
        t->all = (struct seen){ 0 };
        t->all_s = t->lived_s = 0;
    }
    seen_add(&t->all, &t->window);
    t->all_s += t->seconds;
    model_make(all, &t->all, t->all_s, t->hosts);
    all->bps_per_host = LOAD_MORE * fmax(all->bps_per_host, now->bps_per_host);
    all->window_s = t->seconds;
    all->warm_s = fmin(t->lived_s, WARM_MAX * t->seconds);
}

static void add_under(struct rehearser *t, bool is_new)
{
    if (is_new) {
        t->under_windows = 0;
        if (t->has_last)
            regret_forget(&t->regret);
    }
    if (t->under_windows <= 1)
        t->under = (struct seen){ 0 };
    seen_add(&t->under, &t->window);
    t->under_windows++;
}

/* True while the setting is on hold. The next search waits for twice as many windows as the last one. */
static bool is_held(struct rehearser *t, const struct traffic_model *now)
{
    return t->has_chosen && model_distance(now, &t->chosen) < 1 && ++t->held < t->hold_for;
}

/* The traffic has changed. Drops the setting for the old traffic; an earlier result returns, or the floor. */
static void meet(struct rehearser *t, const struct traffic_model *now, const char *text, struct knobs *knobs,
                 struct tuner_note *note)
{
    const struct memory *known = memory_recall(&t->memories, now);

    if (!t->has_chosen || model_distance(now, &t->chosen) < 1) {
        rehearser_say(note, t->phase == PHASE_HOLD ? TUNER_HOLD : TUNER_WATCH,
                      "%s; is it so in the next window, too?", text);
        return;
    }
    t->is_kept = false;
    regret_end(&t->regret);
    rehearser_say(note, TUNER_HOLD, "%s: another traffic; %s%s", text,
                  known ? "what was found for such traffic before is set again" : rehearser_floor_name(t),
                  known ? "" : " comes back until it is known better");
    if (known)
        rehearser_choose_for(t, now, PHASE_HOLD);
    else
        t->has_chosen = false;
    *knobs = known ? known->knobs : t->floor.knobs;
}

/* Explains the floor, once. */
static void say_floor(struct rehearser *t, struct tuner_note *note)
{
    if (t->floor.has_formula && !t->is_told && !note->why[0])
        rehearser_say(note, note->phase,
                      "since the beginning, before any message was seen, %s has been in force, which "
                      "follows from the speeds and the round trip of the network alone; it stays until "
                      "something better is known", floor_abouts[(int)t->option[OPT_OPENING]]);
    t->is_told = true;
}

static bool is_quiet(struct rehearser *t, const struct traffic_model *m, struct tuner_note *note)
{
    struct outcomes saw = seen_outcomes(&t->under);

    if (goal_speed(&t->goal, &saw) < QUIET)
        return false;
    rehearser_say(note, TUNER_HOLD, "messages are at most %.0f %% slower than in an empty network: there is "
                  "nothing to gain, and no twin is asked", 100 / QUIET - 100);
    rehearser_choose_for(t, m, PHASE_HOLD);
    return true;
}

/* A window is full, and nothing is being proved. */
static void consider(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    struct traffic_model now, all;
    char                 text[160];
    double               gain;
    bool                 is_new;

    if (!model_make(&now, &t->window, t->seconds, t->hosts)) {
        rehearser_say(note, t->phase == PHASE_HOLD ? TUNER_HOLD : TUNER_WATCH, "nothing was posted");
        t->has_last = false;
        return;
    }
    is_new = !t->has_last || model_distance(&now, &t->last) > 1;
    sum_up(t, &now, is_new, &all);
    add_under(t, is_new);
    model_text(&now, text, sizeof(text));
    if (proving_is_regretted(t, &now, &gain))
        proving_go_back(t, gain, "messages in two windows", knobs, note);
    else if (is_new)
        meet(t, &now, text, knobs, note);
    else if (is_held(t, &all))
        note->phase = TUNER_HOLD;
    else if (is_patient(t)) {
        note->phase = TUNER_WATCH;
        t->doubts++;
    } else if (!is_quiet(t, &all, note))
        rehearse_for(t, &all, knobs, note);
    t->last = now;
    t->has_last = true;
}

/* ---- hooks ---- */

static const enum tuner_phase phases[] = {
    TUNER_WATCH, TUNER_CONFIRM, TUNER_CONFIRM, TUNER_CONFIRM, TUNER_HOLD,
};

static void one_step(struct rehearser *t, const struct report *r, struct knobs *knobs,
                     struct tuner_note *note)
{
    bool is_full;

    if (t->phase == PHASE_SETTLING) {        /* this interval shows the previous setting */
        note->phase = phases[t->phase];
        t->phase = PHASE_PROVING;
        rehearser_begin_window(t);
        return;
    }
    if (t->phase == PHASE_DUEL) {
        duel_step(t, r, knobs, note);
        return;
    }
    if (proving_interval(t, r, knobs, note)) {
        rehearser_begin_window(t);
        return;
    }
    is_full = gather(t, r);
    if (floor_is(&t->floor, knobs) && contest_is_of_jobs(&r->seen) &&
        floor_withdraw(&t->floor, &t->world.start)) {
        rehearser_say(note, TUNER_WATCH, "jobs post most of the bytes, and may be slower with the formula: "
                      "the initial setting comes back until something better is known");
        *knobs = t->floor.knobs;
    } else if (!is_full) {
        note->phase = phases[t->phase];
        return;
    } else if (t->phase == PHASE_PROVING) {
        proving_window(t, knobs, note);
    } else {
        consider(t, knobs, note);
    }
    rehearser_begin_window(t);
}

/* True if the controller's guard has reverted the candidate: it is not proved, and not proposed again. */
static bool is_taken_back(const struct rehearser *t, const struct report *r)
{
    bool is_open = t->phase == PHASE_SETTLING || t->phase == PHASE_PROVING;

    return is_open && r->outcome && r->outcome->kind == OUTCOME_REFUSED;
}

static void give_up(struct rehearser *t, const struct report *r, const struct knobs *knobs,
                    struct tuner_note *note)
{
    memory_add(&t->memories, &t->chosen, knobs, true);
    rehearser_refute(t, &t->candidate);
    regret_end(&t->regret);
    t->phase = PHASE_HOLD;
    t->is_kept = false;
    rehearser_begin_window(t);
    rehearser_say(note, TUNER_HOLD, "what was found was not kept: %.200s; the setting in force stays",
                  r->outcome->why);
}

/* Measurements under the old setting say nothing about the new one, so a change resets them. */
static void step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct rehearser *t = state;
    struct knobs      was = *knobs;

    t->age++;
    if (raise_end(&t->raise, knobs, note))
        return;
    if (is_taken_back(t, r))
        give_up(t, r, knobs, note);
    else
        one_step(t, r, knobs, note);
    say_floor(t, note);
    if (!knobs_equal(&was, knobs)) {
        t->under_windows = 0;
        regret_forget(&t->regret);
        raise_begin(&t->raise, &t->world, &was, &t->world.start, knobs);
    }
}

static void first(const void *state, struct knobs *knobs)
{
    const struct rehearser *t = state;

    if (t->floor.has_formula)
        *knobs = t->floor.knobs;
}

static bool is_idle(const void *state)
{
    return ((const struct rehearser *)state)->phase == PHASE_HOLD;
}

static bool wants_messages(const void *state)
{
    (void)state;
    return true;
}

static void destroy(void *state)
{
    struct rehearser *t = state;

    world_fini(&t->world);
    free(t);
}

static int create(void **state, const struct world *w, const struct option_values *v, struct err *err)
{
    struct rehearser *t;

    if (!w->maker)
        return option_refuse(v, err, EINVAL, "kind",
                             "tuner 'rehearse' needs a description of the network: add 'fabric: FILE' to the "
                             "controller configuration, or use anole advise");
    if (w->goal && w->goal->figure == GOAL_P99)
        return option_refuse(v, err, EINVAL, "kind",
                             "tuner 'rehearse' cannot minimise '%s', because hosts report means; "
                             "use goal: mean_slowdown",
                             w->goal->name);
    t = xcalloc(1, sizeof(*t));
    memcpy(t->option, v->value, sizeof(t->option));
    world_copy(&t->world, w);
    for (uint32_t i = 0; i < w->devices; i++)
        t->hosts += w->device[i].tier == WORLD_HOSTS;
    rehearser_set_goal(t);
    floor_make(&t->floor, (enum floor_formula)t->option[OPT_OPENING], w);
    *state = t;
    return 0;
}

static const struct key_row options[] = {
    [OPT_BUDGET] = { "budget", KEY_REAL, "20", "packet-hops of a search on the twin, in millions", .min = 1,
                     .max = 1e6 },
    [OPT_OPENING] = { "opening", KEY_NAME, "gentle",
                    "formula that applies from the start and in doubt; not used if the scenario sets DCQCN "
                    "or ECN knobs, and never by a controller", .choices = floor_names },
    [OPT_TRUST] = { "trust", KEY_REAL, "0.3",
                    "largest accepted error of the twin, as a difference of log slowdowns beyond noise",
                    .min = 0, .max = 10 },
    [OPT_PAIRS] = { "pairs", KEY_COUNT, "12", "most pairs of blocks in which the network compares the two "
                    "formulas where the twin is wrong; 0: never", .min = 0, .max = 1000 },
    { 0 },
};

const struct tuner_algo tuner_rehearse = {
    .create = create, .destroy = destroy, .first = first, .step = step, .is_idle = is_idle,
    .wants_messages = wants_messages, .name = "rehearse",
    .about = "tries settings on a simulated twin, applies the best, and verifies it", .option = options,
};
