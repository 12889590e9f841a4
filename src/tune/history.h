/* src/tune/history.h - what a tuner did, step by step, read from the file that tells it (tuning.jsonl).
 *
 * A line of JSON for the start, with the tuner, its options and all knobs, then one for each monitor
 * interval that has ended. Keys that are not known are passed over: a later version may tell more.
 */
#ifndef TUNE_HISTORY_H
#define TUNE_HISTORY_H

#include "base/err.h"
#include "core/knobs.h"
#include "tune/tuner.h"

#include <stddef.h>
#include <stdint.h>

struct history_option { char *name, *text; };    /* as people write it: "0.85", "yes", "corrected" */

struct history_step {
    double             start_us, end_us;
    char              *phase, *why;              /* never NULL */
    double             goodput_gbps, rtt_us, paused_us;          /* NAN: not told. So below */
    double             utility, utility_throughput, utility_rtt, utility_pfc;
    double             divergence, elephants, temperature;
    enum tuner_verdict verdict;
    struct knobs       was, is;                  /* in force in the interval, and from then on */
};

struct history {
    char                  *tuner;
    struct history_option *option;
    uint32_t               options;
    struct knobs           first;                /* in force at the start */
    struct history_step   *step;
    uint32_t               steps;
};

/* Reads the text of such a file. What is wrong is refused with "name:line:column: ...": JSON that is none, a
 * line without what it must have, unknown knobs, values out of their range, times that go back. On failure
 * nothing is held. */
int  history_parse(struct history *, const char *name, const char *text, size_t length, struct err *);
void history_fini(struct history *);

#endif
