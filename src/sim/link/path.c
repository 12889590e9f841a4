#include "sim/link/path.h"

bool path_is_lost(struct engine *e, struct port *p, uint32_t id, const struct packet *k)
{
    if (p->slow_path & SLOW_COUNTED)
        port_count_frame(p, k);
    if (p->slow_path & SLOW_TAPPED)
        e->tap.on_frame(e->tap.arg, e->now_ps + e->skipped_ps, p, k);
    if (p->slow_path & SLOW_INBAND)
        inband_on_frame(e, p, id, k);
    if (k->kind == PACKET_PFC || !p->is_lossy || e->loss_stream || !port_is_hit(p, k->bytes))
        return false;
    e->counters.dropped_wire++;
    engine_drop(e, id);
    return true;
}

bool path_is_corrupt(struct engine *e, const struct port *to, uint32_t id, const struct packet *k)
{
    double loss = to->ber > 0 ? 1 - port_survival(to, k->bytes) : to->loss;

    if (mrg_step(e->loss_stream[to->link]) >= loss)
        return false;
    e->counters.dropped_wire++;
    engine_drop(e, id);
    return true;
}

void path_put_slowly(struct engine *e, struct port *p, uint32_t id, struct packet *k)
{
    path_write(e, p, id, k);
    if ((p->slow_path & PATH_SLOW) == SLOW_BORDER)
        path_put(e, p, id, k, PATH_BORDER);
    else
        path_put(e, p, id, k, PATH_ANY);
}
