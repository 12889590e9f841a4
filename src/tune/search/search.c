#include "tune/search/search.h"
#include "tune/search/search_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const search_trigger_names[] = { "change", "always", "once", NULL };
const char *const search_weights_names[] = { "dominant", "fixed", "share", NULL };
const char *const search_metrics_names[] = { "corrected", "artifact", "published", NULL };
const char *const search_directions_names[] = { "physical", "artifact", NULL };
const char *const search_start_names[] = { "running", "default", NULL };
const char *const search_against_names[] = { "previous", "settled", NULL };
const char *const search_metric_names[] = {
    "utility", "throughput", "rtt", "pfc", "cnps", "marks", "queue", NULL
};
const char *const search_objective_names[] = { "utility", "balanced", "latency", "throughput", NULL };

#define CONTEST_HARM 0.5         /* sum of logarithms of slowdowns that a contest may cost */
#define CHANCE       0.04        /* difference of utility of presets that may be chance */

/* By enum search_phase. */
static const enum tuner_phase phases[] = {
    TUNER_WATCH, TUNER_SEARCH, TUNER_SEARCH, TUNER_CONFIRM, TUNER_HOLD,
};

/* ---- options ---- */

/* Names, and values where a tuner's table has no such row. */
static const struct { const char *name; double value; } search_defaults[SEARCH_OPTION_COUNT] = {
    { "trigger" }, { "theta" }, { "weights" }, { "weight_throughput" }, { "weight_rtt" }, { "weight_pfc" },
    { "space" }, { "known" }, { "confirm" }, { "budget" }, { "remember" }, { "settle" }, { "measure" },
    { "abandon" }, { "restart" }, { "objective" }, { "guard" }, { "floor" },
    /* PARALEON's; repro/paraleon-ablation measures some. */
    [SEARCH_EPSILON] = { "epsilon", 0.05 },      /* with 0.001, chance among few flows counts as a change */
    [SEARCH_METRICS] = { "metrics", METRICS_CORRECTED },
    [SEARCH_UTILITY_SCALE] = { "utility_scale", 100 },           /* utility in percent */
    [SEARCH_DIRECTIONS] = { "directions", DIRECTIONS_PHYSICAL },
    [SEARCH_START_FROM] = { "start_from", START_RUNNING },       /* keeps earlier gains */
    [SEARCH_REREAD] = { "reread", true },        /* dominant flows may change during a search */
    [SEARCH_AGAINST] = { "against", AGAINST_SETTLED },           /* also detects slow changes */
    [SEARCH_PERSIST] = { "persist", 3 },         /* one interval may have 83 to 100 % elephants */
    [SEARCH_GIVE_UP] = { "give_up", 0 },         /* other searchers end on their own */
    /* CHAMELEON's. */
    [SEARCH_FILTER] = { "filter", 0 }, [SEARCH_METRIC] = { "metric", METRIC_UTILITY },
};

double search_option(const struct search_algo *algo, const struct option_values *v, enum search_option option)
{
    const struct key_row *row = key_find(algo->option, search_defaults[option].name);

    return row ? v->value[row - algo->option] : search_defaults[option].value;
}

static const char *given_weight(const struct search_algo *algo, const struct option_values *v)
{
    for (int i = SEARCH_WEIGHT_THROUGHPUT; i <= SEARCH_WEIGHT_PFC; i++)
        if (v->is_given[key_find(algo->option, search_defaults[i].name) - algo->option])
            return search_defaults[i].name;
    return NULL;
}

static int check_weights(const struct search_algo *algo, const struct option_values *v, const double *option,
                         struct err *err)
{
    const char   *given = given_weight(algo, v);
    const double *w = &option[SEARCH_WEIGHT_THROUGHPUT];
    double        excess = w[0] + w[1] + w[2] - 1;

    if ((int)option[SEARCH_WEIGHTS] != WEIGHTS_FIXED && given)
        return option_refuse(v, err, EINVAL, given, "is without effect unless 'weights' is fixed");
    if ((int)option[SEARCH_WEIGHTS] == WEIGHTS_FIXED && (excess > 1e-9 || excess < -1e-9))
        return option_refuse(v, err, EINVAL, given ? given : "weights",
                             "the weights %.10g, %.10g and %.10g sum to %.10g; they must sum to 1", w[0],
                             w[1], w[2], 1 + excess);
    return 0;
}

int search_create(void **state, const struct search_algo *algo, const struct world *world,
                  const struct option_values *values, struct err *err)
{
    double         option[SEARCH_OPTION_COUNT];
    struct search *s;
    int            rc;

    for (int i = 0; i < SEARCH_OPTION_COUNT; i++)
        option[i] = search_option(algo, values, (enum search_option)i);
    rc = check_weights(algo, values, option, err);
    if (rc)
        return rc;
    s = xcalloc(1, sizeof *s);
    s->algo = algo;
    world_copy(&s->world, world);            /* presets look at its ports whenever they are tried */
    memcpy(s->option, option, sizeof s->option);
    space_init(&s->space, (enum space_kind)search_count(s, SEARCH_SPACE),
               search_is(s, SEARCH_DIRECTIONS, DIRECTIONS_PHYSICAL), world);
    kl_trigger_init(&s->trigger, s->option[SEARCH_THETA], s->option[SEARCH_EPSILON]);
    s->seen = xcalloc(search_count(s, SEARCH_MEASURE), sizeof *s->seen);
    s->elephants = 0.5;
    s->before = s->start = world->start;
    if (!s->space.dims)
        rc = option_refuse(values, err, EINVAL, "kind", "nothing to search: none of its knobs changes "
                           "anything %s%s",
                           world->control ? "for cc " : "here", world->control ? world->control : "");
    else
        s->searcher = algo->create(&s->space, values->value, world->seed);
    if (rc)
        search_destroy(s);
    else
        *state = s;
    return rc;
}

void search_destroy(void *state)
{
    struct search *s = state;

    if (s->searcher)
        s->algo->destroy(s->searcher);
    world_fini(&s->world);
    free(s->seen);
    free(s->sample);
    free(s);
}

/* ---- the end of a search ---- */

/* Holds 'kept', which was chosen for the current flows. */
static void search_settle(struct search *s, const struct knobs *kept, struct knobs *knobs)
{
    *knobs = s->before = *kept;
    s->changed = 0;
    s->settled = search_recent_flows(s);
    s->phase = PHASE_HOLD;
    s->searches++;
}

/* Holds and remembers 'kept', the result of a search. */
static void search_keep(struct search *s, const struct knobs *kept, struct knobs *knobs)
{
    search_settle(s, kept, knobs);
    s->memory[s->memories++ % SEARCH_MEMORIES] =
        (struct search_memory){ *kept, fsd_elephant_share(&s->settled) };
}

static void keep_one(struct search *s, bool is_finalist, struct knobs *knobs, struct tuner_note *note)
{
    note->verdict = is_finalist ? TUNER_ACCEPTED : TUNER_REJECTED;
    search_keep(s, is_finalist ? &s->finalist : search_rival(s), knobs);
}

/* A contest of messages needs hosts that report them, and messages that are short against a block. */
static bool begin_contest(struct search *s)
{
    struct contest_rule rule = { .pairs = 2 * search_count(s, SEARCH_CONFIRM), .harm_max = CONTEST_HARM,
                                 .is_lenient = true };

    return search_is(s, SEARCH_FLOOR, true) && s->windows > 0 &&
           contest_begin(&s->contest, &rule, goal_find("balanced"), &s->window, s->windows,
                         s->world.seed + s->searches);
}

static void begin_to_confirm(struct search *s, struct knobs *knobs)
{
    s->phase = PHASE_CONFIRM;
    s->turn = 0;
    s->sum[0] = s->sum[1] = (struct utility_terms){ 0 };
    s->finalist = search_best_by(s, 0)->knobs;
    s->is_contest = begin_contest(s);
    *knobs = s->is_contest && !contest_is_b(&s->contest) ? *search_rival(s) : s->finalist;
}

static const char *rival_name(const struct search *s)
{
    return search_is(s, SEARCH_FLOOR, true) ? "the setting from the start" : "the setting at which it began";
}

static void search_finish(struct search *s, struct knobs *knobs, struct tuner_note *note)
{
    const struct search_sample *best = search_best_by(s, 0);
    double                      is;

    tuner_say(note, "the search is over after %u settings", s->measured);
    if (!best || knobs_equal(&best->knobs, search_rival(s))) {
        tuner_say(note, "%s is kept", rival_name(s));
        search_keep(s, search_rival(s), knobs);
        return;
    }
    is = utility(search_weights(s), best->terms);
    if (search_count(s, SEARCH_CONFIRM)) {
        tuner_say(note, "the best, at %.4f, and %s are measured again, in turn", is, rival_name(s));
        begin_to_confirm(s, knobs);
    } else {
        tuner_say(note, "the best was measured at %.4f and is kept", is);
        search_keep(s, &best->knobs, knobs);
    }
}

static void decide_finalist(struct search *s, struct knobs *knobs, struct tuner_note *note)
{
    struct utility_weights w = search_weights(s);
    uint32_t               times = search_count(s, SEARCH_CONFIRM);
    double                 best = utility(w, search_mean_of(s->sum[0], times));
    double                 from = utility(w, search_mean_of(s->sum[1], times));
    bool                   is_better = best > from && !guard_refuses(s);

    tuner_say(note, "measured again, the new setting has %.4f, %s %.4f: the %s is kept%s", best,
               rival_name(s), from, is_better ? "new one" : "latter",
               !is_better && best > from ? ", with which more is sent" : "");
    keep_one(s, is_better, knobs, note);
}

/* An interval of a contest. Messages may be missing from single reports. */
static void search_contest(struct search *s, const struct report *r, struct knobs *knobs,
                           struct tuner_note *note)
{
    enum contest_verdict verdict = contest_add(&s->contest, r->has_seen ? &r->seen : NULL,
                                               (double)r->payload_bytes);
    char                 text[CONTEST_TEXT];

    *knobs = contest_is_b(&s->contest) ? s->finalist : *search_rival(s);
    if (verdict == CONTEST_ON) {
        tuner_say(note, "the new setting and %s take turns, in blocks of %u intervals", rival_name(s),
                   s->contest.pairing.length);
        return;
    }
    tuner_say(note, "%s with the new setting: %s is kept", contest_text(&s->contest, text),
               verdict == CONTEST_B ? "it" : rival_name(s));
    keep_one(s, verdict == CONTEST_B, knobs, note);
}

static void search_confirm(struct search *s, const struct search_now *now, struct knobs *knobs,
                           struct tuner_note *note)
{
    search_add_terms(&s->sum[s->turn % 2], now->terms);
    s->turn++;
    if (s->turn == 2 * search_count(s, SEARCH_CONFIRM)) {
        decide_finalist(s, knobs, note);
        return;
    }
    tuner_say(note, "measurement %u of %u of %s", (s->turn + 1) / 2, search_count(s, SEARCH_CONFIRM),
               s->turn % 2 ? "the new setting" : rival_name(s));
    *knobs = s->turn % 2 ? *search_rival(s) : s->finalist;
}

/* ---- the search itself ---- */

static void ask(struct search *s, const struct search_now *now, struct knobs *knobs, struct tuner_note *note)
{
    double   point[SPACE_DIMS_MAX];
    uint32_t patience = search_count(s, SEARCH_GIVE_UP);

    if (s->measured >= search_count(s, SEARCH_BUDGET) || (patience && s->in_vain >= patience) ||
        !s->algo->ask(s->searcher, now, point)) {
        search_finish(s, knobs, note);
        return;
    }
    *knobs = s->base;
    space_knobs(&s->space, point, knobs);
}

/* 'measured', or NULL, applies only if 'from' is in the space; else the search starts at the nearest point.
 * */
static void begin_at(struct search *s, const struct knobs *from, const struct search_now *measured)
{
    double point[SPACE_DIMS_MAX];

    space_point(&s->space, from, point);
    s->base = s->from = *from;
    s->algo->begin(s->searcher, point, space_has(&s->space, from) ? measured : NULL);
}

static void begin_at_default(struct search *s)
{
    double point[SPACE_DIMS_MAX];

    for (uint32_t i = 0; i < s->space.dims; i++)
        point[i] = s->space.dim[i].initial;
    s->algo->begin(s->searcher, point, NULL);
}

static void on_search(struct search *s, const struct search_now *now, struct knobs *knobs,
                      struct tuner_note *note)
{
    s->measured++;
    s->algo->tell(s->searcher, now, note);
    if (search_record(s, knobs, now->terms, NULL))
        note->verdict = TUNER_BEST;
    ask(s, now, knobs, note);
}

/* ---- presets first ---- */

static void begin_at_best_known(struct search *s, const struct search_now *now, struct knobs *knobs,
                                struct tuner_note *note)
{
    const struct search_sample *best = search_best_by(s, CHANCE);
    struct search_now    measured = search_now_of(s, best->terms);

    tuner_say(note, "the search goes on at the best, %s", best->name);
    s->in_vain = 0;
    s->phase = PHASE_SEARCH;
    begin_at(s, &best->knobs, &measured);
    ask(s, now, knobs, note);
}

static void on_known(struct search *s, const struct search_now *now, struct knobs *knobs,
                     struct tuner_note *note)
{
    s->measured++;
    if (search_record(s, knobs, now->terms, s->known_name))
        note->verdict = TUNER_BEST;
    tuner_say(note, "of the known settings, %s was tried", s->known_name);
    s->known++;
    if (!search_set_known(s, knobs))
        begin_at_best_known(s, now, knobs, note);
}

/* ---- the start of a search ---- */

static void begin_search(struct search *s, const struct search_now *measured, struct knobs *knobs,
                         struct tuner_note *note)
{
    /* The first interval of a run has the bursts of its start. A round of several intervals measures the
     * setting instead. */
    if (search_is(s, SEARCH_TRIGGER, TRIGGER_ONCE) && search_count(s, SEARCH_MEASURE) > 1)
        measured = NULL;
    s->before = s->from = s->base = *knobs;
    s->settled = search_recent_flows(s);
    s->changed = 0;
    s->samples = s->measured = s->known = s->in_vain = 0;
    if (search_is(s, SEARCH_KNOWN, true)) {
        s->phase = PHASE_KNOWN;
        search_set_known(s, knobs);          /* finds one: presets for any flows, or the running setting */
        tuner_say(note, "search begins with settings that are known");
        return;
    }
    s->phase = PHASE_SEARCH;
    if (search_is(s, SEARCH_START_FROM, START_RUNNING)) {
        if (measured)
            search_record(s, knobs, measured->terms, NULL);
        begin_at(s, &s->before, measured);
        tuner_say(note, "search begins at the running setting");
    } else {
        begin_at_default(s);
        tuner_say(note, "search begins at the default setting");
    }
    ask(s, measured, knobs, note);
}

/* 'measured' is the measurement of the current setting, or NULL. */
static void begin(struct search *s, const struct search_now *measured, struct knobs *knobs,
                  struct tuner_note *note)
{
    const struct search_memory *found = search_is(s, SEARCH_REMEMBER, true) ? search_recall(s) : NULL;

    if (found) {
        tuner_say(note, "the setting that was found when elephants were %.0f %% of flows is in force again",
                   100 * found->elephants);
        search_settle(s, &found->knobs, knobs);
    } else {
        begin_search(s, measured, knobs, note);
    }
}

/* Restarts because flow sizes changed: earlier measurements do not apply. With a guard the setting from
 * before is restored, because no other was confirmed. */
static void begin_again(struct search *s, const struct fsd *f, struct knobs *knobs, struct tuner_note *note)
{
    s->intervals = 0;
    search_look_at_flows(s, f);
    *knobs = search_best_by(s, 0) && s->option[SEARCH_GUARD] <= 0 ? search_best_by(s, 0)->knobs : s->before;
    search_say_change(s, note);
    begin(s, NULL, knobs, note);
    s->skip = search_is_on(s) ? search_count(s, SEARCH_SETTLE) : 0;
}

static void on_watch(struct search *s, bool has_changed, const struct search_now *measured,
                     struct knobs *knobs, struct tuner_note *note)
{
    const char *guarded = guard_why_not(s);

    if (search_is_due(s, has_changed, measured) && !guarded) {
        if (search_is(s, SEARCH_TRIGGER, TRIGGER_CHANGE))
            search_say_change(s, note);
        else
            tuner_say(note, s->searches ? "the last search is over" : "this is the start");
        begin(s, measured, knobs, note);
        return;
    }
    if (!knobs_equal(knobs, &s->before))
        s->start = *knobs;       /* set from outside */
    s->before = *knobs;
    tuner_say(note, "%s", guarded ? guarded : search_why_not(s));
}

/* ---- the hooks ---- */

static void note_interval(const struct search *s, const struct report *r, const struct search_now *now,
                          struct tuner_note *note)
{
    note->phase = phases[s->phase];
    note->utility = utility(now->weights, now->terms);
    if (!search_goal(s, r) && search_is(s, SEARCH_METRIC, METRIC_UTILITY)) {
        note->throughput = now->terms.throughput;
        note->rtt = now->terms.rtt;
        note->pfc = now->terms.pfc;
    }
    if (search_has_flows(&r->fsd)) {
        note->divergence = s->divergence;
        note->elephants = fsd_elephant_share(&r->fsd);
    }
}

/* Starts the next action when a measurement, or an interval of watching, is complete. */
static void go_on(struct search *s, bool has_changed, bool is_silent, const struct search_now *now,
                  struct knobs *knobs, struct tuner_note *note)
{
    switch (s->phase) {
    case PHASE_WATCH:
    case PHASE_HOLD:    on_watch(s, has_changed, is_silent ? NULL : now, knobs, note); break;
    case PHASE_KNOWN:   on_known(s, now, knobs, note); break;
    case PHASE_SEARCH:  on_search(s, now, knobs, note); break;
    case PHASE_CONFIRM: search_confirm(s, now, knobs, note); break;
    }
}

/* Drops a setting that costs too much. Its terms count in proportion to its traffic. */
static void drop_trial(struct search *s, struct search_now *now, struct knobs *knobs, struct tuner_note *note)
{
    double sent = fmin(s->guard.ratio, 1);

    tuner_say(note, "only %.0f %% of the traffic before was sent: the setting is dropped", 100 * sent);
    s->intervals = s->skip = 0;
    if (s->phase == PHASE_CONFIRM) {
        tuner_say(note, "%s is kept", rival_name(s));
        search_keep(s, search_rival(s), knobs);
        return;
    }
    *now = search_now_of(s, (struct utility_terms){ sent * now->terms.throughput, sent * now->terms.rtt,
                                                    sent * now->terms.pfc });
    go_on(s, false, false, now, knobs, note);
    if (search_is_on(s))
        guard_recover(s, knobs);
}

/* Adds the cost of an interval. Returns true if it decides the next action. */
static bool is_guarded(struct search *s, const struct report *r, struct search_now *now, struct knobs *knobs,
                       struct tuner_note *note)
{
    enum guard_verdict verdict = guard_add(s, r, knobs);

    if (verdict == GUARD_ENDS_SEARCH) {
        tuner_say(note, "the search has cost %.1f intervals of traffic: it ends, and the setting from before "
                  "stays", s->guard.debt);
        s->intervals = s->skip = s->guard.recovering = 0;
        search_keep(s, &s->before, knobs);
        return true;
    }
    if (guard_is_recovering(s, knobs)) {
        tuner_say(note, "the setting from before, until as much is sent again");
        s->skip = search_count(s, SEARCH_SETTLE);
        return true;
    }
    if (verdict == GUARD_DROPS_TRIAL)
        drop_trial(s, now, knobs, note);
    return verdict == GUARD_DROPS_TRIAL;
}

static void add_to_window(struct search *s, const struct report *r, const struct knobs *knobs)
{
    if (!knobs_equal(knobs, &s->seen_with)) {
        s->window = (struct seen){ 0 };
        s->windows = 0;
        s->seen_with = *knobs;
    }
    if (!r->has_seen)
        return;
    seen_add(&s->window, &r->seen);
    s->windows++;
}

static void one_step(struct search *s, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    bool              has_changed = search_compare_flows(s, &r->fsd), is_silent;
    struct search_now now;
    struct knobs      was;

    if (!search_is_on(s) || search_is(s, SEARCH_REREAD, true))
        search_look_at_flows(s, &r->fsd);
    add_to_window(s, r, knobs);
    now = search_now_of(s, search_measure(s, r));
    note_interval(s, r, &now, note);
    is_silent = search_is_silent(s, &now);
    if (!search_is_on(s) && !is_silent)
        guard_watch(s, r);
    if (search_is_on(s) && (!is_silent || guard_has_traffic(r)) && is_guarded(s, r, &now, knobs, note))
        return;
    if (search_is_on(s) && is_silent) {
        tuner_say(note, "no uplink was active: the same setting is measured in the next interval");
        return;
    }
    was = *knobs;
    if (search_is_on(s) && has_changed && search_is(s, SEARCH_RESTART, true) && !guard_is_starved(s)) {
        begin_again(s, &r->fsd, knobs, note);
        return;
    }
    if (s->phase == PHASE_CONFIRM && s->is_contest) {
        search_contest(s, r, knobs, note);
        return;
    }
    if (search_is_on(s) && !search_add_up(s, &now, note))
        return;
    go_on(s, has_changed, is_silent, &now, knobs, note);
    s->skip = search_is_on(s) && !knobs_equal(&was, knobs) ? search_count(s, SEARCH_SETTLE) : 0;
}

void search_step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct search *s = state;
    struct knobs   was = *knobs;

    if (raise_end(&s->raise, knobs, note))
        return;
    one_step(s, r, knobs, note);
    if (search_is(s, SEARCH_FLOOR, true))
        raise_begin(&s->raise, &s->world, &was, &s->start, knobs);
}

void search_best(const void *state, struct knobs *knobs)
{
    const struct search *s = state;

    if (s->phase == PHASE_CONFIRM)
        *knobs = s->finalist;
    else
        *knobs = search_is_on(s) && search_best_by(s, 0) ? search_best_by(s, 0)->knobs : s->before;
}

bool search_wants_messages(const void *state)
{
    return !search_is(state, SEARCH_OBJECTIVE, OBJECTIVE_UTILITY);
}

bool search_uses_messages(const void *state)
{
    return search_is(state, SEARCH_FLOOR, true);
}

bool search_is_idle(const void *state)
{
    return ((const struct search *)state)->phase == PHASE_HOLD;
}
