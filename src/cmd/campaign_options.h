/* src/cmd/campaign_options.h - what the command lines of anole compare and anole sweep share. */
#ifndef CMD_CAMPAIGN_OPTIONS_H
#define CMD_CAMPAIGN_OPTIONS_H

#include "campaign/plan.h"
#include "cmd/cmd.h"

#include <argp.h>
#include <stdint.h>

enum {
    KEY_SET = 's', KEY_OUT = 'o', KEY_FORMAT = 'f', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_METRICS = 'm',
    KEY_VARY = 'v', KEY_SEEDS = 'n', KEY_SEED_LIST = 256, KEY_STORE, KEY_UNTIL,
    KEY_OWN,                     /* what a command has besides begins here */
};

/* The rows of options that both have, but --vary. 'each' is what runs with all seeds; 'seeds' is a number in quotes. */
#define CAMPAIGN_OPTIONS(each, seeds, metrics, files, formats) \
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario in all runs, as in anole run", 0 }, \
    { "until", KEY_UNTIL, "TIME", 0, "End every run at this simulated time at the latest (500us)", 0 }, \
    { "seeds", KEY_SEEDS, "N", 0, "Run every " each " with the seeds 1 to N (default: " seeds ")", 0 }, \
    { "seed-list", KEY_SEED_LIST, "A,B,C", 0, "Run every " each " with these seeds", 0 }, \
    { "metrics", KEY_METRICS, "NAME,...|all", 0, metrics, 0 }, \
    { "jobs", KEY_JOBS, "N", 0, "Runs at the same time (default: as many as there are cores; under mpirun 1 a rank)", 0 }, \
    { "out", KEY_OUT, "DIR", 0, "Write " files " into DIR. It is there whole when all runs have ended, or not at all", 0 }, \
    { "store", KEY_STORE, "FILE", 0, "Keep finished runs in this SQLite file, and do not repeat those that are in it " \
      "(default: DIR.sqlite beside --out)", 0 }, \
    { "format", KEY_FORMAT, "table|csv|json", 0, formats, 0 }, \
    { "quiet", KEY_QUIET, NULL, 0, "Print no results and no progress, only what is wrong", 0 }

/* Takes --vary, --set, --until, --seeds, --seed-list, --metrics, --jobs, --out, --store, --format, --quiet and the names of
 * files; ends the program with a message if one is wrong. ARGP_ERR_UNKNOWN: it is none of these. Texts are those of
 * argv. */
error_t campaign_take_option(struct campaign_request *, enum cmd_format *, int key, char *arg);

/* A number of an option, 1 .. max. */
uint32_t campaign_count(const char *option, const char *text, uint32_t max);

/* The seeds 1 to 'count'. */
void campaign_count_seeds(struct campaign_request *, uint32_t count);

void campaign_request_fini(struct campaign_request *);

#endif
