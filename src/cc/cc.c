/* src/cc/cc.c - the list of congestion controls. */
#include "cc/cc.h"

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

/* Returns the control that owns a knob: the first one whose name is a prefix of the knob's name. */
static const struct cc_algo *owner_of(enum knob knob)
{
    const char *name = knob_info[knob].name;

    for (int i = 0; cc_all[i]; i++) {
        size_t length = strlen(cc_all[i]->name);

        if (strncmp(name, cc_all[i]->name, length) == 0 && name[length] == '_')
            return cc_all[i];
    }
    return knob <= KNOB_initial_alpha_value ? cc_find("dcqcn") : NULL;
}

static bool is_in(const enum knob *list, enum knob knob)
{
    for (; *list != KNOB_COUNT; list++)
        if (*list == knob)
            return true;
    return false;
}

bool cc_heeds(const struct cc_algo *cc, enum knob knob)
{
    const struct cc_algo *owner = owner_of(knob);

    if (!owner || owner == cc || (cc->knobs && is_in(cc->knobs, knob)))
        return true;
    return !owner->knobs && strncmp(cc->name, "dcqcn", 5) == 0;          /* the variants of DCQCN */
}
