/* src/cmd/compare_options.h - the command line of anole compare, and what that of anole sweep shares. */
#ifndef CMD_COMPARE_OPTIONS_H
#define CMD_COMPARE_OPTIONS_H

#include "campaign/compare_variants.h"
#include "cmd/cmd.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct options {
    const char        **path, **set;
    uint32_t            paths, sets;
    struct axis        *vary, named;
    uint32_t            varies;
    uint64_t           *seed;
    uint32_t            seeds, jobs;     /* jobs 0: as many as there are cores */
    const char         *baseline, *metrics, *out, *store;
    enum cmd_format format;
    bool                is_quiet;
};

enum {
    KEY_SET = 's', KEY_OUT = 'o', KEY_FORMAT = 'f', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_METRICS = 'm',
    KEY_BASELINE = 'b', KEY_VARY = 'v', KEY_SEEDS = 'n', KEY_VARIANT = 256, KEY_SEED_LIST, KEY_STORE,
    KEY_OWN,                     /* what a command has besides begins here */
};

/* Ends the program with a message if the command line is wrong. Texts are those of argv. */
void options_parse(struct options *, int argc, char **argv);
void options_fini(struct options *);

/* Takes an option or argument that both have: --vary, --set, --seeds, --seed-list, --metrics, --jobs, --out,
 * --store, --format, --quiet and the names of files. ARGP_ERR_UNKNOWN: it is none of these. */
error_t options_take(struct options *, int key, char *arg);

/* A number of an option, 1 .. max. */
uint32_t options_count(const char *option, const char *text, uint32_t max);

/* The seeds 1 to 'count'. */
void options_count_seeds(struct options *, uint32_t count);

#endif
