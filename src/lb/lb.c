/* src/lb/lb.c - the list of load balancers. */
#include "lb/lb.h"

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

const struct lb_algo *lb_find(const char *name)
{
    for (const struct lb_algo *const *a = lb_all; *a; a++)
        if (strcmp((*a)->name, name) == 0)
            return *a;
    return NULL;
}
