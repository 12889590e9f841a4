#include "sim/forks/conweave_buffer.h"

#define DEFAULT_HEADROOM_BYTES (12500 + 2 * CONWEAVE_PACKET_BYTES)   /* of a port without configuration */
#define RESUME_BYTES 16          /* resume when this much more is left than at the pause */
#define PASS_SHIFT   12 /* packets bypass accounting while 2^12 bytes, more than their size, are left */

uint32_t conweave_headroom_bytes(const struct port *p)
{
    return (uint32_t)(p->rate_bps * (p->delay_ps / PS_PER_NS) / 8 / 1000000000 * 2) +
           2 * CONWEAVE_PACKET_BYTES;
}

/* Returns the bytes that queues share: all but the reserve of each class. */
static int64_t egress_bytes(const struct sim *s, const struct node *n)
{
    return (int64_t)s->cfg.buffer_bytes - (int64_t)n->ports * PRIOS * CONWEAVE_PACKET_BYTES;
}

/* The fork numbers ports from 1 but sums headrooms from 0: it omits the last port and counts one without
 * configuration instead. */
static void init(struct sim *s, struct node *n)
{
    int64_t headrooms_bytes = DEFAULT_HEADROOM_BYTES;

    for (uint32_t i = 0; i < n->ports; i++) {
        struct port *p = &s->net.port[n->first_port + i];

        p->shift = PASS_SHIFT;
        p->headroom_bytes_max = s->cfg.headroom_bytes ? (uint32_t)s->cfg.headroom_bytes :
                                                        conweave_headroom_bytes(p);
        headrooms_bytes += i + 1 < n->ports ? p->headroom_bytes_max : 0;
    }
    n->shared_bytes_max = egress_bytes(s, n) - headrooms_bytes;
    n->shared_bytes_left = n->shared_bytes_max;
    s->net.conweave[n->id].egress_bytes_left = egress_bytes(s, n);
}

/* Returns the bytes of a queue beyond its free ones. */
static uint32_t shared_bytes(uint32_t queue_bytes)
{
    return queue_bytes > CONWEAVE_QUEUE_BYTES ? queue_bytes - CONWEAVE_QUEUE_BYTES : 0;
}

static bool fits_egress(const struct sim *s, const struct port *out, const struct packet *k)
{
    return (int64_t)shared_bytes(out->queue[k->prio].bytes) + k->bytes <=
           s->net.conweave[out->node->id].egress_bytes_left;
}

static bool fits_ingress(const struct sim *s, const struct node *n, const struct port *in,
                         const struct packet *k)
{
    const struct ingress *class = &in->in[k->prio];

    if ((uint64_t)n->used_bytes + k->bytes > s->cfg.buffer_bytes)
        return false;
    return class->bytes + k->bytes <= CONWEAVE_PACKET_BYTES || n->shared_bytes_left >= 0 ||
           class->headroom_bytes + k->bytes <= in->headroom_bytes_max;
}

/* Returns the bytes beyond the reserve, divided by alpha, to compare with the bytes left. */
static int64_t weighed_bytes(const struct sim *s, const struct ingress *class)
{
    return ((int64_t)class->bytes - s->cfg.reserve_bytes) * (1 << s->cfg.pfc_shift);
}

static uint8_t pause_full_classes(struct sim *s, const struct node *n, struct port *in, bool has_headroom)
{
    uint8_t paused = 0;

    for (uint32_t held = in->held; held; held &= held - 1) {
        uint32_t              prio = (uint32_t)__builtin_ctz(held);
        const struct ingress *class = &in->in[prio];

        if (class->bytes <= s->cfg.reserve_bytes ||
            (weighed_bytes(s, class) <= n->shared_bytes_left && !has_headroom))
            continue;
        paused |= (uint8_t)(1u << prio);
        s->net.pausing_until_ps[in->id * PRIOS + prio] = s->engine.now_ps + s->cfg.pause_ps;
    }
    in->pausing |= paused;
    return paused;
}

/* Returns true to resume the sender of a paused class. */
static bool may_resume(struct sim *s, const struct node *n, struct port *in, uint32_t prio)
{
    const struct ingress *class = &in->in[prio];
    bool is_over = s->cfg.pause_ps && s->engine.now_ps >= s->net.pausing_until_ps[in->id * PRIOS + prio];
    bool has_room = weighed_bytes(s, class) < n->shared_bytes_left - RESUME_BYTES && !class->headroom_bytes;

    if (is_over || has_room)
        in->pausing &= (uint8_t)~(1u << prio);
    return has_room && !is_over;         /* a pause that has expired needs no frame */
}

static bool admit(struct sim *s, struct port *in, const struct port *out, struct packet *k,
                  struct account_pfc *pfc)
{
    struct node    *n = in->node;
    struct ingress *class = &in->in[k->prio];
    uint32_t        queue_bytes = out->queue[k->prio].bytes;

    *pfc = (struct account_pfc){ 0 };
    if (!fits_egress(s, out, k) || !fits_ingress(s, n, in, k))
        return false;
    k->in_port = BOOKED_APART | in->id;
    in->held |= (uint8_t)(1u << k->prio);
    n->used_bytes += k->bytes;
    n->shared_bytes_left -= k->bytes;
    class->bytes += k->bytes;
    if (n->shared_bytes_left < 0)
        class->headroom_bytes += k->bytes;
    s->net.conweave[n->id].egress_bytes_left -=
        shared_bytes(queue_bytes + k->bytes) - shared_bytes(queue_bytes);
    if (s->cfg.is_lossless)
        pfc->pause = pause_full_classes(s, n, in, class->headroom_bytes > 0);
    for (uint32_t pausing = in->pausing; pausing; pausing &= pausing - 1)
        if (may_resume(s, n, in, (uint32_t)__builtin_ctz(pausing)))
            pfc->resume |= (uint8_t)(pausing & -pausing);
    return true;
}

static struct port *release(struct sim *s, const struct port *out, const struct packet *k)
{
    struct port    *in = &s->net.port[k->in_port & ~BOOKED_APART];
    struct node    *n = in->node;
    struct ingress *class = &in->in[k->prio];
    uint32_t        queue_bytes = out->queue[k->prio].bytes;

    n->used_bytes -= k->bytes;
    n->shared_bytes_left += k->bytes;
    class->bytes -= k->bytes;
    class->headroom_bytes -= class->headroom_bytes > k->bytes ? k->bytes : class->headroom_bytes;
    if (!class->bytes)
        in->held &= (uint8_t)~(1u << k->prio);
    s->net.conweave[n->id].egress_bytes_left +=
        shared_bytes(queue_bytes + k->bytes) - shared_bytes(queue_bytes);
    return in->pausing >> k->prio & 1 && may_resume(s, n, in, k->prio) ? in : NULL;
}

static const char *check(const struct sim *s, const struct node *n)
{
    int64_t came_in = 0, waits = 0;

    for (uint32_t i = 0; i < n->ports; i++) {
        const struct port *p = &s->net.port[n->first_port + i];

        for (uint32_t c = 0; c < PRIOS; c++) {
            came_in += p->in[c].bytes;
            waits += c ? shared_bytes(p->queue[c].bytes) : 0;
            if ((p->held >> c & 1) != (p->in[c].bytes > 0))
                return "a port does not know which classes it holds";
        }
    }
    if (came_in != n->used_bytes || came_in != n->shared_bytes_max - n->shared_bytes_left)
        return "the shared buffer is not the sum over ingress ports";
    if (waits != egress_bytes(s, n) - s->net.conweave[n->id].egress_bytes_left)
        return "the egress account is not the sum over queues";
    return NULL;
}

const struct account conweave_account = { init, admit, release, check };
