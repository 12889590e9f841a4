/* src/lb/lb.h - how switches choose among equal paths.
 *
 * A balancer is one file in this folder: it fills a struct lb_algo and stands in lb_all[] (lb.c). It sees a
 * packet, its own state and what a switch knows of its own ports, never the network.
 *
 * Acknowledgements, CNPs and other control packets keep to ECMP, whatever the balancer; it decides on data.
 *
 * Who is asked depends on the scope. LB_HOP: every switch that has a choice, for one of its ways. LB_PATH: the
 * first switch alone, for the whole path, a number below 'choices'; the switches behind it follow that number,
 * digit by digit: each goes the way path % ways and leaves path / ways to the next. Where links differ in
 * capacity, a way stands in the list of ways as often as its share of the capacity is worth.
 */
#ifndef LB_LB_H
#define LB_LB_H

#include "base/crand.h"
#include "base/rng.h"
#include "core/knobs.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What balancers write on a packet; it travels with it. Zero when a packet enters the network, if the balancer
 * has the hooks to read it. */
struct lb_tag {
    uint16_t path;               /* LB_PATH: the digits of the switches ahead; kept by the switches */
    uint16_t name;               /* the rest is the balancer's own: which path this is, */
    uint8_t  congestion;         /* the worst it has met, */
    uint8_t  told_congestion;    /* and what it carries back: the state of */
    uint16_t told_name;          /* a path in the other direction */
};

_Static_assert(sizeof(struct lb_tag) == 8, "one word per packet");

struct lb_switch {               /* a switch, for its balancer */
    uint32_t    ports;
    uint32_t    racks;           /* switches with hosts in the network: 'from' and 'to' are below it */
    bool        has_hosts;

    /* Known once packets come; not yet to state_bytes() and init(). */
    uint32_t    first_port;      /* counted over the whole network; its others follow */
    uint32_t    salt;            /* differs from switch to switch, and by the balancer's seed */
    struct rng *rng;             /* its own: see lb_below() */
    struct crand *crand;         /* instead, where paths must be those of a fork; or NULL */
    bool        is_fork;         /* flows are told apart as that fork does it */
    const char *queue_bytes;     /* of port 0, class 0; those of others are so many bytes apart: */
    const char *rate_bps;
    uint32_t    port_stride, class_stride;   /* see lb_queue_bytes() */
};

struct lb_packet {               /* data, where there is a choice */
    uint32_t src, dst;           /* hosts */
    uint32_t ports;              /* source port | destination port << 16 */
    uint32_t bytes;              /* of the frame */
    uint32_t to;                 /* last switch on its way, counted among those with hosts */
    uint32_t choices;            /* LB_PATH: whole paths from here to it, at most 65536; LB_HOP: ways */
    uint32_t ways;               /* to choose from, > 0 */
    const uint32_t *way;         /* their ports, counted over the whole network; some more than once: see above */
    uint32_t prio;
    struct lb_tag *tag;

    /* Said by pick(), for the account. */
    bool     is_flowlet;         /* the flow paused long enough: a new flowlet begins */
    bool     is_reroute;         /* and goes another way than the last */
};

enum lb_scope { LB_HOP, LB_PATH };

/* Hooks are given the balancer's configuration, the state of the switch and the switch. */
struct lb_algo {
    const char *name, *about;

    size_t cfg_size;
    void (*configure)(void *cfg, const struct knobs *);      /* NULL: nothing to configure */
    enum lb_scope (*scope)(const void *cfg);                 /* NULL: LB_HOP */

    /* Bytes of zeroed state of a switch; NULL: none. Called once, at the start; then, unless NULL, init(). */
    size_t (*state_bytes)(const void *cfg, const struct lb_switch *);
    void (*init)(const void *cfg, void *state, const struct lb_switch *);

    bool is_woven;               /* ConWeave, which does more than that: see conweave.h. It has none of the hooks below */

    /* A data packet: returns the path or the index of a way, by the scope; below 'choices'. */
    uint32_t (*pick)(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *, struct lb_packet *);

    /* All NULL, or none: what else the balancer wants to see of packets that leave their rack:
     * at the first switch one in eight of those that are no data, for switch 'to'; */
    void (*enter)(const void *cfg, void *state, uint32_t to, struct lb_tag *);
    /* at switches between the first and the last data, 'bytes' of it about to leave by 'port'; */
    void (*forward)(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *, uint32_t port,
                    uint32_t bytes, struct lb_tag *);
    /* at the last switch data, and others that have told_name set, from switch 'from'. */
    void (*leave)(const void *cfg, void *state, uint64_t now_ps, uint32_t from, bool is_data, const struct lb_tag *);
    /* May be NULL alone: data that stays in its rack. */
    void (*stay)(void *state, uint64_t now_ps);
};

extern const struct lb_algo *const lb_all[];     /* NULL-terminated */

/* Returns the balancer called 'name', or NULL. */
const struct lb_algo *lb_find(const char *name);

/* A random number below n, which is not 0. */
static inline uint32_t lb_below(const struct lb_switch *sw, uint32_t n)
{
    assert(n > 0);
    return sw->crand ? crand_next(sw->crand) % n : (uint32_t)rng_below(sw->rng, n);
}

/* What waits at 'port' in class 'prio', the packet that is being sent excepted. */
static inline uint32_t lb_queue_bytes(const struct lb_switch *sw, uint32_t port, uint32_t prio)
{
    return *(const uint32_t *)(const void *)(sw->queue_bytes + (size_t)port * sw->port_stride +
                                             (size_t)prio * sw->class_stride);
}

static inline uint64_t lb_rate_bps(const struct lb_switch *sw, uint32_t port)
{
    return *(const uint64_t *)(const void *)(sw->rate_bps + (size_t)port * sw->port_stride);
}

#endif
