#include "core/world.h"
#include "base/err.h"
#include "core/units.h"

#include <stdlib.h>

void world_init(struct world *w, uint32_t devices, uint32_t ports, uint32_t queues)
{
    *w = (struct world){ .devices = devices, .ports = ports, .queues = queues };
    w->device = xcalloc(devices + 1ul, sizeof *w->device);
    w->port = xcalloc(ports + 1ul, sizeof *w->port);
    w->queue = xcalloc(queues + 1ul, sizeof *w->queue);
}

void world_copy(struct world *to, const struct world *w)
{
    *to = *w;
    to->device = xcopy(w->device, w->devices, sizeof *w->device);
    to->port = xcopy(w->port, w->ports, sizeof *w->port);
    to->queue = xcopy(w->queue, w->queues, sizeof *w->queue);
    for (uint32_t i = 0; i < w->devices; i++)
        to->device[i].name = w->device[i].name ? xstrdup(w->device[i].name) : NULL;
    for (uint32_t i = 0; i < w->ports; i++)
        to->port[i].name = w->port[i].name ? xstrdup(w->port[i].name) : NULL;
}

void world_fini(struct world *w)
{
    for (uint32_t i = 0; i < w->devices; i++)
        free(w->device[i].name);
    for (uint32_t i = 0; i < w->ports; i++)
        free(w->port[i].name);
    free(w->device);
    free(w->port);
    free(w->queue);
    *w = (struct world){ 0 };
}

bool world_reads(const struct world *w, enum knob knob)
{
    switch ((int)knob) {
    case KNOB_kmin:
    case KNOB_kmax:
    case KNOB_pmax:                  return !w->control || w->reads_marks;
    case KNOB_min_time_between_cnps: return !w->control;
    case KNOB_paths:                 return w->control && w->has_paths;
    case KNOB_trim:                  return w->control && w->trim_bytes > 0;
    }
    return !*knob_info[knob].readers || knob_is_read_by(knob, w->control ? w->control : "dcqcn");
}

double world_measure(const struct world *w, enum knob_law law)
{
    double rtt_us = (double)w->base_rtt_ps / (double)PS_PER_US, line_mbps = (double)w->host_bps / 1e6;

    switch (law) {
    case KNOB_BY_RTT:  return rtt_us;
    case KNOB_BY_RATE: return line_mbps;
    case KNOB_BY_BDP:  return line_mbps * rtt_us / 8e3;
    case KNOB_FIXED:   break;
    }
    return 1;
}
