/* src/learn/policy/trajectory.h - deltas that flows have seen, recorded: CSV.
 *
 *   flow,delta
 *   0,-0.8
 *   3,0.25
 *
 * The first line names the columns. There are "flow", a number, and "delta"; others are not looked at. Lines of
 * one flow are in the order of time, those of several may be mixed (base/file/csv.h).
 */
#ifndef LEARN_POLICY_TRAJECTORY_H
#define LEARN_POLICY_TRAJECTORY_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define TRAJECTORY_BYTES_MAX (1u << 30)

struct trajectory_step { uint64_t flow; uint32_t number; float delta; };

/* Flow after flow, each in the order of time. */
struct trajectories {
    uint32_t                steps, flows;
    struct trajectory_step *step;
};

/* Fills it only on success; 'name' stands before the reason in err. A file without a step is refused. */
int trajectories_parse(struct trajectories *, const char *name, const char *text, size_t length, struct err *);

/* "-": standard input. */
int trajectories_load(struct trajectories *, const char *path, struct err *);

void trajectories_fini(struct trajectories *);

#endif
