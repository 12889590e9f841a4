/* src/core/world.h - what does not change about a network: its devices and ports, and what links and switches are like.
 *
 * Whoever looks at a network or sets something in it fills one: the simulator from its graph (run/sim_world.h), a
 * controller from what its agents tell. Reports, scopes and queues refer to devices and ports by their place in it.
 */
#ifndef CORE_WORLD_H
#define CORE_WORLD_H

#include "core/knobs.h"
#include "core/predict.h"
#include "core/queue.h"

#include <stdbool.h>
#include <stdint.h>

#define WORLD_HOSTS 0u           /* tiers: hosts; switches that hosts are at (ToRs); */
#define WORLD_TORS  1u           /* then 2, 3, ...: switches so many links away from the nearest host */

struct world_device {
    char    *name;
    uint32_t tier;
    uint32_t first_port, ports;  /* those of a device follow each other */
};

struct world_port {              /* one end of a link */
    char    *name;               /* within its device */
    uint32_t device;
    uint32_t peer;               /* the port at the other end; WORLD_NONE: not known */
    uint64_t rate_bps;
};

#define WORLD_NONE UINT32_MAX

struct world {
    uint64_t     seed;
    uint64_t     interval_ps;    /* between reports */
    uint64_t     host_bps;       /* of the fastest link of a host */
    uint64_t     base_rtt_ps;    /* the longest, of an empty network */
    uint32_t     mtu_bytes;      /* that a full packet carries; 0: not known */
    uint64_t     pfc_bytes_one;  /* queue that makes a switch pause, if it comes in by one port; 0: no PFC */
    uint64_t     pfc_bytes_two;  /* by two */
    struct knobs start;          /* in force when the tuner begins */
    bool         is_in_use;      /* traffic was there before the tuner: nothing is to be set before something was seen */
    const struct predict_maker *maker;       /* of twins, to try settings on; NULL: there is none */
    void            *maker_arg;
    const enum knob *knobs;      /* those of the congestion control in force, ending with KNOB_COUNT; NULL: DCQCN's and ECN's */

    struct world_device *device;
    struct world_port   *port;
    struct queue_facts  *queue;  /* egress queues of all switches */
    uint32_t             devices, ports, queues;
};

/* Makes room for so many, all of them empty. What is not of arrays is the caller's to set. */
void world_init(struct world *, uint32_t devices, uint32_t ports, uint32_t queues);

/* Frees arrays and names. */
void world_fini(struct world *);

#endif
