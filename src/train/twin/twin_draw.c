#include "train/twin/twin_draw.h"
#include "base/rng.h"
#include "core/units.h"
#include "tune/exp.h"
#include "twin/cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPLINK_MAX    0.85       /* largest load of uplinks; more would not be sustainable */
#define MESSAGES_MAX  12000.0    /* per trial; otherwise small messages would be millions */
#define STEPS         4          /* rows per octave in a table of sizes */
#define SMALLEST      128.0
#define LARGEST       3.3e7
#define BUMPS         3          /* mice, medium, elephants */

static double uniform(struct rng *r, double low, double high)
{
    return low + (high - low) * rng_real(r);
}

static double draw_log_uniform(struct rng *r, double low, double high)
{
    return low * exp_of(rng_real(r) * rng_log(high / low));
}

static bool is_one_in(struct rng *r, uint32_t n)
{
    return rng_below(r, n) == 0;
}

/* ---- networks ---- */

static void slow_hosts(struct rng *r, struct cell *c)
{
    uint32_t slow = 1 + (uint32_t)rng_below(r, c->hosts > 1 ? c->hosts - 1 : 1);
    uint64_t times = is_one_in(r, 2) ? 4 : 2;

    for (uint32_t rack = 0; rack < c->racks; rack++)
        for (uint32_t i = 0; i < slow; i++)
            c->host_bps[rack * c->hosts + i] /= times;
}

/* Makes one spine slower than the others, for all racks. */
static void slow_spine(struct cell *c)
{
    for (uint32_t i = 0; i < c->racks; i++)
        c->uplink_bps[i][c->uplinks - 1] /= 2;
}

static struct cell draw_cell(struct rng *r)
{
    static const double gbps[] = { 25, 50, 100, 100, 100, 200, 400 };
    double              rate = 1e9 * gbps[rng_below(r, sizeof(gbps) / sizeof(*gbps))], over;
    struct cell         c = { .racks = is_one_in(r, 4) ? 1 : 2 + 2 * (uint32_t)rng_below(r, 2) };

    c.hosts = c.racks == 1   ? 8 + 8 * (uint32_t)rng_below(r, 3)
              : c.racks == 2 ? 8
                             : 4 + 4 * (uint32_t)rng_below(r, 2);
    c.uplinks = c.hosts / 2;
    over = is_one_in(r, 2) ? 1 : draw_log_uniform(r, 1, 4);
    c.delay_ps = (uint64_t)(draw_log_uniform(r, 0.3, 8) * (double)PS_PER_US);
    for (uint32_t i = 0; i < c.racks * c.hosts; i++)
        c.host_bps[i] = (uint64_t)rate;
    for (uint32_t i = 0; i < CELL_RACKS; i++)
        for (uint32_t k = 0; k < CELL_UPLINKS; k++)
            c.uplink_bps[i][k] = (uint64_t)(rate * c.hosts / c.uplinks / over / 1e6) * 1000000;
    if (is_one_in(r, 5))
        slow_hosts(r, &c);
    if (c.racks > 1 && is_one_in(r, 5))
        slow_spine(&c);
    return c;
}

static void build_network(struct build *b, struct rng *r, const struct cell *c)
{
    struct yaml_node *entry;

    cell_build(b, c);
    build_text(b, build_map(b, NULL, "host"), "mtu", "%u", is_one_in(r, 2) ? 1000 : 4096);
    build_text(b, NULL, "interval", "1ms");
    build_text(b, NULL, "run", "1ms");
    entry = build_map(b, build_list(b, NULL, "traffic"), NULL);
    build_text(b, entry, "kind", "incast");
    build_text(b, entry, "senders", "1");
    build_text(b, entry, "receiver", "h1");
    build_text(b, entry, "size", "1KB");
}

/* ---- traffic ---- */

/* Distribution of bytes over sizes: a bump each for mice, medium messages and elephants, with random height
 * and width. */
static void draw_sizes(struct rng *r, struct traffic_sizes *s)
{
    static const double from[BUMPS] = { 300, 6e4, 1e6 }, to[BUMPS] = { 6e4, 1e6, 1.2e7 };
    double              centre[BUMPS], width[BUMPS], share[BUMPS], sum = 0, p[TRAFFIC_SIZES_MAX] = { 0 };
    uint32_t            rows = 1 + (uint32_t)(STEPS * rng_log(LARGEST / SMALLEST) / rng_log(2));

    for (int b = 0; b < BUMPS; b++) {
        centre[b] = rng_log(draw_log_uniform(r, from[b], to[b]));
        width[b] = uniform(r, 0.15, 1.2);
        share[b] = b < 2 && is_one_in(r, 4) ? 0 : rng_exp(r) * (b == 2 ? 2 : 1);
    }
    for (uint32_t i = 0; i < rows; i++) {
        double bytes = SMALLEST * exp_of(i * rng_log(2) / STEPS), at = rng_log(bytes);

        for (int b = 0; b < BUMPS && i > 0; b++) {
            double off = (at - centre[b]) / width[b];

            p[i] += share[b] / width[b] * exp_of(-off * off / 2) / bytes;        /* from bytes to messages */
        }
        s->row[i].bytes = floor(bytes);
        sum += p[i];
    }
    s->rows = rows;
    for (uint32_t i = 1; i < rows; i++)
        s->row[i].p = fmin(1, s->row[i - 1].p + p[i] / sum);
    s->row[rows - 1].p = 1;
}

static double mean_bytes(const struct traffic_sizes *s)
{
    double sum = 0;

    for (uint32_t i = 1; i < s->rows; i++)
        sum += (s->row[i].p - s->row[i - 1].p) * (s->row[i].bytes + s->row[i - 1].bytes) / 2;
    return sum;
}

static void draw_bursts(struct rng *r, struct traffic_model *m, uint32_t hosts, double host_bps,
                        double watched_s)
{
    double load = draw_log_uniform(r, 0.01, 0.25);

    m->burst_senders = floor(uniform(r, 4, hosts));
    m->burst_bytes = floor(draw_log_uniform(r, 4e3, 5e5));
    m->bursts_per_s = fmin(load * host_bps / (m->burst_senders * m->burst_bytes * 8),
                           MESSAGES_MAX / watched_s / hosts / m->burst_senders);
}

static void draw_model(struct rng *r, const struct cell *c, double watched_s, struct traffic_model *m)
{
    uint32_t hosts = c->racks * c->hosts;
    double   host_bps = cell_host_bps(c), load = draw_log_uniform(r, 0.12, 0.75), over = 0;

    *m = (struct traffic_model){ .warm_s = watched_s * 0.75, .window_s = watched_s * 0.25 };
    draw_sizes(r, &m->sizes);
    m->local = c->racks == 1 ? 1 : is_one_in(r, 3) ? uniform(r, 0, 0.9) : (c->hosts - 1.0) / (hosts - 1.0);
    for (uint32_t i = 0; c->racks > 1 && i < c->uplinks; i++)
        over += (double)c->uplink_bps[0][i];
    over = over > 0 ? host_bps * c->hosts / over : 0;
    load = fmin(load, UPLINK_MAX / fmax(1e-3, (1 - m->local) * over));
    m->bps_per_host = fmin(load * fmin(host_bps, cell_slowest_bps(c) / 0.8),
                           MESSAGES_MAX / watched_s / hosts * mean_bytes(&m->sizes) * 8);
    if (is_one_in(r, 4))
        draw_bursts(r, m, hosts, host_bps, watched_s);
}

/* ---- network and traffic ---- */

int twin_draw(struct twin_drawn *d, uint64_t seed, uint64_t number, double watched_s, struct err *err)
{
    struct rng  r;
    struct cell cell;
    struct twin twin = { .name = "a random network", .base = &d->build };
    uint64_t    until_ps;
    int         rc;

    *d = (struct twin_drawn){ 0 };
    rng_init(&r, seed, number);
    cell = draw_cell(&r);
    build_network(&d->build, &r, &cell);
    draw_model(&r, &cell, watched_s, &d->model);
    rc = twin_world(&twin, &d->world, &until_ps, err);
    if (rc)
        build_fini(&d->build);
    return rc;
}

void twin_drop(struct twin_drawn *d)
{
    world_fini(&d->world);
    build_fini(&d->build);
}
