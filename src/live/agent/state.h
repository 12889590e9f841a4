/* src/live/agent/state.h - the state of an agent; agent.h describes its behavior. */
#ifndef LIVE_AGENT_STATE_H
#define LIVE_AGENT_STATE_H

#include "live/agent/saved.h"
#include "live/core/audit.h"
#include "live/core/guard.h"
#include "live/core/io.h"
#include "live/core/limits.h"

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
    bool                has_tuner;       /* of its own: see live/queues. The device is not set by the
                                          * controller then */
    bool                is_rescue;       /* it only restores: the current values of a device are not taken
                                          * as correct */
};

struct agent_io {
    struct io_disk   disk;
    struct io_device device;
    void (*send)(void *, const struct msg *);    /* to the controller; may be lost */
    void (*tell)(void *, const char *line);      /* logs a line about a write and its reason; NULL:
                                                  * disabled */
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
    bool            is_lost;             /* what the device should hold is not known: it observes until people
                                          * look */
    enum saved_source source;            /* of 'saved', when it started */
    bool            owns_all;            /* our values cannot be distinguished from foreign ones: all
                                          * unconfirmed values are reverted */
    bool            needs_mending;       /* files were damaged: they are put right once the device is */

    struct knob_set device;              /* as last read */
    bool            is_seen;             /* it has been read since the start */
    struct knob_set adopted;             /* values that we did not set and that are not in the audit log
                                          * yet */

    enum msg_phase  phase;
    uint64_t        change, change_term;
    bool            is_drill;            /* the open change is a drill: it changes no value */
    struct knob_set wanted;
    uint64_t        at_us;               /* SCHEDULED: when to apply; APPLIED: when to revert, or NEVER */
    uint64_t        lease_until_us;
    double          control;             /* what the last lease said of the control group's pauses; NAN:
                                          * nothing */
    bool            is_brief;            /* the metric and flow sizes will do for reports, while the lease
                                          * lasts */
    uint64_t        confirmed_change;    /* the last */
    uint64_t        reverted_change;     /* the last; answered when it is done */
    uint64_t        ended_change, ended_term;    /* the last change that was applied or given up: a late
                                                  * message does not start it again */
    bool            is_broken;           /* a revert has not succeeded yet: it is tried again at retry_us */
    uint64_t        retry_us;
    uint64_t        written_us;          /* the last write */
    uint64_t        tick_us;             /* the last tick, or the start */
    uint64_t        awake_us;            /* time since the start without the time that the machine slept */
    uint64_t        late_until_us;       /* of awake_us: a write that failed, in this life or before, may take
                                          * effect until then */
    uint64_t        doubt_until_us;      /* of awake_us: a write that timed out may still take effect until
                                          * then */

    struct msg_self self;                /* of a tuner of its own; is_allowed is the controller's word */
    void (*on_learn)(void *, const struct msg *, uint64_t now_us);       /* of that tuner; NULL: it does not
                                                                          * learn */
    void           *learn_arg;

    bool            has_news;            /* the last hello is out of date */
    char            stopped[MSG_WHY_SIZE];       /* by a file: why; "": not */
    char            breach[MSG_WHY_SIZE];        /* guardrail broken in the last interval; "" */
    struct msg_sample sample;
};

/* Why its device takes no change; NULL: it does. Such an agent observes. */
static inline const char *agent_refusal(const struct agent *a)
{
    return a->io.device.refuses ? a->io.device.refuses(a->io.device.arg) : NULL;
}

#endif
