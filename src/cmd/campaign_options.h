/* src/cmd/campaign_options.h - options that anole compare and anole sweep share. */
#ifndef CMD_CAMPAIGN_OPTIONS_H
#define CMD_CAMPAIGN_OPTIONS_H

#include "campaign/campaign_runs.h"
#include "cmd/cmd.h"

#include "campaign/pool.h"

#include <stdint.h>

/* The shared rows of a struct that starts with a struct campaign_request. 'each' names what runs with every
 * seed; 'seeds' is the default, in quotes. */
#define CAMPAIGN_OPTIONS(each, seeds, metrics_help, files) \
    { "seeds", 'n', "N", "Run every " each " with the seeds 1 to N (default: " seeds ")", \
      .add = campaign_add_seeds }, \
    { "seed-list", 0, "A,B,C", "Run every " each " with these seeds", .add = campaign_list_seeds }, \
    CMD_SET(struct campaign_request, set, sets), \
    CMD_UNTIL(struct campaign_request, until_ps), \
    { .help = "Results:" }, \
    { "metrics", 'm', "NAME,...|all", metrics_help, KEY_AT(struct campaign_request, metrics) }, \
    { "out", 'o', "DIR", "Write " files " to DIR, atomically when all runs have ended", \
      KEY_AT(struct campaign_request, out) }, \
    CMD_QUIET(struct campaign_request, is_quiet), \
    { .help = "Runs:" }, \
    { "jobs", 'j', "N", "Parallel runs (default: one per core; under mpirun 1 per rank)", \
      KEY_AT(struct campaign_request, jobs), KEY_COUNT, 1, POOL_WORKERS_MAX }, \
    { "store", 0, "FILE", "Keep finished runs in this SQLite file, and reuse those that it contains " \
      "(default: DIR.sqlite next to --out)", KEY_AT(struct campaign_request, store) }
#define CAMPAIGN_VARY(help) { "vary", 'v', "KEY=A,B,C", help, .add = campaign_add_vary }

/* Functions of the rows. Errors end the program. */
void campaign_add_seeds(void *request, const char *text);
void campaign_list_seeds(void *request, const char *text);
void campaign_add_vary(void *request, const char *text);

/* Sets the seeds 1 to 'count'. */
void campaign_count_seeds(struct campaign_request *, uint32_t count);

void campaign_request_fini(struct campaign_request *);

#endif
