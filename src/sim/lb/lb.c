/* src/sim/lb/lb.c - the list of load balancers, and those that need no file of their own. */
#include "sim/lb/lb.h"
#include "sim/lb/entropy.h"

#include <string.h>

/* All balancers. To add one, add a line. */
#define EACH(X) \
    X(lb_ecmp) \
    X(lb_letflow) \
    X(lb_conga) \
    X(lb_drill) \
    X(lb_spray) \
    X(lb_conweave) \
    X(lb_adaptive) \
    X(lb_oblivious) \
    X(lb_bitmap) \
    X(lb_reps) \
    X(lb_reps_legacy) \
    X(lb_mixed) \

#define DECLARE(algo) extern const struct lb_algo algo;
#define ADDRESS(algo) &algo,

EACH(DECLARE)

const struct lb_algo *const lb_all[] = { EACH(ADDRESS) NULL };

/* ECMP is the default for all packets, so switches implement it, and there is no pick(). */
const struct lb_algo lb_ecmp = {
    .name = "ecmp", .about = "one path per flow, chosen by a hash of addresses and ports"
};

/* Senders spray: switches hash the entropy value of each packet, so it selects a path. entropy.c has the
 * algorithms; the knob 'paths' sets the number of values. */
#define SPRAYED(name_, kind_, about_) \
    const struct lb_algo lb_##name_ = { .name = #name_, .about = about_, .entropy = kind_ + 1 };

SPRAYED(oblivious, ENTROPY_OBLIVIOUS, "senders walk through all paths, packet by packet: knob paths")
SPRAYED(bitmap, ENTROPY_BITMAP,
        "the same, but paths with marks, trimmed packets or time-outs are skipped for a while")
SPRAYED(reps, ENTROPY_REPS, "senders use the last eight good paths again, else random ones")
SPRAYED(reps_legacy, ENTROPY_REPS_LEGACY,
        "senders try all paths, then use the good ones again, else random ones")
SPRAYED(mixed, ENTROPY_MIXED, "senders use good paths again, once each, else as bitmap")

const struct lb_algo *lb_find(const char *name)
{
    for (const struct lb_algo *const *a = lb_all; *a; a++)
        if (strcmp((*a)->name, name) == 0)
            return *a;
    return NULL;
}
