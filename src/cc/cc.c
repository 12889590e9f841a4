/* src/cc/cc.c - the list of congestion controls. */
#include "cc/cc.h"

#include <string.h>

/* Every one of them. To add one, add a line. */
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
    X(cc_rttcc) \
    X(cc_rlcc) \
    X(cc_none) \

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
