/* src/lb/lb.c - the list of load balancers. To add one, add a line. */
#include "lb/lb.h"
#include "lb/ecmp.h"
#include "lb/letflow.h"

#include <string.h>

const struct lb_algo *const lb_all[] = {
    &lb_ecmp,
    &lb_letflow,
    NULL
};

const struct lb_algo *lb_find(const char *name)
{
    for (const struct lb_algo *const *a = lb_all; *a; a++)
        if (strcmp((*a)->name, name) == 0)
            return *a;
    return NULL;
}
