/* src/cmd/train.c - anole train: makes a model for a tuner that learns; for a congestion control: train_rlcc.c. */
#include "train/train.h"
#include "base/file/interrupt.h"
#include "base/json.h"
#include "campaign/pool.h"
#include "cmd/cmd.h"
#include "cmd/json/cmd_json.h"
#include "cmd/train_opening.h"
#include "cmd/train_rlcc.h"
#include "cmd/train_twin.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct train_request request;
    const char          *what;   /* is trained */
    bool                 is_json;
};

enum { KEY_SET = 's', KEY_OUT = 'o', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_FORMAT = 'f', KEY_SEED = 256, KEY_SEARCH,
       KEY_ROUNDS, KEY_RUNS, KEY_UPDATES, KEY_HOLD, KEY_CHECK, KEY_JSON, KEY_QUICK, KEY_NICS, KEY_TRAFFIC };

static const struct argp_option option_rows[] = {
    { "out", KEY_OUT, "FILE", 0, "Write the model into FILE. FILE.state is beside it until the training is over", 0 },
    { "set", KEY_SET, "OPTION=VALUE", 0, "An option of the tuner, as in anole list tuner (gamma=0.95, "
      "slot_us=200). May be given more than once", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers (default: 1)", 0 },
    { "nics", KEY_NICS, "KIND", 0, "NICs of the networks to learn from: nvidia, as they come; dcqcn, as in the "
      "DCQCN paper; both (default)", 0 },
    { "traffic", KEY_TRAFFIC, "KIND", 0, "What to learn from: all (default); published, what ACC's paper says it "
      "trained with, which is not what its experiments have", 0 },
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
    { "format", KEY_FORMAT, "table|json", 0, "How it is told (default: table, with progress; json: once, in the end)", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no progress, only what is wrong", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options       *o = state->input;
    struct train_request *r = &o->request;

    switch (key) {
    case KEY_OUT:      r->out = arg;                                                          break;
    case KEY_SET:      cmd_add_set(&r->set, &r->sets, arg);                                   break;
    case KEY_SEED:     r->seed = cmd_seed("--seed", arg);                                     break;
    case KEY_NICS:     r->nics = (enum train_nics)cmd_choice("--nics", "no kind of NICs", arg, train_nics_names); break;
    case KEY_TRAFFIC:
        r->traffic = (enum train_traffic)cmd_choice("--traffic", "no kind of traffic", arg, train_traffic_names);
        break;
    case KEY_SEARCH:   r->search = (uint32_t)cmd_count("--search", arg, 0, 100000);           break;
    case KEY_ROUNDS:   r->rounds = (uint32_t)cmd_count("--rounds", arg, 1, 100000);           break;
    case KEY_RUNS:     r->runs = (uint32_t)cmd_count("--runs", arg, 1, 1000);                 break;
    case KEY_UPDATES:  r->updates = (uint32_t)cmd_count("--updates", arg, 1, 1000000);        break;
    case KEY_HOLD:     r->hold = (uint32_t)cmd_count("--hold", arg, 1, 1000);                 break;
    case KEY_CHECK:    r->check = (uint32_t)cmd_count("--check", arg, 0, 100000);             break;
    case KEY_JOBS:     r->jobs = (uint32_t)cmd_count("--jobs", arg, 1, POOL_WORKERS_MAX);     break;
    case KEY_JSON:     r->json = arg;                                                         break;
    case KEY_QUICK:    r->is_quick = true;                                                    break;
    case KEY_FORMAT:   o->is_json = cmd_is_json(arg);                                         break;
    case KEY_QUIET:    r->is_quiet = true;                                                    break;
    case ARGP_KEY_ARG: cmd_take_one(&o->what, arg, "tuner");                                  break;
    default:           return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void check_options(const struct options *o)
{
    if (!o->what)
        cmd_usage("what is to be trained? anole train acc --out FILE, anole train rlcc --out FILE, anole train twin --out FILE, anole train opening; see anole train --help");
    if (strcmp(o->what, "acc") != 0)
        cmd_usage("'%s' is nothing that is trained; there are acc, and rlcc, twin and opening, which come before their options", o->what);
    if (!o->request.out)
        cmd_usage("where is the model to be written? Give --out FILE");
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "acc|rlcc|twin|opening",
    .doc = "Trains what decides by a model: the tuner acc; the congestion control rlcc, whose options 'anole train rlcc "
           "--help' tells; or what the tuner rehearse begins with, 'anole train twin --help' and 'anole train opening --help'.\n\n"
           "Makes a model for the tuner acc. First rules of a few cells are tried against each other, generation by "
           "generation; the best is the guide of the net. Then come rounds of short runs on random networks and "
           "traffic, in which net and rule explore, and after each round the net learns from all of them. Every few "
           "rounds it is held against static settings on other traffic; the model that is written is the one that was "
           "best at that."
           "\v"
           "Examples:\n"
           "  anole train acc --out model.acc\n"
           "      A model in a quarter of an hour or so, on two cores.\n"
           "  anole train acc --search 0 --check 0 --traffic published --set loss=squared --set draw=reward --out own.acc\n"
           "      The same by the paper's method alone.\n"
           "  anole run incast.yaml --set tuner=acc:model.acc\n"
           "      A network that it tunes.\n"
           "\n"
           "The same options and seed give the same model on every machine, to the last bit, whatever the "
           "number of jobs. An interrupted training goes on where it was when the same command is given again.",
};

static void tell(const struct train *t)
{
    json_t *all = json_object();

    json_put_text(all, "model", "acc");
    json_put_text(all, "out", t->request.out);
    json_object_set_new(all, "seed", json_of_seed(t->request.seed));
    json_put_count(all, "generations", t->state.generations);
    json_put_number(all, "rule_score", t->state.generations ? t->state.rule_score : NAN);
    json_put_count(all, "rounds", t->state.rounds);
    json_put_count(all, "best_round", t->state.best_round);
    json_put_number(all, "best_score", t->request.check ? t->state.best_score : NAN);
    cmd_print_json(all);
}

static int train_main(int argc, char **argv)
{
    struct options o = { .request = train_initial };
    struct train   t;
    struct err     err;
    bool           is_told;
    int            rc;

    if (argc > 1 && strcmp(argv[1], "rlcc") == 0)
        return train_rlcc_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "twin") == 0)
        return train_twin_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "opening") == 0)
        return train_opening_main(argc, argv);
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    check_options(&o);
    is_told = o.is_json && !o.request.is_quiet;
    o.request.is_quiet |= o.is_json;
    if (train_open(&t, &o.request, &err))
        cmd_usage("%s", err.text);
    interrupt_catch();
    rc = train_run_all(&t, &err);
    if (!rc && is_told)
        tell(&t);
    train_close(&t);
    free(o.request.set);
    return cmd_end(rc, &err);
}

const struct command command_train = { "train", "make a model for a tuner or a congestion control that learns", train_main };
