#include "sim/parts/crossing.h"
#include "base/err.h"
#include "sim/link/path.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

void crossing_build(struct sim *s, uint64_t ahead_ps[PARTS_MAX])
{
    for (uint32_t i = 0; i < PARTS_MAX; i++)
        ahead_ps[i] = NEVER;
    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port *p = &s->net.port[i];
        uint32_t     from = p->node->part, to = p->peer->node->part;

        if (from == to)
            continue;
        p->peer_part = (uint8_t)to;
        p->slow_path |= SLOW_BORDER;
        if (to == s->program.part)
            ahead_ps[from] = divide_least_ps(s, p) < ahead_ps[from] ? divide_least_ps(s, p) : ahead_ps[from];
    }
}

uint32_t crossing_links(const struct sim *s, uint32_t from)
{
    uint32_t links = 0;

    for (uint32_t i = 0; i < s->net.ports; i++)
        links += s->net.port[i].node->part == from && s->net.port[i].peer->node->part == s->program.part;
    return links;
}

/* ---- the ring ---- */

#define RING_SIZE_MIN   1024u
#define RING_PER_LINK   64u      /* rarely exceeded by packets in flight; then the writer waits */
#define RING_KIND       255u     /* packet kind that marks a signal */
#define RING_FETCHED    6u       /* entries prefetched ahead */

_Static_assert(offsetof(struct packet, kind) >= sizeof(struct signal),
               "a signal and its kind fit into a packet's line");

void *crossing_alloc(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

    if (!memory)
        die("out of memory");
    return memset(memory, 0, bytes);
}

void ring_build(struct ring *r, const struct packet_pool *packets, uint32_t links)
{
    for (r->size = RING_SIZE_MIN; r->size < RING_SIZE_MAX && r->size / RING_PER_LINK < links;)
        r->size *= 2;
    r->packet = crossing_alloc(r->size * sizeof *r->packet);
    if (packets->tag || packets->woven || packets->inband)
        r->more = crossing_alloc(r->size * sizeof *r->more);
}

void ring_free(struct ring *r)
{
    free(r->packet);
    free(r->more);
}

/* ---- sending ---- */

bool ring_has_room(const struct ring *r)
{
    return atomic_load_explicit(&r->put, memory_order_relaxed) -
           atomic_load_explicit(&r->got, memory_order_acquire) != r->size;
}

/* Returns the entry to write next. Prefetches entries ahead, which are in the reader's cache. */
static uint32_t ring_place(const struct ring *r)
{
    uint32_t put = atomic_load_explicit(&r->put, memory_order_relaxed);

    __builtin_prefetch(&r->packet[(put + RING_FETCHED) % r->size], 1);
    return put % r->size;
}

static void ring_step(struct ring *r)
{
    atomic_store_explicit(&r->put, atomic_load_explicit(&r->put, memory_order_relaxed) + 1,
                          memory_order_release);
}

static void write_more(struct crossing_more *to, const struct packet_pool *packets, uint32_t id)
{
    if (packets->tag)
        to->tag = *packet_tag(packets, id);
    if (packets->woven)
        to->woven = *packet_woven(packets, id);
    if (packets->inband)
        to->inband = *packet_inband(packets, id);
}

void ring_put_packet(struct ring *r, const struct packet_pool *packets, uint32_t id)
{
    uint32_t place = ring_place(r);

    r->packet[place] = packets->packet[id];
    if (r->more)
        write_more(&r->more[place], packets, id);
    ring_step(r);
}

void ring_put_signal(struct ring *r, const struct signal *signal)
{
    struct packet *k = &r->packet[ring_place(r)];

    memcpy(k, signal, sizeof *signal);
    k->kind = RING_KIND;
    ring_step(r);
}

/* ---- receiving ---- */

static void read_more(const struct crossing_more *from, const struct packet_pool *packets, uint32_t id)
{
    if (packets->tag)
        *packet_tag(packets, id) = from->tag;
    if (packets->woven)
        *packet_woven(packets, id) = from->woven;
    if (packets->inband)
        *packet_inband(packets, id) = from->inband;
}

static void take_signal(struct sim *s, const struct packet *from)
{
    struct signal signal;

    memcpy(&signal, from, sizeof signal);
    program_add_signal(&s->engine, &s->program, &signal);
}

static void take_packet(struct engine *e, const struct ring *r, uint32_t place)
{
    uint32_t       id = engine_new_packet(e);
    struct packet *k = &e->packets.packet[id];

    *k = r->packet[place];
    if (r->more)
        read_more(&r->more[place], &e->packets, id);
    evq_put(&e->evq, &k->event, id);
}

void crossing_take(struct sim *s, struct ring *r)
{
    uint32_t got = atomic_load_explicit(&r->got, memory_order_relaxed);
    uint32_t put = atomic_load_explicit(&r->put, memory_order_acquire);

    for (uint32_t i = 0; i < RING_FETCHED && i < put - got; i++)
        __builtin_prefetch(&r->packet[(got + i) % r->size]);
    for (; got != put && !s->engine.has_failed; got++) {
        uint32_t place = got % r->size;

        if (put - got > RING_FETCHED)
            __builtin_prefetch(&r->packet[(got + RING_FETCHED) % r->size]);
        if (r->packet[place].kind == RING_KIND)
            take_signal(s, &r->packet[place]);
        else
            take_packet(&s->engine, r, place);
    }
    atomic_store_explicit(&r->got, put, memory_order_release);
}
