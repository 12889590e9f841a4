/* src/cmd/tune.c - anole tune: searches for a setting on a scenario, checks it, and writes it down. */
#include "campaign/tune.h"
#include "base/file/interrupt.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/device.h"
#include "cmd/json/cmd_json.h"
#include "cmd/json/tune_json.h"
#include "report/setting_print.h"
#include "sim/partition.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#define RATE_BPS 100000000000u   /* of links, if nobody says */

/* ---- options ---- */

struct options {
    struct tune_request request;
    uint64_t            seed, rate_bps, rtt_ps;
    const char         *from;    /* a setting; NULL: it is searched for */
    enum device         device;
    bool                is_json;
};

enum { KEY_TUNER = 't', KEY_SET = 's', KEY_OUT = 'o', KEY_QUIET = 'q', KEY_FORMAT = 'f', KEY_SEED = 256, KEY_ROUNDS,
       KEY_BUDGET, KEY_CHECK, KEY_KEEP, KEY_AS, KEY_FROM, KEY_LINK_RATE, KEY_RTT, KEY_HISTORY, KEY_REPORT, KEY_THREADS, KEY_UNTIL };

static const struct argp_option option_rows[] = {
    { "tuner", KEY_TUNER, "NAME", 0, "What searches: see anole list tuner (default: the scenario's, or "
      "paraleon). Options of a tuner: --set tuner.NAME=VALUE", 0 },
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario: a knob (kmin=200KB), or a path of keys "
      "(topology.delay=2us, tuner.budget=100). May be given more than once", 0 },
    { "until", KEY_UNTIL, "TIME", 0, "End every run at this simulated time at the latest (500us)", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers, in place of the scenario's", 0 },
    { "rounds", KEY_ROUNDS, "N", 0, "Run the scenario at most N times, each with the next seed, while the "
      "search goes on (default: 20)", 0 },
    { "budget", KEY_BUDGET, "N", 0, "End the search after N monitor intervals (default: when the tuner is "
      "through)", 0 },
    { "check", KEY_CHECK, "N", 0, "Compare the setting that was found with the one before on N other seeds "
      "(default: 5; 0: do not)", 0 },
    { "keep", KEY_KEEP, NULL, 0, "Keep the setting that was found even if the check says that it is "
      "worse", 0 },
    { "out", KEY_OUT, "FILE", 0, "Write the setting into FILE, in YAML: for tuner: {kind: fixed, "
      "setting: FILE}, and for --from", 0 },
    { "history", KEY_HISTORY, "FILE", 0, "Write all steps of the search into FILE, for anole explain", 0 },
    { "report", KEY_REPORT, "FILE", 0, "Write a page into FILE, for a browser: all that was tried, what changed, and the "
      "check (tune.html)", 0 },
    { "as", KEY_AS, "mlx5|sonic", 0, "Print the setting as a shell script: for NICs of the mlx5 driver, or "
      "the WRED profile of a SONiC switch", 0 },
    { "from", KEY_FROM, "SETTING", 0, "Skip the search and use a preset or a saved setting", 0 },
    { "rate", KEY_LINK_RATE, "RATE", 0, "With --from: speed of the hosts' links, on which some settings depend "
      "(default: 100Gbps)", 0 },
    { "rtt", KEY_RTT, "TIME", 0, "With --from: longest round trip of the empty network, on which some "
      "settings depend", 0 },
    { "threads", KEY_THREADS, "N", 0, "Share the work among N threads (default: the processors there are, if "
      "runs are long enough to gain). The results are the same", 0 },
    CMD_JSON_OPTION(KEY_FORMAT),
    { "quiet", KEY_QUIET, NULL, 0, "Print no results and no progress, only what is wrong, and what --as asks "
      "for", 0 },
    { 0 },
};

static const char *tuner_of(const char *word)
{
    const struct tuner_alias *alias;
    const char               *names[TUNER_NAMES_MAX + 1];
    char                      hint[400];

    if (tuner_find(word, &alias))
        return word;
    tuner_list_names(names);
    cmd_usage("--tuner: '%s' is not a tuner%s", word, text_names(hint, sizeof(hint), word, names));
}

static uint64_t rate_of(const char *text)
{
    struct err err;
    uint64_t   bps;

    if (text_to_rate(text, &bps, &err))
        cmd_usage("--rate: %s", err.text);
    if (bps == 0)
        cmd_usage("--rate: a link without a speed");
    return bps;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options      *o = state->input;
    struct tune_request *r = &o->request;

    switch (key) {
    case KEY_TUNER:    r->tuner = tuner_of(arg);                                              break;
    case KEY_SET:      cmd_add_set(&r->set, &r->sets, arg);                                   break;
    case KEY_SEED:     o->seed = cmd_seed("--seed", arg); r->seed = &o->seed;                 break;
    case KEY_ROUNDS:   r->rounds = (uint32_t)cmd_count("--rounds", arg, 1, 100000);           break;
    case KEY_BUDGET:   r->budget = cmd_count("--budget", arg, 1, 100000000);                  break;
    case KEY_CHECK:    r->checks = (uint32_t)cmd_count("--check", arg, 0, 1000);              break;
    case KEY_KEEP:     r->is_kept = true;                                                     break;
    case KEY_OUT:      r->out = arg;                                                          break;
    case KEY_HISTORY:  r->history = arg;                                                      break;
    case KEY_REPORT:   r->report = arg;                                                       break;
    case KEY_AS:       o->device = device_of(arg);                                            break;
    case KEY_FROM:     o->from = arg;                                                         break;
    case KEY_LINK_RATE:     o->rate_bps = rate_of(arg);                                            break;
    case KEY_RTT:      o->rtt_ps = cmd_time("--rtt", arg, "a round trip of no time");         break;
    case KEY_THREADS:  r->threads = (uint32_t)cmd_count("--threads", arg, 1, PARTS_MAX);      break;
    case KEY_UNTIL:    r->until_ps = cmd_time("--until", arg, "a run of no time");             break;
    case KEY_FORMAT:   o->is_json = cmd_is_json(arg);                                         break;
    case KEY_QUIET:    r->is_quiet = true;                                                    break;
    case ARGP_KEY_ARG: cmd_take_one(&r->path, arg, "scenario");                               break;
    default:           return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void check_options(const struct options *o)
{
    const struct tune_request *r = &o->request;

    if (!r->path && !o->from)
        cmd_usage("which scenario? anole tune SCENARIO.yaml; see anole tune --help");
    if (r->path && o->from)
        cmd_usage("a search on '%s', or the setting '%s'? With --from there is no search", r->path, o->from);
    if (o->from && !o->device && !r->out && !o->is_json)
        cmd_usage("--from: what is to be done with it? Give --as, --out or --format json");
    if (o->from && (r->history || r->report || r->tuner || r->sets))
        cmd_usage("--from: there is no search, so --%s has no effect",
                  r->history ? "history" : r->report ? "report" : r->tuner ? "tuner" : "set");
    if (o->is_json && o->device)
        cmd_usage("--format json and --as: one of them");
    if ((o->rate_bps || o->rtt_ps) && !o->from)
        cmd_usage("--%s goes with --from; a scenario has a network of its own", o->rate_bps ? "rate" : "rtt");
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO.yaml\n--from SETTING",
    .doc = "Searches for a setting of all knobs: runs the scenario with a tuner in the loop, again with "
           "other seeds while the search goes on, until it is over. Then the setting that was found and the "
           "one of the scenario run on fresh seeds, without a tuner, and the answer says whether it is better. "
           "One that is worse is not kept."
           "\v"
           "Examples:\n"
           "  anole tune incast.yaml --out knobs.yaml\n"
           "      PARALEON's search; what it found is in knobs.yaml.\n"
           "  anole tune incast.yaml --tuner cmaes --set tuner.budget=500 --check 10\n"
           "      Another tuner with more time, checked on ten seeds.\n"
           "  anole tune --from knobs.yaml --as mlx5\n"
           "      How to set NICs to it.\n"
           "\n"
           "The same scenario, settings and seed give the same results on every machine. Nothing is "
           "written before the end.",
};

/* ---- what is told ---- */

static void print(const struct options *o, const struct tune *t)
{
    char *story = tune_story(t);

    if (o->device)
        device_print(o->device, t->kept, story);
    else if (o->is_json && !o->request.is_quiet)
        cmd_print_json(tune_json(t));
    else if (!o->request.is_quiet) {
        struct card answer;

        tune_answer(t, &answer);
        card_print(&answer, stdout, cmd_has_colour(stdout));
        card_fini(&answer);
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
    const char  *slash = strrchr(o->from, '/');
    struct knobs knobs;
    char         about[300];
    int rc = tune_read_setting(o->from, o->rate_bps ? o->rate_bps : RATE_BPS, o->rtt_ps, &knobs, err);

    snprintf(about, sizeof(about), "The setting '%.200s'.\n", slash ? slash + 1 : text_file_name(o->from));
    if (!rc && o->request.out)
        rc = setting_write_yaml(o->request.out, &knobs, about, err);
    if (!rc && o->is_json)
        cmd_print_json(tune_setting_json(o->from, &knobs));
    else if (!rc)
        device_print(o->device, &knobs, about);
    return rc;
}

static int tune_main(int argc, char **argv)
{
    struct options o = { .request = { .checks = 5 } };
    struct err     err;
    int            rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    check_options(&o);
    o.request.argc = argc;
    o.request.argv = argv;
    interrupt_catch();
    rc = o.from ? tune_from(&o, &err) : tune_scenario(&o, &err);
    free(o.request.set);
    return cmd_end(rc, &err);
}

const struct command command_tune = { "tune", "search with a tuner, verify the result, save it to a file", tune_main };
