/* src/cmd/train_opening.c - see train_opening.h. */
#include "cmd/train_opening.h"

#include "cmd/cmd.h"
#include "train/twin/opening_train.h"

#include <argp.h>
#include <stdlib.h>

struct options {
    struct opening_request request;
    const char            *what;     /* "opening" */
};

enum { KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_SEED = 256, KEY_GENERATIONS, KEY_NETWORKS, KEY_CHECK, KEY_QUICK };

static const struct argp_option option_rows[] = {
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers (default: 1)", 0 },
    { "generations", KEY_GENERATIONS, "N", 0, "Generations of twelve settings (default: 30)", 0 },
    { "networks", KEY_NETWORKS, "N", 0, "New networks that each generation meets (default: 24)", 0 },
    { "check", KEY_CHECK, "N", 0, "Networks that were not met, on which it is held against default, bdp and gentle in the end (default: 64)", 0 },
    { "jobs", KEY_JOBS, "N", 0, "Trials at the same time (default: as many as there are cores). What is found is the same", 0 },
    { "quick", KEY_QUICK, NULL, 0, "Trials are twenty times shorter: to see how it goes", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no progress", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options         *o = state->input;
    struct opening_request *r = &o->request;

    switch (key) {
    case KEY_SEED:        r->seed = cmd_seed("--seed", arg);                                        break;
    case KEY_GENERATIONS: r->generations = (uint32_t)cmd_count("--generations", arg, 0, 100000);    break;
    case KEY_NETWORKS:    r->networks = (uint32_t)cmd_count("--networks", arg, 1, 100000);          break;
    case KEY_CHECK:       r->check = (uint32_t)cmd_count("--check", arg, 0, 100000);                break;
    case KEY_JOBS:        r->jobs = (uint32_t)cmd_count("--jobs", arg, 1, 64);                      break;
    case KEY_QUICK:       r->is_quick = true;                                                       break;
    case KEY_QUIET:       r->is_quiet = true;                                                       break;
    case ARGP_KEY_ARG:    cmd_take_one(&o->what, arg, "thing to train");                            break;
    default:              return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "opening",
    .doc = "Looks for the setting that the tuner rehearse opens with (opening: fabric), before it has seen any traffic: one point of "
           "the space of searches, whose axes are in units of each network's line rate and round trip. Each generation of the search "
           "meets new random networks with random traffic; in the end it is held against default, bdp and gentle on networks that it has "
           "not met. It prints the row of numbers for src/tune/rehearse/opening.c; nothing is written."
           "\v"
           "Examples:\n"
           "  anole train opening\n"
           "      The search as it was made for what ships.\n"
           "  anole train opening --generations 0 --check 64\n"
           "      What bdp, gentle and the opening that ships are worth on 64 random networks.\n"
           "\n"
           "The same options and seed print the same on every machine, whatever the number of jobs.",
};

int train_opening_main(int argc, char **argv)
{
    struct options o = { .request = opening_initial };
    struct err     err;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    return cmd_end(opening_train(&o.request, stdout, &err), &err);
}
