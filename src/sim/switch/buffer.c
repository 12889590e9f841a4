#include "sim/switch/buffer.h"
#include "sim/state/expect.h"

int64_t buffer_used_bytes(const struct sim *s, const struct node *n)
{
    int64_t used = n->used_bytes;

    if (s->model.account)
        return used;
    for (uint32_t i = 0; i < n->ports; i++)
        for (uint32_t c = s->net.port[n->first_port + i].held; c; c &= c - 1) {
            const struct ingress *in = &s->net.port[n->first_port + i].in[__builtin_ctz(c)];

            used += in->bytes + in->headroom_bytes;
        }
    return used;
}

/* ---- invariants ---- */

struct sums {
    int64_t  used, shared;
    uint64_t came_in;            /* lossy packets are in no port account, but use shared bytes */
};

static void add_queues(const struct sim *s, const struct node *n, const struct port *p, struct sums *sums)
{
    for (uint32_t q = 0; q <= PRIOS; q++) {
        uint32_t bytes = 0;

        for (uint32_t id = p->queue[q].head; id; id = s->engine.packets.packet[id].next) {
            const struct packet *k = &s->engine.packets.packet[id];

            bytes += k->bytes;
            sums->used += k->in_port != UNBOOKED ? k->bytes : 0;
            sums->shared += k->in_port == BOOKED_LOSSY ? k->bytes : 0;
            sums->came_in += k->in_port == BOOKED_LOSSY ? k->bytes : 0;
        }
        expect_of_node(bytes == p->queue[q].bytes, s, n->id, "a queue is not the sum of its packets");
        expect_of_node((bytes > 0) == (p->backlog >> q & 1), s, n->id,
                       "backlog bits do not match the queues");
    }
}

static void add_ingress(const struct sim *s, const struct node *n, const struct port *p, struct sums *sums)
{
    for (uint32_t c = 0; c < PRIOS; c++) {
        uint32_t bytes = p->in[c].bytes + p->in[c].headroom_bytes;

        sums->shared += buffer_shared_used(s, &p->in[c]);
        sums->came_in += bytes;
        expect_of_node(!s->cfg.is_lossless || (p->held >> c & 1) == (bytes > 0), s, n->id,
                       "a port does not know which classes it holds");
        if (!s->cfg.ack_droppable && s->cfg.ack_unpaused)
            continue;            /* ACKs that cannot be paused may overrun the headroom */
        expect_of_node(p->in[c].headroom_bytes <= p->headroom_bytes_max, s, n->id,
                       "more in the headroom than it holds");
    }
}

void buffer_check(const struct sim *s, const struct node *n)
{
    struct sums sums = { 0 };

    for (uint32_t i = 0; i < n->ports; i++) {
        const struct port *p = &s->net.port[n->first_port + i];

        add_queues(s, n, p, &sums);
        if (!s->model.account)
            add_ingress(s, n, p, &sums);
    }
    expect_of_node(sums.used == buffer_used_bytes(s, n), s, n->id,
                   "the buffer account is not the sum of the queues");
    if (s->model.account) {
        const char *why = s->model.account->check(s, n);

        expect_of_node(!why, s, n->id, why);
    } else if (s->cfg.is_lossless) {
        expect_of_node(sums.shared == n->shared_bytes_max - n->shared_bytes_left, s, n->id,
                       "the shared buffer is not the sum over ingress ports");
        expect_of_node(sums.came_in == (uint64_t)sums.used, s, n->id, "ingress and egress accounts differ");
    }
}
