#include "core/report.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS_FIRST 64u

void report_init(struct report *r, uint32_t devices, uint32_t ports, uint32_t entries)
{
    *r = (struct report){ .devices = devices, .ports = ports, .entries = entries };
    r->monitor = xcalloc(REPORT_MONITORS_MAX, sizeof *r->monitor);
    r->device = xcalloc(devices + 1ul, sizeof *r->device);
    r->port = xcalloc(ports + 1ul, sizeof *r->port);
    r->entry_bytes = xcalloc(entries + 1ul, sizeof *r->entry_bytes);
}

void report_fini(struct report *r)
{
    free(r->monitor);
    free(r->pair);
    free(r->port);
    free(r->device);
    free(r->entry_bytes);
    *r = (struct report){ 0 };
}

void report_clear_all_but_ports(struct report *r)
{
    struct report own = { .monitor = r->monitor, .pair = r->pair, .pairs_max = r->pairs_max, .port = r->port,
                          .ports = r->ports, .device = r->device, .devices = r->devices,
                          .entry_bytes = r->entry_bytes, .entries = r->entries };

    memset(r->device, 0, r->devices * sizeof *r->device);
    memset(r->entry_bytes, 0, r->entries * sizeof *r->entry_bytes);
    *r = own;
}

void report_clear(struct report *r)
{
    memset(r->port, 0, r->ports * sizeof *r->port);
    report_clear_all_but_ports(r);
}

void report_add(struct report *sum, const struct report *r)
{
    if (sum->end_ps == 0)
        sum->start_ps = r->start_ps;
    sum->end_ps = r->end_ps;
    sum->knobs = r->knobs;
    figure_add(sum->count, r->count);
    for (uint32_t i = 0; i < r->ports; i++) {
        struct report_port *p = &sum->port[i], was = *p;

        *p = r->port[i];
        memcpy(p->count, was.count, sizeof p->count);
        figure_add_port(p->count, r->port[i].count);
    }
    for (uint32_t i = 0; i < r->devices; i++)
        sum->device[i] = r->device[i];
    for (uint32_t i = 0; i < r->entries; i++)
        sum->entry_bytes[i] += r->entry_bytes[i];
}

void report_copy(struct report *to, const struct report *from)
{
    *to = *from;
    to->monitor = xcalloc(REPORT_MONITORS_MAX, sizeof *to->monitor);
    if (from->monitors)
        memcpy(to->monitor, from->monitor, from->monitors * sizeof *to->monitor);
    to->pair = xcopy(from->pair, from->pairs, sizeof *to->pair);
    to->pairs_max = from->pairs;
    to->port = xcopy(from->port, from->ports, sizeof *to->port);
    to->device = xcopy(from->device, from->devices, sizeof *to->device);
    to->entry_bytes = xcopy(from->entry_bytes, from->entries, sizeof *to->entry_bytes);
}

struct report_pair *report_add_pair(struct report *r)
{
    r->pair = xgrow(r->pair, r->pairs, &r->pairs_max, PAIRS_FIRST, sizeof *r->pair);
    r->pair[r->pairs] = (struct report_pair){ 0 };
    return &r->pair[r->pairs++];
}
