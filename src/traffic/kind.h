/* src/traffic/kind.h - what a kind of traffic is made of: for traffic/ and its kinds alone.
 *
 * A kind is one source in traffic/kinds/ and one line in traffic/kinds.c. Its read() takes an entry's own keys
 * (traffic/read.h), adds an entry with a state of its own, and a stream for each host that sends. Then either
 * next() yields a stream's flows in order, from its state and the stream's random numbers; or the kind is a job
 * (traffic/job.h), whose workers start flows when others have ended.
 */
#ifndef TRAFFIC_KIND_H
#define TRAFFIC_KIND_H

#include "base/reader.h"
#include "base/rng.h"
#include "net/graph.h"
#include "traffic/flow.h"

#include <stdio.h>

struct entry;
struct job;
struct traffic_entry;
struct traffic_stream;

struct traffic_kind {
    const char               *name, *about;      /* about: one line */
    const struct key_row *keys;              /* its own; they come before those of all kinds */
    bool                      is_all_own;        /* its keys are all there are: flows have times and classes of their own */

    /* Reads its keys and adds the entry. Called with nothing wrong so far. */
    void (*read)(struct entry *);

    /* Writes at_ps, dst, bytes and what else differs from the entry's; false when there are no more. Starts of a
     * stream do not go back in time. NULL: all streams are workers of a job. */
    bool (*next)(const struct traffic_entry *, struct traffic_stream *, struct flow_spec *);

    void    (*free)(void *state);                /* NULL: free() does it */
    uint8_t (*prios)(const void *state);         /* the classes of its flows, bit by bit; NULL: the entry's */
    void    (*print_more)(FILE *);               /* what else docs/scenario.md says of it; or NULL */

    /* ---- jobs ---- */

    void (*on_arrival)(struct job *, uint64_t now_ps, const struct message *);   /* NULL: does not ask */
    void (*on_sent)(struct job *, uint64_t now_ps, const struct message *);      /* likewise */

    /* For jobs that wake workers: see job_wake(). */
    void (*on_wake)(struct job *, uint64_t now_ps, uint32_t worker, uint64_t tag);

    /* For jobs that signal. A signal of a worker, signal_ps after it was sent, in one part; signals of one
     * moment come by worker, then value. And: before the first flow, copies what signals change for 'parts' parts;
     * until then part 0 is all there is. */
    void (*on_signal)(struct job *, uint32_t part, uint64_t now_ps, uint32_t worker, uint64_t value);
    void (*divide)(struct job *, uint32_t parts);

    /* For jobs that do the same over and over, without random numbers: is one round over and the next not begun? From
     * there the same happens again, later, if messages take as long as they did. NULL: it does not repeat itself. */
    bool (*is_at_rest)(const struct job *);
};

extern const struct traffic_kind *const traffic_all[];       /* NULL-terminated */

/* The keys of all kinds. */
extern const struct key_row traffic_keys[];

struct traffic_entry {           /* one of the traffic list */
    const struct traffic_kind *kind;
    void                      *state;    /* the kind's */
    struct traffic_common      common;
    uint32_t                  *hosts;    /* nodes */
    uint32_t                   count;
    uint32_t                   rank;     /* of its first source or flow, over all entries */
    uint32_t                   streams;
    double                     flows;    /* that it is expected to start in the whole run; 0: not known */
    double                     bps;      /* of each stream that is no worker, on average; 0: not known */
    uint8_t                    tcp;      /* as in flow_spec */
    uint32_t                   qps;      /* likewise */
    struct job                *job;      /* NULL: its flows are known beforehand and nobody asks for their end */
};

struct traffic_stream {
    uint32_t   entry, source;
    uint32_t   index;            /* of the source among the entry's hosts; their count: it is none */
    uint32_t   number;           /* among the entry's streams, from 0: for what a kind keeps of each */
    uint32_t   rank;
    uint32_t   at;               /* the kind's: flows so far, or the like; 0 at first */
    uint64_t   time_ps;          /* the kind's; the entry's start at first */
    struct rng rng;
    bool       is_worker, is_touched;
    uint8_t    part;
    uint32_t   first_post;       /* worker: of its posts, the one that starts first; 0: none */
    uint32_t   next_touched;
};

/* Adds an entry. Its state is freed with it. */
struct traffic_entry *traffic_add_entry(struct traffic *, const struct traffic_kind *, void *state,
                                        const struct traffic_common *, const uint32_t *hosts, uint32_t count);

/* A stream of the last entry. Its random numbers belong to (seed, entry, source). */
struct traffic_stream *traffic_add_stream(struct traffic *, uint32_t source, uint32_t index);

/* One on each of the entry's hosts. */
void traffic_add_streams(struct traffic *);

/* Places for 'count' flows of one entry among those that start together; returns the first. */
uint32_t traffic_take_ranks(struct traffic *, uint32_t count);

/* The last entry has so many flows under way at once, or fewer. */
void traffic_expect_flows(struct traffic *, uint64_t count);

/* The last entry starts about so many flows in the whole run, at random times: how many are under way at once is not known.
 * Room for all of them is made, as far as there is any. */
void traffic_expect_some(struct traffic *, double count);

/* Random numbers that belong to the last entry as a whole. */
void traffic_entry_rng(const struct traffic *, struct rng *);

const struct graph *traffic_graph(const struct traffic *);

/* Keeps what went wrong, for traffic_failed(). Those of different parts may fail at the same time. */
void traffic_fail(struct traffic *, const struct traffic_stream *, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
