/* src/sim/observe/messages.h - what hosts see of their messages in a monitor interval: fills a struct seen.
 *
 * Messages are counted when they are posted. Sizes and times alone show which belong together, as on a real
 * host:
 *
 *   chained   posted just after another message that the host sent or received has ended: requests and
 *             answers, closed loops, collectives; or by chance
 *   a job     messages of one size, at least half of them chained or started together with others from
 *             several hosts to several, if these hosts post about equally many; or of a size that most
 *             earlier intervals found to be a job: the first messages after a pause follow from none
 *   a burst   messages of one size from four or more hosts to one, posted together
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

/* Connects it to a simulation without other observers of ends. */
void messages_follow(struct messages *, struct sim *);

/* Reads the messages posted and ended since the last call. */
void messages_read(struct messages *, uint64_t now_ps, struct seen *);

/* The same by host: looks, then returns the part of a host, or NULL for a switch. */
void                    messages_look(struct messages *, uint64_t now_ps);
const struct seen_part *messages_part(const struct messages *, uint32_t node);

#endif
