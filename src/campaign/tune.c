/* src/campaign/tune.c - from a request to a setting that is checked and written. */
#include "campaign/tune.h"
#include "base/file/interrupt.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "base/yaml.h"
#include "core/knob_text.h"
#include "core/units.h"
#include "report/about.h"
#include "report/page.h"
#include "report/setting_print.h"
#include "tune/setting.h"
#include "twin/maker.h"
#include "version.h"
#include "run/progress.h"
#include "run/sim_world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 20

/* ---- the tuner ---- */

static bool is_given(const struct scenario_tuner *t, const char *key)
{
    for (uint32_t i = 0; i < t->options; i++)
        if (strcmp(t->option[i].key, key) == 0)
            return true;
    return false;
}

static void add_tuner_option(struct scenario_tuner *t, const char *key, const char *text)
{
    const struct tuner_alias *alias;
    const struct tuner_algo  *algo = tuner_find(t->kind, &alias);

    if (!algo || !key_find(algo->option, key) || is_given(t, key))
        return;
    t->option = xrealloc(t->option, (t->options + 1ul) * sizeof(*t->option));
    t->option[t->options++] = (struct option_text){ xstrdup(key), xstrdup(text), xstrdup("") };
}

/* A search on request does not wait for the traffic to change, and finds one setting for all of it. */
static void search_at_once(struct scenario_tuner *t)
{
    add_tuner_option(t, "trigger", "once");
    add_tuner_option(t, "restart", "no");
    add_tuner_option(t, "guard", "0");             /* simulated trials harm no traffic */
    add_tuner_option(t, "floor", "no");
}

/* Opens the network once to know what the tuner may know of it. */
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
        rc = err_set(
            err, EINVAL,
            "%s sets every queue separately, so it finds no single setting; see anole train",
            t->loop.tuner.algo->name);
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

static bool is_enough(void *arg)
{
    const struct round *r = arg;

    return is_idle(&r->s->loop.tuner) || (r->t->budget && r->s->loop.tuning.steps >= r->t->budget);
}

/* One round begins where the last has ended, on the clock and with the setting. */
static int run_round(struct tune_search *t, struct knobs *knobs, uint64_t *now_ps, struct err *err)
{
    struct simulation_input input = t->input;
    struct simulation       s;
    struct round            round = { t, &s };
    struct simulation_hooks hooks = { .arg = &round, .is_enough = is_enough };
    uint64_t                seed = t->seed + t->rounds;
    uint32_t                steps = t->loop.tuning.steps;
    char                    what[48];
    int                     rc;

    input.seed = &seed;
    input.knobs = knobs;
    rc = simulation_open(&s, &input, err);
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
    *knobs = s.sim->cfg.knobs;
    *now_ps += s.end_ps;
    simulation_close(&s);
    t->rounds++;
    if (rc)
        return rc;
    return t->loop.tuning.steps > steps
               ? 0
               : err_set(err, EINVAL,
                         "%s: the run is over before its first interval: make it longer, or 'interval' "
                         "shorter", t->input.name);
}

static bool is_over(const struct tune_search *t)
{
    return is_idle(&t->loop.tuner) || t->rounds >= t->rounds_max ||
           (t->budget && t->loop.tuning.steps >= t->budget);
}

static int search_rounds(struct tune_search *t, struct err *err)
{
    struct knobs knobs;
    uint64_t     now_ps = 0;
    int          rc;

    t->input.is_untuned = true;
    rc = open_tuner(t, err);
    if (rc)
        return rc;
    if (t->rounds_max == 0)
        t->rounds_max = t->loop.tuner.algo->is_idle ? ROUNDS_MAX : 1;
    knobs = t->loop.tuning.first;
    do
        rc = run_round(t, &knobs, &now_ps, err);
    while (!rc && !is_over(t));
    if (rc)
        return rc;
    t->is_over = is_idle(&t->loop.tuner);
    t->best = knobs;
    if (t->loop.tuner.algo->best)
        t->loop.tuner.algo->best(t->loop.tuner.state, &t->best);
    return 0;
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

static bool sets_tuner(const struct tune_request *r)
{
    for (uint32_t i = 0; i < r->sets; i++)
        if (strncmp(r->set[i], "tuner=", 6) == 0)
            return true;
    return false;
}

/* The tuner of the request, else the scenario's, else paraleon. A scenario's tuner given by name alone
 * becomes a map, to which --set may add options. Errors in the scenario are reported by its reader. */
static void choose_tuner(struct tune *t)
{
    const struct tune_request *r = t->request;
    const struct tuner_alias  *alias;
    const struct yaml_node    *node;
    struct yaml_doc            doc;

    t->set = xcalloc(r->sets + 1ul, sizeof(*t->set));
    for (; t->sets < r->sets; t->sets++)
        t->set[t->sets] = r->set[t->sets];
    if (r->tuner)
        put_tuner(t, r->tuner);
    if (r->tuner || sets_tuner(r) || yaml_parse(&doc, r->path, t->file.text, t->file.text_bytes, NULL))
        return;
    node = doc.root ? yaml_get(doc.root, "tuner") : NULL;
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
            s->is_over                    ? ""
            : s->loop.tuner.algo->is_idle ? "; the search was not over"
                                          : "");
    if (t->check.seeds) {
        fprintf(out, "Checked without a tuner against the setting that it began with, %s:\n\n",
                seeds_text(seeds, t->check.seed[0], t->check.seeds));
        tune_check_print(&t->check, out, has_colour);
        fputc('\n', out);
    }
    tune_verdict_text(verdict, sizeof(verdict), &t->check, t->request->is_kept);
    fprintf(out, "%s\n", verdict);
}

void tune_print_changes(const struct tune *t, FILE *out)
{
    const struct knobs *was = &t->search.start, *is = t->kept;
    char                from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX], change[KNOB_TEXT_MAX];

    for (int i = 0; i < KNOB_COUNT; i++)
        if (was->value[i] != is->value[i])
            fprintf(out, "  %-30s %12s -> %s%s%s\n", knob_info[i].name,
                    knob_text(from, (enum knob)i, was->value[i]), knob_text(to, (enum knob)i, is->value[i]),
                    was->value[i] != 0 ? ", " : "",
                    knob_change_text(change, was->value[i], is->value[i]));
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
    card_add(c, CARD_NETWORK, "%s", card_text(&t->about, CARD_NETWORK));
    card_add(c, CARD_TRAFFIC, "%s", card_text(&t->about, CARD_TRAFFIC));
    add_next(t, c);
    return c;
}

/* ---- the page ---- */

/* "kmin=400KB": the knobs that were changed, as --set takes them. */
static json_t *set_json(const struct tune *t)
{
    const struct knobs *was = &t->search.start, *is = &t->search.best;
    json_t             *list = json_array();
    char                text[KNOB_TEXT_MAX];

    for (int i = 0; i < KNOB_COUNT; i++)
        if (was->value[i] != is->value[i])
            json_array_append_new(
                list, json_sprintf("%s=%s", knob_info[i].name, knob_text(text, (enum knob)i, is->value[i])));
    return list;
}

static json_t *changes_json(const struct tune *t)
{
    const struct knobs *was = &t->search.start, *is = &t->search.best;
    json_t             *list = json_array();
    char                from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX], change[KNOB_TEXT_MAX];

    for (int i = 0; i < KNOB_COUNT; i++)
        if (was->value[i] != is->value[i])
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", knob_info[i].name,
                                                  "from", knob_text(from, (enum knob)i, was->value[i]),
                                                  "to", knob_text(to, (enum knob)i, is->value[i]),
                                                  "change", knob_change_text(change, was->value[i],
                                                          is->value[i])));
    return list;
}

/* The two settings, each over all seeds of the check. */
static void add_runs(const struct tune *t, json_t *runs)
{
    for (int i = 0; i < 2 && t->check.seeds; i++) {
        json_t *run = compare_merge_runs(t->check.runs[i]);

        json_object_set_new(run, "name", json_string(t->check.variant[i].name));
        if (i == 1)
            json_object_set_new(run, "set", set_json(t));
        json_array_append_new(runs, run);
    }
}

/* Interface Page of data.ts. */
static json_t *tune_page(const struct tune *t)
{
    json_t *page = json_object(), *runs = json_array(), *search = json_object();
    char    seeds[64];

    add_runs(t, runs);
    JSON_PUT(page, { "kind", json_string("tune") }, { "version", json_string(ANOLE_VERSION) },
                   { "title", json_of_text(text_base_name(text_file_name(t->request->path))) },
                   { "runs", runs });
    if (t->check.seeds)
        json_object_set_new(page, "comparison", tune_check_json(&t->check));
    JSON_PUT(search, { "is_kept", json_boolean(t->kept == &t->search.best) },
                     { "is_over", json_boolean(t->search.is_over) },
                     { "rounds", json_integer(t->search.rounds) },
                     { "seeds", json_string(seeds_text(seeds, t->search.seed, t->search.rounds)) },
                     { "changes", changes_json(t) }, { "tuning", page_tuning(&t->search.loop.tuning) });
    JSON_PUT(page, { "answer", card_end_json(tune_answer(t, EMPTY_CARD)) }, { "search", search });
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
    int          rc;

    knobs_init(&base);
    knobs_print_yaml(knobs, &base, out);
    fclose(out);
    rc = setting_parse("the setting found", text, strlen(text), knobs, err);
    free(text);
    return rc;
}

static void describe(struct tune *t)
{
    struct simulation_input input = t->search.input;
    struct simulation       s;
    struct err              err;

    input.is_untuned = true;
    if (simulation_open(&s, &input, &err))
        return;
    about_scenario(&t->about, &s.scenario, s.sim);
    simulation_close(&s);
}

static int search(struct tune *t, struct err *err)
{
    const struct tune_request *r = t->request;
    int                        rc;

    t->search = (struct tune_search){ .input = scenario_file_input(&t->file), .is_quiet = r->is_quiet,
                                      .rounds_max = r->rounds, .budget = r->budget };
    t->search.input.set = t->set;
    t->search.input.sets = t->sets;
    t->search.input.seed = r->seed;
    t->search.input.threads = r->threads;
    t->search.input.until_ps = r->until_ps;
    t->search.input.maker = &twin_maker;
    rc = search_rounds(&t->search, err);
    return rc ? rc : read_back(&t->search.best, err);
}

int tune_run(struct tune *t, const struct tune_request *request, struct err *err)
{
    int rc;

    *t = (struct tune){ .request = request };
    rc = scenario_file_read(&t->file, request->path, err);
    if (rc)
        return rc;
    choose_tuner(t);
    rc = open_files(t, err);
    rc = rc ? rc : search(t, err);
    rc = rc ? rc : tune_check(&t->check, &t->search, request->checks, request->report != NULL, err);
    if (rc)
        return rc;
    describe(t);
    t->kept = t->check.verdict == TUNE_WORSE && !request->is_kept ? &t->search.start : &t->search.best;
    return write_files(t, err);
}

void tune_close(struct tune *t)
{
    card_fini(&t->about);
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
    struct world       world = { .host_bps = rate_bps, .base_rtt_ps = rtt_ps ? rtt_ps : 10 * PS_PER_US };
    struct knobs       other;
    int                rc;

    knobs_init(&world.start);
    rc = setting_read(from, &world, knobs, err);
    if (rc || rtt_ps)
        return rc;
    world.base_rtt_ps *= 2;
    rc = setting_read(from, &world, &other, err);
    if (!rc && !knobs_equal(knobs, &other))
        rc =
            err_set(err, EINVAL, "the setting '%.60s' depends on the network's round trip: give --rtt", from);
    return rc;
}
