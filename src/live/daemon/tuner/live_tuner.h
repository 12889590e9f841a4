/* src/live/daemon/tuner/live_tuner.h - the loop of tune/loop.h around a real network: builds reports from
 * those of agents, and proposes the tuner's decisions for trials.
 *
 * Reports list devices by number, then by name, so that they do not depend on the order of connection. Their
 * interval is that of the samples. The tuner sees no reports during a trial, nor intervals that began before
 * a setting was applied (tune/loop.h).
 *
 * A tuner that tries settings on a twin runs in a thread of its own, and its decision is collected at a later
 * interval; in lock step the loop waits for it. Until then the thread owns the loop, and does not see newer
 * reports.
 */
#ifndef LIVE_DAEMON_TUNER_LIVE_TUNER_H
#define LIVE_DAEMON_TUNER_LIVE_TUNER_H

#include "base/json.h"
#include "live/daemon/config/live_config.h"
#include "base/thread/thinker.h"
#include "core/world.h"
#include "tune/acc/acc.h"
#include "tune/loop.h"

/* ---- twins of a real network, for tuners that try settings before they apply them ----
 *
 * A scenario file describes the network: its topology and the sections of hosts and switches are used, its
 * traffic is not. Trials run one by one in the calling thread, until their CPU time is used up or they are
 * stopped. */

struct live_twin;

/* cpu_us: of one search; 0: any. */
int  live_twin_open(struct live_twin **, const char *path, uint64_t cpu_us, struct err *);
void live_twin_close(struct live_twin *);

/* What the file knows of the network: devices and ports of its own, which need not be those that report. */
const struct world *live_twin_world(const struct live_twin *);

/* For struct world: its arg is the live_twin. */
extern const struct predict_maker live_twin_maker;

/* A search begins: its CPU time counts from here, in the thread that calls. */
void live_twin_begin(struct live_twin *);

/* The next one may go on. */
void live_twin_allow(struct live_twin *);

/* From any thread: the search that goes on ends soon, with nothing found. */
void live_twin_stop(struct live_twin *);

/* ---- the tuner ---- */

struct live_tuner {
    const struct controller_file *file;
    uint64_t      epoch_us;
    struct loop   loop;
    bool          is_open;
    bool          has_failed;    /* to open; the reason was logged */
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

/* epoch_us: start of simulated time, which waits for the tuner, in the stamps of devices; 0: real time. */
void live_tuner_init(struct live_tuner *, const struct controller_file *, uint64_t epoch_us);

/* Writes its decisions to tuning.jsonl in the state folder, as `anole run` does. */
void live_tuner_fini(struct live_tuner *);

/* As in struct control_io. */
void live_tuner_interval(struct live_tuner *, const struct controller *, uint64_t now_us);
/* It looks at flow sizes alone, until they change. */
bool live_tuner_is_idle(const struct live_tuner *);

/* It still works on the last report: propose() must be called again. */
bool live_tuner_thinks(const struct live_tuner *);

bool live_tuner_propose(struct live_tuner *, const struct controller *, uint64_t now_us, struct knob_set *,
                        char why[MSG_WHY_SIZE]);
void live_tuner_ended(struct live_tuner *, const struct controller *, bool is_kept, uint32_t missed,
                      const char *why);

/* The missing input that the tuner waits for, and how to provide it; "": nothing is missing. Returns buf. */
char *live_tuner_missing(const struct live_tuner *, char *buf, size_t size);

/* The tuner's view of the network, and its last proposals. */
json_t *live_tuner_json(const struct live_tuner *);

/* ---- the controller's learner for ACC at switches: tune/acc/acc.h with records from agents ----
 *
 * Agents send the records of each interval. The learner takes those that a sound switch can have made, counts
 * the others, and learns at the end of the controller's interval. In lock step this gives the nets and
 * thresholds of a simulation with 'learner: central'. An agent that lies within the bounds can mislead the
 * net, but no net can choose anything but the settings that each agent allows. */

struct live_learner {
    struct loop         loop;
    struct acc_learner *acc;     /* NULL: there is no learner */
    uint64_t            seed;
    uint64_t            taken, refused;          /* records */
    uint64_t            logged_us;               /* the last refusal in the log */
    struct msg_learn    net;     /* for agents */
};

/* Is the learner of the file, if it has one, ACC with 'train' and 'learner: central'? */
int live_learner_check(const struct controller_file *, struct err *);

void live_learner_init(struct live_learner *, const struct controller_file *);
void live_learner_fini(struct live_learner *);

/* As in struct control_io. True: 'note' is for the audit log. */
bool live_learner_take(struct live_learner *, const struct controller *, const struct peer *,
                       const struct msg_learn *, uint64_t now_us, char note[MSG_WHY_SIZE]);
const struct msg_learn *live_learner_net(struct live_learner *, const struct controller *,
                                         const struct peer *);

/* An interval has ended: learns. After a rollback it begins with the model again. True: there is another net,
 * and 'note' is for the audit log. */
bool live_learner_interval(struct live_learner *, const struct controller_file *, const struct controller *,
                           char note[MSG_WHY_SIZE]);

#endif
