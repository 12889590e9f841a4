#include "sim/link/port.h"
#include "sim/sim.h"

bool port_is_hit(const struct port *p, uint32_t bytes)
{
    double survives = (1 - p->loss) * rng_pow(1 - p->ber, 8ull * bytes);

    return rng_real(&p->node->rng) >= survives;
}

static void restart(struct sim *s, struct port *p, uint32_t prio)
{
    uint8_t was = p->paused;

    p->paused &= (uint8_t)~(1u << prio);
    if (was && !p->paused)
        p->counters.paused_ps += s->now_ps - p->paused_since_ps;
}

/* The end of a pause counts from the last frame that asked for it. */
static __attribute__((noinline, cold)) void move_expiry(struct sim *s, struct port *p, uint32_t prio, bool is_pause)
{
    uint32_t slot = sim_slot_expiry(s, p, prio);
    uint64_t at = s->now_ps + s->cfg.pause_ps;

    if (evq_is_pending(&s->evq, slot))
        evq_cancel(&s->evq, slot);
    if (is_pause)
        evq_add(&s->evq, slot, at, sim_order(s, p->node, at));
}

void port_on_expiry(struct sim *s, struct port *p, uint32_t prio)
{
    restart(s, p, prio);
}

void port_on_pfc(struct sim *s, struct port *p, uint32_t prio, bool is_pause)
{
    uint8_t was = p->paused, bit = (uint8_t)(1u << prio);

    if (is_pause) {
        p->counters.pauses++;
        s->counters.pauses++;
        p->paused |= bit;
        if (!was)
            p->paused_since_ps = s->now_ps;
    } else {
        s->counters.resumes++;
        restart(s, p, prio);
    }
    if (s->cfg.pause_ps)
        move_expiry(s, p, prio, is_pause);
    if (s->hooks.pfc) {
        struct pfc_result r = { .at_ps = s->now_ps, .node = p->node->id, .port = p->index, .prio = (uint8_t)prio,
                                .is_switch = p->is_switch, .is_pause = is_pause };

        s->hooks.pfc(s->hooks.arg, &r);
    }
}

uint64_t port_paused_ps(const struct port *p, uint64_t now_ps)
{
    /* A run may be told to end before what was under way then has arrived. */
    return p->counters.paused_ps + (p->paused && now_ps > p->paused_since_ps ? now_ps - p->paused_since_ps : 0);
}
