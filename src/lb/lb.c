/* src/lb/lb.c - the list of load balancers. To add one, add a line. */
#include "lb/lb.h"
#include "lb/conga.h"
#include "lb/drill.h"
#include "lb/ecmp.h"
#include "lb/letflow.h"
#include "lb/spray.h"

#include <string.h>

const struct lb_algo *const lb_all[] = {
    &lb_ecmp,
    &lb_letflow,
    &lb_conga,
    &lb_drill,
    &lb_spray,
    NULL
};

const struct lb_algo *lb_find(const char *name)
{
    for (const struct lb_algo *const *a = lb_all; *a; a++)
        if (strcmp((*a)->name, name) == 0)
            return *a;
    return NULL;
}
