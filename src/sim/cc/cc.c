/* src/sim/cc/cc.c - the list of congestion controls. */
#include "sim/cc/cc.h"

#include <string.h>

/* All congestion controls. To add one, add a line. */
#define EACH(X) \
    X(cc_dcqcn_nic) \
    X(cc_dcqcn_hpcc) \
    X(cc_dcqcn_paraleon) \
    X(cc_dcqcn_plus) \
    X(cc_hpcc) \
    X(cc_hpcc_pint) \
    X(cc_timely) \
    X(cc_dctcp) \
    X(cc_swift) \
    X(cc_nscc) \
    X(cc_rttcc) \
    X(cc_rlcc) \
    X(cc_none) \
    X(cc_rccc) \
    X(cc_nscc_rccc) \
    X(cc_nscc_dctcp) \

#define DECLARE(algo) extern const struct cc_algo algo;
#define ADDRESS(algo) &algo,

EACH(DECLARE)

const struct cc_algo *const cc_all[] = { EACH(ADDRESS) NULL };

const struct cc_algo *cc_find(const char *name)
{
    for (int i = 0; cc_all[i]; i++)
        if (strcmp(cc_all[i]->name, name) == 0)
            return cc_all[i];
    return NULL;
}

bool cc_is_tuned_alone(const struct cc_algo *cc)
{
    if (knob_is_read_by(KNOB_rpg_threshold, cc->name))
        return false;
    for (int i = 0; i < KNOB_COUNT; i++)
        if (knob_is_read_by((enum knob)i, cc->name))
            return true;
    return cc->needs_uet;
}
