/* src/cmd/cmd_tune.c - anole tune: searches for a setting on a scenario, checks it, and writes it down. */
#include "study/campaign/tune.h"
#include "base/file/interrupt.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "study/report/setting_print.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

#define RATE_BPS 100000000000u   /* of links, by default */

/* ---- options ---- */

struct options {
    struct tune_request request;
    uint64_t            seed, rate_bps, rtt_ps;
    const char         *from;    /* a setting; NULL: it is searched for */
    enum device         device;
    bool                is_json, has_seed;
};

static void check_tuner(const char *word)
{
    const struct tuner_alias *alias;
    const char               *names[TUNER_NAMES_MAX + 1];
    char                      hint[400];

    if (!word || tuner_find(word, &alias))
        return;
    tuner_list_names(names);
    cmd_usage("--tuner: '%s' is not a tuner%s", word, text_names(hint, sizeof(hint), word, names));
}

static const struct cmd_option option_rows[] = {
    { .help = "Search:" },
    { "tuner", 't', "NAME", "Tuner, see anole list tuner (default: the scenario's, or paraleon). Set its "
      "options with --set tuner.NAME=VALUE", KEY_AT(struct options, request.tuner) },
    CMD_SET(struct options, request.set, request.sets),
    CMD_UNTIL(struct options, request.until_ps),
    CMD_SEED(struct options, seed, has_seed),
    { "rounds", 0, "N", "Run the scenario at most N times, each with the next seed (default: 20)",
      KEY_AT(struct options, request.rounds), KEY_COUNT, 1, 100000 },
    { "budget", 0, "N", "Stop the search after N monitor intervals (default: when the tuner is done)",
      KEY_AT(struct options, request.budget), KEY_COUNT, 1, 1e8 },
    CMD_THREADS(struct options, request.threads),
    { .help = "Check:" },
    { "check", 0, "N", "Compare the found setting with the scenario's on N other seeds (default: 5; 0: do "
      "not)", KEY_AT(struct options, request.checks), KEY_COUNT, 0, 1000 },
    { "keep", 0, NULL, "Keep the found setting even if the check shows that it is worse",
      KEY_AT(struct options, request.is_kept) },
    { .help = "Output:" },
    { "out", 'o', "FILE", "Save the setting as YAML, for '--from' and for 'tuner: {kind: fixed, setting: "
      "FILE}'", KEY_AT(struct options, request.out) },
    { "history", 0, "FILE", "Write all steps of the search, for anole explain",
      KEY_AT(struct options, request.history) },
    { "report", 0, "FILE", "Save a web page: what was tried, what changed, and the check",
      KEY_AT(struct options, request.report) },
    CMD_DEVICE(struct options, device),
    CMD_FORMAT(struct options, is_json),
    { "quiet", 'q', NULL, "Print errors only, and what --as and --format request",
      KEY_AT(struct options, request.is_quiet) },
    { .help = "Without a search:" },
    { "from", 0, "SETTING", "Use a preset or a saved setting", KEY_AT(struct options, from) },
    { "rate", 0, "RATE", "With --from: speed of host links, on which some settings depend (default: 100Gbps)",
      KEY_AT(struct options, rate_bps), KEY_RATE, 1, 1e15 },
    { "rtt", 0, "TIME", "With --from: longest round-trip time of the idle network, on which some settings "
      "depend", KEY_AT(struct options, rtt_ps), KEY_TIME, 1, KEY_TIME_PS_MAX },
    { 0 },
};

static void check_options(const struct options *o)
{
    const struct tune_request *r = &o->request;
    const char *idle = r->history ? "history" : r->report ? "report" : r->tuner ? "tuner" : r->sets ? "set"
                       : NULL;           /* has no effect without a search */

    check_tuner(r->tuner);
    if (!r->path && !o->from)
        cmd_usage("which scenario? anole tune SCENARIO.yaml; see anole tune --help");
    if (r->path && o->from)
        cmd_usage("a search on '%s', or the setting '%s'? With --from there is no search", r->path, o->from);
    if (o->from && o->device == DEVICE_NONE && !r->out && !o->is_json)
        cmd_usage("--from: what is to be done with it? Give --as, --out or --format json");
    if (o->from && idle)
        cmd_usage("--from: there is no search, so --%s has no effect", idle);
    if (o->is_json && o->device != DEVICE_NONE)
        cmd_usage("--format json and --as: one of them");
    if ((o->rate_bps || o->rtt_ps) && !o->from)
        cmd_usage("--%s goes with --from; a scenario has a network of its own", o->rate_bps ? "rate" : "rtt");
}

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "scenario", KEY_AT(struct options, request.path) },
    .args = "SCENARIO.yaml\n--from SETTING",
    .help = "Searches for a setting of all knobs: runs the scenario with a tuner in the loop, again with "
            "other seeds until the search is over. Then runs the found setting and the scenario's own on "
            "fresh seeds, without a tuner, and reports whether it is better. A setting that is worse is "
            "not kept."
            "\v"
            "Examples:\n"
            "  anole tune incast.yaml --out knobs.yaml\n"
            "      Search with PARALEON. Save the setting to knobs.yaml.\n"
            "  anole tune incast.yaml --tuner cmaes --set tuner.budget=500 --check 10\n"
            "      Use another tuner with more time, checked on ten seeds.\n"
            "  anole tune --from knobs.yaml --as mlx5\n"
            "      Print a script that configures NICs.\n"
            "\n"
            "The same scenario, settings and seed give the same results on every machine. Files are "
            "written when the search has ended.",
};

/* ---- --format json ---- */

static json_t *tune_json(const struct tune *t)
{
    static const char *const  words[] = { [TUNE_UNCHECKED] = "unchecked", [TUNE_UNTRIED] = "untried",
                                          [TUNE_SAME] = "same", [TUNE_BETTER] = "better",
                                          [TUNE_UNCLEAR] = "unclear", [TUNE_WORSE] = "worse" };
    const struct tune_search *s = &t->search;
    json_t                   *seeds = json_array();
    char                      verdict[700];

    for (uint32_t i = 0; i < s->rounds; i++)
        json_array_append_new(seeds, json_of_seed(s->seed + i));
    tune_verdict_text(verdict, sizeof(verdict), &t->check, t->request->is_kept);
    return JSON_OF({ "answer", card_end_json(tune_answer(t, EMPTY_CARD)) },
                   { "scenario", JSON(t->request->path) },
                   { "tuner", JSON(t->request->tuner ? t->request->tuner : s->loop.tuning.algo->name) },
                   { "intervals", JSON(s->loop.tuning.steps) }, { "seeds", seeds },
                   { "is_over", json_boolean(s->is_over) }, { "verdict", JSON(words[t->check.verdict]) },
                   { "verdict_text", JSON(verdict) }, { "is_kept", json_boolean(t->kept == &s->best) },
                   { "changes", json_of_changes(&s->start, &s->best) }, { "knobs", json_of_knobs(t->kept) },
                   { "check", t->check.seeds ? tune_check_json(&t->check) : json_null() });
}

/* ---- output ---- */

static void print(const struct options *o, const struct tune *t)
{
    char *story = tune_story(t);

    if (o->device != DEVICE_NONE)
        device_print(o->device, t->kept, story);
    else if (o->is_json)
        cmd_print_json(tune_json(t));
    else if (!o->request.is_quiet) {
        card_end(tune_answer(t, EMPTY_CARD), stdout, cmd_has_colour(stdout));
        putchar('\n');
        tune_print_story(t, stdout, cmd_has_colour(stdout));
        tune_print_changes(t, stdout);
        if (o->request.report)
            printf("\nReport: %s\n", safe_name(o->request.report).buf);
    }
    free(story);
}

/* ---- from options to exit status ---- */

static int tune_scenario(const struct options *o, struct err *err)
{
    struct tune t;
    int         rc = tune_run(&t, &o->request, err);

    if (!rc)
        print(o, &t);
    tune_close(&t);
    return rc;
}

static int tune_from(const struct options *o, struct err *err)
{
    struct knobs   knobs;
    struct outfile out = { 0 };
    char           about[300];
    int rc = tune_read_setting(o->from, o->rate_bps ? o->rate_bps : RATE_BPS, o->rtt_ps, &knobs, err);

    snprintf(about, sizeof(about), "The setting '%.200s'.\n", text_base_name(text_file_name(o->from)));
    if (!rc && o->request.out)
        rc = outfile_open(&out, o->request.out, err);
    if (out.stream)
        setting_print_yaml(&knobs, about, out.stream);
    rc = outfile_end(&out, rc, err);
    if (!rc && o->is_json)
        cmd_print_json(JSON_OF({ "setting", JSON(o->from) }, { "knobs", json_of_knobs(&knobs) }));
    else if (!rc)
        device_print(o->device, &knobs, about);
    return rc;
}

static int tune_main(int argc, char **argv)
{
    struct options o = { .request = { .checks = 5, .argc = argc, .argv = argv }, .device = DEVICE_NONE };
    struct err     err;

    cmd_parse(&line, argc, argv, &o);
    check_options(&o);
    o.request.seed = o.has_seed ? &o.seed : NULL;
    interrupt_catch();
    int rc = o.from ? tune_from(&o, &err) : tune_scenario(&o, &err);
    free(o.request.set);
    return cmd_end(rc, &err);
}

const struct command command_tune = { "tune", "search with a tuner, verify the result, save it to a file",
                                      tune_main };
