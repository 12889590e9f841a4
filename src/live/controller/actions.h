/* src/live/controller/actions.h - inputs and actions of a controller. Plain data. */
#ifndef LIVE_CONTROLLER_ACTIONS_H
#define LIVE_CONTROLLER_ACTIONS_H

#include "base/json.h"
#include "live/core/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct controller_config;

/* ---- inputs ---- */

enum order_kind {
    ORDER_FREEZE,
    ORDER_THAW,
    ORDER_FREEZE_DEVICE, ORDER_THAW_DEVICE,
    ORDER_APPROVE,       /* -ENOENT: no trial of that number waits. -ESTALE: the code is of another one */
    ORDER_REJECT,        /* a trial that waits; the code may be left out. The same errors */
    /* Aborts the trial, freezes the fabric, and restores the baseline of each device as soon as it is
     * reachable. -EPERM: the controller only observes. -ESTALE: another controller has taken over. */
    ORDER_ROLLBACK,
    /* Drops a silent device, or all whose names begin so: "rack7-*". -EBUSY: it reports, or something is
     * tried; a trial that waits is no obstacle. */
    ORDER_FORGET,
    /* Tests the dead-man switch of a device ("": a canary). The device treats its confirmed setting as a
     * change, gets no lease, and must revert on its own. -EBUSY: a trial runs, or the fabric is frozen.
     * -ENODEV: not possible on this device now. */
    ORDER_DRILL,
    ORDERS
};

/* An order of a person. The log records who and why. */
struct order { const char *who, *why; enum order_kind kind; const char *device, *code; uint64_t number; };

enum input_kind {
    /* The first. text: the saved state, what: the freeze that was held apart (live/control/freeze_hold.h),
     * "": none. -EBADMSG: the state is corrupt. */
    INPUT_START,
    INPUT_FENCE,         /* a lease makes it the only one: its terms are higher than 'number' */
    INPUT_LINK,          /* a peer can be reached over this link */
    INPUT_CUT,           /* no longer */
    INPUT_MSG,           /* valid during the step */
    INPUT_TICK,          /* an interval has ended. is_brief: reports may be short. number: checksum of the net
                          * for agents that learn; 0: none */
    INPUT_STORED,        /* answers ACTION_STORE: 'rc'. is_held: its freeze, at least, is on the disk */
    INPUT_PROPOSAL,      /* answers ACTION_ASK; 'set' NULL: the tuner has nothing to try */
    INPUT_ORDER,         /* a negative errno is the reason of a refusal */
    INPUT_CONFIG,        /* another configuration, while no trial is open; it must outlive the controller */
    INPUT_ABORT,         /* the trial must end: 'text' */
    INPUT_NOTE,          /* for the audit log, in its name: 'what', 'text' */
    INPUT_LET,           /* lock step: devices may run on until at_us */
    INPUTS
};

struct input {
    enum input_kind                 kind;
    bool                            is_brief, is_held;
    int                             rc;
    uint32_t                        link;
    uint64_t                        wall_us;     /* the time of day, for display */
    uint64_t                        number, at_us;
    const struct msg               *msg;
    const struct knob_set          *set;
    const struct order             *order;
    const struct controller_config *config;
    const char                     *text, *what;
};

/* ---- actions ----
 *
 * In the order in which they must happen. What may not leave before something is on the disk is not in the
 * list yet: it follows from INPUT_STORED. STORE and ASK are questions; the next inputs answer them, in their
 * order. So a revert never waits for a disk.
 */
enum action_kind {
    ACTION_SEND,         /* a message. LEARN: 'number' is the checksum of the net that it has; 0: no net */
    ACTION_STORE,        /* replace the saved state; at most one per step, of the end of the step */
    ACTION_RECORD,       /* to the audit log */
    ACTION_ASK,          /* is there something to try? */
    ACTION_ENDED,        /* a proposal: is it kept, how many devices did not take it ('number'), why */
    ACTION_DECLINED,     /* it is not tried at all */
    ACTION_LOG,          /* a line for the journal */
    ACTION_LEARN,        /* records of the device at 'link', for the learner; valid as long as the input */
    ACTIONS
};

struct action_record {
    char            who[MSG_NAME_SIZE], what[24], evidence[200];
    uint64_t        term, change;
    struct knob_set old, new;
};

struct action {
    enum action_kind kind;
    uint32_t         link;
    uint64_t         number;
    bool             is_kept;
    char             why[MSG_NAME_SIZE + MSG_WHY_SIZE + 80];
    json_t          *state;      /* STORE: owned */
    const struct msg_learn *learn;
    union {
        struct msg           msg;
        struct action_record record;
    };
};

struct actions {
    struct action *action;
    uint32_t       count, room;
    int            rc;           /* of the input: 0 or a negative errno */
};

void           actions_clear(struct actions *);
void           actions_fini(struct actions *);
struct action *actions_add(struct actions *, enum action_kind);

#endif
