/* src/cmd/cmd_draw_workload.c - anole draw-workload: a random scenario, to judge tuners and settings on. */
#include "study/scenario/draw.h"
#include "cmd/cmd.h"

struct options { uint64_t seed, millions; };

static const struct cmd_option option_rows[] = {
    { "seed", 0, "N", "Random seed (default: 1). The same seed gives the same scenario",
      KEY_AT(struct options, seed), KEY_COUNT },
    { "hops", 0, "MILLIONS", "Approximate packet-hops of a run (default: 10)",
      KEY_AT(struct options, millions), KEY_COUNT, 1, 1000000 },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .help = "Prints a random scenario: topology (one to three tiers, rails, planes; oversubscribed or not, "
            "mixed speeds, failing links), NICs, buffers, and one to three kinds of traffic. A claim about "
            "a tuner or a setting should hold on workloads that were drawn after it was made."
            "\v"
            "Examples:\n"
            "  anole draw-workload --seed 7 > w7.yaml && anole run w7.yaml\n"
            "  for i in 1 2 3; do anole draw-workload --seed $i > w$i.yaml; done\n",
};

static int draw_workload_main(int argc, char **argv)
{
    struct options o = { .seed = 1, .millions = 10 };

    cmd_parse(&line, argc, argv, &o);
    draw_workload(o.seed, o.millions * 1000000, stdout);
    return cmd_close_stdout();
}

const struct command command_draw_workload = { "draw-workload", "print a random scenario to judge tuners on",
                                               draw_workload_main };
