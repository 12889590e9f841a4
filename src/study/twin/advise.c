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
#include <unistd.h>

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
#define PROOF_RUNS    (2 * ADVISE_SEEDS) /* that may cost as much as the search; a longer scenario is cut */
#define NEWS          0.02       /* a preliminary answer is given if it is so much better than the last */

/* ---- progress ---- */

/* Replaces the line that shows the progress. */
static void show_stage(const struct advice *a, const char *stage)
{
    if (!a->request->is_quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", stage);
}

/* Prints an answer after a few trials. It is preliminary, because the best of many trials was lucky. */
static void give_preliminary(struct advice *a, const struct rehearse_note *n, double percent)
{
    bool is_better = n->gain <= a->preliminary_gain - NEWS;
    bool is_preset = n->name && strcmp(n->name, "baseline") != 0;

    if (isnan(n->gain) || (a->has_preliminary && !is_better))
        return;
    a->has_preliminary = true;
    show_stage(a, "");
    fprintf(stderr, "anole: preliminary, after %.0f %% of the budget: ", percent);
    if (!is_better) {
        fputs("keep yours; no preset is better and makes no class of messages slower\n", stderr);
        return;
    }
    a->preliminary_gain = n->gain;
    fprintf(stderr, "%s%s, about %.0f %% better than yours (%s)\n",
            is_preset ? "preset " : "a setting that the search found", is_preset ? n->name : "",
            -advise_percent(n->gain), a->goal.name);
}

static void on_note(void *arg, const struct rehearse_note *n)
{
    struct advice *a = arg;
    double         percent = fmin(100, 100 * (double)n->spent / (double)n->budget);

    if (a->request->is_quiet)
        return;
    give_preliminary(a, n, percent);
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%3.0f %%  %s, %u trials", percent, n->act, n->trials);
    if (!isnan(n->gain))
        fprintf(stderr, ", best so far %+.0f %%", advise_percent(n->gain));
    fflush(stderr);
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
static void cut(struct advice *a, const struct predicted *whole)
{
    double elephants = whole->all.messages[PREDICT_ELEPHANTS] - whole->all.job_messages[PREDICT_ELEPHANTS];
    double wanted = share_for_jobs(whole), runs = (double)a->request->budget / (double)whole->cost;
    double share;

    if (elephants > 0)
        wanted = fmax(wanted, ELEPHANTS_WANTED / elephants);
    share = fmax(runs / TRIALS_WANTED, fmin(wanted, runs / TRIALS_LEAST));
    share = fmax(share, share_for_clocks(a));
    a->is_short = runs / fmin(share, 1) < ADVISE_TRIALS_FEW;
    if (share < 1) {
        a->twin.input.until_ps = (uint64_t)((double)a->twin.input.until_ps * share);
        a->proof_length = fmax(1, fmin(runs / PROOF_RUNS, 1) / share);
    }
    if (elephants > 0 && elephants < ELEPHANTS_MIN && !a->request->is_quiet)
        fprintf(stderr, "anole: %s: only %.0f messages of 1 MB and more are sent in it; with a longer run "
                "the advice would be surer\n", a->name, elephants);
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

/* Runs the user's setting once, and shortens a long scenario to fit the budget of the search. */
static int choose_length(struct advice *a, struct err *err)
{
    struct predictor     p = twin_predictor(&a->twin);
    struct predict_point point = { &a->world.start, a->request->seed, 1, 1 };
    struct predicted     found;
    bool                 is_endless = a->twin.input.until_ps == NEVER;
    int                  rc;

    if (is_endless)
        a->twin.input.until_ps = 0;
    rc = p.run(p.arg, &point, 1, &found, err);
    if (rc)
        return rc;
    if (isnan(goal_slowdown(&found.all, GOAL_ALL)))
        return err_set(err, EINVAL, "%s: not a message is sent in it", a->name);
    find_goal(a, &found);
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

static void add_presets(struct advice *a, const struct setting *s)
{
    for (; s->name && a->rows < ADVISE_SETTINGS - 3; s++) {
        struct knobs k = a->world.start;

        s->make(&k, &a->world);
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
    int                  rc;

    if (had >= seeds)
        return 0;
    twin.input.prefers_fast &= !is_proof;
    for (uint32_t i = had; i < seeds; i++)
        point[i] = (struct predict_point){ &row->knobs,
                                           a->request->seed + (is_proof ? PROOF_SEED : EVIDENCE_SEED) + i,
                                           a->load[test], is_proof ? a->proof_length : 1 };
    rc = p.run(p.arg, &point[had], seeds - had, &row->found[test][had], err);
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
    static const char *const names[] = { "searched", "second searched", "third searched" };
    const struct knobs      *winner = &a->rehearsal.race.runner[a->rehearsal.race.winner].knobs;
    uint32_t                 made = 0;

    if (!is_there(a, winner))
        add_row(a, names[made++], winner, false);
    for (const struct runner *r; made < 3 && a->rows < ADVISE_SETTINGS && (r = next_found(a)) != NULL; )
        add_row(a, names[made++], &r->knobs, false);
}

static void add_rows(struct advice *a)
{
    add_row(a, "yours", &a->world.start, false);
    if (!a->world.control) {
        add_presets(a, setting_all);
        add_presets(a, setting_thresholds);
    }
    add_found(a);
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
    for (uint32_t seeds = ADVISE_SEEDS; proof == PROOF_OPEN && !rc; seeds *= 2) {
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
    show_stage(a, "new messages: all presets");
    rc = try_all_rows(a, err);
    if (!rc) {
        advise_drop_idle_changes(a);
        rc = advise_add_combined(a) ? try_all_rows(a, err) : 0;
    }
    if (rc)
        return rc;
    a->best_preset = find_best_preset(a);
    show_stage(a, "new messages: confirming the best");
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
                                        .prefers_fast = true }, .jobs = q->jobs, .counts_loops = true };
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
    a->proof_length = 1;
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
    rc = choose_length(a, err);
    if (!rc)
        rc = search(a, err);
    if (!rc)
        rc = gather_evidence(a, err);
    show_stage(a, "");
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
