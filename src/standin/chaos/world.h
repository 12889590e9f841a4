/* src/standin/chaos/world.h - what a fault history consists of: see chaos.h. */
#ifndef STANDIN_CHAOS_WORLD_H
#define STANDIN_CHAOS_WORLD_H

#include "base/rng.h"
#include "live/agent/agent.h"
#include "standin/chaos/result.h"
#include "live/controller/controller.h"
#include "live/relay/mux.h"
#include "live/relay/path.h"
#include "live/relay/relay.h"

#include <setjmp.h>

#define WORLD_DEVICES_MAX     5
#define WORLD_CONTROLLERS_MAX 2
#define WORLD_RELAYS_MAX      2
#define WORLD_PROCS_MAX       (WORLD_DEVICES_MAX + WORLD_CONTROLLERS_MAX + WORLD_RELAYS_MAX)
#define WORLD_VALUES_MAX      512
#define WORLD_EVENTS_MAX      8192
#define WORLD_PREPARED_MAX    64

enum event_kind { EV_TICK, EV_TIMER, EV_MSG, EV_RESTART, EV_FAULT, EV_LATE, EV_HEAL, EV_LEAVE, EV_CUT };      /* CUT: a relay sends an agent away */

struct event {
    uint64_t        at_us, order;
    enum event_kind kind;
    uint32_t        proc, from;  /* LATE: proc is the device */
    uint64_t        life;        /* of the process that it is for; TIMER: number of the timer */
    struct msg     *msg;         /* MSG: this, or */
    struct rack    *rack;
    struct knob_set *set;        /* LATE */
};

#define WORLD_FILES_MAX 3        /* two copies of the state, the baseline */

struct disk {
    struct { char name[16]; char text[8192]; size_t length; } file[WORLD_FILES_MAX];
    char    *log;
    size_t   log_length, log_max;
    uint64_t full_until_us;
};

struct proc {                    /* agents first, then controllers, then relays */
    struct world     *world;
    uint32_t          index;     /* among its kind */
    bool              is_agent, is_relay, is_alive, is_gone;     /* gone: does not come back */
    uint64_t          life, timer;
    uint64_t          paused_until_us;
    uint64_t          clock_us;  /* its clock when the history began ... */
    double            clock_rate;                        /* ... and how fast it goes */
    int64_t           wall_us;   /* the time of day, less the true one */
    struct disk       disk;
    struct agent      agent;
    struct path       path;      /* of an agent: relays, then all controllers */
    struct controller controller;
    struct mux        mux[WORLD_RELAYS_MAX];             /* of a controller: its end of each relay */
    uint32_t          links;     /* of a controller: given so far */
    struct relay      relay;
    uint32_t          up;        /* of a relay: its controller */
};

struct values { double value[WORLD_VALUES_MAX]; uint32_t count; };

struct device {
    struct knob_set is;
    uint64_t        refuses_until_us, blind_until_us, clamps_until_us, late_until_us, breach_until_us, breach_since_us;
    bool            is_clamped[KNOB_COUNT];      /* the value came of a write that was clamped */
    struct knob_set claimed;     /* NO_READ_BACK: the next read shows this */

    /* what the checks know, from messages and the log, not from the agent */
    struct values   rest[KNOB_COUNT];            /* first, set by people, or confirmed: may stay */
    struct values   explained[KNOB_COUNT];       /* by the audit log */
    struct { uint64_t term, change; struct knob_set set; } prepared[WORLD_PREPARED_MAX];
    uint32_t        prepares;
    uint64_t        fence;       /* the highest term that its agent has taken in */
    uint64_t        lease_us, lease_until_us;
    uint64_t        able_us, able_log_us;        /* since when its agent could act, and write its log */
    bool            is_exposed;
    uint64_t        exposed_us;
    bool            is_unexplained;
    uint64_t        unexplained_us;
};

struct world {
    uint64_t      seed, now_us;
    struct rng    rng;
    unsigned      skip;
    bool          is_loud, is_quiet;
    struct event  heap[WORLD_EVENTS_MAX];
    uint32_t      events;
    uint64_t      order;
    struct proc   proc[WORLD_PROCS_MAX];
    uint32_t      agents, controllers, relays;
    struct device device[WORLD_DEVICES_MAX];
    struct agent_config      agent_cfg[WORLD_DEVICES_MAX];
    struct controller_config controller_cfg[WORLD_CONTROLLERS_MAX];

    /* what goes wrong */
    double        kill_chance;   /* per access to disk or device */
    double        drop, twice, slow;             /* shares of messages */
    uint64_t      cut_until_us[WORLD_CONTROLLERS_MAX][WORLD_DEVICES_MAX];
    uint64_t      cut_relay_us[WORLD_RELAYS_MAX];        /* from everybody */
    uint32_t      fault_weight[19];
    uint64_t      fault_gap_us;  /* between faults, at most */
    double        effect;        /* of candidates on the metric */

    struct proc  *running;
    jmp_buf       killed;
    struct chaos_result *result;
};

/* The knobs that devices have here: all others need not be looked at after every event. */
#define WORLD_KNOBS 4
extern const enum knob world_knob[WORLD_KNOBS];

/* In the order of time. */
void world_push(struct world *, struct event);
bool world_pop(struct world *, struct event *);
void world_loud(const struct world *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Uniform in low .. high, and true with this chance. */
uint64_t world_draw(struct world *, uint64_t low, uint64_t high);
bool     world_chance(struct world *, double);

/* The clock of a process, and back. */
uint64_t world_clock(const struct proc *, uint64_t at_us);
uint64_t world_true(const struct proc *, uint64_t clock_us);

#endif
