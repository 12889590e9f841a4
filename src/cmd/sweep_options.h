/* src/cmd/sweep_options.h - the command line of anole sweep. */
#ifndef CMD_SWEEP_OPTIONS_H
#define CMD_SWEEP_OPTIONS_H

#include "cmd/compare_options.h"
#include "campaign/sweep_points.h"

struct sweep_options {
    struct options    common;
    struct range      range[RANGES_MAX];
    uint32_t          ranges, samples, top;
    enum sweep_method method;
    uint64_t          sample_seed;
    const char       *best;          /* NULL: the default */
};

/* Ends the program with a message if the command line is wrong. Texts are those of argv. */
void sweep_options_parse(struct sweep_options *, int argc, char **argv);
void sweep_options_fini(struct sweep_options *);

#endif
