/* src/twin/cell.c - see cell.h. */
#include "twin/cell.h"
#include "core/units.h"
#include "twin/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKS    8               /* of a round trip from rack to rack */
#define RUN_MS   50              /* more than a trial is: it is cut to what a budget allows */
#define DELAY_PS PS_PER_US       /* to try */

static char *with_delay(const struct cell *c, uint64_t delay_ps)
{
    unsigned long long ports = CELL_HOSTS + CELL_RACKS;
    char               buffer[64] = "", *text = NULL;
    size_t             length;
    FILE              *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    if (c->buffer_bytes)
        snprintf(buffer, sizeof(buffer), "switch: {buffer: %lluB}\n", ports * c->buffer_bytes);
    fprintf(out, "topology: {kind: clos, tors: %d, hosts_per_tor: %d, spines: %d, rate: %llubps, fabric_rate: %llubps, "
            "delay: %llups}\n%srun: %dms\n", CELL_RACKS, CELL_HOSTS, CELL_RACKS, (unsigned long long)c->rate_bps,
            (unsigned long long)((double)c->rate_bps * CELL_HOSTS / CELL_RACKS / c->oversubscription),
            (unsigned long long)delay_ps, buffer, RUN_MS);
    fprintf(out, "traffic:\n  - {kind: poisson, sizes: \"%s\", load: %.4f%%}\n", c->sizes, 100 * c->load);
    fclose(out);
    return text;
}

/* What a round trip takes besides the delays of its links. */
static int fixed_part(const struct cell *c, uint64_t *ps, struct err *err)
{
    char        *text = with_delay(c, DELAY_PS);
    struct twin  twin = { .name = "the network described", .text = text, .text_bytes = strlen(text) };
    struct world w;
    uint64_t     until_ps;
    int          rc = twin_world(&twin, &w, &until_ps, err);

    if (!rc) {
        *ps = w.base_rtt_ps - LINKS * DELAY_PS;
        world_fini(&w);
    }
    free(text);
    return rc;
}

char *cell_text(const struct cell *c, struct err *err)
{
    uint64_t fixed_ps;

    if (fixed_part(c, &fixed_ps, err))
        return NULL;
    if (c->rtt_ps < fixed_ps + LINKS) {
        err_set(err, EINVAL, "--rtt: a full packet and its acknowledgement take %.3g us over four switches at this speed, "
                "with cables of no length", (double)fixed_ps / (double)PS_PER_US);
        return NULL;
    }
    return with_delay(c, (c->rtt_ps - fixed_ps) / LINKS);
}
