#include "net/trace.h"

#include "base/file/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE       UINT32_MAX
#define PAGE_BYTES 8192u

void trace_init(struct trace *t, const char *name, uint32_t ranks)
{
    size_t size = strlen(name) + 1;

    *t = (struct trace){
        .name = xmalloc(size), .rank = xcalloc(ranks + 1ul, sizeof *t->rank), .ranks = ranks, .spill = -1
    };
    memcpy(t->name, name, size);
    trace_add_group(t, NULL, ranks);
    for (uint32_t i = 0; i < ranks; i++)
        t->group[0].rank[i] = i;
}

void trace_fini(struct trace *t)
{
    for (uint32_t i = 0; i < t->ranks; i++) {
        free(t->rank[i].op);
        free(t->rank[i].edge);
        free(t->rank[i].next);
    }
    for (uint32_t i = 0; i < t->groups; i++) {
        free(t->group[i].rank);
        free(t->group[i].collective);
    }
    free(t->group);
    free(t->rank);
    free(t->name);
    if (t->is_spilled)
        close(t->spill);
    *t = (struct trace){ .spill = -1 };
}

uint32_t trace_add(struct trace *t, uint32_t rank, const struct trace_op *op)
{
    struct trace_rank *r = &t->rank[rank];

    r->op = xgrow(r->op, r->ops, &r->ops_max, 16, sizeof *r->op);
    r->op[r->ops] = *op;
    r->op[r->ops].waits = 0;
    t->has_reads |= op->type == TRACE_READ;
    if (op->type == TRACE_SEND && op->size > t->send_bytes_max)
        t->send_bytes_max = op->size;
    t->ops++;
    return r->ops++;
}

void trace_require(struct trace *t, uint32_t rank, uint32_t after, uint32_t before, bool is_start)
{
    struct trace_rank *r = &t->rank[rank];

    r->edge = xgrow(r->edge, r->edges, &r->edges_max, 16, sizeof *r->edge);
    r->edge[r->edges++] = (struct trace_edge){ before, after, is_start };
    r->op[after].waits++;
}

uint32_t trace_add_group(struct trace *t, const uint32_t *rank, uint32_t count)
{
    struct trace_group *g;

    t->group = xrealloc(t->group, (t->groups + 1ul) * sizeof *t->group);
    g = &t->group[t->groups];
    *g = (struct trace_group){ .rank = xcalloc(count + 1ul, sizeof *g->rank), .count = count };
    if (rank)
        memcpy(g->rank, rank, count * sizeof *rank);
    return t->groups++;
}

/* ---- seal ---- */

/* Sorts edges by predecessor: first the operations that wait for its end, then those that wait for its
 * start. */
static void list_edges(struct trace_rank *r)
{
    uint32_t *count = xcalloc(2ul * r->ops + 1, sizeof *count), at = 0;

    r->next = xcalloc(r->edges + 1ul, sizeof *r->next);
    for (uint32_t i = 0; i < r->edges; i++)
        count[2ul * r->edge[i].before + r->edge[i].is_start]++;
    for (uint32_t i = 0; i < r->ops; i++) {
        r->op[i].done_at = at;
        at += count[2ul * i];
        r->op[i].started_at = at;
        at += count[2ul * i + 1];
        r->op[i].next_at = at;
        count[2ul * i] = r->op[i].done_at;
        count[2ul * i + 1] = r->op[i].started_at;
    }
    for (uint32_t i = 0; i < r->edges; i++)
        r->next[count[2ul * r->edge[i].before + r->edge[i].is_start]++] = r->edge[i].after;
    free(count);
    free(r->edge);
    r->edge = NULL;
}

/* Topological sort: removes operations without open dependencies. Returns an operation on or behind a cycle,
 * or NONE. */
static uint32_t find_cycle(const struct trace_rank *r)
{
    uint32_t *waits = xcalloc(r->ops + 1ul, sizeof *waits), *ready = xcalloc(r->ops + 1ul, sizeof *ready),
             from = 0, to = 0, found = NONE;

    for (uint32_t i = 0; i < r->ops; i++) {
        waits[i] = r->op[i].waits;
        if (!waits[i])
            ready[to++] = i;
    }
    for (; from < to; from++)
        for (uint32_t i = r->op[ready[from]].done_at; i < r->op[ready[from]].next_at; i++)
            if (--waits[r->next[i]] == 0)
                ready[to++] = r->next[i];
    for (uint32_t i = 0; i < r->ops && to < r->ops && found == NONE; i++)
        if (waits[i])
            found = i;
    free(waits);
    free(ready);
    return found;
}

/* Computes the totals of a rank. */
static void count_ops(struct trace_rank *r)
{
    for (uint32_t i = 0; i < r->ops; i++) {
        r->roots += r->op[i].waits == 0;
        r->sends += r->op[i].type == TRACE_SEND || r->op[i].type == TRACE_READ;
        r->cpus = r->op[i].cpu >= r->cpus ? r->op[i].cpu + 1u : r->cpus;
    }
}

static int spill_rank(struct trace *t, struct trace_rank *r, struct err *err)
{
    uint32_t *root = xcalloc(r->roots + 1ul, sizeof *root), roots = 0;
    uint64_t  ops = r->ops * sizeof *r->op, next = r->edges * sizeof *r->next;
    int       rc;

    for (uint32_t i = 0; i < r->ops; i++)
        if (!r->op[i].waits)
            root[roots++] = i;
    r->at = t->spill_bytes;
    rc = temporary_write(t->spill, r->op, ops, r->at);
    if (!rc)
        rc = temporary_write(t->spill, r->next, next, r->at + ops);
    if (!rc)
        rc = temporary_write(t->spill, root, roots * sizeof *root, r->at + ops + next);
    t->spill_bytes += ops + next + roots * sizeof *root;
    free(root);
    free(r->op);
    free(r->next);
    r->op = NULL;
    r->next = NULL;
    return rc ? err_set(
                    err, -rc,
                    "%s: cannot write the temporary file for its operations (in $TMPDIR, or /var/tmp): %s",
                    t->name, strerror(-rc))
              : 0;
}

static int number_collectives(struct trace *t, uint32_t rank, struct err *err)
{
    struct trace_rank   *r = &t->rank[rank];
    struct trace_numbers n;
    int                  rc = 0;

    trace_numbers_init(&n, t, rank);
    for (uint32_t i = 0; i < r->ops && !rc; i++)
        if (r->op[i].type == TRACE_COLLECTIVE)
            rc = trace_number(&n, &r->op[i], err);
    if (!rc)
        rc = trace_numbers_end(&n, err);
    trace_numbers_fini(&n);
    return rc;
}

int trace_seal_rank(struct trace *t, uint32_t rank, struct err *err)
{
    struct trace_rank *r = &t->rank[rank];
    uint32_t           found;
    int                rc;

    if (r->is_sealed)
        return 0;
    r->is_sealed = true;
    list_edges(r);
    found = find_cycle(r);
    if (found != NONE)
        return err_set(err, EINVAL,
                       "%s:%u: operation %u of rank %u is part of a dependency cycle, or waits for one",
                       t->name, r->op[found].line, found, rank);
    count_ops(r);
    rc = number_collectives(t, rank, err);
    return rc || !t->is_spilled ? rc : spill_rank(t, r, err);
}

int trace_seal(struct trace *t, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < t->ranks && !rc; i++)
        rc = trace_seal_rank(t, i, err);
    return rc;
}

/* ---- spill to a file ---- */

int trace_spill(struct trace *t, struct err *err)
{
    t->spill = temporary_open();
    if (t->spill < 0)
        return err_set(err, -t->spill,
                       "%s: cannot create a temporary file for its operations in %s ($TMPDIR)", t->name,
                       temporary_folder());
    t->is_spilled = true;
    return 0;
}

/* Reads through a page buffer, because neighboring bytes are likely to be read next. */
static bool read_page(const struct trace *t, struct trace_page *p, void *data, uint32_t bytes, uint64_t at)
{
    if (at < p->at || at + bytes > p->at + p->bytes) {
        uint64_t left = t->spill_bytes - at;

        if (bytes > PAGE_BYTES)
            return temporary_read(t->spill, data, bytes, at);
        p->data = p->data ? p->data : xmalloc(PAGE_BYTES);
        p->at = at;
        p->bytes = left < PAGE_BYTES ? (uint32_t)left : PAGE_BYTES;
        if (!temporary_read(t->spill, p->data, p->bytes, at)) {
            p->bytes = 0;
            return false;
        }
    }
    memcpy(data, p->data + (at - p->at), bytes);
    return true;
}

void trace_list_fini(struct trace_list *l)
{
    free(l->room);
    free(l->ops.data);
    free(l->next.data);
}

bool trace_get(const struct trace *t, uint32_t rank, uint32_t number, struct trace_op *op,
               struct trace_list *l)
{
    const struct trace_rank *r = &t->rank[rank];
    uint64_t                 at = r->at + number * (uint64_t)sizeof *op;

    if (!t->is_spilled) {
        *op = r->op[number];
        return true;
    }
    if (l ? read_page(t, &l->ops, op, sizeof *op, at) : temporary_read(t->spill, op, sizeof *op, at))
        return true;
    *op = (struct trace_op){ .type = TRACE_CALC };
    return false;
}

static bool read_list(const struct trace *t, struct trace_list *l, uint32_t count, uint64_t at)
{
    if (count > l->max) {
        l->max = count + count / 2;
        l->room = xrealloc(l->room, l->max * sizeof *l->room);
    }
    l->op = l->room;
    l->count = count;
    if (count && (count > PAGE_BYTES / sizeof *l->room
                      ? !temporary_read(t->spill, l->room, count * (uint64_t)sizeof *l->room, at)
                      : !read_page(t, &l->next, l->room, count * (uint32_t)sizeof *l->room, at)))
        l->count = 0;
    return l->count == count;
}

bool trace_followers(const struct trace *t, uint32_t rank, const struct trace_op *op, bool of_start,
                     struct trace_list *l)
{
    const struct trace_rank *r = &t->rank[rank];
    uint32_t from = of_start ? op->started_at : op->done_at, to = of_start ? op->next_at : op->started_at;

    if (t->is_spilled)
        return read_list(t, l, to - from,
                         r->at + r->ops * (uint64_t)sizeof *op + from * (uint64_t)sizeof *l->room);
    l->op = r->next + from;
    l->count = to - from;
    return true;
}

bool trace_roots(const struct trace *t, uint32_t rank, struct trace_list *l)
{
    const struct trace_rank *r = &t->rank[rank];

    if (t->is_spilled)
        return read_list(t, l, r->roots, r->at + r->ops * (uint64_t)sizeof(struct trace_op) + r->edges *
                         (uint64_t)sizeof *l->room);
    if (r->roots > l->max) {
        l->max = r->roots;
        l->room = xrealloc(l->room, l->max * sizeof *l->room);
    }
    l->op = l->room;
    l->count = 0;
    for (uint32_t i = 0; i < r->ops; i++)
        if (!r->op[i].waits)
            l->room[l->count++] = i;
    return true;
}

/* ---- open dependencies ---- */

void trace_waits_init(struct trace_waits *w, const struct trace *t, uint32_t rank)
{
    const struct trace_rank *r = &t->rank[rank];

    *w = (struct trace_waits){ 0 };
    if (t->is_spilled)
        return;
    w->left = xcalloc(r->ops + 1ul, sizeof *w->left);
    for (uint32_t i = 0; i < r->ops; i++)
        w->left[i] = r->op[i].waits;
}

void trace_waits_fini(struct trace_waits *w)
{
    free(w->left);
    free(w->slot);
}

static uint32_t home_slot(const struct trace_waits *w, uint32_t op)
{
    return (op * 2654435769u) >> 7 & (w->size - 1);
}

static uint32_t find_slot(const struct trace_waits *w, uint32_t op)
{
    uint32_t at = home_slot(w, op);

    while (w->slot[at].left && w->slot[at].op != op)
        at = (at + 1) & (w->size - 1);
    return at;
}

static void grow_table(struct trace_waits *w)
{
    struct trace_waits was = *w;

    w->size = w->size ? 2 * w->size : 64;
    w->slot = xcalloc(w->size, sizeof *w->slot);
    for (uint32_t i = 0; i < was.size; i++)
        if (was.slot[i].left)
            w->slot[find_slot(w, was.slot[i].op)] = was.slot[i];
    free(was.slot);
}

/* Moves later entries up so that linear probing still finds them. */
static void remove_slot(struct trace_waits *w, uint32_t at)
{
    uint32_t mask = w->size - 1;

    for (uint32_t next = (at + 1) & mask; w->slot[next].left; next = (next + 1) & mask)
        if (((next - home_slot(w, w->slot[next].op)) & mask) >= ((next - at) & mask)) {
            w->slot[at] = w->slot[next];
            at = next;
        }
    w->slot[at].left = 0;
    w->used--;
}

bool trace_waits_end(struct trace_waits *w, const struct trace *t, uint32_t rank, uint32_t number,
                     struct trace_list *l)
{
    struct trace_op op;
    uint32_t        at;

    if (w->left)
        return --w->left[number] == 0;
    if (2 * w->used >= w->size)
        grow_table(w);
    at = find_slot(w, number);
    if (!w->slot[at].left) {
        trace_get(t, rank, number, &op, l);
        if (op.waits <= 1)
            return true;
        w->slot[at] = (struct trace_wait){ number, op.waits };
        w->used++;
    }
    if (--w->slot[at].left)
        return false;
    w->slot[at].left = 1;        /* remove_slot() expects an entry in use */
    remove_slot(w, at);
    return true;
}

/* ---- matching of messages and receives ---- */

void trace_match_later(struct trace_matching *m, struct trace_queue *q, uint32_t peer, uint64_t tag,
                       uint32_t op)
{
    uint32_t id = m->free;

    if (id) {
        m->free = m->item[id].next;
    } else {
        m->item = xgrow(m->item, m->items + 1, &m->max, 16, sizeof *m->item);
        id = ++m->items;
    }
    m->item[id] = (struct trace_unmatched){ tag, peer, op, 0 };
    *(q->first ? &m->item[q->last].next : &q->first) = id;
    q->last = id;
}

static bool matches(uint32_t wanted, uint64_t wanted_tag, uint32_t from, uint64_t tag)
{
    return (wanted == TRACE_ANY || wanted == from) && (wanted_tag == TRACE_ANY_TAG || wanted_tag == tag);
}

bool trace_match_now(struct trace_matching *m, struct trace_queue *q, uint32_t peer, uint64_t tag,
                     bool is_message, uint32_t *op)
{
    uint32_t before = 0;

    for (uint32_t i = q->first; i; before = i, i = m->item[i].next) {
        struct trace_unmatched *is = &m->item[i];

        if (is_message ? !matches(is->peer, is->tag, peer, tag) : !matches(peer, tag, is->peer, is->tag))
            continue;
        *(before ? &m->item[before].next : &q->first) = is->next;
        if (q->last == i)
            q->last = before;
        *op = is->op;
        is->next = m->free;
        m->free = i;
        return true;
    }
    return false;
}

/* ---- collectives ---- */

void trace_numbers_init(struct trace_numbers *n, struct trace *t, uint32_t rank)
{
    *n = (struct trace_numbers){ t, rank, NULL };
}

void trace_numbers_fini(struct trace_numbers *n)
{
    free(n->of_group);
}

static int refuse_count(const struct trace_numbers *n, const struct trace_group *g, const char *how_many,
                        uint32_t count, struct err *err)
{
    return err_set(err, EINVAL, "%s: rank %u has %s%u collectives of its group, and rank %u has %u",
                   n->trace->name, n->rank, how_many, count, g->first, g->collectives);
}

int trace_number(struct trace_numbers *n, struct trace_op *op, struct err *err)
{
    struct trace_group         *g = &n->trace->group[op->peer];
    const struct trace_meeting *is;

    if (!n->of_group)
        n->of_group = xcalloc(n->trace->groups + 1ul, sizeof *n->of_group);
    if (!g->collectives)
        g->first = n->rank;
    op->tag = n->of_group[op->peer]++;
    if (g->first == n->rank) {
        g->collective = xgrow(g->collective, g->collectives, &g->collectives_max, 16, sizeof *g->collective);
        g->collective[g->collectives++] = (struct trace_meeting){ op->size, op->line, op->collective };
    }
    if (op->tag >= g->collectives)
        return refuse_count(n, g, "more than ", g->collectives, err);
    is = &g->collective[op->tag];
    if (is->collective != op->collective || is->size != op->size)
        return err_set(
            err, EINVAL,
            "%s: the collective of rank %u (node %u) differs in kind or size from that of rank %u (node %u)",
            n->trace->name, n->rank, op->line, g->first, is->line);
    return 0;
}

/* A rank without any collective of a group is found by trace_check(). */
int trace_numbers_end(struct trace_numbers *n, struct err *err)
{
    const struct trace *t = n->trace;

    for (uint32_t i = 0; n->of_group && i < t->groups; i++)
        if (n->of_group[i] && n->of_group[i] != t->group[i].collectives)
            return refuse_count(n, &t->group[i], "", n->of_group[i], err);
    return 0;
}
