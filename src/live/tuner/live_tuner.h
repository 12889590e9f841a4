/* src/live/tuner/live_tuner.h - the loop of tune/loop.h around a real network: reports from what agents told,
 * a tuner's decisions as what is to be tried.
 *
 * A report has the devices in the order of their numbers, then of their names, so that it does not depend on
 * who came first. Its interval is that of the samples. While something is tried, and of intervals that began
 * before it was in force, the tuner sees no reports (tune/lag.h).
 *
 * A tuner that tries settings on a twin thinks in a thread of its own, and what it has decided is asked for
 * at a later interval; in lock step it is waited for. Until then the loop is that thread's, and what is
 * reported meanwhile is not shown to it. */
#ifndef LIVE_TUNER_LIVE_TUNER_H
#define LIVE_TUNER_LIVE_TUNER_H

#include "base/json.h"
#include "live/controller/state.h"
#include "live/config/live_config.h"
#include "live/tuner/live_twin.h"
#include "base/thread/thinker.h"
#include "tune/lag.h"
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
    struct live_twin *twin;      /* NULL: nobody says what the network is built of */
    struct thinker thinker;
    const struct report *thought;        /* what is being thought of; NULL: nothing is */
    struct decision decided;     /* by the thinker */
    json_t       *told;          /* what was told of the tuner before it began to think */
    struct seen   seen;          /* messages that were not shown yet, */
    uint64_t      seen_us;       /* of so much time of all hosts together */
    uint32_t      unseen;        /* intervals in which no host told of messages; beyond a few that was said */
    uint32_t      flowless;      /* intervals in which nobody told flow sizes */
    char          failure[MSG_WHY_SIZE * 2];     /* why it could not be opened */
    const struct fsd *flows;     /* flow sizes as switches tell them, instead of what agents tell; NULL: none
                                  * do */
};

/* Is the tuner of the file one that there is, with options that it takes? */
int live_tuner_check(const struct controller_file *, struct err *);

/* 'epoch_us': the stamps of devices show the time of a simulated network from here on, which waits for the
 * tuner; 0: time is real. */
void live_tuner_init(struct live_tuner *, const struct controller_file *, uint64_t epoch_us);

/* Writes what it did to tuning.jsonl in the folder of the state, as `anole run` does. */
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

/* What the tuner waits for that nobody tells, and how to provide it; "": nothing. Returns buf. */
char *live_tuner_missing(const struct live_tuner *, char *buf, size_t size);

/* What it makes of what it sees, and which settings it wanted of late. */
json_t *live_tuner_json(const struct live_tuner *);

#endif
