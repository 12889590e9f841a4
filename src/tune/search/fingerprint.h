/* src/tune/search/fingerprint.h - which traffic a setting was chosen for: more than the share of elephants, by which a training and RPCs at
 * ten times the load may be the same.
 *
 *   sizes, load, kinds   as hosts tell of messages: rehearse/traffic/model.h. Kinds are messages at random, bursts, collectives, closed loops
 *   fan-in               hosts that send to one at a time, where there are bursts
 *   phases               how long collectives pause, where there are any
 *   load, asymmetry      of uplinks, which is all that is known where hosts do not tell: how busy they are in the mean, and which share of
 *                        their bytes would have to move for all to be as busy
 *   elephants            share of flows, as monitors see them
 */
#ifndef TUNE_SEARCH_FINGERPRINT_H
#define TUNE_SEARCH_FINGERPRINT_H

#include "core/report.h"

#include <stdbool.h>

struct fingerprint {
    bool                 is_known;           /* something was sent */
    bool                 has_model;          /* hosts have told */
    struct traffic_model model;
    double               busy, asymmetry;    /* of uplinks, 0 .. 1 */
    double               elephants;          /* 0 .. 1 */
};

#define FINGERPRINT_WINDOW 16                /* intervals, at most, that one is made of */

struct fingerprint_interval {
    struct seen seen;
    bool        has_seen;
    double      seconds, busy, asymmetry;
    struct fsd  fsd;
};

struct fingerprint_window {
    struct fingerprint_interval last[FINGERPRINT_WINDOW];
    uint32_t                    count;       /* ever added */
    uint32_t                    hosts;
};

/* Takes in an interval; one in which nothing was sent tells nothing and is left out: false. */
bool fingerprint_add(struct fingerprint_window *, const struct report *);

/* Of the last 'intervals' that were taken in, FINGERPRINT_WINDOW at most. */
void fingerprint_make(struct fingerprint *, const struct fingerprint_window *, uint32_t intervals);

/* 0 the same, 1 as far apart as makes another setting worth looking for: the largest of what each part says. Two of which nothing is
 * known are the same, one of them is apart from all others. */
double fingerprint_distance(const struct fingerprint *, const struct fingerprint *);

/* "18.2 Gb/s per host, 100 % at random; uplinks 18 % busy". Returns buf. */
char *fingerprint_text(const struct fingerprint *, char *buf, size_t size);

#endif
