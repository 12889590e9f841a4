/* src/live/tuner/live_learner.h - the controller's learner for ACC at switches: tune/acc/acc_agents.h with
 * records from agents.
 *
 * Agents send the records of each interval. The learner takes those that a sound switch can have made, counts
 * the others, and learns at the end of the controller's interval. In lock step this gives the nets and
 * thresholds of a simulation with 'learner: central'. An agent that lies within the bounds can mislead the
 * net, but no net can choose anything but the settings that each agent allows.
 */
#ifndef LIVE_TUNER_LIVE_LEARNER_H
#define LIVE_TUNER_LIVE_LEARNER_H

#include "live/config/live_config.h"
#include "live/controller/controller.h"
#include "tune/acc/acc.h"

struct live_learner {
    struct loop         loop;
    struct acc_learner *acc;     /* NULL: there is no learner */
    uint64_t            seed;
    uint64_t            taken, refused;          /* records */
    uint64_t            told_us;                 /* the last refusal in the log */
    struct msg_learn    net;     /* for agents */
};

/* Is the learner of the file, if it has one, ACC with 'train' and 'learner: central'? */
int live_learner_check(const struct controller_file *, struct err *);

void live_learner_init(struct live_learner *, const struct controller_file *);
void live_learner_fini(struct live_learner *);

/* As in struct controller_io. */
void live_learner_take(struct live_learner *, struct controller *, const struct peer *,
                       const struct msg_learn *, uint64_t now_us);
const struct msg_learn *live_learner_net(struct live_learner *, const struct controller *,
                                         const struct peer *);

/* An interval has ended: learns, and logs a new net. After a rollback it begins with the model again. */
void live_learner_interval(struct live_learner *, const struct controller_file *, struct controller *,
                           uint64_t now_us);

#endif
