/* src/sim/lb/adaptive.c - adaptive routing, as in the switches of large vendors.
 *
 * Every switch compares all next hops and sends a packet to the shortest queue; ties go round robin. The NIC
 * reorders packets (host: {retransmit: selective}). With the knob adaptive_flowlet, a flow changes its path
 * only after a gap of flowlet_timeout.
 *
 * Queue lengths are divided by the port's speed, then rounded down to steps of a few packets (adaptive_step),
 * because chips compare coarse levels, not bytes.
 */
#include "sim/lb/flowlet.h"
#include "sim/lb/lb.h"

struct adaptive_cfg {
    struct flowlet_cfg flowlet;
    uint32_t           step_bytes;
    bool               is_by_flowlet;
};

struct adaptive {
    uint32_t       turn;         /* the next hop after the last choice */
    struct flowlet flowlet[];
};

static void adaptive_configure(void *cfg, const struct knobs *k)
{
    struct adaptive_cfg *c = cfg;

    flowlet_configure(&c->flowlet, k);
    c->step_bytes = (uint32_t)knob_whole(k->value[KNOB_adaptive_step], 1000);
    c->is_by_flowlet = k->value[KNOB_adaptive_flowlet] != 0;
}

static size_t adaptive_state_bytes(const void *cfg, const struct lb_switch *sw)
{
    const struct adaptive_cfg *c = cfg;

    (void)sw;
    return sizeof(struct adaptive) + c->flowlet.entries_max * sizeof(struct flowlet);
}

/* Drain time of a queue, in steps at 100 Gb/s. */
static uint64_t queue_level(const struct adaptive_cfg *c, const struct lb_switch *sw, uint32_t port,
                            uint32_t prio)
{
    uint64_t bytes = (uint64_t)lb_queue_bytes(sw, port, prio) * 100000000000ull / lb_rate_bps(sw, port);

    return c->step_bytes ? bytes / c->step_bytes : bytes;
}

static uint32_t find_shortest_queue(const struct adaptive_cfg *c, struct adaptive *a,
                                    const struct lb_switch *sw, const struct lb_packet *p)
{
    uint32_t from = a->turn % p->ways, best = from;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < p->ways && least > 0; i++) {
        uint32_t way = from + i < p->ways ? from + i : from + i - p->ways;
        uint64_t level = queue_level(c, sw, p->way[way], p->prio);

        if (level < least) {
            least = level;
            best = way;
        }
    }
    a->turn = best + 1;
    return best;
}

static uint32_t adaptive_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                              struct lb_packet *p)
{
    const struct adaptive_cfg *c = cfg;
    struct adaptive           *a = state;

    if (!c->is_by_flowlet)
        return find_shortest_queue(c, a, sw, p);
    struct flowlet *f = flowlet_find(&c->flowlet, a->flowlet, sw->salt, p);
    enum flowlet_state is = flowlet_touch(&c->flowlet, f, now_ps);
    uint32_t last = f->choice;
    if (is == FLOWLET_CONTINUES)
        return last % p->ways;
    f->choice = find_shortest_queue(c, a, sw, p);
    p->is_flowlet = is == FLOWLET_NEW;
    p->is_reroute = is == FLOWLET_NEW && f->choice != last;
    return f->choice;
}

extern const struct lb_algo lb_adaptive;
const struct lb_algo lb_adaptive = {
    .name = "adaptive",
    .about = "each packet or flowlet takes the shortest queue, at every switch: knobs adaptive_flowlet, "
             "adaptive_step",
    .cfg_size = sizeof(struct adaptive_cfg),
    .configure = adaptive_configure,
    .state_bytes = adaptive_state_bytes,
    .pick = adaptive_pick,
};
