/* src/report/page_queues.c - page data: thresholds of queues over time, for tuners that set single queues. */
#include "base/err.h"
#include "report/page.h"
#include "report/results_json.h"

#include <stdlib.h>

#define LINES_MAX   8            /* queues with a curve; there are as many colours */
#define CHANGES_MAX 512          /* per queue */

struct rank { uint64_t changes; uint32_t port; };

static int by_changes(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->changes != y->changes)
        return x->changes > y->changes ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

struct line { json_t *at, *kmin, *kmax, *pmax; };

static void add_point(struct line *l, uint64_t at_ps, const struct ecn *e)
{
    json_array_append_new(l->at, json_real((double)at_ps / (double)PS_PER_US));
    json_array_append_new(l->kmin, json_integer(e->kmin_bytes));
    json_array_append_new(l->kmax, json_integer(e->kmax_bytes));
    json_array_append_new(l->pmax, json_of_rounded(e->pmax));
}

/* Of more than CHANGES_MAX changes, the last one in each of CHANGES_MAX equal parts of the run is kept. */
static json_t *line_json(const struct results *r, const struct rank *rank)
{
    const struct queue_log *q = r->queues;
    struct line  l = { json_array(), json_array(), json_array(), json_array() };
    uint64_t     part_ps = rank->changes > CHANGES_MAX ? r->end_ps / CHANGES_MAX + 1 : 1, part = 0;
    const struct queue_change *held = NULL;
    char         name[64];

    add_point(&l, 0, &q->first[rank->port]);
    for (uint32_t i = 0; i < q->count; i++) {
        if (q->change[i].port != rank->port)
            continue;
        if (held && q->change[i].at_ps / part_ps != part)
            add_point(&l, held->at_ps, &held->ecn);
        held = &q->change[i];
        part = held->at_ps / part_ps;
    }
    if (held)
        add_point(&l, held->at_ps, &held->ecn);
    queue_log_name(name, sizeof(name), r->sim, rank->port);
    return JSON_OF({ "name", json_of_text(name) }, { "changes", json_of_count(rank->changes) },
                   { "at_us", l.at }, { "kmin_bytes", l.kmin }, { "kmax_bytes", l.kmax },
                   { "pmax", l.pmax });
}

json_t *page_queues(const struct results *r)
{
    const struct queue_log *q = r->queues;
    struct rank *rank = xcalloc(q->ports + 1ul, sizeof(*rank));
    json_t *o = tuned_queues_json(&r->tuning->queues), *lines = json_array();

    for (uint32_t i = 0; i < q->ports; i++)
        rank[i] = (struct rank){ q->changes_of[i], i };
    qsort(rank, q->ports, sizeof(*rank), by_changes);
    for (uint32_t i = 0; i < q->ports && i < LINES_MAX && rank[i].changes; i++)
        json_array_append_new(lines, line_json(r, &rank[i]));
    json_object_set_new(o, "lines", lines);
    free(rank);
    return o;
}
