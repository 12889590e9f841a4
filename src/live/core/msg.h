/* src/live/core/msg.h - messages between controllers and agents. The state machines have no other contact.
 *
 * Messages may be lost, late, duplicated or out of order, so each identifies its recipient and context.
 *
 *   term         number of a controller. Agents obey the highest term they have seen and refuse lower ones,
 *                so two controllers cannot both write (fencing).
 *   incarnation  of the agent, new after each start. Messages for an earlier one are ignored.
 *   stamp_us     the agent's clock at the time of the report. A lease repeats it, so the agent knows the age
 *                of the answer. The protocol has no wall clock, so setting one has no effect.
 *   at_us        time of an action by the agent's clock; 0: at once.
 */
#ifndef LIVE_CORE_MSG_H
#define LIVE_CORE_MSG_H

#include "core/fsd.h"
#include "core/knobs.h"
#include "core/seen/seen.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A term is a counter and, in its last bits, the number of the controller. No honest controller reaches the
 * largest counter: at ten thousand per second that takes two hundred years. All terms fit JSON's integers. */
#define MSG_TERM_ID_BITS     16
#define MSG_TERM_COUNTER_MAX ((1ull << 46) - 1)
#define MSG_TERM_MAX         ((MSG_TERM_COUNTER_MAX << MSG_TERM_ID_BITS) + (1ull << MSG_TERM_ID_BITS) - 1)

#define MSG_VERSION   1          /* of the protocol: both sides must have the same */
#define MSG_NAME_SIZE 64
#define MSG_WHY_SIZE  160
#define MSG_PORTS_MAX 128
#define MSG_PORT_NAME_SIZE 23
#define MSG_PAIRS_MAX 256
#define MSG_FOREIGN   "frozen: changed outside Anole"    /* begins the reason of a device frozen by that */

enum msg_kind {
    MSG_NONE,
    /* from agents */
    MSG_HELLO,                   /* identity, and the current setting of the device */
    MSG_REPORT,                  /* an interval has ended */
    MSG_ANSWER,                  /* what became of a command */
    /* from the controller */
    MSG_WHO,                     /* requests a hello */
    MSG_LEASE,                   /* the report of stamp_us arrived: a change may stay for one lease from it */
    MSG_PREPARE,                 /* checks a setting; nothing is written yet */
    MSG_COMMIT,                  /* apply the prepared setting at at_us */
    MSG_CONFIRM,                 /* the applied setting becomes permanent */
    MSG_REVERT,                  /* return to the last confirmed setting, at at_us */
    MSG_FREEZE, MSG_THAW,        /* no writes until thawed; an open change is reverted */
    MSG_RACK,                    /* of the wire alone: never one of these */
    MSG_QUEUES,                  /* may the agent's own tuner set queues under the lease? Initially not */
    MSG_BYE,                     /* agent: it ends with nothing open, so the controller need not wait */
    MSG_DRILL,                   /* controller: treat the confirmed setting as a change; no lease follows */
    MSG_LEARN,                   /* agent with a net: records, or why a net was refused; controller: a net */
    MSG_KINDS
};

enum msg_answer {
    ANSWER_PREPARED,
    ANSWER_APPLIED,              /* written and read back */
    ANSWER_CONFIRMED,
    ANSWER_REVERTED,             /* the last confirmed setting is back; 'why': on request or not */
    ANSWER_REFUSED,              /* nothing was written; 'why' */
    ANSWER_STALE,                /* there is a newer controller, whose term is in 'term' */
    ANSWER_FROZEN, ANSWER_THAWED,
    ANSWER_KINDS
};

enum msg_phase { PHASE_IDLE, PHASE_PREPARED, PHASE_SCHEDULED, PHASE_APPLIED, PHASE_KINDS };

struct msg_port {                /* one of a device's, in one interval */
    uint64_t tx_bytes, rate_bps, pauses, paused_ps, marked_packets;
    uint64_t queue_bytes;        /* the longest in the interval, where has_queue says that it is known */
    bool     has_queue;
    char     name[MSG_PORT_NAME_SIZE];           /* "Ethernet4"; "": only its index is known */
};

struct msg_pair {                /* round trips to another host */
    uint32_t peer;               /* any number that stays the same */
    uint64_t base_rtt_ps, rtt_ps_sum, rtt_samples, rtt_ps_last;
};

/* Details for tuners beyond a sample, from drivers that have them. Flow sizes are those of this measurement
 * point: whole numbers, so that those of a network are their sum. */
struct msg_detail {
    struct fsd      fsd;
    uint32_t        ports, pairs;
    struct msg_port port[MSG_PORTS_MAX];
    struct msg_pair pair[MSG_PAIRS_MAX];
    bool            has_seen;            /* a host that knows of its messages: */
    struct seen_part seen;
};

/* What does not change about a device; 0: not known. */
struct msg_facts {
    uint32_t number;             /* its place among the devices of its network */
    uint32_t ports;
    uint64_t rate_bps;           /* of the fastest port */
    uint64_t base_rtt_ps;        /* the longest, of the empty network */
    uint64_t pfc_bytes_one, pfc_bytes_two;       /* queue at which a switch pauses one or two input ports */
};

enum msg_sample_counter {
#define AGENT(name, ...) MSG_SAMPLE_##name,
#include "core/figures.def"
    MSG_SAMPLE_COUNTERS
};

/* Bits of struct msg_sample.unknown. On the wire one bit stands for the paused time: no counter has it. */
#define MSG_PAUSED_BIT    6
#define MSG_UNKNOWN_BIT(row) (1ull << ((row) + ((row) >= MSG_PAUSED_BIT)))
#define MSG_UNKNOWN(name) MSG_UNKNOWN_BIT(MSG_SAMPLE_##name)
#define MSG_UNKNOWN_ALL   ((MSG_UNKNOWN_BIT(MSG_SAMPLE_COUNTERS) - 1) & ~(1ull << MSG_PAUSED_BIT))

struct msg_sample {              /* of a device, in one interval: differences of its counters */
    uint64_t interval_us;
    uint64_t rate_bps;           /* of the link; 0: not known */
#define AGENT(name, ...) uint64_t name;
#include "core/figures.def"
    uint64_t unknown;            /* counters that the device does not have, MSG_UNKNOWN(cnps): they are 0 */
    double   paused;             /* share of the time in which it could not send; NAN: not known */
    double   metric;             /* how well it did, 0 .. 1, higher is better; NAN: not measured */
    bool     is_stale;           /* its counters were not polled since the last sample */
    bool     is_brief;           /* only the metric and flow sizes, as the controller asked */
    const struct msg_detail *detail;     /* or NULL; owned by the sample's creator, until its next one */
};

/* The share of its link that a device used; NAN: not known. A counter read late may give more than 1. */
static inline double msg_use(const struct msg_sample *s)
{
    bool is_known = s->rate_bps && s->interval_us && !(s->unknown & MSG_UNKNOWN(tx_bytes));

    return is_known ? (double)s->tx_bytes * 8e6 / (double)s->interval_us / (double)s->rate_bps : NAN;
}

/* The metric of a device that measures no round trips: the mean of its use and of the time without pauses, or
 * its use alone if pauses are not known. */
static inline double msg_metric(const struct msg_sample *s)
{
    double use = msg_use(s), busy = isnan(use) ? use : fmin(1, use);

    return isnan(s->paused) ? busy : 0.5 * busy + 0.5 * (1 - s->paused);
}

/* A device whose agent sets its queues by a tuner of its own (live/queues). */
struct msg_self {
    bool     is_there;           /* there is such a tuner */
    bool     is_allowed;         /* HELLO, REPORT: it may act; QUEUES: it may from now on, or no longer */
    bool     is_broken;          /* queues could not be restored yet; the wire has it as the device's */
    uint32_t queues, moved;      /* moved: number of queues whose setting has changed */
    uint64_t decisions, changes; /* since the agent's start */
    bool     is_training;        /* it takes nets and sends records */
    uint64_t net;                /* checksum of the controller's net that it uses; 0: its own */
};

#define MSG_LEARN_ROWS_MAX   512
#define MSG_LEARN_FLOATS_MAX 15000       /* a message has at most 64 KB */

/* Online learning of a tuner at switches: see tune/acc/acc_agents.h. */
struct msg_learn {
    uint64_t version;            /* of the net; 0: the agent's own, which needs no parameters */
    uint64_t seed;               /* controller: of exploration */
    uint64_t checksum;           /* of a net */
    uint32_t rows;               /* agent: of records; 0: the net 'version' was refused */
    uint32_t floats;
    uint32_t slot[MSG_LEARN_ROWS_MAX], queue[MSG_LEARN_ROWS_MAX];        /* slot: since the last message */
    float    value[MSG_LEARN_FLOATS_MAX];        /* records one after the other, or parameters; all finite */
};

struct msg {
    enum msg_kind     kind;
    uint64_t          term;      /* from agents: the highest term they claim to have obeyed; 0: not given */
    uint64_t          incarnation;
    uint64_t          change;    /* which one */
    uint64_t          stamp_us, at_us;
    bool              is_brief;  /* LEASE: the metric and flow sizes will do for the next reports */
    bool              has_control;       /* LEASE: 'control' is known, */
    double            control;   /* the share of the time that devices without the change were paused */
    struct knob_set   set;       /* HELLO: the device's; PREPARE: wanted; ANSWER: read back */

    /* HELLO */
    char              name[MSG_NAME_SIZE];
    uint32_t          version;
    enum knob_where   where;     /* KNOB_NIC or KNOB_SWITCH */
    bool              may_write; /* false: the agent observes */
    uint64_t          gap_us;    /* least time between writes */
    uint64_t          interval_us;       /* between its reports */
    struct knob_set   confirmed, baseline;
    bool              is_fixed[KNOB_COUNT];      /* knobs of 'set' that the agent would not set */
    struct msg_facts  facts;

    /* HELLO, REPORT */
    enum msg_phase    phase;
    bool              is_frozen, is_broken;      /* broken: a revert has not succeeded yet */
    bool              is_unreadable;     /* its parameters cannot be read */
    struct msg_sample sample;
    struct msg_self   self;      /* QUEUES: is_allowed */

    /* LEARN. NULL: the message means nothing. Owned by its creator, until the next one */
    const struct msg_learn *learn;

    /* ANSWER */
    enum msg_answer   answer;
    char              why[MSG_WHY_SIZE];         /* REPORT: the broken guardrail, or ""; HELLO: why frozen */
};

#endif
