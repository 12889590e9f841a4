/* src/study/report/results_passes.c - where the time of a program's passes went: SimAI workloads, Chakra and
 * GOAL traces. A rank computes or not, and has messages of its own under way or not. */
#include "base/print/table.h"
#include "base/print/terminal.h"
#include "study/report/results.h"
#include "study/report/results_text.h"

#include <stdlib.h>
#include <string.h>

#define RANKS_SHOWN  6
#define PASSES_SHOWN 8

/* ---- tables ---- */

struct waiter { double us; uint32_t rank; };

static int by_waiting(const void *a, const void *b)
{
    const struct waiter *x = a, *y = b;

    return x->us != y->us ? (x->us > y->us) - (x->us < y->us) : (x->rank > y->rank) - (x->rank < y->rank);
}

static void add_spent(struct table *t, const double us[SPENT_COUNT])
{
    static const enum spent order[] = { SPENT_COMPUTING, SPENT_HIDDEN, SPENT_EXPOSED, SPENT_WAITING };

    for (unsigned i = 0; i < sizeof(order) / sizeof(*order); i++)
        table_cell(t, "%s", metric(UNIT_US, us[order[i]]).buf);
}

/* The ranks that wait least, which the others wait for, and those that wait most. */
static void print_ranks(const struct results *r, uint32_t entry, FILE *out, struct results_look look)
{
    const struct spent_job *job = &r->entry[entry].spent;
    uint32_t       ranks = job->ranks, shown = ranks < RANKS_SHOWN ? ranks : RANKS_SHOWN;
    struct waiter *list = xcalloc(ranks + 1ul, sizeof(*list));
    struct table  *t = table_new("lrrrr");
    double         us[SPENT_COUNT];

    for (uint32_t i = 0; i < ranks; i++) {
        spent_of_rank(job, i, us);
        list[i] = (struct waiter){ us[SPENT_WAITING], i };
    }
    qsort(list, ranks, sizeof(*list), by_waiting);
    print_heading(out, look.has_colour, "Where an iteration's time goes: mean over ranks, and the ranks that "
                  "wait least and most");
    table_cells(t, r->scenario->entry[entry].name, "computing alone", "messages behind it",
                "messages exposed", "waiting for others", NULL);
    table_cell(t, "mean of %u ranks", ranks);
    spent_mean(job, us);
    add_spent(t, us);
    for (uint32_t i = 0; i < shown; i++) {
        uint32_t at = i < shown / 2 ? i : ranks - shown + i, rank = list[at].rank;

        spent_of_rank(job, rank, us);
        table_cell(t, "rank %u, %s", rank,
                   sim_graph(r->sim)->node[trace_host(sim_traffic(r->sim), entry, rank)].name);
        add_spent(t, us);
    }
    table_end_fitted(t, out, 2, look.width, "00000");
    free(list);
}

static void print_classes(const struct results *r, uint32_t entry, FILE *out, struct results_look look)
{
    struct trace_class list[TRACE_CLASSES];
    uint32_t           count = trace_classes(sim_traffic(r->sim), entry, list);
    struct table      *t = table_new("lrrrl");
    double             passes = r->entry[entry].spent.passes * (double)PS_PER_US;

    if (count)
        print_heading(out, look.has_colour,
                      "Collectives of an iteration: from the start to the end, for a rank");
    table_cells(t, r->scenario->entry[entry].name, "groups", "mean of ranks", "most", "of", NULL);
    for (uint32_t i = 0; i < count; i++) {
        const struct trace_class *c = &list[i];

        table_cell(t, "%s of %u ranks", trace_collective_names[c->collective], c->ranks);
        table_cells(t, count_text(c->groups).buf,
                    metric(UNIT_US, (double)c->sum_ps / passes / ((double)c->ranks * c->groups)).buf,
                    metric(UNIT_US, (double)c->most_ps / passes).buf, NULL);
        table_cell(t, "rank %u", c->most_rank);
    }
    if (count)
        table_end_fitted(t, out, 2, look.width, "00000");
    else
        table_free(t);
}

static void print_list(const struct results *r, uint32_t entry, FILE *out)
{
    const struct entry_passes *e = &r->passes->entry[entry];
    uint64_t                   from_ps = r->scenario->entry[entry].start_ps;

    for (uint32_t i = 0; i < e->count && i < PASSES_SHOWN && e->pass[i].ended == e->ranks; i++) {
        char name[24];

        snprintf(name, sizeof(name), "iteration %u", i + 1);
        print_line(out, name, "%s", time_text(e->pass[i].end_ps - from_ps).buf);
        from_ps = e->pass[i].end_ps;
    }
    if (e->count > PASSES_SHOWN)
        print_line(out, "", "and %u more in summary.json", e->count - PASSES_SHOWN);
}

void results_print_passes(const struct results *r, FILE *out, struct results_look look)
{
    for (uint32_t i = 0; i < r->scenario->entries; i++)
        if (r->entry[i].spent.ranks) {
            print_ranks(r, i, out, look);
            print_list(r, i, out);
            print_classes(r, i, out, look);
        }
}
