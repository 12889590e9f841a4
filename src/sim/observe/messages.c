/* src/sim/observe/messages.c - see messages.h. */
#include "sim/observe/messages.h"
#include "core/units.h"
#include "sim/host/pair/pair.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BURST_SENDERS 4
#define SLACK_PS      (2 * PS_PER_US)        /* from the end of one message to the next, in software */

#define JOB_LEAST     8                      /* messages of a job in an interval */
#define JOB_BYTES     4096                   /* of each: shorter ones are requests and answers */
#define JOB_SHARE     0.02                   /* of all bytes, at least; */
#define JOB_SHARE_SURE 0.25                  /* and with so much they are one, whoever sends them */
#define JOB_DISPERSION 0.5
#define TINY_BYTES    256                    /* at most: requests, and answers without data */

/* What a host's part takes on a wire, at most: who and when, six classes of a count and a sum, what struct seen has of chains, and of
 * bursts to the host; of each bin that is not empty its number, messages and bytes in whole numbers of variable length; of a size
 * that is a job's what struct seen_job has of it. */
#define TOLD_ALWAYS   (16 + 6 * 8 + 24 + 12)
#define TOLD_BIN      (1 + 3 + 5)
#define TOLD_JOB      32

struct post { uint64_t at_ps, took_ps, bytes; uint32_t src, dst; };      /* took: until now, if it is not over */
struct end  { uint64_t at_ps; uint32_t host; };

#define BIN_WORDS ((2 * SEEN_BINS + 63) / 64)

struct messages {
    const struct sim *sim;
    uint32_t         *rack;      /* [node]: the switch that a host is at */
    struct post      *post;
    struct end       *end;
    uint64_t         *last_ps;   /* [node]: when its last message had ended before this interval */
    uint64_t         *chained;   /* [node]: bytes that it has posted in chains */
    double           *chance;    /* [node]: that a message follows from another only by chance */
    uint32_t         *count;     /* [node]: 0 but while something is counted */
    uint32_t         *told;      /* [node]: bytes that it needs to tell what it saw in this interval */
    uint64_t        (*bins)[BIN_WORDS];      /* [node]: a bit for each bin in which it has a message, those in chains behind the others */
    size_t            posts, posts_max, ends, ends_max;
    uint64_t          was_ps;
    struct seen_class done[PREDICT_CLASSES];
};

struct messages *messages_new(const struct sim *s)
{
    struct messages *m = xcalloc(1, sizeof(*m));

    m->sim = s;
    m->rack = xcalloc(s->net.nodes + 1ul, sizeof(*m->rack));
    m->last_ps = xcalloc(s->net.nodes + 1ul, sizeof(*m->last_ps));
    m->chained = xcalloc(s->net.nodes + 1ul, sizeof(*m->chained));
    m->chance = xcalloc(s->net.nodes + 1ul, sizeof(*m->chance));
    m->count = xcalloc(s->net.nodes + 1ul, sizeof(*m->count));
    m->told = xcalloc(s->net.nodes + 1ul, sizeof(*m->told));
    m->bins = xcalloc(s->net.nodes + 1ul, sizeof(*m->bins));
    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];

        if (!p->is_switch)
            m->rack[p->node->id] = p->peer->node->id;
    }
    return m;
}

void messages_free(struct messages *m)
{
    if (!m)
        return;
    free(m->rack);
    free(m->post);
    free(m->end);
    free(m->last_ps);
    free(m->chained);
    free(m->chance);
    free(m->count);
    free(m->told);
    free(m->bins);
    free(m);
}

static void add_post(struct messages *m, const struct post *p)
{
    if (m->posts == m->posts_max) {
        m->posts_max = m->posts_max ? 2 * m->posts_max : 1024;
        m->post = xrealloc(m->post, m->posts_max * sizeof(*m->post));
    }
    m->post[m->posts++] = *p;
}

static void add_end(struct messages *m, uint64_t at_ps, uint32_t host)
{
    if (m->ends == m->ends_max) {
        m->ends_max = m->ends_max ? 2 * m->ends_max : 1024;
        m->end = xrealloc(m->end, m->ends_max * sizeof(*m->end));
    }
    m->end[m->ends++] = (struct end){ at_ps, host };
}

/* In steps of 2^-16: sums are exact, whatever the order in which messages end. */
static double whole_steps(double slowdown)
{
    return (double)(uint64_t)(slowdown * 65536) / 65536;
}

void messages_on_done(struct messages *m, const struct flow_result *r)
{
    struct seen_class *c = &m->done[predict_class_of(r->bytes)];
    double             slowdown = (double)r->fct_ps / (double)r->ideal_ps;
    uint64_t           end_ps = r->start_ps + r->fct_ps;

    c->messages++;
    c->slowdowns += whole_steps(slowdown < 1 ? 1 : slowdown);
    add_end(m, end_ps, r->src);
    add_end(m, end_ps - sim_base_rtt_ps(m->sim, r->src, r->dst) / 2, r->dst);
    if (r->start_ps >= m->was_ps)
        add_post(m, &(struct post){ r->start_ps, r->fct_ps, r->bytes, r->src, r->dst });
}

/* ---- those that are not over ---- */

static void add_waiting(struct messages *m, struct seen *out, const struct post *p, uint64_t left, uint64_t ideal_ps,
                        uint64_t now_ps)
{
    struct seen_class *c = &out->waiting[predict_class_of(p->bytes)];
    double             least;

    if (!p->bytes || !ideal_ps || p->at_ps >= now_ps)        /* of this very moment: the next interval's */
        return;
    least = (double)(now_ps - p->at_ps) / (double)ideal_ps + (double)left / (double)p->bytes;
    c->messages++;
    c->slowdowns += whole_steps(least < 1 ? 1 : least);
    if (p->at_ps >= m->was_ps)
        add_post(m, p);
}

static void look_at_waiting(struct messages *m, uint64_t now_ps, struct seen *out)
{
    const struct sim *s = m->sim;

    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; ) {
        const struct flow *f = &s->flows.flow[i];
        struct post        p = { f->start_ps, now_ps - f->start_ps, pair_bytes(s, f), f->src, f->dst };

        add_waiting(m, out, &p, p.bytes - pair_acked(s, f), f->ideal_ps, now_ps);
        if (!f->is_lasting)
            continue;
        for (uint32_t id = s->flows.pairs.posted[pair_of(s, f)->head].next; id; id = s->flows.pairs.posted[id].next) {
            const struct posted *w = &s->flows.pairs.posted[id];

            p.at_ps = w->start_ps;
            p.took_ps = now_ps - w->start_ps;
            p.bytes = w->end - w->begin;
            add_waiting(m, out, &p, p.bytes, w->ideal_ps, now_ps);
        }
    }
}

/* ---- which belong together ---- */

static int by_host(const void *a, const void *b)
{
    const struct end *x = a, *y = b;

    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return (x->at_ps > y->at_ps) - (x->at_ps < y->at_ps);
}

static int compare(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

/* By size, then by receiver and time: a burst is a run of them. */
static int by_receiver(const void *a, const void *b)
{
    const struct post *x = a, *y = b;
    int                order = compare(x->bytes, y->bytes);

    order = order ? order : compare(x->dst, y->dst);
    order = order ? order : compare(x->at_ps, y->at_ps);
    order = order ? order : compare(x->src, y->src);
    return order ? order : compare(x->took_ps, y->took_ps);          /* the same, whatever the order in which they ended */
}

/* By sender and receiver. */
static int by_pair(const void *a, const void *b)
{
    const struct post *x = a, *y = b;
    int                order = compare(x->src, y->src);

    order = order ? order : compare(x->dst, y->dst);
    return order ? order : compare(x->at_ps, y->at_ps);
}

/* The last end at a host that was not after at_ps; 0: there is none. 'list' is sorted. */
static uint64_t last_of(const struct end *list, size_t count, uint32_t host, uint64_t at_ps)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (list[middle].host < host || (list[middle].host == host && list[middle].at_ps <= at_ps))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && list[low - 1].host == host ? list[low - 1].at_ps : 0;
}

/* When the last message of a host had ended before it posted this one; 0: none had. */
static uint64_t last_end(const struct messages *m, const struct post *p)
{
    uint64_t now = last_of(m->end, m->ends, p->src, p->at_ps + SLACK_PS);

    return now ? now : m->last_ps[p->src];
}

/* When a receiver has a message is known to within SLACK_PS, so it may seem to have come a little later. */
static bool is_chained(const struct messages *m, const struct post *p)
{
    uint64_t last = last_end(m, p);

    return last && p->at_ps <= last + SLACK_PS;
}

/* ---- jobs ---- */

/* How much hosts differ in what they post of one size: variance over mean. About 1 if they do it at random, near 0 in a
 * collective, in which each does the same. */
static double dispersion(const struct messages *m, const struct post *p, size_t count)
{
    double senders = 0, squares = 0, mean;

    for (size_t i = 0; i < count; i++)
        senders += m->count[p[i].src]++ == 0;
    mean = (double)count / senders;
    for (size_t i = 0; i < count; i++) {
        double n = m->count[p[i].src];

        squares += (n - mean) * (n - mean);
        m->count[p[i].src] = 0;
    }
    return mean < 2 ? 1 : squares / senders / mean;
}

/* Do most of them start together with others of that size from several hosts to several? Receivers come one after the other in
 * the list, so each post of the first receiver is looked for among those of the second. */
static bool is_at_once(const struct post *p, size_t count)
{
    size_t first = 1, second, met = 0, i = 0;

    while (first < count && p[first].dst == p->dst)
        first++;
    for (second = first; second < count && p[second].dst == p[first].dst; )
        second++;
    if (first < BURST_SENDERS || second - first < BURST_SENDERS || second == count)
        return false;
    for (size_t k = first; k < second; k++) {
        while (i + 1 < first && p[i].at_ps + SLACK_PS < p[k].at_ps)
            i++;
        met += p[i].at_ps <= p[k].at_ps + SLACK_PS && p[k].at_ps <= p[i].at_ps + SLACK_PS;
    }
    return 2 * met >= second - first;
}

/* Posts of one size: are they of a job? */
static bool is_job(const struct messages *m, const struct post *p, size_t count, uint64_t all_bytes)
{
    double share = (double)(count * p->bytes) / (double)all_bytes;
    size_t chained = 0;

    if (count < JOB_LEAST || p->bytes < JOB_BYTES || share < JOB_SHARE)
        return false;
    for (size_t i = 0; i < count; i++)
        chained += is_chained(m, &p[i]);
    return (2 * chained >= count || is_at_once(p, count)) && (share > JOB_SHARE_SURE || dispersion(m, p, count) < JOB_DISPERSION);
}

static void look_at_job(struct messages *m, struct post *p, size_t count, struct seen_job *job)
{
    *job = (struct seen_job){ .bytes = p->bytes, .messages = (uint32_t)count };
    qsort(p, count, sizeof(*p), by_pair);
    for (size_t i = 0; i < count; i++) {
        uint64_t last = last_end(m, &p[i]);

        if (i == 0 || p[i].src != p[i - 1].src) {
            job->senders++;
            m->told[p[i].src] += TOLD_JOB;
        }
        job->pairs += i == 0 || p[i].src != p[i - 1].src || p[i].dst != p[i - 1].dst;
        job->local += m->rack[p[i].src] == m->rack[p[i].dst];
        if (last && p[i].at_ps <= last + SLACK_PS)
            continue;
        job->firsts++;
        if (last) {
            job->pauses++;
            job->pause_s += (double)(p[i].at_ps - last) / (double)PS_PER_S;
        }
    }
}

/* Where the next job goes: a free place, or that of a smaller one; NULL: it is the smallest. */
static struct seen_job *place_for(struct seen *out, uint64_t bytes)
{
    struct seen_job *least = &out->job[0];

    for (int i = 0; i < SEEN_JOBS; i++) {
        if (!out->job[i].bytes)
            return &out->job[i];
        if (out->job[i].bytes * out->job[i].messages < least->bytes * least->messages)
            least = &out->job[i];
    }
    return least->bytes * least->messages < bytes ? least : NULL;
}

/* ---- the rest ---- */

/* How many from 'first' on are one burst; fewer than BURST_SENDERS are none. */
static size_t burst_at(const struct post *p, size_t left)
{
    size_t count = 1, senders = 1;

    while (count < left && p[count].dst == p->dst && p[count].at_ps - p->at_ps <= SLACK_PS) {
        senders += p[count].src != p[count - 1].src;
        count++;
    }
    return senders >= BURST_SENDERS ? count : 0;
}

static void tell_bin(struct messages *m, uint32_t host, uint32_t bin)
{
    uint64_t *word = &m->bins[host][bin / 64], bit = 1ull << bin % 64;

    if (*word & bit)
        return;
    *word |= bit;
    m->told[host] += TOLD_BIN;
}

static void count_single(struct messages *m, const struct post *p, struct seen *out)
{
    uint32_t bin = seen_bin(p->bytes);
    bool     is_chain = is_chained(m, p);

    tell_bin(m, p->src, is_chain ? SEEN_BINS + bin : bin);
    out->chance_bytes += (double)p->bytes * m->chance[p->src];
    out->chance_squares += (double)p->bytes * (double)p->bytes * m->chance[p->src] * (1 - m->chance[p->src]);
    if (is_chain) {
        out->chain_bin[bin]++;
        out->chain_bytes[bin] += p->bytes;
        out->chain_s += (double)p->took_ps / (double)PS_PER_S;
        out->chain_tiny += p->bytes <= TINY_BYTES;
        m->chained[p->src] += p->bytes;
        return;
    }
    out->bin[bin]++;
    out->bin_bytes[bin] += p->bytes;
    if (m->rack[p->src] == m->rack[p->dst])
        out->local_bytes += p->bytes;
}

/* Posts of one size that are no job. */
static void count_others(struct messages *m, const struct post *p, size_t count, struct seen *out)
{
    size_t burst;

    for (size_t i = 0; i < count; i += burst ? burst : 1) {
        burst = burst_at(&p[i], count - i);
        if (!burst) {
            count_single(m, &p[i], out);
            continue;
        }
        out->bursts++;
        out->burst_messages += burst;
        out->burst_bytes += burst * p[i].bytes;
    }
}

static void count_hubs(const struct messages *m, struct seen *out)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < m->sim->net.nodes; i++) {
        out->chain_senders += m->chained[i] > 0;
        bytes += m->chained[i];
    }
    for (uint32_t i = 0; i < m->sim->net.nodes; i++)
        if (m->chained[i] * out->chain_senders > bytes) {
            out->chain_hubs++;
            out->chain_hub_bytes += m->chained[i];
        }
}

/* The time in which a message would be taken to follow from one that ended, for all of a host's that ended. */
static void find_chances(struct messages *m, uint64_t now_ps)
{
    double covered = 2.0 * SLACK_PS / (double)(now_ps - m->was_ps);

    memset(m->chance, 0, m->sim->net.nodes * sizeof(*m->chance));
    for (size_t i = 0; i < m->ends; i++)
        m->chance[m->end[i].host] += covered * (1 - m->chance[m->end[i].host]);
}

static void begin_telling(struct messages *m)
{
    memset(m->bins, 0, m->sim->net.nodes * sizeof(*m->bins));
    for (uint32_t i = 0; i < m->sim->net.nodes; i++)
        m->told[i] = TOLD_ALWAYS;
}

static void count_told(const struct messages *m, struct seen *out)
{
    for (uint32_t i = 0; i < m->sim->net.nodes; i++)
        if (m->told[i] > out->told_bytes)
            out->told_bytes = m->told[i];
}

static void count_posts(struct messages *m, struct seen *out)
{
    size_t count;

    if (m->ends)
        qsort(m->end, m->ends, sizeof(*m->end), by_host);
    if (m->posts)
        qsort(m->post, m->posts, sizeof(*m->post), by_receiver);
    memset(m->chained, 0, m->sim->net.nodes * sizeof(*m->chained));
    begin_telling(m);
    out->posted = m->posts;
    for (size_t i = 0; i < m->posts; i++)
        out->posted_bytes += m->post[i].bytes;
    for (size_t i = 0; i < m->posts; i += count) {
        struct post     *p = &m->post[i];
        struct seen_job *job;

        for (count = 1; i + count < m->posts && p[count].bytes == p->bytes; )
            count++;
        job = is_job(m, p, count, out->posted_bytes) ? place_for(out, count * p->bytes) : NULL;
        if (job)
            look_at_job(m, p, count, job);
        else
            count_others(m, p, count, out);
    }
    count_hubs(m, out);
    count_told(m, out);
}

void messages_read(struct messages *m, uint64_t now_ps, struct seen *out)
{
    *out = (struct seen){ 0 };
    memcpy(out->done, m->done, sizeof(out->done));
    look_at_waiting(m, now_ps, out);
    find_chances(m, now_ps);
    count_posts(m, out);
    for (size_t i = 0; i < m->ends; i++)
        if (m->end[i].at_ps > m->last_ps[m->end[i].host])
            m->last_ps[m->end[i].host] = m->end[i].at_ps;
    m->ends = m->posts = 0;
    memset(m->done, 0, sizeof(m->done));
    m->was_ps = now_ps;
}
