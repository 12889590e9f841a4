#include "traffic/perform.h"

#include "core/units.h"
#include "traffic/internal.h"
#include "traffic/round.h"

#include <errno.h>
#include <stdlib.h>

#define NONE  UINT32_MAX
#define START UINT64_MAX         /* as tag: the rank begins */

/* One that waits to be matched: a message that has come (peer: who sent it), or a receive. */
struct letter { uint64_t tag; uint32_t peer, op, next; };

/* Operations that are ready: a heap by the time since when they are, then by number. */
struct ready_op { uint64_t since_ps; uint32_t number; };

struct ready { struct ready_op *op; uint32_t count, max; };

struct cpu { struct ready ready; bool is_busy; };

struct rank {
    struct trace_waits waits;
    struct trace_list  list;     /* those that wait for the operation in hand */
    uint32_t       left;         /* operations that are not over */
    struct cpu    *cpu;
    uint32_t       cpus;
    uint32_t       first_post, last_post, first_came, last_came;
    struct letter *letter;
    uint32_t       letters, letters_max, letter_free;
    struct ready      ready;     /* operations that may begin */
    struct rounds     rounds;    /* collectives that are under way */
    struct todo_stack todo;      /* what may go on in them */
};

struct performance {
    struct job   job;
    struct trace trace;
    struct plans *plans;
    struct rank *rank;
};

/* ---- operations that are ready ---- */

static bool is_before(const struct ready_op *a, const struct ready_op *b)
{
    return a->since_ps != b->since_ps ? a->since_ps < b->since_ps : a->number < b->number;
}

static void ready_add(struct ready *r, uint64_t since_ps, uint32_t number)
{
    struct ready_op op = { since_ps, number };
    uint32_t        at = r->count++;

    if (at == r->max) {
        r->max = r->max ? 2 * r->max : 8;
        r->op = xrealloc(r->op, r->max * sizeof *r->op);
    }
    for (; at > 0 && is_before(&op, &r->op[(at - 1) / 2]); at = (at - 1) / 2)
        r->op[at] = r->op[(at - 1) / 2];
    r->op[at] = op;
}

static uint32_t ready_take(struct ready *r)
{
    uint32_t        number = r->op[0].number, at = 0, child;
    struct ready_op last = r->op[--r->count];

    while ((child = 2 * at + 1) < r->count) {
        child += child + 1 < r->count && is_before(&r->op[child + 1], &r->op[child]);
        if (!is_before(&r->op[child], &last))
            break;
        r->op[at] = r->op[child];
        at = child;
    }
    r->op[at] = last;
    return number;
}

/* ---- messages ---- */

static bool matches(uint32_t wanted, uint64_t wanted_tag, uint32_t from, uint64_t tag)
{
    return (wanted == TRACE_ANY || wanted == from) && (wanted_tag == TRACE_ANY_TAG || wanted_tag == tag);
}

static void keep(struct rank *r, uint32_t *first, uint32_t *last, const struct letter *l)
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
    r->letter[id] = *l;
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
static uint32_t find_recv(const struct performance *p, uint32_t rank, uint32_t from, uint64_t tag)
{
    struct rank *r = &p->rank[rank];
    uint32_t     before = 0;

    for (uint32_t l = r->first_post; l; before = l, l = r->letter[l].next)
        if (matches(r->letter[l].peer, r->letter[l].tag, from, tag))
            return take_out(r, &r->first_post, &r->last_post, before, l);
    return NONE;
}

/* Has a message come that a receive is for? It is gone then. */
static bool find_message(const struct performance *p, uint32_t rank, const struct trace_op *recv)
{
    struct rank *r = &p->rank[rank];
    uint32_t     before = 0;

    for (uint32_t l = r->first_came; l; before = l, l = r->letter[l].next)
        if (matches(recv->peer, recv->tag, r->letter[l].peer, r->letter[l].tag)) {
            take_out(r, &r->first_came, &r->last_came, before, l);
            return true;
        }
    return false;
}

/* ---- operations ---- */

static void fail(const struct performance *p, uint32_t rank)
{
    traffic_fail(p->job.traffic, &p->job.traffic->stream[p->job.first_stream + rank], EIO, "%s: its temporary file cannot be read", p->trace.name);
}

static struct trace_op op_of(const struct performance *p, uint32_t rank, uint32_t number)
{
    struct trace_op op;

    if (!trace_get(&p->trace, rank, number, &op, &p->rank[rank].list))
        fail(p, rank);
    return op;
}

/* One of another rank, which somebody else may look at. */
static struct trace_op op_of_other(const struct performance *p, uint32_t rank, uint32_t number, uint32_t looker)
{
    struct trace_op op;

    if (!trace_get(&p->trace, rank, number, &op, NULL))
        fail(p, looker);
    return op;
}

static void set_free(const struct performance *p, uint32_t rank, const struct trace_op *op, bool of_start, uint64_t now_ps)
{
    struct rank *r = &p->rank[rank];

    if (!trace_followers(&p->trace, rank, op, of_start, &r->list))
        fail(p, rank);
    for (uint32_t i = 0; i < r->list.count; i++)
        if (trace_waits_end(&r->waits, &p->trace, rank, r->list.op[i], &r->list))
            ready_add(&r->ready, now_ps, r->list.op[i]);
}

static void end_op(struct performance *p, uint32_t rank, const struct trace_op *op, uint64_t now_ps)
{
    struct rank *r = &p->rank[rank];

    set_free(p, rank, op, false, now_ps);
    if (--r->left == 0)
        job_report(&p->job, p->job.host[rank], OP_ITERATION, 0, p->job.common.start_ps, now_ps);
}

static void end_number(struct performance *p, uint32_t rank, uint32_t number, uint64_t now_ps)
{
    struct trace_op op = op_of(p, rank, number);

    end_op(p, rank, &op, now_ps);
}

static void arrive(struct performance *p, uint32_t from, uint32_t number, const struct trace_op *send, uint64_t now_ps)
{
    uint32_t     recv = find_recv(p, send->peer, from, send->tag);
    struct rank *r = &p->rank[send->peer];

    if (recv == NONE)
        keep(r, &r->first_came, &r->last_came, &(struct letter){ send->tag, from, number, 0 });
    else
        end_number(p, send->peer, recv, now_ps);
}

/* It has its processor, if it needs one. */
static void start_op(struct performance *p, uint32_t rank, uint32_t number, const struct trace_op *op, uint64_t now_ps)
{
    struct rank *r = &p->rank[rank];

    set_free(p, rank, op, true, now_ps);
    switch (op->type) {
    case TRACE_SEND:
        if (op->peer != rank) {
            job_post(&p->job, rank, now_ps, p->job.host[op->peer], op->size, number);
            break;
        }
        arrive(p, rank, number, op, now_ps);
        end_op(p, rank, op, now_ps);
        break;
    case TRACE_RECV:
        if (find_message(p, rank, op))
            end_op(p, rank, op, now_ps);
        else
            keep(r, &r->first_post, &r->last_post, &(struct letter){ op->tag, op->peer, number, 0 });
        break;
    case TRACE_CALC:
        if (op->size)
            job_wake(&p->job, rank, now_ps + op->size, number);
        else
            end_op(p, rank, op, now_ps);
        break;
    default:
        round_begin(&r->rounds, round_of(&r->rounds, op), number, &r->todo);
    }
}

static bool needs_cpu(const struct trace_op *op)
{
    return op->type == TRACE_COLLECTIVE || (op->type == TRACE_CALC && op->size);
}

/* Gives idle processors what is ready for them. */
static void serve(struct performance *p, uint32_t rank, uint32_t number, uint64_t now_ps)
{
    struct cpu     *c = &p->rank[rank].cpu[number];
    struct trace_op op;
    uint32_t        next;

    if (c->is_busy || !c->ready.count)
        return;
    c->is_busy = true;
    next = ready_take(&c->ready);
    op = op_of(p, rank, next);
    start_op(p, rank, next, &op, now_ps);
}

static void begin_op(struct performance *p, uint32_t rank, uint32_t number, uint64_t now_ps)
{
    struct trace_op op = op_of(p, rank, number);

    if (needs_cpu(&op))
        ready_add(&p->rank[rank].cpu[op.cpu].ready, p->trace.is_by_number ? 0 : now_ps, number);
    else
        start_op(p, rank, number, &op, now_ps);
}

/* A collective has its processor from its beginning to its end. */
static void end_collective(struct performance *p, uint32_t rank, uint32_t number, uint64_t now_ps)
{
    struct trace_op op = op_of(p, rank, number);

    p->rank[rank].cpu[op.cpu].is_busy = false;
    end_op(p, rank, &op, now_ps);
}

static void go_on_in_round(struct performance *p, uint32_t rank, const struct todo *next, uint64_t now_ps)
{
    struct rank      *r = &p->rank[rank];
    struct round_post post;

    switch (round_go_on(&r->rounds, next->round, next->number, &r->todo, &post)) {
    case ROUND_NOTHING: break;
    case ROUND_POSTS:   job_post(&p->job, rank, now_ps, p->job.host[post.rank], post.bytes, post.tag); break;
    case ROUND_IS_OVER: end_collective(p, rank, post.op, now_ps); break;
    }
}

/* Begins all that may begin, in the order of the file. A processor is given its next operation when no other can become ready at this moment. */
static void go_on(struct performance *p, uint32_t rank, uint64_t now_ps)
{
    struct rank *r = &p->rank[rank];
    bool         is_served;

    do {
        while (r->todo.depth || r->ready.count)
            if (r->todo.depth)
                go_on_in_round(p, rank, &r->todo.todo[--r->todo.depth], now_ps);
            else
                begin_op(p, rank, ready_take(&r->ready), now_ps);
        is_served = false;
        for (uint32_t i = 0; i < r->cpus && !r->todo.depth && !r->ready.count; i++) {
            is_served |= !r->cpu[i].is_busy && r->cpu[i].ready.count;
            serve(p, rank, i, now_ps);
        }
    } while (r->todo.depth || r->ready.count || is_served);
}

/* ---- what is told ---- */

void perform_on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct performance  *p = (struct performance *)j;
    uint32_t             from = j->worker_of[m->src], rank = j->worker_of[m->dst];
    struct round_message is = round_message_of(m->tag);
    struct rank         *r = &p->rank[rank];
    struct trace_op      op = op_of_other(p, from, m->tag & ROUND_TAG ? is.op : (uint32_t)m->tag, rank);

    if (!(m->tag & ROUND_TAG))
        arrive(p, from, (uint32_t)m->tag, &op, now_ps);
    else if (op.type == TRACE_COLLECTIVE)        /* otherwise the file could not be read, which has been told */
        round_on_arrival(&r->rounds, round_of(&r->rounds, &op), &is, &r->todo);
    go_on(p, rank, now_ps);
}

void perform_on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct performance  *p = (struct performance *)j;
    uint32_t             rank = j->worker_of[m->src];
    struct round_message is = round_message_of(m->tag);
    struct rank         *r = &p->rank[rank];
    struct trace_op      op = op_of(p, rank, m->tag & ROUND_TAG ? is.op : (uint32_t)m->tag);

    if (!(m->tag & ROUND_TAG))
        end_op(p, rank, &op, now_ps);
    else if (op.type == TRACE_COLLECTIVE)
        round_on_sent(&r->rounds, round_of(&r->rounds, &op), &is, &r->todo);
    go_on(p, rank, now_ps);
}

static void begin(struct performance *p, uint32_t rank, uint64_t now_ps)
{
    struct rank *r = &p->rank[rank];

    if (!r->left)
        job_report(&p->job, p->job.host[rank], OP_ITERATION, 0, p->job.common.start_ps, now_ps);
    if (!trace_roots(&p->trace, rank, &r->list))
        fail(p, rank);
    for (uint32_t i = 0; i < r->list.count; i++)
        ready_add(&r->ready, now_ps, r->list.op[i]);
}

void perform_on_wake(struct job *j, uint64_t now_ps, uint32_t rank, uint64_t tag)
{
    struct performance *p = (struct performance *)j;

    if (tag == START) {
        begin(p, rank, now_ps);
    } else {
        struct trace_op op = op_of(p, rank, (uint32_t)tag);

        p->rank[rank].cpu[op.cpu].is_busy = false;
        end_op(p, rank, &op, now_ps);
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
            free(r->cpu[c].ready.op);
        free(r->cpu);
        free(r->ready.op);
        trace_waits_fini(&r->waits);
        trace_list_fini(&r->list);
        rounds_fini(&r->rounds);
        todo_fini(&r->todo);
        free(r->letter);
    }
    free(p->rank);
    plans_free(p->plans);
    trace_fini(&p->trace);
    free(p);
}

void perform_add(struct traffic *t, const struct traffic_kind *kind, const struct traffic_common *common, struct trace *trace,
                 struct plans *plans, double messages, const uint32_t *hosts)
{
    struct performance *p = xcalloc(1, sizeof *p);
    double              sends = messages;

    p->trace = *trace;
    p->plans = plans;
    p->rank = xcalloc(trace->ranks + 1ul, sizeof *p->rank);
    job_init(&p->job, kind, t, common, hosts, trace->ranks);
    for (uint32_t i = 0; i < trace->ranks; i++) {
        const struct trace_rank *from = &trace->rank[i];
        struct rank             *r = &p->rank[i];

        trace_waits_init(&r->waits, trace, i);
        r->rounds = (struct rounds){ &p->trace, plans, i, NULL };
        r->left = from->ops;
        r->cpus = from->cpus;
        sends += (double)from->sends;
        r->cpu = xcalloc(r->cpus + 1ul, sizeof *r->cpu);
        job_wake(&p->job, i, common->start_ps, START);
    }
    job_expect(&p->job, sends);
}
