/* src/cmd/train_twin.c - see train_twin.h. */
#include "cmd/train_twin.h"

#include "cmd/cmd.h"
#include "train/twin/twin_train.h"

#include <argp.h>
#include <stdlib.h>

struct options {
    struct twin_request request;
    const char         *what;    /* "twin" */
};

enum { KEY_OUT = 'o', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_SEED = 256, KEY_ROUNDS, KEY_NETWORKS, KEY_EPOCHS, KEY_QUICK, KEY_JSON };

static const struct argp_option option_rows[] = {
    { "out", KEY_OUT, "FILE", 0, "Write the model into FILE", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers (default: 1)", 0 },
    { "rounds", KEY_ROUNDS, "N", 0, "Rounds of new networks (default: 4)", 0 },
    { "networks", KEY_NETWORKS, "N", 0, "Networks of a round (default: 32)", 0 },
    { "epochs", KEY_EPOCHS, "N", 0, "Times that a fit goes through all that was tried (default: 120)", 0 },
    { "jobs", KEY_JOBS, "N", 0, "Trials at the same time (default: as many as there are cores). The model is the same", 0 },
    { "quick", KEY_QUICK, NULL, 0, "Trials are twenty times shorter: to see how it goes, not for a model that is of use", 0 },
    { "json", KEY_JSON, "FILE", 0, "Write the model into FILE, too, as JSON for people to read", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no progress, only what is wrong", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options      *o = state->input;
    struct twin_request *r = &o->request;

    switch (key) {
    case KEY_OUT:      r->out = arg;                                                    break;
    case KEY_SEED:     r->seed = cmd_seed("--seed", arg);                               break;
    case KEY_ROUNDS:   r->rounds = (uint32_t)cmd_count("--rounds", arg, 1, 1000);       break;
    case KEY_NETWORKS: r->networks = (uint32_t)cmd_count("--networks", arg, 1, 100000); break;
    case KEY_EPOCHS:   r->epochs = (uint32_t)cmd_count("--epochs", arg, 1, 100000);     break;
    case KEY_JOBS:     r->jobs = (uint32_t)cmd_count("--jobs", arg, 1, 64);             break;
    case KEY_QUICK:    r->is_quick = true;                                              break;
    case KEY_JSON:     r->json = arg;                                                   break;
    case KEY_QUIET:    r->is_quiet = true;                                              break;
    case ARGP_KEY_ARG: cmd_take_one(&o->what, arg, "thing to train");                   break;
    default:           return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "twin",
    .doc = "Makes the model that the tuner rehearse begins with: a small net that says what a setting is worth on a network with such "
           "traffic, without a trial. It is fitted to a campaign of short trials on random networks with random traffic, in rounds: from the "
           "second on, settings that the net of the round before would choose are among those that are tried, which also tells "
           "what its choices are worth on networks that it has not met."
           "\v"
           "Examples:\n"
           "  anole train twin --out twin.model\n"
           "      A model in five minutes or so, on two cores.\n"
           "  anole train twin --quick --out quick.model\n"
           "      To see how it goes.\n"
           "\n"
           "The same options and seed give the same model on every machine, to the last bit, whatever the number of jobs.",
};

int train_twin_main(int argc, char **argv)
{
    struct options      o = { .request = twin_initial };
    struct twin_trained trained;
    struct err          err;
    int                 rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (!o.request.out)
        cmd_usage("where is the model to be written? Give --out FILE");
    rc = twin_train(&o.request, &trained, &err);
    if (!rc) {
        rc = twin_train_save(&o.request, &trained, &err);
        net_fini(&trained.net);
    }
    return cmd_end(rc, &err);
}
