/* src/cmd/campaign_options.h - options that anole compare and anole sweep share. */
#ifndef CMD_CAMPAIGN_OPTIONS_H
#define CMD_CAMPAIGN_OPTIONS_H

#include "campaign/plan.h"
#include "cmd/cmd.h"

#include <argp.h>
#include <stdint.h>

enum {
    KEY_SET = 's', KEY_OUT = 'o', KEY_FORMAT = 'f', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_METRICS = 'm',
    KEY_VARY = 'v', KEY_SEEDS = 'n', KEY_SEED_LIST = 256, KEY_STORE, KEY_UNTIL,
    KEY_OWN,                     /* first key of a command's own options */
};

/* The shared rows, except --vary. 'each' names what runs with every seed; 'seeds' is the default, in
 * quotes. */
#define CAMPAIGN_OPTIONS(each, seeds, metrics, files, formats) \
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario in all runs, as in anole run", 0 }, \
    { "until", KEY_UNTIL, "TIME", 0, "End every run at this simulated time at the latest (500us)", 0 }, \
    { "seeds", KEY_SEEDS, "N", 0, "Run every " each " with the seeds 1 to N (default: " seeds ")", 0 }, \
    { "seed-list", KEY_SEED_LIST, "A,B,C", 0, "Run every " each " with these seeds", 0 }, \
    { "metrics", KEY_METRICS, "NAME,...|all", 0, metrics, 0 }, \
    { "jobs", KEY_JOBS, "N", 0, "Runs in parallel (default: number of cores; under mpirun 1 per rank)", 0 }, \
    { "out", KEY_OUT, "DIR", 0, "Write " files " into DIR, atomically when all runs have ended", 0 }, \
    { "store", KEY_STORE, "FILE", 0, "Keep finished runs in this SQLite file, and reuse those that it " \
      "contains (default: DIR.sqlite next to --out)", 0 }, \
    { "format", KEY_FORMAT, "table|csv|json", 0, formats, 0 }, \
    { "quiet", KEY_QUIET, NULL, 0, "Print errors only", 0 }

/* Reads one of the shared options, or a file name; errors end the program. Returns ARGP_ERR_UNKNOWN for other
 * options. Texts point into argv. */
error_t campaign_take_option(struct campaign_request *, enum cmd_format *, int key, char *arg);

/* Reads a number from 1 to max. */
uint32_t campaign_count(const char *option, const char *text, uint32_t max);

/* Sets the seeds 1 to 'count'. */
void campaign_count_seeds(struct campaign_request *, uint32_t count);

void campaign_request_fini(struct campaign_request *);

#endif
