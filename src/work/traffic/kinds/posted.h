/* src/work/traffic/kinds/posted.h - API for queue pairs that always have messages posted. Hosts are node
 * numbers; arguments must be valid. */
#ifndef WORK_TRAFFIC_KINDS_POSTED_H
#define WORK_TRAFFIC_KINDS_POSTED_H

#include "work/traffic/cdf.h"
#include "work/traffic/traffic_flow.h"

/* Every sender has 'qps' queue pairs to each of its destinations. Each queue pair has its own start time,
 * uniform in spread_ps from start. From then on it has 'outstanding' messages posted: each is replaced when
 * it is acknowledged.
 *
 * period_ps > 0: message n of a queue pair is not posted before its start time + n x period_ps, so
 * 'outstanding' is an upper limit.
 *
 * redraw_ps > 0: the senders are redrawn after each redraw_ps. A draw picks the number of hosts, uniform from
 * 2 to all; that many hosts at random; and for each of them the number of active queue pairs per destination,
 * uniform from 1 to 'qps'. The others finish their posted messages and pause. Every queue pair counts
 * redraw_ps from its own start time, so that restarts are not synchronized. stop_ps must not be NEVER.
 */
enum posted_pattern {
    POSTED_MANY_TO_ONE,          /* all hosts to 'receiver' */
    POSTED_ALL_TO_ALL,           /* each host to every other host */
    POSTED_PAIRS,                /* host i of the first half to host i of the second */
};

#define POSTED_OUTSTANDING_MAX 65535u
#define POSTED_DRAWS_MAX       (1u << 24)    /* hosts x draws */

struct posted_traffic {
    enum posted_pattern pattern;
    const uint32_t     *hosts;
    uint32_t            count;
    uint32_t            receiver;
    uint32_t            qps, outstanding;
    uint64_t            bytes;           /* per message, unless there is a size table */
    uint64_t            spread_ps, period_ps, redraw_ps;
};

/* Returns the number of messages posted at a time. */
uint64_t posted_messages(const struct posted_traffic *);

/* Takes ownership of the table; NULL: no table. */
void traffic_add_posted(struct traffic *, const struct traffic_common *, const struct posted_traffic *,
                        struct cdf *);

#endif
