/* src/twin/advise.c - see advise.h. */
#include "twin/advise.h"
#include "base/text.h"
#include "report/about.h"
#include "run/progress.h"
#include "tune/rehearse/search/race.h"
#include "tune/setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIALS_WANTED 250        /* whole trials that the budget of a search is to be enough for */
/* for runs with an end of their own: limit for slower settings, as a factor */
#define SLACK         3
#define EVIDENCE_SEED 1000000u   /* far from those of the search */
#define ELEPHANTS_WANTED 80
#define ELEPHANTS_MIN 20
#define CANDIDATES_MAX 4         /* settings that run at the other loads, besides yours and the best preset */
#define NEWS          0.02       /* a preliminary answer is given if it is so much better than the last */

/* ---- progress ---- */

static void clear_line(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* The first answer comes after a few trials. What the best of many did in the search flatters it, so each
 * is marked as preliminary. */
static void give_preliminary(struct advice *a, const struct rehearse_note *n)
{
    bool is_better = n->gain <= a->told - NEWS, is_preset = n->name && strcmp(n->name, "baseline") != 0;

    if (isnan(n->gain) || (a->is_told && !is_better))
        return;
    a->is_told = true;
    clear_line();
    fprintf(stderr, "anole: preliminary, after %.0f %% of the budget: ",
            fmin(100, 100 * (double)n->spent / (double)n->budget));
    if (!is_better) {
        fputs("keep yours; no preset is better and makes no class of messages slower\n", stderr);
        return;
    }
    a->told = n->gain;
    fprintf(stderr, "%s%s, about %.0f %% better than yours (%s)\n",
            is_preset ? "preset " : "a setting that the search found", is_preset ? n->name : "",
            -100 * (exp(n->gain) - 1), a->request->goal->name);
}

static void on_note(void *arg, const struct rehearse_note *n)
{
    struct advice *a = arg;

    if (a->request->is_quiet)
        return;
    give_preliminary(a, n);
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%3.0f %%  %s, %u trials", fmin(100, 100 * (double)n->spent / (double)n->budget),
            n->act, n->trials);
    if (!isnan(n->gain))
        fprintf(stderr, ", best so far %+.0f %%", 100 * (exp(n->gain) - 1));
    fflush(stderr);
}

/* ---- how long a trial is ---- */

/* As short as the budget asks for, but with enough elephants in it: a few of them say little of a setting. */
static void cut(struct advice *a, const struct predicted *whole)
{
    double elephants = whole->all.messages[PREDICT_ELEPHANTS];
    double share = (double)a->request->budget / TRIALS_WANTED / (double)whole->cost;

    if (elephants > 0)
        share = fmax(share, ELEPHANTS_WANTED / elephants);
    if (share < 1)
        a->twin.until_ps = (uint64_t)((double)a->twin.until_ps * share);
    if (elephants > 0 && elephants < ELEPHANTS_MIN && !a->request->is_quiet)
        fprintf(stderr,
                "anole: %s: only %.0f messages of 1 MB and more are sent in it; with a longer run the advice "
                "would "
                "be surer\n",
                a->name, elephants);
}

/* The scenario's own setting runs once. A scenario that takes long is cut, so that the budget is enough
 * for a search. */
static int choose_length(struct advice *a, struct err *err)
{
    struct predictor     p = twin_predictor(&a->twin);
    struct predict_point point = { &a->world.start, a->request->seed, 1, 1 };
    struct predicted     found;
    bool                 is_endless = a->twin.until_ps == NEVER;
    int                  rc;

    if (is_endless)
        a->twin.until_ps = 0;
    rc = p.run(p.arg, &point, 1, &found, err);
    if (rc)
        return rc;
    if (isnan(goal_slowdown(&found.all, GOAL_ALL)))
        return err_set(err, EINVAL, "%s: not a message is sent in it", a->name);
    if (is_endless)
        a->twin.until_ps = SLACK * found.lasted_ps;
    if (!is_endless)
        cut(a, &found);
    return 0;
}

/* ---- evidence ---- */

static struct advise_row *add_row(struct advice *a, const char *name, const struct knobs *k)
{
    struct advise_row *row = &a->row[a->rows++];

    *row = (struct advise_row){ .name = name, .knobs = *k };
    return row;
}

static bool is_there(const struct advice *a, const struct knobs *k)
{
    for (uint32_t i = 0; i < a->rows; i++)
        if (knobs_equal(&a->row[i].knobs, k))
            return true;
    return false;
}

static void add_presets(struct advice *a, const struct setting *s)
{
    for (; s->name && a->rows < ADVISE_SETTINGS - 1; s++) {
        struct knobs k = a->world.start;

        s->make(&k, &a->world);
        if (!is_there(a, &k))
            add_row(a, s->name, &k)->is_preset = true;
    }
}

static int try_rows(struct advice *a, const uint32_t *which, uint32_t count, uint32_t load, struct err *err)
{
    struct predictor     p = twin_predictor(&a->twin);
    struct predict_point point[ADVISE_SETTINGS * ADVISE_SEEDS];
    struct predicted     found[ADVISE_SETTINGS * ADVISE_SEEDS];
    int                  rc;

    for (uint32_t i = 0; i < count * ADVISE_SEEDS; i++)
        point[i] =
            (struct predict_point){ &a->row[which[i / ADVISE_SEEDS]].knobs,
                                    a->request->seed + EVIDENCE_SEED + i % ADVISE_SEEDS, a->load[load], 1 };
    rc = p.run(p.arg, point, count * ADVISE_SEEDS, found, err);
    for (uint32_t i = 0; i < count && !rc; i++) {
        a->row[which[i]].has[load] = true;
        memcpy(a->row[which[i]].found[load], &found[(size_t)i * ADVISE_SEEDS], sizeof(a->row[0].found[load]));
    }
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

static void add_rows(struct advice *a)
{
    const struct knobs *found = &a->rehearsal.race.runner[a->rehearsal.race.winner].knobs;

    add_row(a, "yours", &a->world.start);
    if (!a->world.knobs) {
        add_presets(a, setting_all);
        add_presets(a, setting_thresholds);
    }
    if (!is_there(a, found))
        add_row(a, "searched", found);
}

/* Candidates run at the other loads, and so do yours and the best preset: the answer is held against them. */
static int try_other_loads(struct advice *a, uint32_t *which, uint32_t count, struct err *err)
{
    int rc = 0;

    if (!a->has_load)
        return 0;
    which[count++] = 0;
    which[count++] = a->best_preset;
    for (uint32_t load = 1; load < ADVISE_LOADS && !rc; load++)
        for (uint32_t i = 0; i < count && !rc; i++)
            if (!a->row[which[i]].has[load])
                rc = try_rows(a, &which[i], 1, load, err);
    return rc;
}

/* The simplest candidates, and the last, which is the best: more would take too long at the other loads. */
static uint32_t shorten(uint32_t *which, uint32_t count)
{
    if (count <= CANDIDATES_MAX)
        return count;
    which[CANDIDATES_MAX - 1] = which[count - 1];
    return CANDIDATES_MAX;
}

static int gather_evidence(struct advice *a, struct err *err)
{
    uint32_t which[ADVISE_SETTINGS + 2], count;
    int      rc;

    add_rows(a);
    for (uint32_t i = 0; i < a->rows; i++)
        which[i] = i;
    if (!a->request->is_quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kon fresh messages: %u trials", a->rows * ADVISE_SEEDS);
    rc = try_rows(a, which, a->rows, 0, err);
    if (rc)
        return rc;
    a->best_preset = find_best_preset(a);
    count = shorten(which, advise_candidates(a, which));
    rc = try_other_loads(a, which, count, err);
    if (!rc)
        a->choice = advise_choose(a, which, count);
    return rc;
}

/* ---- the search ---- */

/* Opens the scenario to describe it on the card, and to see whether any of its traffic has a load. */
static void look_at_scenario(struct advice *a)
{
    struct simulation_input input = { .name = a->name, .text = a->twin.text, .text_bytes = a->twin.text_bytes,
                                      .base = a->twin.base, .set = a->twin.set, .sets = a->twin.sets,
                                      .is_untuned = true };
    struct simulation       s;
    struct err              err;

    if (simulation_open(&s, &input, &err))
        return;
    for (uint32_t i = 0; i < s.scenario.entries; i++)
        a->has_load |= s.scenario.entry[i].load > 0;
    about_scenario(&a->about, &s.scenario, s.sim);
    about_hardware(&a->about, s.sim);
    simulation_close(&s);
}

static int search(struct advice *a, struct err *err)
{
    struct predictor        p = twin_predictor(&a->twin);
    struct rehearse_request q = { .predictor = &p, .world = &a->world, .goal = a->request->goal,
                                  .base = a->world.start,
                                  .seed = a->request->seed, .budget = a->request->budget, .tell = on_note,
                                  .arg = a };

    return rehearse(&a->rehearsal, &q, err);
}

/* ---- a network that is described ---- */

typedef int read_recorded(struct recorded *, const char *name, const char *text, size_t bytes,
                          uint64_t rate_bps, struct err *);

static int read_file(struct recorded *to, read_recorded *reads, const char *path, uint64_t rate_bps,
                     struct err *err)
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

/* Hours in which nothing is sent ask for no setting, and links carry no more than they can. */
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

/* Counters were read for longer than messages were recorded, as a rule, and know of all of them: their
 * load goes first. */
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

static int make_described(struct advice *a, struct err *err)
{
    int rc = describe_traffic(a, err);

    if (rc)
        return rc;
    a->twin.base = &a->build;
    return described_build(&a->build, &a->described, err);
}

/* ---- all of it ---- */

/* Of the scenario, or of the network that is described. */
static int make_twin(struct advice *a, struct err *err)
{
    const struct advise_request *q = a->request;
    int                          rc;

    a->name = q->path ? q->path : "the network described";
    a->twin = (struct twin){ .name = a->name, .set = q->set, .sets = q->sets, .jobs = q->jobs };
    if (!q->path)
        return make_described(a, err);
    rc = scenario_file_read(&a->file, q->path, err);
    a->twin.text = a->file.text;
    a->twin.text_bytes = a->file.text_bytes;
    return rc;
}

int advise_run(struct advice *a, const struct advise_request *q, struct err *err)
{
    double start_s = progress_clock_s();
    int    rc;

    *a = (struct advice){ .request = q, .load = { 1, 0.5, 1.5 } };
    rc = make_twin(a, err);
    if (rc)
        return rc;
    rc = twin_world(&a->twin, &a->world, &a->twin.until_ps, err);
    if (rc)
        return rc;
    look_at_scenario(a);
    rc = choose_length(a, err);
    if (!rc)
        rc = search(a, err);
    if (!rc)
        rc = gather_evidence(a, err);
    if (!q->is_quiet)
        clear_line();
    a->took_s = progress_clock_s() - start_s;
    return rc;
}

void advise_close(struct advice *a)
{
    card_fini(&a->about);
    world_fini(&a->world);
    scenario_file_fini(&a->file);
    recorded_fini(&a->messages);
    recorded_fini(&a->counters);
    build_fini(&a->build);
}
