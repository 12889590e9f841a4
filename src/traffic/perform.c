#include "traffic/perform.h"

#include "core/units.h"

#include <stdlib.h>

#define NONE  UINT32_MAX
#define START UINT64_MAX         /* as tag: the rank begins */

struct letter { uint32_t from, op, next; };      /* one that waits to be matched: a message that has come, or a receive */

struct cpu { uint32_t *ready, count, max, first; bool is_busy; };    /* 'ready' from 'first' on: a row, or a heap by number */

struct rank {
    uint32_t      *waits;        /* by operation */
    uint32_t       left;         /* operations that are not over */
    struct cpu    *cpu;
    uint32_t       cpus;
    uint32_t       first_post, last_post, first_came, last_came;
    struct letter *letter;
    uint32_t       letters, letters_max, letter_free;
    uint32_t      *stack, depth, stack_max;      /* operations that may begin */
};

struct performance {
    struct job   job;
    struct trace trace;
    struct rank *rank;
};

/* ---- processors ---- */

static void put_up(struct cpu *c, uint32_t at)
{
    while (at > 0 && c->ready[(at - 1) / 2] > c->ready[at]) {
        uint32_t other = c->ready[at];

        c->ready[at] = c->ready[(at - 1) / 2];
        c->ready[(at - 1) / 2] = other;
        at = (at - 1) / 2;
    }
}

static void put_down(struct cpu *c)
{
    uint32_t at = 0, child;

    while ((child = 2 * at + 1) < c->count) {
        uint32_t other = c->ready[at];

        child += child + 1 < c->count && c->ready[child + 1] < c->ready[child];
        if (c->ready[child] >= other)
            return;
        c->ready[at] = c->ready[child];
        c->ready[child] = other;
        at = child;
    }
}

static void queue_op(const struct performance *p, struct cpu *c, uint32_t op)
{
    if (c->first && c->first + c->count == c->max) {
        for (uint32_t i = 0; i < c->count; i++)
            c->ready[i] = c->ready[c->first + i];
        c->first = 0;
    }
    if (c->first + c->count == c->max) {
        c->max = c->max ? 2 * c->max : 8;
        c->ready = xrealloc(c->ready, c->max * sizeof *c->ready);
    }
    c->ready[c->first + c->count++] = op;
    if (p->trace.is_by_number)
        put_up(c, c->count - 1);
}

static uint32_t take_op(const struct performance *p, struct cpu *c)
{
    uint32_t op = c->ready[c->first];

    c->count--;
    if (p->trace.is_by_number) {
        c->ready[0] = c->ready[c->count];
        put_down(c);
    } else {
        c->first = c->count ? c->first + 1 : 0;
    }
    return op;
}

/* ---- messages ---- */

static bool matches(const struct trace_op *recv, uint32_t from, const struct trace_op *send)
{
    return (recv->peer == TRACE_ANY || recv->peer == from) && (recv->tag == TRACE_ANY_TAG || recv->tag == send->tag);
}

static void keep(struct rank *r, uint32_t *first, uint32_t *last, uint32_t from, uint32_t op)
{
    uint32_t id = r->letter_free;

    if (id) {
        r->letter_free = r->letter[id].next;
    } else {
        if (r->letters + 1 >= r->letters_max) {
            r->letters_max = r->letters_max ? 2 * r->letters_max : 16;
            r->letter = xrealloc(r->letter, r->letters_max * sizeof *r->letter);
        }
        id = ++r->letters;
    }
    r->letter[id] = (struct letter){ from, op, 0 };
    if (*first)
        r->letter[*last].next = id;
    else
        *first = id;
    *last = id;
}

static uint32_t take_out(struct rank *r, uint32_t *first, uint32_t *last, uint32_t before, uint32_t id)
{
    uint32_t op = r->letter[id].op;

    if (before)
        r->letter[before].next = r->letter[id].next;
    else
        *first = r->letter[id].next;
    if (*last == id)
        *last = before;
    r->letter[id].next = r->letter_free;
    r->letter_free = id;
    return op;
}

/* The first receive that a message is for, or NONE. */
static uint32_t find_recv(const struct performance *p, uint32_t rank, uint32_t from, const struct trace_op *send)
{
    struct rank *r = &p->rank[rank];
    uint32_t     before = 0;

    for (uint32_t l = r->first_post; l; before = l, l = r->letter[l].next)
        if (matches(&p->trace.rank[rank].op[r->letter[l].op], from, send))
            return take_out(r, &r->first_post, &r->last_post, before, l);
    return NONE;
}

/* Has a message come that a receive is for? It is gone then. */
static bool find_message(const struct performance *p, uint32_t rank, const struct trace_op *recv)
{
    struct rank *r = &p->rank[rank];
    uint32_t     before = 0;

    for (uint32_t l = r->first_came; l; before = l, l = r->letter[l].next)
        if (matches(recv, r->letter[l].from, &p->trace.rank[r->letter[l].from].op[r->letter[l].op])) {
            take_out(r, &r->first_came, &r->last_came, before, l);
            return true;
        }
    return false;
}

/* ---- operations ---- */

static void set_free(struct rank *r, const struct trace_rank *t, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        if (--r->waits[t->next[i]] > 0)
            continue;
        if (r->depth == r->stack_max) {
            r->stack_max = r->stack_max ? 2 * r->stack_max : 16;
            r->stack = xrealloc(r->stack, r->stack_max * sizeof *r->stack);
        }
        r->stack[r->depth++] = t->next[i];
    }
}

static void end_op(struct performance *p, uint32_t rank, uint32_t op, uint64_t now_ps)
{
    const struct trace_rank *t = &p->trace.rank[rank];
    struct rank             *r = &p->rank[rank];

    set_free(r, t, t->op[op].done_at, t->op[op].started_at);
    if (--r->left == 0)
        job_report(&p->job, p->job.host[rank], OP_ITERATION, 0, p->job.common.start_ps, now_ps);
}

static void arrive(struct performance *p, uint32_t from, uint32_t op, uint64_t now_ps)
{
    const struct trace_op *send = &p->trace.rank[from].op[op];
    uint32_t               recv = find_recv(p, send->peer, from, send);
    struct rank           *r = &p->rank[send->peer];

    if (recv == NONE)
        keep(r, &r->first_came, &r->last_came, from, op);
    else
        end_op(p, send->peer, recv, now_ps);
}

/* It has its processor, if it needs one. */
static void start_op(struct performance *p, uint32_t rank, uint32_t number, uint64_t now_ps)
{
    const struct trace_rank *t = &p->trace.rank[rank];
    const struct trace_op   *op = &t->op[number];
    struct rank             *r = &p->rank[rank];

    set_free(r, t, op->started_at, op->next_at);
    switch (op->type) {
    case TRACE_SEND:
        if (op->peer != rank) {
            job_post(&p->job, rank, now_ps, p->job.host[op->peer], op->size, number);
            break;
        }
        arrive(p, rank, number, now_ps);
        end_op(p, rank, number, now_ps);
        break;
    case TRACE_RECV:
        if (find_message(p, rank, op))
            end_op(p, rank, number, now_ps);
        else
            keep(r, &r->first_post, &r->last_post, rank, number);
        break;
    case TRACE_CALC:
        if (op->size)
            job_wake(&p->job, rank, now_ps + op->size, number);
        else
            end_op(p, rank, number, now_ps);
        break;
    default:
        end_op(p, rank, number, now_ps);
    }
}

static bool needs_cpu(const struct trace_op *op)
{
    return op->type == TRACE_HOLD || (op->type == TRACE_CALC && op->size);
}

/* Gives idle processors what is ready for them. */
static void serve(struct performance *p, uint32_t rank, uint32_t number, uint64_t now_ps)
{
    struct cpu *c = &p->rank[rank].cpu[number];

    if (c->is_busy || !c->count)
        return;
    c->is_busy = true;
    start_op(p, rank, take_op(p, c), now_ps);
}

/* All that may begin begins; of what is ready at the same moment, a processor gets the first. */
static void go_on(struct performance *p, uint32_t rank, uint64_t now_ps)
{
    struct rank             *r = &p->rank[rank];
    const struct trace_rank *t = &p->trace.rank[rank];
    bool                     is_served;

    do {
        while (r->depth) {
            uint32_t               number = r->stack[--r->depth];
            const struct trace_op *op = &t->op[number];

            if (op->type == TRACE_FREE)
                r->cpu[op->cpu].is_busy = false;
            if (needs_cpu(op))
                queue_op(p, &r->cpu[op->cpu], number);
            else
                start_op(p, rank, number, now_ps);
        }
        is_served = false;
        for (uint32_t i = 0; i < r->cpus && !r->depth; i++) {
            is_served |= !r->cpu[i].is_busy && r->cpu[i].count;
            serve(p, rank, i, now_ps);
        }
    } while (r->depth || is_served);
}

/* ---- what is told ---- */

void perform_on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct performance *p = (struct performance *)j;
    uint32_t            from = j->worker_of[m->src], rank = j->worker_of[m->dst];

    arrive(p, from, (uint32_t)m->tag, now_ps);
    go_on(p, rank, now_ps);
}

void perform_on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct performance *p = (struct performance *)j;
    uint32_t            rank = j->worker_of[m->src];

    end_op(p, rank, (uint32_t)m->tag, now_ps);
    go_on(p, rank, now_ps);
}

static void begin(struct performance *p, uint32_t rank, uint64_t now_ps)
{
    const struct trace_rank *t = &p->trace.rank[rank];
    struct rank             *r = &p->rank[rank];

    if (!r->left)
        job_report(&p->job, p->job.host[rank], OP_ITERATION, 0, p->job.common.start_ps, now_ps);
    for (uint32_t i = t->ops; i-- > 0;)          /* the first is on top */
        if (!t->op[i].waits) {
            if (r->depth == r->stack_max) {
                r->stack_max = r->stack_max ? 2 * r->stack_max : 16;
                r->stack = xrealloc(r->stack, r->stack_max * sizeof *r->stack);
            }
            r->stack[r->depth++] = i;
        }
}

void perform_on_wake(struct job *j, uint64_t now_ps, uint32_t rank, uint64_t tag)
{
    struct performance *p = (struct performance *)j;

    if (tag == START) {
        begin(p, rank, now_ps);
    } else {
        p->rank[rank].cpu[p->trace.rank[rank].op[tag].cpu].is_busy = false;
        end_op(p, rank, (uint32_t)tag, now_ps);
    }
    go_on(p, rank, now_ps);
}

/* ---- building ---- */

void perform_free(void *state)
{
    struct performance *p = state;

    for (uint32_t i = 0; i < p->trace.ranks; i++) {
        struct rank *r = &p->rank[i];

        for (uint32_t c = 0; c < r->cpus; c++)
            free(r->cpu[c].ready);
        free(r->cpu);
        free(r->waits);
        free(r->letter);
        free(r->stack);
    }
    free(p->rank);
    trace_fini(&p->trace);
    free(p);
}

void perform_add(struct traffic *t, const struct traffic_kind *kind, const struct traffic_common *common, struct trace *trace,
                 const uint32_t *hosts)
{
    struct performance *p = xcalloc(1, sizeof *p);
    double              sends = 0;

    p->trace = *trace;
    p->rank = xcalloc(trace->ranks + 1ul, sizeof *p->rank);
    job_init(&p->job, kind, t, common, hosts, trace->ranks);
    for (uint32_t i = 0; i < trace->ranks; i++) {
        const struct trace_rank *from = &trace->rank[i];
        struct rank             *r = &p->rank[i];

        r->waits = xcalloc(from->ops + 1ul, sizeof *r->waits);
        r->left = from->ops;
        for (uint32_t k = 0; k < from->ops; k++) {
            r->waits[k] = from->op[k].waits;
            r->cpus = from->op[k].cpu >= r->cpus ? from->op[k].cpu + 1u : r->cpus;
            sends += from->op[k].type == TRACE_SEND;
        }
        r->cpu = xcalloc(r->cpus + 1ul, sizeof *r->cpu);
        job_wake(&p->job, i, common->start_ps, START);
    }
    job_expect(&p->job, sends);
}
