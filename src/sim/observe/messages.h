/* src/sim/observe/messages.h - what hosts see of their messages in one monitor interval: fills a struct seen,
 * from the part of each host.
 *
 * Messages are counted when they are posted. Which of them belong together is told by sizes and times alone,
 * as a host could:
 *
 *   chained   posted just after another message of that host has ended, one it sent or one it got: requests and answers,
 *             closed loops, collectives; or so by chance
 *   a job     messages of one size of which at least half are chained, or start together with others from several hosts to
 *             several, if these hosts post about as many of them; or of a size of which most intervals before have said so: the first
 *             messages after a pause follow from none
 *   a burst   messages of one size from four hosts and more to one, posted at a time
 */
#ifndef SIM_OBSERVE_MESSAGES_H
#define SIM_OBSERVE_MESSAGES_H

#include "core/result.h"
#include "core/seen/seen_part.h"
#include "sim/sim.h"

struct messages;

/* The simulation must outlive it. */
struct messages *messages_new(const struct sim *);
void messages_free(struct messages *);

void messages_on_done(struct messages *, const struct flow_result *);

/* Of a simulation that nobody else watches: whenever a message ends it is told. */
void messages_follow(struct messages *, struct sim *);

/* What was posted and ended since the last time, or the start. */
void messages_read(struct messages *, uint64_t now_ps, struct seen *);

/* The same host by host: looks, and then a host's part; NULL: the node is a switch. */
void                    messages_look(struct messages *, uint64_t now_ps);
const struct seen_part *messages_part(const struct messages *, uint32_t node);

#endif
