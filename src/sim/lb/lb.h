/* src/sim/lb/lb.h - load balancers: how switches choose among equal paths.
 *
 * A balancer is one file in this folder. It fills in a struct lb_algo and is listed in lb_all[] (lb.c). It
 * sees a packet, its own state and the ports of its switch, never the whole network. Balancers decide on data
 * packets only. ACKs, CNPs and other control packets always use ECMP.
 *
 * The scope determines which switches call pick(). LB_HOP: every switch with a choice picks one of its next
 * hops ('ways'). LB_PATH: the first switch picks the whole path, a number below 'choices'. Later switches
 * decode it digit by digit: each takes next hop path % ways and passes path / ways on. If links differ in
 * capacity, a next hop is repeated in the list in proportion to its share.
 */
#ifndef SIM_LB_LB_H
#define SIM_LB_LB_H

#include "base/rng.h"
#include "core/knobs.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data that balancers attach to a packet; zeroed when it enters the network if hooks read it. */
struct lb_tag {
    uint16_t path;               /* LB_PATH: digits for the switches ahead; maintained by the switches */
    uint16_t name;               /* the rest belongs to the balancer: name of the path, */
    uint8_t  congestion;         /* its highest congestion so far, */
    uint8_t  feedback_congestion; /* and feedback: the congestion of */
    uint16_t feedback_name;      /* a path in the opposite direction */
};

_Static_assert(sizeof(struct lb_tag) == 8, "one word per packet");

struct lb_switch {               /* a switch, as seen by its balancer */
    uint32_t    ports;
    uint32_t    racks;           /* switches with hosts in the network; 'from' and 'to' are below this */
    bool        has_hosts;

    /* Set before the first packet, but after state_bytes() and init(). */
    uint32_t    first_port;      /* global port number; its other ports follow */
    uint32_t    salt;            /* differs by switch and by the balancer's seed */
    struct rng *rng;             /* of this switch; see lb_below() */
    struct crand *crand;         /* used instead if paths must match a fork; or NULL */
    const char *queue_bytes;     /* of port 0, class 0. Others are at multiples of these strides: */
    const char *rate_bps;
    uint32_t    port_stride, class_stride;   /* see lb_queue_bytes() */
};

struct lb_packet {               /* a data packet with more than one path */
    uint32_t src, dst;           /* hosts */
    uint32_t ports;              /* source port | destination port << 16 */
    uint32_t bytes;              /* frame size */
    uint32_t to;                 /* last switch on its path, numbered among those with hosts */
    uint32_t choices;            /* LB_PATH: number of paths to it, at most 65536; LB_HOP: = ways */
    uint32_t ways;               /* number of next hops, > 0 */
    const uint32_t *way;         /* their ports, global numbers; with repetitions, see above */
    uint32_t prio;
    struct lb_tag *tag;

    /* Set by pick(), for statistics. */
    bool     is_flowlet;         /* starts a new flowlet after a gap */
    bool     is_reroute;         /* and on another path than the last one */
};

enum lb_scope { LB_HOP, LB_PATH };

/* Hooks receive the balancer's configuration, the state of the switch, and the switch. */
struct lb_algo {
    const char *name, *about;

    size_t cfg_size;
    void (*configure)(void *cfg, const struct knobs *);      /* NULL: no configuration */
    enum lb_scope (*scope)(const void *cfg);                 /* NULL: LB_HOP */

    /* Size of a switch's state, which is zeroed; NULL: none. Called once, then init() unless NULL. */
    size_t (*state_bytes)(const void *cfg, const struct lb_switch *);
    void (*init)(const void *cfg, void *state, const struct lb_switch *);

    bool is_woven;               /* ConWeave: uses none of the hooks below, see conweave.h */
    uint8_t entropy; /* senders choose the path of each packet: enum entropy_kind + 1. The switches
                                  * hash, as with ECMP, and call none of the hooks. 0: they do not */

    /* Handles a data packet. Returns a path or the index of a next hop, by scope; below 'choices'. */
    uint32_t (*pick)(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *,
                     struct lb_packet *);

    /* Hooks for packets that leave their rack; all NULL or none. At the first switch: one in eight non-data
     * packets to switch 'to'. Optional even if the others are set. */
    void (*enter)(const void *cfg, void *state, uint32_t to, struct lb_tag *);
    /* At switches between the first and the last: data of 'bytes' about to leave through 'port'. */
    void (*forward)(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *, uint32_t port,
                    uint32_t bytes, struct lb_tag *);
    /* At the last switch: data, and other packets with feedback_name set, from switch 'from'. */
    void (*leave)(const void *cfg, void *state, uint64_t now_ps, uint32_t from, bool is_data,
                  const struct lb_tag *);
    /* Optional even if the others are set: data that stays within its rack. */
    void (*stay)(void *state, uint64_t now_ps);
};

extern const struct lb_algo *const lb_all[];     /* NULL-terminated */

/* Returns the balancer called 'name', or NULL. */
const struct lb_algo *lb_find(const char *name);

/* Returns a random number below n, which must not be 0. */
static inline uint32_t lb_below(const struct lb_switch *sw, uint32_t n)
{
    assert(n > 0);
    return sw->crand ? crand_next(sw->crand) % n : (uint32_t)rng_below(sw->rng, n);
}

/* Bytes queued at 'port' in class 'prio', without the packet in transmission. */
static inline uint32_t lb_queue_bytes(const struct lb_switch *sw, uint32_t port, uint32_t prio)
{
    return *(const uint32_t *)(const void *)(sw->queue_bytes + (size_t)port * sw->port_stride +
                                             (size_t)prio * sw->class_stride);
}

static inline uint64_t lb_rate_bps(const struct lb_switch *sw, uint32_t port)
{
    return *(const uint64_t *)(const void *)(sw->rate_bps + (size_t)port * sw->port_stride);
}

/* ---- the hash function of ECMP ----
 *
 * MurmurHash3 (32 bit) of three words, with a salt per switch. The HPCC ns-3 fork does the same, so in model
 * hpcc every flow takes the same path as there. It is inline because every packet needs it unless another
 * balancer is used. */

extern const struct lb_algo lb_ecmp;

static inline uint32_t ecmp_rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static inline uint32_t ecmp_mix(uint32_t hash, uint32_t word)
{
    return ecmp_rotate(hash ^ ecmp_rotate(word * 0xcc9e2d51u, 15) * 0x1b873593u, 13) * 5 + 0xe6546b64u;
}

static inline uint32_t ecmp_hash(uint32_t salt, uint32_t src_ip, uint32_t dst_ip, uint32_t ports)
{
    uint32_t hash = ecmp_mix(ecmp_mix(ecmp_mix(salt, src_ip), dst_ip), ports) ^ 12;

    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

#endif
