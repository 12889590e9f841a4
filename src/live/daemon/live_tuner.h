/* src/live/daemon/live_tuner.h - the loop of tune/loop.h around a real network: reports from what agents told, a tuner's decisions as
 * what is to be tried. While something is tried the tuner sees no reports. */
#ifndef LIVE_DAEMON_LIVE_TUNER_H
#define LIVE_DAEMON_LIVE_TUNER_H

#include "live/controller/state.h"
#include "live/daemon/config.h"
#include "tune/loop.h"

struct live_tuner {
    const struct controller_file *file;
    struct loop   loop;
    bool          is_open;
    struct world  world;
    struct report report;
    uint32_t      devices;       /* for which it was opened */
    uint64_t      decision;      /* under way; 0: none */
    uint64_t      number, begin_us;              /* reports, and when the first interval began */
};

/* Is the tuner of the file one that there is, with options that it takes? */
int live_tuner_check(const struct controller_file *, struct err *);

void live_tuner_init(struct live_tuner *, const struct controller_file *);
void live_tuner_fini(struct live_tuner *);

/* As in struct controller_io. */
bool live_tuner_propose(struct live_tuner *, const struct controller *, uint64_t now_us, struct knob_set *, char why[MSG_WHY_SIZE]);
void live_tuner_ended(struct live_tuner *, bool is_kept, uint32_t missed, const char *why);

#endif
