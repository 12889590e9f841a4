/* src/work/traffic/kinds/storage.c - compute nodes read and write blocks of storage nodes, in a closed
 * loop. */
#include "work/traffic/kinds/storage.h"

#include "base/text.h"
#include "work/traffic/job.h"
#include "work/traffic/read.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#define KIB 1024ull

const struct storage_preset storage_presets[] = {
    { "oltp",     "online transaction processing", 0.5, 512,       64 * KIB },
    { "olap",     "online analytical processing",  0.5, 256 * KIB, 4096 * KIB },
    { "vdi",      "virtual desktops",              0.2, 1 * KIB,   64 * KIB },
    { "exchange", "a mail server",                 0.6, 32 * KIB,  512 * KIB },
    { "video",    "streaming of videos",           0.2, 64 * KIB,  64 * KIB },
    { "backup",   "backup of files",               0.4, 16 * KIB,  64 * KIB },
    { NULL, NULL, 0, 0, 0 },
};

struct io {                      /* a pending read or write; owned by its client */
    uint64_t start_ps, bytes;
    bool     is_read;
};

struct job_storage {
    struct job      job;
    struct storage  cfg;         /* workers 0 .. computes - 1 are clients, the rest are storage nodes */
    struct io      *io;          /* [client * depth + slot] */
    /* [client * depth + slot], written by the primary from the block's arrival until its answer to the
     * client. Safe without a lock: a slot holds one write at a time, and the answer reaches the client a link
     * delay later. */
    uint8_t        *copies_left;
};

/* ---- tags ---- */

enum storage_phase { READ, READ_DATA, WRITE, COPY, COPY_DONE, WRITE_DONE };

/* Packs the client's slot, a number (READ: block size; COPY, COPY_DONE: client) and the phase. The slot comes
 * first, so that the messages a client starts together are posted in order. */
static uint64_t make_tag(uint32_t slot, uint64_t number, enum storage_phase phase)
{
    return (uint64_t)slot << 48 | number << 3 | phase;
}

static uint32_t slot_of(uint64_t tag)
{
    return (uint32_t)(tag >> 48);
}

static uint64_t number_of(uint64_t tag)
{
    return tag >> 3 & ((1ull << 45) - 1);
}

_Static_assert(STORAGE_DEPTH_MAX <= 1u << 16 && STORAGE_BLOCK_MAX < 1ull << 45, "a tag has no room");

/* A worker's CPU posts a message. */
static void post(struct job_storage *j, uint32_t worker, uint64_t now_ps, uint32_t dst, uint64_t bytes,
                 uint64_t tag)
{
    job_post(&j->job, worker, job_cpu_post(&j->job, worker, now_ps), dst, bytes, tag);
}

/* ---- client ---- */

static void begin_io(struct job_storage *j, uint32_t client, uint32_t slot, uint64_t now_ps)
{
    const struct storage *c = &j->cfg;
    struct rng           *rng = job_rng(&j->job, client);
    struct io            *io = &j->io[client * c->depth + slot];
    uint32_t              node = j->job.host[c->computes + rng_below(rng, c->storages)];

    io->start_ps = now_ps;
    io->is_read = rng_real(rng) < c->reads;
    io->bytes = c->block_min * (1 + rng_below(rng, c->block_max / c->block_min));
    if (io->is_read && c->verb == VERB_READ)
        job_read(&j->job, client, job_cpu_post(&j->job, client, now_ps), node, io->bytes,
                 make_tag(slot, 0, READ_DATA));
    else if (io->is_read)
        post(j, client, now_ps, node, c->request_bytes, make_tag(slot, io->bytes, READ));
    else
        post(j, client, now_ps, node, io->bytes, make_tag(slot, 0, WRITE));
}

static void end_io(struct job_storage *j, uint32_t client, uint32_t slot, uint64_t now_ps)
{
    const struct io *io = &j->io[client * j->cfg.depth + slot];

    job_report(&j->job, j->job.host[client], io->is_read ? OP_READ : OP_WRITE, io->bytes, io->start_ps,
               now_ps);
    uint64_t next_ps = job_think(&j->job, client, now_ps);
    if (next_ps >= j->job.common.stop_ps)
        return;
    if (next_ps > now_ps)
        job_wake(&j->job, client, next_ps, slot);
    else
        begin_io(j, client, slot, now_ps);
}

/* ---- storage node ---- */

static void answer_write(struct job_storage *j, uint32_t node, uint32_t client, uint32_t slot,
                         uint64_t now_ps)
{
    post(j, node, now_ps, j->job.host[client], j->cfg.request_bytes, make_tag(slot, 0, WRITE_DONE));
}

/* Draws a set of 'count' numbers below n; all sets are equally likely (Floyd's algorithm). */
static void draw_set(struct rng *rng, uint32_t n, uint32_t count, uint32_t *set)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = n - count + i, drawn = (uint32_t)rng_below(rng, last + 1);

        for (uint32_t k = 0; k < i; k++)
            if (set[k] == drawn) {
                drawn = last;    /* 'last' is not in the set yet */
                break;
            }
        set[i] = drawn;
    }
}

/* A block has arrived at its primary. Sends it to the replicas, or answers if there are none. */
static void copy_block(struct job_storage *j, uint32_t node, const struct message *m, uint64_t now_ps)
{
    const struct storage *c = &j->cfg;
    uint32_t              client = j->job.worker_of[m->src], slot = slot_of(m->tag), copies = c->replicas - 1;
    uint32_t              other[STORAGE_REPLICAS_MAX];

    if (copies == 0) {
        answer_write(j, node, client, slot, now_ps);
        return;
    }
    j->copies_left[client * c->depth + slot] = (uint8_t)copies;
    draw_set(job_rng(&j->job, node), c->storages - 1, copies, other);
    for (uint32_t i = 0; i < copies; i++) {
        uint32_t to = c->computes + other[i];

        to += to >= node;        /* skip itself */
        post(j, node, now_ps, j->job.host[to], m->bytes, make_tag(slot, client, COPY));
    }
}

static void on_copy_done(struct job_storage *j, uint32_t node, const struct message *m, uint64_t now_ps)
{
    uint32_t client = (uint32_t)number_of(m->tag), slot = slot_of(m->tag);
    uint8_t *left = &j->copies_left[client * j->cfg.depth + slot];

    assert(*left > 0);
    if (--*left == 0)
        answer_write(j, node, client, slot, now_ps);
}

/* ---- hooks ---- */

static void on_arrival(struct job *job, uint64_t now_ps, const struct message *m)
{
    struct job_storage *j = (struct job_storage *)job;
    uint32_t            here = job->worker_of[m->dst], slot = slot_of(m->tag);

    now_ps = job_cpu_take(job, here, now_ps, m->bytes);
    switch ((enum storage_phase)(m->tag & 7)) {
    case READ:
        post(j, here, now_ps, m->src, number_of(m->tag), make_tag(slot, 0, READ_DATA));
        break;
    case WRITE:
        copy_block(j, here, m, now_ps);
        break;
    case COPY:
        post(j, here, now_ps, m->src, j->cfg.request_bytes, make_tag(slot, number_of(m->tag), COPY_DONE));
        break;
    case COPY_DONE:
        on_copy_done(j, here, m, now_ps);
        break;
    case READ_DATA:
    case WRITE_DONE:
        end_io(j, here, slot, now_ps);
        break;
    }
}

/* A client has thought. */
static void on_wake(struct job *job, uint64_t now_ps, uint32_t client, uint64_t slot)
{
    begin_io((struct job_storage *)job, client, (uint32_t)slot, now_ps);
}

static void free_job(void *state)
{
    struct job_storage *j = state;

    free(j->io);
    free(j->copies_left);
    free(j);
}

extern const struct traffic_kind traffic_storage;

static void make_workers(struct job_storage *j, struct traffic *t, const struct traffic_common *common,
                         const struct storage *c)
{
    uint32_t  count = c->computes + c->storages;
    uint32_t *hosts = xcalloc(count + 1ul, sizeof *hosts);

    for (uint32_t i = 0; i < count; i++)
        hosts[i] = i < c->computes ? c->compute[i] : c->storage[i - c->computes];
    job_init(&j->job, &traffic_storage, t, common, hosts, count);
    free(hosts);
}

/* An IO has one message in flight, or its copies, plus earlier ones whose acknowledgement is pending. */
static uint64_t storage_flows(const struct storage *c)
{
    return 2ull * c->computes * c->depth * (c->replicas > 2 ? c->replicas - 1 : 1);
}

void traffic_add_storage(struct traffic *t, const struct traffic_common *common, struct storage *c)
{
    struct job_storage *j = xcalloc(1, sizeof *j);
    uint32_t            ios = c->computes * c->depth, answers = c->replicas > 2 ? c->replicas - 1 : 1;

    make_workers(j, t, common, c);
    if (c->verb == VERB_READ)
        job_allow_reads(&j->job, &c->reads_cfg);
    else
        j->job.verb = c->verb;
    if (host_times_are_set(&c->host))
        job_use_host_time(&j->job, &c->host);
    j->cfg = *c;
    j->cfg.compute = j->cfg.storage = NULL;      /* owned by the caller */
    j->io = xcalloc(ios + 1ul, sizeof *j->io);
    j->copies_left = xcalloc(ios + 1ul, sizeof *j->copies_left);
    /* A host has one link, so at most one message completes there at a time. The following messages start at
     * once. */
    job_reserve(&j->job, ios + j->job.workers * answers);
    traffic_expect_flows(t, storage_flows(c));
    for (uint32_t client = 0; client < c->computes; client++)
        for (uint32_t slot = 0; slot < c->depth; slot++)
            begin_io(j, client, slot, common->start_ps);
}

/* ---- reading: compute and storage nodes ---- */

struct roles { struct hosts free, compute, storage; };   /* free: hosts without a role */

/* Reads the list of hosts of a role. */
static struct hosts read_role(const struct entry *e, const char *key, struct roles *r)
{
    struct hosts hosts = entry_hosts(e, key, 1, UINT32_MAX);

    hosts_remove(&r->free, &hosts, e->graph->nodes);
    return hosts;
}

/* Returns the number of hosts for a role without a list. */
static uint32_t read_share(const struct entry *e, const char *key, uint32_t initial, uint32_t max)
{
    uint32_t count = initial;

    if (e->r->rc)
        return 0;
    if (max == 0)
        reader_refuse(e->r, e->sec.map, "no host is left for '%s'", key);
    section_count(&e->sec, key, 1, max, &count);
    return e->r->rc ? 0 : count;
}

/* Takes 'count' free hosts, evenly spaced, so that all racks get both roles. */
static struct hosts take_spread_hosts(const struct entry *e, uint32_t count, struct roles *r)
{
    struct hosts hosts = { reader_alloc(e->r, r->free.count + 1ul, sizeof *hosts.node), count };

    for (uint32_t i = 0; i < count; i++)
        hosts.node[i] = r->free.node[(uint64_t)(i + 1) * r->free.count / count - 1];
    hosts_remove(&r->free, &hosts, e->graph->nodes);
    return hosts;
}

static void read_lists(const struct entry *e, struct roles *r)
{
    bool has_compute = entry_is_list(e, "compute"), has_storage = entry_is_list(e, "storage");

    if (has_compute && has_storage && section_get(&e->sec, "hosts"))
        section_refuse(&e->sec, "hosts",
                       "'hosts' has no effect with lists of 'compute' and 'storage'; remove it");
    if (has_compute)
        r->compute = read_role(e, "compute", r);
    if (has_storage)
        r->storage = read_role(e, "storage", r);
    for (uint32_t i = 0; i < r->storage.count && !e->r->rc; i++)
        if (hosts_have(&r->compute, r->storage.node[i]))
            section_refuse(&e->sec, "storage", "%s is already a compute node",
                           e->graph->node[r->storage.node[i]].name);
}

/* Chooses storage nodes if there is no list: one host in four, or all hosts that are not compute nodes. */
static void choose_storage(const struct entry *e, struct roles *r)
{
    uint32_t all = r->free.count, fourth = all >= 4 ? all / 4 : 1, count;

    if (r->compute.node)
        count = read_share(e, "storage", all, all);
    else
        count = read_share(e, "storage", fourth, all - (all > 0));
    r->storage = take_spread_hosts(e, count, r);
}

static void read_roles(const struct entry *e, struct roles *r)
{
    r->free = entry_hosts(e, "hosts", 2, UINT32_MAX);
    read_lists(e, r);
    if (e->r->rc)
        return;
    if (!r->storage.node)
        choose_storage(e, r);
    if (!r->compute.node) {
        r->compute = r->free;
        r->compute.count = read_share(e, "compute", r->free.count, r->free.count);
    }
    e->about->hosts = r->compute.count + r->storage.count;
}

/* ---- reading: workload ---- */

static const struct storage_preset *read_preset(const struct entry *e)
{
    const char *names[16] = { NULL };

    for (int i = 0; storage_presets[i].name; i++)
        names[i] = storage_presets[i].name;
    int found = section_choice(&e->sec, "preset", "a preset of storage", names);
    return &storage_presets[found < 0 ? 0 : found];
}

static void check_storage(const struct entry *e, const struct storage *c)
{
    char least[32], most[32];

    if (e->r->rc)
        return;
    if (c->block_min > c->block_max)
        section_refuse(&e->sec, section_get(&e->sec, "block_min") ? "block_min" : "block_max",
                       "'block_min' (%s) must not be above 'block_max' (%s)",
                       text_from_bytes(least, sizeof least, (double)c->block_min),
                       text_from_bytes(most, sizeof most, (double)c->block_max));
    else if (c->replicas > c->storages)
        section_refuse(&e->sec, "replicas",
                       "%u replicas need as many storage nodes, and there %s %u", c->replicas,
                       c->storages == 1 ? "is" : "are", c->storages);
    else if ((uint64_t)c->computes * c->depth * c->replicas > STORAGE_COPIES_MAX)
        section_refuse(&e->sec, "depth",
                       "%u compute nodes with %u reads and writes each of %u replicas: more than %u at once",
                       c->computes, c->depth, c->replicas, STORAGE_COPIES_MAX);
}

static const struct key_row keys[] = {
    { "preset",    KEY_NAME, "oltp",
      "mix of reads and writes and block sizes, from ACC's table 1: see below" },
    { "hosts",     KEY_LIST, "",     "hosts; a count: the first; default: all" },
    { "storage",   KEY_LIST, "", "storage nodes; a count: evenly spread (default one in four: hosts 3, 7, "
      "11, ..); with a list of compute nodes: the rest" },
    { "compute",   KEY_LIST, "",
      "compute nodes; a count: the first that do not store; default: all of them" },
    { "reads",     KEY_REAL, "",     "share of reads; default: the preset's", KEY_AT(struct storage, reads),
      0, 1 },
    { "block_min", KEY_BYTES, "", "smallest block. Multiples of it up to `block_max` are equally frequent, "
      "as in fio's bsrange. Default: the preset's", KEY_AT(struct storage, block_min), 1, STORAGE_BLOCK_MAX },
    { "block_max", KEY_BYTES, "",     "largest block; default: the preset's",
      KEY_AT(struct storage, block_max), 1, STORAGE_BLOCK_MAX },
    { "depth",     KEY_COUNT, "16",   "operations in flight per compute node, 1 .. 4096",
      KEY_AT(struct storage, depth), 1, STORAGE_DEPTH_MAX },
    { "replicas",  KEY_COUNT, "3", "copies of a written block, 1 .. 16: the first node forwards it to random "
      "others and answers when all have it", KEY_AT(struct storage, replicas), 1, STORAGE_REPLICAS_MAX },
    { "request",   KEY_BYTES, "64",   "size of a read request and of a write's answer",
      KEY_AT(struct storage, request_bytes), 1, STORAGE_BLOCK_MAX },
    { "verb",      KEY_NAME, "write", "of all messages: `write` or `send`; `read`: reads are RDMA READs",
      KEY_AT(struct storage, verb), .choices = verb_names },
    READS_KEYS(struct storage, reads_cfg),
    HOST_TIME_KEYS(struct storage, host),
    { "think_time", KEY_NAME, "0",    "likewise, between operations; without CPU" },
    { 0 },
};

static void storage_read(struct entry *e)
{
    const struct storage_preset *preset = read_preset(e);
    struct storage               c = { .reads = preset->reads, .block_min = preset->block_min,
                                       .block_max = preset->block_max };
    struct roles                 r = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };

    entry_need_end(e);
    section_read(&e->sec, keys, &c);
    entry_host_times(e, &c.host);
    entry_host_time(e, "think_time", &c.host.think);
    read_roles(e, &r);
    c.compute = r.compute.node, c.computes = r.compute.count;
    c.storage = r.storage.node, c.storages = r.storage.count;
    check_storage(e, &c);
    entry_use_verb(e, c.verb, NULL, 0);
    if (c.verb == VERB_UD)
        section_refuse(&e->sec, "verb", "a compute node would wait forever for a lost datagram");
    if (!e->r->rc)
        entry_check_flows(e, storage_flows(&c));
    if (!e->r->rc)
        traffic_add_storage(e->traffic, &e->common, &c);
    host_times_fini(&c.host);
    e->qps = 1;
}

/* ---- the kind ---- */

static void print_presets(FILE *out)
{
    fprintf(out, "\n### traffic: presets of storage\n\nFrom table 1 of ACC (SIGCOMM 2021), which gives "
            "shares and ranges; how often each size occurs is ours.\n\n| preset | reads | blocks | "
            "|\n|---|---|---|---|\n");
    for (const struct storage_preset *p = storage_presets; p->name; p++)
        fprintf(out, "| `%s` | %.0f%% | %.15g .. %.15g KiB | %s |\n", p->name, p->reads * 100,
                (double)p->block_min / 1024, (double)p->block_max / 1024, p->about);
}

const struct traffic_kind traffic_storage = {
    .name = "storage",
    .about = "compute nodes read and write blocks of storage nodes, each with a fixed number of operations "
             "in flight",
    .keys = keys, .read = storage_read, .free = free_job, .print_more = print_presets,
    .on_arrival = on_arrival, .on_wake = on_wake,
};
