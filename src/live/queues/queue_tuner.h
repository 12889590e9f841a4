/* src/live/queues/queue_tuner.h - a tuner that runs beside the agent of a switch and sets its queues one by
 * one, as ACC does.
 *
 * The same tuners as in simulations, those with slots (tune/tuner.h). Every slot the queues' counters are
 * read, the tuner decides, and what is new is written through the agent's driver. There is no time to ask a
 * controller or people about each change, so:
 *
 *   - It acts only while agent_may_tune(): the controller has said that it may and the lease lasts, nobody
 *     has frozen anything, the agent may write, no guardrail is broken. Otherwise every queue goes back to
 *     how it was found, and that is read back. After a guardrail it stays there for 'hold_us'.
 *   - Thresholds are brought within the limits of the agent, pmax to whole percent. At most 'changes_per_s'
 *     of all queues together.
 *   - A setting is on the disk and in the audit log before it is written to a queue for the first time, with
 *     how all queues were found. So whatever a queue holds after a crash is how it was found, one of these,
 *     or somebody else's.
 *   - A queue that is again as it was found, though we have set it (a person, or the switch has started
 *     anew), takes all of them back, for 'hold_us'.
 *   - What else somebody sets stays, is what that queue goes back to from now on, and freezes the device.
 *   - A queue that has not settled is left alone; one that does not within two seconds takes all of them
 *     back.
 *
 * What was done is in the audit log once a minute, and in the agent's reports.
 */
#ifndef LIVE_QUEUES_QUEUE_TUNER_H
#define LIVE_QUEUES_QUEUE_TUNER_H

#include "live/agent/agent.h"
#include "live/queues/queue_saved.h"
#include "tune/loop.h"

struct queue_tuner_config {
    struct loop_request tuner;
    uint64_t            hold_us;         /* after a guardrail, a queue that cannot be set, or was set back */
    double              changes_per_s;   /* of all queues; INFINITY: any */
    uint64_t            seed;
};

struct queue_tuner;

/* Makes one for a device that the agent is about; all that it is given must outlive it. Refuses tuners that
 * do not set queues, that learn here, or that set all queues alike. Nothing is read or written yet. */
int  queue_tuner_new(struct queue_tuner **, const struct queue_tuner_config *, struct agent *,
                     const struct io_queues *, void *device, struct err *);
void queue_tuner_free(struct queue_tuner *);

/* Would it be one? For who checks a configuration. */
int  queue_tuner_check(const struct loop_request *, struct err *);

/* The agent has started: reads what is on the disk and what the queues hold; what is ours goes back. */
void queue_tuner_start(struct queue_tuner *, uint64_t now_us);

uint64_t queue_tuner_slot_us(const struct queue_tuner *);
void     queue_tuner_on_slot(struct queue_tuner *, uint64_t now_us);

/* At queue_tuner_timer_us() or later, and before on_slot: takes back what may not stay, sees what has
 * settled. */
void     queue_tuner_on_timer(struct queue_tuner *, uint64_t now_us);
uint64_t queue_tuner_timer_us(const struct queue_tuner *);

/* With every tick of the agent, before it: looks at all queues. */
void     queue_tuner_on_tick(struct queue_tuner *, uint64_t now_us);

/* The process ends: begins to bring all queues back. Returns whether they are; otherwise on_timer() goes on,
 * and it is asked again. */
bool     queue_tuner_leave(struct queue_tuner *, const char *why, uint64_t now_us);

#endif
