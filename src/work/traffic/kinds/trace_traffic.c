/* src/work/traffic/kinds/trace_traffic.c - application traces: GOAL files, Chakra traces, SimAI workloads. */
#include "work/traffic/kinds/trace_traffic.h"

#include "base/heap.h"
#include "work/traffic/collective_plan.h"
#include "work/traffic/job.h"
#include "work/traffic/kind.h"
#include "work/traffic/read.h"
#include "work/traffic/reads.h"
#include "work/traffic/round.h"
#include "work/traffic/traffic.h"

#include <stdlib.h>
#include <string.h>

#define START UINT64_MAX         /* tag: the rank starts */
#define TRACE_COLLECTIVES (TRACE_ALL_TO_ALL + 1)

/* Ready operations: a heap ordered by the time at which they became ready, then by number. */
struct ready_op { uint64_t since_ps; uint32_t number; };

struct ready { struct ready_op *op; uint32_t count, max; };

struct cpu { struct ready ready; bool is_busy; uint64_t since_ps; };      /* of the operation that it runs */

struct trace_job_rank {
    uint32_t          left;      /* unfinished operations */
    uint32_t         *left_in;   /* by pass */
    uint32_t          calcs, sends;          /* that run; messages of its own under way */
    uint64_t          spent_ps[SPENT_COUNT], since_ps;   /* in the state that began then */
    uint64_t          class_ps[TRACE_CLASSES], class_count[TRACE_CLASSES];
    struct cpu       *cpu;
    uint32_t          cpus;
    struct trace_matching matching;
    struct trace_queue posted, arrived;
    struct ready      ready;     /* operations that may start */
    struct rounds     rounds;    /* running collectives */
    struct round_posts posts;    /* what they send now */
};

struct trace_job {
    struct job   job;
    struct trace trace;
    struct plans *plans;
    struct trace_job_rank *rank;
    struct trace_class class[TRACE_CLASSES];
    uint32_t     classes;
    uint8_t     *class_of;       /* [group * TRACE_COLLECTIVES + collective]; TRACE_CLASSES: not counted */
};

/* ---- where the time goes ---- */

/* Ends the state of a rank. Called before it changes. */
static void account(struct trace_job_rank *r, uint64_t now_ps)
{
    r->spent_ps[2 * (r->calcs > 0) + (r->sends > 0)] += now_ps - r->since_ps;
    r->since_ps = now_ps;
}

/* ---- ready operations ---- */

static bool is_before(const void *a_, const void *b_)
{
    const struct ready_op *a = a_, *b = b_;

    return a->since_ps != b->since_ps ? a->since_ps < b->since_ps : a->number < b->number;
}

static void ready_add(struct ready *r, uint64_t since_ps, uint32_t number)
{
    r->op = xgrow(r->op, r->count, &r->max, 8, sizeof *r->op);
    heap_add(r->op, sizeof *r->op, r->count++, &(struct ready_op){ since_ps, number }, is_before);
}

static uint32_t ready_take(struct ready *r)
{
    struct ready_op op;

    heap_take(r->op, sizeof *r->op, r->count--, &op, is_before);
    return op.number;
}

/* ---- operations ---- */

static const struct trace_op *op_of(const struct trace_job *p, uint32_t rank, uint32_t number)
{
    return &p->trace.rank[rank].op[number];
}

static uint32_t passes_of(const struct trace *t)
{
    return t->pass_at ? t->passes : 1;
}

static uint32_t pass_of(const struct trace_job *p, uint32_t rank, const struct trace_op *op)
{
    uint32_t number = (uint32_t)(op - p->trace.rank[rank].op), from = 0, to = passes_of(&p->trace);

    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;

        if (p->trace.pass_at[middle] <= number)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* Fulfills a dependency of each follower. The trace itself keeps the counts, because a job runs once. */
static void release_followers(const struct trace_job *p, uint32_t rank, const struct trace_op *op,
                              bool of_start, uint64_t now_ps)
{
    struct trace_rank *from = &p->trace.rank[rank];
    uint32_t           count;
    const uint32_t    *next = trace_followers(from, op, of_start, &count);

    for (uint32_t i = 0; i < count; i++)
        if (--from->op[next[i]].waits == 0)
            ready_add(&p->rank[rank].ready, now_ps, next[i]);
}

static void end_op(struct trace_job *p, uint32_t rank, const struct trace_op *op, uint64_t now_ps)
{
    struct trace_job_rank *r = &p->rank[rank];
    uint32_t               pass = pass_of(p, rank, op);

    release_followers(p, rank, op, false, now_ps);
    r->left--;
    if (--r->left_in[pass] > 0)
        return;
    account(r, now_ps);
    job_report_pass(&p->job, rank, pass, now_ps);
}

static void deliver_message(struct trace_job *p, uint32_t from, uint32_t number, const struct trace_op *send,
                            uint64_t now_ps)
{
    struct trace_job_rank *r = &p->rank[send->peer];
    uint32_t               recv;

    if (trace_match_now(&r->matching, &r->posted, from, send->tag, true, &recv))
        end_op(p, send->peer, op_of(p, send->peer, recv), now_ps);
    else
        trace_match_later(&r->matching, &r->arrived, from, send->tag, number);
}

static void end_collective(const struct trace_job *p, struct trace_job_rank *r, const struct trace_op *op,
                           uint64_t now_ps)
{
    uint8_t class = p->class_of[op->peer * TRACE_COLLECTIVES + op->collective];

    if (class == TRACE_CLASSES)
        return;
    r->class_ps[class] += now_ps - r->cpu[op->cpu].since_ps;
    r->class_count[class]++;
}

/* A message of the rank's own leaves. */
static void post_own(struct trace_job *p, uint32_t rank, uint64_t now_ps, uint32_t dst, uint64_t bytes,
                     uint64_t tag)
{
    account(&p->rank[rank], now_ps);
    p->rank[rank].sends++;
    job_post(&p->job, rank, now_ps, dst, bytes, tag);
}

/* Computing and collectives hold their processor from start to end. */
static void end_busy_op(struct trace_job *p, uint32_t rank, uint32_t number, uint64_t now_ps)
{
    const struct trace_op *op = op_of(p, rank, number);
    struct trace_job_rank *r = &p->rank[rank];

    r->cpu[op->cpu].is_busy = false;
    if (op->type == TRACE_CALC) {
        account(r, now_ps);
        r->calcs--;
    } else
        end_collective(p, r, op, now_ps);
    end_op(p, rank, op, now_ps);
}

/* Posts the rank's messages of a collective. over: the collective's operation, if it is over. */
static void go_on_in_round(struct trace_job *p, uint32_t rank, uint32_t over, uint64_t now_ps)
{
    struct round_posts *posts = &p->rank[rank].posts;

    for (uint32_t i = 0; i < posts->count; i++)
        post_own(p, rank, now_ps, p->job.host[posts->post[i].rank], posts->post[i].bytes, posts->post[i].tag);
    posts->count = 0;
    if (over != ROUND_GOES_ON)
        end_busy_op(p, rank, over, now_ps);
}

/* Starts an operation. It already holds its processor, if it needs one. */
static void start_op(struct trace_job *p, uint32_t rank, uint32_t number, const struct trace_op *op,
                     uint64_t now_ps)
{
    struct trace_job_rank *r = &p->rank[rank];
    uint32_t               message;

    release_followers(p, rank, op, true, now_ps);
    switch (op->type) {
    case TRACE_SEND:
        if (op->peer != rank) {
            post_own(p, rank, now_ps, p->job.host[op->peer], op->size, number);
            break;
        }
        deliver_message(p, rank, number, op, now_ps);
        end_op(p, rank, op, now_ps);
        break;
    case TRACE_RECV:
        if (trace_match_now(&r->matching, &r->arrived, op->peer, op->tag, false, &message))
            end_op(p, rank, op, now_ps);
        else
            trace_match_later(&r->matching, &r->posted, op->peer, op->tag, number);
        break;
    case TRACE_READ:
        account(r, now_ps);
        r->sends++;
        job_read(&p->job, rank, now_ps, p->job.host[op->peer], op->size, number);
        break;
    case TRACE_CALC:
        if (op->size) {
            account(r, now_ps);
            r->calcs++;
            job_wake(&p->job, rank, now_ps + op->size, number);
        } else
            end_op(p, rank, op, now_ps);
        break;
    default:
        go_on_in_round(p, rank, round_begin(&r->rounds, round_of(&r->rounds, op), number, &r->posts), now_ps);
    }
}

/* Assigns a ready operation to an idle processor. Returns its type, or -1 if there is none. */
static int serve_processor(struct trace_job *p, uint32_t rank, struct cpu *c, uint64_t now_ps)
{
    if (c->is_busy || !c->ready.count)
        return -1;
    c->is_busy = true;
    c->since_ps = now_ps;
    uint32_t next = ready_take(&c->ready);
    start_op(p, rank, next, op_of(p, rank, next), now_ps);
    return op_of(p, rank, next)->type;
}

static void begin_op(struct trace_job *p, uint32_t rank, uint32_t number, uint64_t now_ps)
{
    const struct trace_op *op = op_of(p, rank, number);

    if (op->type == TRACE_COLLECTIVE || (op->type == TRACE_CALC && op->size))    /* needs a processor */
        ready_add(&p->rank[rank].cpu[op->cpu].ready, p->trace.is_by_number ? 0 : now_ps, number);
    else
        start_op(p, rank, number, op, now_ps);
}

/* Starts everything that may start, in file order. A processor gets its next operation only when no other
 * operation can become ready at this time; a collective may be over at once. */
static void run_ready_ops(struct trace_job *p, uint32_t rank, uint64_t now_ps)
{
    struct trace_job_rank *r = &p->rank[rank];
    bool                   is_served;

    do {
        int type = -1;

        while (r->ready.count)
            begin_op(p, rank, ready_take(&r->ready), now_ps);
        is_served = false;
        for (uint32_t i = 0; i < r->cpus && type != TRACE_COLLECTIVE && !r->ready.count; i++) {
            type = serve_processor(p, rank, &r->cpu[i], now_ps);
            is_served |= type >= 0;
        }
    } while (r->ready.count || is_served);
}

/* ---- reads ---- */

static void on_read(struct trace_job *p, uint64_t now_ps, const struct message *m)
{
    uint32_t rank = p->job.worker_of[m->dst];

    account(&p->rank[rank], now_ps);
    p->rank[rank].sends--;
    job_report(&p->job, m->dst, OP_READ, m->bytes, m->start_ps, now_ps);
    end_op(p, rank, op_of(p, rank, (uint32_t)m->tag), now_ps);
    run_ready_ops(p, rank, now_ps);
}

/* ---- hooks ---- */

static void perform_on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct trace_job      *p = (struct trace_job *)j;
    uint32_t               from = j->worker_of[m->src], rank = j->worker_of[m->dst];
    struct round_message   is = round_message_of(m->tag);
    struct trace_job_rank *r = &p->rank[rank];

    if (m->op.verb == VERB_READ) {
        on_read(p, now_ps, m);
        return;
    }
    const struct trace_op *op = op_of(p, from, m->tag & ROUND_TAG ? is.op : (uint32_t)m->tag);
    if (!(m->tag & ROUND_TAG))
        deliver_message(p, from, (uint32_t)m->tag, op, now_ps);
    else
        go_on_in_round(p, rank, round_on_arrival(&r->rounds, round_of(&r->rounds, op), &is, &r->posts),
                       now_ps);
    run_ready_ops(p, rank, now_ps);
}

static void perform_on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct trace_job      *p = (struct trace_job *)j;
    uint32_t               rank = j->worker_of[m->src];
    struct round_message   is = round_message_of(m->tag);
    struct trace_job_rank *r = &p->rank[rank];
    const struct trace_op *op = op_of(p, rank, m->tag & ROUND_TAG ? is.op : (uint32_t)m->tag);

    account(r, now_ps);
    r->sends--;
    if (!(m->tag & ROUND_TAG))
        end_op(p, rank, op, now_ps);
    else
        go_on_in_round(p, rank, round_on_sent(&r->rounds, round_of(&r->rounds, op), &is, &r->posts), now_ps);
    run_ready_ops(p, rank, now_ps);
}

static void begin(struct trace_job *p, uint32_t rank, uint64_t now_ps)
{
    const struct trace_rank *from = &p->trace.rank[rank];

    for (uint32_t i = 0; i < passes_of(&p->trace) && !from->ops; i++)
        job_report_pass(&p->job, rank, i, now_ps);
    for (uint32_t i = 0; i < from->ops; i++)
        if (!from->op[i].waits)
            ready_add(&p->rank[rank].ready, now_ps, i);
}

static void perform_on_wake(struct job *j, uint64_t now_ps, uint32_t rank, uint64_t tag)
{
    struct trace_job *p = (struct trace_job *)j;

    if (tag == START)
        begin(p, rank, now_ps);
    else
        end_busy_op(p, rank, (uint32_t)tag, now_ps);
    run_ready_ops(p, rank, now_ps);
}

/* ---- building ---- */

static void perform_free(void *state)
{
    struct trace_job *p = state;

    for (uint32_t i = 0; i < p->trace.ranks; i++) {
        struct trace_job_rank *r = &p->rank[i];

        for (uint32_t c = 0; c < r->cpus; c++)
            free(r->cpu[c].ready.op);
        free(r->cpu);
        free(r->left_in);
        free(r->ready.op);
        rounds_fini(&r->rounds);
        free(r->posts.post);
        free(r->matching.item);
    }
    free(p->rank);
    free(p->class_of);
    plans_free(p->plans);
    trace_fini(&p->trace);
    free(p);
}

/* The class of a collective, which is new if there is room. */
static uint8_t class_of(struct trace_job *p, const struct trace_group *g, uint8_t collective)
{
    uint32_t i = 0;

    while (i < p->classes && (p->class[i].collective != collective || p->class[i].ranks != g->count))
        i++;
    if (i == p->classes && i < TRACE_CLASSES)
        p->class[p->classes++] = (struct trace_class){ .collective = collective, .ranks = g->count };
    return (uint8_t)i;
}

static void find_classes(struct trace_job *p)
{
    p->class_of = xcalloc((p->trace.groups + 1ul) * TRACE_COLLECTIVES, 1);
    for (uint32_t i = 0; i < p->trace.groups; i++) {
        const struct trace_group *g = &p->trace.group[i];
        uint8_t                  *of = &p->class_of[i * TRACE_COLLECTIVES];

        memset(of, TRACE_CLASSES, TRACE_COLLECTIVES);
        for (uint32_t k = 0; k < g->collectives; k++) {
            uint8_t collective = g->collective[k].collective;

            if (of[collective] != TRACE_CLASSES)
                continue;
            of[collective] = class_of(p, g, collective);
            if (of[collective] < TRACE_CLASSES)
                p->class[of[collective]].groups++;
        }
    }
}

void perform_add(struct traffic *t, const struct traffic_kind *kind, const struct traffic_common *common,
                 struct trace *trace, struct plans *plans, double messages, const uint32_t *hosts,
                 const struct reads_cfg *reads)
{
    struct trace_job   *p = xcalloc(1, sizeof *p);
    double              sends = messages;

    p->trace = *trace;
    p->plans = plans;
    find_classes(p);
    p->rank = xcalloc(trace->ranks + 1ul, sizeof *p->rank);
    job_init(&p->job, kind, t, common, hosts, trace->ranks);
    if (trace->has_reads)
        job_allow_reads(&p->job, reads);
    for (uint32_t i = 0; i < trace->ranks; i++) {
        const struct trace_rank *from = &trace->rank[i];
        struct trace_job_rank   *r = &p->rank[i];

        r->rounds = (struct rounds){ &p->trace, plans, i, NULL };
        r->left = from->ops;
        r->since_ps = common->start_ps;
        r->left_in = xcalloc(passes_of(trace), sizeof *r->left_in);
        for (uint32_t k = 0; k < from->ops; k++)
            r->left_in[pass_of(p, i, &from->op[k])]++;
        r->cpus = from->cpus;
        sends += (double)from->sends;
        r->cpu = xcalloc(r->cpus + 1ul, sizeof *r->cpu);
        job_wake(&p->job, i, common->start_ps, START);
    }
    job_expect(&p->job, sends);
}

/* ---- where the time went ---- */

const char *const trace_collective_names[] = { "all_reduce", "all_gather", "reduce_scatter", "all_to_all" };

extern const struct traffic_kind traffic_goal, traffic_chakra, traffic_simai;

static const struct trace_job *job_of(const struct traffic *t, uint32_t entry)
{
    const struct traffic_kind *kind = t->entry[entry].kind;
    bool is_trace = kind == &traffic_goal || kind == &traffic_chakra || kind == &traffic_simai;

    return is_trace ? (const struct trace_job *)t->entry[entry].job : NULL;
}

uint32_t trace_ranks(const struct traffic *t, uint32_t entry)
{
    const struct trace_job *p = job_of(t, entry);

    return p ? p->trace.ranks : 0;
}

uint32_t trace_host(const struct traffic *t, uint32_t entry, uint32_t rank)
{
    return job_of(t, entry)->job.host[rank];
}

struct rank_spent trace_spent(const struct traffic *t, uint32_t entry, uint32_t rank, uint64_t now_ps)
{
    struct trace_job_rank r = job_of(t, entry)->rank[rank];
    struct rank_spent     s = { .is_done = r.left == 0 };

    if (!s.is_done && now_ps > r.since_ps)
        account(&r, now_ps);
    memcpy(s.ps, r.spent_ps, sizeof s.ps);
    s.end_ps = r.since_ps;
    return s;
}

uint32_t trace_classes(const struct traffic *t, uint32_t entry, struct trace_class list[TRACE_CLASSES])
{
    const struct trace_job *p = job_of(t, entry);

    if (!p)
        return 0;
    memcpy(list, p->class, sizeof p->class);
    for (uint32_t i = 0; i < p->trace.ranks; i++)
        for (uint32_t c = 0; c < p->classes; c++) {
            uint64_t ps = p->rank[i].class_ps[c];

            list[c].count += p->rank[i].class_count[c];
            list[c].sum_ps += ps;
            if (ps > list[c].most_ps) {
                list[c].most_ps = ps;
                list[c].most_rank = i;
            }
        }
    return p->classes;
}

/* ---- reading ---- */

struct goal_cfg { struct reads_cfg reads; enum verb verb; };

static const struct key_row goal_keys[] = {
    { "file",   KEY_FILE, "",     "text or compiled (LogGOPSim's txt2bin)" },
    { "hosts",  KEY_LIST, "",     "rank 0 first; a count: the first; default: all" },
    READS_KEYS(struct goal_cfg, reads),
    { "verb",   KEY_NAME, "write", "of sends: `write`, `send`, or `ud` if they fit a packet; matching is the "
      "same", KEY_AT(struct goal_cfg, verb), .choices = verb_names },
    { 0 },
};

/* Hosts and collectives of Chakra traces and SimAI workloads. */
#define COLLECTIVE_KEYS \
    { "hosts",      KEY_LIST, "",       "rank 0 first; a count: the first; default: all" }, \
    { "all_reduce", KEY_NAME, "ring",   "`ring`, `tree` or `halving_doubling`, as of training" }, \
    { "channels",   KEY_COUNT, "0",     "of rings, as of training", \
      KEY_AT(struct plan_cfg, channels), 0, 1024 }, \
    { "chunk",      KEY_BYTES, "512KB", "of trees and of rings with channels, as of training", \
      KEY_AT(struct plan_cfg, chunk_bytes), 1, TRAFFIC_SIZE_MAX }, \
    { "pxn",        KEY_YES, "no",      "of all-to-all, as of training", \
      KEY_AT(struct plan_cfg, is_by_rail) }, \
    { "dims",       KEY_LIST, "",       "dimensions of the ranks, the nearest first, as in ASTRA-sim: " \
      "collectives of all ranks go dimension by dimension" }, \
    { "logical",    KEY_FILE, "",       "the same as a file: {\"logical-dims\": [\"8\", \"2\"]}" }

static const struct key_row chakra_keys[] = {
    { "file",       KEY_FILE, "",      "prefix of the ranks' files: PREFIX.0.et, PREFIX.1.et, .." },
    { "groups",     KEY_FILE, "",      "communicator groups as in ASTRA-sim: {\"1\": [0, 1], ..}" },
    COLLECTIVE_KEYS,
    { 0 },
};

static const struct key_row simai_keys[] = {
    { "file",       KEY_FILE, "",      "the workload" },
    { "passes",     KEY_COUNT, "1",     "passes through all layers" },
    COLLECTIVE_KEYS,
    { 0 },
};

/* ---- collectives ---- */

static const char *const all_reduces[] = { "ring", "tree", "halving_doubling", NULL };

static void read_dims(const struct entry *e, struct plan_cfg *cfg)
{
    char      *path = section_get(&e->sec, "logical") ? section_file(&e->sec, "logical") : NULL;
    struct err why;

    if (path && section_get(&e->sec, "dims"))
        section_refuse(&e->sec, "dims", "give 'dims' or 'logical', not both");
    for (const struct yaml_node *c = section_list(&e->sec, "dims", PLAN_DIMS_MAX); c && !e->r->rc;
         c = c->next)
        reader_count(e->r, c, "a dimension", 1, UINT32_MAX, &cfg->dim[cfg->dims++]);
    if (path && !e->r->rc)
        reader_keep(e->r, e->env->read_dims(path, NULL, 0, cfg->dim, &cfg->dims, &why), &why,
                    section_get(&e->sec, "logical"));
    free(path);
}

static void read_plan_cfg(const struct entry *e, struct plan_cfg *cfg)
{
    static const enum collective_kind kinds[] = { COLLECTIVE_RING_ALL_REDUCE, COLLECTIVE_TREE_ALL_REDUCE,
                                                  COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE };
    int                               kind = section_choice(&e->sec, "all_reduce", "an algorithm",
                                                            all_reduces);

    cfg->all_reduce = kinds[kind < 0 ? 0 : kind];
    section_read(&e->sec, e->sec.own, cfg);
    read_dims(e, cfg);
}

/* Checks that the ranks fill the dimensions exactly. */
static void check_dims(const struct entry *e, const struct plan_cfg *cfg, uint32_t ranks)
{
    double all = 1;

    for (uint32_t i = 0; i < cfg->dims; i++)
        all *= cfg->dim[i];
    if (cfg->dims && all != ranks)
        section_refuse(&e->sec, section_get(&e->sec, "dims") ? "dims" : "logical",
                       "the dimensions have %.0f ranks, and there are %u", all, ranks);
}

/* Plans the collectives of a trace. */
static struct plans *read_plans(const struct entry *e, struct plan_cfg *cfg, const struct trace *t,
                                const struct hosts *hosts, double *messages)
{
    uint32_t  *server = xcalloc(t->ranks + 1ul, sizeof *server);
    struct err why;

    for (uint32_t i = 0; i < t->ranks && i < hosts->count; i++)
        server[i] = e->graph->node[hosts->node[i]].server;
    cfg->server = server;
    struct plans *plans = plans_new(cfg, t->ranks);
    free(server);
    check_dims(e, cfg, t->ranks);
    if (!e->r->rc)
        reader_keep(e->r, plans_check(plans, t, messages, &why), &why, section_get(&e->sec, "file"));
    return plans;
}

/* ---- entries ---- */

/* Adds a trace; rank i is on the i-th host. 'cfg' is that of its collectives, or NULL. */
static void add_trace(struct entry *e, const struct traffic_kind *kind, struct trace *t,
                      const struct hosts *hosts, struct plan_cfg *cfg, const struct reads_cfg *reads)
{
    double        messages = 0;
    struct plans *plans = cfg ? read_plans(e, cfg, t, hosts, &messages) : NULL;

    if (hosts->count < t->ranks)
        section_refuse(&e->sec, "file", "%u ranks do not fit on %u hosts: a host has one",
                       t->ranks, hosts->count);
    if (e->r->rc) {
        plans_free(plans);
        trace_fini(t);
        return;
    }
    e->about->hosts = t->ranks;
    e->about->workers = t->ranks;
    perform_add(e->traffic, kind, &e->common, t, plans, messages, hosts->node, reads);
    e->qps = 1;
}

static void goal_read_entry(struct entry *e)
{
    struct hosts             hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);
    char                    *path = section_file(&e->sec, "file");
    struct goal_cfg          cfg = { 0 };
    struct trace             t;
    struct err               why;

    section_read(&e->sec, goal_keys, &cfg);
    if (cfg.verb == VERB_READ)
        section_refuse(&e->sec, "verb", "the file says what is read");
    if (path && !e->r->rc)
        reader_keep(e->r, e->env->read_goal(path, &t, &why), &why, section_get(&e->sec, "file"));
    if (path && !e->r->rc) {
        e->pairs_key = t.has_reads ? "file" : NULL;
        entry_use_verb(e, cfg.verb, "file", t.send_bytes_max);
        add_trace(e, &traffic_goal, &t, &hosts, NULL, &cfg.reads);
        if (!e->r->rc)
            traffic_use_verb(e->traffic, cfg.verb);
    }
    free(path);
}

static void chakra_read_entry(struct entry *e)
{
    struct hosts      hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);
    char             *path = section_file(&e->sec, "file"),
                     *groups = section_get(&e->sec, "groups") ? section_file(&e->sec, "groups") : NULL;
    struct plan_cfg   cfg = { 0 };
    struct trace      t;
    struct err        why;

    read_plan_cfg(e, &cfg);
    if (path && !e->r->rc)
        reader_keep(e->r, e->env->read_chakra(path, groups, &t, &why), &why,
                    section_get(&e->sec, "file"));
    if (path && !e->r->rc)
        add_trace(e, &traffic_chakra, &t, &hosts, &cfg, NULL);
    free(path);
    free(groups);
}

static void simai_read_entry(struct entry *e)
{
    struct hosts      hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);
    char             *path = section_file(&e->sec, "file");
    struct plan_cfg   cfg = { 0 };
    uint32_t          passes = 1;
    struct trace      t;
    struct err        why;

    read_plan_cfg(e, &cfg);
    section_count(&e->sec, "passes", 1, 1000000, &passes);
    if (path && !e->r->rc)
        reader_keep(e->r, e->env->read_simai(path, NULL, passes, hosts.count, &t, &why), &why,
                    section_get(&e->sec, "file"));
    if (path && !e->r->rc)
        add_trace(e, &traffic_simai, &t, &hosts, &cfg, NULL);
    free(path);
}

/* ---- the kinds ---- */

const struct traffic_kind traffic_goal = {
    .name = "goal",
    .about =
        "a GOAL file (LogGOPSim, ATLAHS): ranks that compute, send and receive, each operation after those "
        "it waits for",
    .keys = goal_keys, .read = goal_read_entry, .free = perform_free, .on_arrival = perform_on_arrival,
    .on_sent = perform_on_sent, .on_wake = perform_on_wake,
};

const struct traffic_kind traffic_chakra = {
    .name = "chakra",
    .about =
        "Chakra execution traces (MLCommons), a file for each rank: computing, messages, collectives and "
        "what waits for what",
    .keys = chakra_keys, .read = chakra_read_entry, .free = perform_free, .on_arrival = perform_on_arrival,
    .on_sent = perform_on_sent, .on_wake = perform_on_wake,
};

const struct traffic_kind traffic_simai = {
    .name = "simai",
    .about =
        "a text workload of SimAI (ASTRA-sim 1): layers that compute and communicate, forward and backward, "
        "on all ranks alike",
    .keys = simai_keys, .read = simai_read_entry, .free = perform_free, .on_arrival = perform_on_arrival,
    .on_sent = perform_on_sent, .on_wake = perform_on_wake,
};
