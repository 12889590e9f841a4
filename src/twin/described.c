#include "twin/described.h"
#include "core/units.h"
#include "twin/cell.h"

#define RUN_MS 50                /* more than a trial is: it is cut to what a budget allows */

static void put_sizes(struct build *b, struct yaml_node *entry, const struct recorded *messages)
{
    struct yaml_node *list = build_list(b, entry, "sizes");

    for (uint32_t i = 0; i < messages->sizes; i++) {
        struct yaml_node *row = build_list(b, list, NULL);

        build_text(b, row, NULL, "%.15g", messages->size[i].bytes);
        build_text(b, row, NULL, "%.12g", messages->size[i].p);
    }
}

int described_build(struct build *b, const struct described *d, struct err *err)
{
    struct cell       cell = cell_of(d->rate_bps, d->oversubscription, d->rtt_ps);
    struct twin       twin = { .name = "the network described", .base = b };
    struct yaml_node *entry;
    int               rc;

    cell.delay_ps = PS_PER_US;
    *b = (struct build){ 0 };
    cell_build(b, &cell);
    build_text(b, NULL, "run", "%dms", RUN_MS);
    if (d->buffer_bytes)
        build_text(b, build_map(b, NULL, "switch"), "buffer", "%lluB",
                   (unsigned long long)d->buffer_bytes * cell_ports(&cell));
    entry = build_map(b, build_list(b, NULL, "traffic"), NULL);
    build_text(b, entry, "kind", "poisson");
    build_text(b, entry, "name", "messages");
    if (d->messages)
        put_sizes(b, entry, d->messages);
    else
        build_text(b, entry, "sizes", "%s", d->sizes);
    build_text(b, entry, "load", "%.4f%%", 100 * d->load);
    rc = cell_fit(&cell, &twin, cell.delay_ps, err);
    cell_build(b, &cell);
    return rc;
}
