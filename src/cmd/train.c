/* src/cmd/train.c - anole train: makes a model for a tuner that learns. */
#include "cmd/train.h"
#include "base/digest.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/pool.h"
#include "cmd/progress.h"
#include "learn/model.h"
#include "tune/acc.h"
#include "tune/acc_action.h"
#include "tune/acc_state.h"
#include "version.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS_MAX  3000        /* that one run hands in */
#define PRINT_EVERY  10          /* rounds, where nothing is checked */
#define EXPLORE_PART 0.6         /* of all rounds, in which epsilon falls */
#define SMOOTH_SHARE 0.001f      /* of each new net in the mean of nets */
#define HARM_FROM    1.02        /* times the FCT of the better static setting */
#define HARM_WEIGHT  4
#define GENERATION   1           /* of the traffic to learn from and of this procedure: another makes other models */

/* ---- options ---- */

struct options {
    const char  *what, *out, *json;
    const char **set;
    uint32_t     sets;
    uint64_t     seed;
    uint32_t     rounds, runs, updates, hold, check, jobs;
    bool         is_quiet;
};

enum { KEY_SET = 's', KEY_OUT = 'o', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_SEED = 256, KEY_ROUNDS,
       KEY_RUNS, KEY_UPDATES, KEY_HOLD, KEY_CHECK, KEY_JSON };

static const struct argp_option option_rows[] = {
    { "out", KEY_OUT, "FILE", 0, "Write the model into FILE. FILE.state is beside it until the training is over", 0 },
    { "set", KEY_SET, "OPTION=VALUE", 0, "An option of the tuner, as in anole list tuner (gamma=0.95, "
      "slot_us=200). May be given more than once", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers (default: 1)", 0 },
    { "rounds", KEY_ROUNDS, "N", 0, "Rounds of runs (default: 100)", 0 },
    { "runs", KEY_RUNS, "N", 0, "Runs of a round (default: 12)", 0 },
    { "updates", KEY_UPDATES, "N", 0, "Updates of the net after a round (default: 1000)", 0 },
    { "hold", KEY_HOLD, "N", 0, "Slots for which a random action stays (default: 4)", 0 },
    { "check", KEY_CHECK, "N", 0, "Hold the net against static settings every N rounds, and keep the best "
      "(default: 10; 0: never, and the last net is kept)", 0 },
    { "jobs", KEY_JOBS, "N", 0, "Runs at the same time (default: as many as there are cores). The model is "
      "the same", 0 },
    { "json", KEY_JSON, "FILE", 0, "Write the model into FILE, too, as JSON for people to read", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no progress, only what is wrong", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_OUT:      o->out = arg;                                                          break;
    case KEY_SET:      cmd_add_set(&o->set, &o->sets, arg);                                   break;
    case KEY_SEED:     o->seed = cmd_seed("--seed", arg);                                     break;
    case KEY_ROUNDS:   o->rounds = (uint32_t)cmd_count("--rounds", arg, 1, 100000);           break;
    case KEY_RUNS:     o->runs = (uint32_t)cmd_count("--runs", arg, 1, 1000);                 break;
    case KEY_UPDATES:  o->updates = (uint32_t)cmd_count("--updates", arg, 1, 1000000);        break;
    case KEY_HOLD:     o->hold = (uint32_t)cmd_count("--hold", arg, 1, 1000);                 break;
    case KEY_CHECK:    o->check = (uint32_t)cmd_count("--check", arg, 0, 100000);             break;
    case KEY_JOBS:     o->jobs = (uint32_t)cmd_count("--jobs", arg, 1, POOL_WORKERS_MAX);     break;
    case KEY_JSON:     o->json = arg;                                                         break;
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

static void check_options(struct options *o)
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
    .doc = "Makes a model for the tuner acc: rounds of short runs on random networks and traffic, in which it "
           "explores, and after each round the net learns from all of them. Every tenth round it is held against static "
           "settings on other traffic; the model that is written is the one that was best at that."
           "\v"
           "Examples:\n"
           "  anole train acc --out model.acc\n"
           "      A model in half an hour or so.\n"
           "  anole run incast.yaml --set tuner=acc:model.acc\n"
           "      A network that it tunes.\n"
           "\n"
           "The same options and seed give the same model on every machine, to the last bit, whatever the "
           "number of jobs. An interrupted training goes on where it was when the same command is given again.",
};

/* ---- a training ---- */

struct train {
    struct options      opt;
    struct tuner_values values;
    struct train_state  state;
    char               *state_path;

    /* A round. */
    bool                is_check, needs_statics;
    uint32_t            jobs, next;
    char              **text;    /* what each job has handed in */
    size_t             *length;
    double              reward, loss;
};

static double value_of(const struct train *t, const char *name)
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
        { "model", "none" }, { "train", "no" }, { "epsilon", "1" }, { "epsilon_min", "0.05" }, { "rate", "0.0003" },
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
    for (uint32_t i = 0; i < t->opt.sets; i++) {
        const char *equals = strchr(t->opt.set[i], '=');
        char        name[64];
        struct err  err;

        if (!equals)
            cmd_usage("--set %s: write OPTION=VALUE", t->opt.set[i]);
        snprintf(name, sizeof name, "%.*s", (int)(equals - t->opt.set[i]), t->opt.set[i]);
        if (strcmp(name, "model") == 0 || strcmp(name, "train") == 0)
            cmd_usage("--set %s: a training begins with random numbers, and its runs do not learn", name);
        if (tuner_values_set(&tuner_acc, &t->values, name, equals + 1, &err))
            cmd_usage("--set %s: %s", t->opt.set[i], err.text);
    }
    if (value_of(t, "epsilon_min") <= 0 || value_of(t, "epsilon_min") > value_of(t, "epsilon"))
        cmd_usage("--set epsilon_min: must be above 0 and not above epsilon");
    if (value_of(t, "memory") < value_of(t, "batch"))
        cmd_usage("--set memory: must hold a batch");
}

/* All that the model depends on, as text. */
static char *config_text(const struct train *t)
{
    const struct options *o = &t->opt;
    char                 *text = NULL;
    size_t                length;
    FILE                 *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    fprintf(out, "generation %d seed %" PRIu64 " rounds %u runs %u updates %u hold %u check %u", GENERATION, o->seed,
            o->rounds, o->runs, o->updates, o->hold, o->check);
    for (int i = 0; tuner_acc.option[i].name; i++)
        fprintf(out, " %s %.17g", tuner_acc.option[i].name, t->values.value[i]);
    fclose(out);
    return text;
}

static void shape_of(const struct train *t, struct net_shape *shape)
{
    uint32_t actions = acc_actions_list((enum acc_actions)value_of(t, "actions"), NULL);

    acc_shape(shape, ACC_FEATURES * (uint32_t)value_of(t, "history"), actions);
}

static void init_state(struct train *t)
{
    struct dqn_cfg cfg = { .is_double = value_of(t, "double") != 0, .gamma = value_of(t, "gamma"), .bend = 1,
                           .norm_max = 10, .adam = { .rate = value_of(t, "rate") },
                           .batch = (uint32_t)value_of(t, "batch"), .memory = (uint32_t)value_of(t, "memory"),
                           .copy_every = (uint32_t)value_of(t, "copy_every"), .epsilon = 0, .epsilon_decay = 1,
                           .seed = t->opt.seed };
    char           digest[DIGEST_TEXT_SIZE], *text = config_text(t);
    struct digest  d;

    digest_init(&d);
    digest_add_text(&d, text);
    free(text);
    shape_of(t, &cfg.shape);
    train_state_init(&t->state, &cfg, digest_text(digest, &d));
}

static double epsilon(const struct train *t)
{
    double   first = value_of(t, "epsilon"), last = value_of(t, "epsilon_min");
    uint32_t falls = (uint32_t)(EXPLORE_PART * t->opt.rounds) + 1;
    double   e = first * rng_pow(dqn_decay(first, last, falls), t->state.rounds);

    return e > last ? e : last;
}

/* ---- jobs: first the runs, then checks of the net, then of static settings ---- */

static enum pool_next next_job(void *arg, struct pool_job *job)
{
    struct train *t = arg;

    if (t->next == t->jobs)
        return POOL_NONE;
    job->number = t->next++;
    return POOL_JOB;
}

static int work(void *arg, const struct pool_job *job, FILE *out)
{
    const struct train *t = arg;
    struct train_job    j = { .values = &t->values, .net = &t->state.dqn.online, .hold = t->opt.hold };
    uint32_t            check = job->number - t->opt.runs;
    const char         *name;
    char               *text;
    struct err          err;
    int                 rc;

    if (job->number < t->opt.runs) {
        j.epsilon = epsilon(t);
        j.records_max = RECORDS_MAX;
        j.seed = (t->opt.seed * 1000003 + t->state.rounds) * 1009 + job->number + 1;
        text = train_scenario(t->opt.seed, t->state.rounds, job->number);
    } else {
        text = train_check_scenario(check % TRAIN_CHECKS, &name);
        j.net = &t->state.smooth;
        if (check >= TRAIN_CHECKS) {
            j.net = NULL;
            j.tuner = train_static[check / TRAIN_CHECKS - 1];
        }
    }
    rc = train_run(text, &j, out, &err);
    if (rc)
        fprintf(stderr, "anole: round %u, run %u: %s\n%s", t->state.rounds, job->number, err.text, text);
    free(text);
    return rc ? EXIT_FAILED : 0;
}

static int on_done(void *arg, const struct pool_job *job, int status, const char *text, size_t length)
{
    struct train *t = arg;

    if (status != 0 || length < sizeof(struct train_found))
        return -EIO;
    t->text[job->number] = xmalloc(length);
    memcpy(t->text[job->number], text, length);
    t->length[job->number] = length;
    return 0;
}

static void drop_jobs(struct train *t)
{
    for (uint32_t i = 0; t->text && i < t->jobs; i++)
        free(t->text[i]);
    free(t->text);
    free(t->length);
    t->text = NULL;
    t->length = NULL;
}

static int run_jobs(struct train *t, struct err *err)
{
    struct pool_hooks hooks = { .arg = t, .next = next_job, .work = work, .done = on_done, .wake = -1 };
    int               rc;

    t->is_check = t->opt.check && (t->state.rounds % t->opt.check == 0 || t->state.rounds + 1 == t->opt.rounds);
    t->needs_statics = t->is_check && !t->state.has_statics;
    t->jobs = t->opt.runs + (t->is_check ? TRAIN_CHECKS : 0) + (t->needs_statics ? TRAIN_CHECKS * TRAIN_STATICS : 0);
    t->next = 0;
    t->text = xcalloc(t->jobs, sizeof *t->text);
    t->length = xcalloc(t->jobs, sizeof *t->length);
    rc = pool_run(&hooks, t->opt.jobs);
    if (rc < 0)
        return err_set(err, -rc, "round %u: a run has failed", t->state.rounds);
    return rc;
}

/* ---- what comes of them ---- */

static struct train_found found_of(const struct train *t, uint32_t job)
{
    struct train_found found;

    memcpy(&found, t->text[job], sizeof found);
    return found;
}

/* In the order of their numbers, whichever came first. */
static void take_experience(struct train *t)
{
    struct replay *memory = &t->state.dqn.replay;
    double         reward = 0;
    uint64_t       rewards = 0;

    for (uint32_t i = 0; i < t->opt.runs; i++) {
        struct train_found found = found_of(t, i);
        size_t             bytes = (size_t)found.records * memory->floats * sizeof(float);

        reward += found.reward_sum;
        rewards += found.rewards;
        if (found.records && sizeof found + bytes <= t->length[i]) {
            float *records = xmalloc(bytes);

            memcpy(records, t->text[i] + sizeof found, bytes);
            replay_add_all(memory, records, found.records);
            free(records);
        }
    }
    t->reward = rewards ? reward / (double)rewards : 0;
}

static void learn(struct train *t)
{
    double   sum = 0;
    uint32_t updates = 0;

    for (uint32_t i = 0; i < t->opt.updates; i++) {
        double loss = dqn_update(&t->state.dqn);

        if (!isfinite(loss))
            continue;
        sum += loss;
        updates++;
        net_mix(&t->state.smooth, &t->state.dqn.online, SMOOTH_SHARE);
    }
    t->loss = updates ? sum / updates : 0;
}

static void take_statics(struct train *t)
{
    for (uint32_t i = 0; i < TRAIN_CHECKS * TRAIN_STATICS; i++) {
        struct train_found found = found_of(t, t->opt.runs + TRAIN_CHECKS + i);

        memcpy(t->state.statics[i % TRAIN_CHECKS][i / TRAIN_CHECKS], found.fct_us, sizeof found.fct_us);
    }
    t->state.has_statics = true;
}

/* To be shorter is good; to be longer by more than a little is bad out of proportion, whoever gains by it. */
static double badness(double times)
{
    return times + (times > HARM_FROM ? HARM_WEIGHT * (times - HARM_FROM) : 0);
}

struct check { double score, over[TRAIN_STATICS][2]; };

/* How many times longer mice and elephants take than with each static setting, on average over the checks; and the
 * score, for which the better of SECN1 and SECN2 is the measure each time. */
static struct check judge(const struct train *t)
{
    struct check c = { 0 };
    uint32_t     count[2] = { 0 };

    for (uint32_t i = 0; i < TRAIN_CHECKS; i++) {
        struct train_found found = found_of(t, t->opt.runs + i);
        const double     (*fct)[2] = t->state.statics[i];

        for (int k = 0; k < 2; k++) {
            if (fct[0][k] <= 0 || fct[1][k] <= 0 || found.fct_us[k] <= 0)
                continue;
            count[k]++;
            c.score += badness(found.fct_us[k] / (fct[0][k] < fct[1][k] ? fct[0][k] : fct[1][k]));
            for (int s = 0; s < TRAIN_STATICS; s++)
                c.over[s][k] += found.fct_us[k] / fct[s][k];
        }
    }
    for (int k = 0; k < 2; k++)
        for (int s = 0; s < TRAIN_STATICS; s++)
            c.over[s][k] = count[k] ? c.over[s][k] / count[k] : 1;
    c.score = count[0] + count[1] ? c.score / (count[0] + count[1]) : 1;
    return c;
}

static void print_head(void)
{
    printf("              all runs                      checks: FCT of mice and elephants, times that of\n"
           " round  reward    loss  epsilon   score     SECN1         SECN2         SECN0         vendor\n");
}

static void print_round(const struct train *t)
{
    printf("%6u  %6.4f  %6.4f   %6.3f", t->state.rounds, t->reward, t->loss, epsilon(t));
}

static void check(struct train *t)
{
    struct train_state *s = &t->state;
    struct check        c;

    if (t->needs_statics)
        take_statics(t);
    c = judge(t);
    if (c.score < s->best_score) {
        s->best_score = c.score;
        s->best_round = s->rounds;
        net_copy(&s->best, &s->smooth);
    }
    if (t->opt.is_quiet)
        return;
    print_round(t);
    printf("  %6.4f", c.score);
    for (int i = 0; i < TRAIN_STATICS; i++)
        printf("   %5.3f %5.3f", c.over[i][0], c.over[i][1]);
    printf("%s\n", s->best_round == s->rounds ? "  best" : "");
    fflush(stdout);
}

/* Nothing is checked: the newest net is the one to keep. */
static void keep_last(struct train *t)
{
    struct train_state *s = &t->state;

    net_copy(&s->best, &s->smooth);
    s->best_round = s->rounds;
    s->best_score = 0;
    if (t->opt.is_quiet || (s->rounds % PRINT_EVERY && s->rounds + 1 < t->opt.rounds))
        return;
    print_round(t);
    putchar('\n');
    fflush(stdout);
}

/* The net is checked before it learns from the round. Runs explore with the newest net, not with the smooth one:
 * what it overrates must be tried to be found out. */
static int run_round(struct train *t, struct err *err)
{
    int rc = run_jobs(t, err);

    if (!rc) {
        take_experience(t);
        if (t->is_check)
            check(t);
        learn(t);
        if (!t->opt.check)
            keep_last(t);
        t->state.rounds++;
        rc = train_state_save(&t->state, t->state_path, err);
    }
    drop_jobs(t);
    return rc;
}

/* ---- the model ---- */

static void put_number(struct model *m, const char *key, double x)
{
    char text[40];

    snprintf(text, sizeof text, "%.10g", x);
    model_put(m, key, text);
}

static char *command_text(const struct options *o)
{
    char  *text = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    fprintf(out, "anole train acc --seed %" PRIu64 " --rounds %u --runs %u --updates %u --hold %u --check %u", o->seed,
            o->rounds, o->runs, o->updates, o->hold, o->check);
    for (uint32_t i = 0; i < o->sets; i++)
        fprintf(out, " --set %s", o->set[i]);
    fclose(out);
    return text;
}

static int write_model(struct train *t, struct err *err)
{
    char        *command = command_text(&t->opt);
    struct model m;
    int          rc;

    model_init(&m, "acc", &t->state.best);
    model_put(&m, "command", command);
    model_put(&m, "version", ANOLE_VERSION);
    model_put(&m, "traffic", "incast of 2 to 64 senders, 1 to 1000 flows of 10 KB to 10 MB, load 10 to 90 %; "
              "WebSearch and DataMining at 10 to 90 %; storage; all-to-all and halving-doubling training: src/cmd/train_traffic.c");
    put_number(&m, "generation", GENERATION);
    put_number(&m, "round", t->state.best_round);
    if (t->opt.check)
        put_number(&m, "score", t->state.best_score);
    for (int i = 0; tuner_acc.option[i].name; i++)
        if (tuner_acc.option[i].kind != OPTION_TEXT)
            put_number(&m, tuner_acc.option[i].name, t->values.value[i]);
    rc = model_save(&m, t->opt.out, err);
    if (!rc && t->opt.json)
        rc = model_save_json(&m, t->opt.json, err);
    model_fini(&m);
    free(command);
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
    if (is_there && !t->opt.is_quiet)
        printf("%s: goes on after %u rounds\n", t->state_path, t->state.rounds);
    if (!t->opt.is_quiet && t->state.rounds < t->opt.rounds)
        print_head();
    while (!rc && t->state.rounds < t->opt.rounds)
        rc = run_round(t, err);
    if (rc > 0) {
        fprintf(stderr, "anole: interrupted after %u rounds; the same command goes on from there\n", t->state.rounds);
        exit(128 + rc);
    }
    if (!rc)
        rc = write_model(t, err);
    if (!rc) {
        unlink(t->state_path);
        if (!t->opt.is_quiet)
            printf("%s: the net of round %u\n", t->opt.out, t->state.best_round);
    }
    return rc;
}

static char *path_of_state(const char *out)
{
    char *path = xmalloc(strlen(out) + sizeof ".state");

    strcpy(path, out);
    return strcat(path, ".state");
}

static int train_main(int argc, char **argv)
{
    struct train t = { .opt = { .seed = 1, .rounds = 100, .runs = 12, .updates = 1000, .hold = 4, .check = 10 } };
    struct err   err;
    int          rc;

    argp_parse(&argp, argc, argv, 0, NULL, &t.opt);
    check_options(&t.opt);
    set_values(&t);
    init_state(&t);
    t.state_path = path_of_state(t.opt.out);
    interrupt_catch();
    rc = train(&t, &err);
    free(t.state_path);
    free(t.opt.set);
    tuner_values_fini(&t.values);
    train_state_fini(&t.state);
    return rc ? cmd_fail(&err) : cmd_close_stdout();
}

const struct command command_train = { "train", "make a model for a tuner that learns", train_main };
