/* src/cc/cc.c - the list of congestion controls. */
#include "cc/cc.h"

#include <string.h>

extern const struct cc_algo cc_dcqcn_nic, cc_dcqcn_hpcc, cc_dcqcn_plus, cc_none;

const struct cc_algo *const cc_all[] = { &cc_dcqcn_nic, &cc_dcqcn_hpcc, &cc_dcqcn_plus, &cc_none, NULL };

const struct cc_algo *cc_find(const char *name)
{
    for (int i = 0; cc_all[i]; i++)
        if (strcmp(cc_all[i]->name, name) == 0)
            return cc_all[i];
    return NULL;
}
