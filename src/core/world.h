/* src/core/world.h - the constant properties of a network: devices, ports, links and switches.
 *
 * The simulator fills a world from its graph (study/run/sim_world.h), a controller from the reports of its
 * agents. Reports, scopes and queues refer to devices and ports by their index in it.
 */
#ifndef CORE_WORLD_H
#define CORE_WORLD_H

#include "core/knobs.h"
#include "core/predict.h"
#include "core/queue.h"
#include "core/tuning_goal.h"

#include <stdbool.h>
#include <stdint.h>

#define WORLD_HOSTS 0u           /* tiers: 0 hosts, 1 switches with hosts (ToRs), */
#define WORLD_TORS  1u           /* n switches that are n links away from the nearest host */

struct world_device {
    char    *name;
    uint32_t tier;
    uint32_t first_port, ports;  /* the ports of a device are consecutive */
};

struct world_port {              /* one end of a link */
    char    *name;               /* within its device */
    uint32_t device;
    uint32_t peer;               /* port at the other end; WORLD_NONE: unknown */
    uint64_t rate_bps;
};

#define WORLD_NONE UINT32_MAX

struct world {
    uint64_t     seed;
    uint64_t     interval_ps;    /* between reports */
    uint64_t     host_bps;       /* fastest link of a host */
    uint64_t     base_rtt_ps;    /* longest round trip in the empty network */
    uint32_t     mtu_bytes;      /* payload of a full packet; 0: unknown */
    uint64_t     pfc_bytes_one;  /* queue at which a switch pauses if it is fed by one port; 0: no PFC */
    uint64_t     pfc_bytes_two;  /* the same for two ports */
    struct knobs start;          /* initial setting */
    bool         is_in_use;      /* has traffic: the tuner sets nothing before the first report */
    const struct predict_maker *maker;       /* makes twins to try settings on; NULL: none */
    void            *maker_arg;
    const struct goal *goal;     /* of tuners; NULL: the default */
    const char  *control;        /* a congestion control other than DCQCN, by name; NULL: DCQCN */
    bool         reads_marks;    /* 'control' does: ECN thresholds matter */
    uint64_t     trim_bytes;     /* automatic value of the knob trim (0); 0: queues do not depend on it */
    bool         has_paths;      /* senders spray: the knob paths matters */

    struct world_device *device;
    struct world_port   *port;
    struct queue_facts  *queue;  /* egress queues of all switches */
    uint32_t             devices, ports, queues;
};

/* Allocates empty arrays. The caller sets all other fields. */
void world_init(struct world *, uint32_t devices, uint32_t ports, uint32_t queues);

/* Makes a copy that stands on its own. Free it with world_fini(). */
void world_copy(struct world *, const struct world *);

/* Frees arrays and names. */
void world_fini(struct world *);

/* Returns true if the knob matters here, by its readers; knobs of balancers do not count. */
bool world_reads(const struct world *, enum knob);

/* The quantity that a knob of this law is in proportion to, in the unit of such knobs: round trip in us, line
 * rate in Mb/s, bandwidth-delay product in KB. KNOB_FIXED: 1. */
double world_measure(const struct world *, enum knob_law);

#endif
