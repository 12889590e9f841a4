/* src/traffic/kinds/training.c - ON-OFF training: a collective, a barrier, some computing, and again.
 *
 * Who waits for what within a collective is in traffic/collective.h. Counts of a worker and of the messages it
 * sends are changed at its host alone. A worker that is through, having sent all it sends and received all
 * that comes to it, sets its count back and reports to the barrier: before the last has reported nobody
 * begins again, so whatever comes next finds it so.
 */
#include "traffic/kinds/training.h"

#include "base/text.h"
#include "net/measure.h"
#include "traffic/job.h"
#include "traffic/read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Posts of one worker at a time: of each of two trees, one up and two down. */
#define POSTS_PER_WORKER 6u

struct training {
    struct job        job;
    struct collective collective;
    uint64_t          size_bytes;        /* as results tell it */
    uint64_t          compute_ps;
    uint8_t          *waits;             /* by message: how many it still follows */
    uint32_t         *left;              /* by worker: messages it has yet to send or receive */

    struct barrier   *barrier;           /* by part */
};

struct barrier {
    uint64_t start_ps;                   /* of this iteration */
    uint32_t iterations;                 /* still to begin */
    uint32_t through;                    /* workers that have said so */
    char     apart[48];                  /* from that of another part */
};

static uint32_t messages_of(const struct training *t, uint32_t worker)
{
    return t->collective.sends[worker] + t->collective.receives[worker];
}

static void post(struct training *t, uint32_t m, uint64_t at_ps)
{
    const struct collective_message *c = &t->collective.message[m];

    job_post(&t->job, c->src, at_ps, t->job.host[c->dst], c->bytes, m);
}

/* Lets the workers of a part begin an iteration. */
static void begin(struct training *t, uint32_t part, uint64_t at_ps)
{
    struct barrier *b = &t->barrier[part];

    if (at_ps >= t->job.common.stop_ps || b->iterations == 0)
        return;
    b->iterations--;
    b->start_ps = at_ps;
    b->through = 0;
    for (uint32_t i = 0; i < t->collective.roots; i++)
        if (job_part(&t->job, t->collective.message[t->collective.root[i]].src) == part)
            post(t, t->collective.root[i], at_ps);
}

/* A worker was through signal_ps ago. */
static void on_signal(struct job *j, uint32_t part, uint64_t now_ps, uint32_t worker, uint64_t value)
{
    struct training *t = (struct training *)j;
    struct barrier  *b = &t->barrier[part];

    (void)worker, (void)value;
    if (++b->through < j->workers)
        return;
    if (part == job_part(j, 0))
        job_report(j, j->host[0], OP_ITERATION, t->size_bytes, b->start_ps, now_ps - j->signal_ps);
    begin(t, part, now_ps + t->compute_ps);
}

static void divide(struct job *j, uint32_t parts)
{
    struct training *t = (struct training *)j;

    t->barrier = xrealloc(t->barrier, parts * sizeof *t->barrier);
    for (uint32_t i = 1; i < parts; i++)
        t->barrier[i] = t->barrier[0];
}

/* One of a worker's messages is over at its end. */
static void count_down(struct training *t, uint32_t worker, uint64_t now_ps)
{
    assert(t->left[worker] > 0);
    if (--t->left[worker] > 0)
        return;
    t->left[worker] = messages_of(t, worker);
    job_signal(&t->job, worker, now_ps, 0);
}

/* Message 'm' need not be waited for any more by those in the list. Each is set back as soon as it is free to
 * go: it does so once in an iteration. */
static void release(struct training *t, const uint32_t *list, const uint32_t *end, uint64_t now_ps)
{
    for (; list < end; list++)
        if (--t->waits[*list] == 0) {
            t->waits[*list] = t->collective.waits[*list];
            post(t, *list, now_ps);
        }
}

static void on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct training         *t = (struct training *)j;
    const struct collective *c = &t->collective;

    release(t, c->arrival + c->arrival_at[m->tag], c->arrival + c->arrival_at[m->tag + 1], now_ps);
    count_down(t, c->message[m->tag].dst, now_ps);
}

static void on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct training         *t = (struct training *)j;
    const struct collective *c = &t->collective;

    release(t, c->sent + c->sent_at[m->tag], c->sent + c->sent_at[m->tag + 1], now_ps);
    count_down(t, c->message[m->tag].src, now_ps);
}

/* Nobody has said that he is through, or all have and nothing comes after; and all begin anew. */
static bool is_at_rest(const struct job *j)
{
    const struct training *t = (const struct training *)j;

    if (t->barrier[0].through != 0 && t->barrier[0].through < j->workers)
        return false;
    for (uint32_t i = 0; i < j->workers; i++)
        if (t->left[i] != messages_of(t, i))
            return false;
    return true;
}

static void free_training(void *state)
{
    struct training *t = state;

    collective_fini(&t->collective);
    free(t->waits);
    free(t->left);
    free(t->barrier);
    free(t);
}

extern const struct traffic_kind traffic_training;

void traffic_add_training(struct traffic *traffic, const struct traffic_common *common,
                          const struct traffic_training *cfg, const uint32_t *hosts)
{
    struct training *t = xcalloc(1, sizeof *t);

    job_init(&t->job, &traffic_training, traffic, common, hosts, cfg->collective.workers);
    job_reserve(&t->job, (cfg->collective.is_at_once ? cfg->collective.workers : POSTS_PER_WORKER) *
                             cfg->collective.workers);
    collective_init(&t->collective, &cfg->collective);
    t->size_bytes = collective_size_bytes(&cfg->collective);
    t->compute_ps = cfg->compute_ps;
    t->job.signal_ps = cfg->delay_ps;
    t->barrier = xcalloc(1, sizeof *t->barrier);
    t->barrier[0].iterations = cfg->iterations;
    t->waits = xmalloc(t->collective.messages * sizeof *t->waits);
    memcpy(t->waits, t->collective.waits, t->collective.messages * sizeof *t->waits);
    t->left = xcalloc(t->job.workers, sizeof *t->left);
    for (uint32_t i = 0; i < t->job.workers; i++)
        t->left[i] = messages_of(t, i);
    begin(t, 0, common->start_ps);
}

/* ---- placement ---- */

struct seat { uint32_t rack, number, node; };    /* number: of the host within its rack */

static int by_rack(const void *a_, const void *b_)
{
    const struct seat *a = a_, *b = b_;

    if (a->rack != b->rack)
        return a->rack < b->rack ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_number(const void *a_, const void *b_)
{
    const struct seat *a = a_, *b = b_;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->rack < b->rack ? -1 : a->rack > b->rack;
}

/* Every host's seat. Racks are numbered in the order of their first hosts. */
static struct seat *list_seats(const struct graph *g)
{
    struct seat *seat = xcalloc(g->hosts + 1ul, sizeof *seat);
    uint32_t    *link_of = graph_host_links(g), seats = 0, racks = 0;
    uint32_t    *rack_of = xcalloc(g->nodes, sizeof *rack_of);
    uint32_t    *taken = xcalloc(g->nodes + 1ul, sizeof *taken);

    for (uint32_t i = 0; i < g->nodes; i++) {
        const struct graph_link *l = &g->link[link_of[i]];
        uint32_t                *rack = &rack_of[l->a == i ? l->b : l->a];

        if (g->node[i].is_switch)
            continue;
        if (*rack == 0)
            *rack = ++racks;
        seat[seats++] = (struct seat){ *rack, taken[*rack]++, i };
    }
    free(taken);
    free(rack_of);
    free(link_of);
    return seat;
}

static void place(const struct graph *g, bool is_spread, struct hosts *workers)
{
    struct seat *seat = list_seats(g);

    qsort(seat, g->hosts, sizeof *seat, is_spread ? by_number : by_rack);
    for (uint32_t i = 0; i < workers->count; i++)
        workers->node[i] = seat[i].node;
    free(seat);
}

static struct hosts read_workers(const struct entry *e)
{
    static const char *const placements[] = { "packed", "spread", NULL };
    const struct yaml_node  *node = section_get(&e->sec, "workers");
    const struct yaml_node  *where = section_get(&e->sec, "placement");
    struct hosts             workers = entry_hosts(e, "workers", 2, UINT32_MAX);
    int                      placement;

    placement = section_choice(&e->sec, "placement", "a placement", placements);
    if (node && node->kind == YAML_LIST) {
        if (where)
            reader_refuse(e->r, where, "'placement' beside a list of workers, which says it already");
    } else if (!e->r->rc) {
        place(e->graph, placement == 1, &workers);
    }
    return workers;
}

/* ---- the collective ---- */

static void read_chunk(const struct entry *e, struct collective_cfg *cfg)
{
    const struct yaml_node *node = section_get(&e->sec, "chunk");

    if (node && cfg->kind != COLLECTIVE_TREE_ALL_REDUCE)
        reader_refuse(e->r, node, "only tree_all_reduce goes in chunks");
    section_bytes(&e->sec, "chunk", 1, TRAFFIC_SIZE_MAX, &cfg->chunk_bytes);
}

static void read_at_once(const struct entry *e, struct collective_cfg *cfg)
{
    const struct yaml_node *node = section_get(&e->sec, "at_once");

    section_bool(&e->sec, "at_once", &cfg->is_at_once);
    if (node && cfg->is_at_once && cfg->kind != COLLECTIVE_ALL_TO_ALL)
        reader_refuse(e->r, node, "only all_to_all can go at once: messages of %s wait for others",
                      collective_names[cfg->kind]);
}

static void read_collective(const struct entry *e, uint32_t workers, struct collective_cfg *cfg)
{
    const struct yaml_node *node;
    struct err              why;
    int                     kind, rc;

    section_need(&e->sec, "size");
    kind = section_choice(&e->sec, "collective", "a collective", collective_names);
    *cfg = (struct collective_cfg){ .kind = kind < 0 ? 0 : (enum collective_kind)kind, .workers = workers };
    section_bytes(&e->sec, "size", 1, TRAFFIC_SIZE_MAX, &cfg->bytes);
    read_chunk(e, cfg);
    read_at_once(e, cfg);
    if (e->r->rc)
        return;
    rc = collective_check(cfg, &why);
    node = section_get(&e->sec, rc == -E2BIG ? "workers" : "size");
    if (rc)
        reader_refuse(e->r, node ? node : e->sec.map, "%s", why.text);
}

/* ---- time ---- */

/* No host learns of another sooner than over a link. */
static void read_delay(const struct entry *e, uint64_t *delay_ps)
{
    uint64_t least = graph_delay_ps_min(e->graph);
    char     text[32];

    *delay_ps = graph_delay_ps_max(e->graph);
    section_time(&e->sec, "delay", delay_ps);
    if (*delay_ps < least)
        reader_refuse(e->r, section_get(&e->sec, "delay"), "'delay' must not be less than a link's, %s",
                      text_from_time(text, sizeof text, least));
}

static void read_iterations(const struct entry *e, uint32_t *iterations)
{
    *iterations = UINT32_MAX;
    section_count(&e->sec, "iterations", 1, UINT32_MAX - 1, iterations);
    if (!section_get(&e->sec, "iterations"))
        entry_need_end(e);
}

/* ---- the entry ---- */

static uint64_t bound_ps(const struct entry *e, const struct collective_cfg *cfg, const uint32_t *hosts)
{
    uint64_t         *rate_bps = xcalloc(cfg->workers, sizeof *rate_bps), bound;
    uint32_t         *link_of = graph_host_links(e->graph);
    struct collective c;

    for (uint32_t i = 0; i < cfg->workers; i++)
        rate_bps[i] = e->graph->link[link_of[hosts[i]]].rate_bps;
    collective_init(&c, cfg);
    bound = collective_bound_ps(&c, e->env->mtu_bytes, e->env->overhead_bytes, rate_bps);
    collective_fini(&c);
    free(link_of);
    free(rate_bps);
    return bound;
}

static void training_read(struct entry *e)
{
    struct hosts            workers = read_workers(e);
    struct traffic_training cfg = { 0 };

    read_collective(e, workers.count, &cfg.collective);
    section_time(&e->sec, "compute", &cfg.compute_ps);
    read_delay(e, &cfg.delay_ps);
    read_iterations(e, &cfg.iterations);
    if (!e->r->rc) {
        e->about->workers = workers.count;
        e->about->collective_bytes = collective_size_bytes(&cfg.collective);
        e->about->bus_factor = collective_bus_factor(cfg.collective.kind, workers.count);
        e->about->bound_ps = bound_ps(e, &cfg.collective, workers.node);
        e->about->compute_ps = cfg.compute_ps;
        traffic_add_training(e->traffic, &e->common, &cfg, workers.node);
        e->qps = 1;
    }
    free(workers.node);
}

static const struct section_key keys[] = {
    { "workers",    "list",  "",           "which, worker 0 first; a count means so many, where `placement` says, without it all hosts" },
    { "placement",  "name",  "packed",     "of a count of workers. `packed`: racks are filled one after the other; `spread`: the next worker is in the next rack. A rack is a switch with its hosts" },
    { "collective", "name",  "all_to_all", "`all_to_all` (pairwise), `ring_all_reduce`, `tree_all_reduce` (double binary tree), `halving_doubling_all_reduce`, `all_gather` or `reduce_scatter` (ring)" },
    { "size",       "bytes", "",           "all_to_all: from each worker to each other; otherwise of the whole buffer" },
    { "chunk",      "bytes", "512KB",      "tree_all_reduce: of what goes up and down the trees at a time. Each waits for the one before it to be acknowledged, so small ones cost round-trip times; large ones keep lower workers waiting" },
    { "at_once",    "yes/no", "no",        "all_to_all: each worker sends to all others at once, incast and all, and not to one after the other" },
    { "compute",    "time",  "0",          "from the end of a collective, when all workers know of it, to the next" },
    { "iterations", "count", "",           "how many; without it until `stop`" },
    { "delay",      "time",  "",           "after which all workers know that the last one is through; without it that of the longest link, and never less than a link's" },
    { 0 },
};

const struct traffic_kind traffic_training = {
    .name = "training", .about = "workers do a collective, wait for the last of them, compute, and begin again",
    .keys = keys, .read = training_read, .free = free_training,
    .on_arrival = on_arrival, .on_sent = on_sent, .on_signal = on_signal, .divide = divide,
    .is_at_rest = is_at_rest,
};
