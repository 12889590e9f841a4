/* src/sim/observe/messages.h - what hosts observe of their messages in a monitor interval: fills a struct
 * seen.
 *
 * Messages are counted when they are posted. As on a real host, only sizes and times show which messages
 * belong together:
 *
 *   chained   posted just after another message that the host sent or received has ended: requests and
 *             responses, closed loops, collectives; sometimes by chance
 *   job       messages of one size, at least half of them chained or started together, from several hosts to
 *             several, with about equally many posts per host; or of a size that most earlier intervals
 *             classified as a job, because the first messages after a pause are not chained
 *   burst     messages of one size from four or more hosts to one, posted together
 */
#ifndef SIM_OBSERVE_MESSAGES_H
#define SIM_OBSERVE_MESSAGES_H

#include "core/result.h"
#include "core/seen/seen.h"
#include "sim/sim.h"

struct messages;

/* The simulation must outlive it. */
struct messages *messages_new(const struct sim *);
void messages_free(struct messages *);

void messages_on_done(struct messages *, const struct flow_result *);

/* Connects it to a simulation that has no other observer of flow completions. */
void messages_follow(struct messages *, struct sim *);

/* Reads the messages posted and finished since the last call. */
void messages_read(struct messages *, uint64_t now_ps, struct seen *);

/* The same by host: messages_look() reads, messages_part() returns a host's part; NULL: a switch. */
void                    messages_look(struct messages *, uint64_t now_ps);
const struct seen_part *messages_part(const struct messages *, uint32_t node);

#endif
