/* src/live/tuner/live_tuner.h - the loop of tune/loop.h around a real network: builds reports from those of
 * agents, and proposes the tuner's decisions for trials.
 *
 * Reports list devices by number, then by name, so that they do not depend on the order of connection. Their
 * interval is that of the samples. The tuner sees no reports during a trial, nor intervals that began before
 * a setting was applied (tune/loop.h).
 *
 * A tuner that tries settings on a twin runs in a thread of its own, and its decision is collected at a later
 * interval; in lock step the loop waits for it. Until then the thread owns the loop, and does not see newer
 * reports.
 */
#ifndef LIVE_TUNER_LIVE_TUNER_H
#define LIVE_TUNER_LIVE_TUNER_H

#include "base/json.h"
#include "live/controller/state.h"
#include "live/config/live_config.h"
#include "live/tuner/live_twin.h"
#include "base/thread/thinker.h"
#include "tune/loop.h"

struct live_tuner {
    const struct controller_file *file;
    uint64_t      epoch_us;
    struct loop   loop;
    bool          is_open;
    bool          has_failed;    /* to open; it was said why */
    struct world  world;
    struct report report;
    struct lag    lag;
    uint32_t     *order;         /* peers, as the report has them */
    uint32_t      roster;        /* the controller's, for which it was opened */
    uint64_t      decision;      /* under way; 0: none */
    uint64_t      number, end_ps;                /* of the last report */
    struct live_twin *twin;      /* NULL: the network is not described */
    struct thinker thinker;
    const struct report *thought;        /* the report that is being processed; NULL: idle */
    struct decision decided;     /* by the thinker */
    json_t       *last_status;   /* the tuner's status before its calculation started */
    struct seen   seen;          /* messages that were not shown yet, */
    uint64_t      seen_us;       /* of so much time of all hosts together */
    uint32_t      unseen;        /* intervals without reports of messages; a warning follows after a few */
    uint32_t      flowless;      /* intervals without flow sizes */
    char          failure[MSG_WHY_SIZE * 2];     /* why it could not be opened */
    const struct fsd *flows;     /* flow sizes from switches, instead of those of agents; NULL: none */
};

/* Is the tuner of the file one that there is, with options that it takes? */
int live_tuner_check(const struct controller_file *, struct err *);

/* 'epoch_us': the stamps of devices show the time of a simulated network from here on, which waits for the
 * tuner; 0: time is real. */
void live_tuner_init(struct live_tuner *, const struct controller_file *, uint64_t epoch_us);

/* Writes its decisions to tuning.jsonl in the state folder, as `anole run` does. */
void live_tuner_fini(struct live_tuner *);

/* As in struct controller_io. */
void live_tuner_interval(struct live_tuner *, const struct controller *, uint64_t now_us);
/* It looks at flow sizes alone, until they change. */
bool live_tuner_is_idle(const struct live_tuner *);

/* What it was shown last it is still thinking of: it is to be asked again. */
bool live_tuner_thinks(const struct live_tuner *);

bool live_tuner_propose(struct live_tuner *, const struct controller *, uint64_t now_us, struct knob_set *,
                        char why[MSG_WHY_SIZE]);
void live_tuner_ended(struct live_tuner *, const struct controller *, bool is_kept, uint32_t missed,
                      const char *why);

/* The missing input that the tuner waits for, and how to provide it; "": nothing is missing. Returns buf. */
char *live_tuner_missing(const struct live_tuner *, char *buf, size_t size);

/* The tuner's view of the network, and its last proposals. */
json_t *live_tuner_json(const struct live_tuner *);

#endif
