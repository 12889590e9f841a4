#include "study/twin/maker.h"
#include "base/minmax.h"
#include "core/units.h"
#include "study/run/simulation.h"
#include "study/twin/cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEPHANTS_WANTED 60      /* per trial */
#define LONGER_MAX       3.0     /* longest trial for that, in times of the watched period */
#define HOPS_MAX         1.0e6   /* per trial; above, the cell becomes smaller, then the trial shorter */
#define HOSTS_LEAST      16      /* of a smaller cell */
#define LOAD_MAX         0.79    /* of host links; a race runs at up to 1.2 times the load */
#define DRAIN            2.0     /* time for unfinished messages, in trials */
#define LENGTH_MAX       10.0    /* longest trial, in usual ones */
#define REPLICAS         3u
#define DESCRIBED_MS     50      /* longer than a trial, which is cut to fit the budget */
#define STORAGE_TINY     0.15    /* share of tiny messages in closed loops from which on it is storage */

/* Trials use larger packets and fewer acknowledgements than the network: bytes fill queues, and the same time
 * costs a fraction. The ranking of settings stays (docs/rehearse.md). */
#define COARSE_MTU   4096
#define COARSE_ACK   16
#define HEADER_BYTES 82.0        /* per packet on the wire */
#define ACK_BYTES    86.0
#define HOPS_TO_HOST 4.0         /* links on a path */

struct detail { double mtu, ack, real_mtu,
                real_ack; };      /* of packets: payload, packets per acknowledgement */

struct made { struct twin twin; struct build build; char unaware_of[64]; };

static void drop(struct predictor *p)
{
    struct made *m = p->arg;     /* the twin is its first member */

    if (!m)
        return;
    build_fini(&m->build);
    free(m);
    p->arg = NULL;
}

/* ---- traffic ---- */

static void put_sizes(struct build *b, struct yaml_node *entry, const struct traffic_sizes *s)
{
    struct yaml_node *list = build_list(b, entry, "sizes");

    for (uint32_t i = 0; i < s->rows; i++) {
        struct yaml_node *row = build_list(b, list, NULL);

        build_text(b, row, NULL, "%.0f", s->row[i].bytes);
        build_text(b, row, NULL, "%.9f", i + 1 == s->rows ? 1 : s->row[i].p);
    }
}

static struct yaml_node *put_entry(struct build *b, struct yaml_node *traffic, const char *kind)
{
    struct yaml_node *entry = build_map(b, traffic, NULL);

    build_text(b, entry, "kind", "%s", kind);
    return entry;
}

static void put_host(struct build *b, struct yaml_node *list, uint32_t host)
{
    build_text(b, list, NULL, "h%u", host);
}

static void put_poisson(struct build *b, struct yaml_node *traffic, const struct traffic_model *m,
                        double load, uint32_t first, uint32_t count)
{
    struct yaml_node *entry = put_entry(b, traffic, "poisson"), *hosts;

    put_sizes(b, entry, &m->sizes);
    build_text(b, entry, "load", "%.6f", fmin(LOAD_MAX, load));
    hosts = build_list(b, entry, "hosts");
    for (uint32_t i = 0; i < count; i++)
        put_host(b, hosts, first + i);
}

/* Host i of a cell, racks in turn. */
static uint32_t spread(const struct cell *c, uint32_t i)
{
    return i % c->racks * c->hosts + i / c->racks;
}

/* Hosts that send at all, as a share: where nothing comes at random, those of jobs and closed loops. */
static double sending_of(const struct traffic_model *m)
{
    double sum = m->loop_sizes.rows >= 2 ? m->loop_senders : 0;

    if (m->sizes.rows >= 2 || m->bursts_per_s > 0)
        return 1;
    for (uint32_t i = 0; i < m->jobs; i++)
        sum += m->job[i].senders;
    return fmin(1, sum);
}

/* A share of a cell's hosts, two at least. */
static uint32_t share_of(const struct cell *c, double share)
{
    uint32_t hosts = c->racks * c->hosts, n = (uint32_t)(share * hosts + 0.5);

    return n < 2 ? 2 : min_u32(n, hosts);
}

/* What larger packets save on the wire is sent as messages instead: links are to be as busy. */
static double wire_share(const struct detail *d)
{
    double real = 1 + (HEADER_BYTES + ACK_BYTES / d->real_ack) / d->real_mtu;

    return real / (1 + (HEADER_BYTES + ACK_BYTES / d->ack) / d->mtu);
}

/* Bytes that stay in their rack beyond chance are separate entries, one per rack. */
static void put_open(struct build *b, struct yaml_node *traffic, const struct traffic_model *m,
                     const struct cell *c, double more)
{
    uint32_t hosts = c->racks * c->hosts;
    /* all hosts send equally */
    double   mean = cell_host_bps(c), most = LOAD_MAX * cell_slowest_bps(c) / mean;
    double   load = fmin(most, more * m->bps_per_host / mean);
    double by_chance = (c->hosts - 1.0) / fmax(1, hosts - 1.0),
           far = c->racks == 1 ? load : load * (1 - m->local) / (1 - by_chance);
    double   near;

    if (far > load)
        far = load;
    near = load - far;
    if (far > 1e-5)
        put_poisson(b, traffic, m, far, 0, hosts);
    for (uint32_t i = 0; i < c->racks && c->hosts > 1 && near > 1e-3; i++)
        put_poisson(b, traffic, m, near, i * c->hosts, c->hosts);
}

/* Hosts take turns as the receiver, evenly spaced; each keeps the period of bursts to one host. */
static void put_bursts(struct build *b, struct yaml_node *traffic, const struct traffic_model *m,
                       const struct cell *c, double seconds)
{
    uint32_t hosts = c->racks * c->hosts;
    double senders = fmin(m->burst_senders, hosts - 1.0), bytes = m->burst_bytes * m->burst_senders / senders;

    if (m->bursts_per_s <= 0)
        return;
    for (uint32_t i = 0; i < hosts && (i + 0.5) / hosts / m->bursts_per_s < seconds; i++) {
        struct yaml_node *entry = put_entry(b, traffic, "incast");

        build_text(b, entry, "senders", "%.0f", senders);
        build_text(b, entry, "receiver", "h%u", i);
        build_text(b, entry, "size", "%.0fB", fmax(1, bytes));
        build_text(b, entry, "start", "%.0fns", 1e9 / m->bursts_per_s * (i + 0.5) / hosts);
        build_text(b, entry, "period", "%.0fns", 1e9 / m->bursts_per_s);
    }
}

static bool is_packed(const struct traffic_job *j, const struct cell *c)
{
    return j->local > 0.5 || c->racks == 1;
}

/* Neighbours of a ring share a rack if most messages stay there. A worker with many receivers sends to all,
 * one after the other; with fewer hosts, rounds and pauses are shorter in proportion. */
static void put_jobs(struct build *b, struct yaml_node *traffic, const struct traffic_model *m,
                     const struct cell *c)
{
    for (uint32_t i = 0; i < m->jobs; i++) {
        const struct traffic_job *j = &m->job[i];
        uint32_t                  n = share_of(c, j->senders / sending_of(m));
        double                    times = fmax(1, fmin(1000, floor(j->times + 0.5))), pause_s = j->pause_s;
        bool                      is_ring = j->peers < 1.5;
        struct yaml_node *entry = put_entry(b, traffic, "training"),
                         *workers = build_list(b, entry, "workers"), *step = entry;

        for (uint32_t k = 0; k < n; k++)
            put_host(b, workers, is_packed(j, c) ? k : spread(c, k));
        if (!is_ring && times > 1)
            pause_s *= fmin(1, (n - 1) / times);
        build_text(b, entry, "compute", "%.0fns", pause_s * 1e9);
        if (is_ring) {
            step = build_map(b, build_list(b, entry, "steps"), NULL);
            build_text(b, step, "times", "%.0f", times);
        } else {
            build_text(b, step, "at_once", times > 1 ? "no" : "yes");
        }
        build_text(b, step, "collective", is_ring ? "send_next" : "all_to_all");
        build_text(b, step, "size", "%.0fB", j->bytes);
    }
}

/* Host i of a closed loop, if possible outside of jobs: reports do not identify these hosts. */
static uint32_t loop_host(const struct traffic_model *m, const struct cell *c, uint32_t count, uint32_t i)
{
    uint32_t hosts = c->racks * c->hosts, first = 0;
    bool     packed = false;

    for (uint32_t k = 0; k < m->jobs; k++) {
        uint32_t n = share_of(c, m->job[k].senders / sending_of(m));

        first = n > first ? n : first;
        packed |= is_packed(&m->job[k], c);
    }
    first = first + count > hosts ? hosts - count : first;
    return packed ? first + i : spread(c, first + i);
}

static double quantile(const struct traffic_sizes *s, double p)
{
    uint32_t i = 0;

    while (i + 1 < s->rows && s->row[i].p < p)
        i++;
    return s->row[i].bytes;
}

/* Requests and answers together with blocks: storage. A storage node sends the blocks of reads; for writes
 * the compute node sends one copy and storage nodes the others, of three in all. So the bytes they send give
 * the fraction of reads: (3 f - 2) / (2 f - 1) for a fraction f. */
static void put_storage(struct build *b, struct yaml_node *traffic, const struct traffic_model *m,
                        const struct cell *c)
{
    uint32_t n = share_of(c, m->loop_senders / sending_of(m)),
             hubs = (uint32_t)fmax(1, fmin(n - 1, floor(m->hubs * n + 0.5)));
    double   sent = fmin(1, fmax(2 / 3.0, m->hub_bytes)), reads = (3 * sent - 2) / (2 * sent - 1);
    double least = floor(quantile(&m->loop_sizes, m->tiny + 0.02) / 512) * 512,
           most = quantile(&m->loop_sizes, 0.98);
    double   depth = m->outstanding * n / (n - hubs) / (1 + (1 - reads) / 2);
    struct yaml_node *entry, *hosts;

    least = fmax(512, least);
    most = fmax(least, floor(most / least + 0.5) * least);
    entry = put_entry(b, traffic, "storage");
    build_text(b, entry, "reads", "%.3f", reads);
    build_text(b, entry, "block_min", "%.0fB", least);
    build_text(b, entry, "block_max", "%.0fB", most);
    build_text(b, entry, "depth", "%.0f", fmax(1, floor(depth + 0.5)));
    build_text(b, entry, "replicas", "%u", hubs < REPLICAS ? hubs : REPLICAS);
    build_text(b, entry, "storage", "%u", hubs);
    hosts = build_list(b, entry, "hosts");
    for (uint32_t i = 0; i < n; i++)
        put_host(b, hosts, loop_host(m, c, n, i));
}

/* Groups in which each host has a message outstanding to each other: one more than are outstanding. */
static void put_loops(struct build *b, struct yaml_node *traffic, const struct traffic_model *m,
                      const struct cell *c)
{
    uint32_t n = share_of(c, m->loop_senders / sending_of(m)),
             group = (uint32_t)fmax(2, fmin(n, floor(m->outstanding + 1.5)));

    if (m->loop_sizes.rows >= 2 && m->tiny > STORAGE_TINY && n > 2)
        put_storage(b, traffic, m, c);
    if (m->loop_sizes.rows < 2 || (m->tiny > STORAGE_TINY && n > 2))
        return;
    for (uint32_t first = 0; first + 1 < n; first += group) {
        uint32_t          count = n - first < group ? n - first : group;
        struct yaml_node *entry = put_entry(b, traffic, "posted"), *hosts;

        build_text(b, entry, "pattern", "all_to_all");
        build_text(b, entry, "outstanding", "1");
        build_text(b, entry, "spread", "20us");
        put_sizes(b, entry, &m->loop_sizes);
        hosts = build_list(b, entry, "hosts");
        for (uint32_t i = 0; i < count; i++)
            put_host(b, hosts, loop_host(m, c, n, first + i));
    }
}

static void build_traffic(struct build *b, const struct traffic_model *m, const struct cell *c,
                          const struct detail *d, double seconds)
{
    struct yaml_node *traffic = build_list(b, NULL, "traffic");

    if (m->sizes.rows >= 2)
        put_open(b, traffic, m, c, wire_share(d));
    put_bursts(b, traffic, m, c, seconds);
    put_jobs(b, traffic, m, c);
    put_loops(b, traffic, m, c);
}

/* ---- how long a trial is ---- */

static double mean_bytes(const struct traffic_sizes *s)
{
    double sum = 0;

    for (uint32_t i = 1; i < s->rows; i++)
        sum += (s->row[i].p - s->row[i - 1].p) * (s->row[i - 1].bytes + s->row[i].bytes) / 2;
    return sum;
}

static double elephant_share(const struct traffic_sizes *s)
{
    double below = 0;

    for (uint32_t i = 0; i < s->rows && s->row[i].bytes <= PREDICT_ELEPHANT; i++)
        below = s->row[i].p;
    return 1 - below;
}

/* Closed loops and jobs may become faster than with the current setting. */
static double bps_of(const struct traffic_model *m, const struct cell *c)
{
    double bps = m->bps_per_host + m->bursts_per_s * m->burst_senders * m->burst_bytes * 8 +
                 1.3 * m->loop_bps_per_host;

    for (uint32_t i = 0; i < m->jobs; i++)
        bps += 1.3 * m->job[i].bps_per_host;
    return fmin(LOAD_MAX * cell_host_bps(c), bps / sending_of(m));
}

static double hops_per_s(const struct traffic_model *m, const struct cell *c, const struct detail *d)
{
    return c->racks * c->hosts * bps_of(m, c) / 8 / d->mtu * HOPS_TO_HOST * (1 + 1 / d->ack);
}

/* Length of a trial: as long as the network was watched, or longer until there are enough elephants. */
static double trial_s(const struct traffic_model *m, const struct cell *c, const struct detail *d)
{
    double bytes = mean_bytes(&m->sizes), per_s = c->racks * c->hosts * m->bps_per_host / 8,
           seconds = m->warm_s + m->window_s;
    double elephants_per_s = bytes > 0 ? per_s / bytes * elephant_share(&m->sizes) : 0;

    if (elephants_per_s > 0)
        seconds = fmax(seconds, fmin(LONGER_MAX * seconds, ELEPHANTS_WANTED / elephants_per_s));
    return fmin(seconds, HOPS_MAX / hops_per_s(m, c, d));
}

static struct cell choose_cell(const struct world *w, const struct traffic_model *m, const struct detail *d)
{
    struct cell c = cell_like(w, CELL_ALL, sending_of(m));

    return hops_per_s(m, &c, d) * (m->warm_s + m->window_s) > HOPS_MAX
               ? cell_like(w, HOSTS_LEAST, sending_of(m))
               : c;
}

/* ---- all of it ---- */

static void build_packets(struct build *b, double mtu, double ack)
{
    build_text(b, NULL, "host.mtu", "%.0fB", mtu);
    build_text(b, NULL, "host.ack_every", "%.0f", ack);
}

/* Keeps the buffer per port. */
static uint64_t buffer_of(const struct sim *s, const struct world *w, const struct cell *c)
{
    uint32_t ports = 0;

    for (uint32_t i = 0; i < w->devices; i++)
        ports = w->device[i].tier == WORLD_TORS ? max_u32(ports, w->device[i].ports) : ports;
    uint64_t bytes = sim_settings(s)->buffer_bytes;

    return ports ? bytes * cell_ports(c) / ports : bytes;
}

static void fill(struct made *m, const struct simulation_input *in, const struct sim *s,
                 const struct world *w, const struct traffic_model *model, const struct cell *c,
                 const struct detail *d)
{
    double seconds = trial_s(model, c, d);

    m->twin = (struct twin){ .input = *in, .drain = DRAIN, .jobs = in->threads,
                             .warm_ps = (uint64_t)(fmax(0, seconds - model->window_s) * (double)PS_PER_S) };
    m->twin.input.over = &m->build;
    m->twin.input.until_ps = (uint64_t)(seconds * (double)PS_PER_S);
    m->twin.input.prefers_fast = false;
    m->build.below = in->over;
    cell_build(&m->build, c);
    build_packets(&m->build, d->real_mtu, d->real_ack);
    build_traffic(&m->build, model, c, d, seconds);
    build_text(&m->build, NULL, "run", "%lluns",
               (unsigned long long)(LENGTH_MAX * (1 + DRAIN) * seconds * 1e9 + 1));
    build_list(&m->build, NULL, "changes");
    build_text(&m->build, NULL, "switch.buffer", "%lluB", (unsigned long long)buffer_of(s, w, c));
    build_text(&m->build, NULL, "seed", "1");
}

/* Controls that measure round trips need every ACK, so their trials use the network's packets. */
static struct detail detail_of(const struct world *w, const struct simulation *s)
{
    const struct sim_cfg *cfg = sim_settings(s->sim);
    struct detail         d = { .real_mtu = cfg->mtu_bytes, .real_ack = cfg->ack_every };

    d.mtu = w->control ? d.real_mtu : fmax(d.real_mtu, COARSE_MTU);
    d.ack = w->control ? d.real_ack : fmax(d.real_ack, COARSE_ACK);
    return d;
}

/* Trials simulate neither failures nor changes nor TCP, which show only as slower messages in reports. */
static void name_unknown(const struct simulation *s, char *text, size_t size)
{
    bool   has_tcp = false;
    size_t at = 0;

    for (uint32_t i = 0; i < s->scenario.entries; i++)
        has_tcp |= strcmp(s->scenario.entry[i].kind, "tcp") == 0;
    const struct { bool is_there; const char *name; } all[] = {
        { sim_settings(s->sim)->changes > 0, "links that fail" }, { s->scenario.changes > 0, "changes" },
        { has_tcp, "TCP" },
    };
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].is_there)
            at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", nor of " : "", all[i].name);
}

static int make(void *arg, const struct world *w, const struct traffic_model *model, struct predictor *p,
                struct err *err)
{
    const struct simulation_input *in = arg;
    struct simulation_input        plain = *in;
    struct simulation              s;
    struct cell                    cell;
    struct detail                  detail;
    struct made                   *m;
    int                            rc;

    plain.is_untuned = true;
    plain.threads = 1;
    rc = simulation_open(&s, &plain, err);
    if (rc)
        return rc;
    m = xcalloc(1, sizeof(*m));
    detail = detail_of(w, &s);
    cell = choose_cell(w, model, &detail);
    cell.delay_ps = PS_PER_US;
    fill(m, in, s.sim, w, model, &cell, &detail);
    name_unknown(&s, m->unaware_of, sizeof(m->unaware_of));
    simulation_close(&s);
    *p = twin_predictor(&m->twin);
    p->unaware_of = m->unaware_of[0] ? m->unaware_of : NULL;
    rc = cell_fit(&cell, &m->twin, cell.delay_ps, err);
    if (rc)
        drop(p);
    else {
        cell_build(&m->build, &cell);
        build_packets(&m->build, detail.mtu, detail.ack);
    }
    return rc;
}

const struct predict_maker twin_maker = { make, drop };

/* ---- a network that people describe ---- */

static void put_recorded_sizes(struct build *b, struct yaml_node *entry, const struct recorded *messages)
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
    struct twin       twin = { .input = { .name = "the network described", .base = b } };
    struct yaml_node *entry;
    int               rc;

    cell.delay_ps = PS_PER_US;
    *b = (struct build){ 0 };
    cell_build(b, &cell);
    build_text(b, NULL, "run", "%dms", DESCRIBED_MS);
    if (d->buffer_bytes)
        build_text(b, build_map(b, NULL, "switch"), "buffer", "%lluB",
                   (unsigned long long)d->buffer_bytes * cell_ports(&cell));
    entry = build_map(b, build_list(b, NULL, "traffic"), NULL);
    build_text(b, entry, "kind", "poisson");
    build_text(b, entry, "name", "messages");
    if (d->messages)
        put_recorded_sizes(b, entry, d->messages);
    else
        build_text(b, entry, "sizes", "%s", d->sizes);
    build_text(b, entry, "load", "%.4f%%", 100 * d->load);
    rc = cell_fit(&cell, &twin, cell.delay_ps, err);
    cell_build(b, &cell);
    return rc;
}
