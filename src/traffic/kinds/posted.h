/* src/traffic/kinds/posted.h - queue pairs that always have messages posted, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_POSTED_H
#define TRAFFIC_KINDS_POSTED_H

#include "traffic/cdf.h"
#include "traffic/flow.h"

/* Every sender has 'qps' queue pairs to each of its destinations, each with a beginning of its own, uniform in spread_ps
 * from start on. From there on a queue pair has 'outstanding' messages posted: when one is acknowledged the next is posted
 * at once.
 *
 * period_ps > 0: message n of a queue pair is not posted before its beginning + n x period_ps. So there are 'outstanding'
 * at most.
 * redraw_ps > 0: after each redraw_ps it is drawn anew who sends: a number of hosts, uniform from 2 to all, as many hosts
 * chosen at random, and for each of them the number of queue pairs to each destination that it uses, uniform from 1 to
 * 'qps'. The others finish what they have posted and wait until their turn comes. Every queue pair counts redraw_ps from its
 * own beginning on, so that those that start again do not all do so at the same moment. stop_ps must not be NEVER. */
enum posted_pattern {
    POSTED_MANY_TO_ONE,          /* all hosts to 'receiver' */
    POSTED_ALL_TO_ALL,           /* each host to every other one */
    POSTED_PAIRS,                /* host i of the first half to host i of the second */
};

#define POSTED_OUTSTANDING_MAX 65535u
#define POSTED_DRAWS_MAX       (1u << 24)    /* hosts x times that it is drawn who sends */

struct posted_traffic {
    enum posted_pattern pattern;
    const uint32_t     *hosts;
    uint32_t            count;
    uint32_t            receiver;
    uint32_t            qps, outstanding;
    uint64_t            bytes;           /* of each message, unless there is a table */
    uint64_t            spread_ps, period_ps, redraw_ps;
};

/* How many messages are posted at a time. */
uint64_t posted_messages(const struct posted_traffic *);

/* The table is taken over; NULL: there is none. */
void traffic_add_posted(struct traffic *, const struct traffic_common *, const struct posted_traffic *, struct cdf *);

#endif
