#include "sim/observe/messages.h"
#include "base/minmax.h"
#include "core/units.h"
#include "sim/nic/flow.h"
#include "sim/state/ideal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BURST_SENDERS 4
#define SLACK_PS      (2 * PS_PER_US)        /* software delay from the end of one message to the next */

#define JOB_LEAST     8                      /* least number of messages of a job per interval */
#define JOB_BYTES     4096                   /* least size: shorter messages are requests and responses */
#define JOB_SHARE     0.02                   /* least share of all bytes */
#define JOB_SHARE_SURE 0.25                  /* with this share it is a job, even if senders differ */
#define JOB_DISPERSION 0.5
#define JOB_CREDIT    8                      /* largest number of intervals that count in favour of a size */
#define JOB_KNOWN     2                      /* intervals for a known job; one against it subtracts two */
#define TINY_BYTES    256                    /* limit for requests, and responses without data */

/* took_ps: until now, if the message is unfinished */
struct post { uint64_t at_ps, took_ps, bytes; uint32_t src, dst; };
struct end  { uint64_t at_ps; uint32_t host; };

struct known { uint64_t bytes; uint32_t credit; };       /* a size that was classified as a job */

struct place { uint32_t single, chain; };    /* rows of a host added last, counted from 1; 0: none */

struct host_seen {
    uint32_t         rack;       /* its switch */
    uint32_t         count;      /* scratch counter, 0 between uses */
    uint64_t         last_ps;    /* end of its last message before this interval */
    double           chance;     /* probability that a message is chained only by chance */
    struct place     place;
    struct seen_part part;       /* observations of the last interval that was read */
    struct seen_part_class done[PREDICT_CLASSES];        /* completions since then */
};

struct messages {
    const struct sim *sim;
    struct post      *post;
    struct end       *end;
    struct host_seen *host;      /* by node */
    const struct seen_part **part;           /* by node: its part; NULL: a switch */
    uint32_t          posts, posts_max, ends, ends_max;
    struct known      known[SEEN_JOBS];
    uint64_t          was_ps;
};

struct messages *messages_new(const struct sim *s)
{
    struct messages *m = xcalloc(1, sizeof(*m));

    m->sim = s;
    m->host = xcalloc(s->net.nodes + 1ul, sizeof(*m->host));
    m->part = xcalloc(s->net.nodes + 1ul, sizeof(*m->part));
    for (uint32_t i = 0; i < s->net.nodes; i++)
        m->part[i] = s->net.node[i].is_switch ? NULL : &m->host[i].part;
    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];

        if (!p->is_switch)
            m->host[p->node->id].rack = p->peer->node->id;
    }
    return m;
}

void messages_free(struct messages *m)
{
    if (!m)
        return;
    free(m->post);
    free(m->end);
    free(m->host);
    free(m->part);
    free(m);
}

static void add_post(struct messages *m, const struct post *p)
{
    m->post = xgrow(m->post, m->posts, &m->posts_max, 1024, sizeof(*m->post));
    m->post[m->posts++] = *p;
}

static void add_end(struct messages *m, uint64_t at_ps, uint32_t host)
{
    m->end = xgrow(m->end, m->ends, &m->ends_max, 1024, sizeof(*m->end));
    m->end[m->ends++] = (struct end){ at_ps, host };
}

/* Uses integer steps: sums are exact and do not depend on the order in which messages end. */
static void count_slowdown(struct seen_part_class *c, double slowdown)
{
    c->messages++;
    c->steps += (uint64_t)((slowdown < 1 ? 1 : slowdown) * SEEN_STEPS);
}

void messages_on_done(struct messages *m, const struct flow_result *r)
{
    uint64_t end_ps = r->start_ps + r->fct_ps;

    count_slowdown(&m->host[r->src].done[predict_class_of(r->bytes)],
                   (double)r->fct_ps / (double)r->ideal_ps);
    add_end(m, end_ps, r->src);
    add_end(m, end_ps - sim_base_rtt_ps(m->sim, r->src, r->dst) / 2, r->dst);
    if (r->start_ps >= m->was_ps)
        add_post(m, &(struct post){ r->start_ps, r->fct_ps, r->bytes, r->src, r->dst });
}

static void follow(void *arg, const struct flow_result *r)
{
    messages_on_done(arg, r);
}

void messages_follow(struct messages *m, struct sim *s)
{
    s->engine.hooks = (struct sim_hooks){ .arg = m, .flow_done = follow };
}

/* ---- unfinished messages ---- */

static void add_waiting(struct messages *m, const struct post *p, uint64_t left, uint64_t ideal_ps,
                        uint64_t now_ps)
{
    if (!p->bytes || !ideal_ps || p->at_ps >= now_ps)        /* posted now: belongs to the next interval */
        return;
    count_slowdown(&m->host[p->src].part.waiting[predict_class_of(p->bytes)],
                   (double)(now_ps - p->at_ps) / (double)ideal_ps + (double)left / (double)p->bytes);
    if (p->at_ps >= m->was_ps)
        add_post(m, p);
}

static void look_at_waiting(struct messages *m, uint64_t now_ps)
{
    const struct sim *s = m->sim;

    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; ) {
        const struct flow *f = &s->flows.flow[i];
        struct post        p = { f->start_ps, now_ps - f->start_ps, pair_bytes(s, f), f->src, f->dst };

        add_waiting(m, &p, p.bytes - pair_acked(s, f), f->ideal_ps, now_ps);
        if (!f->is_lasting)
            continue;
        for (uint32_t id = s->flows.pairs.posted[pair_of(s, f)->head].next; id;
             id = s->flows.pairs.posted[id].next) {
            const struct posted *w = &s->flows.pairs.posted[id];

            p.at_ps = w->start_ps;
            p.took_ps = now_ps - w->start_ps;
            p.bytes = w->end - w->begin;
            add_waiting(m, &p, p.bytes, w->ideal_ps, now_ps);
        }
    }
}

/* ---- which messages belong together ---- */

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

/* Sorts by size, then by receiver and time, so that a burst is a contiguous run. */
static int by_receiver(const void *a, const void *b)
{
    const struct post *x = a, *y = b;
    int                order = compare(x->bytes, y->bytes);

    order = order ? order : compare(x->dst, y->dst);
    order = order ? order : compare(x->at_ps, y->at_ps);
    order = order ? order : compare(x->src, y->src);
    return order ? order : compare(x->took_ps, y->took_ps);          /* in any order of ends */
}

/* Sorts by sender and receiver. */
static int by_pair(const void *a, const void *b)
{
    const struct post *x = a, *y = b;
    int                order = compare(x->src, y->src);

    order = order ? order : compare(x->dst, y->dst);
    return order ? order : compare(x->at_ps, y->at_ps);
}

/* Returns the last end at a host not after at_ps, or 0. 'list' is sorted. */
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

/* Returns when the last message of a host ended before it posted this one, or 0. */
static uint64_t last_end(const struct messages *m, const struct post *p)
{
    uint64_t now = last_of(m->end, m->ends, p->src, p->at_ps + SLACK_PS);

    return now ? now : m->host[p->src].last_ps;
}

/* Arrivals are known to within SLACK_PS only, so the message before may seem to end slightly later. */
static bool is_chained(const struct messages *m, const struct post *p)
{
    uint64_t last = last_end(m, p);

    return last && p->at_ps <= last + SLACK_PS;
}

/* ---- jobs ---- */

/* Returns how much hosts differ in the number of posts of one size: variance over mean. About 1 if they post
 * at random, near 0 in a collective, in which each posts the same. */
static double dispersion(const struct messages *m, const struct post *p, size_t count)
{
    double senders = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        senders += m->host[p[i].src].count++ == 0;
    double mean = (double)count / senders;
    for (size_t i = 0; i < count; i++) {
        double n = m->host[p[i].src].count;

        squares += (n - mean) * (n - mean);
        m->host[p[i].src].count = 0;
    }
    return mean < 2 ? 1 : squares / senders / mean;
}

/* Returns true if most messages start together with others of that size, from several hosts to several. Posts
 * are sorted by receiver, so each post to the first receiver is looked up among those to the second. */
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

/* Returns true if posts of one size look like a job, without regard to earlier intervals. */
static bool seems_job(const struct messages *m, const struct post *p, size_t count, double share)
{
    size_t chained = 0;

    for (size_t i = 0; i < count; i++)
        chained += is_chained(m, &p[i]);
    return (2 * chained >= count || is_at_once(p, count)) &&
           (share > JOB_SHARE_SURE || dispersion(m, p, count) < JOB_DISPERSION);
}

/* Returns the entry of a known size, or the entry with the least credit. */
static struct known *known_of(struct messages *m, uint64_t bytes)
{
    struct known *least = &m->known[0];

    for (int i = 0; i < SEEN_JOBS; i++) {
        if (m->known[i].bytes == bytes)
            return &m->known[i];
        least = m->known[i].credit < least->credit ? &m->known[i] : least;
    }
    return least;
}

/* Returns true if posts of one size belong to a job. After a pause there may be a few that are not chained;
 * then earlier intervals decide. */
static bool is_job(struct messages *m, const struct post *p, size_t count, uint64_t all_bytes)
{
    double share = (double)(count * p->bytes) / (double)all_bytes;
    bool   is_telling = count >= JOB_LEAST && share >= JOB_SHARE;

    if (p->bytes < JOB_BYTES)
        return false;
    bool is_one = is_telling && seems_job(m, p, count, share);
    struct known *k = known_of(m, p->bytes);
    if (k->bytes != p->bytes && is_one && k->credit == 0)
        *k = (struct known){ p->bytes, 0 };
    if (k->bytes != p->bytes)
        return is_one;
    if (is_one)
        k->credit += k->credit < JOB_CREDIT;
    else if (is_telling)
        k->credit -= k->credit < 2 ? k->credit : 2;
    return is_one || (k->credit >= JOB_KNOWN && share >= JOB_SHARE);
}

/* Bytes of up to four jobs: a job of few bytes is replaced by a larger one. */
struct jobs { uint64_t all[SEEN_JOBS]; };

static void look_at_job(struct messages *m, struct post *p, size_t count, uint32_t place)
{
    qsort(p, count, sizeof(*p), by_pair);
    for (size_t i = 0; i < count; i++) {
        struct seen_part_job *job = &m->host[p[i].src].part.job[place];
        uint64_t              last = last_end(m, &p[i]);

        job->bytes = p->bytes;
        job->messages++;
        job->pairs += i == 0 || p[i].src != p[i - 1].src || p[i].dst != p[i - 1].dst;
        job->local += m->host[p[i].src].rack == m->host[p[i].dst].rack;
        if (last && p[i].at_ps <= last + SLACK_PS)
            continue;
        job->firsts++;
        if (last) {
            job->pauses++;
            job->pause_ps += p[i].at_ps - last;
        }
    }
}

/* Returns the index for the next job: a free one, or that of a smaller job, which is dropped; SEEN_JOBS if
 * the new job is the smallest. */
static uint32_t place_for(struct messages *m, struct jobs *jobs, uint64_t bytes)
{
    uint32_t least = 0;

    for (uint32_t i = 1; i < SEEN_JOBS; i++)
        least = jobs->all[i] < jobs->all[least] ? i : least;
    if (jobs->all[least] >= bytes)
        return SEEN_JOBS;
    for (uint32_t i = 0; jobs->all[least] && i < m->sim->net.nodes; i++)
        m->host[i].part.job[least] = (struct seen_part_job){ 0 };
    jobs->all[least] = bytes;
    return least;
}

/* ---- other messages ---- */

/* Returns how many posts from 'p' on form one burst; fewer than BURST_SENDERS are not a burst. */
static size_t burst_at(const struct post *p, size_t left)
{
    size_t count = 1, senders = 1;

    while (count < left && p[count].dst == p->dst && p[count].at_ps - p->at_ps <= SLACK_PS) {
        senders += p[count].src != p[count - 1].src;
        count++;
    }
    return senders >= BURST_SENDERS ? count : 0;
}

/* Returns the row of a bin. Posts are sorted by size, so it is the host's last row, or a new one. */
static struct seen_row *row_of(struct seen_part *p, uint32_t *last, uint32_t bin)
{
    if (!*last || p->row[*last - 1].bin != bin) {
        p->row[p->rows] = (struct seen_row){ .bin = bin };
        *last = ++p->rows;
    }
    return &p->row[*last - 1];
}

static void count_single(struct messages *m, const struct post *p)
{
    struct host_seen *host = &m->host[p->src];
    struct seen_part *part = &host->part;
    uint32_t          bin = seen_bin(p->bytes);
    bool              is_chain = is_chained(m, p);
    struct seen_row  *row = row_of(part, is_chain ? &host->place.chain : &host->place.single,
                                   is_chain ? SEEN_BINS + bin : bin);

    row->messages++;
    row->bytes += p->bytes;
    part->chance_bytes += (double)p->bytes * host->chance;
    part->chance_squares += (double)p->bytes * (double)p->bytes * host->chance * (1 - host->chance);
    if (is_chain) {
        part->chain_ps += p->took_ps;
        part->chain_tiny += p->bytes <= TINY_BYTES;
    } else if (host->rack == m->host[p->dst].rack)
        part->local_bytes += p->bytes;
}

/* Counts posts of one size that are not a job. */
static void count_others(struct messages *m, const struct post *p, size_t count)
{
    size_t burst;

    for (size_t i = 0; i < count; i += burst ? burst : 1) {
        burst = burst_at(&p[i], count - i);
        if (!burst) {
            count_single(m, &p[i]);
            continue;
        }
        m->host[p[i].dst].part.bursts++;
        m->host[p[i].dst].part.burst_messages += burst;
        m->host[p[i].dst].part.burst_bytes += burst * p[i].bytes;
    }
}

/* Probability of chaining by chance: share of the interval within SLACK_PS of a message's end at the host. */
static void find_chances(struct messages *m, uint64_t now_ps)
{
    double covered = 2.0 * SLACK_PS / (double)(now_ps - m->was_ps);

    for (uint32_t i = 0; i < m->sim->net.nodes; i++)
        m->host[i].chance = 0;
    for (size_t i = 0; i < m->ends; i++)
        m->host[m->end[i].host].chance += covered * (1 - m->host[m->end[i].host].chance);
}

static int by_bin(const void *a, const void *b)
{
    const struct seen_row *x = a, *y = b;

    return (x->bin > y->bin) - (x->bin < y->bin);
}

/* Sorts the rows and removes gaps between the jobs of a host. */
static void tidy(struct seen_part *p)
{
    uint32_t jobs = 0;

    qsort(p->row, p->rows, sizeof(*p->row), by_bin);
    for (uint32_t i = 0; i < SEEN_JOBS; i++) {
        struct seen_part_job j = p->job[i];

        p->job[i] = (struct seen_part_job){ 0 };
        if (j.bytes)
            p->job[jobs++] = j;
    }
    seen_part_fit(p);
}

static void count_posts(struct messages *m)
{
    struct jobs jobs = { { 0 } };
    uint64_t    bytes = 0;
    size_t      count;

    if (m->ends)
        qsort(m->end, m->ends, sizeof(*m->end), by_host);
    if (m->posts)
        qsort(m->post, m->posts, sizeof(*m->post), by_receiver);
    for (size_t i = 0; i < m->posts; i++)
        bytes += m->post[i].bytes;
    for (size_t i = 0; i < m->posts; i += count) {
        struct post *p = &m->post[i];

        for (count = 1; i + count < m->posts && p[count].bytes == p->bytes; )
            count++;
        uint32_t place = is_job(m, p, count, bytes) ? place_for(m, &jobs, count * p->bytes) : SEEN_JOBS;
        if (place < SEEN_JOBS)
            look_at_job(m, p, count, place);
        else
            count_others(m, p, count);
    }
}

void messages_look(struct messages *m, uint64_t now_ps)
{
    for (uint32_t i = 0; i < m->sim->net.nodes; i++) {
        struct host_seen *h = &m->host[i];

        seen_part_clear(&h->part);
        memcpy(h->part.done, h->done, sizeof(h->done));
        memset(h->done, 0, sizeof(h->done));
        h->place = (struct place){ 0, 0 };
    }
    look_at_waiting(m, now_ps);
    find_chances(m, now_ps);
    count_posts(m);
    for (uint32_t i = 0; i < m->sim->net.nodes; i++)
        tidy(&m->host[i].part);
    for (size_t i = 0; i < m->ends; i++)
        m->host[m->end[i].host].last_ps = max_u64(m->host[m->end[i].host].last_ps, m->end[i].at_ps);
    m->ends = m->posts = 0;
    m->was_ps = now_ps;
}

const struct seen_part *messages_part(const struct messages *m, uint32_t node)
{
    return m->part[node];
}

void messages_read(struct messages *m, uint64_t now_ps, struct seen *out)
{
    messages_look(m, now_ps);
    seen_sum(out, m->part, m->sim->net.nodes);
}
