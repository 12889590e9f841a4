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
