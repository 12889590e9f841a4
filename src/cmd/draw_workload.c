/* src/cmd/draw_workload.c - anole draw-workload: a random scenario, to judge tuners and settings on. */
#include "scenario/draw.h"
#include "cmd/cmd.h"

#include <argp.h>

struct options { uint64_t seed, hops; };

enum { KEY_SEED = 256, KEY_HOPS };

static const struct argp_option option_rows[] = {
    { "seed", KEY_SEED, "N", 0, "Which one (default: 1). The same number gives the same scenario", 0 },
    { "hops", KEY_HOPS, "MILLIONS", 0, "How many packet-hops a run has, about (default: 10)", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_SEED:     o->seed = cmd_seed("--seed", arg);                            break;
    case KEY_HOPS:     o->hops = cmd_count("--hops", arg, 1, 1000000) * 1000000;     break;
    case ARGP_KEY_ARG: cmd_usage("draw-workload: '%s': it takes no argument; it prints the scenario", arg);
    default:           return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .doc = "Prints a random scenario: topology (one to three tiers, rails, planes; oversubscribed or not, mixed speeds, "
           "failing links), NICs, buffers, and one to three kinds of traffic. A claim about a tuner or a setting should hold "
           "on workloads that were drawn after it was made."
           "\v"
           "Examples:\n"
           "  anole draw-workload --seed 7 > w7.yaml && anole run w7.yaml\n"
           "  for i in 1 2 3; do anole draw-workload --seed $i > w$i.yaml; done\n",
};

static int draw_workload_main(int argc, char **argv)
{
    struct options o = { .seed = 1, .hops = 10000000 };

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    draw_workload(o.seed, o.hops, stdout);
    return cmd_close_stdout();
}

const struct command command_draw_workload = { "draw-workload", "print a random scenario to judge tuners on", draw_workload_main };
