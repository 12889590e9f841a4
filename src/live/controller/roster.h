/* src/live/controller/roster.h - the state of a controller, and its roster: the known devices, their last
 * reports, and their order in trials. controller.h describes the controller's behavior. */
#ifndef LIVE_CONTROLLER_ROSTER_H
#define LIVE_CONTROLLER_ROSTER_H

#include "base/evidence/evalue.h"
#include "live/controller/actions.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- trials that went badly ----
 *
 * Several harmful trials within an hour pause tuning for six hours. A setting that evidence or a guardrail
 * has rejected is not tried again for an hour. The disk holds the remaining times, not the time of day, so
 * setting the clock changes nothing. It is written once a minute: a restart makes a pause longer by at most a
 * minute and its own downtime, never shorter.
 */

#define CAUTION_HARMS    8
#define CAUTION_SETTINGS 16
#define CAUTION_CODE_SIZE 17     /* 16 hexadecimal digits and a zero byte */

struct caution_setting { char code[CAUTION_CODE_SIZE]; uint64_t until_us; };

struct caution {
    uint64_t harm_until_us[CAUTION_HARMS];       /* a harmful trial counts until then */
    uint64_t paused_until_us;
    struct caution_setting setting[CAUTION_SETTINGS];    /* not tried again until then */
    uint64_t saved_us;           /* when the remaining pauses were last saved */
};

#define LINK_NONE UINT32_MAX
#define RANK_NONE UINT32_MAX

enum controller_mode { MODE_OBSERVE, MODE_APPROVE, MODE_AUTO, MODE_DIRECT };      /* direct: without trials */
enum controller_role { ROLE_GATHER, ROLE_ACTIVE, ROLE_DEPOSED };

/* Canaries, then two halves that alternate. After the last stage all devices get the setting. */
enum { STAGE_ONE, STAGE_FEW, STAGE_QUARTER, STAGE_HALVES, STAGES };

struct controller_config {
    char                 name[MSG_NAME_SIZE];
    uint32_t             id;             /* 0 .. 65535, unique: part of its terms */
    enum controller_mode mode;
    uint64_t             interval_us;
    uint64_t             gather_us;      /* listens for so long before it acts */
    uint64_t             dispatch_us;    /* direct: from a decision until it is applied everywhere */
    uint64_t             answer_us;      /* an agent must answer a command in this time */
    uint32_t             stale_intervals;        /* older reports are not used */
    uint32_t             block_length, burn_in;  /* in intervals */
    uint32_t             aa_pairs;       /* pairs without a change that measure the noise before any trial */
    uint32_t             stage_pairs;    /* pairs without harm that end a canary stage */
    uint32_t             halves_intervals_max;   /* after that the halves show no difference */
    uint32_t             soak_intervals; /* with the setting on all devices, before it is confirmed */
    double               accept_e, bound_e, reject_e;
    double               harm;           /* tolerated loss, as a fraction of the metric */
    double               hold_back;      /* fraction of devices in the control group */
    double               lost_max;       /* fraction of a trial's devices that may fall silent */
    uint32_t             reverts_max;    /* so many within window_us pause it for pause_us */
    uint64_t             window_us, pause_us;
    uint64_t             drill_every_us; /* 0: only when a person orders it */
    uint64_t             seed;           /* of random choices */
    bool                 lets_queues;    /* modes auto and direct: agents' own tuners may set their queues */
};

enum peer_step {
    STEP_NONE, STEP_PREPARING, STEP_PREPARED, STEP_COMMITTING, STEP_APPLIED, STEP_REVERTING, STEP_CONFIRMING,
    STEP_CONFIRMED, STEP_DRILLING, STEP_DRILLED,         /* drilled: it gets no lease */
};

/* A device, as its agent reports it. */
struct peer {
    uint32_t          link;      /* LINK_NONE: it cannot be reached */
    uint32_t          rank;      /* among its kind; RANK_NONE: held back, or may not be written */
    enum knob_where   where;
    enum msg_phase    phase;     /* as last reported */
    uint32_t          reports;   /* since the last tick */
    uint32_t          metrics;
    double            metric_sum;                /* of reports since the last tick */
    uint64_t          heard_us;  /* by our clock; 0: never */
    uint64_t          interval_us;
    bool              may_write, is_frozen, is_broken, is_unreadable, has_offset;
    bool              is_expired;        /* its agent's certificate has ended; only shown */
    bool              is_ahead;  /* claims to have obeyed a higher term than ours */
    bool              has_left;  /* its agent said goodbye: do not wait for it */
    bool              has_detail;                /* the last report had one */
    bool              reported;  /* at least once: a name alone is no device */
    bool              is_gone;   /* silent for long */
    bool              is_told_lost;              /* the journal says that it fell silent */
    uint32_t          host;      /* the first peer of its host */

    uint64_t          claim;     /* the highest term that it claimed while we listened */
    uint64_t          incarnation, stamp_us;     /* stamp: by its clock */
    int64_t           offset_us; /* its clock less ours */
    uint64_t          open_change;
    struct msg_sample sample;
    struct msg_detail *detail;   /* of the last report that had one; NULL: none had */

    char              breach[MSG_WHY_SIZE];      /* the broken guardrail in the last report; "": none */
    enum peer_step    step;      /* of the trial */
    uint64_t          change, at_us;             /* at: by our clock */
    uint64_t          sent_us, deadline_us;
    bool              is_lost;   /* fell silent in the trial: its lease makes it revert */
    uint32_t          strikes;   /* trials ended because of it, since the last that it completed */
    struct knob_set   wanted;

    char              name[MSG_NAME_SIZE];
    uint64_t          gap_us;
    struct msg_facts  facts;
    char              frozen_why[MSG_WHY_SIZE];
    struct knob_set   device, confirmed, baseline;
    bool              is_fixed[KNOB_COUNT];      /* not set by its agent, whatever is asked */
    struct msg_self   self;      /* as last reported; agents with a tuner of their own */
    uint64_t          net, net_us;       /* checksum of the net that was sent last, and when; 0: never */
    uint64_t          net_refused;       /* checksum of the last that it refused */
};

enum trial_phase {
    TRIAL_NONE, TRIAL_WAITING, TRIAL_LEAD_IN, TRIAL_RUN, TRIAL_SPREAD, TRIAL_SOAK, TRIAL_CONFIRM, TRIAL_ABORT,
    TRIAL_DIRECT, TRIAL_ROLLBACK, TRIAL_DRILL, TRIAL_PHASES
};

/* What a trial has shown of its setting. */
enum verdict { VERDICT_NONE, VERDICT_HARM, VERDICT_NO_GAIN };

struct trial {
    enum trial_phase phase;
    uint64_t         number;
    char             code[CAUTION_CODE_SIZE];    /* digest of term, number and setting, for approvals */
    char             by[MSG_NAME_SIZE];  /* the person who approved it or ordered the rollback; "": none */
    char             device[MSG_NAME_SIZE];      /* DRILL: which one */
    enum verdict     verdict;            /* ABORT: what speaks against the setting */
    bool             is_whole;           /* switches take part: all devices together, not two halves */
    struct knob_set  wanted;
    struct knob_set  was;                /* of these knobs, when it began: see roster_held() */
    char             why[MSG_WHY_SIZE];
    uint32_t         stage;
    uint32_t         intervals;          /* of the phase, so far */
    uint32_t         measured;           /* of these, when the last pair was complete */
    struct pairing   pairing;
    struct evalue    evidence;
    double           metric;             /* mean, of everybody: what harm is a share of */
    bool             has_committed;
    uint32_t         waits;              /* intervals by which an unprepared device has extended a block */
    bool             is_repeat;          /* a device has refused the same: no records until more happens */
    uint64_t         at_us;              /* direct: when it is applied */
    char             end[MSG_WHY_SIZE];  /* ABORT: why; ROLLBACK: what the last device that refused said */
};

/* The current setting: what was kept since devices last held their baseline. */
struct standing {
    struct knob_set set;         /* empty: the baseline */
    uint64_t        wall_us;     /* since when; 0: nothing was ever kept or rolled back */
    uint64_t        trial;
    char            by[MSG_NAME_SIZE], why[MSG_WHY_SIZE];
};

/* The last drill. */
struct drill_result {
    uint64_t wall_us;            /* 0: there was none */
    uint64_t took_us;            /* from the last lease until the device was back */
    bool     is_passed;
    uint64_t passed_us;          /* time of day of the last that was passed; 0: none was */
    char     device[MSG_NAME_SIZE], why[MSG_WHY_SIZE];
};

struct order_text { char who[MSG_NAME_SIZE], why[MSG_WHY_SIZE]; };

struct aa {                      /* A/A test: pairs of blocks without a difference */
    struct pairing pairing;
    struct evalue  evidence;     /* once there is a measure of the noise: must stay small */
    double         squares;
    uint32_t       pairs;
};

/* What waits for INPUT_STORED: a tick, because its term is not on the disk yet, or a number of a trial. */
enum controller_wait { WAIT_NONE, WAIT_TERM, WAIT_TRIAL, WAIT_DRILL };

struct controller {
    const struct controller_config *cfg;
    struct actions      *out;            /* of the step */
    uint64_t             wall_us;        /* time of day of the input */
    enum controller_role role;
    uint64_t             started_us;
    uint64_t             counter;        /* of terms, on the disk */
    uint64_t             term;
    uint64_t             ordered[ORDERS];        /* by people, and carried out */
    bool                 has_lease;      /* its term comes from a lease: only a lease deposes it */
    bool                 is_doubted;     /* an agent claims a higher term: count them at the next tick */
    uint64_t             blamed_us;      /* the last record about an impossible term */
    char                 frozen[MSG_WHY_SIZE];   /* on the disk */
    uint64_t             freezes;                /* on the disk: freezes and thaws, so far */
    bool                 is_dirty;               /* the state on the disk is out of date */
    bool                 is_storing, is_asking;  /* questions of the last steps: INPUT_STORED, _PROPOSAL */
    enum controller_wait wait;
    struct knob_set      proposal;               /* WAIT_TRIAL */
    char                 proposal_why[MSG_WHY_SIZE];
    struct order_text    drill_order;            /* WAIT_DRILL: who wants it, */
    char                 drill_device[MSG_NAME_SIZE];    /* and where */
    uint64_t             before;                 /* the counter, or the number, that holds if it fails */
    uint64_t             net;                    /* checksum of the net for agents that learn; 0: none */
    uint64_t             save_us;                /* when the disk gets what has changed; NEVER: nothing has */
    struct order_text    rolled_back;            /* on the disk: until a person thaws; who "": none */
    uint64_t             rollback_us;            /* devices that did not go back are asked again then */
    struct caution       caution;                /* on the disk */
    /* the last setting that a device refused, and its reason */
    struct { char code[CAUTION_CODE_SIZE], why[MSG_WHY_SIZE]; } refused;
    /* the last setting that an observing controller has recorded, and when it may record another */
    struct { char code[CAUTION_CODE_SIZE]; uint64_t again_us; } told;
    struct standing      standing;               /* on the disk */
    struct drill_result  drill;                  /* on the disk */
    uint64_t             drill_us;               /* no automatic drill before this time */
    char                 left_out[MSG_WHY_SIZE]; /* knobs of the tuner's setting that some device would not
                                                  * set; "": none */
    char                 declined[MSG_WHY_SIZE]; /* why the tuner's last proposal is not tried; "": it was */

    struct peer         *peer;
    uint32_t             peers, peers_max;
    uint32_t             roster;         /* another number whenever a device comes or is forgotten */
    void                *by_name, *by_link, *by_host;    /* trees: roster.c */
    uint32_t             ranked[2];      /* how many NICs and switches have a rank */
    double               control[2];     /* pauses of NICs and switches without the trial's change, or NAN */
    bool                 is_unranked;    /* ranks must be assigned again */
    bool                 is_brief;       /* agents send only metric and flow sizes while no trial runs */
    struct trial         trial;
    uint64_t             changes;
    uint64_t             trials, trials_saved;   /* the last number; saved: never given again up to this */
    struct aa            aa[STAGES];
};

/* ---- the roster ---- */

/* A device says hello on a link: it is new, or is back. NULL: there is no room for another. */
struct peer *roster_on_hello(struct controller *, uint32_t link, const struct msg *, uint64_t now_us);
void         roster_on_report(struct controller *, struct peer *, const struct msg *, uint64_t now_us);

/* Finds a device by name; NULL: unknown. */
struct peer *roster_find(const struct controller *, const char *name);

/* NULL: no hello has arrived over this link. */
struct peer *roster_of_link(const struct controller *, uint32_t link);
void         roster_cut(struct controller *, uint32_t link);

/* Its agent said goodbye. */
void         roster_leave(struct controller *, struct peer *);

/* Frees the indices of peers, not the peers. */
void         roster_fini(struct controller *);

/* Drops one that does not report. Others may move: pointers to peers are void afterwards. */
void         roster_forget(struct controller *, struct peer *);

/* Has it reported lately? */
bool roster_is_fresh(const struct controller *, const struct peer *, uint64_t now_us);

/* Hosts that have reported at all, and lately; is_ahead: lately from a device that is ahead. The devices of a
 * host share an agent, so a host counts once. Without is_ahead those that have said goodbye do not count. */
struct roster_hosts { uint32_t all, meant; };
struct roster_hosts roster_hosts(const struct controller *, bool is_ahead, uint64_t now_us);

/* The fraction of hosts with a recent report, among those that have not said goodbye; 1 without hosts. */
double roster_coverage(const struct controller *, uint64_t now_us);

/* A reporting device at which a guardrail is broken; NULL: none. */
const struct peer *roster_breach(const struct controller *, uint64_t now_us);

/* Once per interval: devices that have been silent for long have no rank. */
void roster_look(struct controller *, uint64_t now_us);

/* An instant of our clock, by the clock of the device. */
uint64_t roster_instant(const struct peer *, uint64_t at_us);

/* Ranks the devices of a kind by strikes, then by a digest of their names; the last are held back. */
void roster_rank(struct controller *);

/* For a trial: ranks first those that have something to change and report a metric, then those without a
 * metric. A stage of others would show nothing. */
void roster_rank_for_trial(struct controller *);

/* The first device of a trial: a NIC, else a switch. NULL: no device reports. */
struct peer *roster_canary(struct controller *, uint64_t now_us);

/* Is a device in the first, or the second, group of a stage? */
bool roster_is_in(const struct controller *, const struct peer *, uint32_t stage, bool is_whole, int group);

/* The difference between the groups of a stage in the last interval: the first group's metric minus that of
 * the second or, without a second group, of all other devices. NAN: not measured. */
double roster_value(const struct controller *, uint32_t stage, bool is_whole);

/* The mean metric of all in the interval that ended. */
double roster_metric(const struct controller *);

/* Mean fraction of time that devices of a kind without the trial's change were paused; NAN: unknown. */
double roster_control(const struct controller *, enum knob_where, uint64_t now_us);

/* Values of these knobs at the devices that a trial may set or, if it may set none, at all: the confirmed
 * ones or those of the baseline. A knob of which they do not all hold the same value is not named. */
struct knob_set roster_held(const struct controller *, const struct knob_set *of, bool is_baseline);

/* The part of a setting that some device would set. 'left_out' names knobs that another device has with
 * another value, but would not set. */
struct knob_set roster_settable(const struct controller *, const struct knob_set *,
                                char left_out[MSG_WHY_SIZE]);

/* The confirmed setting of the first device of each kind that a trial may set. `anole ctl diff` shows devices
 * that differ from it. */
struct knob_set roster_first(const struct controller *);

/* The interval is over. */
void roster_clear_metrics(struct controller *);

#endif
