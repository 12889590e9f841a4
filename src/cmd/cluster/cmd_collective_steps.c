/* src/cmd/cluster/cmd_collective_steps.c - the time line of anole collective: in a table, in JSON and in a
 * trace. */
#include "base/json.h"
#include "base/print/table.h"
#include "base/text.h"
#include "cmd/cluster/cmd_collective.h"
#include "core/units.h"
#include "study/report/trace/trace.h"
#include "base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* messages whose dependencies are resolved, in an order that respects them */
struct order {
    uint8_t  *waits;
    uint32_t *step_of, *ready, count;
};

static void resolve(struct order *o, uint32_t m, uint32_t step)
{
    if (step > o->step_of[m])
        o->step_of[m] = step;
    if (--o->waits[m] == 0)
        o->ready[o->count++] = m;
}

static void find_steps(struct timeline *t, const struct collective *c)
{
    struct order o = { xmalloc(c->messages + 1ul), t->step_of, xcalloc(c->messages + 1ul, sizeof(uint32_t)),
                       0 };

    memcpy(o.waits, c->waits, c->messages);
    for (; o.count < c->roots; o.count++)
        o.ready[o.count] = c->root[o.count];
    for (uint32_t i = 0; i < o.count; i++) {
        uint32_t m = o.ready[i], step = t->step_of[m] + 1;

        for (uint32_t k = c->arrival_at[m]; k < c->arrival_at[m + 1]; k++)
            resolve(&o, c->arrival[k], step);
        for (uint32_t k = c->sent_at[m]; k < c->sent_at[m + 1]; k++)
            resolve(&o, c->sent[k], step);
        if (step > t->steps)
            t->steps = step;
    }
    free(o.waits);
    free(o.ready);
}

void timeline_init(struct timeline *t, const struct collective *c)
{
    *t = (struct timeline){ .messages = c->messages,
                            .step_of = xcalloc(c->messages + 1ul, sizeof(*t->step_of)),
                            .is_done = xcalloc(c->messages + 1ul, sizeof(*t->is_done)) };
    find_steps(t, c);
    t->step = xcalloc(t->steps + 1ul, sizeof(*t->step));
}

void timeline_fini(struct timeline *t)
{
    free(t->step_of);
    free(t->is_done);
    free(t->step);
    *t = (struct timeline){ 0 };
}

void timeline_on_flow(struct timeline *t, const struct flow_result *r)
{
    uint64_t              end_ps = r->start_ps + r->fct_ps;

    if (r->tag >= t->messages || t->is_done[r->tag])
        return;
    t->is_done[r->tag] = true;
    struct timeline_step *s = &t->step[t->step_of[r->tag]];
    if (s->messages++ == 0 || r->start_ps < s->start_ps)
        s->start_ps = r->start_ps;
    if (end_ps >= s->end_ps) {
        s->end_ps = end_ps;
        s->last = *r;
    }
}

/* How far the end of a step is behind that of the step before. */
static uint64_t took_ps(const struct timeline *t, uint32_t step)
{
    uint64_t before_ps = step ? t->step[step - 1].end_ps : t->step[0].start_ps;

    return t->step[step].end_ps > before_ps ? t->step[step].end_ps - before_ps : 0;
}

uint32_t timeline_rows(const struct timeline *t, struct timeline_row row[TIMELINE_ROWS])
{
    uint64_t start_ps = t->steps ? t->step[0].start_ps : 0, end_ps = start_ps;
    uint32_t rows = 0;

    for (uint32_t i = 0; i < t->steps; i++)
        end_ps = t->step[i].end_ps > end_ps ? t->step[i].end_ps : end_ps;
    for (uint32_t i = 0; i < t->steps; i++) {
        if (rows == 0 || (rows < TIMELINE_ROWS &&
                          (t->step[i - 1].end_ps - start_ps) * TIMELINE_ROWS >= (end_ps - start_ps) * rows))
            row[rows++] = (struct timeline_row){ i, i, i };
        struct timeline_row *r = &row[rows - 1];
        r->last = i;
        r->slowest = took_ps(t, i) > took_ps(t, r->slowest) ? i : r->slowest;
    }
    return rows;
}

const char *collective_link_text(char buf[80], const struct sim *s, const struct sim_port *p)
{
    const struct graph_node *node = sim_graph(s)->node;

    snprintf(buf, 80, "%s -> %s", node[p->node].name, node[p->peer_node].name);
    return buf;
}

double collective_busy_share(const struct sim *s, const struct sim_port *p)
{
    return (double)p->counters.tx_bytes * 8 / (double)p->rate_bps * (double)PS_PER_S / (double)sim_now_ps(s);
}

/* Distances in links from a host, by node; hosts do not forward. UINT32_MAX: no path. The caller frees
 * them. */
static uint32_t *distances_from(const struct sim *s, uint32_t from)
{
    uint32_t *distance = xmalloc(sim_graph(s)->nodes * sizeof(*distance));

    memset(distance, 0xff, sim_graph(s)->nodes * sizeof(*distance));
    distance[from] = 0;
    for (uint32_t d = 0, has_more = 1; has_more; d++) {
        has_more = 0;
        for (uint32_t i = 0; i < sim_ports(s); i++) {
            struct sim_port p = sim_port(s, i);

            if (distance[p.node] != d || (d > 0 && !p.is_switch) ||
                distance[p.peer_node] != UINT32_MAX)
                continue;
            distance[p.peer_node] = d + 1;
            has_more = 1;
        }
    }
    return distance;
}

/* Finds the port that sends most of the time on shortest paths between two hosts. Returns false without a
 * path. */
static bool busiest_between(const struct sim *s, uint32_t src, uint32_t dst, struct sim_port *busiest)
{
    uint32_t *from = distances_from(s, src), *to = distances_from(s, dst);
    bool      is_found = false;

    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct sim_port p = sim_port(s, i);
        uint32_t        a = p.node, b = p.peer_node;

        if (from[a] == UINT32_MAX || to[b] == UINT32_MAX || from[a] + 1 + to[b] != from[dst])
            continue;
        if (!is_found || collective_busy_share(s, &p) > collective_busy_share(s, busiest))
            *busiest = p;
        is_found = true;
    }
    free(from);
    free(to);
    return is_found;
}

void collective_see_steps(const struct sim *s, const struct timeline *t, struct found *f)
{
    const struct graph *g = sim_graph(s);
    struct timeline_row row[TIMELINE_ROWS];

    f->steps = t->steps;
    f->messages = t->messages;
    f->rows_of_steps = timeline_rows(t, row);
    for (uint32_t i = 0; i < f->rows_of_steps; i++) {
        const struct flow_result *last = &t->step[row[i].slowest].last;
        struct steps_seen        *x = &f->row_of_steps[i];
        struct sim_port           p;
        bool has_link =
            !graph_is_inside(g, last->src, last->dst) && busiest_between(s, last->src, last->dst, &p);

        *x = (struct steps_seen){ row[i].first + 1, row[i].last + 1, row[i].slowest + 1,
                                  t->step[row[i].first].start_ps, t->step[row[i].last].end_ps,
                                  .us = (double)last->fct_ps / (double)PS_PER_US,
                                  .slowdown = (double)last->fct_ps / (double)last->ideal_ps,
                                  .busy = has_link ? collective_busy_share(s, &p) : NAN };
        snprintf(x->from, sizeof(x->from), "%s", g->node[last->src].name);
        snprintf(x->to, sizeof(x->to), "%s", g->node[last->dst].name);
        if (has_link)
            collective_link_text(x->link, s, &p);
    }
}

void collective_trace_steps(const struct sim *s, const struct timeline *t, struct chrome *trace)
{
    char note[80];

    for (uint32_t i = 0; i < t->steps; i++) {
        const struct timeline_step *x = &t->step[i];

        snprintf(note, sizeof(note), "%s -> %s", sim_graph(s)->node[x->last.src].name,
                 sim_graph(s)->node[x->last.dst].name);
        if (x->messages)
            chrome_on_step(trace, i + 1, x->start_ps, x->end_ps, note);
    }
}

static double in_us(uint64_t ps)
{
    return (double)ps / (double)PS_PER_US;
}

void collective_print_steps(const struct found *f)
{
    struct table *t = table_new("lrrrlrrlr");
    char          text[32], end[32];

    text_from_count(text, sizeof(text), f->messages);
    printf("\nTime line of the last size: %u step%s, %s messages\n", f->steps, f->steps == 1 ? "" : "s",
           text);
    table_cells(t, "steps", "from", "to", "slowest", "waits for", "takes", "slowdown", "busiest link",
                "busy", NULL);
    for (const struct steps_seen *x = f->row_of_steps; x < f->row_of_steps + f->rows_of_steps; x++) {
        table_cell(t, x->first == x->last ? "%u" : "%u to %u", x->first, x->last);
        table_cells(t, text_figure(text, sizeof(text), "us", in_us(x->start_ps)),
                    text_figure(end, sizeof(end), "us", in_us(x->end_ps)), NULL);
        table_cell(t, "%u", x->slowest);
        table_cell(t, "%s -> %s", x->from, x->to);
        table_cell(t, "%s", text_figure(text, sizeof(text), "us", x->us));
        table_cells(t, text_figure(text, sizeof(text), "", x->slowdown),
                    *x->link ? x->link : "inside a server", NULL);
        table_cell(t, "%s", text_figure(text, sizeof(text), "share", x->busy));
    }
    table_end(t, stdout, 0);
}

json_t *collective_steps_json(const struct found *f)
{
    json_t *rows = json_array();

    for (const struct steps_seen *x = f->row_of_steps; x < f->row_of_steps + f->rows_of_steps; x++)
        JSON_ADD(rows, JSON_FIELD(x, first), JSON_FIELD(x, last), { "start_us", JSON(in_us(x->start_ps)) },
                 { "end_us", JSON(in_us(x->end_ps)) }, JSON_FIELD(x, slowest), { "src", JSON(x->from) },
                 { "dst", JSON(x->to) }, { "message_us", JSON(x->us) }, JSON_FIELD(x, slowdown),
                 JSON_FIELD(x, link), { "busy_share", JSON(x->busy) });
    return JSON_OF(JSON_FIELD(f, steps), JSON_FIELD(f, messages), { "rows", rows });
}
