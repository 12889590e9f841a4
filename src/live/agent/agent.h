/* src/live/agent/agent.h - the agent of one device: only it writes to the device, and it reverts its own
 * writes.
 *
 * A state machine over (clock, network, disk, device). A change passes through these phases:
 *
 *   IDLE --prepare--> PREPARED --commit at T--> SCHEDULED --T--> APPLIED --confirm--> IDLE, and it stays
 *                                                                  |
 *              asked to, lease ended, guardrail, newer controller, |
 *              read back differently, frozen, foreign edit, stop   +--> written back, read back --> IDLE
 *
 * Guarantees, whatever happens to the controller, the network and the agent itself:
 *
 *   - It only observes unless its configuration allows writes. It never writes a value outside the limits.
 *   - The initial setting of the device is on the disk before the first write, and each write is in the
 *     audit log before it happens.
 *   - An unconfirmed setting is reverted when the lease ends, by the guard of the device (live/guard) if
 *     the agent cannot. A lease counts from the time at which the agent sent the report that the controller
 *     answered, by the agent's own clock: late or repeated renewals prolong nothing.
 *   - A value set outside Anole is noticed within an interval, is never overwritten, becomes the baseline,
 *     and freezes the device.
 *   - It obeys only the newest controller.
 *   - If something cannot be read, written or saved, nothing is changed. A failed revert is retried.
 *   - A damaged or missing file does not prevent a revert (see below). If no record of the correct setting
 *     is left, the agent says so and observes.
 */
#ifndef LIVE_AGENT_AGENT_H
#define LIVE_AGENT_AGENT_H

#include "live/core/audit.h"
#include "live/core/guard.h"
#include "live/core/io.h"
#include "live/core/keep.h"
#include "live/core/limits.h"

/* ---- the persistent state ----
 *
 * It is on the disk before anything relies on it: in two copies of 'state' (core/keep.h), in the audit log,
 * and the baseline alone in a file. So the device is restored whichever of these is damaged or missing;
 * saved_read() takes the best. */

#define SAVED_NAME       "state"
#define SAVED_BASELINE   "baseline"
#define SAVED_DOUBTS_MAX 8
#define SAVED_TEXT_MAX   65536

struct saved {
    uint64_t        term;        /* the highest that was obeyed */
    bool            has_baseline;
    struct knob_set baseline;    /* values before our first write, or foreign ones set since */
    struct knob_set confirmed;   /* correct values if no change is open */

    /* Settings that we tried to write and that are not confirmed: the device may hold them now or later.
     * Other unconfirmed values were set outside Anole. */
    struct knob_set doubt[SAVED_DOUBTS_MAX];
    uint32_t        doubts;

    char            frozen[MSG_WHY_SIZE];        /* why; "": not frozen */
    double          switches_left, lasting_left; /* of the budgets */

    uint64_t        number;      /* of the last write: core/keep.h */
    struct knob_set kept;        /* what the file of the baseline has */
};

int saved_write(struct saved *, const struct io_disk *);

enum saved_source {
    SAVED_WHOLE,
    SAVED_COPY,                  /* one copy of two */
    SAVED_LOG,                   /* neither copy: values from the audit log, else the baseline */
    SAVED_FOUND,                 /* the baseline alone */
    SAVED_NEW,                   /* nothing was ever written */
    SAVED_FIRST,                 /* the log of an interrupted first start: initial values, no writes yet */
    SAVED_LOST,                  /* something was written, and none of it can be read */
};

/* Source of the loaded state. After SAVED_LOG or the baseline only confirmed values are known, so our values
 * cannot be distinguished from foreign ones. */
enum saved_source saved_read(struct saved *, const struct io_disk *);

/* Reads a struct saved from JSON. Returns false, and writes nothing, if it is malformed. */
bool saved_take(void *saved, json_t *);

/* Adds a setting unless it is in the list. Returns false if the list is full. One entry stays free for the
 * value that the device makes of a write. */
bool saved_doubt(struct saved *, const struct knob_set *);

/* ---- the agent ---- */

struct agent_config {
    char                name[MSG_NAME_SIZE];
    enum knob_where     where;
    uint64_t            lease_us;        /* NIC 3 s, switch 30 s */
    uint64_t            interval_us;     /* between reports */
    uint64_t            gap_us;          /* least time between changes; reverts do not wait */
    uint32_t            switches_per_day, lasting_per_day;
    bool                may_write;       /* false: observe only */
    struct limits       limits;
    struct guard_limits guard;
    struct msg_facts    facts;           /* about its device */
    bool                has_tuner;       /* its own (live/queues): the controller does not set the device */
    bool                is_rescue;       /* only restores: what a device holds does not count as correct */
};

struct agent_io {
    struct io_disk   disk;
    struct io_device device;
    struct io_guard  guard;
    uint64_t (*now_us)(void *);                  /* the clock; NULL: the time at which a hook was called */
    void (*send)(void *, const struct msg *);    /* to the controller; may be lost */
    void (*tell)(void *, const char *line);      /* logs a write and its reason; NULL: disabled */
    void *arg;
};

struct agent {
    const struct agent_config *cfg;
    struct agent_io io;
    struct audit    audit;
    struct saved    saved;
    struct guard    guard;
    struct budget   switches, lasting;
    uint64_t        incarnation;
    bool            is_dirty;            /* saved is not on the disk yet */
    bool            is_lost;             /* the correct setting is unknown: observes until an operator acts */
    enum saved_source source;            /* of 'saved', when it started */
    bool            owns_all;            /* reverts all unconfirmed values: they may be foreign or ours */
    bool            needs_mending;       /* damaged files are repaired once the device is */

    struct knob_set device;              /* as last read */
    bool            is_seen;             /* it has been read since the start */
    uint64_t        read_us;             /* when it was read last */
    uint64_t        looked_us;           /* the same, by the clock and not by the hook that read it */
    bool            is_unreadable;       /* for long: see DEVICE_UNREAD_US */
    struct knob_set adopted;             /* foreign values that are not in the audit log yet */

    enum msg_phase  phase;
    uint64_t        change, change_term;
    bool            is_drill;            /* the open change is a drill: it changes no value */
    struct knob_set wanted;
    bool            owes_revert;         /* the log has its 'apply', and neither 'revert' nor 'confirm' */
    uint64_t        at_us;               /* SCHEDULED: when to apply; APPLIED: when to revert, or NEVER */
    uint64_t        lease_until_us;
    double          control;             /* pauses of the control group, from the last lease; NAN: unknown */
    bool            is_brief;            /* reports may be brief while the lease lasts */
    uint64_t        confirmed_change;    /* the last */
    uint64_t        reverted_change;     /* the last; answered when it is done */
    uint64_t        ended_change, ended_term;    /* the last change: late messages do not start it again */
    bool            is_broken;           /* a revert has not succeeded yet: it is tried again at retry_us */
    char            broken_why[MSG_WHY_SIZE];    /* why it was due */
    uint64_t        retry_us;
    uint64_t        written_us;          /* the last write */
    uint64_t        tick_us;             /* the last tick, or the start */
    uint64_t        awake_us;            /* time since the start without the time that the machine slept */
    /* Of awake_us. Until then a failed write, in this life or before, may still take effect, or any write. */
    uint64_t        late_until_us, doubt_until_us;

    struct msg_self self;                /* of a tuner of its own; the controller sets is_allowed */
    void (*on_learn)(void *, const struct msg *, uint64_t now_us);       /* NULL: the tuner does not learn */
    void           *learn_arg;

    bool            has_news;            /* the last hello is out of date */
    char            stopped[MSG_WHY_SIZE];       /* by a file: why; "": not */
    char            breach[MSG_WHY_SIZE];        /* guardrail broken in the last interval; "" */
    struct msg_sample sample;
};

/* Why its device takes no change; NULL: it does. Such an agent observes. */
static inline const char *agent_refusal(const struct agent *a)
{
    const char *why = a->io.guard.refuses ? a->io.guard.refuses(a->io.guard.arg) : NULL;

    return why ? why : a->io.device.refuses ? a->io.device.refuses(a->io.device.arg) : NULL;
}

/* The defaults of a NIC or of a switch: observe only. */
void agent_config_init(struct agent_config *, enum knob_where);

/* The config must outlive it. 'incarnation' differs from all before. */
void agent_init(struct agent *, const struct agent_config *, const struct agent_io *, uint64_t incarnation);

/* Resumes from the state on the disk: reverts an unconfirmed setting. 'audit' is the position in the log
 * (audit_resume_tail()). */
void agent_start(struct agent *, const struct audit *, uint64_t now_us);

void agent_on_msg(struct agent *, const struct msg *, uint64_t now_us);
void agent_on_tick(struct agent *, uint64_t now_us);         /* once per interval */
void agent_on_timer(struct agent *, uint64_t now_us);        /* at agent_timer_us() or a little later */
uint64_t agent_timer_us(const struct agent *);               /* NEVER: none */

/* Replaces the configuration in place. An open change is reverted first, because the old configuration
 * allowed it. Name, kind and interval stay. */
void agent_reconfigure(struct agent *, struct agent_config *cfg, const struct agent_config *new,
                       uint64_t now_us);

/* The guard has taken the open change back, and says why. */
void agent_on_guard(struct agent *, const char *why, uint64_t now_us);

/* A file forbids writes, and says why; "": no longer. */
void agent_stop_by_file(struct agent *, const char *why, uint64_t now_us);

/* Why the agent's own tuner may not set queues: the controller does not allow it, no lease, frozen, a
 * guardrail, or anything else that prevents writes. NULL: it may. */
const char *agent_may_tune(const struct agent *, uint64_t now_us);

/* A queue was changed outside Anole: freezes the device, as for any other foreign edit. */
void agent_freeze(struct agent *, const char *why, uint64_t now_us);

/* The process ends, or an operator asks for it: reverts an open change. Returns false if the device could not
 * be restored. */
bool agent_leave(struct agent *, const char *why, uint64_t now_us);

/* After agent_leave(): the controller need not wait for this agent. */
void agent_bye(struct agent *, uint64_t now_us);

/* Obeys any controller again, whatever terms it has seen; the baseline stays. -EIO: the disk failed. */
int agent_forget_term(struct agent *, uint64_t now_us);

/* Compares the device with the correct setting. On a difference, the error has the device and its values. */
int agent_check_back(struct agent *, struct err *);

/* ---- messages to the controller ---- */

void say_answer(struct agent *, enum msg_answer, uint64_t change, const char *why);
void say_hello(struct agent *, uint64_t now_us);         /* whenever the controller can be reached again */
void say_report(struct agent *, uint64_t now_us);
void say_learn(struct agent *, const struct msg_learn *, const char *why);

/* ---- the current and the correct setting of the device, for agents and their tuners ---- */

#define DEVICE_DOUBT_US 60000000u        /* a write that timed out may take effect for so long */
#define DEVICE_RETRY_US 500000u          /* between attempts to revert */
#define DEVICE_UNREAD_US 2000000u        /* parameters that cannot be read for so long have vanished */

/* The clock now, where now_us is the time at which a hook was called. */
uint64_t device_clock(const struct agent *, uint64_t now_us);

/* Writes the persistent state. A failed write is retried with every tick. */
int device_save(struct agent *);

/* Adds a record to the audit log, by default with the highest term that was obeyed. An error: it is not on
 * the disk. */
int device_log(struct agent *, struct audit_record, uint64_t now_us);

/* Reads the device. Returns whether it holds the correct setting: the confirmed values, overlaid with the
 * open change. On a difference, someone else changed it or one of our writes took effect late: the open
 * change is reverted, foreign values are adopted, and the device is frozen. Returns false, without further
 * action, if the device cannot be read. */
bool device_check(struct agent *, uint64_t now_us);

/* Is it frozen because of a foreign edit, and not by a person? */
bool device_is_foreign(const struct agent *);

/* Writes and reads back. On failure 'why' has the reason. until_us: of a trial, which a guard takes back
 * then; NEVER: the value stays. */
bool device_write(struct agent *, const struct knob_set *, uint64_t until_us, uint64_t now_us,
                  char why[MSG_WHY_SIZE]);

/* What was tried is confirmed: a guard lets go of it. False: it has taken it back already. */
bool device_let_go(struct agent *);

/* Restores the confirmed values wherever the device holds other values of ours. Returns whether it succeeded;
 * if not, is_broken is set and the caller must retry. */
bool device_restore(struct agent *, const char *why, uint64_t now_us);

/* Logs one line: old values, new values, and the reason. */
void device_tell(struct agent *, const char *what, const struct knob_set *old, const struct knob_set *new,
                 const char *why);

/* Logs one line about the device. */
void device_say(struct agent *, const char *what, const char *why);

/* Once no write can take effect any more: values that we tried count as foreign again. */
void device_forget_doubts(struct agent *);

#endif
