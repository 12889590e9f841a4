/* src/tune/chameleon.c - CHAMELEON: greedy, one parameter at a time. Chen et al., "CHAMELEON: Automatic and
 * Adaptive Tuning for DCQCN Parameters in RDMA Networks", SIGCOMM 2023 (a poster).
 *
 * In a nutshell: a round tries value v of one parameter p. How its metric m compares with that of the round
 * before decides what the next round tries:
 *
 *   clear gain   (m_i - m_i-1) / m_i-1 >= beta      v += s               on in the same direction
 *   loss          m_i < m_i-1                       v -= s               turn round
 *   small gain    less than beta                    v += s; after several in a row the next parameter's turn
 *
 * and the step s shrinks to decay (lambda) times itself with every round. When all parameters had their turn
 * the search is over. The travel on one parameter is at most s / (1 - decay): 20 first steps.
 *
 * What the poster does not say, and what we chose:
 *
 *   the metric                  utility (search.h); preset=published: throughput, the poster's example. It
 *                               also names RTT, PFCs, CNPs, queues and marks: the option metric
 *   beta                        0.01
 *   "several" rounds            3 in a row
 *   the first step              1.5 times the step of the space, for each parameter in its turn
 *   the first direction         up, as in the poster's example
 *   the order                   rate increase, rate decrease, alpha, notification point, congestion point
 *   losses both ways            a second loss, which is one in the other direction, ends the parameter's turn
 *   what a turn leaves          the best value seen, with which the next parameter's first round is compared
 *                               (the poster would leave the last value, a loss)
 *   no change                   counts as a small gain
 *   bounds                      a step is cut there; at a bound no round is spent: a turn that has begun is
 *                               over, otherwise the first step goes the other way
 *   steps that round to nothing a step is never less than what the knob can be set in
 */
#include "base/err.h"
#include "tune/search/search.h"

#include <math.h>
#include <stdlib.h>

enum chameleon_option {
    CHAMELEON_PRESET, CHAMELEON_BETA, CHAMELEON_PATIENCE, CHAMELEON_DECAY, CHAMELEON_STEP_FACTOR
};

struct chameleon {
    struct space space;
    double       beta, decay, step_factor;
    uint32_t     patience;
    uint32_t     order[SPACE_DIMS_MAX];      /* dimensions, in the order of their turns */

    double               point[SPACE_DIMS_MAX];      /* of the round that runs, or ran last */
    bool                 is_measured;        /* there is a round to compare with */
    struct utility_terms last;               /* of the round before */
    struct utility_terms best;               /* of all rounds */

    /* Of the parameter whose turn it is. */
    uint32_t turn;               /* index into 'order'; dims: the search is over */
    double   step;
    int      direction;          /* +1, -1 */
    uint32_t rounds, small_gains;
    bool     has_turned;
    double   value_before, value_best;
};

/* ---- order ---- */

/* The rows of DCQCN and ECN are in the poster's order. Others come last, all together. */
static int turn_of(enum knob knob)
{
    return knob <= KNOB_pmax ? (int)knob : KNOB_pmax + 1;
}

static void sort_dims(struct chameleon *c)
{
    uint32_t count = 0;

    for (int turn = 0; turn <= KNOB_pmax + 1; turn++)
        for (uint32_t i = 0; i < c->space.dims; i++)
            if (turn_of(c->space.dim[i].knob) == turn)
                c->order[count++] = i;
}

/* ---- turns ---- */

static bool is_over(const struct chameleon *c)
{
    return c->turn >= c->space.dims;
}

static const struct space_dim *dim_of(const struct chameleon *c)
{
    return &c->space.dim[c->order[c->turn]];
}

static double *value_of(struct chameleon *c)
{
    return &c->point[c->order[c->turn]];
}

static void start_turn(struct chameleon *c)
{
    if (is_over(c))
        return;
    c->step = c->step_factor * dim_of(c)->step;
    c->direction = 1;
    c->rounds = c->small_gains = 0;
    c->has_turned = false;
    c->value_before = c->value_best = *value_of(c);
}

static void end_turn(struct chameleon *c)
{
    *value_of(c) = c->value_best;
    c->last = c->best;
    c->turn++;
    start_turn(c);
}

static void turn_round(struct chameleon *c)
{
    c->direction = -c->direction;
    c->has_turned = true;
    c->small_gains = 0;
}

static double next_value(struct chameleon *c)
{
    const struct space_dim *d = dim_of(c);

    return clamp_real(*value_of(c) + c->direction * fmax(c->step, d->quantum), d->min, d->max);
}

/* Leaves the turns of parameters that are at a bound and can go no further. */
static void skip_bounds(struct chameleon *c)
{
    while (!is_over(c) && next_value(c) == *value_of(c)) {
        if (c->rounds > 0 || c->has_turned)
            end_turn(c);
        else
            turn_round(c);
    }
}

/* ---- verdicts ---- */

enum trial_outcome { CLEAR_GAIN, SMALL_GAIN, LOSS };

static enum trial_outcome compare(const struct chameleon *c, double before, double after)
{
    if (after > before && after - before >= c->beta * fabs(before))
        return CLEAR_GAIN;
    return after >= before ? SMALL_GAIN : LOSS;
}

/* Acts on the outcome of a round. Returns the decision in words. */
static const char *decide(struct chameleon *c, enum trial_outcome outcome)
{
    if (outcome == CLEAR_GAIN) {
        c->small_gains = 0;
        return "a clear gain; on in this direction";
    }
    if (outcome == SMALL_GAIN && ++c->small_gains < c->patience)
        return "hardly a gain; on in this direction";
    if (outcome == LOSS && !c->has_turned) {
        turn_round(c);
        return "a loss; the other direction";
    }
    end_turn(c);
    return outcome == SMALL_GAIN ? "hardly a gain for some time; the next parameter's turn" :
           "a loss, as in the other direction; back to its best value, the next parameter's turn";
}

static void note_start(struct chameleon *c, const struct search_now *now, struct tuner_note *note)
{
    c->last = c->best = now->terms;
    c->is_measured = true;
    note->verdict = TUNER_BEST;
    tuner_say(note, "the setting that the search begins with");
}

static void note_round(struct chameleon *c, const struct search_now *now, struct tuner_note *note)
{
    double before = utility(now->weights, c->last), after = utility(now->weights, now->terms);
    bool is_best = after > utility(now->weights, c->best);
    enum trial_outcome outcome = compare(c, before, after);
    const char *name = knob_info[dim_of(c)->knob].name;
    double from = c->value_before, to = *value_of(c);

    if (is_best) {
        c->best = now->terms;
        c->value_best = to;
    }
    c->last = now->terms;
    c->value_before = to;
    c->step *= c->decay;
    c->rounds++;
    note->verdict = is_best ? TUNER_BEST : outcome == LOSS ? TUNER_REJECTED : TUNER_ACCEPTED;
    tuner_say(note, "%s from %g to %g: %s", name, from, to, decide(c, outcome));
}

/* ---- hooks ---- */

static void *chameleon_create(const struct space *space, const double *value, uint64_t seed)
{
    struct chameleon *c = xcalloc(1, sizeof(*c));

    (void)seed;                  /* there is nothing random about it */
    c->space = *space;
    c->beta = value[CHAMELEON_BETA];
    c->patience = (uint32_t)value[CHAMELEON_PATIENCE];
    c->decay = value[CHAMELEON_DECAY];
    c->step_factor = value[CHAMELEON_STEP_FACTOR];
    sort_dims(c);
    return c;
}

static void chameleon_begin(void *state, const double *from, const struct search_now *now)
{
    struct chameleon *c = state;

    for (uint32_t i = 0; i < c->space.dims; i++)
        c->point[i] = clamp_real(from[i], c->space.dim[i].min, c->space.dim[i].max);
    c->is_measured = now != NULL;
    if (now)
        c->last = c->best = now->terms;
    c->turn = 0;
    start_turn(c);
}

static bool chameleon_ask(void *state, const struct search_now *now, double *point)
{
    struct chameleon *c = state;

    (void)now;
    if (c->is_measured) {
        skip_bounds(c);
        if (is_over(c))
            return false;
        *value_of(c) = next_value(c);
    }
    for (uint32_t i = 0; i < c->space.dims; i++)
        point[i] = c->point[i];
    return true;
}

static void chameleon_tell(void *state, const struct search_now *now, struct tuner_note *note)
{
    struct chameleon *c = state;

    if (c->is_measured)
        note_round(c, now, note);
    else
        note_start(c, now, note);
}

static const char *const preset_names[] = { "corrected", "published", NULL };

/* 'published' is one search over the knobs that the poster names, by throughput, with samples of 10 ms
 * (interval=10ms) uploaded every 100 ms and without what other searches do to be careful. */
static const struct tuner_preset presets[] = {
    /* option        corrected  published */
    { "trigger",   { "change",  "once" } },
    { "restart",   { "yes",     "no" } },
    { "guard",     { "2",       "0" } },
    { "floor",     { "yes",     "no" } },
    { "abandon",   { "0.05",    "0" } },
    { "confirm",   { "3",       "0" } },
    { "metric",    { "utility", "throughput" } },
    { "space",     { "safe",    "poster" } },
    { "settle",    { "1",       "1" } },
    { "measure",   { "3",       "9" } },
    { "filter",    { "0",       "3" } },
    { NULL, { NULL } },
};

static const struct key_row chameleon_options[] = {
    [CHAMELEON_PRESET] = { "preset", KEY_NAME, "corrected",
        "initial values of the options: corrected, as other searches; published, as in the poster",
        .choices = preset_names },
    [CHAMELEON_BETA] = { "beta", KEY_REAL, "0.01",
        "relative rise of utility that is a clear gain", .min = 0, .max = 1 },
    [CHAMELEON_PATIENCE] = { "patience", KEY_COUNT, "3",
        "small gains in a row before the next parameter", .min = 1, .max = 1000 },
    [CHAMELEON_DECAY] = { "decay", KEY_REAL, "0.95",
        "factor of a parameter's step after each round", .min = 0.01, .max = 1 },
    [CHAMELEON_STEP_FACTOR] = { "step_factor", KEY_REAL, "1.5",
        "a parameter's first step, in steps of the space", .min = 0.001, .max = 1000 },
    SEARCH_OPTIONS,
    SEARCH_SUMMARY_OPTIONS,
    { 0 }
};

const struct search_algo chameleon_search = {
    .create = chameleon_create, .destroy = free, .begin = chameleon_begin, .ask = chameleon_ask,
    .tell = chameleon_tell, .option = chameleon_options,
};

extern const struct tuner_algo tuner_chameleon;

static void chameleon_fill(struct option_values *v)
{
    tuner_values_preset(&tuner_chameleon, v, presets, (int)v->value[CHAMELEON_PRESET]);
}

static int chameleon_open(void **state, const struct world *world, const struct option_values *v,
                          struct err *err)
{
    return search_create(state, &chameleon_search, world, v, err);
}

const struct tuner_algo tuner_chameleon = {
    .fill   = chameleon_fill, .create = chameleon_open, SEARCH_HOOKS,
    .name   = "chameleon",
    .about  = "CHAMELEON (SIGCOMM 2023 poster): greedy, one parameter after the other, in steps that shrink",
    .option = chameleon_options,
};
