/* src/learn/policy/trajectory.h - recorded deltas of flows, as CSV.
 *
 *   flow,delta
 *   0,-0.8
 *   3,0.25
 *
 * The first line names the columns: "flow", a number, and "delta"; others are ignored. Lines of one flow are
 * in order of time; lines of different flows may be interleaved (base/file/csv.h).
 */
#ifndef LEARN_POLICY_TRAJECTORY_H
#define LEARN_POLICY_TRAJECTORY_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define TRAJECTORY_BYTES_MAX (1u << 30)

struct trajectory_step { uint64_t flow; uint32_t number; float delta; };

/* Flow by flow, each in order of time. */
struct trajectories {
    uint32_t                steps, flows;
    struct trajectory_step *step;
};

/* Filled only on success. 'name' precedes the reason in err. Refuses a file without steps. */
int trajectories_parse(struct trajectories *, const char *name, const char *text, size_t length,
                       struct err *);

/* "-": standard input. */
int trajectories_load(struct trajectories *, const char *path, struct err *);

void trajectories_fini(struct trajectories *);

#endif
