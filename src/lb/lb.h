/* src/lb/lb.h - how a switch picks one of several equal paths.
 *
 * A balancer is one file in this folder: it fills a struct lb_algo and stands in lb_all[] (lb.c). It is
 * asked only where there is more than one path, and sees the packet's addresses and its own state, never
 * the network.
 */
#ifndef LB_LB_H
#define LB_LB_H

#include "core/knobs.h"

#include <stddef.h>
#include <stdint.h>

struct lb_packet {
    uint32_t src_ip, dst_ip;
    uint32_t ports;              /* source port | destination port << 16 */
    uint32_t bytes;
    uint32_t count;              /* paths to choose from, > 1 */
};

struct lb_algo {
    /* Returns the index of the chosen path, < packet->count. 'salt' differs from switch to switch. */
    uint32_t (*pick)(const void *cfg, void *state, uint64_t now_ps, uint32_t salt, const struct lb_packet *);
    void (*configure)(void *cfg, const struct knobs *);      /* NULL: nothing to configure */

    const char *name, *about;
    size_t      cfg_size, state_size;        /* state: one per switch */
};

extern const struct lb_algo *const lb_all[];     /* NULL-terminated */

/* Returns the balancer called 'name', or NULL. */
const struct lb_algo *lb_find(const char *name);

#endif
