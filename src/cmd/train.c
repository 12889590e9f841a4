/* src/cmd/train.c - anole train: makes a model for a tuner that learns. */
#include "train/train.h"
#include "base/digest.h"
#include "cmd/cmd.h"
#include "base/file/interrupt.h"
#include "campaign/pool.h"
#include "learn/model.h"
#include "tune/acc/acc.h"
#include "tune/acc/acc_action.h"
#include "tune/acc/acc_state.h"
#include "version.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GENERATION   2           /* of the traffic to learn from and of this procedure: another makes other models */

/* ---- options ---- */

enum { KEY_SET = 's', KEY_OUT = 'o', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_SEED = 256, KEY_SEARCH,
       KEY_ROUNDS, KEY_RUNS, KEY_UPDATES, KEY_HOLD, KEY_CHECK, KEY_JSON, KEY_QUICK, KEY_NICS };

static const struct argp_option option_rows[] = {
    { "out", KEY_OUT, "FILE", 0, "Write the model into FILE. FILE.state is beside it until the training is over", 0 },
    { "set", KEY_SET, "OPTION=VALUE", 0, "An option of the tuner, as in anole list tuner (gamma=0.95, "
      "slot_us=200). May be given more than once", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers (default: 1)", 0 },
    { "nics", KEY_NICS, "KIND", 0, "NICs of the networks to learn from: nvidia, as they come; dcqcn, as in the "
      "DCQCN paper; both (default)", 0 },
    { "search", KEY_SEARCH, "N", 0, "First search N generations for a rule that guides the net (default: 50; 0: "
      "there is no guide)", 0 },
    { "rounds", KEY_ROUNDS, "N", 0, "Rounds of runs (default: 60)", 0 },
    { "runs", KEY_RUNS, "N", 0, "Runs of a round (default: 12)", 0 },
    { "updates", KEY_UPDATES, "N", 0, "Updates of the net after a round (default: 1000)", 0 },
    { "hold", KEY_HOLD, "N", 0, "Slots for which a random action stays (default: 4)", 0 },
    { "check", KEY_CHECK, "N", 0, "Hold the net against static settings every N rounds, and keep the best "
      "(default: 5; 0: never, and the last net is kept)", 0 },
    { "jobs", KEY_JOBS, "N", 0, "Runs at the same time (default: as many as there are cores). The model is "
      "the same", 0 },
    { "quick", KEY_QUICK, NULL, 0, "Runs are twenty times shorter: to see how it goes, not for a model that is "
      "of use", 0 },
    { "json", KEY_JSON, "FILE", 0, "Write the model into FILE, too, as JSON for people to read", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no progress, only what is wrong", 0 },
    { 0 },
};

static enum train_nics nics_of(const char *name)
{
    for (int i = 0; train_nics_names[i]; i++)
        if (strcmp(name, train_nics_names[i]) == 0)
            return (enum train_nics)i;
    cmd_usage("--nics %s: there are both, nvidia and dcqcn", name);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct train *o = state->input;

    switch (key) {
    case KEY_OUT:      o->out = arg;                                                          break;
    case KEY_SET:      cmd_add_set(&o->set, &o->sets, arg);                                   break;
    case KEY_SEED:     o->seed = cmd_seed("--seed", arg);                                     break;
    case KEY_NICS:     o->nics = nics_of(arg);                                                break;
    case KEY_SEARCH:   o->search = (uint32_t)cmd_count("--search", arg, 0, 100000);           break;
    case KEY_ROUNDS:   o->rounds = (uint32_t)cmd_count("--rounds", arg, 1, 100000);           break;
    case KEY_RUNS:     o->runs = (uint32_t)cmd_count("--runs", arg, 1, 1000);                 break;
    case KEY_UPDATES:  o->updates = (uint32_t)cmd_count("--updates", arg, 1, 1000000);        break;
    case KEY_HOLD:     o->hold = (uint32_t)cmd_count("--hold", arg, 1, 1000);                 break;
    case KEY_CHECK:    o->check = (uint32_t)cmd_count("--check", arg, 0, 100000);             break;
    case KEY_JOBS:     o->jobs = (uint32_t)cmd_count("--jobs", arg, 1, POOL_WORKERS_MAX);     break;
    case KEY_JSON:     o->json = arg;                                                         break;
    case KEY_QUICK:    o->is_quick = true;                                                    break;
    case KEY_QUIET:    o->is_quiet = true;                                                    break;
    case ARGP_KEY_ARG:
        if (o->what)
            cmd_usage("one tuner at a time: '%s' and '%s'", o->what, arg);
        o->what = arg;
        break;
    default:           return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void check_options(struct train *o)
{
    if (!o->what)
        cmd_usage("which tuner? anole train acc --out FILE; see anole train --help");
    if (strcmp(o->what, "acc") != 0)
        cmd_usage("'%s' is not a tuner that is trained; there is acc", o->what);
    if (!o->out)
        cmd_usage("where is the model to be written? Give --out FILE");
    if (!o->jobs) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);

        o->jobs = cores < 1 ? 1 : cores > POOL_WORKERS_MAX ? POOL_WORKERS_MAX : (uint32_t)cores;
    }
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "acc",
    .doc = "Makes a model for the tuner acc. First rules of a few cells are tried against each other, generation by "
           "generation; the best is the guide of the net. Then come rounds of short runs on random networks and "
           "traffic, in which net and rule explore, and after each round the net learns from all of them. Every few "
           "rounds it is held against static settings on other traffic; the model that is written is the one that was "
           "best at that."
           "\v"
           "Examples:\n"
           "  anole train acc --out model.acc\n"
           "      A model in a quarter of an hour or so, on two cores.\n"
           "  anole run incast.yaml --set tuner=acc:model.acc\n"
           "      A network that it tunes.\n"
           "\n"
           "The same options and seed give the same model on every machine, to the last bit, whatever the "
           "number of jobs. An interrupted training goes on where it was when the same command is given again.",
};

/* ---- a training ---- */

double train_value(const struct train *t, const char *name)
{
    for (int i = 0; tuner_acc.option[i].name; i++)
        if (strcmp(tuner_acc.option[i].name, name) == 0)
            return t->values.value[i];
    die("no option %s", name);
}

/* What suits a training from nothing is not what suits one in a network that works. */
static void set_initial(struct train *t)
{
    static const struct { const char *name, *text; } rows[] = {
        { "model", "none" }, { "train", "no" }, { "epsilon", "0.5" }, { "epsilon_min", "0.05" }, { "rate", "0.0003" },
        { "batch", "64" }, { "memory", "100000" }, { "copy_every", "500" },
    };
    struct err err;

    tuner_values_init(&tuner_acc, &t->values);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tuner_values_set(&tuner_acc, &t->values, rows[i].name, rows[i].text, &err))
            die("%s", err.text);
}

static void set_values(struct train *t)
{
    set_initial(t);
    for (uint32_t i = 0; i < t->sets; i++) {
        const char *equals = strchr(t->set[i], '=');
        char        name[64];
        struct err  err;

        if (!equals)
            cmd_usage("--set %s: write OPTION=VALUE", t->set[i]);
        snprintf(name, sizeof name, "%.*s", (int)(equals - t->set[i]), t->set[i]);
        if (strcmp(name, "model") == 0 || strcmp(name, "train") == 0)
            cmd_usage("--set %s: a training begins with random numbers, and its runs do not learn", name);
        if (tuner_values_set(&tuner_acc, &t->values, name, equals + 1, &err))
            cmd_usage("--set %s: %s", t->set[i], err.text);
    }
    if (train_value(t, "epsilon_min") <= 0 || train_value(t, "epsilon_min") > train_value(t, "epsilon"))
        cmd_usage("--set epsilon_min: must be above 0 and not above epsilon");
    if (train_value(t, "memory") < train_value(t, "batch"))
        cmd_usage("--set memory: must hold a batch");
}

/* All that the model depends on, as text. */
static char *config_text(const struct train *t)
{
    char   *text = NULL;
    size_t  length;
    FILE   *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    fprintf(out, "generation %d seed %" PRIu64 " nics %s search %u rounds %u runs %u updates %u hold %u "
            "check %u quick %d", GENERATION, t->seed, train_nics_names[t->nics], t->search, t->rounds, t->runs,
            t->updates, t->hold, t->check, t->is_quick);
    for (int i = 0; tuner_acc.option[i].name; i++)
        fprintf(out, " %s %.17g", tuner_acc.option[i].name, t->values.value[i]);
    fclose(out);
    return text;
}

static void shape_of(const struct train *t, struct net_shape *shape)
{
    uint32_t actions = acc_actions_list((enum acc_actions)train_value(t, "actions"), NULL);

    acc_shape(shape, ACC_FEATURES * (uint32_t)train_value(t, "history"), actions);
}

static void init_state(struct train *t)
{
    struct dqn_cfg cfg = { .is_double = train_value(t, "double") != 0, .gamma = train_value(t, "gamma"),
                           .value_max = 1 / (1 - train_value(t, "gamma")), .bend = 1, .norm_max = 10,
                           .adam = { .rate = train_value(t, "rate") },
                           .batch = (uint32_t)train_value(t, "batch"), .memory = (uint32_t)train_value(t, "memory"),
                           .copy_every = (uint32_t)train_value(t, "copy_every"), .epsilon = 0, .epsilon_decay = 1,
                           .seed = t->seed };
    char           digest[DIGEST_TEXT_SIZE], *text = config_text(t);
    struct digest  d;

    digest_init(&d);
    digest_add_text(&d, text);
    free(text);
    shape_of(t, &cfg.shape);
    train_state_init(&t->state, &cfg, digest_text(digest, &d));
}

/* ---- the model ---- */

static void put_number(struct model *m, const char *key, double x)
{
    char text[40];

    snprintf(text, sizeof text, "%.10g", x);
    model_put(m, key, text);
}

static void put_rule(struct model *m, const struct train *t)
{
    char text[6 * ACC_RULE_CELLS];
    int  used = 0;

    if (!t->search)
        return;
    for (int i = 0; i < ACC_RULE_CELLS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%u", i ? " " : "", t->state.rule.action[i]);
    model_put(m, "rule", text);
}

static char *command_text(const struct train *t)
{
    char  *text = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    fprintf(out, "anole train acc --seed %" PRIu64 " --nics %s --search %u --rounds %u --runs %u --updates %u "
            "--hold %u --check %u%s", t->seed, train_nics_names[t->nics], t->search, t->rounds, t->runs, t->updates,
            t->hold, t->check, t->is_quick ? " --quick" : "");
    for (uint32_t i = 0; i < t->sets; i++)
        fprintf(out, " --set %s", t->set[i]);
    fclose(out);
    return text;
}

static int write_model(struct train *t, struct err *err)
{
    char        *command = command_text(t);
    struct model m;
    int          rc;

    model_init(&m, "acc", &t->state.best);
    model_put(&m, "command", command);
    model_put(&m, "version", ANOLE_VERSION);
    model_put(&m, "traffic", "incast of 2 to 64 senders, 1 to 1000 flows of 10 KB to 10 MB, load 10 to 90 %; "
              "WebSearch and DataMining at 10 to 90 %; storage; all-to-all and halving-doubling training: "
              "src/train/train_traffic.c");
    put_rule(&m, t);
    put_number(&m, "generation", GENERATION);
    put_number(&m, "round", t->state.best_round);
    if (t->check)
        put_number(&m, "score", t->state.best_score);
    for (int i = 0; tuner_acc.option[i].name; i++)
        if (tuner_acc.option[i].kind != OPTION_TEXT)
            put_number(&m, tuner_acc.option[i].name, t->values.value[i]);
    rc = model_save(&m, t->out, err);
    if (!rc && t->json)
        rc = model_save_json(&m, t->json, err);
    model_fini(&m);
    free(command);
    return rc;
}

static int search(struct train *t, struct err *err)
{
    int rc = 0;

    if (!t->is_quiet && t->state.generations < t->search)
        printf("   gen    score  action for queues of < 5, < 20, < 80, < 320, more KB; link < 80 %%, < 95 %%, more\n");
    while (!rc && t->state.generations < t->search)
        rc = train_generation(t, err);
    if (!rc && t->search && !t->state.is_run_off)
        rc = train_run_off(t, err);
    return rc;
}

static int train(struct train *t, struct err *err)
{
    bool is_there;
    int  rc = train_state_load(&t->state, t->state_path, &is_there, err);

    if (!rc && !is_there)        /* before the first round, not after it: can it be written at all? */
        rc = train_state_save(&t->state, t->state_path, err);
    if (rc)
        return rc;
    if (is_there && !t->is_quiet)
        printf("%s: goes on after %u generations and %u rounds\n", t->state_path, t->state.generations,
               t->state.rounds);
    rc = search(t, err);
    if (!rc && !t->is_quiet && t->state.rounds < t->rounds)
        train_print_head();
    while (!rc && t->state.rounds < t->rounds)
        rc = train_round(t, err);
    if (rc > 0) {
        fprintf(stderr, "anole: interrupted after %u generations and %u rounds; the same command goes on from there\n",
                t->state.generations, t->state.rounds);
        exit(128 + rc);
    }
    if (!rc)
        rc = write_model(t, err);
    if (!rc) {
        unlink(t->state_path);
        if (!t->is_quiet)
            printf("%s: the net of round %u\n", t->out, t->state.best_round);
    }
    return rc;
}

static char *path_of_state(const char *out)
{
    char *path;

    if (asprintf(&path, "%s.state", out) < 0)
        die("out of memory");
    return path;
}

static int train_main(int argc, char **argv)
{
    struct train t = { .seed = 1, .search = 50, .rounds = 60, .runs = 12, .updates = 1000, .hold = 4, .check = 5 };
    struct err   err;
    int          rc;

    argp_parse(&argp, argc, argv, 0, NULL, &t);
    check_options(&t);
    set_values(&t);
    init_state(&t);
    t.state_path = path_of_state(t.out);
    interrupt_catch();
    rc = train(&t, &err);
    free(t.state_path);
    free(t.set);
    tuner_values_fini(&t.values);
    train_state_fini(&t.state);
    return cmd_end(rc, &err);
}

const struct command command_train = { "train", "make a model for a tuner that learns", train_main };
