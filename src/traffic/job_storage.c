/* src/traffic/job_storage.c */
#include "traffic/job_storage.h"

#include "traffic/job.h"

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

struct io {                      /* a read or write under way; belongs to its client */
    uint64_t start_ps, bytes;
    bool     is_read;
};

struct job_storage {
    struct job      job;
    struct storage  cfg;         /* workers 0 .. computes - 1 are clients, the rest storage nodes */
    struct io      *io;          /* [client * depth + slot] */
    /* Likewise, but of the write's primary, from the arrival of the block until it answers the client:
     * there is no more than one write in a slot, and the client knows of the answer a link's delay later
     * at least. */
    uint8_t        *copies_left;
};

/* ---- what a message says of itself ---- */

enum phase { READ, READ_DATA, WRITE, COPY, COPY_DONE, WRITE_DONE };

/* The slot of the client, a number (READ: the block's bytes; COPY, COPY_DONE: the client) and the phase.
 * Slots come first so that the first messages, which a client starts together, are posted in their order. */
static uint64_t make_tag(uint32_t slot, uint64_t number, enum phase phase)
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

static enum phase phase_of(uint64_t tag)
{
    return (enum phase)(tag & 7);
}

_Static_assert(STORAGE_DEPTH_MAX <= 1u << 16 && STORAGE_BLOCK_MAX < 1ull << 45, "a tag has no room");

/* ---- the client ---- */

static void begin_io(struct job_storage *j, uint32_t client, uint32_t slot, uint64_t now_ps)
{
    const struct storage *c = &j->cfg;
    struct rng           *rng = job_rng(&j->job, client);
    struct io            *io = &j->io[client * c->depth + slot];
    uint32_t              node = j->job.host[c->computes + rng_below(rng, c->storages)];

    io->start_ps = now_ps;
    io->is_read = rng_real(rng) < c->reads;
    io->bytes = c->block_min * (1 + rng_below(rng, c->block_max / c->block_min));
    if (io->is_read)
        job_post(&j->job, client, now_ps, node, c->request_bytes, make_tag(slot, io->bytes, READ));
    else
        job_post(&j->job, client, now_ps, node, io->bytes, make_tag(slot, 0, WRITE));
}

static void end_io(struct job_storage *j, uint32_t client, uint32_t slot, uint64_t now_ps)
{
    const struct io *io = &j->io[client * j->cfg.depth + slot];

    job_report(&j->job, j->job.host[client], io->is_read ? OP_READ : OP_WRITE, io->bytes, io->start_ps, now_ps);
    if (now_ps < j->job.common.stop_ps)
        begin_io(j, client, slot, now_ps);
}

/* ---- the storage node ---- */

static void answer_write(struct job_storage *j, uint32_t node, uint32_t client, uint32_t slot,
                         uint64_t now_ps)
{
    job_post(&j->job, node, now_ps, j->job.host[client], j->cfg.request_bytes,
             make_tag(slot, 0, WRITE_DONE));
}

/* Draws 'count' different numbers below n, every set of them with the same probability (Floyd). */
static void draw_set(struct rng *rng, uint32_t n, uint32_t count, uint32_t *set)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = n - count + i, drawn = (uint32_t)rng_below(rng, last + 1);

        for (uint32_t k = 0; k < i; k++)
            if (set[k] == drawn) {
                drawn = last;    /* nobody has that yet */
                break;
            }
        set[i] = drawn;
    }
}

/* A block has come to its primary: the others get it too, or there are none. */
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

        to += to >= node;        /* not to itself */
        job_post(&j->job, node, now_ps, j->job.host[to], m->bytes, make_tag(slot, client, COPY));
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

/* ---- both ---- */

static void on_arrival(struct job *job, uint64_t now_ps, const struct message *m)
{
    struct job_storage *j = (struct job_storage *)job;
    uint32_t            here = job->worker_of[m->dst], slot = slot_of(m->tag);

    switch (phase_of(m->tag)) {
    case READ:
        job_post(job, here, now_ps, m->src, number_of(m->tag), make_tag(slot, 0, READ_DATA));
        break;
    case WRITE:
        copy_block(j, here, m, now_ps);
        break;
    case COPY:
        job_post(job, here, now_ps, m->src, j->cfg.request_bytes,
                 make_tag(slot, number_of(m->tag), COPY_DONE));
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

static void free_job(struct job *job)
{
    struct job_storage *j = (struct job_storage *)job;

    free(j->io);
    free(j->copies_left);
    free(j);
}

static const struct job_kind kind = { .on_arrival = on_arrival, .free = free_job };

static void make_workers(struct job_storage *j, struct traffic *t, const struct traffic_common *common,
                         const struct storage *c)
{
    uint32_t  count = c->computes + c->storages;
    uint32_t *hosts = xcalloc(count + 1ul, sizeof *hosts);

    for (uint32_t i = 0; i < count; i++)
        hosts[i] = i < c->computes ? c->compute[i] : c->storage[i - c->computes];
    job_init(&j->job, &kind, t, common, hosts, count);
    free(hosts);
}

void job_storage_add(struct traffic *t, const struct traffic_common *common, const struct storage *c)
{
    struct job_storage *j = xcalloc(1, sizeof *j);
    uint32_t            ios = c->computes * c->depth, answers = c->replicas > 2 ? c->replicas - 1 : 1;

    make_workers(j, t, common, c);
    j->cfg = *c;
    j->cfg.compute = j->cfg.storage = NULL;      /* the caller's */
    j->io = xcalloc(ios + 1ul, sizeof *j->io);
    j->copies_left = xcalloc(ios + 1ul, sizeof *j->copies_left);
    /* At one moment no more than one message ends at a host, which has one link; what follows starts at
     * once. */
    job_reserve(&j->job, ios + j->job.workers * answers);
    for (uint32_t client = 0; client < c->computes; client++)
        for (uint32_t slot = 0; slot < c->depth; slot++)
            begin_io(j, client, slot, common->start_ps);
}
