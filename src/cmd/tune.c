/* src/cmd/tune.c - anole tune: searches for a setting on a scenario, checks it, and writes it down. */
#include "base/err.h"
#include "base/text.h"
#include "base/yaml.h"
#include "cmd/cmd.h"
#include "base/file/interrupt.h"
#include "core/knob_text.h"
#include "base/file/outfile.h"
#include "campaign/tune.h"
#include "sim/partition.h"
#include "tune/setting.h"
#include "version.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO_BYTES_MAX (64u << 20)
#define RATE_BPS           100000000000u     /* of links, if nobody says */

enum device { DEVICE_NONE, DEVICE_MLX5, DEVICE_SONIC };

static const char *const device_names[] = { "mlx5", "sonic", NULL };

/* ---- options ---- */

struct options {
    const char  *path, *tuner, *from;
    const char **set;
    uint32_t     sets;
    uint64_t     seed, budget, rate_bps, rtt_ps;
    bool         has_seed, is_quiet, keep;
    uint32_t     rounds, checks, threads;
    const char  *out, *history;
    enum device  device;
};

enum { KEY_TUNER = 't', KEY_SET = 's', KEY_OUT = 'o', KEY_QUIET = 'q', KEY_SEED = 256, KEY_ROUNDS,
       KEY_BUDGET, KEY_CHECK, KEY_KEEP, KEY_AS, KEY_FROM, KEY_RATE, KEY_RTT, KEY_HISTORY, KEY_THREADS };

static const struct argp_option option_rows[] = {
    { "tuner", KEY_TUNER, "NAME", 0, "What searches: see anole list tuner (default: the scenario's, or "
      "paraleon). Options of a tuner: --set tuner.NAME=VALUE", 0 },
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario: a knob (kmin=200KB), or a path of keys "
      "(topology.delay=2us, tuner.budget=100). May be given more than once", 0 },
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
    { "as", KEY_AS, "mlx5|sonic", 0, "Print the setting as a shell script: for NICs of the mlx5 driver, or "
      "the WRED profile of a SONiC switch", 0 },
    { "from", KEY_FROM, "SETTING", 0, "No search: take a setting that has a name, or the file of one", 0 },
    { "rate", KEY_RATE, "RATE", 0, "With --from: speed of the hosts' links, on which some settings depend "
      "(default: 100Gbps)", 0 },
    { "rtt", KEY_RTT, "TIME", 0, "With --from: longest round trip of the empty network, on which some "
      "settings depend", 0 },
    { "threads", KEY_THREADS, "N", 0, "Share the work among N threads (default: the processors there are, if "
      "runs are long enough to gain). The results are the same", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no results and no progress, only what is wrong, and what --as asks "
      "for", 0 },
    { 0 },
};

static enum device device_of(const char *word)
{
    char hint[64];

    for (int i = 0; device_names[i]; i++)
        if (strcmp(device_names[i], word) == 0)
            return (enum device)(i + 1);
    text_did_you_mean(hint, sizeof(hint), word, device_names);
    cmd_usage("--as: '%s' is no kind of device%s", word, *hint ? hint : "; there are mlx5 and sonic");
}

static const char *tuner_of(const char *word)
{
    const struct tuner_alias *alias;
    char                      hint[64];

    if (tuner_find(word, &alias))
        return word;
    text_did_you_mean(hint, sizeof(hint), word, tuner_names);
    cmd_usage("--tuner: '%s' is not a tuner%s", word, *hint ? hint : "; see anole list tuner");
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

static uint64_t rtt_of(const char *text)
{
    struct err err;
    uint64_t   ps;

    if (text_to_time(text, &ps, &err))
        cmd_usage("--rtt: %s", err.text);
    if (ps == 0)
        cmd_usage("--rtt: a round trip of no time");
    return ps;
}

static void take_path(struct options *o, const char *path)
{
    if (o->path)
        cmd_usage("one scenario at a time: '%s' and '%s'", o->path, path);
    o->path = path;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_TUNER:    o->tuner = tuner_of(arg);                                              break;
    case KEY_SET:      cmd_add_set(&o->set, &o->sets, arg);                                   break;
    case KEY_SEED:     o->seed = cmd_seed("--seed", arg); o->has_seed = true;                 break;
    case KEY_ROUNDS:   o->rounds = (uint32_t)cmd_count("--rounds", arg, 1, 100000);           break;
    case KEY_BUDGET:   o->budget = cmd_count("--budget", arg, 1, 100000000);                  break;
    case KEY_CHECK:    o->checks = (uint32_t)cmd_count("--check", arg, 0, 1000);              break;
    case KEY_KEEP:     o->keep = true;                                                        break;
    case KEY_OUT:      o->out = arg;                                                          break;
    case KEY_HISTORY:  o->history = arg;                                                      break;
    case KEY_AS:       o->device = device_of(arg);                                            break;
    case KEY_FROM:     o->from = arg;                                                         break;
    case KEY_RATE:     o->rate_bps = rate_of(arg);                                            break;
    case KEY_RTT:      o->rtt_ps = rtt_of(arg);                                               break;
    case KEY_THREADS:  o->threads = (uint32_t)cmd_count("--threads", arg, 1, PARTS_MAX);      break;
    case KEY_QUIET:    o->is_quiet = true;                                                    break;
    case ARGP_KEY_ARG: take_path(o, arg);                                                     break;
    default:           return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void check_options(const struct options *o)
{
    if (!o->path && !o->from)
        cmd_usage("which scenario? anole tune SCENARIO.yaml; see anole tune --help");
    if (o->path && o->from)
        cmd_usage("a search on '%s', or the setting '%s'? With --from there is no search", o->path, o->from);
    if (o->from && !o->device && !o->out)
        cmd_usage("--from: what is to be done with it? Give --as or --out");
    if (o->from && (o->history || o->tuner || o->sets))
        cmd_usage("--from: there is no search, so --%s has no effect",
                  o->history ? "history" : o->tuner ? "tuner" : "set");
    if ((o->rate_bps || o->rtt_ps) && !o->from)
        cmd_usage("--%s goes with --from; a scenario has a network of its own", o->rate_bps ? "rate" : "rtt");
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO.yaml\n--from SETTING",
    .doc = "Searches for a setting of all knobs: runs the scenario with a tuner in the loop, again with "
           "other seeds while the search goes on, until it is over. Then the setting that was found and the "
           "one of the scenario run on fresh seeds, without a tuner, and a table tells whether it is better. "
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

struct tune {
    struct options     opt;
    char              *text;     /* of the scenario */
    size_t             text_bytes;
    char               tuner_set[80];        /* the first of the sets: "tuner={kind: paraleon}" */
    struct tune_search search;
    struct tune_check  check;
    struct outfile     out, history;
};

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

/* "seed 7", "seeds 7 to 9" */
static const char *seeds_text(char buf[64], uint64_t first, uint32_t count)
{
    if (count == 1)
        snprintf(buf, 64, "seed %" PRIu64, first);
    else
        snprintf(buf, 64, "seeds %" PRIu64 " to %" PRIu64, first, first + count - 1);
    return buf;
}

static const struct knobs *kept(const struct tune *t)
{
    return t->check.verdict == TUNE_WORSE && !t->opt.keep ? &t->search.start : &t->search.best;
}

/* What was done, and what it has shown: the same on the screen, in the file and in a script. */
static void print_story(const struct tune *t, FILE *out, bool has_colour)
{
    const struct tune_search *s = &t->search;
    char                      seeds[64], verdict[700];

    fprintf(out, "%s, tuner %s: %u intervals, %s%s\n", name_of(t->opt.path),
            t->opt.tuner ? t->opt.tuner : s->tuning.algo->name, s->tuning.steps,
            seeds_text(seeds, s->seed, s->rounds),
            s->is_over ? "" : s->tuner.algo->is_idle ? "; the search was not over" : "");
    if (t->check.seeds) {
        fprintf(out, "Checked without a tuner against the setting that it began with, %s:\n\n",
                seeds_text(seeds, t->check.seed[0], t->check.seeds));
        tune_check_print(&t->check, out, has_colour);
        fputc('\n', out);
    }
    tune_verdict_text(verdict, sizeof(verdict), &t->check, t->opt.keep);
    fprintf(out, "%s\n", verdict);
}

/* The knobs that were changed, one a line. */
static void print_setting(const struct tune *t, FILE *out)
{
    const struct knobs *was = &t->search.start, *is = kept(t);
    char                from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX], change[KNOB_TEXT_MAX];

    for (int i = 0; i < KNOB_COUNT; i++)
        if (was->value[i] != is->value[i])
            fprintf(out, "  %-30s %12s -> %s%s%s\n", knob_info[i].name,
                    knob_text(from, (enum knob)i, was->value[i]), knob_text(to, (enum knob)i, is->value[i]),
                    was->value[i] != 0 ? ", " : "",
                    knob_change_text(change, was->value[i], is->value[i]));
}

static char *story_of(const struct tune *t)
{
    char  *text = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    print_story(t, out, false);
    fclose(out);
    return text;
}

static void print_device(enum device device, const struct knobs *knobs, const char *about)
{
    if (device == DEVICE_MLX5)
        tune_print_mlx5(knobs, about, stdout);
    else if (device == DEVICE_SONIC)
        tune_print_sonic(knobs, about, stdout);
}

static void print_file(const struct knobs *knobs, const char *about, FILE *out)
{
    struct knobs base;

    knobs_init(&base);
    tune_print_comment("A setting of anole " ANOLE_VERSION ": what differs from the default.\n", out);
    tune_print_comment(about, out);
    knobs_print_yaml(knobs, &base, out);
}

/* ---- files ---- */

/* Opened before anything runs: a wrong name must not cost hours. */
static int open_files(struct tune *t, struct err *err)
{
    int rc = t->opt.out ? outfile_open(&t->out, t->opt.out, err) : 0;

    if (!rc && t->opt.history)
        rc = outfile_open(&t->history, t->opt.history, err);
    return rc;
}

static int close_files(struct tune *t, struct err *err)
{
    int rc = outfile_close(&t->out, err);

    if (!rc)
        rc = outfile_close(&t->history, err);
    if (rc)
        return rc;
    interrupt_hold();
    rc = outfile_commit(&t->out, err);
    if (!rc)
        rc = outfile_commit(&t->history, err);
    interrupt_end();
    return rc;
}

static int write_all(struct tune *t, struct err *err)
{
    char *story = story_of(t);
    int   rc;

    if (t->out.stream)
        print_file(kept(t), story, t->out.stream);
    if (t->history.stream)
        tuning_print(&t->search.tuning, t->history.stream);
    rc = close_files(t, err);
    if (!rc && t->opt.device)
        print_device(t->opt.device, kept(t), story);
    else if (!rc && !t->opt.is_quiet) {
        print_story(t, stdout, cmd_has_colour(stdout));
        print_setting(t, stdout);
    }
    free(story);
    return rc;
}

/* ---- from options to exit status ---- */

/* What is checked is what a reader of the file will get: the numbers in it are all of the setting. */
static int read_back(struct knobs *knobs, struct err *err)
{
    struct knobs base;
    char        *text = NULL;
    size_t       length;
    FILE        *out = open_memstream(&text, &length);
    int          rc;

    if (!out)
        die("out of memory");
    knobs_init(&base);
    knobs_print_yaml(knobs, &base, out);
    fclose(out);
    rc = setting_parse("the setting found", text, length, knobs, err);
    free(text);
    return rc;
}

/* A tuner is written in front of all sets, so that these may add options to it. */
static void put_tuner(struct tune *t, const char *name)
{
    struct options *o = &t->opt;

    snprintf(t->tuner_set, sizeof(t->tuner_set), "tuner={kind: %s}", name);
    o->set = xrealloc(o->set, (o->sets + 1ul) * sizeof(*o->set));
    memmove(o->set + 1, o->set, o->sets * sizeof(*o->set));
    o->set[0] = t->tuner_set;
    o->sets++;
}

static bool sets_tuner(const struct options *o)
{
    for (uint32_t i = 0; i < o->sets; i++)
        if (strncmp(o->set[i], "tuner=", 6) == 0)
            return true;
    return false;
}

/* --tuner, or the scenario's, or paraleon. One that the scenario gives by its name alone becomes a map, to
 * which --set may add options. What is wrong with the scenario is told by whoever reads all of it. */
static void choose_tuner(struct tune *t)
{
    const struct tuner_alias *alias;
    const struct yaml_node   *node;
    struct yaml_doc           doc;

    if (t->opt.tuner)
        put_tuner(t, t->opt.tuner);
    if (t->opt.tuner || sets_tuner(&t->opt) || yaml_parse(&doc, t->opt.path, t->text, t->text_bytes, NULL))
        return;
    node = doc.root ? yaml_get(doc.root, "tuner") : NULL;
    if (!node)
        put_tuner(t, "paraleon");
    else if (node->kind == YAML_SCALAR && tuner_find(node->text, &alias))
        put_tuner(t, node->text);
    yaml_fini(&doc);
}

static int search_and_check(struct tune *t, struct err *err)
{
    const struct options *o = &t->opt;
    int                   rc;

    t->search = (struct tune_search){
        .input = { .name = text_file_name(o->path), .text = t->text,
                   .text_bytes = t->text_bytes, .set = o->set, .sets = o->sets,
                   .seed = o->has_seed ? &o->seed : NULL, .threads = o->threads },
        .is_quiet = o->is_quiet, .rounds_max = o->rounds, .budget = o->budget,
    };
    rc = tune_search(&t->search, err);
    if (!rc)
        rc = read_back(&t->search.best, err);
    if (!rc)
        rc = tune_check(&t->check, &t->search, o->checks, err);
    if (!rc)
        rc = write_all(t, err);
    tune_check_fini(&t->check);
    tune_search_fini(&t->search);
    return rc;
}

static int tune_scenario(struct tune *t, struct err *err)
{
    int rc = text_read_file(t->opt.path, SCENARIO_BYTES_MAX, &t->text, &t->text_bytes, err);

    if (rc)
        return rc;
    choose_tuner(t);
    rc = open_files(t, err);
    if (!rc)
        rc = search_and_check(t, err);
    outfile_abort(&t->history);
    outfile_abort(&t->out);
    free(t->text);
    return rc;
}

/* Reads the setting; one that is not the same for all networks is refused if nobody has said for which. */
static int read_setting(const struct options *o, struct knobs *knobs, struct err *err)
{
    struct tuner_world world = { .host_bps = o->rate_bps ? o->rate_bps : RATE_BPS, .base_rtt_ps = o->rtt_ps };
    struct knobs       other;
    int                rc;

    knobs_init(&world.start);
    if (!o->rtt_ps)
        world.base_rtt_ps = 10 * PS_PER_US;
    rc = setting_read(o->from, &world, knobs, err);
    if (rc || o->rtt_ps)
        return rc;
    world.base_rtt_ps *= 2;
    rc = setting_read(o->from, &world, &other, err);
    if (!rc && !knobs_equal(knobs, &other))
        rc = err_set(err, EINVAL, "the setting '%.60s' depends on the network's round trip: give --rtt",
                     o->from);
    return rc;
}

static int tune_from(struct tune *t, struct err *err)
{
    struct knobs knobs;
    char         about[300];
    int          rc = read_setting(&t->opt, &knobs, err);

    if (rc)
        return rc;
    snprintf(about, sizeof(about), "The setting '%.200s'.\n", name_of(t->opt.from));
    rc = open_files(t, err);
    if (!rc && t->out.stream)
        print_file(&knobs, about, t->out.stream);
    if (!rc)
        rc = close_files(t, err);
    outfile_abort(&t->out);
    if (!rc)
        print_device(t->opt.device, &knobs, about);
    return rc;
}

static int tune_main(int argc, char **argv)
{
    struct tune t = { .opt = { .checks = 5 } };
    struct err  err;
    int         rc;

    argp_parse(&argp, argc, argv, 0, NULL, &t.opt);
    check_options(&t.opt);
    interrupt_catch();
    rc = t.opt.from ? tune_from(&t, &err) : tune_scenario(&t, &err);
    free(t.opt.set);
    return cmd_end(rc, &err);
}

const struct command command_tune = { "tune", "search for a setting, check it, write it down", tune_main };
