/* src/sim/forks/htsim/htsim_world.c - packets, lists, timers and triggers. */
#include "sim/forks/htsim/htsim_world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998. */

#define MIDDLE 397u

void mt_init(struct mt *m, uint32_t seed)
{
    m->word[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++)
        m->word[i] = 1812433253u * (m->word[i - 1] ^ m->word[i - 1] >> 30) + i;
    m->at = MT_WORDS;
    m->draws = 0;
}

static uint32_t twist(uint32_t high, uint32_t low)
{
    uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);

    return y >> 1 ^ (low & 1 ? 0x9908b0dfu : 0);
}

void mt_refill(struct mt *m)
{
    uint32_t *w = m->word;

    for (uint32_t i = 0; i < MT_WORDS - MIDDLE; i++)
        w[i] = w[i + MIDDLE] ^ twist(w[i], w[i + 1]);
    for (uint32_t i = MT_WORDS - MIDDLE; i < MT_WORDS - 1; i++)
        w[i] = w[i + MIDDLE - MT_WORDS] ^ twist(w[i], w[i + 1]);
    w[MT_WORDS - 1] = w[MIDDLE - 1] ^ twist(w[MT_WORDS - 1], w[0]);
    m->at = 0;
}

void world_fail(struct htsim *w, int code, const char *format, ...)
{
    char    text[sizeof w->failure.text];
    va_list args;

    if (w->has_failed)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_write(&w->failure, "%s", text);
    w->failure_code = code;
    w->has_failed = true;
}

/* ---- packets and lists ---- */

uint32_t packet_new(struct htsim *w)
{
    uint32_t packet = w->free_packet;

    if (packet != NONE) {
        w->free_packet = w->packet[packet].next;
    } else {
        if (w->packets == w->packets_max) {
            world_fail(w, ENOBUFS, "more than %u packets are under way", w->packets_max);
            w->packets--;        /* the run fails; until then the last packet is reused */
        }
        packet = w->packets++;
    }
    w->packet[packet] = (struct packet){ 0 };
    return packet;
}

void packet_free(struct htsim *w, uint32_t packet)
{
    w->packet[packet].next = w->free_packet;
    w->free_packet = packet;
}

void ring_put(struct ring *r, uint32_t item)
{
    if (r->count == r->room) {
        uint32_t  room = r->room ? 2 * r->room : 4;
        uint32_t *items = xmalloc(room * sizeof *items);

        for (uint32_t i = 0; i < r->count; i++)
            items[i] = r->item[(r->first + i) & (r->room - 1)];
        free(r->item);
        *r = (struct ring){ items, 0, r->count, room };
    }
    r->item[(r->first + r->count++) & (r->room - 1)] = item;
}

uint32_t ring_take(struct ring *r)
{
    uint32_t item = ring_front(r);

    r->first++;
    r->count--;
    return item;
}

/* ---- timers and triggers ---- */

uint32_t timer_enter(struct htsim *w, uint32_t flow, uint64_t at_ps)
{
    uint32_t line = w->free_timer;

    if (line == NONE) {
        world_fail(w, EINVAL, "more timers than there are room for");
        return NONE;
    }
    struct timer *t = (struct timer *)(void *)evq_event(&w->evq, line);
    t->flow = flow;
    if (!world_enter(w, &t->event, at_ps))
        return NONE;
    w->free_timer = t->next;
    return line;
}

void timer_free(struct htsim *w, struct timer *t)
{
    t->next = w->free_timer;
    w->free_timer = evq_id(&w->evq, &t->event);
}

void timer_cancel(struct htsim *w, uint32_t line)
{
    evq_cancel(&w->evq, line);
    timer_free(w, (struct timer *)(void *)evq_event(&w->evq, line));
}

/* Starts flows immediately, the last in file order first. */
void trigger_fire(struct htsim *w, uint32_t trigger)
{
    struct trigger *t = &w->trigger[trigger];
    uint32_t        from = t->first, count = t->count;

    if (t->kind == MATRIX_MULTISHOT) {
        from += t->started;
        count = t->started < t->count;
        t->started += count;
    } else if (t->kind == MATRIX_BARRIER && --t->left != 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        w->pending[w->pendings++] = w->target[from + i];
}
