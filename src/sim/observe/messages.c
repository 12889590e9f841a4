#include "sim/observe/messages.h"
#include "core/units.h"
#include "sim/host/flow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BURST_SENDERS 4
#define SLACK_PS      (2 * PS_PER_US)        /* from the end of one message to the next, in software */

#define JOB_LEAST     8                      /* messages of a job in an interval */
#define JOB_BYTES     4096                   /* of each: shorter ones are requests and answers */
#define JOB_SHARE     0.02                   /* of all bytes, at least; */
#define JOB_SHARE_SURE 0.25                  /* and with this share they are one, from any sender */
#define JOB_DISPERSION 0.5
#define JOB_CREDIT    8                      /* intervals, at most, that speak for a size, */
#define JOB_KNOWN     2                      /* and from how many on it is believed; one that speaks
                                              * against it takes two away */
#define TINY_BYTES    256                    /* at most: requests, and answers without data */

/* took: until now, if it is not over */
struct post { uint64_t at_ps, took_ps, bytes; uint32_t src, dst; };
struct end  { uint64_t at_ps; uint32_t host; };

struct known { uint64_t bytes; uint32_t credit; };       /* a size that was of a job */

struct place { uint32_t single, chain; };    /* rows of a host that were added last, counted from 1; 0:
                                              * none was */

struct messages {
    const struct sim *sim;
    uint32_t         *rack;      /* [node]: the switch that a host is at */
    struct post      *post;
    struct end       *end;
    uint64_t         *last_ps;   /* [node]: when its last message had ended before this interval */
    double           *chance;    /* [node]: that a message follows from another only by chance */
    uint32_t         *count;     /* [node]: 0 but while something is counted */
    struct place     *place;     /* [node] */
    struct seen_part *part;      /* [node]: what it saw in the interval that was looked at last */
    const struct seen_part **all;            /* [node]: those of hosts */
    struct seen_part_class (*done)[PREDICT_CLASSES];     /* [node]: since then */
    size_t            posts, posts_max, ends, ends_max;
    struct known      known[SEEN_JOBS];
    uint64_t          was_ps;
};

struct messages *messages_new(const struct sim *s)
{
    struct messages *m = xcalloc(1, sizeof(*m));

    m->sim = s;
    m->rack = xcalloc(s->net.nodes + 1ul, sizeof(*m->rack));
    m->last_ps = xcalloc(s->net.nodes + 1ul, sizeof(*m->last_ps));
    m->chance = xcalloc(s->net.nodes + 1ul, sizeof(*m->chance));
    m->count = xcalloc(s->net.nodes + 1ul, sizeof(*m->count));
    m->place = xcalloc(s->net.nodes + 1ul, sizeof(*m->place));
    m->part = xcalloc(s->net.nodes + 1ul, sizeof(*m->part));
    m->all = xcalloc(s->net.nodes + 1ul, sizeof(*m->all));
    m->done = xcalloc(s->net.nodes + 1ul, sizeof(*m->done));
    for (uint32_t i = 0; i < s->net.nodes; i++)
        m->all[i] = s->net.node[i].is_switch ? NULL : &m->part[i];
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
    free(m->chance);
    free(m->count);
    free(m->place);
    free(m->part);
    free(m->all);
    free(m->done);
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

/* In whole steps: sums are exact, whatever the order in which messages end. */
static void count_slowdown(struct seen_part_class *c, double slowdown)
{
    c->messages++;
    c->steps += (uint64_t)((slowdown < 1 ? 1 : slowdown) * SEEN_STEPS);
}

void messages_on_done(struct messages *m, const struct flow_result *r)
{
    uint64_t end_ps = r->start_ps + r->fct_ps;

    count_slowdown(&m->done[r->src][predict_class_of(r->bytes)], (double)r->fct_ps / (double)r->ideal_ps);
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

/* ---- those that are not over ---- */

static void add_waiting(struct messages *m, const struct post *p, uint64_t left, uint64_t ideal_ps,
                        uint64_t now_ps)
{
    if (!p->bytes || !ideal_ps || p->at_ps >= now_ps)        /* of this very moment: the next interval's */
        return;
    count_slowdown(&m->part[p->src].waiting[predict_class_of(p->bytes)],
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
    return order ? order : compare(x->took_ps, y->took_ps);          /* the same, whatever the order in
                                                                      * which they ended */
}

/* By sender and receiver. */
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

/* How much hosts differ in what they post of one size: variance over mean. About 1 if they do it at random,
 * near 0 in a collective, in which each does the same. */
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

/* Do most of them start together with others of that size from several hosts to several? Receivers come one
 * after the other in the list, so each post of the first receiver is looked for among those of the second. */
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

/* Posts of one size: do they look like a job by themselves? */
static bool seems_job(const struct messages *m, const struct post *p, size_t count, double share)
{
    size_t chained = 0;

    for (size_t i = 0; i < count; i++)
        chained += is_chained(m, &p[i]);
    return (2 * chained >= count || is_at_once(p, count)) &&
           (share > JOB_SHARE_SURE || dispersion(m, p, count) < JOB_DISPERSION);
}

/* Where a size is known, or the place of the one of which least is known. */
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

/* Posts of one size: are they of a job? After a pause there may be a few, which follow from nothing: what was
 * seen of that size before counts then. */
static bool is_job(struct messages *m, const struct post *p, size_t count, uint64_t all_bytes)
{
    double        share = (double)(count * p->bytes) / (double)all_bytes;
    bool          is_telling = count >= JOB_LEAST && share >= JOB_SHARE, is_one;
    struct known *k;

    if (p->bytes < JOB_BYTES)
        return false;
    is_one = is_telling && seems_job(m, p, count, share);
    k = known_of(m, p->bytes);
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

/* Which of four they are: a job of few bytes gives way to one of more. */
struct jobs { uint64_t all[SEEN_JOBS]; };     /* bytes */

static void look_at_job(struct messages *m, struct post *p, size_t count, uint32_t place)
{
    qsort(p, count, sizeof(*p), by_pair);
    for (size_t i = 0; i < count; i++) {
        struct seen_part_job *job = &m->part[p[i].src].job[place];
        uint64_t              last = last_end(m, &p[i]);

        job->bytes = p->bytes;
        job->messages++;
        job->pairs += i == 0 || p[i].src != p[i - 1].src || p[i].dst != p[i - 1].dst;
        job->local += m->rack[p[i].src] == m->rack[p[i].dst];
        if (last && p[i].at_ps <= last + SLACK_PS)
            continue;
        job->firsts++;
        if (last) {
            job->pauses++;
            job->pause_ps += p[i].at_ps - last;
        }
    }
}

/* Where the next job goes: a free place, or that of a smaller one, which is forgotten; SEEN_JOBS: it is the
 * smallest. */
static uint32_t place_for(struct messages *m, struct jobs *jobs, uint64_t bytes)
{
    uint32_t least = 0;

    for (uint32_t i = 1; i < SEEN_JOBS; i++)
        least = jobs->all[i] < jobs->all[least] ? i : least;
    if (jobs->all[least] >= bytes)
        return SEEN_JOBS;
    for (uint32_t i = 0; jobs->all[least] && i < m->sim->net.nodes; i++)
        m->part[i].job[least] = (struct seen_part_job){ 0 };
    jobs->all[least] = bytes;
    return least;
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

/* Posts come in the order of their sizes, so it is that of a host's last row, or a new one. */
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
    struct seen_part *part = &m->part[p->src];
    struct place     *place = &m->place[p->src];
    uint32_t          bin = seen_bin(p->bytes);
    bool              is_chain = is_chained(m, p);
    struct seen_row  *row = row_of(part, is_chain ? &place->chain : &place->single,
                                   is_chain ? SEEN_BINS + bin : bin);

    row->messages++;
    row->bytes += p->bytes;
    part->chance_bytes += (double)p->bytes * m->chance[p->src];
    part->chance_squares += (double)p->bytes * (double)p->bytes * m->chance[p->src] * (1 - m->chance[p->src]);
    if (is_chain) {
        part->chain_ps += p->took_ps;
        part->chain_tiny += p->bytes <= TINY_BYTES;
    } else if (m->rack[p->src] == m->rack[p->dst])
        part->local_bytes += p->bytes;
}

/* Posts of one size that are no job. */
static void count_others(struct messages *m, const struct post *p, size_t count)
{
    size_t burst;

    for (size_t i = 0; i < count; i += burst ? burst : 1) {
        burst = burst_at(&p[i], count - i);
        if (!burst) {
            count_single(m, &p[i]);
            continue;
        }
        m->part[p[i].dst].bursts++;
        m->part[p[i].dst].burst_messages += burst;
        m->part[p[i].dst].burst_bytes += burst * p[i].bytes;
    }
}

/* The time in which a message would be taken to follow from one that ended, for all of a host's that
 * ended. */
static void find_chances(struct messages *m, uint64_t now_ps)
{
    double covered = 2.0 * SLACK_PS / (double)(now_ps - m->was_ps);

    memset(m->chance, 0, m->sim->net.nodes * sizeof(*m->chance));
    for (size_t i = 0; i < m->ends; i++)
        m->chance[m->end[i].host] += covered * (1 - m->chance[m->end[i].host]);
}

static int by_bin(const void *a, const void *b)
{
    const struct seen_row *x = a, *y = b;

    return (x->bin > y->bin) - (x->bin < y->bin);
}

/* Jobs of a host follow one another, and their lists are short. */
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
        uint32_t     place;

        for (count = 1; i + count < m->posts && p[count].bytes == p->bytes; )
            count++;
        place = is_job(m, p, count, bytes) ? place_for(m, &jobs, count * p->bytes) : SEEN_JOBS;
        if (place < SEEN_JOBS)
            look_at_job(m, p, count, place);
        else
            count_others(m, p, count);
    }
}

void messages_look(struct messages *m, uint64_t now_ps)
{
    for (uint32_t i = 0; i < m->sim->net.nodes; i++) {
        seen_part_clear(&m->part[i]);
        memcpy(m->part[i].done, m->done[i], sizeof(m->done[i]));
        m->place[i] = (struct place){ 0, 0 };
    }
    look_at_waiting(m, now_ps);
    find_chances(m, now_ps);
    count_posts(m);
    for (uint32_t i = 0; i < m->sim->net.nodes; i++)
        tidy(&m->part[i]);
    for (size_t i = 0; i < m->ends; i++)
        if (m->end[i].at_ps > m->last_ps[m->end[i].host])
            m->last_ps[m->end[i].host] = m->end[i].at_ps;
    m->ends = m->posts = 0;
    memset(m->done, 0, m->sim->net.nodes * sizeof(*m->done));
    m->was_ps = now_ps;
}

const struct seen_part *messages_part(const struct messages *m, uint32_t node)
{
    return m->all[node];
}

void messages_read(struct messages *m, uint64_t now_ps, struct seen *out)
{
    messages_look(m, now_ps);
    seen_sum(out, m->all, m->sim->net.nodes);
}
