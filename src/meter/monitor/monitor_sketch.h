/* src/meter/monitor/monitor_sketch.h - common part of the monitors that count packets in an Elastic
 * Sketch. */
#ifndef METER_MONITOR_MONITOR_SKETCH_H
#define METER_MONITOR_MONITOR_SKETCH_H

#include "meter/monitor/monitor.h"

struct monitor_sketch {          /* first in the state of such a monitor */
    struct elastic sketch;
    bool           heavy_only;
};

void monitor_sketch_init(struct monitor_sketch *, const struct monitor_cfg *);

/* Flows that only the light part saw; 0 with heavy_only. */
uint64_t monitor_sketch_unseen(const struct monitor_sketch *);

void     monitor_sketch_on_packet(void *state, const struct flow_key *, uint32_t bytes, uint64_t now_ps);
uint64_t monitor_sketch_hint(void *state, const struct flow_key *);
bool     monitor_sketch_on_again(void *state, uint64_t hint, uint32_t bytes);

#define MONITOR_SKETCH_HOOKS \
    .on_packet = monitor_sketch_on_packet, .hint = monitor_sketch_hint, .on_again = monitor_sketch_on_again

#endif
