/* src/live/daemon/queues/queue_tuner.h - a tuner inside the agent of a switch, which sets queues
 * individually, as ACC does.
 *
 * It runs the tuners with slots (tune/tuner.h) that simulations use. In every slot it reads the counters,
 * lets the tuner decide, and writes new settings through the agent's driver. A slot is too short to ask a
 * controller about each change, so:
 *
 *   - It acts only while agent_may_tune(): the controller allows it, the lease lasts, nothing is frozen, the
 *     agent may write, and no guardrail is broken. Otherwise every queue is restored and read back. After a
 *     guardrail it pauses for 'hold_us'.
 *   - Thresholds are clamped to the limits of the agent, pmax is rounded to whole percent, and all queues
 *     together change at most 'changes_per_s' times per second.
 *   - Before a setting is first written to a queue, it is on the disk and in the audit log, with the initial
 *     settings of all queues. So after a crash a queue holds its initial setting, one of these, or a foreign
 *     one.
 *   - If a queue returns to its initial setting (by an operator, or a restart), all queues do, for 'hold_us'.
 *   - Any other foreign setting stays, becomes the one to restore, and freezes the device.
 *   - A queue whose last write has not settled is skipped; if it does not settle within two seconds, all
 *     queues are restored.
 *
 * The audit log gets a summary once a minute, and the agent's reports contain it.
 *
 * ACC with 'train' and 'learner: central' learns through the controller, if that has a learner. The agent
 * sends records of each interval, explores, and exchanges its net between two slots when a sound one comes.
 * Its net chooses among the same settings as before, and all of the above holds for it.
 */
#ifndef LIVE_DAEMON_QUEUES_QUEUE_TUNER_H
#define LIVE_DAEMON_QUEUES_QUEUE_TUNER_H

#include "live/agent/agent.h"
#include "tune/loop.h"

struct queue_tuner_config {
    struct loop_request tuner;
    uint64_t            hold_us;         /* pause after a guardrail, a failed write, or an external reset */
    double              changes_per_s;   /* of all queues; INFINITY: any */
};

struct queue_tuner;

/* Creates a tuner for the agent's device; all arguments must outlive it. Refuses tuners that do not set
 * queues, that learn alone, or that set all queues alike. Does not access the device yet. */
int  queue_tuner_new(struct queue_tuner **, const struct queue_tuner_config *, struct agent *,
                     const struct io_queues *, void *device, struct err *);
void queue_tuner_free(struct queue_tuner *);

/* Checks whether a tuner is usable, for configuration checks. */
int  queue_tuner_check(const struct loop_request *, struct err *);

/* The agent has started: reads the saved state and the queues, and restores our settings. */
void queue_tuner_start(struct queue_tuner *, uint64_t now_us);

uint64_t queue_tuner_slot_us(const struct queue_tuner *);
void     queue_tuner_on_slot(struct queue_tuner *, uint64_t now_us);

/* At queue_tuner_timer_us() or later, and before on_slot: reverts if it must, looks for settled writes. */
void     queue_tuner_on_timer(struct queue_tuner *, uint64_t now_us);
uint64_t queue_tuner_timer_us(const struct queue_tuner *);

/* With every tick of the agent, before it: looks at all queues. */
void     queue_tuner_on_tick(struct queue_tuner *, uint64_t now_us);

/* The process ends: restores all queues. Returns whether they are; otherwise on_timer() continues, and this
 * is called again. */
bool     queue_tuner_leave(struct queue_tuner *, const char *why, uint64_t now_us);

/* ---- the persistent state: initial settings of queues, and the settings that may have been written ---- */

#define QUEUE_SAVED_NAME         "queues"
#define QUEUE_SAVED_SETTINGS_MAX 2048
#define QUEUE_SAVED_TEXT_MAX     (1ul << 20)

struct queue_found { char name[MSG_NAME_SIZE]; struct ecn ecn; };

struct queue_saved {
    struct queue_found *found;   /* each queue that was ever set, with the setting to restore */
    uint32_t            founds;
    struct ecn         *setting; /* what we may have written to any queue */
    uint32_t            settings;
    uint64_t            number;  /* of the last write: core/keep.h */
};

void queue_saved_fini(struct queue_saved *);

int queue_saved_write(struct queue_saved *, const struct io_disk *);

/* Reads the better of two copies. -ENOENT: nothing was ever written; -EBADMSG: corrupt, or missing although
 * the audit log has settings. Nothing is allocated then. */
int queue_saved_read(struct queue_saved *, const struct io_disk *);
bool queue_saved_take(void *queue_saved, json_t *);

/* NULL: not there. */
struct queue_found *queue_saved_find(const struct queue_saved *, const char *name);
bool                queue_saved_has(const struct queue_saved *, const struct ecn *);

/* Adds or replaces entries. Returns false if the list is full. */
bool queue_saved_put(struct queue_saved *, const char *name, const struct ecn *);
bool queue_saved_add(struct queue_saved *, const struct ecn *);

#endif
