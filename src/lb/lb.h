/* src/lb/lb.h - how switches choose among equal paths.
 *
 * A balancer is one file in this folder: it fills a struct lb_algo and stands in lb_all[] (lb.c). It sees a
 * packet, its own state and what a switch knows of its own ports, never the network.
 *
 * Acknowledgements, CNPs and other control packets keep to ECMP, whatever the balancer; it decides on data.
 *
 * Who is asked depends on the scope. LB_HOP: every switch that has a choice, for one of its ways. LB_PATH: the
 * first switch alone, for the whole path, a number below 'paths'; the switches behind it follow that number,
 * digit by digit: each goes the way path % ways and leaves path / ways to the next. Where links differ in
 * capacity, a way stands in the list of ways as often as its share of the capacity is worth.
 */
#ifndef LB_LB_H
#define LB_LB_H

#include "base/rng.h"
#include "core/knobs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What balancers write on a packet; it travels with it. Zero when a packet enters the network. */
struct lb_tag {
    uint16_t path;               /* LB_PATH: the digits of the switches ahead; kept by the switches */
    uint16_t name;               /* the rest is the balancer's own: which path this is, */
    uint8_t  congestion;         /* the worst it has met, */
    uint8_t  told_congestion;    /* and what it carries back: the state of */
    uint16_t told_name;          /* a path in the other direction */
};

_Static_assert(sizeof(struct lb_tag) == 8, "one word per packet");

struct lb_packet {
    uint32_t src_ip, dst_ip;
    uint32_t ports;              /* source port | destination port << 16 */
    uint32_t bytes;              /* of the frame */
    uint32_t salt;               /* differs from switch to switch, and by the balancer's seed */
    uint32_t paths;              /* whole paths from here to the last switch, at most 65536 */
    uint32_t ways;               /* to choose from, > 0 */
    const uint32_t *way;         /* their ports, counted over the whole network; some more than once: see above */
    uint32_t first_port;         /* of this switch; its others follow */
    uint32_t from, to;           /* first and last switch on the packet's way, counted among those with hosts */
    bool     is_data;
    bool     is_first, is_last;  /* this is the first, the last switch */
    const char    *queue_bytes, *rate_bps;   /* of port 0; those of others are port_stride bytes apart: */
    size_t         port_stride;              /* see lb_queue_bytes() */
    struct lb_tag *tag;
    struct rng    *rng;          /* of this switch */

    /* Said by pick(), for the account. */
    bool     is_flowlet;         /* the flow paused long enough: a new flowlet begins */
    bool     is_reroute;         /* and goes another way than the last */
};

struct lb_switch {               /* what a balancer's state may be sized by */
    uint32_t ports;
    uint32_t racks;              /* switches with hosts in the network: 'from' and 'to' are below it */
    bool     has_hosts;
};

enum lb_scope { LB_HOP, LB_PATH };

struct lb_algo {
    const char *name, *about;

    size_t cfg_size;
    void (*configure)(void *cfg, const struct knobs *);      /* NULL: nothing to configure */
    enum lb_scope (*scope)(const void *cfg);                 /* NULL: LB_HOP */

    /* Bytes of zeroed state of a switch; NULL: none. Called once, at the start. */
    size_t (*state_bytes)(const void *cfg, const struct lb_switch *);

    /* A data packet: returns the path (< paths) or the index of a way (< ways), by the scope. */
    uint32_t (*pick)(const void *cfg, void *state, uint64_t now_ps, struct lb_packet *);

    /* NULL, or: every packet at every switch, once its way is known (way[0], ways 1), those to a host of the
     * same switch excepted. 'is_last' packets leave to their host. */
    void (*pass)(const void *cfg, void *state, uint64_t now_ps, struct lb_packet *);
};

extern const struct lb_algo *const lb_all[];     /* NULL-terminated */

/* Returns the balancer called 'name', or NULL. */
const struct lb_algo *lb_find(const char *name);

/* What waits at 'port' in the packet's class, the packet that is being sent excepted. */
static inline uint32_t lb_queue_bytes(const struct lb_packet *p, uint32_t port)
{
    return *(const uint32_t *)(const void *)(p->queue_bytes + (size_t)port * p->port_stride);
}

static inline uint64_t lb_rate_bps(const struct lb_packet *p, uint32_t port)
{
    return *(const uint64_t *)(const void *)(p->rate_bps + (size_t)port * p->port_stride);
}

#endif
