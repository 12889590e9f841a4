#include "study/twin/advise.h"
#include "base/minmax.h"
#include "base/text.h"
#include "study/report/about.h"
#include "study/run/progress.h"
#include "tune/rehearse/search/race.h"
#include "tune/setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS_WANTED 250        /* whole trials that the budget of a search is to be enough for, */
#define TRIALS_LEAST  60         /* and at least where messages or iterations are few */
/* for runs with an end of their own: limit for slower settings, as a factor */
#define SLACK         3
#define EVIDENCE_SEED 1000000u   /* far from those of the search */
#define PROOF_SEED    2000000u
#define ELEPHANTS_WANTED 80
#define ELEPHANTS_MIN 20
#define ITERATIONS_WANTED 2      /* of each job, in a trial */
#define PERIODS_WANTED 2         /* of your slowest knob, in a trial */
#define CANDIDATES_MAX 2         /* settings that run at the other loads, besides yours and the best preset */
#define PROOFS_MAX    5          /* settings that are confirmed, at most */
#define PROBE         (1.0 / 64) /* share of a scenario whose cost is measured first */
#define PROBE_COST    (1.0 / 40) /* of the budget: enough to know what a longer trial costs */
#define TEST_COST     0.4        /* of the budget: all settings on new messages */
#define ALL_COST      2.5        /* times the budget: where seeds are no longer added to confirm */
#define ROWS_LEAST    6
#define FOUND_MAX     3          /* settings of the search on new messages */
#define LATER_ROWS    8          /* about what other loads and a confirmation cost, in rows of a test */
#define LOG_S         10

/* ---- progress ---- */

static void on_ended(void *arg, const struct predicted *p)
{
    struct advice *a = arg;

    a->spent += p->cost;
    progress_update_share(&a->progress, a->act, (double)a->spent / fmax(1, a->planned));
}

static void on_note(void *arg, const struct rehearse_note *n)
{
    ((struct advice *)arg)->act = n->act;
}

/* Expects that much more, in packet-hops. */
static void plan(struct advice *a, const char *act, double more)
{
    a->act = act;
    a->planned = (double)a->spent + more;
}

/* ---- how long a trial is ---- */

/* The least share of the whole run that has enough iterations of every job. */
static double share_for_jobs(const struct predicted *whole)
{
    double share = 0;

    for (uint32_t i = 0; i < OUTCOME_JOBS; i++)
        if (whole->all.job[i].iterations > 0)
            share = fmax(share, ITERATIONS_WANTED / whole->all.job[i].iterations);
    return share;
}

/* The knob of DCQCN that acts after the longest time. In a shorter trial it has no effect. */
static enum knob slowest_knob(const struct world *w)
{
    static const enum knob periods[] = { KNOB_rpg_time_reset, KNOB_rate_reduce_monitor_period,
                                         KNOB_dce_tcp_rtt, KNOB_min_time_between_cnps };
    enum knob slowest = KNOB_COUNT;

    for (size_t i = 0; i < sizeof(periods) / sizeof(*periods) && !w->control; i++)
        if (slowest == KNOB_COUNT || w->start.value[periods[i]] > w->start.value[slowest])
            slowest = periods[i];
    return slowest;
}

/* The least share of the whole run in which your slowest knob acts. */
static double share_for_clocks(const struct advice *a)
{
    double us = a->slowest == KNOB_COUNT ? 0 : PERIODS_WANTED * a->world.start.value[a->slowest];

    return fmin(1, us * PS_PER_US / (double)a->twin.input.until_ps);
}

/* Shortens trials to fit the budget, but keeps enough elephants and iterations, and covers the slowest
 * knob. */
static double choose_share(const struct advice *a, const struct predicted *whole)
{
    double elephants = whole->all.messages[PREDICT_ELEPHANTS] - whole->all.job_messages[PREDICT_ELEPHANTS];
    double wanted = share_for_jobs(whole), runs = (double)a->request->budget / (double)whole->cost;
    double share;

    if (elephants > 0)
        wanted = fmax(wanted, ELEPHANTS_WANTED / elephants);
    if (elephants > 0 && elephants < ELEPHANTS_MIN && !a->request->is_quiet)
        fprintf(stderr, "anole: %s: only %.0f messages of 1 MB and more are sent in it; with a longer run "
                "the advice would be surer\n", a->name, elephants);
    share = fmax(runs / TRIALS_WANTED, fmin(wanted, runs / TRIALS_LEAST));
    return fmin(1, fmax(share, share_for_clocks(a)));
}

/* Finds the length of trials, and how much longer those on new messages can be. */
static void cut(struct advice *a, const struct predicted *whole)
{
    double budget = (double)a->request->budget, share = choose_share(a, whole);

    a->trial_cost = share * (double)whole->cost;
    a->is_short = budget / a->trial_cost < ADVISE_TRIALS_FEW;
    a->twin.input.until_ps = (uint64_t)((double)a->twin.input.until_ps * share);
    a->length_max = 1 / share;
}

/* Jobs that have ended an iteration with your setting. Without any, the goal is one of messages. */
static void find_goal(struct advice *a, const struct predicted *whole)
{
    bool has_jobs = goal_has_jobs(&whole->all, &whole->all);

    if (!has_jobs)
        a->goal = goal_without_jobs(&a->goal);
    if (a->jobs && !has_jobs && !a->request->is_quiet)
        fprintf(stderr, "anole: %s: no job ends an iteration in it; the goal is '%s'\n", a->name,
                a->goal.name);
}

/* Counts what the whole scenario would have done, of which a share ran. */
static void scale_up(struct predicted *p, double share)
{
    p->cost = (uint64_t)((double)p->cost / share);
    for (int i = 0; i < PREDICT_CLASSES; i++) {
        p->all.messages[i] /= share;
        p->all.slowdowns[i] /= share;
        p->all.job_messages[i] /= share;
        p->all.job_slowdowns[i] /= share;
    }
    for (uint32_t i = 0; i < OUTCOME_JOBS; i++) {
        p->all.job[i].iterations /= share;
        p->all.job[i].seconds /= share;
    }
}

static bool is_telling(const struct advice *a, const struct predicted *p)
{
    return (double)p->cost >= PROBE_COST * (double)a->request->budget &&
           !isnan(goal_slowdown(&p->all, GOAL_ALL)) && (!a->jobs || goal_has_jobs(&p->all, &p->all));
}

/* Runs the user's setting for more and more of the scenario, until it is known what a trial costs and has. */
static int probe(struct advice *a, double share, struct predicted *found, struct err *err)
{
    struct predictor     p = twin_predictor(&a->twin);
    struct predict_point point = { &a->world.start, a->request->seed, 1, share };
    int                  rc;

    plan(a, "how long trials must be", ALL_COST * (double)a->request->budget);
    do {
        rc = p.run(p.arg, &point, 1, found, err);
        share = point.length;
        point.length = fmin(1, 4 * share);
    } while (!rc && share < 1 && !is_telling(a, found));
    if (!rc && isnan(goal_slowdown(&found->all, GOAL_ALL)))
        return err_set(err, EINVAL, "%s: not a message is sent in it", a->name);
    scale_up(found, share);
    return rc;
}

/* Shortens a long scenario to fit the budget of the search. One with an end of its own always runs whole. */
static int choose_length(struct advice *a, struct err *err)
{
    struct predicted found;
    bool             is_endless = a->twin.input.until_ps == NEVER;
    int              rc;

    if (is_endless)
        a->twin.input.until_ps = 0;
    rc = probe(a, is_endless ? 1 : PROBE, &found, err);
    if (rc)
        return rc;
    find_goal(a, &found);
    a->trial_cost = (double)found.cost;
    if (is_endless)
        a->twin.input.until_ps = SLACK * found.lasted_ps;
    else
        cut(a, &found);
    return 0;
}

/* ---- evidence ---- */

static bool is_there(const struct advice *a, const struct knobs *k)
{
    for (uint32_t i = 0; i < a->rows; i++)
        if (knobs_equal(&a->row[i].knobs, k))
            return true;
    return false;
}

/* Adds a setting, unless there is a row with it. */
static void add_row(struct advice *a, const char *name, const struct knobs *k, bool is_preset)
{
    if (!is_there(a, k))
        a->row[a->rows++] = (struct advise_row){ .name = name, .knobs = *k, .is_preset = is_preset };
}

/* How many presets were better in the screen of the search. One that it did not try is behind all. */
static uint32_t place_of(const struct advice *a, const char *name)
{
    const struct rehearsal *r = &a->rehearsal;
    uint32_t                own = 0, before = 0;

    while (own < r->nameds && strcmp(r->named[own].name, name) != 0)
        own++;
    for (uint32_t i = 0; i < r->nameds; i++)
        before += own == r->nameds || r->named[i].gain < r->named[own].gain;
    return before;
}

static void add_presets(struct advice *a, const struct setting *s, uint32_t most)
{
    for (; s->name && a->rows < ADVISE_SETTINGS - 3; s++) {
        struct knobs k = a->world.start;

        s->make(&k, &a->world);
        if (place_of(a, s->name) < most)
            add_row(a, s->name, &k, true);
    }
}

/* Runs a setting with further seeds of a test, up to 'seeds'. */
static int try_row(struct advice *a, struct advise_row *row, uint32_t test, uint32_t seeds, struct err *err)
{
    const char          *set[ADVISE_SETS_MAX];
    struct twin          twin = advise_twin(a, row, set);
    struct predictor     p = twin_predictor(&twin);
    struct predict_point point[ADVISE_SEEDS_MAX];
    uint32_t             had = row->seeds[test];
    bool                 is_proof = test == ADVISE_PROOF;

    if (had >= seeds)
        return 0;
    twin.input.prefers_fast &= !is_proof;
    for (uint32_t i = had; i < seeds; i++)
        point[i] = (struct predict_point){ &row->knobs,
                                           a->request->seed + (is_proof ? PROOF_SEED : EVIDENCE_SEED) + i,
                                           a->load[test], a->length };
    int rc = p.run(p.arg, &point[had], seeds - had, &row->found[test][had], err);
    if (!rc)
        row->seeds[test] = seeds;
    return rc;
}

/* The best preset by its mean score; 0 if none is better than yours. */
static uint32_t find_best_preset(const struct advice *a)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < a->rows; i++)
        if (a->row[i].is_preset && advise_gain(a, &a->row[i], &a->row[best], 0).mean < 0)
            best = i;
    return best;
}

/* The best setting of the search that has no row yet; NULL: none. */
static const struct runner *next_found(const struct advice *a)
{
    const struct race   *r = &a->rehearsal.race;
    const struct runner *best = NULL;

    for (uint32_t i = 0; i < r->runners; i++)
        if (!r->runner[i].name && r->runner[i].blocks && !is_there(a, &r->runner[i].knobs) &&
            (!best || r->runner[i].score < best->score))
            best = &r->runner[i];
    return best;
}

/* The winner, and the next two: new messages may show that the winner harms a class, and they do not. */
static void add_found(struct advice *a)
{
    static const char *const names[FOUND_MAX] = { "searched", "second searched", "third searched" };
    const struct knobs      *winner = &a->rehearsal.race.runner[a->rehearsal.race.winner].knobs;
    uint32_t                 made = 0;

    if (!is_there(a, winner))
        add_row(a, names[made++], winner, false);
    for (const struct runner *r;
         made < FOUND_MAX && a->rows < ADVISE_SETTINGS && (r = next_found(a)) != NULL; )
        add_row(a, names[made++], &r->knobs, false);
}

/* As many presets as the budget is enough for. */
static void add_rows(struct advice *a)
{
    double room = TEST_COST * (double)a->request->budget / (ADVISE_SEEDS * a->trial_cost);

    add_row(a, "yours", &a->world.start, false);
    if (!a->world.control) {
        uint32_t most = (uint32_t)fmin(ADVISE_SETTINGS, fmax(ROWS_LEAST, room)) - FOUND_MAX - 1;

        add_presets(a, setting_all, most);
        add_presets(a, setting_thresholds, most);
    }
    add_found(a);
    a->length = fmax(1, fmin(a->length_max, room / a->rows));
}

static int try_other_loads(struct advice *a, uint32_t *which, uint32_t count, struct err *err)
{
    int rc = 0;

    if (!a->has_load)
        return 0;
    which[count++] = 0;
    which[count++] = a->best_preset;
    for (uint32_t load = 1; load < ADVISE_LOADS && !rc; load++)
        for (uint32_t i = 0; i < count && !rc; i++)
            rc = try_row(a, &a->row[which[i]], load, ADVISE_SEEDS, err);
    return rc;
}

/* Whether the budget has room to confirm with so many seeds; it always has for one candidate. */
static bool can_confirm(const struct advice *a, uint32_t seeds)
{
    double most = ALL_COST * (double)a->request->budget;

    return seeds <= ADVISE_SEEDS ? a->row[0].seeds[ADVISE_PROOF] == 0 || (double)a->spent < most
           : (double)a->spent + seeds * a->length * a->trial_cost < most;
}

/* Chooses a candidate, and runs it and yours on new messages until the result is clear. A candidate that
 * fails is excluded the next time; then the best is chosen instead of the simplest. */
static int confirm_one(struct advice *a, bool is_first, bool *is_over, struct err *err)
{
    uint32_t          which[ADVISE_SETTINGS + 2], count = advise_candidates(a, which), choice;
    enum advise_proof proof = PROOF_OPEN;
    int               rc;

    if (count > CANDIDATES_MAX)              /* to save time: the simplest, and the last, which is the best */
        which[CANDIDATES_MAX - 1] = which[count - 1];
    count = min_u32(count, CANDIDATES_MAX);
    rc = try_other_loads(a, which, count, err);
    if (rc)
        return rc;
    choice = is_first ? advise_choose(a, which, count) : which[count - 1];
    *is_over = choice == 0;
    if (choice == 0 || advise_harmed(a, &a->row[choice], NULL) != GOAL_PARTIES)
        return 0;
    for (uint32_t seeds = ADVISE_SEEDS; proof == PROOF_OPEN && !rc && can_confirm(a, seeds); seeds *= 2) {
        rc = try_row(a, &a->row[0], ADVISE_PROOF, seeds, err);
        if (!rc)
            rc = try_row(a, &a->row[choice], ADVISE_PROOF, seeds, err);
        if (!rc)
            proof = advise_judge(a, &a->row[choice]);
    }
    *is_over = !rc && proof == PROOF_HOLDS;
    a->choice = *is_over ? choice : 0;
    return rc;
}

static int try_all_rows(struct advice *a, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < a->rows && !rc; i++)
        rc = try_row(a, &a->row[i], 0, ADVISE_SEEDS, err);
    return rc;
}

static int gather_evidence(struct advice *a, struct err *err)
{
    bool is_over = false;
    int  rc;

    add_rows(a);
    advise_add_changes(a);
    plan(a, "new messages", (a->rows + LATER_ROWS) * ADVISE_SEEDS * a->length * a->trial_cost);
    rc = try_all_rows(a, err);
    if (!rc) {
        advise_drop_idle_changes(a);
        rc = advise_add_combined(a) ? try_all_rows(a, err) : 0;
    }
    if (rc)
        return rc;
    a->best_preset = find_best_preset(a);
    plan(a, "confirming the best", LATER_ROWS * ADVISE_SEEDS * a->length * a->trial_cost);
    for (uint32_t i = 0; i < PROOFS_MAX && !is_over && !rc; i++)
        rc = confirm_one(a, i == 0, &is_over, err);
    return rc;
}

/* ---- the search ---- */

#define LOAD_MOST 0.98           /* of a host's link: a scenario with more is refused */

/* Limits the loads of tests to what links can carry: loads of entries add up. */
static void limit_load(struct advice *a, const struct scenario *s)
{
    double sum = 0;

    for (uint32_t i = 0; i < s->entries; i++) {
        const struct traffic_about *e = &s->entry[i];

        sum += fmax(e->is_of_bisection ? 0 : e->load, e->bps_per_host / (double)a->world.host_bps);
    }
    if (!(sum > 0))
        return;
    a->twin.load_max = fmax(1, LOAD_MOST / sum);
    for (uint32_t i = 1; i < ADVISE_LOADS; i++)
        a->load[i] = fmin(a->load[i], a->twin.load_max);
}

/* Opens the scenario to describe it on the card, and to see whether any of its traffic has a load. */
static void look_at_scenario(struct advice *a)
{
    struct simulation_input input = a->twin.input;
    struct simulation       s;
    struct err              err;

    input.is_untuned = true;
    input.until_ps = 0;
    if (simulation_open(&s, &input, &err))
        return;
    a->is_fast = s.scenario.cfg.is_fast && !s.scenario.has_fidelity;
    for (uint32_t i = 0; i < s.scenario.entries; i++) {
        const struct traffic_about *e = &s.scenario.entry[i];

        a->has_load |= e->load > 0;
        if (e->workers && a->jobs < OUTCOME_JOBS)
            memcpy(a->job_name[a->jobs++], e->name, sizeof(e->name));
        if (twin_is_loop(e) && a->loops < OUTCOME_LOOPS)
            memcpy(a->loop_name[a->loops++], e->name, sizeof(e->name));
    }
    limit_load(a, &s.scenario);
    if (s.scenario.has_goal && !a->request->goal) {
        a->goal = s.scenario.goal;
        a->has_goal = true;
    }
    about_scenario(&a->about, &s.scenario, s.sim);
    about_hardware(&a->about, s.sim);
    simulation_close(&s);
}

static int search(struct advice *a, struct err *err)
{
    struct predictor        p = twin_predictor(&a->twin);
    struct knobs            starts[REHEARSE_STARTS];
    struct rehearse_request q = { .predictor = &p, .world = &a->world, .goal = &a->goal,
                                  .base = a->world.start, .more = starts,
                                  .mores = rehearse_starts(&a->world, &a->world.start, starts),
                                  .seed = a->request->seed, .budget = a->request->budget, .tell = on_note,
                                  .arg = a };

    plan(a, "screen", (1 + 2 * TEST_COST) * (double)a->request->budget);
    return rehearse(&a->rehearsal, &q, err);
}

/* ---- a network that is described ---- */

static int read_file(struct recorded *to, int (*reads)(struct recorded *, const char *, const char *, size_t,
                     uint64_t, struct err *), const char *path, uint64_t rate_bps, struct err *err)
{
    size_t bytes;
    char  *text;
    int    rc = text_read_file(path, RECORDED_BYTES_MAX, &text, &bytes, err);

    if (rc)
        return rc;
    rc = reads(to, text_file_name(path), text, bytes, rate_bps, err);
    free(text);
    return rc;
}

#define RANGE_MIN 0.02

/* Ignores idle hours, and loads that links cannot carry. */
static void set_range(struct advice *a, double mean, double low, double high)
{
    low = fmax(low, RECORDED_LOAD_MIN);
    high = fmin(fmax(high, low), 1);
    a->described.load = recorded_expected(mean, high);
    if (high - low < RANGE_MIN * high)
        return;                  /* as good as one load: half and one and a half times of it say more */
    a->load[1] = low / a->described.load;
    a->load[2] = high / a->described.load;
    a->has_range = true;
}

/* Prefers the load of counters: they usually cover more time than recorded messages, and all messages. */
static int describe_traffic(struct advice *a, struct err *err)
{
    const struct advise_request *q = a->request;
    const struct recorded       *r = q->counters || q->record ? &a->counters : &a->messages;
    int                          rc = 0;

    a->described = q->described;
    if (q->messages)
        rc = read_file(&a->messages, recorded_messages, q->messages, q->described.rate_bps, err);
    if (!rc && q->counters)
        rc = read_file(&a->counters, recorded_counters, q->counters, q->described.rate_bps, err);
    if (!rc && q->record && q->described.load == 0 && q->load_high == 0)
        rc = recorded_counters(&a->counters, text_file_name(q->record_path), q->record->sent,
                               q->record->sent_bytes, q->described.rate_bps, err);
    if (rc)
        return rc;
    a->described.messages = a->messages.sizes ? &a->messages : NULL;
    if (q->load_high > 0)
        set_range(a, (q->load_low + q->load_high) / 2, q->load_low, q->load_high);
    else if (q->described.load == 0)
        set_range(a, r->load, r->load_low, r->load_high);
    return 0;
}


/* ---- all of it ---- */

/* Of the scenario, or of the network that is described. */
static int make_twin(struct advice *a, struct err *err)
{
    const struct advise_request *q = a->request;
    int                          rc;

    a->name = q->path ? q->path : "the network described";
    a->twin = (struct twin){ .input = { .name = a->name, .set = q->set, .sets = q->sets,
                                        .prefers_fast = true },
                         .jobs = q->jobs, .counts_loops = true, .ended = on_ended, .arg = a };
    if (!q->path) {
        a->twin.input.base = &a->build;
        rc = describe_traffic(a, err);
        return rc ? rc : described_build(&a->build, &a->described, err);
    }
    rc = scenario_file_read(&a->file, q->path, err);
    a->twin.input.text = a->file.text;
    a->twin.input.text_bytes = a->file.text_bytes;
    return rc;
}

int advise_run(struct advice *a, const struct advise_request *q, struct err *err)
{
    double start_s = progress_clock_s();
    int    rc;

    memset(a, 0, sizeof(*a));    /* no compound literal: it may not fit the stack */
    a->request = q;
    a->goal = *goal_default;
    memcpy(a->load, (double[]){ 1, 0.5, 1.5, 1 }, sizeof(a->load));
    a->length = a->length_max = 1;
    a->slowest = KNOB_COUNT;
    rc = q->goal ? goal_of_option(&a->goal, q->goal, err) : 0;
    if (!rc)
        rc = make_twin(a, err);
    if (!rc)
        rc = twin_world(&a->twin, &a->world, &a->twin.input.until_ps, err);
    if (rc)
        return rc;
    look_at_scenario(a);
    a->slowest = slowest_knob(&a->world);
    progress_start(&a->progress, !q->is_quiet);
    if (!q->is_quiet)
        progress_log(&a->progress, LOG_S);
    rc = choose_length(a, err);
    if (!rc && a->is_short)
        add_row(a, "yours", &a->world.start, false);
    else if (!rc)
        rc = search(a, err);
    if (!rc && !a->is_short)
        rc = gather_evidence(a, err);
    progress_clear(&a->progress);
    a->took_s = progress_clock_s() - start_s;
    return rc;
}

void advise_close(struct advice *a)
{
    card_fini(&a->about);
    card_fini(&a->refused);
    world_fini(&a->world);
    scenario_file_fini(&a->file);
    recorded_fini(&a->messages);
    recorded_fini(&a->counters);
    build_fini(&a->build);
}
