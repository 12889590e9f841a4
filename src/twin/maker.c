/* src/twin/maker.c - see maker.h. */
#include "twin/maker.h"
#include "core/units.h"
#include "run/simulation.h"
#include "twin/cell.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEPHANTS_WANTED 60      /* in a trial */
#define LONGER_MAX       3.0     /* than the network has been watched, so that there are so many */
#define HOPS_MAX         1.0e6   /* of a trial; the cell is made smaller where there would be more, then trials shorter */
#define HOSTS_LEAST      16      /* of a cell that is made smaller */
#define LOAD_MAX         0.79    /* of hosts' links: a race has a fifth more, and more than all cannot be posted */
#define DRAIN            2.0     /* times the trial, for what is not over at its end */
#define LENGTH_MAX       10.0    /* of trials, times the usual one */
#define REPLICAS         3u
#define STORAGE_TINY     0.15    /* of messages in closed loops: with so many requests it is storage */
#define SETS             8

/* Trials are made with larger packets and fewer acknowledgements than the network has: it is bytes that fill queues and
 * count for rates, and the same time costs a fraction. Ranks of settings stay (docs/rehearse.md). */
#define COARSE_MTU   4096
#define COARSE_ACK   16
#define HEADER_BYTES 82.0        /* on the wire, with each packet */
#define ACK_BYTES    86.0
#define HOPS_TO_HOST 4.0         /* links of a packet's way */

struct detail { double mtu, ack, real_mtu, real_ack; };      /* of packets: payload, packets per acknowledgement */

struct made {
    struct twin  twin;
    char        *set[SETS];
    const char **all;            /* those of the run, then ours */
};

static void drop(struct predictor *p)
{
    struct twin *t = p->arg;
    struct made *m = (struct made *)t;       /* the first of its members */

    if (!t)
        return;
    for (int i = 0; i < SETS; i++)
        free(m->set[i]);
    free(m->all);
    free(m);
    p->arg = NULL;
}

/* ---- traffic ---- */

static void put_sizes(FILE *out, const struct traffic_sizes *s)
{
    fputc('[', out);
    for (uint32_t i = 0; i < s->rows; i++)
        fprintf(out, "%s[%.0f, %.9f]", i ? ", " : "", s->row[i].bytes, i + 1 == s->rows ? 1 : s->row[i].p);
    fputc(']', out);
}

static void put_poisson(FILE *out, const struct traffic_model *m, double load, uint32_t first, uint32_t count)
{
    fputs("{kind: poisson, sizes: ", out);
    put_sizes(out, &m->sizes);
    fprintf(out, ", load: %.6f, hosts: [", fmin(LOAD_MAX, load));
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%sh%u", i ? ", " : "", first + i);
    fputs("]}, ", out);
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

    return n < 2 ? 2 : n > hosts ? hosts : n;
}

/* What larger packets save on the wire is sent as messages instead: links are to be as busy. */
static double wire_share(const struct detail *d)
{
    double real = 1 + (HEADER_BYTES + ACK_BYTES / d->real_ack) / d->real_mtu;

    return real / (1 + (HEADER_BYTES + ACK_BYTES / d->ack) / d->mtu);
}

/* Bytes that stay in their rack beyond those that do so by chance are of entries of their own, a rack each. */
static void put_open(FILE *out, const struct traffic_model *m, const struct cell *c, double more)
{
    uint32_t hosts = c->racks * c->hosts;
    double   mean = cell_host_bps(c), most = LOAD_MAX * cell_slowest_bps(c) / mean;        /* all hosts send as much */
    double   load = fmin(most, more * m->bps_per_host / mean);
    double   by_chance = (c->hosts - 1.0) / fmax(1, hosts - 1.0), far = c->racks == 1 ? load : load * (1 - m->local) / (1 - by_chance);
    double   near;

    if (far > load)
        far = load;
    near = load - far;
    if (far > 1e-5)
        put_poisson(out, m, far, 0, hosts);
    for (uint32_t i = 0; i < c->racks && c->hosts > 1 && near > 1e-3; i++)
        put_poisson(out, m, near, i * c->hosts, c->hosts);
}

/* One host after the other is the receiver, each with the period of bursts to one host, so that they come evenly. */
static void put_bursts(FILE *out, const struct traffic_model *m, const struct cell *c, double seconds)
{
    uint32_t hosts = c->racks * c->hosts;
    double   senders = fmin(m->burst_senders, hosts - 1.0), bytes = m->burst_bytes * m->burst_senders / senders;

    if (m->bursts_per_s <= 0)
        return;
    for (uint32_t i = 0; i < hosts && (i + 0.5) / hosts / m->bursts_per_s < seconds; i++)
        fprintf(out, "{kind: incast, senders: %.0f, receiver: h%u, size: %.0fB, start: %.0fns, period: %.0fns}, ", senders, i,
                fmax(1, bytes), 1e9 / m->bursts_per_s * (i + 0.5) / hosts, 1e9 / m->bursts_per_s);
}

static bool is_packed(const struct traffic_job *j, const struct cell *c)
{
    return j->local > 0.5 || c->racks == 1;
}

/* Neighbours of a ring are in one rack if most of its messages stay there. One that sends to many sends to all, one after the
 * other; with fewer hosts than there a round has fewer messages, and pauses are shorter in proportion. */
static void put_jobs(FILE *out, const struct traffic_model *m, const struct cell *c)
{
    for (uint32_t i = 0; i < m->jobs; i++) {
        const struct traffic_job *j = &m->job[i];
        uint32_t                  n = share_of(c, j->senders / sending_of(m));
        double                    times = fmax(1, fmin(1000, floor(j->times + 0.5))), pause_s = j->pause_s;
        bool                      is_ring = j->peers < 1.5;

        fputs("{kind: training, workers: [", out);
        for (uint32_t k = 0; k < n; k++)
            fprintf(out, "%sh%u", k ? ", " : "", is_packed(j, c) ? k : spread(c, k));
        if (!is_ring && times > 1)
            pause_s *= fmin(1, (n - 1) / times);
        fprintf(out, "], compute: %.0fns, ", pause_s * 1e9);
        if (is_ring)
            fprintf(out, "steps: [{collective: send_next, size: %.0fB, times: %.0f}]}, ", j->bytes, times);
        else
            fprintf(out, "collective: all_to_all, size: %.0fB, at_once: %s}, ", j->bytes, times > 1 ? "no" : "yes");
    }
}

/* Host i of those with closed loops. Reports do not say which hosts they are: others than those of jobs, as far as there are so many. */
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

/* The size that a share of messages is not longer than. */
static double quantile(const struct traffic_sizes *s, double p)
{
    uint32_t i = 0;

    while (i + 1 < s->rows && s->row[i].p < p)
        i++;
    return s->row[i].bytes;
}

/* Requests and answers beside blocks: storage. A block that is read is sent by a storage node; of one that is written the
 * compute node sends one copy and storage nodes the others, of three in all. So the bytes that they send tell how many
 * are reads: (3 f - 2) / (2 f - 1) for a share f. */
static void put_storage(FILE *out, const struct traffic_model *m, const struct cell *c)
{
    uint32_t n = share_of(c, m->loop_senders / sending_of(m)), hubs = (uint32_t)fmax(1, fmin(n - 1, floor(m->hubs * n + 0.5)));
    double   sent = fmin(1, fmax(2 / 3.0, m->hub_bytes)), reads = (3 * sent - 2) / (2 * sent - 1);
    double   least = floor(quantile(&m->loop_sizes, m->tiny + 0.02) / 512) * 512, most = quantile(&m->loop_sizes, 0.98);
    double   depth = m->outstanding * n / (n - hubs) / (1 + (1 - reads) / 2);

    least = fmax(512, least);
    most = fmax(least, floor(most / least + 0.5) * least);
    fprintf(out, "{kind: storage, reads: %.3f, block_min: %.0fB, block_max: %.0fB, depth: %.0f, replicas: %u, storage: %u, hosts: [",
            reads, least, most, fmax(1, floor(depth + 0.5)), hubs < REPLICAS ? hubs : REPLICAS, hubs);
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%sh%u", i ? ", " : "", loop_host(m, c, n, i));
    fputs("]}, ", out);
}

/* Groups in which each host has a message under way to each other: as many as are outstanding, and one more. */
static void put_loops(FILE *out, const struct traffic_model *m, const struct cell *c)
{
    uint32_t n = share_of(c, m->loop_senders / sending_of(m)), group = (uint32_t)fmax(2, fmin(n, floor(m->outstanding + 1.5)));

    if (m->loop_sizes.rows >= 2 && m->tiny > STORAGE_TINY && n > 2)
        put_storage(out, m, c);
    if (m->loop_sizes.rows < 2 || (m->tiny > STORAGE_TINY && n > 2))
        return;
    for (uint32_t first = 0; first + 1 < n; first += group) {
        uint32_t count = n - first < group ? n - first : group;

        fputs("{kind: posted, pattern: all_to_all, outstanding: 1, spread: 20us, sizes: ", out);
        put_sizes(out, &m->loop_sizes);
        fputs(", hosts: [", out);
        for (uint32_t i = 0; i < count; i++)
            fprintf(out, "%sh%u", i ? ", " : "", loop_host(m, c, n, first + i));
        fputs("]}, ", out);
    }
}

static char *traffic_of(const struct traffic_model *m, const struct cell *c, const struct detail *d, double seconds)
{
    char  *text = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    fputs("traffic=[", out);
    if (m->sizes.rows >= 2)
        put_open(out, m, c, wire_share(d));
    put_bursts(out, m, c, seconds);
    put_jobs(out, m, c);
    put_loops(out, m, c);
    fputs("]", out);
    fclose(out);
    return text;
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

/* Closed loops and jobs may be faster than with the setting in force. */
static double bps_of(const struct traffic_model *m, const struct cell *c)
{
    double bps = m->bps_per_host + m->bursts_per_s * m->burst_senders * m->burst_bytes * 8 + 1.3 * m->loop_bps_per_host;

    for (uint32_t i = 0; i < m->jobs; i++)
        bps += 1.3 * m->job[i].bps_per_host;
    return fmin(LOAD_MAX * cell_host_bps(c), bps / sending_of(m));
}

static double hops_per_s(const struct traffic_model *m, const struct cell *c, const struct detail *d)
{
    return c->racks * c->hosts * bps_of(m, c) / 8 / d->mtu * HOPS_TO_HOST * (1 + 1 / d->ack);
}

/* As long as the network has been watched with this traffic, or longer, until there are enough elephants in it. */
static double trial_s(const struct traffic_model *m, const struct cell *c, const struct detail *d)
{
    double bytes = mean_bytes(&m->sizes), per_s = c->racks * c->hosts * m->bps_per_host / 8, seconds = m->warm_s + m->window_s;
    double elephants_per_s = bytes > 0 ? per_s / bytes * elephant_share(&m->sizes) : 0;

    if (elephants_per_s > 0)
        seconds = fmax(seconds, fmin(LONGER_MAX * seconds, ELEPHANTS_WANTED / elephants_per_s));
    return fmin(seconds, HOPS_MAX / hops_per_s(m, c, d));
}

static struct cell choose_cell(const struct world *w, const struct traffic_model *m, const struct detail *d)
{
    struct cell c = cell_like_part(w, CELL_ALL, sending_of(m));

    return hops_per_s(m, &c, d) * (m->warm_s + m->window_s) > HOPS_MAX ? cell_like_part(w, HOSTS_LEAST, sending_of(m)) : c;
}

/* ---- all of it ---- */

static char *printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *printed(const char *format, ...)
{
    char   *text;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        die("out of memory");
    va_end(args);
    return text;
}

static void set_text(struct made *m, uint32_t at, char *text)
{
    free(m->set[at]);
    m->set[at] = text;
    m->all[m->twin.sets - SETS + at] = text;
}

static void set_topology(struct made *m, const struct cell *c)
{
    char  *text = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    fputs("topology=", out);
    cell_put(out, c);
    fclose(out);
    set_text(m, 0, text);
}

static void set_packets(struct made *m, double mtu, double ack)
{
    set_text(m, 1, printed("host.mtu=%.0fB", mtu));
    set_text(m, 2, printed("host.ack_every=%.0f", ack));
}

/* The buffer of a port stays what it is. */
static uint64_t buffer_of(const struct sim *s, const struct world *w, const struct cell *c)
{
    uint32_t ports = 0;

    for (uint32_t i = 0; i < w->devices; i++)
        if (w->device[i].tier == WORLD_TORS && w->device[i].ports > ports)
            ports = w->device[i].ports;
    return ports ? s->cfg.buffer_bytes * cell_ports(c) / ports : s->cfg.buffer_bytes;
}

static void fill(struct made *m, const struct simulation_input *in, const struct sim *s, const struct world *w,
                 const struct traffic_model *model, const struct cell *c, const struct detail *d)
{
    double seconds = trial_s(model, c, d);

    m->twin = (struct twin){ .name = in->name, .text = in->text, .text_bytes = in->text_bytes, .sets = in->sets + SETS,
                             .until_ps = (uint64_t)(seconds * (double)PS_PER_S), .drain = DRAIN, .jobs = in->threads,
                             .warm_ps = (uint64_t)(fmax(0, seconds - model->window_s) * (double)PS_PER_S) };
    m->all = xcalloc(m->twin.sets, sizeof(*m->all));
    m->twin.set = m->all;
    if (in->sets)
        memcpy(m->all, in->set, in->sets * sizeof(*m->all));
    set_topology(m, c);
    set_packets(m, d->real_mtu, d->real_ack);
    set_text(m, 3, traffic_of(model, c, d, seconds));
    set_text(m, 4, printed("run=%lluns", (unsigned long long)(LENGTH_MAX * (1 + DRAIN) * seconds * 1e9 + 1)));
    set_text(m, 5, printed("changes=[]"));
    set_text(m, 6, printed("switch.buffer=%lluB", (unsigned long long)buffer_of(s, w, c)));
    set_text(m, 7, printed("seed=1"));
}

/* Controls that go by round trips need every acknowledgement: their trials are as fine as the network. */
static struct detail detail_of(const struct world *w, const struct simulation *s)
{
    struct detail d = { .real_mtu = s->sim->cfg.mtu_bytes, .real_ack = s->sim->cfg.ack_every };

    d.mtu = !w->knobs && d.real_mtu < COARSE_MTU ? COARSE_MTU : d.real_mtu;
    d.ack = !w->knobs && d.real_ack < COARSE_ACK ? COARSE_ACK : d.real_ack;
    return d;
}

/* Trials have links that work and settings that stay: what happens to the network, reports tell of as far as messages are slower. */
static const char *unaware_of(const struct simulation *s)
{
    bool has_failures = s->sim->cfg.changes > 0, has_changes = s->scenario.changes > 0;

    return has_failures && has_changes ? "links that fail, nor of changes" : has_failures ? "links that fail" : has_changes ? "changes" : NULL;
}

static int make(void *arg, const struct world *w, const struct traffic_model *model, struct predictor *p, struct err *err)
{
    const struct simulation_input *in = arg;
    struct simulation_input        plain = *in;
    struct simulation              s;
    struct cell                    cell;
    struct detail                  detail;
    struct made                   *m;
    const char                    *unaware;
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
    unaware = unaware_of(&s);
    simulation_close(&s);
    *p = twin_predictor(&m->twin);
    p->unaware_of = unaware;
    rc = cell_fit(&cell, &m->twin, cell.delay_ps, err);
    if (rc) {
        drop(p);
        return rc;
    }
    set_topology(m, &cell);
    set_packets(m, detail.mtu, detail.ack);
    return 0;
}

const struct predict_maker twin_maker = { make, drop };
