/* src/cmd/cmd_train.c - anole train: trains the models of tuners and congestion controls. */
#include "train/train.h"
#include "base/file/interrupt.h"
#include "base/json.h"
#include "study/campaign/pool.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "train/rlcc/rlcc_train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPRODUCIBLE "The same options and seed give the same model on every machine, to the last bit, " \
                     "whatever the number of jobs."
#define RESUMABLE    " An interrupted training resumes when the same command is given again."

/* Options that several kinds share. */
#define OUT_OPTION(type) \
    { "out", 'o', "FILE", "Write the model to FILE. FILE.state exists next to it until the training ends", \
      KEY_AT(type, out) }
#define SEED_OPTION(type) \
    { "seed", 0, "N", "Seed of the random numbers (default: 1)", KEY_AT(type, seed), KEY_COUNT }
#define JSON_OPTION(type) \
    { "json", 0, "FILE", "Also write the model to FILE as JSON, for reading", KEY_AT(type, json) }
#define JOBS_OPTION(type, max, what) \
    { "jobs", 'j', "N", what " in parallel (default: number of cores). Does not change the result", \
      KEY_AT(type, jobs), KEY_COUNT, 1, max }
#define FORMAT_OPTION(type) \
    { "format", 'f', "table|json", "Format of the output (default: table, with progress; json: at the end)", \
      KEY_AT(type, is_json), .choices = cmd_table_or_json }

static void need_out(const char *out)
{
    if (!out)
        cmd_usage("--out FILE is missing: the file for the model");
}

/* ---- acc ---- */

struct acc_options {
    struct train_request request;
    const char          *what;
    bool                 is_json;
};

#define REQUEST struct train_request

static const struct cmd_option acc_rows[] = {
    OUT_OPTION(REQUEST),
    { "set", 's', "OPTION=VALUE", "Option of the tuner, as in anole list tuner (gamma=0.95, slot_us=200). "
      "May be given more than once", CMD_LIST(REQUEST, set, sets) },
    SEED_OPTION(REQUEST),
    { "nics", 0, "KIND", "NICs of the networks to learn from: nvidia (defaults of the vendor), dcqcn (as in "
      "the DCQCN paper), both (default)", KEY_AT(REQUEST, nics), .choices = train_nics_names },
    { "traffic", 0, "KIND", "Traffic to learn from: all (default); published (what ACC's paper trained "
      "with, which differs from its experiments)", KEY_AT(REQUEST, traffic), .choices = train_traffic_names },
    { "search", 0, "N", "First search N generations for a rule that guides the net (default: 50; 0: no "
      "guide)", KEY_AT(REQUEST, search), KEY_COUNT, 0, 100000 },
    { "rounds", 0, "N", "Rounds of runs (default: 60)", KEY_AT(REQUEST, rounds), KEY_COUNT, 1, 100000 },
    { "runs", 0, "N", "Runs per round (default: 12)", KEY_AT(REQUEST, runs), KEY_COUNT, 1, 1000 },
    { "updates", 0, "N", "Updates of the net after each round (default: 1000)",
      KEY_AT(REQUEST, updates), KEY_COUNT, 1, 1000000 },
    { "hold", 0, "N", "Slots that a random action lasts (default: 4)", KEY_AT(REQUEST, hold), KEY_COUNT, 1,
      1000 },
    { "check", 0, "N", "Compare the net with static settings every N rounds and keep the best (default: 5; "
      "0: never, keep the last)", KEY_AT(REQUEST, check), KEY_COUNT, 0, 100000 },
    JOBS_OPTION(REQUEST, POOL_WORKERS_MAX, "Runs"),
    { "quick", 0, NULL, "Smoke test: runs are 20 times shorter. The model is not usable",
      KEY_AT(REQUEST, is_quick) },
    JSON_OPTION(REQUEST),
    FORMAT_OPTION(struct acc_options),
    CMD_QUIET(REQUEST, is_quiet),
    { 0 },
};
_Static_assert(offsetof(struct acc_options, request) == 0, "rows of the request are offsets in the options, "
    "too");
#undef REQUEST

static void add_argument(void *options, const char *text)
{
    struct acc_options   *o = options;
    struct train_request *q = &o->request;

    if (!o->what) {
        o->what = text;
        return;
    }
    q->scenario = xrealloc(q->scenario, (q->scenarios + 1) * sizeof *q->scenario);
    q->scenario[q->scenarios++] = text;
}

static const struct cmd_line acc_line = {
    .options = acc_rows,
    .argument = { "scenario", .add = add_argument },
    .missing = "which model? anole train acc --out FILE; see anole train --help",
    .args = "acc|rlcc [SCENARIO...]",
    .help = "Trains a model: for the tuner acc, or for the congestion control rlcc (see 'anole train rlcc "
            "--help').\n\n"
            "The training for acc first searches for a simple rule with a few cells, which then guides the "
            "net. Rounds of short runs on random networks and traffic follow, in which net and rule "
            "explore. After each round the net learns from all of them. Every few rounds it is compared "
            "with static settings on other traffic; the best net is written. With scenarios, it learns from "
            "these instead, each with many seeds. A scenario may replay recorded flows."
            "\v"
            "Examples:\n"
            "  anole train acc --out model.acc\n"
            "      Trains a model in about a quarter of an hour, on two cores.\n"
            "  anole train acc --search 0 --check 0 --traffic published \\\n"
            "      --set loss=squared --set draw=reward --out own.acc\n"
            "      Uses the paper's method alone.\n"
            "  anole train acc monday.yaml friday.yaml --out ours.acc\n"
            "      Learns from the traffic of two scenarios.\n"
            "  anole run incast.yaml --set tuner=acc:model.acc\n"
            "      Runs a network that the model tunes.\n"
            "\n" REPRODUCIBLE RESUMABLE,
};

static void print_acc_json(const struct train *t)
{
    cmd_print_json(JSON_OF({ "model", JSON("acc") }, { "out", JSON(t->request.out) },
                           { "seed", json_of_seed(t->request.seed) },
                           { "generations", JSON(t->state.generations) },
                           { "rule_score", JSON(t->state.generations ? t->state.rule_score : NAN) },
                           { "rounds", JSON(t->state.rounds) }, { "best_round", JSON(t->state.best_round) },
                           { "best_score", JSON(t->request.check ? t->state.best_score : NAN) }));
}

static int train_acc(int argc, char **argv)
{
    struct acc_options o = { .request = train_initial };
    struct train       t;
    struct err         err;

    cmd_parse(&acc_line, argc, argv, &o);
    if (strcmp(o.what, "acc") != 0)
        cmd_usage("'%s' cannot be trained; there are acc, and rlcc, which precedes its options", o.what);
    need_out(o.request.out);
    o.request.is_quiet |= o.is_json;
    if (train_open(&t, &o.request, &err))
        cmd_usage("%s", err.text);
    interrupt_catch();
    int rc = train_run_all(&t, &err);
    if (!rc && o.is_json)
        print_acc_json(&t);
    train_close(&t);
    free(o.request.set);
    free(o.request.scenario);
    return cmd_end(rc, &err);
}

/* ---- rlcc ---- */

struct rlcc_options {
    struct rlcc_request request;
    bool                is_json;
};

#define REQUEST struct rlcc_request

static void set_body(void *into, const char *text)
{
    static const char *const      names[] = { "mlp", "lstm", NULL };
    static const enum policy_body bodies[] = { POLICY_MLP, POLICY_LSTM };

    ((REQUEST *)into)->body = bodies[cmd_choice("--body", text, names)];
}

static const struct cmd_option rlcc_rows[] = {
    OUT_OPTION(REQUEST),
    { "body", 0, "mlp|lstm", "What learns: a net of 204 weights (default), or one with memory",
      .add = set_body },
    { "world", 'w', "WORLD", "World to learn in: many_to_one:HOSTS_QPS, all_to_all:HOSTS_QPS or "
      "long_short:HOSTS; with links of another delay and rate many_to_one:8_1@5us,400Gbps. May be given more "
      "than once (default: those of the published training)", CMD_LIST(REQUEST, world, worlds) },
    SEED_OPTION(REQUEST),
    { "updates", 0, "N", "Updates of the weights (default: 1000)", KEY_AT(REQUEST, updates), KEY_COUNT, 1,
      1000000 },
    { "warm-up", 0, "N", "Number of first updates that learn from 1024 steps of each world (default: 50)",
      KEY_AT(REQUEST, warm_up), KEY_COUNT, 0, 1000000 },
    { "steps", 0, "N", "Steps of every agent for each later update, or 8000 of a world (default: 15)",
      KEY_AT(REQUEST, steps), KEY_COUNT, 3, 1000 },
    { "renew", 0, "N", "Restart each world after N updates, and save the training after 5 N (default: 100)",
      KEY_AT(REQUEST, renew), KEY_COUNT, 1, 1000000 },
    { "mtu", 0, "BYTES", "Payload of a packet, 256 .. 8192 (default: 4096)",
      KEY_AT(REQUEST, mtu_bytes), KEY_COUNT, 256, 8192 },
    { "rate", 0, "X", "Learning rate of Adam (default: 0.01)", KEY_AT(REQUEST, rate), KEY_REAL, 1e-6, 1 },
    { "rate-end", 0, "X", "Fraction to which the learning rate falls in the second half (default: 0.02; "
      "published: 1)", KEY_AT(REQUEST, rate_end), KEY_REAL, 0, 1 },
    { "gamma", 0, "X", "Weight of the next step (default: 0.99; 0: equation 3 of the paper alone)",
      KEY_AT(REQUEST, gamma), KEY_REAL, 0, 1 },
    { "smoothing", 0, "X", "Weight of differences between actions (default: 1)",
      KEY_AT(REQUEST, smoothing), KEY_REAL, 0, 100 },
    { "hide-history", 0, NULL, "Flows other than the first see actions of 1: the defect of the published "
      "environment", KEY_AT(REQUEST, hides_history) },
    JOBS_OPTION(REQUEST, POOL_WORKERS_MAX, "Worlds"),
    JSON_OPTION(REQUEST),
    FORMAT_OPTION(struct rlcc_options),
    { "quiet", 'q', NULL, "Print errors only, and skip the checks", KEY_AT(REQUEST, is_quiet) },
    { 0 },
};
_Static_assert(offsetof(struct rlcc_options, request) == 0, "rows of the request are offsets in the "
    "options, too");
#undef REQUEST

static const struct cmd_line rlcc_line = {
    .options = rlcc_rows,
    .help = "Trains a policy for the congestion control rlcc from scratch. The flows of several simulated "
            "worlds are agents that share it. After each rollout the analytic policy gradient (ADPG) "
            "updates the policy. Finally prints what the policy does next to the paper's table, and how it "
            "performs in worlds not used for training."
            "\v"
            "Examples:\n"
            "  anole train rlcc --out my.model\n"
            "      Trains a model in some minutes.\n"
            "  anole run scenarios/cc_rlcc.yaml --set rlcc=my.model\n"
            "      Runs a network that the model controls.\n"
            "\n" REPRODUCIBLE RESUMABLE,
};

static void print_rlcc_json(const struct rlcc_train *t)
{
    struct rule_cfg rule = { 0 };

    cmd_print_json(JSON_OF({ "model", JSON("rlcc") }, { "out", JSON(t->request.out) },
                           { "seed", json_of_seed(t->request.seed) }, JSON_FIELD(t, updates),
                           { "policy", policy_json(&t->policy, &rule) }));
}

static int train_rlcc(int argc, char **argv)
{
    struct rlcc_options o = { .request = rlcc_initial };
    struct rlcc_train   t;
    struct err          err;

    cmd_parse(&rlcc_line, argc, argv, &o);
    need_out(o.request.out);
    o.request.is_quiet |= o.is_json;
    if (rlcc_train_open(&t, &o.request, &err))
        cmd_usage("%s", err.text);
    interrupt_catch();
    int rc = rlcc_train_run(&t, &err);
    if (!rc && o.is_json)
        print_rlcc_json(&t);
    rlcc_train_close(&t);
    free(o.request.world);
    return cmd_end(rc, &err);
}

/* ---- the command ---- */

static int train_main(int argc, char **argv)
{
    static char title[] = "anole train rlcc";

    if (argc < 2 || strcmp(argv[1], "rlcc") != 0)
        return train_acc(argc, argv);
    argv[1] = title;
    return train_rlcc(argc - 1, argv + 1);
}

const struct command command_train = {
    "train", "train a model for a tuner or a congestion control", train_main,
};
