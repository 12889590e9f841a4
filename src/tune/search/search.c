/* src/tune/search/search.c - see search.h. */
#include "tune/search/search.h"
#include "meter/kl.h"
#include "tune/setting.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const search_trigger_names[] = { "change", "always", "once", NULL };
const char *const search_bins_names[] = { "two", "log", NULL };
const char *const search_weights_names[] = { "dominant", "fixed", "share", NULL };
const char *const search_metrics_names[] = { "corrected", "artifact", NULL };
const char *const search_directions_names[] = { "physical", "artifact", NULL };
const char *const search_start_names[] = { "running", "default", NULL };
const char *const search_against_names[] = { "previous", "settled", NULL };

enum { TRIGGER_CHANGE, TRIGGER_ALWAYS, TRIGGER_ONCE };
enum { BINS_TWO, BINS_LOG };
enum { WEIGHTS_DOMINANT, WEIGHTS_FIXED, WEIGHTS_SHARE };
enum { METRICS_CORRECTED, METRICS_ARTIFACT };
enum { DIRECTIONS_PHYSICAL, DIRECTIONS_ARTIFACT };
enum { START_RUNNING, START_DEFAULT };
enum { AGAINST_PREVIOUS, AGAINST_SETTLED };

enum phase { PHASE_WATCH, PHASE_KNOWN, PHASE_SEARCH, PHASE_CONFIRM, PHASE_HOLD };

static const char *const phase_names[] = { "watch", "search", "search", "confirm", "hold" };

#define CHANCE       0.04        /* of utility: differences of a few intervals that mean nothing */
#define FEW_MICE     0.8         /* share of elephants from which on nobody minds long queues */
#define MEMORIES     8           /* settings that were found, the oldest is forgotten */
#define ALIKE        0.2         /* shares of elephants that are no further apart: the same kind of traffic */

struct sample {                  /* a setting, and what came of it */
    struct knobs         knobs;
    struct utility_terms terms;
    const char          *name;   /* of a known setting, or NULL */
};

struct memory { struct knobs knobs; double elephants; };

struct search {
    const struct search_algo *algo;
    void                     *searcher;
    double                    option[SEARCH_OPTION_COUNT];
    struct tuner_world        world;
    struct space              space;
    struct kl_trigger         trigger;
    struct fsd                settled;       /* flow sizes for which the setting in force was chosen */
    double                    divergence;    /* from what flow sizes are compared with */

    enum phase      phase;
    uint32_t        searches;                /* that have ended */
    uint32_t        rest;                    /* intervals until another may begin */
    double          elephants;               /* share, by the last interval that had flows */
    bool            is_known;
    uint32_t        changed;                 /* intervals in a row in which flow sizes differed */
    struct fsd      recent[SEARCH_PERSIST_MAX];      /* the last intervals that had flows */
    uint32_t        recents;                 /* ever seen */
    struct memory   memory[MEMORIES];
    uint32_t        memories;                /* ever made */

    /* One search. */
    struct knobs    before;                  /* in force when it began */
    struct knobs    from;                    /* what the best must beat: see confirm in search.h */
    struct knobs    base;                    /* points are written onto it */
    struct sample  *sample;                  /* all that was measured */
    uint32_t        samples, samples_max;
    uint32_t        known;                   /* the known setting that runs now: see make_known() */
    uint32_t        measured;                /* settings */
    uint32_t        in_vain;                 /* of them, since the last that was the best */

    /* One setting. */
    uint32_t             skip;               /* intervals before it is measured */
    struct utility_terms total;              /* of those measured */
    uint32_t             intervals;

    /* Its end. */
    struct knobs         finalist;
    struct utility_terms sum[2];             /* of the finalist, of 'from' */
    uint32_t             turn;
};

/* ---- options ---- */

static bool is_set_to(const struct search *s, enum search_option option, int choice)
{
    return (int)s->option[option] == choice;
}

static uint32_t count_of(const struct search *s, enum search_option option)
{
    return (uint32_t)s->option[option];
}

/* The weight that a person would have to change: the first that was given. */
static const char *weight_at_fault(const bool *is_given)
{
    static const char *const name[] = { "weight_throughput", "weight_rtt", "weight_pfc" };

    for (int i = 0; i < 3; i++)
        if (is_given[SEARCH_WEIGHT_THROUGHPUT + i])
            return name[i];
    return NULL;
}

static int check_weights(const double *option, const bool *is_given, struct err *err)
{
    const double *w = &option[SEARCH_WEIGHT_THROUGHPUT];
    const char   *given = weight_at_fault(is_given);
    double        excess = w[0] + w[1] + w[2] - 1;

    if ((int)option[SEARCH_WEIGHTS] != WEIGHTS_FIXED && given)
        return err_set(err, EINVAL, "%s: is without effect unless 'weights' is fixed", given);
    if ((int)option[SEARCH_WEIGHTS] == WEIGHTS_FIXED && (excess > 1e-9 || excess < -1e-9))
        return err_set(err, EINVAL, "%s: the weights %.10g, %.10g and %.10g sum to %.10g; they must sum to 1",
                       given ? given : "weights", w[0], w[1], w[2], 1 + excess);
    return 0;
}

int search_create(void **state, const struct search_algo *algo, const struct tuner_world *world,
                  const struct tuner_values *values, struct err *err)
{
    const double  *option = values->value + algo->own_options;
    struct search *s;
    int rc = check_weights(option, values->is_given + algo->own_options, err);

    if (rc)
        return rc;
    s = xcalloc(1, sizeof *s);
    s->algo = algo;
    s->world = *world;
    memcpy(s->option, option, sizeof s->option);
    space_init(&s->space, (enum space_kind)count_of(s, SEARCH_SPACE),
               is_set_to(s, SEARCH_DIRECTIONS, DIRECTIONS_PHYSICAL), world);
    kl_trigger_init(&s->trigger, s->option[SEARCH_THETA], s->option[SEARCH_EPSILON],
                    is_set_to(s, SEARCH_BINS, BINS_LOG) ? KL_LOG : KL_TWO);
    s->elephants = 0.5;
    s->before = world->start;
    s->searcher = algo->create(&s->space, values->value, world->seed);
    *state = s;
    return 0;
}

void search_destroy(void *state)
{
    struct search *s = state;

    if (!s)
        return;
    s->algo->destroy(s->searcher);
    free(s->sample);
    free(s);
}

/* ---- what an interval says ---- */

/* Adds a sentence to what is already there. */
static void say(struct tuner_note *note, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct tuner_note *note, const char *format, ...)
{
    size_t  used = strlen(note->why);
    va_list args;

    if (used > 0)
        used += (size_t)snprintf(note->why + used, sizeof note->why - used, "; ");
    if (used >= sizeof note->why)
        return;
    va_start(args, format);
    vsnprintf(note->why + used, sizeof note->why - used, format, args);
    va_end(args);
}

static bool is_searching(const struct search *s)
{
    return s->phase != PHASE_WATCH && s->phase != PHASE_HOLD;
}

/* Of the present flows. */
static struct utility_weights weights_now(const struct search *s)
{
    const double *w = &s->option[SEARCH_WEIGHT_THROUGHPUT];

    if (is_set_to(s, SEARCH_WEIGHTS, WEIGHTS_FIXED))
        return (struct utility_weights){ w[0], w[1], w[2] };
    if (is_set_to(s, SEARCH_WEIGHTS, WEIGHTS_SHARE))
        return utility_weights_at(s->is_known ? s->elephants : 0);
    return s->is_known && s->elephants >= 0.5 ? utility_for_throughput : utility_for_delay;
}

static struct utility_terms measure(const struct search *s, const struct report *r)
{
    if (is_set_to(s, SEARCH_METRICS, METRICS_ARTIFACT))
        return (struct utility_terms){
            .throughput = utility_throughput(r, UTILITY_ACTIVE_SHARE),
            .rtt = utility_rtt_of_last(r, s->world.base_rtt_ps),
            .pfc = utility_pfc_of_frames(r),
        };
    return (struct utility_terms){
        .throughput = utility_throughput(r, UTILITY_ACTIVE_SHARE),
        .rtt = utility_rtt(r),
        .pfc = utility_pfc(r, false),
    };
}

static void add_terms(struct utility_terms *sum, struct utility_terms t)
{
    sum->throughput += t.throughput;
    sum->rtt += t.rtt;
    sum->pfc += t.pfc;
}

static struct utility_terms mean_of(struct utility_terms sum, uint32_t count)
{
    return (struct utility_terms){ sum.throughput / count, sum.rtt / count, sum.pfc / count };
}

static bool has_flows(const struct fsd *f)
{
    return f->elephants + f->mice > 0;
}

static void look_at_flows(struct search *s, const struct fsd *f)
{
    if (!has_flows(f))
        return;
    s->elephants = fsd_elephant_share(f);
    s->is_known = true;
}

static struct search_now now_with(const struct search *s, struct utility_terms terms)
{
    struct search_now now = {
        .terms = terms, .weights = weights_now(s),
        .elephants = s->elephants, .is_known = s->is_known,
    };

    now.utility = utility(now.weights, terms) * s->option[SEARCH_UTILITY_SCALE];
    return now;
}

static void note_interval(const struct search *s, const struct report *r, const struct search_now *now,
                          struct tuner_note *note)
{
    note->phase = phase_names[s->phase];
    note->utility = utility(now->weights, now->terms);
    note->throughput = now->terms.throughput;
    note->rtt = now->terms.rtt;
    note->pfc = now->terms.pfc;
    if (has_flows(&r->fsd)) {
        note->divergence = s->divergence;
        note->elephants = fsd_elephant_share(&r->fsd);
    }
}

/* Utility of an interval in which nothing is sent is that of an empty network, whatever the setting. */
static bool says_nothing(const struct search *s, const struct search_now *now)
{
    return is_set_to(s, SEARCH_METRICS, METRICS_CORRECTED) && now->terms.throughput <= 0;
}

/* ---- the best so far ---- */

/* Weights may change within a search, so that all that was measured is kept and weighed anew. NULL:
 * nothing was. */
static const struct sample *best_now(const struct search *s)
{
    struct utility_weights w = weights_now(s);
    const struct sample   *best = s->samples ? s->sample : NULL;

    for (uint32_t i = 1; i < s->samples; i++)
        if (utility(w, s->sample[i].terms) > utility(w, best->terms))
            best = &s->sample[i];
    return best;
}

/* Returns whether it is the best. */
static bool take(struct search *s, const struct knobs *knobs, struct utility_terms terms, const char *name)
{
    if (s->samples == s->samples_max) {
        s->samples_max = s->samples_max ? 2 * s->samples_max : 64;
        s->sample = xrealloc(s->sample, s->samples_max * sizeof *s->sample);
    }
    s->sample[s->samples++] = (struct sample){ *knobs, terms, name };
    if (best_now(s) != &s->sample[s->samples - 1]) {
        s->in_vain++;
        return false;
    }
    s->in_vain = 0;
    return true;
}

/* ---- the end of a search ---- */

/* Of as many intervals as must differ, since in one there may be only a few flows. */
static struct fsd recent_flows(const struct search *s)
{
    uint32_t   count = count_of(s, SEARCH_PERSIST);
    struct fsd sum = { 0 };

    for (uint32_t i = 0; i < count && i < s->recents; i++)
        fsd_add(&sum, &s->recent[(s->recents - 1 - i) % SEARCH_PERSIST_MAX]);
    return sum;
}

static double share_of_recent(const struct search *s)
{
    struct fsd recent = recent_flows(s);

    return fsd_elephant_share(&recent);
}

static void settle(struct search *s, const struct knobs *kept, struct knobs *knobs)
{
    *knobs = s->before = *kept;
    s->changed = 0;
    s->settled = recent_flows(s);
    s->phase = PHASE_HOLD;
    s->rest = count_of(s, SEARCH_REST);
    s->searches++;
}

/* A search has found it. */
static void keep(struct search *s, const struct knobs *kept, struct knobs *knobs)
{
    s->memory[s->memories++ % MEMORIES] = (struct memory){ *kept, share_of_recent(s) };
    settle(s, kept, knobs);
}

static void begin_to_confirm(struct search *s, struct knobs *knobs)
{
    s->phase = PHASE_CONFIRM;
    s->turn = 0;
    s->sum[0] = s->sum[1] = (struct utility_terms){ 0 };
    *knobs = s->finalist = best_now(s)->knobs;
}

static void finish(struct search *s, struct knobs *knobs, struct tuner_note *note)
{
    const struct sample *best = best_now(s);

    say(note, "the search is over after %u settings", s->measured);
    if (!best || knobs_equal(&best->knobs, &s->from)) {
        say(note, "the setting at which it began stays");
        keep(s, &s->from, knobs);
        return;
    }
    if (count_of(s, SEARCH_CONFIRM)) {
        say(note, "the best, at %.4f, and the setting at which it began are measured again, in turn",
            utility(weights_now(s), best->terms));
        begin_to_confirm(s, knobs);
    } else {
        say(note, "the best was measured at %.4f and is kept", utility(weights_now(s), best->terms));
        keep(s, &best->knobs, knobs);
    }
}

static void decide(struct search *s, struct knobs *knobs, struct tuner_note *note)
{
    struct utility_weights w = weights_now(s);
    uint32_t               times = count_of(s, SEARCH_CONFIRM);
    double best = utility(w, mean_of(s->sum[0], times)), from = utility(w, mean_of(s->sum[1], times));

    note->verdict = best > from ? TUNER_ACCEPTED : TUNER_REJECTED;
    say(note,
        "measured again, the new setting has %.4f, the one at which the search began %.4f: the %s is kept",
        best, from, best > from ? "new one" : "latter");
    keep(s, best > from ? &s->finalist : &s->from, knobs);
}

static void on_confirm(struct search *s, const struct search_now *now, struct knobs *knobs,
                       struct tuner_note *note)
{
    add_terms(&s->sum[s->turn % 2], now->terms);
    s->turn++;
    if (s->turn == 2 * count_of(s, SEARCH_CONFIRM)) {
        decide(s, knobs, note);
        return;
    }
    say(note, "measurement %u of %u of the %s", (s->turn + 1) / 2, count_of(s, SEARCH_CONFIRM),
        s->turn % 2 ? "new setting" : "one at which the search began");
    *knobs = s->turn % 2 ? s->from : s->finalist;
}

/* ---- the search itself ---- */

static bool has_given_up(const struct search *s)
{
    uint32_t patience = count_of(s, SEARCH_GIVE_UP);

    return patience > 0 && s->in_vain >= patience;
}

static void ask(struct search *s, const struct search_now *now, struct knobs *knobs, struct tuner_note *note)
{
    double point[SPACE_DIMS_MAX];

    if (s->measured >= count_of(s, SEARCH_BUDGET) || has_given_up(s) ||
        !s->algo->ask(s->searcher, now, point)) {
        finish(s, knobs, note);
        return;
    }
    *knobs = s->base;
    space_knobs(&s->space, point, knobs);
}

/* 'measured' is what came of 'from', or NULL. What was measured of a setting outside the space does not hold
 * for the point that is nearest to it. */
static void begin_at(struct search *s, const struct knobs *from, const struct search_now *measured)
{
    double point[SPACE_DIMS_MAX];

    space_point(&s->space, from, point);
    s->base = s->from = *from;
    s->phase = PHASE_SEARCH;
    s->algo->begin(s->searcher, point, space_has(&s->space, from) ? measured : NULL);
}

static void begin_at_default(struct search *s)
{
    double point[SPACE_DIMS_MAX];

    for (uint32_t i = 0; i < s->space.dims; i++)
        point[i] = s->space.dim[i].initial;
    s->from = s->before;
    s->phase = PHASE_SEARCH;
    s->algo->begin(s->searcher, point, NULL);
}

static void on_search(struct search *s, const struct search_now *now, struct knobs *knobs,
                      struct tuner_note *note)
{
    s->measured++;
    s->algo->tell(s->searcher, now, note);
    if (take(s, knobs, now->terms, NULL))
        note->verdict = TUNER_BEST;
    ask(s, now, knobs, note);
}

/* ---- known settings first ---- */

/* What was found for flows like these, or NULL. */
static const struct memory *recall(const struct search *s)
{
    const struct memory *nearest = NULL;
    double               least = ALIKE;

    for (uint32_t i = 0; i < s->memories && i < MEMORIES; i++) {
        double apart = s->memory[i].elephants - s->elephants;

        apart = apart < 0 ? -apart : apart;
        if (apart <= least) {
            least = apart;
            nearest = &s->memory[i];
        }
    }
    return nearest;
}

/* Is it one of those that are made for the other kind of flows? */
static bool is_made_against(const struct search *s, const struct knobs *knobs, int wanted)
{
    for (const struct setting *named = setting_all; named->name; named++) {
        struct knobs made;

        named->make(&made, &s->world);
        if (named->toward * wanted < 0 && knobs_equal(&made, knobs))
            return true;
    }
    return false;
}

#define KNOWN_PASSES 3           /* settings made for the flows that prevail, the one from before, others */

static uint32_t named_settings(void)
{
    uint32_t n = 0;

    while (setting_all[n].name)
        n++;
    return n;
}

/* Writes the known setting with that number; false: it is none that should be tried now. Long queues for
 * the sake of throughput are not where there are mice, nor short ones where there are hardly any. */
static bool make_known(const struct search *s, uint32_t number, struct knobs *made, const char **name)
{
    const struct setting *named = &setting_all[number % named_settings()];
    uint32_t              pass = number / named_settings();
    int                   wanted = !s->is_known ? 0 : s->elephants >= FEW_MICE ? 1 : -1;

    if (pass == 1) {
        *made = s->before;
        *name = "the setting from before";
        return number % named_settings() == 0 && !is_made_against(s, made, wanted);
    }
    named->make(made, &s->world);
    *name = named->name;
    return pass == 0 ? named->toward != 0 && named->toward == wanted : named->toward == 0 || wanted == 0;
}

static bool was_tried(const struct search *s, const struct knobs *knobs)
{
    for (uint32_t i = 0; i < s->samples; i++)
        if (knobs_equal(&s->sample[i].knobs, knobs))
            return true;
    return false;
}

/* Sets the next that was not tried already; false: there is none. */
static bool set_known(struct search *s, struct knobs *knobs)
{
    struct knobs made;
    const char  *name;

    if (s->measured >= count_of(s, SEARCH_BUDGET))
        return false;
    for (; s->known < KNOWN_PASSES * named_settings(); s->known++) {
        if (!make_known(s, s->known, &made, &name) || was_tried(s, &made))
            continue;
        *knobs = made;
        return true;
    }
    return false;
}

/* Those made for such flows were tried first. To be preferred, one that was tried later must have been
 * better by more than chance will make it. */
static const struct sample *best_known(const struct search *s)
{
    struct utility_weights w = weights_now(s);
    const struct sample   *best = s->sample;

    for (uint32_t i = 1; i < s->samples; i++)
        if (utility(w, s->sample[i].terms) > utility(w, best->terms) + CHANCE)
            best = &s->sample[i];
    return best;
}

static void begin_at_best_known(struct search *s, const struct search_now *now, struct knobs *knobs,
                                struct tuner_note *note)
{
    const struct sample *best = best_known(s);
    struct search_now    measured = now_with(s, best->terms);

    say(note, "the search goes on at the best, %s", best->name);
    s->in_vain = 0;
    begin_at(s, &best->knobs, &measured);
    ask(s, now, knobs, note);
}

static void on_known(struct search *s, const struct search_now *now, struct knobs *knobs,
                     struct tuner_note *note)
{
    const char  *name = "";
    struct knobs made;

    make_known(s, s->known, &made, &name);
    s->measured++;
    if (take(s, knobs, now->terms, name))
        note->verdict = TUNER_BEST;
    say(note, "of the known settings, %s was tried", name);
    s->known++;
    if (!set_known(s, knobs))
        begin_at_best_known(s, now, knobs, note);
}

/* ---- when a search begins ---- */

/* Nothing was chosen for any flows yet: there are none to compare with. */
static bool is_first(const struct search *s)
{
    return s->searches == 0 && !is_searching(s);
}

static void say_change(const struct search *s, struct tuner_note *note)
{
    if (is_first(s) && s->divergence <= s->option[SEARCH_THETA]) {
        say(note, "no setting was chosen for these flows yet (elephants %.0f %% of flows)", 100 * s->elephants);
        return;
    }
    say(note, "flow sizes changed (divergence %.3g > %.3g; elephants %.0f %% of flows)", s->divergence,
        s->option[SEARCH_THETA], 100 * s->elephants);
}

/* There is always one: settings that are made for neither, and the running one where it is not known what
 * prevails. */
static void begin_with_known(struct search *s, struct knobs *knobs, struct tuner_note *note)
{
    s->phase = PHASE_KNOWN;
    set_known(s, knobs);
    say(note, "search begins with settings that are known");
}

static void begin_at_running(struct search *s, const struct search_now *measured, struct knobs *knobs,
                             struct tuner_note *note)
{
    if (measured)
        take(s, knobs, measured->terms, NULL);
    begin_at(s, &s->before, measured);
    say(note, "search begins at the running setting");
    ask(s, measured, knobs, note);
}

static void begin_search(struct search *s, const struct search_now *measured, struct knobs *knobs,
                         struct tuner_note *note)
{
    s->before = s->from = s->base = *knobs;
    s->settled = recent_flows(s);
    s->changed = 0;
    s->samples = s->measured = s->known = s->in_vain = 0;
    if (is_set_to(s, SEARCH_KNOWN, true)) {
        begin_with_known(s, knobs, note);
    } else if (is_set_to(s, SEARCH_START_FROM, START_RUNNING)) {
        begin_at_running(s, measured, knobs, note);
    } else {
        begin_at_default(s);
        say(note, "search begins at the default setting");
        ask(s, measured, knobs, note);
    }
}

/* 'measured' is what came of the setting in force, or NULL. */
static void begin(struct search *s, const struct search_now *measured, struct knobs *knobs,
                  struct tuner_note *note)
{
    const struct memory *found = is_set_to(s, SEARCH_REMEMBER, true) ? recall(s) : NULL;

    if (!found) {
        begin_search(s, measured, knobs, note);
        return;
    }
    say(note, "the setting that was found when elephants were %.0f %% of flows is in force again",
        100 * found->elephants);
    settle(s, &found->knobs, knobs);
}

/* What was measured so far was measured of other flows. */
static void begin_again(struct search *s, const struct fsd *f, struct knobs *knobs, struct tuner_note *note)
{
    s->total = (struct utility_terms){ 0 };
    s->intervals = 0;
    look_at_flows(s, f);
    *knobs = best_now(s) ? best_now(s)->knobs : s->before;
    say_change(s, note);
    begin(s, NULL, knobs, note);
    s->skip = is_searching(s) ? count_of(s, SEARCH_SETTLE) : 0;
}

static bool is_due(const struct search *s, bool has_changed, const struct search_now *measured)
{
    if (s->rest > 0)
        return false;
    switch (count_of(s, SEARCH_TRIGGER)) {
    case TRIGGER_CHANGE: return has_changed;
    case TRIGGER_ALWAYS: return measured != NULL;
    default:             return measured && s->searches == 0;
    }
}

static const char *why_not(const struct search *s)
{
    if (is_set_to(s, SEARCH_TRIGGER, TRIGGER_CHANGE) && s->changed > 0)
        return "flow sizes have not differed for long enough";
    if (is_set_to(s, SEARCH_TRIGGER, TRIGGER_CHANGE))
        return "flow sizes have not changed";
    return is_set_to(s, SEARCH_TRIGGER, TRIGGER_ONCE) && s->searches > 0 ? "the only search is over"
                                                                         : "no uplink was active";
}

static void on_watch(struct search *s, bool has_changed, const struct search_now *measured,
                     struct knobs *knobs, struct tuner_note *note)
{
    if (is_due(s, has_changed, measured)) {
        if (is_set_to(s, SEARCH_TRIGGER, TRIGGER_CHANGE))
            say_change(s, note);
        else
            say(note, s->searches ? "the last search is over" : "this is the start");
        begin(s, measured, knobs, note);
        return;
    }
    s->before = *knobs;
    if (s->rest > 0)
        say(note, "no search begins for another %u intervals", s->rest--);
    else
        say(note, "%s", why_not(s));
}

/* ---- the hooks ---- */

/* Is it clear already that the setting under test will not be the best? */
static bool is_lost(const struct search *s)
{
    struct utility_weights w = weights_now(s);
    const struct sample   *best = best_now(s);
    double                 margin = s->option[SEARCH_ABANDON];

    if (margin <= 0 || s->phase == PHASE_CONFIRM || !best)
        return false;
    return utility(w, mean_of(s->total, s->intervals)) < utility(w, best->terms) - margin;
}

/* Adds an interval to what is known of the setting under test; false: it takes more of them. Writes the
 * means. */
static bool add_up(struct search *s, struct search_now *now, struct tuner_note *note)
{
    if (s->skip > 0) {
        s->skip--;
        say(note, "the setting is new: what is seen is still the old one's");
        return false;
    }
    add_terms(&s->total, now->terms);
    s->intervals++;
    if (s->intervals < count_of(s, SEARCH_MEASURE) && !is_lost(s)) {
        say(note, "interval %u of %u in which the setting is measured", s->intervals,
            count_of(s, SEARCH_MEASURE));
        return false;
    }
    *now = now_with(s, mean_of(s->total, s->intervals));
    s->total = (struct utility_terms){ 0 };
    s->intervals = 0;
    return true;
}

/* Have flow sizes changed, for so long that it counts? */
static bool compare(struct search *s, const struct fsd *f)
{
    bool differs = kl_trigger_step(&s->trigger, f);

    if (!has_flows(f))
        return false;
    s->recent[s->recents++ % SEARCH_PERSIST_MAX] = *f;
    s->divergence = s->trigger.last;
    if (is_set_to(s, SEARCH_AGAINST, AGAINST_SETTLED)) {
        struct fsd now = recent_flows(s);

        s->divergence = kl_fsd(&now, &s->settled, s->trigger.bins, s->trigger.epsilon);
        differs = is_first(s) || s->divergence > s->trigger.theta;
    }
    s->changed = differs ? s->changed + 1 : 0;
    return s->changed >= count_of(s, SEARCH_PERSIST);
}

void search_step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct search    *s = state;
    bool              has_changed = compare(s, &r->fsd), is_silent;
    struct search_now now;
    struct knobs      was;

    if (!is_searching(s) || is_set_to(s, SEARCH_REREAD, true))
        look_at_flows(s, &r->fsd);
    now = now_with(s, measure(s, r));
    note_interval(s, r, &now, note);
    is_silent = says_nothing(s, &now);
    if (is_searching(s) && is_silent) {
        say(note, "no uplink was active: the same setting is measured in the next interval");
        return;
    }
    was = *knobs;
    if (is_searching(s) && has_changed && is_set_to(s, SEARCH_RESTART, true)) {
        begin_again(s, &r->fsd, knobs, note);
        return;
    }
    if (is_searching(s) && !add_up(s, &now, note))
        return;
    switch (s->phase) {
    case PHASE_WATCH:
    case PHASE_HOLD:    on_watch(s, has_changed, is_silent ? NULL : &now, knobs, note); break;
    case PHASE_KNOWN:   on_known(s, &now, knobs, note); break;
    case PHASE_SEARCH:  on_search(s, &now, knobs, note); break;
    case PHASE_CONFIRM: on_confirm(s, &now, knobs, note); break;
    }
    s->skip = is_searching(s) && !knobs_equal(&was, knobs) ? count_of(s, SEARCH_SETTLE) : 0;
}

void search_best(const void *state, struct knobs *knobs)
{
    const struct search *s = state;

    if (s->phase == PHASE_CONFIRM)
        *knobs = s->finalist;
    else
        *knobs = is_searching(s) && best_now(s) ? best_now(s)->knobs : s->before;
}

bool search_is_idle(const void *state)
{
    return ((const struct search *)state)->phase == PHASE_HOLD;
}
