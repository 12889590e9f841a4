/* src/study/report/results_passes.c - where the time of a program's passes went: SimAI workloads, Chakra and GOAL
 * traces. A rank computes or not, and has messages of its own under way or not. */
#include "base/print/table.h"
#include "base/print/terminal.h"
#include "study/report/results_json.h"
#include "study/report/results_text.h"
#include "work/traffic/kinds/trace_traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_SHOWN  6
#define PASSES_SHOWN 8

static const char *const spent_names[SPENT_COUNT] = {
    [SPENT_WAITING] = "waiting_us", [SPENT_EXPOSED] = "exposed_us", [SPENT_COMPUTING] = "computing_us",
    [SPENT_HIDDEN] = "hidden_us",
};

uint32_t results_ranks(const struct results *r, uint32_t entry)
{
    return trace_ranks(sim_traffic(r->sim), entry);
}

static uint32_t passes_ended(const struct results *r, uint32_t entry)
{
    return (uint32_t)ops_cell(r->ops, entry, OP_ITERATION)->count;
}

static uint64_t last_end_ps(const struct results *r, uint32_t entry)
{
    uint64_t end_ps = r->scenario->entry[entry].start_ps;

    for (uint32_t i = 0; i < results_ranks(r, entry); i++) {
        struct rank_spent s = trace_spent(sim_traffic(r->sim), entry, i, r->end_ps);

        end_ps = s.end_ps > end_ps ? s.end_ps : end_ps;
    }
    return end_ps;
}

/* Of one pass, in microseconds: means over the passes. Until the last rank ends, the others wait. */
static void spent_of(const struct results *r, uint32_t entry, uint32_t rank, uint64_t end_ps, double us[SPENT_COUNT])
{
    struct rank_spent s = trace_spent(sim_traffic(r->sim), entry, rank, r->end_ps);
    double            passes = fmax(1, passes_ended(r, entry)) * (double)PS_PER_US;

    s.ps[SPENT_WAITING] += end_ps - s.end_ps;
    for (int i = 0; i < SPENT_COUNT; i++)
        us[i] = (double)s.ps[i] / passes;
}

void results_spent(const struct results *r, uint32_t entry, double us[RESULTS_SPENT])
{
    uint32_t ranks = results_ranks(r, entry);
    uint64_t end_ps = last_end_ps(r, entry);

    for (int i = 0; i < SPENT_COUNT; i++)
        us[i] = 0;
    for (uint32_t k = 0; k < ranks; k++) {
        double of_rank[SPENT_COUNT];

        spent_of(r, entry, k, end_ps, of_rank);
        for (int i = 0; i < SPENT_COUNT; i++)
            us[i] += of_rank[i] / ranks;
    }
}

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
    uint32_t       ranks = results_ranks(r, entry), shown = ranks < RANKS_SHOWN ? ranks : RANKS_SHOWN;
    struct waiter *list = xcalloc(ranks + 1ul, sizeof(*list));
    struct table  *t = table_new("lrrrr");
    uint64_t       end_ps = last_end_ps(r, entry);
    double         us[SPENT_COUNT];

    for (uint32_t i = 0; i < ranks; i++) {
        spent_of(r, entry, i, end_ps, us);
        list[i] = (struct waiter){ us[SPENT_WAITING], i };
    }
    qsort(list, ranks, sizeof(*list), by_waiting);
    print_heading(out, look.has_colour, "Where an iteration's time goes: mean over ranks, and the ranks that wait "
                  "least and most");
    table_cells(t, r->scenario->entry[entry].name, "computing alone", "messages behind it", "messages exposed",
                "waiting for others", NULL);
    table_cell(t, "mean of %u ranks", ranks);
    results_spent(r, entry, us);
    add_spent(t, us);
    for (uint32_t i = 0; i < shown; i++) {
        uint32_t at = i < shown / 2 ? i : ranks - shown + i, rank = list[at].rank;

        spent_of(r, entry, rank, end_ps, us);
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
    double             passes = fmax(1, passes_ended(r, entry)) * (double)PS_PER_US;

    if (count)
        print_heading(out, look.has_colour, "Collectives of an iteration: from the start to the end, for a rank");
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
        if (results_ranks(r, i)) {
            print_ranks(r, i, out, look);
            print_list(r, i, out);
            print_classes(r, i, out, look);
        }
}

/* ---- JSON ---- */

static json_t *rank_json(const struct results *r, uint32_t entry, uint32_t rank, uint64_t end_ps)
{
    double  us[SPENT_COUNT];
    json_t *o = JSON_OF({ "rank", JSON(rank) },
                        { "host", JSON(sim_graph(r->sim)->node[trace_host(sim_traffic(r->sim), entry, rank)].name) });

    spent_of(r, entry, rank, end_ps, us);
    for (int i = 0; i < SPENT_COUNT; i++)
        json_put_number(o, spent_names[i], us[i]);
    return o;
}

static json_t *classes_json(const struct results *r, uint32_t entry)
{
    struct trace_class list[TRACE_CLASSES];
    uint32_t           count = trace_classes(sim_traffic(r->sim), entry, list);
    double             passes = fmax(1, passes_ended(r, entry)) * (double)PS_PER_US;
    json_t            *rows = json_array();

    for (uint32_t i = 0; i < count; i++)
        JSON_ADD(rows, { "collective", JSON(trace_collective_names[list[i].collective]) },
                 { "ranks", JSON(list[i].ranks) }, { "groups", JSON(list[i].groups) },
                 { "us_mean", JSON((double)list[i].sum_ps / passes / ((double)list[i].ranks * list[i].groups)) },
                 { "us_most", JSON((double)list[i].most_ps / passes) }, { "rank_most", JSON(list[i].most_rank) });
    return rows;
}

json_t *results_json_passes(const struct results *r, uint32_t entry)
{
    const struct entry_passes *e = &r->passes->entry[entry];
    uint64_t                   from_ps = r->scenario->entry[entry].start_ps, end_ps = last_end_ps(r, entry);
    json_t                    *us = json_array(), *ranks = json_array();

    for (uint32_t i = 0; i < e->count && e->pass[i].ended == e->ranks; i++) {
        json_array_append_new(us, json_of_us(e->pass[i].end_ps - from_ps));
        from_ps = e->pass[i].end_ps;
    }
    for (uint32_t i = 0; i < results_ranks(r, entry); i++)
        json_array_append_new(ranks, rank_json(r, entry, i, end_ps));
    return JSON_OF({ "iterations_us", us }, { "ranks", ranks }, { "collectives", classes_json(r, entry) });
}
