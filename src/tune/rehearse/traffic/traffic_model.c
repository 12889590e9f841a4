#include "tune/rehearse/traffic/traffic_model.h"
#include "base/minmax.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>

#define LOAD_APART  0.40         /* of log load: half as much again is another traffic */
#define NOISE_MAX   0.6          /* of both windows that are compared: more is another traffic all the same */
#define SHARE_APART 0.25         /* of the bytes of a class, or of a kind */
#define LOOP_ALL    1.5          /* times as many bytes in chains as not: all belong to closed loops */
#define CHAINED_SURE 3.0         /* standard deviations beyond chance by which messages must follow others */
#define TINY_BYTES  256          /* at most: requests, and answers without data */
#define PAUSE_MAX_S 1.0          /* of a job */

/* ---- making one ---- */

struct bins { uint32_t count[SEEN_BINS]; uint64_t bytes[SEEN_BINS]; };

static void add_bins(struct bins *to, const uint32_t *count, const uint64_t *bytes)
{
    for (int i = 0; i < SEEN_BINS; i++) {
        to->count[i] += count[i];
        to->bytes[i] += bytes[i];
    }
}

static double count_of(const struct bins *b)
{
    double sum = 0;

    for (int i = 0; i < SEEN_BINS; i++)
        sum += b->count[i];
    return sum;
}

static double bytes_of(const struct bins *b)
{
    double sum = 0;

    for (int i = 0; i < SEEN_BINS; i++)
        sum += (double)b->bytes[i];
    return sum;
}

/* A bin becomes a row: sizes from the end of the row before to as far above the bin's mean. Where the row
 * before is far below, one without messages comes first. */
static void add_sizes(struct traffic_sizes *to, const struct bins *b)
{
    double sum = 0, all = count_of(b);

    for (uint32_t i = 0; i < SEEN_BINS && to->rows + 2 < TRAFFIC_SIZES_MAX; i++) {
        double mean, before = to->rows ? to->row[to->rows - 1].bytes : 0;

        if (!b->count[i])
            continue;
        mean = (double)b->bytes[i] / b->count[i];
        if (to->rows == 0 || before < mean * 0.8) {
            before = fmax(before + 1, fmin(mean, (double)seen_bin_min(i)));
            to->row[to->rows].bytes = before;
            to->row[to->rows++].p = sum;
        }
        sum += b->count[i] / all;
        to->row[to->rows].bytes = fmax(2 * mean - before, before + 1);
        to->row[to->rows++].p = sum;
    }
}

static void add_jobs(struct traffic_model *m, const struct seen *s, uint32_t hosts)
{
    for (int i = 0; i < SEEN_JOBS && s->job[i].bytes; i++) {
        const struct seen_job *job = &s->job[i];

        if (!job->senders)
            continue;
        m->job[m->jobs++] = (struct traffic_job){
            .bytes = (double)job->bytes, .senders = fmin(1, (double)job->senders / hosts),
            .peers = (double)job->pairs / job->senders,
            .times = (double)job->messages / fmax(1, job->firsts),
            .pause_s = job->pauses ? fmin(PAUSE_MAX_S, job->pause_s / job->pauses) : 0,
            .local = (double)job->local / job->messages };
    }
}

static void add_loops(struct traffic_model *m, const struct seen *s, const struct bins *chained,
                      double seconds, uint32_t hosts)
{
    double senders = fmax(1, s->chain_senders), tiny = s->chain_tiny, known = 0, known_bytes = 0;

    for (int i = 0; i < SEEN_BINS; i++)
        known += s->chain_bin[i], known_bytes += (double)s->chain_bytes[i];
    for (uint32_t i = 0; i <= seen_bin(TINY_BYTES); i++)
        tiny += chained->count[i] - s->chain_bin[i];         /* that were not seen to follow from others */

    m->loop_bps_per_host = bytes_of(chained) * 8 / seconds / hosts;
    m->loop_senders = fmin(1, senders / hosts);
    m->outstanding = fmax(1, s->chain_s / seconds / senders * count_of(chained) / fmax(1, known));
    m->tiny = tiny / fmax(1, count_of(chained));
    m->hubs = s->chain_hubs / senders;
    m->hub_bytes = (double)s->chain_hub_bytes / fmax(1, known_bytes);
    add_sizes(&m->loop_sizes, chained);
}

/* Some messages follow others by chance, and not all of a closed loop are detected: the larger part wins. */
static void sort_bins(const struct seen *s, struct bins *open, struct bins *chained)
{
    struct bins random = { 0 }, follow = { 0 };
    bool        is_loop = model_chained(s) >= MODEL_LOOP;

    add_bins(&random, s->bin, s->bin_bytes);
    add_bins(&follow, s->chain_bin, s->chain_bytes);
    add_bins(is_loop && bytes_of(&follow) > LOOP_ALL * bytes_of(&random) ? chained : open, random.count,
             random.bytes);
    add_bins(is_loop ? chained : open, follow.count, follow.bytes);
}

/* Large messages come one by one: how far the bytes of a window are off by chance, as a share. */
static double noise_of(const struct bins *b)
{
    double squares = 0, bytes = bytes_of(b);

    for (int i = 0; i < SEEN_BINS; i++)
        if (b->count[i])
            squares += (double)b->bytes[i] * (double)b->bytes[i] / b->count[i];
    return bytes > 0 ? sqrt(squares) / bytes : 0;
}

double model_noise(const struct seen *s)
{
    struct bins all = { 0 };

    add_bins(&all, s->bin, s->bin_bytes);
    add_bins(&all, s->chain_bin, s->chain_bytes);
    return noise_of(&all);
}

bool model_make(struct traffic_model *m, const struct seen *s, double seconds, uint32_t hosts)
{
    struct bins open = { 0 }, chained = { 0 };

    *m = (struct traffic_model){ 0 };
    if (!s->posted || seconds <= 0 || hosts == 0)
        return false;
    sort_bins(s, &open, &chained);
    m->noise = noise_of(&open);
    m->local = (double)s->local_bytes / fmax(1, bytes_of(&open));
    m->bps_per_host = bytes_of(&open) * 8 / seconds / hosts;
    if (count_of(&open) > 0)
        add_sizes(&m->sizes, &open);
    if (count_of(&chained) > 0)
        add_loops(m, s, &chained, seconds, hosts);
    add_jobs(m, s, hosts);
    for (uint32_t i = 0; i < m->jobs; i++)
        m->job[i].bps_per_host = m->job[i].bytes * s->job[i].messages * 8 / seconds / hosts;
    if (s->bursts) {
        m->bursts_per_s = (double)s->bursts / seconds / hosts;
        m->burst_senders = (double)s->burst_messages / (double)s->bursts;
        m->burst_bytes = (double)s->burst_bytes / (double)s->burst_messages;
    }
    return m->sizes.rows || m->loop_sizes.rows || m->jobs || s->bursts;
}

double model_chained(const struct seen *s)
{
    double chained = 0, all = 0;

    for (int i = 0; i < SEEN_BINS; i++) {
        chained += (double)s->chain_bytes[i];
        all += (double)s->bin_bytes[i];
    }
    all += chained - s->chance_bytes;
    chained -= s->chance_bytes;
    if (chained <= CHAINED_SURE * sqrt(s->chance_squares))
        return 0;
    return chained / all;
}

/* ---- comparing ---- */

enum kind { AT_RANDOM, IN_BURSTS, IN_JOBS, IN_LOOPS, KINDS };

static double kind_bps(const struct traffic_model *m, enum kind kind)
{
    double sum = 0;

    for (uint32_t i = 0; i < m->jobs; i++)
        sum += m->job[i].bps_per_host;
    return kind == AT_RANDOM ? m->bps_per_host : kind == IN_LOOPS ? m->loop_bps_per_host :
           kind == IN_JOBS ? sum
           : m->bursts_per_s * m->burst_senders * m->burst_bytes * 8;
}

double model_bps(const struct traffic_model *m)
{
    double sum = 0;

    for (int i = 0; i < KINDS; i++)
        sum += kind_bps(m, i);
    return sum;
}

double model_following(const struct traffic_model *m)
{
    return (kind_bps(m, IN_JOBS) + kind_bps(m, IN_LOOPS)) / fmax(1, model_bps(m));
}

/* Bytes of messages of a class among those that come at random, as a share. */
static double byte_share(const struct traffic_model *m, enum predict_class class)
{
    const struct traffic_sizes *s = &m->sizes;
    double                      sum = 0, all = 0;

    for (uint32_t i = 1; i < s->rows; i++) {
        double middle = (s->row[i].bytes + s->row[i - 1].bytes) / 2,
               bytes = (s->row[i].p - s->row[i - 1].p) * middle;

        all += bytes;
        sum += predict_class_of((uint64_t)middle) == class ? bytes : 0;
    }
    return all > 0 ? sum / all : 0;
}

/* The load of closed loops and collectives depends on the setting, so it does not tell traffic apart. */
double model_distance(const struct traffic_model *a, const struct traffic_model *b)
{
    double apart = 0, loads[2] = { 0, 0 }, shares[2] = { 0, 0 },
           noise = fmin(NOISE_MAX, 1.5 * (a->noise + b->noise));

    for (int i = 0; i < KINDS; i++) {
        double x = kind_bps(a, i) / fmax(1, model_bps(a)), y = kind_bps(b, i) / fmax(1, model_bps(b));

        apart = fmax(apart, fabs(x - y) / SHARE_APART / 2);
        loads[0] += i == AT_RANDOM || i == IN_BURSTS ? kind_bps(a, i) : 0;
        loads[1] += i == AT_RANDOM || i == IN_BURSTS ? kind_bps(b, i) : 0;
    }
    shares[0] = kind_bps(a, AT_RANDOM) / fmax(1, model_bps(a));
    shares[1] = kind_bps(b, AT_RANDOM) / fmax(1, model_bps(b));
    if (fmax(shares[0], shares[1]) > 0.1)
        apart = fmax(apart, fabs(rng_log(fmax(1, loads[0]) / fmax(1, loads[1]))) / (LOAD_APART + noise));
    for (int i = 0; i < PREDICT_CLASSES; i++)
        apart = fmax(apart, fmin(shares[0], shares[1]) * fabs(byte_share(a, i) - byte_share(b, i))
                            / (SHARE_APART + noise / 2));
    return apart;
}

/* ---- text ---- */

char *model_text(const struct traffic_model *m, char *buf, size_t size)
{
    static const char *const name[KINDS] = { "at random", "in bursts", "in collectives", "in closed loops" };
    double                   all = fmax(1, model_bps(m));
    size_t                   at = (size_t)snprintf(buf, size, "%.1f Gb/s per host", all / 1e9);

    for (int i = 0; i < KINDS && at < size; i++)
        if (kind_bps(m, i) > 0.005 * all)
            at += (size_t)snprintf(buf + at, size - at, ", %.0f %% %s", 100 * kind_bps(m, i) / all, name[i]);
    return buf;
}

/* ---- earlier results ---- */

#define ALIKE 0.5                /* model_distance() of the same traffic, at most */

static uint32_t nearest(const struct memories *m, const struct traffic_model *model)
{
    uint32_t best = MEMORIES;
    double   least = ALIKE;

    for (uint32_t i = 0; i < min_u32(m->made, MEMORIES); i++) {
        double apart = model_distance(&m->memory[i].model, model);

        best = apart < least ? i : best;
        least = fmin(apart, least);
    }
    return best;
}

const struct memory *memory_recall(const struct memories *m, const struct traffic_model *model)
{
    uint32_t i = nearest(m, model);

    return i < MEMORIES ? &m->memory[i] : NULL;
}

void memory_add(struct memories *m, const struct traffic_model *model, const struct knobs *k, bool is_bad)
{
    uint32_t i = nearest(m, model);

    if (i == MEMORIES)
        i = m->made++ % MEMORIES;
    m->memory[i] = (struct memory){ *model, *k, is_bad };
}

uint32_t memory_good(const struct memories *m, struct knobs *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < min_u32(m->made, MEMORIES); i++)
        if (!m->memory[i].is_bad)
            out[count++] = m->memory[i].knobs;
    return count;
}
