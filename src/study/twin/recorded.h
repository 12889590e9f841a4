/* src/study/twin/recorded.h - what people have recorded of a network's traffic: how large messages are, and
 * how busy hosts' links.
 *
 * Two tables, as CSV. Messages: `src,dst,bytes,start_us`, a row each; flows.csv of a run is one. Counters:
 * `time_s,port,bytes`, what a port has sent so far, as NICs and switches count it. Times may be in s, ms, us
 * or ns, as the name of the column says.
 */
#ifndef STUDY_TWIN_RECORDED_H
#define STUDY_TWIN_RECORDED_H

#include "base/err.h"

#include <stddef.h>

#define RECORDED_BYTES_MAX (1u << 30)
#define RECORDED_LOAD_MIN  0.001         /* below, no advice is possible */

struct recorded_size { double bytes, p; };      /* p: share of messages up to this size */

struct recorded {
    struct recorded_size *size;  /* ascending; none if read from counters */
    uint32_t sizes;
    uint64_t rows;               /* messages, or counter readings */
    uint32_t hosts;              /* or ports */
    uint32_t restarts;           /* counters that were smaller than before: nothing is known of that time */
    double   seconds;            /* duration */
    double   load;               /* of links, in the mean over hosts and time: 0 .. 1, */
    double   load_low, load_high;        /* and its first and ninth decile over the time */
    double   load_busiest;       /* load of the busiest host */
};

/* 'rate_bps' is the speed of each host's link. Written only on success; errors start with 'name'. */
int recorded_messages(struct recorded *, const char *name, const char *text, size_t bytes, uint64_t rate_bps,
                      struct err *);
int recorded_counters(struct recorded *, const char *name, const char *text, size_t bytes, uint64_t rate_bps,
                      struct err *);
void recorded_fini(struct recorded *);

/* The load to search at: a race, which goes a fifth beyond, must get to busy hours. Too low costs a lot. */
double recorded_expected(double mean, double high);

#endif
