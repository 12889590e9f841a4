/* tests/chaos/liar.c - see liar.h. */
#include "liar.h"
#include "live/core/knobset.h"
#include "live/wire/codec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t any_number(struct world *w)
{
    return rng_next(&w->rng) >> world_draw(w, 0, 63);
}

static bool lies(const struct proc *p, unsigned about)
{
    return (p->style & about) != 0;
}

static uint64_t lie_term(struct world *w, const struct proc *p)
{
    const uint64_t terms[] = { 0, p->heard_term + 1, p->heard_term + (1ull << MSG_TERM_ID_BITS), 0x70000000,
                               0xFFFFFFFFFFFE0000, MSG_TERM_MAX, MSG_TERM_MAX + 1, 1ull << 62,
                               (p->heard_term >> 16) + (1ull << 36), any_number(w) };

    return terms[world_draw(w, 0, sizeof terms / sizeof *terms - 1)];
}

static uint64_t lie_time(struct world *w, const struct proc *p)
{
    const uint64_t times[] = { 0, world_clock(p, w->now_us), world_clock(p, w->now_us) + 1000000000,
                               UINT64_MAX, any_number(w) };

    return times[world_draw(w, 0, 4)];
}

static struct knob_set lie_set(struct world *w)
{
    struct knob_set set = { 0 };

    for (int i = 0; i < 3; i++)
        if (world_chance(w, 0.1))
            knob_set_add(&set, (enum knob)world_draw(w, 0, KNOB_COUNT - 1),
                         (double)any_number(w) * (world_chance(w, 0.1) ? -1 : 1));
    for (int i = 0; i < WORLD_KNOBS; i++)
        if (world_chance(w, 0.4))
            knob_set_add(&set, world_bound[i].knob,
                         (double)world_draw(w, 1, (uint64_t)world_bound[i].max * 2));
    return set;
}

static struct msg_sample lie_sample(struct world *w)
{
    struct msg_sample s = { .interval_us = any_number(w), .rate_bps = any_number(w),
                            .paused = rng_real(&w->rng),
                            .metric = world_chance(w, 0.2) ? NAN : rng_real(&w->rng) };

#define AGENT(name, ...) s.name = any_number(w);
#include "core/figures.def"
    return s;
}

/* ---- an agent ---- */

/* Names its own first device, an invented one, or another agent's. */
static void lie_name(struct world *w, const struct proc *p, struct msg *m)
{
    uint32_t own = p->index;

    if (lies(p, LIE_NAMES) && world_chance(w, 0.4))
        snprintf(m->name, sizeof m->name, "%s", w->agent_cfg[world_draw(w, 0, w->agents - 1)].name);
    else
        snprintf(m->name, sizeof m->name, "mallory%u/nic%u", own,
                 lies(p, LIE_NAMES) ? (unsigned)world_draw(w, 0, 400) : 0);
}

static void lie_hello(struct world *w, const struct proc *p, struct msg *m)
{
    m->version = MSG_VERSION;
    m->interval_us = lies(p, LIE_NUMBERS) ? any_number(w) : 100000;
    m->where = world_chance(w, 0.8) ? KNOB_NIC : KNOB_SWITCH;
    m->gap_us = lies(p, LIE_GAPS) ? UINT64_MAX >> world_draw(w, 0, 20) : 200000;
    m->may_write = lies(p, LIE_GAPS | LIE_ANSWERS);
    m->set = m->confirmed = m->baseline = lie_set(w);
    lie_name(w, p, m);
}

/* LEARN is left out: its records do not travel on this wire, and without them it has no effect. */
static struct msg make_lie(struct world *w, const struct proc *p)
{
    double     pick = rng_real(&w->rng);
    struct msg m = { .kind = pick < 0.35 ? MSG_HELLO : pick < 0.75 ? MSG_REPORT : pick < 0.95 ? MSG_ANSWER :
                             (enum msg_kind)world_draw(w, MSG_NONE, MSG_LEARN - 1) };

    m.incarnation = w->is_calm || world_chance(w, 0.8)
                        ? p->incarnation
                        : w->proc[world_draw(w, 0, w->agents - 1)].agent.incarnation;
    m.term = lies(p, LIE_TERMS) ? lie_term(w, p) : p->heard_term;
    m.stamp_us = lies(p, LIE_NUMBERS) ? lie_time(w, p) : world_clock(p, w->now_us);
    m.sample = (struct msg_sample){ .interval_us = 100000, .metric = 0.5 };
    if (lies(p, LIE_NUMBERS))
        m.sample = lie_sample(w);
    if (m.kind == MSG_HELLO)
        lie_hello(w, p, &m);
    if (lies(p, LIE_ANSWERS)) {
        m.phase = (enum msg_phase)world_draw(w, 0, PHASE_KINDS - 1);
        m.answer = (enum msg_answer)world_draw(w, 0, ANSWER_KINDS - 1);
        m.change = world_chance(w, 0.7) ? p->heard_change : any_number(w);
        m.is_frozen = world_chance(w, 0.1);
        m.is_broken = world_chance(w, 0.1);
        m.set = lie_set(w);
    }
    if (lies(p, LIE_BREACH) && world_chance(w, 0.2))
        snprintf(m.why, sizeof m.why, "guardrail: a lie");
    return m;
}

/* Encodes and decodes the message. Returns false if it is unreadable. */
static bool pass_codec(struct world *w, bool is_garbled, struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    size_t               length = codec_write(m, bytes);

    for (int i = 0; is_garbled && i < 3 && length; i++)
        bytes[world_draw(w, 0, length - 1)] ^= (unsigned char)(1u << world_draw(w, 0, 7));
    if (is_garbled && world_chance(w, 0.3))
        length = world_draw(w, 0, length);
    return codec_read(m, bytes, length) == 0;
}

static void send_lie(struct world *w, struct proc *p, struct msg *m, liar_pass *pass)
{
    bool is_garbled = lies(p, LIE_BYTES) && world_chance(w, 0.3);

    w->result->lies++;
    if (!pass_codec(w, is_garbled, m))
        w->result->unreadable++;
    else
        pass(w, (uint32_t)(p - w->proc),
             w->agents + (uint32_t)world_draw(w, 0, w->controllers + w->relays - 1), m);
}

void liar_on_tick(struct world *w, struct proc *p, liar_pass *pass)
{
    uint64_t count = lies(p, LIE_FLOOD) && world_chance(w, 0.2) ? 20 : world_draw(w, 0, 2);
    struct msg m;

    while (count--) {
        m = make_lie(w, p);
        send_lie(w, p, &m, pass);
    }
    /* Calm histories: keep reporting, because a silent host would hold up trials. */
    for (uint32_t i = 0; i < w->controllers && w->is_calm; i++)
        pass(w, (uint32_t)(p - w->proc), w->agents + i,
             &(struct msg){ .kind = MSG_REPORT, .incarnation = p->incarnation,
                            .stamp_us = world_clock(p, w->now_us),
                            .sample = { .interval_us = 100000, .metric = 0.5 } });
}

void liar_on_msg(struct world *w, struct proc *p, const struct msg *m)
{
    (void)w;
    p->heard_term = m->term > p->heard_term ? m->term : p->heard_term;
    p->heard_change = m->change ? m->change : p->heard_change;
}

/* ---- a relay ---- */

static void lie_row(struct world *w, struct rack_row *r)
{
    if (world_chance(w, 0.3))
        r->slot = (uint32_t)any_number(w);
    if (world_chance(w, 0.3))
        r->stamp_us = any_number(w);
    if (world_chance(w, 0.3))
        r->sample = lie_sample(w);
}

/* Adds a message that claims to come from an agent behind the relay. */
static void add_item(struct world *w, struct proc *p, struct rack *r)
{
    struct msg m = make_lie(w, p);

    m.change = world_chance(w, 0.7) ? p->heard_change : any_number(w);
    if (m.kind == MSG_HELLO && world_chance(w, 0.5))
        snprintf(m.name, sizeof m.name, "%s", w->agent_cfg[world_draw(w, 0, w->agents - 1)].name);
    rack_add(r, (uint32_t)world_draw(w, 1, 12), &m);
}

bool liar_rack(struct world *w, struct proc *p, struct rack *r)
{
    unsigned char *bytes;
    size_t         length;
    uint64_t       items = world_chance(w, 0.02) ? 1100 : world_draw(w, 0, 4);
    bool           is_read;

    if (world_chance(w, 0.5))
        return true;
    w->result->lies++;
    if (world_chance(w, 0.2))
        r->number = any_number(w);
    if (world_chance(w, 0.2))
        r->term = lie_term(w, p);
    if (world_chance(w, 0.05))
        r->life = any_number(w) / WORLD_RELAYS_MAX * WORLD_RELAYS_MAX + p->index;
    for (uint32_t i = 0; i < r->rows; i++)
        lie_row(w, &r->row[i]);
    while (items--)
        add_item(w, p, r);
    length = rack_codec_write(r, &bytes);
    if (world_chance(w, 0.2))
        bytes[world_draw(w, 0, length - 1)] ^= (unsigned char)(1u << world_draw(w, 0, 7));
    is_read = rack_codec_is(bytes, length) && rack_codec_read(r, bytes, length) == 0;
    free(bytes);
    /* mux_down() distinguishes relays by this. */
    r->life = r->life / WORLD_RELAYS_MAX * WORLD_RELAYS_MAX + p->index;
    w->result->unreadable += !is_read;
    return is_read;
}

void liar_order(struct world *w, struct proc *p, struct msg *m)
{
    static const enum msg_kind kinds[] = { MSG_LEASE, MSG_LEASE, MSG_PREPARE, MSG_PREPARE, MSG_COMMIT,
                                           MSG_COMMIT, MSG_CONFIRM, MSG_REVERT,
                                           MSG_FREEZE, MSG_THAW, MSG_WHO };
    struct msg                 lie = *m;

    p->heard_term = m->term > p->heard_term ? m->term : p->heard_term;
    if (world_chance(w, 0.7))
        return;
    w->result->lies++;
    lie.kind = kinds[world_draw(w, 0, sizeof kinds / sizeof *kinds - 1)];
    lie.term = world_chance(w, 0.7)    ? p->heard_term
               : world_chance(w, 0.05) ? lie_term(w, p)
                                       : p->heard_term + 1;
    if (lie.kind == MSG_PREPARE)
        p->heard_change++;
    lie.change = world_chance(w, 0.9) ? p->heard_change : any_number(w);
    lie.at_us = world_chance(w, 0.7) ? 0 : any_number(w);
    lie.set = lie_set(w);
    if (world_chance(w, 0.2))
        lie.stamp_us = any_number(w);
    if (pass_codec(w, false, &lie))
        *m = lie;
    else
        w->result->unreadable++;
}
