/* src/study/campaign/tune.c - from a request to a setting that is checked and written. */
#include "study/campaign/tune.h"
#include "base/file/interrupt.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "base/yaml.h"
#include "core/knob_text.h"
#include "core/units.h"
#include "study/report/about.h"
#include "study/report/page.h"
#include "study/report/setting_print.h"
#include "tune/setting.h"
#include "study/twin/maker.h"
#include "version.h"
#include "study/run/progress.h"
#include "study/run/sim_world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 20

/* ---- the tuner ---- */

/* A search on request does not wait for the traffic to change, and finds one setting for all of it. Simulated
 * trials harm no traffic. What the user has set stays. */
static void search_at_once(struct scenario_tuner *t)
{
    static const char *const  options[][2] = { { "trigger", "once" }, { "restart", "no" }, { "guard", "0" },
                                               { "floor", "no" } };
    const struct tuner_alias *alias;
    const struct tuner_algo  *algo = tuner_find(t->kind, &alias);

    for (size_t i = 0; algo && i < sizeof(options) / sizeof(*options); i++) {
        bool is_given = false;

        for (uint32_t n = 0; n < t->options; n++)
            is_given |= strcmp(t->option[n].key, options[i][0]) == 0;
        if (is_given || !key_find(algo->option, options[i][0]))
            continue;
        t->option = xrealloc(t->option, (t->options + 1ul) * sizeof(*t->option));
        t->option[t->options++] =
            (struct option_text){ xstrdup(options[i][0]), xstrdup(options[i][1]), xstrdup("") };
    }
}

/* Opens the network once to know what the tuner may know of it, and to describe it. */
static int open_tuner(struct tune_search *t, struct err *err)
{
    struct simulation s;
    int               rc = simulation_open(&s, &t->input, err);

    if (rc)
        return rc;
    if (s.scenario.changes) {
        const char *place = s.scenario.place[PLACE_CHANGES];

        rc = err_set(err, EINVAL, "%s%s'changes' turn the knobs that are to be tuned; take them out",
                     place ? place : t->input.name, place ? "" : ": ");
        goto close;
    }
    about_scenario(&t->about, &s.scenario, s.sim);
    sim_world_init(&t->world, s.sim, s.scenario.interval_ps);
    t->world.maker = t->input.maker;
    t->world.maker_arg = &t->input;
    t->world.goal = &s.scenario.goal;        /* until the loop is open: tuners copy it */
    t->seed = s.scenario.cfg.seed;
    t->start = t->world.start;
    search_at_once(&s.scenario.tuner);
    rc = simulation_open_loop(&t->loop, &s.scenario, &t->world, err);
    t->world.goal = NULL;
    if (!rc && loop_slot_ps(&t->loop))
        rc = err_set(err, EINVAL, "%s sets every queue separately, so it finds no single setting; see anole "
                     "train", t->loop.tuner.algo->name);
close:
    simulation_close(&s);
    return rc;
}

/* ---- rounds ---- */

struct round { const struct tune_search *t; const struct simulation *s; };

static bool is_idle(const struct tuner *tuner)
{
    return tuner->algo->is_idle && tuner->algo->is_idle(tuner->state);
}

/* The search has ended: by itself, or because it has used up its intervals. */
static bool is_enough(const struct tune_search *t, const struct loop *loop)
{
    return is_idle(&loop->tuner) || (t->budget && loop->tuning.steps >= t->budget);
}

static bool is_round_over(void *arg)
{
    const struct round *r = arg;

    return is_enough(r->t, &r->s->loop);
}

/* One round begins where the last has ended, on the clock and with the setting. */
static int run_round(struct tune_search *t, struct knobs *knobs, uint64_t *now_ps, struct err *err)
{
    struct simulation_input input = t->input;
    struct simulation       s;
    struct round            round = { t, &s };
    struct simulation_hooks hooks = { .arg = &round, .is_enough = is_round_over };
    uint64_t                seed = t->seed + t->rounds;
    uint32_t                steps = t->loop.tuning.steps;
    char                    what[48];

    input.seed = &seed;
    input.knobs = knobs;
    int rc = simulation_open(&s, &input, err);
    if (rc)
        return rc;
    simulation_lend(&s, &t->loop);
    snprintf(what, sizeof(what), "search, round %u: ", t->rounds + 1);
    tune_simulate(t, &s, &hooks, what);
    rc = simulation_failed(&s, err);
    simulation_take_back(&s, &t->loop);
    for (uint32_t i = steps; i < t->loop.tuning.steps; i++) {
        t->loop.tuning.step[i].start_ps += *now_ps;
        t->loop.tuning.step[i].end_ps += *now_ps;
    }
    *knobs = sim_settings(s.sim)->knobs;
    *now_ps += s.end_ps;
    simulation_close(&s);
    t->rounds++;
    if (!rc && t->loop.tuning.steps == steps)
        rc = err_set(err, EINVAL, "%s: the run is over before its first interval: make it longer, or "
                     "'interval' shorter", t->input.name);
    return rc;
}

static int search_rounds(struct tune_search *t, struct err *err)
{
    uint64_t now_ps = 0;

    t->input.is_untuned = true;
    int rc = open_tuner(t, err);
    if (rc)
        return rc;
    if (t->rounds_max == 0)
        t->rounds_max = t->loop.tuner.algo->is_idle ? ROUNDS_MAX : 1;
    t->best = t->loop.tuning.first;
    do
        rc = run_round(t, &t->best, &now_ps, err);
    while (!rc && t->rounds < t->rounds_max && !is_enough(t, &t->loop));
    t->is_over = is_idle(&t->loop.tuner);
    if (!rc && t->loop.tuner.algo->best)
        t->loop.tuner.algo->best(t->loop.tuner.state, &t->best);
    return rc;
}

/* ---- the tuner ---- */

/* A tuner is written in front of all sets, so that these may add options to it. */
static void put_tuner(struct tune *t, const char *name)
{
    snprintf(t->tuner_set, sizeof(t->tuner_set), "tuner={kind: %s}", name);
    memmove(t->set + 1, t->set, t->sets * sizeof(*t->set));
    t->set[0] = t->tuner_set;
    t->sets++;
}

/* The tuner of the request, else the scenario's, else paraleon. A scenario's tuner given by name alone
 * becomes a map, to which --set may add options. Errors in the scenario are reported by its reader. */
static void choose_tuner(struct tune *t)
{
    const struct tune_request *r = t->request;
    const struct tuner_alias  *alias;
    struct yaml_doc            doc;
    bool                       is_set = r->tuner != NULL;

    t->set = xcalloc(r->sets + 1ul, sizeof(*t->set));
    for (; t->sets < r->sets; t->sets++) {
        t->set[t->sets] = r->set[t->sets];
        is_set |= strncmp(r->set[t->sets], "tuner=", 6) == 0;
    }
    if (r->tuner)
        put_tuner(t, r->tuner);
    if (is_set || yaml_parse(&doc, r->path, t->file.text, t->file.text_bytes, NULL))
        return;
    const struct yaml_node *node = doc.root ? yaml_get(doc.root, "tuner") : NULL;
    if (!node)
        put_tuner(t, "paraleon");
    else if (node->kind == YAML_SCALAR && tuner_find(node->text, &alias))
        put_tuner(t, node->text);
    yaml_fini(&doc);
}

/* ---- messages ---- */

/* "seed 7", "seeds 7 to 9" */
static const char *seeds_text(char buf[64], uint64_t first, uint32_t count)
{
    if (count == 1)
        snprintf(buf, 64, "seed %" PRIu64, first);
    else
        snprintf(buf, 64, "seeds %" PRIu64 " to %" PRIu64, first, first + count - 1);
    return buf;
}

void tune_print_story(const struct tune *t, FILE *out, bool has_colour)
{
    const struct tune_search *s = &t->search;
    char                      seeds[64], verdict[700];

    fprintf(out, "%s, tuner %s: %u intervals, %s%s\n",
            safe_name(text_base_name(text_file_name(t->request->path))).buf,
            safe_name(t->request->tuner ? t->request->tuner : s->loop.tuning.algo->name).buf,
            s->loop.tuning.steps, seeds_text(seeds, s->seed, s->rounds),
            !s->is_over && s->loop.tuner.algo->is_idle ? "; the search was not over" : "");
    if (t->check.seeds) {
        fprintf(out, "Checked without a tuner against the setting that it began with, %s:\n\n",
                seeds_text(seeds, t->check.seed[0], t->check.seeds));
        tune_check_print(&t->check, out, has_colour);
        fputc('\n', out);
    }
    fprintf(out, "%s\n", tune_verdict_text(verdict, sizeof(verdict), &t->check, t->request->is_kept));
}

/* A knob that was changed, in words. */
struct change { char from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX], by[KNOB_TEXT_MAX]; };

/* False: it was not. */
static bool is_changed(const struct knobs *was, const struct knobs *is, enum knob k, struct change *c)
{
    if (was->value[k] == is->value[k])
        return false;
    knob_text(c->from, k, was->value[k]);
    knob_text(c->to, k, is->value[k]);
    knob_change_text(c->by, was->value[k], is->value[k]);
    return true;
}

void tune_print_changes(const struct tune *t, FILE *out)
{
    struct change c;

    for (enum knob k = 0; k < KNOB_COUNT; k++)
        if (is_changed(&t->search.start, t->kept, k, &c))
            fprintf(out, "  %-30s %12s -> %s%s%s\n", knob_info[k].name, c.from, c.to,
                    t->search.start.value[k] != 0 ? ", " : "", c.by);
}

char *tune_story(const struct tune *t)
{
    char *text;
    FILE *out = text_stream(&text);

    tune_print_story(t, out, false);
    fclose(out);
    return text;
}

/* ---- the card ---- */

static uint32_t count_changes(const struct tune *t)
{
    uint32_t count = 0;

    for (int i = 0; i < KNOB_COUNT; i++)
        count += t->search.start.value[i] != t->kept->value[i];
    return count;
}

static void add_next(const struct tune *t, struct card *c)
{
    bool is_new = t->kept != &t->search.start && count_changes(t) > 0;

    if (!is_new) {
        card_add(c, CARD_NEXT, "search with another method");
        card_add(c, CARD_COMMAND, "anole advise");
        card_add_argument(c, t->request->path);
    } else if (t->request->out) {
        bool has_nics = setting_differs_in_mlx5(&t->search.start, t->kept);

        card_add(c, CARD_NEXT, has_nics ? "write a script that sets NICs" :
                 "write a script that sets switches; agents with driver mrc set NICs");
        card_add(c, CARD_COMMAND, "anole tune --from");
        card_add_argument(c, t->request->out);
        card_add(c, CARD_COMMAND, has_nics ? "--as mlx5 > set-nics.sh" : "--as sonic > set-switches.sh");
    } else if (t->request->argc) {
        card_add(c, CARD_NEXT, "save the setting");
        card_add_command(c, t->request->argc, t->request->argv,
                         (const char *const[]){ "--format", "-f", NULL });
        card_add(c, CARD_COMMAND, "--out knobs.yaml");
    }
}

struct card *tune_answer(const struct tune *t, struct card *c)
{
    uint32_t changes = count_changes(t);
    char     seeds[64];

    *c = (struct card){ 0 };
    tune_check_answer(&t->check, t->request->is_kept, c);
    card_add(c, CARD_COST, changes ? "%u knob%s change%s." : "Nothing changes.", changes,
             changes == 1 ? "" : "s", changes == 1 ? "s" : "");
    if (t->check.seeds)
        card_add(c, CARD_SURE, "Checked on %s, which the search did not use.",
                 seeds_text(seeds, t->check.seed[0], t->check.seeds));
    if (t->check.seeds && t->check.seeds < COMPARE_SEEDS_TRUSTED)
        card_add(c, CARD_SURE, "Fewer than %d seeds: intervals are unreliable; try --check %d.",
                 COMPARE_SEEDS_TRUSTED, 2 * COMPARE_SEEDS_TRUSTED);
    card_add(c, CARD_SURE, "Simulation only.");
    card_add(c, CARD_NETWORK, "%s", card_text(&t->search.about, CARD_NETWORK));
    card_add(c, CARD_TRAFFIC, "%s", card_text(&t->search.about, CARD_TRAFFIC));
    add_next(t, c);
    return c;
}

/* ---- the page ---- */

/* Interface Page of data.ts: the two settings, each over all seeds of the check; and the search. */
static json_t *tune_page(const struct tune *t)
{
    json_t       *runs = json_array(), *changes = json_array(), *set = json_array();
    struct change c;
    char          seeds[64];

    for (enum knob k = 0; k < KNOB_COUNT; k++)
        if (is_changed(&t->search.start, &t->search.best, k, &c)) {
            json_array_append_new(set, json_sprintf("%s=%s", knob_info[k].name, c.to));
            json_array_append_new(changes, json_pack("{s:s, s:s, s:s, s:s}", "name", knob_info[k].name,
                                                     "from", c.from, "to", c.to, "change", c.by));
        }
    for (int i = 0; i < 2 && t->check.seeds; i++) {
        json_t *run = compare_merge_runs(t->check.runs[i]);

        json_object_set_new(run, "name", JSON(t->check.variant[i].name));
        if (i == 1)
            json_object_set(run, "set", set);
        json_array_append_new(runs, run);
    }
    json_decref(set);
    json_t *page = JSON_OF({ "kind", JSON("tune") }, { "version", JSON(ANOLE_VERSION) },
                           { "title", JSON(text_base_name(text_file_name(t->request->path))) },
                           { "runs", runs });
    if (t->check.seeds)
        json_object_set_new(page, "comparison", tune_check_json(&t->check));
    seeds_text(seeds, t->search.seed, t->search.rounds);
    JSON_PUT(page, { "answer", card_end_json(tune_answer(t, EMPTY_CARD)) },
             { "search", JSON_OF({ "is_kept", json_boolean(t->kept == &t->search.best) },
                                 { "is_over", json_boolean(t->search.is_over) },
                                 { "rounds", json_integer(t->search.rounds) },
                                 { "seeds", JSON(seeds) }, { "changes", changes },
                                 { "tuning", page_tuning(&t->search.loop.tuning) }) });
    page_put_command(page, t->request->argc, t->request->argv);
    return page;
}

/* ---- files ---- */

/* Opened before anything runs: a wrong name must not cost hours. */
static int open_files(struct tune *t, struct err *err)
{
    const char *const path[TUNE_FILES] = { t->request->out, t->request->history, t->request->report };
    int               rc = 0;

    for (int i = 0; i < TUNE_FILES && !rc; i++)
        rc = path[i] ? outfile_open(&t->file_of[i], path[i], err) : 0;
    return rc;
}

static int close_files(struct tune *t, struct err *err)
{
    int rc = 0;

    for (int i = 0; i < TUNE_FILES && !rc; i++)
        rc = outfile_close(&t->file_of[i], err);
    interrupt_hold();
    for (int i = 0; i < TUNE_FILES && !rc; i++)
        rc = outfile_commit(&t->file_of[i], err);
    interrupt_end();
    return rc;
}

static int write_files(struct tune *t, struct err *err)
{
    char *story = tune_story(t);

    if (t->request->out)
        setting_print_yaml(t->kept, story, t->file_of[TUNE_OUT].stream);
    if (t->request->history)
        tuning_print(&t->search.loop.tuning, t->file_of[TUNE_HISTORY].stream);
    if (t->request->report) {
        json_t *page = tune_page(t);

        page_print(page, t->file_of[TUNE_REPORT].stream);
        json_decref(page);
    }
    free(story);
    return close_files(t, err);
}

/* ---- all of it ---- */

/* Checks the setting as a reader of the file gets it: with the numbers in the file. */
static int read_back(struct knobs *knobs, struct err *err)
{
    struct knobs base;
    char        *text;
    FILE        *out = text_stream(&text);

    knobs_init(&base);
    knobs_print_yaml(knobs, &base, out);
    fclose(out);
    int rc = setting_parse("the setting found", text, strlen(text), knobs, err);
    free(text);
    return rc;
}

static int search(struct tune *t, struct err *err)
{
    const struct tune_request *r = t->request;

    t->search = (struct tune_search){ .input = scenario_file_input(&t->file), .is_quiet = r->is_quiet,
                                      .rounds_max = r->rounds, .budget = r->budget };
    t->search.input.set = t->set;
    t->search.input.sets = t->sets;
    t->search.input.seed = r->seed;
    t->search.input.threads = r->threads;
    t->search.input.until_ps = r->until_ps;
    t->search.input.maker = &twin_maker;
    int rc = search_rounds(&t->search, err);
    return rc ? rc : read_back(&t->search.best, err);
}

int tune_run(struct tune *t, const struct tune_request *request, struct err *err)
{
    *t = (struct tune){ .request = request };
    int rc = scenario_file_read(&t->file, request->path, err);
    if (rc)
        return rc;
    choose_tuner(t);
    rc = open_files(t, err);
    rc = rc ? rc : search(t, err);
    rc = rc ? rc : tune_check(&t->check, &t->search, request->checks, request->report != NULL, err);
    if (rc)
        return rc;
    t->kept = t->check.verdict == TUNE_WORSE && !request->is_kept ? &t->search.start : &t->search.best;
    return write_files(t, err);
}

void tune_close(struct tune *t)
{
    card_fini(&t->search.about);
    tune_check_fini(&t->check);
    loop_close(&t->search.loop);
    world_fini(&t->search.world);
    for (int i = 0; i < TUNE_FILES; i++)
        outfile_abort(&t->file_of[i]);
    scenario_file_fini(&t->file);
    free(t->set);
}

/* ---- a setting that is known ---- */

int tune_read_setting(const char *from, uint64_t rate_bps, uint64_t rtt_ps, struct knobs *knobs,
                      struct err *err)
{
    struct world world = { .host_bps = rate_bps, .base_rtt_ps = rtt_ps ? rtt_ps : 10 * PS_PER_US };
    struct knobs other;

    knobs_init(&world.start);
    int rc = setting_read(from, &world, knobs, err);
    if (rc || rtt_ps)
        return rc;
    world.base_rtt_ps *= 2;
    rc = setting_read(from, &world, &other, err);
    if (!rc && !knobs_equal(knobs, &other))
        rc = err_set(err, EINVAL, "the setting '%.60s' depends on the network's round trip: give --rtt",
                     from);
    return rc;
}
