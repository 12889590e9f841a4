/* src/twin/described.c - see described.h. */
#include "twin/described.h"
#include "core/units.h"
#include "twin/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_MS 50                /* more than a trial is: it is cut to what a budget allows */

static char *as_text(const struct described *d, const struct cell *c)
{
    char  *text = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    fputs("topology: ", out);
    cell_put(out, c);
    fprintf(out, "\nrun: %dms\n", RUN_MS);
    if (d->buffer_bytes)
        fprintf(out, "switch: {buffer: %lluB}\n", (unsigned long long)d->buffer_bytes * cell_ports(c));
    if (d->size_rows)
        fprintf(out, "traffic:\n  - {kind: poisson, sizes: %s, load: %.4f%%}\n", d->size_rows, 100 * d->load);
    else
        fprintf(out, "traffic:\n  - {kind: poisson, sizes: \"%s\", load: %.4f%%}\n", d->sizes, 100 * d->load);
    fclose(out);
    return text;
}

char *described_text(const struct described *d, struct err *err)
{
    struct cell cell = cell_of(d->rate_bps, d->oversubscription, d->rtt_ps);
    struct twin twin = { .name = "the network described" };
    char       *text;
    int         rc;

    cell.delay_ps = PS_PER_US;
    text = as_text(d, &cell);
    twin.text = text;
    twin.text_bytes = strlen(text);
    rc = cell_fit(&cell, &twin, cell.delay_ps, err);
    free(text);
    return rc ? NULL : as_text(d, &cell);
}
