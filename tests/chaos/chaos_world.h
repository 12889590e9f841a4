/* tests/chaos/chaos_world.h - the state of a fault history: see chaos.h. */
#ifndef TESTS_CHAOS_CHAOS_WORLD_H
#define TESTS_CHAOS_CHAOS_WORLD_H

#include "base/rng.h"
#include "fiber.h"
#include "live/agent/agent.h"
#include "live/guard/deadman.h"
#include "result.h"
#include "live/control/control.h"
#include "live/relay/relay.h"
#include "live/wire/account.h"

#include <setjmp.h>

#define WORLD_DEVICES_MAX     5
#define WORLD_CONTROLLERS_MAX 2
#define WORLD_RELAYS_MAX      2
#define WORLD_LIARS_MAX       2
#define WORLD_PROCS_MAX       (WORLD_DEVICES_MAX + WORLD_CONTROLLERS_MAX + WORLD_RELAYS_MAX + WORLD_LIARS_MAX)
#define WORLD_NAMES_MAX       8  /* devices of one certificate */
#define WORLD_FILES_MAX       8
#define WORLD_PEERS_MAX \
    (WORLD_DEVICES_MAX + (WORLD_LIARS_MAX + 2 * WORLD_RELAYS_MAX) * 2 * WORLD_NAMES_MAX)
#define WORLD_VALUES_MAX      1024
#define WORLD_EVENTS_MAX      8192
#define WORLD_PREPARED_MAX    64

enum event_kind { EV_TICK, EV_TIMER, EV_MSG, EV_RESTART, EV_FAULT, EV_LATE, EV_HEAL, EV_LEAVE,
                  EV_CUT, EV_PERSON, EV_GUARD, EV_GO_ON };
/* GUARD: the timer of a guard; GO_ON: the end of a stall; CUT: a relay disconnects an agent; PERSON: an operator
 * checks whether a trial waits for approval */

struct event {
    uint64_t        at_us, order;
    enum event_kind kind;
    uint32_t        proc, from;  /* LATE: proc is the device */
    uint64_t        life;        /* life of the target process; TIMER: number of the timer */
    struct msg     *msg;         /* MSG: this, or */
    struct rack    *rack;
    struct knob_set *set;        /* LATE */
};

struct file { char name[24]; char *text; size_t length; };

struct disk {
    struct file file[WORLD_FILES_MAX];
    uint32_t    files;
    char       *log;
    size_t      log_length, log_max;
    uint64_t    full_until_us;
    bool        is_damaged;      /* a file was changed without permission */
    bool        is_log_damaged;  /* as in disk.h: no lines are appended until it was set aside */
    bool        is_part;         /* the log: damaged lines were set aside */
    char        hold[HOLD_SIZE]; /* of a controller: the file of its freeze */
};

struct proc {                    /* agents first, then controllers, relays, liars */
    struct world     *world;
    uint32_t          index;     /* among its kind */
    bool              is_agent, is_relay, is_alive, is_gone;     /* gone: does not restart */
    bool              is_liar;   /* a relay that lies, or a party with a certificate but no device */
    uint64_t          life, timer;
    uint64_t          paused_until_us;
    uint64_t          clock_us;  /* its clock at the start of the history .. */
    double            clock_rate;                        /* .. and its speed */
    int64_t           wall_us;   /* offset of the time of day */
    struct disk       disk;

    /* Each handler runs as a fiber, so that a system call can take long while the world goes on. */
    struct fiber     *fiber;
    jmp_buf           killed;
    bool              is_stalled, must_die, was_killed;
    uint64_t          stall;                             /* number of the stall */
    struct event      event;                             /* that is being handled */
    struct msg        event_msg;
    void            (*handle)(struct world *, struct proc *, const struct event *);

    /* the guard of an agent's device: a process of its own */
    bool              may_be_guarded, is_guarded, guard_news;
    struct deadman    guard;
    uint64_t          guard_timer, guard_paused_until_us;
    int             (*guard_put)(struct proc *, const struct knob_set *);

    struct agent      agent;
    struct path       path;      /* of an agent: relays, then all controllers */
    struct control    control;
    struct mux        mux[WORLD_RELAYS_MAX];             /* of a controller: its end of each relay */
    uint32_t          links;     /* of a controller: number of links so far */
    struct relay      relay;
    uint32_t          up;        /* of a relay: its controller */
    uint32_t          handing;   /* of a controller: the relay whose rack is being handled */
    struct accounts   accounts;  /* of controllers and relays */
    struct account   *account[WORLD_PROCS_MAX];

    /* of liars */
    unsigned          style;     /* LIE_... */
    uint64_t          incarnation, heard_term, heard_change;

    /* state of the checks about a controller */
    uint32_t          harms;                             /* trials that did harm */
    uint64_t          rests_until_us, rested_until_us;   /* end of the pause that follows;
                                                          * the same of the previous one */
    uint64_t          harmed_us;
    bool              is_frozen;                         /* by an operator */
    uint64_t          heard_us[WORLD_DEVICES_MAX];       /* last reports of devices */
};

struct values { double value[WORLD_VALUES_MAX]; uint32_t count; };

struct device {
    struct knob_set is;
    uint64_t refuses_until_us, blind_until_us, clamps_until_us, late_until_us, breach_until_us,
        breach_since_us;
    uint64_t        busy_until_us;               /* until then it returns EBUSY and does not change */
    bool            is_whole;    /* parameters are written together, and it has no guard */
    bool            is_fixed;    /* rejects changes while it is in use, and reports this */
    bool            is_clamped[KNOB_COUNT];      /* the value results from a clamped write */
    struct knob_set claimed;     /* NO_READ_BACK: the next read returns this */

    /* state of the checks, from messages and the log, not from the agent */
    struct values   rest[KNOB_COUNT];            /* initial, set by operators, or confirmed: may stay */
    struct values   explained[KNOB_COUNT];       /* by the audit log */
    struct { uint64_t term, change; struct knob_set set; } prepared[WORLD_PREPARED_MAX];
    uint32_t        prepares;
    uint64_t        fence;       /* highest term that its agent has accepted */
    uint64_t        lease_us, lease_until_us;
    /* Since when its agent could act, and write its log, and since when agent or guard could. */
    uint64_t        able_us, able_log_us, guard_able_us;
    uint64_t        guard_stopped_us;    /* its guard did not run then, and the agent waits for it */
    bool            is_late;     /* it holds what a write that had failed has made of it */
    bool            is_exposed;
    uint64_t        exposed_us;
    bool            is_unexplained;
    uint64_t        unexplained_us;
    struct knob_set first;       /* factory values, which return when the driver reloads */
    struct knob_set held;        /* values before the reload */
    /* Last reload of the driver; last order to prepare or commit. */
    uint64_t        loaded_us, asked_us;
    bool            is_foreign[KNOB_COUNT];      /* set by an operator who has not released it since */
    bool            is_observed; /* its agent may not write, or the device rejects changes */
    bool            is_frozen;   /* its agent has received the freeze and could save it */
    bool            is_misled;   /* its agent has received messages from a relay that lies */
    uint64_t        changes;     /* writes of unconfirmed values */
    uint64_t        changed_us, kills_at_change, kills, killed_us;
};

struct pool { void *first; };    /* free list, linked through the first bytes of each object */

struct world {
    uint64_t      seed, now_us;
    struct pool   messages, racks;
    struct rng    rng;
    enum chaos_mutation mutation;
    bool          is_calm;       /* no faults except lies */
    bool          has_lying_relay;
    bool          is_loud, is_quiet;
    struct event  heap[WORLD_EVENTS_MAX];
    uint32_t      events;
    uint64_t      order;
    struct proc   proc[WORLD_PROCS_MAX];
    uint32_t      agents, controllers, relays, liars;
    struct values approved[KNOB_COUNT];          /* approved by an operator */
    /* Trials inspected by an operator who will approve them. */
    struct { uint64_t at_us, number; char code[24]; struct knob_set set; } look[8];
    uint32_t      looks;
    struct device device[WORLD_DEVICES_MAX];
    struct agent_config      agent_cfg[WORLD_DEVICES_MAX];
    struct controller_config controller_cfg[WORLD_CONTROLLERS_MAX];

    /* faults */
    double        kill_chance;   /* per access to disk or device */
    double        drop, twice, slow;             /* shares of messages */
    uint64_t      cut_until_us[WORLD_CONTROLLERS_MAX][WORLD_DEVICES_MAX];
    uint64_t      cut_relay_us[WORLD_RELAYS_MAX];        /* from all processes */
    uint32_t      fault_weight[32];
    uint64_t      fault_gap_us;  /* largest gap between faults */
    double        effect;        /* effect of candidates on the metric */

    double        stall_chance;  /* per access to disk or device */
    struct rng    stalls;        /* a stream of its own */

    struct proc  *running;
    struct chaos_result *result;
};

/* The knobs of these devices. Checks after every event ignore all others. */
#define WORLD_KNOBS 4
extern const enum knob world_knob[WORLD_KNOBS];

/* Bounds of these knobs; all other knobs may not be set. */
struct world_bound { enum knob knob; double min, max; };
extern const struct world_bound world_bound[WORLD_KNOBS];

/* True in a world from which this safeguard was removed. */
#define IS_MUTANT(w, name) ((w)->mutation == CHAOS_##name)

/* Pools for messages and racks: allocation would otherwise dominate the run time of a history. */
void *world_take(struct pool *, size_t size);
void  world_give(struct pool *, void *);
void  world_free(struct pool *);

/* Events in the order of time. */
void world_push(struct world *, struct event);
bool world_pop(struct world *, struct event *);
void world_loud(const struct world *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns a uniform number in low .. high; true with this probability. */
uint64_t world_draw(struct world *, uint64_t low, uint64_t high);
bool     world_chance(struct world *, double);

/* Convert between true time and the clock of a process. */
uint64_t world_clock(const struct proc *, uint64_t at_us);
uint64_t world_true(const struct proc *, uint64_t clock_us);

#endif
