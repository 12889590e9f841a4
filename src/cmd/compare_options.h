/* src/cmd/compare_options.h - the command line of anole compare. */
#ifndef CMD_COMPARE_OPTIONS_H
#define CMD_COMPARE_OPTIONS_H

#include "cmd/compare_variants.h"

#include <stdbool.h>
#include <stdint.h>

enum compare_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct options {
    const char        **path, **set;
    uint32_t            paths, sets;
    struct axis        *vary, named;
    uint32_t            varies;
    uint64_t           *seed;
    uint32_t            seeds, jobs;     /* jobs 0: as many as there are cores */
    const char         *baseline, *metrics, *out, *store;
    enum compare_format format;
    bool                is_quiet;
};

/* Ends the program with a message if the command line is wrong. Texts are those of argv. */
void options_parse(struct options *, int argc, char **argv);
void options_fini(struct options *);

#endif
