/* src/live/tuner/live_twin.h - twins of a real network, for tuners that try settings before they apply them.
 *
 * A scenario file describes the network: its topology and the sections of hosts and switches are used, its
 * traffic is not. Trials run one by one in the calling thread, until their CPU time is used up or they are
 * stopped.
 */
#ifndef LIVE_TUNER_LIVE_TWIN_H
#define LIVE_TUNER_LIVE_TWIN_H

#include "base/err.h"
#include "core/world.h"

#include <stdint.h>

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

#endif
