#include "train/twin/twin_train.h"
#include "run/simulation.h"
#include "train/twin/twin_draw.h"
#include "train/twin/twin_rows.h"
#include "tune/rehearse/search/twin_search.h"
#include "tune/setting.h"
#include "twin/maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 32             /* settings per network */
#define NAMED_FEW 4              /* presets per network, once there is a surrogate */
#define NEAR      0.1            /* standard deviation of variations of a setting */
#define WATCHED_S 0.009          /* duration of a trial */
#define QUICK     20.0           /* factor by which quick trials are shorter */
#define GAIN_MAX  2.0            /* largest log slowdown that is distinguished */

const struct twin_request twin_initial = { .rounds = 4, .networks = 32, .epochs = 120, .seed = 1 };

struct trial_setting { struct knobs knobs; const char *name; bool is_choice; };

/* sums of log gains; squares: of errors */
struct gain_sums { double sum, worst, squares; uint32_t count; };

struct training {
    const struct twin_request *q;
    struct twin_rows           rows;
    struct surrogate           surrogate;
    bool                       has_surrogate;
    struct gain_sums           choice, bdp, best;    /* of this round */
};

static void count_worth(struct gain_sums *w, double gain, double error)
{
    w->worst = w->count ? fmax(w->worst, gain) : gain;
    w->sum += gain;
    w->squares += error * error;
    w->count++;
}

/* ---- settings to try on a network ---- */

struct trial_list { struct trial_setting trying[TRIES_MAX]; uint32_t count; struct rng rng; };

static void add_try(struct trial_list *t, const struct knobs *k, const char *name, bool is_choice)
{
    if (t->count < TRIES_MAX)
        t->trying[t->count++] = (struct trial_setting){ *k, name, is_choice };
}

static void add_presets(struct trial_list *t, const struct world *w, const struct setting *list,
                        uint32_t one_in)
{
    for (; list->name; list++) {
        struct knobs k = w->start;

        list->make(&k, w);
        if (!knobs_equal(&k, &w->start) &&
            (strcmp(list->name, "bdp") == 0 || rng_below(&t->rng, one_in) == 0))
            add_try(t, &k, list->name, false);
    }
}

static double normal(struct rng *r)
{
    double sum = 0;

    for (int i = 0; i < 12; i++)
        sum += rng_real(r);
    return sum - 6;
}

static void add_near(struct trial_list *t, const struct coded *c, const struct knobs *base,
                     const struct knobs *near)
{
    double       unit[CODED_DIMS_MAX];
    struct knobs k = *base;

    coded_from_knobs(c, near, unit);
    for (uint32_t i = 0; i < c->dims; i++)
        unit[i] = fmin(1, fmax(0, unit[i] + NEAR * normal(&t->rng)));
    coded_to_knobs(c, unit, &k);
    add_try(t, &k, NULL, false);
}

static void add_random(struct trial_list *t, const struct coded *c, const struct knobs *base)
{
    double       unit[CODED_DIMS_MAX];
    struct knobs k = *base;

    for (uint32_t i = 0; i < c->dims; i++)
        unit[i] = rng_real(&t->rng);
    coded_to_knobs(c, unit, &k);
    add_try(t, &k, NULL, false);
}

/* Adds the favorite of each head and variations of it, then the joint choice of all heads. */
static void add_choices(struct trial_list *t, struct surrogate_ask *ask)
{
    struct surrogate_proposal *list = xcalloc(SURROGATE_PROPOSALS, sizeof(*list));
    struct knobs               top;

    surrogate_propose(ask, t->rng.s[0], list);
    add_try(t, &list[0].knobs, NULL, true);
    for (ask->head = 0; ask->head < SURROGATE_HEADS; ask->head++) {
        surrogate_climb(ask, t->rng.s[0], &list[ask->head % 3].knobs, &top);
        add_try(t, &top, NULL, false);
        add_near(t, &ask->coded, &ask->base, &top);
    }
    ask->head = -1;
    free(list);
}

static void choose_tries(struct training *t, struct trial_list *tries, const struct world *w,
                         struct surrogate_ask *ask)
{
    struct knobs start[REHEARSE_STARTS];
    uint32_t     starts = rehearse_starts(w, &w->start, start), few = t->has_surrogate ? NAMED_FEW : 1;

    add_presets(tries, w, setting_all, few);
    add_presets(tries, w, setting_thresholds, few);
    for (uint32_t i = 0; i < (t->has_surrogate ? 1 : 3); i++) {
        add_near(tries, &ask->coded, &w->start, &start[rng_below(&tries->rng, starts)]);
        add_random(tries, &ask->coded, &w->start);
    }
    if (t->has_surrogate)
        add_choices(tries, ask);
}

/* ---- trials on a network ---- */

static struct twin_row make_row(const struct surrogate_ask *ask, uint32_t network, const struct knobs *k,
                                const struct predicted *p, const struct predicted *base)
{
    struct twin_row row = { .network = network };
    double          unit[CODED_DIMS_MAX];

    coded_from_knobs(&ask->coded, k, unit);
    surrogate_input(ask, unit, row.input);
    for (int i = 0; i < GOAL_PARTS; i++) {
        row.has[i] = !isnan(goal_slowdown(&p->all, i)) && !isnan(goal_slowdown(&base->all, i));
        row.gain[i] = (float)fmin(
            GAIN_MAX, fmax(-GAIN_MAX, p->is_stuck ? GAIN_MAX : goal_ratio(&p->all, &base->all, i)));
    }
    return row;
}

static void note_worth(struct training *t, const struct surrogate_ask *ask, const struct trial_list *tries,
                       const struct predicted *found)
{
    const struct predicted *base = &found[tries->count];
    double                  best = 0, unit[CODED_DIMS_MAX];

    for (uint32_t i = 0; i < tries->count; i++) {
        double gain = goal_gain(&goal_all[0], &found[i].all, &base->all);

        best = fmin(best, gain);
        if (tries->trying[i].name && strcmp(tries->trying[i].name, "bdp") == 0)
            count_worth(&t->bdp, gain, 0);
        if (!tries->trying[i].is_choice)
            continue;
        coded_from_knobs(&ask->coded, &tries->trying[i].knobs, unit);
        count_worth(&t->choice, gain, gain - surrogate_say(ask, unit).gain);
    }
    count_worth(&t->best, best, 0);
}

/* Runs all settings on the same messages; the default is the last. */
static int run_trials(const struct predictor *p, const struct trial_list *tries, const struct knobs *base,
                      uint64_t seed, struct predicted *found, struct err *err)
{
    struct predict_point point[TRIES_MAX + 1];

    for (uint32_t i = 0; i <= tries->count; i++)
        point[i] = (struct predict_point){ i < tries->count ? &tries->trying[i].knobs : base, seed, 1, 1 };
    return p->run(p->arg, point, tries->count + 1, found, err);
}

static int train_on_network(struct training *t, const struct twin_drawn *d, uint32_t network, struct err *err)
{
    struct simulation_input in = { .name = "a random network", .base = &d->build,
                                   .threads = t->q->jobs };
    struct surrogate_ask    ask;
    struct predictor        p;
    struct trial_list       tries = { .count = 0 };
    struct predicted        found[TRIES_MAX + 1];
    int                     rc;

    if (!surrogate_begin(&ask, t->has_surrogate ? &t->surrogate : NULL, &d->world, &d->model, &goal_all[0],
                         &d->world.start))
        return 0;
    rng_init(&tries.rng, t->q->seed, 1000000000ull + network);
    choose_tries(t, &tries, &d->world, &ask);
    rc = twin_maker.make(&in, &d->world, &d->model, &p, err);
    if (rc)
        return rc;
    rc = run_trials(&p, &tries, &d->world.start, 1 + network, found, err);
    twin_maker.drop(&p);
    for (uint32_t i = 0; i < tries.count && !rc; i++) {
        struct twin_row row = make_row(&ask, network, &tries.trying[i].knobs, &found[i], &found[tries.count]);

        twin_rows_add(&t->rows, &row);
    }
    if (!rc && goal_slowdown(&found[tries.count].all, GOAL_ALL) > 0)
        note_worth(t, &ask, &tries, found);
    return rc;
}

/* ---- rounds ---- */

static double percent(const struct gain_sums *w)
{
    return 100 * (exp(w->sum / fmax(1, w->count)) - 1);
}

static void print_round(const struct training *t, uint32_t round)
{
    if (t->q->is_quiet)
        return;
    fprintf(stderr,
            "round %u of %u: %u settings were tried on %u networks. J against default, on the new ones: bdp "
            "%+.1f %%, ",
            round + 1, t->q->rounds, t->rows.rows, (round + 1) * t->q->networks, percent(&t->bdp));
    if (t->choice.count)
        fprintf(stderr, "what was chosen %+.1f %% (at worst %+.0f %%, %.2f off), ", percent(&t->choice),
                100 * (exp(t->choice.worst) - 1), sqrt(t->choice.squares / t->choice.count));
    fprintf(stderr, "the best trial %+.1f %%\n", percent(&t->best));
}

static int run_round(struct training *t, uint32_t round, struct err *err)
{
    int rc = 0;

    t->choice = t->bdp = t->best = (struct gain_sums){ 0 };
    for (uint32_t i = 0; i < t->q->networks && !rc; i++) {
        uint32_t          network = round * t->q->networks + i;
        struct twin_drawn d;

        rc = twin_draw(&d, t->q->seed, network, t->q->is_quick ? WATCHED_S / QUICK : WATCHED_S, err);
        if (rc)
            return rc;
        rc = train_on_network(t, &d, network, err);
        twin_drop(&d);
    }
    if (rc)
        return rc;
    if (t->choice.count)
        t->surrogate.error = sqrt(t->choice.squares / t->choice.count);
    twin_rows_fit(&t->rows, &t->surrogate.net, t->q->epochs, t->q->seed);
    t->has_surrogate = true;
    print_round(t, round);
    return 0;
}

int twin_train(const struct twin_request *q, struct twin_trained *out, struct err *err)
{
    struct training  t = { .q = q };
    struct net_shape shape;
    int              rc = 0;

    surrogate_shape(&shape);
    net_init(&t.surrogate.net, &shape);
    for (uint32_t i = 0; i < q->rounds && !rc; i++)
        rc = run_round(&t, i, err);
    if (rc)
        net_fini(&t.surrogate.net);
    else
        *out = (struct twin_trained){ t.surrogate.net, t.surrogate.error, percent(&t.choice), percent(&t.bdp),
                                      t.rows.rows };
    free(t.rows.row);
    return rc;
}
