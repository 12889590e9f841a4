/* src/tune/rehearse.c - a tuner that tries settings on a twin of the network before it applies one.
 *
 * In a nutshell:
 *
 *   watch     hosts tell what messages they post and how long they take. Two windows of intervals that tell the same are a
 *             traffic that can be modelled (rehearse/model.h)
 *   check     a twin with that traffic runs with the setting in force, for as long as the network has. If its slowdowns are
 *             not those that hosts saw, the model is wrong, and nothing is changed
 *   rehearse  settings are tried on the twin (rehearse/rehearse.h). The winner is worth it if the interval of its gain over
 *             the setting in force, in a race on messages that the search has not met, is beyond a margin
 *   prove     it is set for a window. If what was predicted and what hosts see, each as far as it can be believed
 *             (rehearse/proof.h), tell that it is worse, the setting from before comes back. In between, if people want it, blocks
 *             of both settings take turns in an order that a coin decides, until the e-value tells (base/evidence)
 *   hold      until it turns out to be worse, or the traffic becomes another: then the setting from the beginning comes back,
 *             or what was found for such traffic before
 */
#include "tune/rehearse/rehearse.h"
#include "base/evidence/evalue.h"
#include "base/evidence/pairing.h"
#include "base/rng.h"
#include "core/units.h"
#include "tune/rehearse/check.h"
#include "tune/rehearse/memory.h"
#include "tune/rehearse/model.h"
#include "tune/rehearse/proof.h"
#include "tune/rehearse/tried.h"
#include "tune/tuner.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOAL, HARM, BUDGET, WINDOW, SETTLE, THINK, MARGIN, TRUST, PAIRS, BLOCK, WRONG_LOAD, WRONG_SIZES, OPTIONS };
enum phase { WATCH, THINKING, SETTLING, PROVING, PAIRING, HOLD };

#define WINDOW_MORE   3          /* times as long as asked for, at most, */
#define NOISE_MAX     0.21       /* until the load is known as well as this; two such windows together tell it to within 0.15 */
#define WARM_MAX      2.0        /* windows that a trial goes on before the one that is compared */
#define SEARCH_LENGTH 0.5        /* of trials in the search */
#define LOAD_MORE     1.1        /* than was seen */
#define HOLD_FIRST    8          /* windows after the first search to the second, if the traffic stays; then twice as many */
#define ROLLBACK      0.10       /* log of slowdowns, beside noise: where blocks can take turns, worse by more is not even tried so */
#define FOLLOW_MARGIN 0.2        /* where messages follow from others: queue pairs live on, and what rates they are left with by a
                                    setting that does not stay, those after it suffer from for long */
#define MORE_LOAD     1.15       /* times as much as before: then slower messages are no fault of the setting */
#define TWIN_PAIRS    4.0        /* the twin's word counts as much as so many pairs of blocks */
#define CAME_SHARE    0.33       /* of what was predicted: if so much came, it is believed */
#define PAIR_SD       0.1        /* of differences of blocks: a guess, which costs time at worst */
#define PAIR_E        20.0       /* evidence that decides: 1 in 20 is wrong at most */
#define PROOFS_MAX    3          /* windows in which the load may be another before one is taken as it is */
#define REGRETS       2          /* windows in a row after which it is taken to be worse after all */
#define DOUBTS_MAX    4          /* windows in a row for which the twin is wrong: then it is looked at less often */

struct rehearser {
    double         option[OPTIONS];
    struct goal    goal;
    struct world   world;
    uint32_t       hosts;
    enum phase     phase;
    struct seen    window;               /* of the intervals that are being gathered */
    uint32_t       intervals;            /* in it, or of what else is waited for */
    double         seconds, lived_s;     /* of the window; that this traffic had gone on before it */
    struct seen    all;                  /* of the windows in a row that told the same, */
    double         all_s;                /* and how long they were */
    struct traffic_model last, chosen;   /* of the window before; for which the setting in force was chosen */
    bool           has_last, has_chosen;
    struct seen    under;                /* of windows with this traffic and the setting in force; the first is left out if it can
                                            be, as what was before shows in it */
    uint32_t       under_windows;
    uint32_t       held, hold_for;       /* windows since the last search; after which more is known than then */
    uint32_t       doubts;               /* windows in a row for which the twin was wrong */

    /* What is being proved. */
    struct proof   proof;
    double         before_bps;
    uint32_t       proofs, regrets;      /* windows with other traffic; in a row in which it was worse after all */
    bool           is_kept;              /* it was proved, and is in force */
    struct knobs   was, candidate;
    struct pairing pairing;
    struct evalue  evalue;

    struct memories memories;
    uint64_t       decisions;
    struct tuner_tried tried[RACE_RUNNERS];      /* in the last search */
};

/* ---- windows ---- */

static void begin_window(struct rehearser *t)
{
    t->window = (struct seen){ 0 };
    t->intervals = 0;
    t->lived_s += t->seconds;
    t->seconds = 0;
}

/* Takes in an interval; true: the window is full. It is longer where large messages are so few that chance decides. */
static bool gather(struct rehearser *t, const struct report *r)
{
    uint32_t least = (uint32_t)t->option[WINDOW];

    seen_add(&t->window, &r->seen);
    t->seconds += (double)(r->end_ps - r->start_ps) / (double)PS_PER_S;
    t->intervals++;
    return t->intervals >= WINDOW_MORE * least || (t->intervals >= least && model_noise(&t->window) < NOISE_MAX);
}

static void say(struct tuner_note *note, const char *phase, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(struct tuner_note *note, const char *phase, const char *format, ...)
{
    va_list args;

    note->phase = phase;
    va_start(args, format);
    vsnprintf(note->why, sizeof(note->why), format, args);
    va_end(args);
}

static double percent(double log_ratio)
{
    return 100 * (exp(log_ratio) - 1);
}

/* ---- deciding ---- */

static void choose_for(struct rehearser *t, const struct traffic_model *m, enum phase phase)
{
    t->hold_for = t->has_chosen && model_distance(m, &t->chosen) < 1 ? 2 * t->hold_for : HOLD_FIRST;
    t->held = 0;
    t->chosen = *m;
    t->has_chosen = true;
    t->doubts = 0;
    t->phase = phase;
}

static void start_proof(struct rehearser *t, const struct traffic_model *m, const struct knobs *better, struct race_gain gain,
                        double noise, struct knobs *knobs)
{
    t->was = *knobs;
    t->candidate = *better;
    t->before_bps = model_bps(m);
    proof_begin(&t->proof, gain, noise, &t->under);
    t->proofs = t->regrets = 0;
    choose_for(t, m, t->option[THINK] > 0 ? THINKING : SETTLING);
    if (t->phase == SETTLING)
        *knobs = t->candidate;
}

static int search(struct rehearser *t, const struct predictor *p, const struct knobs *now, struct rehearsal *r,
                  struct err *err)
{
    struct knobs            known[REHEARSE_STARTS + MEMORIES + 1];
    struct rehearse_request q = { .predictor = p, .world = &t->world, .goal = &t->goal, .base = t->world.start,
                                  .length = SEARCH_LENGTH, .seed = t->world.seed * 1000 + ++t->decisions * 100000,
                                  .now = now, .more = known, .budget = (uint64_t)(t->option[BUDGET] * 1e6) };

    q.mores = rehearse_starts(&t->world, &t->world.start, known);
    known[q.mores++] = *now;
    q.mores += memory_good(&t->memories, &known[q.mores]);
    return rehearse(r, &q, err);
}

/* Where messages follow from others, how many there are is up to the setting: slower ones are its fault, whatever the load. */
static bool is_endogenous(const struct traffic_model *m)
{
    return model_following(m) > 0.5;
}

/* What the twin says of settings that have a name, against the one from the beginning. */
static void say_named(const struct rehearser *t, struct tuner_note *note, const struct rehearsal *r)
{
    size_t at = strlen(note->why);

    for (uint32_t i = 0; i < r->nameds && at < sizeof(note->why); i++)
        at += (size_t)snprintf(note->why + at, sizeof(note->why) - at, "%s%s %+.0f %%", i ? ", " : ". By name, against the start: ",
                               r->named[i].name, percent(r->named[i].gain));
    if (at < sizeof(note->why))
        snprintf(note->why + at, sizeof(note->why) - at, ". Reports: %u bytes per host and interval at most", t->all.told_bytes);
}

static void decide(struct rehearser *t, const struct traffic_model *m, const struct rehearsal *r, const struct twin_check *c,
                   struct knobs *knobs, struct tuner_note *note)
{
    const struct runner *winner = &r->race.runner[r->race.winner], *now = race_find(&r->race, knobs);
    struct race_gain     gain = race_gain(winner, now);
    double               margin = t->option[MARGIN];

    assert(knobs_equal(&now->knobs, knobs));     /* who is in force always runs */
    margin = is_endogenous(m) ? fmax(margin, FOLLOW_MARGIN) : margin;
    if (winner == now || gain.high > -margin) {
        say(note, "hold", "%u trials on the twin (%+.0f %% off): nothing is surely better than the setting in force by more "
            "than %.0f %%; it stays", r->trials, percent(c->off), 100 * margin);
        say_named(t, note, r);
        memory_add(&t->memories, m, knobs, false);
        choose_for(t, m, HOLD);
        return;
    }
    say(note, "search", "%u trials on the twin (%+.0f %% off): %s is predicted to be %.0f %% better, %.0f to %.0f; it is set",
        r->trials, percent(c->off), winner->name ? winner->name : "a new setting", -percent(gain.mean), -percent(gain.high),
        -percent(gain.low));
    say_named(t, note, r);
    start_proof(t, m, &winner->knobs, gain, c->noise, knobs);
}

/* A setting that was chosen for another traffic is not kept for one that nobody understands. */
static void doubt(struct rehearser *t, const struct traffic_model *m, const struct twin_check *c, struct knobs *knobs,
                  struct tuner_note *note)
{
    bool is_other = t->has_chosen && model_distance(m, &t->chosen) >= 1;
    bool is_back = ++t->doubts == 2 && is_other && !knobs_equal(knobs, &t->world.start);

    say(note, "watch", "the twin is wrong: with the setting in force its slowdowns are %+.0f %% off those that hosts see, where chance "
        "makes %.0f %%; %s", percent(c->off), percent(c->chance), is_back ? "the setting from the beginning comes back" : "nothing is changed");
    if (is_back) {
        *knobs = t->world.start;
        t->has_chosen = false;
    }
}

static void try_on_twin(struct rehearser *t, const struct traffic_model *m, struct predictor *p, struct knobs *knobs,
                        struct tuner_note *note)
{
    struct rehearsal *r = xmalloc(sizeof(*r));
    struct err        err;
    struct outcomes   saw = seen_outcomes(&t->under);
    struct twin_check check;
    int               rc = check_twin(&check, p, &t->goal, knobs, t->world.seed, &saw, &err);

    if (!rc && !check_is_right(&check, t->option[TRUST])) {
        doubt(t, m, &check, knobs, note);
        free(r);
        return;
    }
    if (!rc)
        rc = search(t, p, knobs, r, &err);
    if (rc) {
        say(note, "hold", "no twin: %.200s", err.text);
        choose_for(t, m, HOLD);
    } else {
        note->tried = t->tried;
        note->tries = tried_of_race(&r->race, knobs, t->tried);
        decide(t, m, r, &check, knobs, note);
    }
    free(r);
}

static void rehearse_for(struct rehearser *t, const struct traffic_model *m, struct knobs *knobs, struct tuner_note *note)
{
    bool                 is_again = t->has_chosen && model_distance(m, &t->chosen) < 1;
    const struct memory *known = is_again ? NULL : memory_recall(&t->memories, m);
    struct traffic_model bent = *m;
    struct predictor     p = { 0 };
    struct err           err;

    model_bend(&bent, t->option[WRONG_LOAD], t->option[WRONG_SIZES]);
    if (known && known->is_bad) {
        say(note, "hold", "such traffic was met before, and what the twin found for it was no better; the setting stays");
        choose_for(t, m, HOLD);
    } else if (known && !knobs_equal(&known->knobs, knobs)) {
        say(note, "hold", "such traffic was met before; what was found for it then is set again");
        *knobs = known->knobs;
        choose_for(t, m, HOLD);
    } else if (t->world.maker->make(t->world.maker_arg, &t->world, &bent, &p, &err)) {
        say(note, "hold", "no twin: %.200s", err.text);
        choose_for(t, m, HOLD);
    } else {
        try_on_twin(t, m, &p, knobs, note);
        t->world.maker->drop(&p);
    }
}

/* ---- proving ---- */

static void keep(struct rehearser *t, double gain, const char *how, struct tuner_note *note)
{
    memory_add(&t->memories, &t->chosen, &t->candidate, false);
    t->phase = HOLD;
    t->is_kept = true;
    say(note, "confirm", "%s: %.0f %% %s than before, %.0f %% were predicted; the setting stays", how, fabs(percent(gain)),
        gain < 0 ? "faster" : "slower", -percent(t->proof.expected));
}

static void go_back(struct rehearser *t, double gain, const char *how, struct knobs *knobs, struct tuner_note *note)
{
    memory_add(&t->memories, &t->chosen, &t->was, true);
    t->phase = HOLD;
    t->is_kept = false;
    *knobs = t->was;
    say(note, "confirm", "%s: %.0f %% %s than before, %.0f %% faster was predicted; the setting from before comes back", how,
        fabs(percent(gain)), gain < 0 ? "faster" : "slower", -percent(t->proof.expected));
}

static void start_pairs(struct rehearser *t, double gain, struct knobs *knobs, struct tuner_note *note)
{
    uint32_t length = (uint32_t)t->option[BLOCK];

    pairing_init(&t->pairing, length, length / 2, t->world.seed + t->decisions);
    evalue_init(&t->evalue, PAIR_SD);
    t->phase = PAIRING;
    *knobs = pairing_arm(&t->pairing) == ARM_B ? t->candidate : t->was;
    say(note, "confirm", "messages are %.0f %% %s than before, %.0f %% faster was predicted: both settings take turns to find out",
        fabs(percent(gain)), gain < 0 ? "faster" : "slower", -percent(t->proof.expected));
}

/* The traffic is as before. Where messages follow from others a part of what was predicted must come. */
static void judge(struct rehearser *t, const struct traffic_model *now, struct knobs *knobs, struct tuner_note *note)
{
    double gain = proof_gain(&t->proof, &t->goal);
    bool   is_more = model_bps(now) > MORE_LOAD * t->before_bps, has_come = gain <= CAME_SHARE * t->proof.expected;
    bool   has_pairs = t->option[PAIRS] > 0, is_worse = has_pairs ? gain > ROLLBACK + t->proof.noise
                                                                  : proof_is_worse(&t->proof, &t->goal);

    if (!has_come && (is_endogenous(now) || (is_worse && !is_more)))
        go_back(t, gain, "messages in a window", knobs, note);
    else if (!has_come && has_pairs)
        start_pairs(t, gain, knobs, note);
    else
        keep(t, gain, "messages in a window", note);
}

/* A window with the new setting is full: are messages as much faster as was predicted? */
static void prove(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    struct traffic_model now;
    bool                 is_known = model_make(&now, &t->window, t->seconds, t->hosts);
    bool                 is_alike = is_known && model_distance(&now, &t->chosen) < 1;

    t->last = now;
    t->has_last = is_known;
    if (is_alike) {
        proof_add(&t->proof, &t->window);
        judge(t, &now, knobs, note);
    } else if (++t->proofs < PROOFS_MAX)
        say(note, "confirm", "the traffic is another than before: nothing can be said of the new setting yet");
    else
        go_back(t, proof_gain(&t->proof, &t->goal), "with other traffic", knobs, note);
}

/* Nobody has to bear a setting that was kept and turns out to be worse: two windows in a row that say so, and it goes. Those
 * with more load say nothing of it. */
static bool is_regretted(struct rehearser *t, const struct traffic_model *now, double *gain)
{
    if (!t->is_kept || model_distance(now, &t->chosen) >= 1)
        return false;
    if (model_bps(now) > MORE_LOAD * t->before_bps && !is_endogenous(now))
        return false;
    proof_add(&t->proof, &t->window);
    *gain = proof_gain(&t->proof, &t->goal);
    t->regrets = proof_is_worse(&t->proof, &t->goal) ? t->regrets + 1 : 0;
    return t->regrets >= REGRETS;
}

/* An interval with one of both settings. */
static void pair(struct rehearser *t, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct outcomes is = seen_outcomes(&r->seen), was = seen_outcomes(&t->proof.before);
    double          d, value = !isnan(goal_slowdown(&is, GOAL_ALL)) ? -goal_gain(&t->goal, &is, &was) : NAN;
    bool            is_pair = pairing_add(&t->pairing, value, &d), is_last;

    note->phase = "confirm";
    *knobs = pairing_arm(&t->pairing) == ARM_B ? t->candidate : t->was;
    if (!is_pair)
        return;
    evalue_add(&t->evalue, d);
    d = evalue_gain(&t->evalue);
    is_last = t->evalue.pairs >= t->option[PAIRS];
    if (evalue_below(&t->evalue, 0) >= PAIR_E || (is_last && t->evalue.pairs * d < TWIN_PAIRS * t->proof.expected))
        go_back(t, -d, "in pairs of blocks", knobs, note);
    else if (evalue_above(&t->evalue, 0) >= PAIR_E || is_last) {
        *knobs = t->candidate;
        keep(t, -d, "in pairs of blocks", note);
    }
}

/* ---- a window is over ---- */

/* A twin that was wrong again and again is looked at less and less often. */
static bool is_patient(const struct rehearser *t)
{
    return t->doubts >= DOUBTS_MAX && (t->doubts & (t->doubts - 1)) != 0;
}

/* Windows that tell the same are taken together: large messages are so few that one window says little of the load. When in
 * doubt there is more of it, which costs little; less would cost much. */
static void sum_up(struct rehearser *t, const struct traffic_model *now, bool is_new, struct traffic_model *all)
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
    if (is_new)
        t->under_windows = 0;
    if (t->under_windows <= 1)
        t->under = (struct seen){ 0 };
    seen_add(&t->under, &t->window);
    t->under_windows++;
}

/* Twice as many windows as the last search knew of, and it may find more. */
static bool is_held(struct rehearser *t, const struct traffic_model *now)
{
    return t->has_chosen && model_distance(now, &t->chosen) < 1 && ++t->held < t->hold_for;
}

/* Another traffic than in the window before. What was chosen for that goes at once; what was found for such traffic before
 * comes back. */
static void meet(struct rehearser *t, const struct traffic_model *now, const char *text, struct knobs *knobs,
                 struct tuner_note *note)
{
    const struct memory *known = memory_recall(&t->memories, now);
    const struct knobs  *to = known ? &known->knobs : &t->world.start;
    bool               is_other = t->has_chosen && model_distance(now, &t->chosen) >= 1;

    if (!is_other || knobs_equal(knobs, to)) {
        say(note, t->phase == HOLD ? "hold" : "watch", "%s; is it so in the next window, too?", text);
        return;
    }
    say(note, "hold", "%s: another traffic; %s", text, known ? "what was found for such traffic before is set again"
        : "the setting from the beginning comes back until it is known better");
    t->is_kept = false;
    *knobs = *to;
    if (known)
        choose_for(t, now, HOLD);
    else
        t->has_chosen = false;
}

/* A window is full, and nothing is being proved. */
static void consider(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    struct traffic_model now, all;
    char                 text[160];
    double               gain;
    bool                 is_new;

    if (!model_make(&now, &t->window, t->seconds, t->hosts)) {
        say(note, t->phase == HOLD ? "hold" : "watch", "nothing was posted");
        t->has_last = false;
        return;
    }
    is_new = !t->has_last || model_distance(&now, &t->last) > 1;
    sum_up(t, &now, is_new, &all);
    add_under(t, is_new);
    model_text(&now, text, sizeof(text));
    if (is_regretted(t, &now, &gain))
        go_back(t, gain, "messages in two windows", knobs, note);
    else if (is_new)
        meet(t, &now, text, knobs, note);
    else if (is_held(t, &all))
        note->phase = "hold";
    else if (is_patient(t)) {
        note->phase = "watch";
        t->doubts++;
    } else
        rehearse_for(t, &all, knobs, note);
    t->last = now;
    t->has_last = true;
}

/* ---- hooks ---- */

static const char *phase_name(enum phase phase)
{
    return phase == HOLD ? "hold" : phase == WATCH ? "watch" : phase == THINKING ? "search" : "confirm";
}

/* Intervals that say nothing: until the search would be over, and until a new setting has settled. */
static void wait(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    note->phase = phase_name(t->phase);
    if (++t->intervals < (uint32_t)t->option[t->phase == THINKING ? THINK : SETTLE])
        return;
    if (t->phase == THINKING)
        *knobs = t->candidate;
    t->phase = t->phase == THINKING ? SETTLING : PROVING;
    begin_window(t);
}

static void one_step(struct rehearser *t, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    if (t->phase == THINKING || t->phase == SETTLING) {
        wait(t, knobs, note);
        return;
    }
    if (t->phase == PAIRING) {
        pair(t, r, knobs, note);
        return;
    }
    if (!gather(t, r)) {
        note->phase = phase_name(t->phase);
        return;
    }
    if (t->phase == PROVING)
        prove(t, knobs, note);
    else
        consider(t, knobs, note);
    begin_window(t);
}

/* What hosts saw with another setting says nothing of the new one. */
static void step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct rehearser *t = state;
    struct knobs      was = *knobs;

    one_step(t, r, knobs, note);
    if (!knobs_equal(&was, knobs))
        t->under_windows = 0;
}

static bool is_idle(const void *state)
{
    const struct rehearser *t = state;

    return t->phase == HOLD;
}

static void copy_world(struct rehearser *t, const struct world *w)
{
    t->world = *w;
    t->world.device = xcalloc(w->devices + 1ul, sizeof(*w->device));
    t->world.port = xcalloc(w->ports + 1ul, sizeof(*w->port));
    if (w->devices)
        memcpy(t->world.device, w->device, w->devices * sizeof(*w->device));
    if (w->ports)
        memcpy(t->world.port, w->port, w->ports * sizeof(*w->port));
    for (uint32_t i = 0; i < w->devices; i++)
        t->hosts += w->device[i].tier == WORLD_HOSTS;
}

static int create(void **state, const struct world *w, const struct option_values *v, struct err *err)
{
    struct rehearser *t;

    if (!w->maker)
        return err_set(err, EINVAL, "kind: there is nobody to make a twin of this network; anole run, compare and tune have one, and anole "
                       "advise finds a setting without a loop");
    t = xcalloc(1, sizeof(*t));
    memcpy(t->option, v->value, sizeof(t->option));
    copy_world(t, w);
    t->goal = goal_all[(int)t->option[GOAL]];
    t->goal.bound = rng_log(1 + t->option[HARM]);
    *state = t;
    return 0;
}

static void destroy(void *state)
{
    struct rehearser *t = state;

    if (!t)
        return;
    free(t->world.device);       /* names are the owner's, and not looked at */
    free(t->world.port);
    free(t);
}

static const struct option_info options[] = {
    [GOAL] = { "goal", OPTION_CHOICE, 0, 0, 0, goal_names, NULL, "what is wanted: balanced, latency, throughput; see docs/advise.md" },
    [HARM] = { "harm", OPTION_REAL, 0.05, 0, 100, NULL, NULL,
               "no class of messages may be slower on the twin than with the setting from the beginning by a larger share" },
    [BUDGET] = { "budget", OPTION_REAL, 60, 1, 1e6, NULL, NULL, "millions of packet-hops that a search on the twin may simulate" },
    [WINDOW] = { "window", OPTION_COUNT, 3, 1, 1e6, NULL, NULL, "intervals that a model of the traffic is made from" },
    [SETTLE] = { "settle", OPTION_COUNT, 1, 1, 1000, NULL, NULL, "intervals after a change that say nothing of the new setting" },
    [THINK] = { "think", OPTION_COUNT, 0, 0, 1e6, NULL, NULL, "intervals that pass while settings are tried on the twin" },
    [MARGIN] = { "margin", OPTION_REAL, 0.02, 0, 1, NULL, NULL, "a setting must be better by more, for sure, to be set" },
    [TRUST] = { "trust", OPTION_REAL, 0.4, 0, 10, NULL, NULL,
                "a twin whose log slowdowns are further off those that hosts see, beyond chance, is not believed" },
    [PAIRS] = { "pairs", OPTION_COUNT, 0, 0, 1000, NULL, NULL,
                "pairs of blocks, at most, where a window does not tell; 0: what is not much worse stays" },
    [BLOCK] = { "block", OPTION_COUNT, 4, 2, 1000, NULL, NULL, "intervals of a block, of which the first half is not counted" },
    [WRONG_LOAD] = { "wrong_load", OPTION_REAL, 1, 0.1, 10, NULL, NULL, "for experiments: the twin has so many times the load" },
    [WRONG_SIZES] = { "wrong_sizes", OPTION_REAL, 1, 0.1, 10, NULL, NULL, "for experiments: its messages are so many times as long" },
    { 0 },
};

extern const struct tuner_algo tuner_rehearse;
const struct tuner_algo tuner_rehearse = {
    .create = create, .destroy = destroy, .step = step, .is_idle = is_idle, .needs_messages = true,
    .name = "rehearse", .about = "tries settings on a twin with the traffic that hosts see, applies the best, and proves it",
    .option = options,
};
