/* src/work/traffic/kinds/posted.c - queue pairs that always have a fixed number of messages posted.
 *
 * Each message is replaced when it is acknowledged, so a queue pair is never idle and keeps its congestion
 * state. This is the traffic of perftest, of RL-CC's generators (many-to-one, all-to-all, and the long and
 * short flows of its appendix), and of ACC's incast with changing numbers of senders.
 *
 * A worker acts only when one of its messages completes. It then posts the next message, for now or for the
 * time at which the queue pair may send again. No wake-ups are needed.
 */
#include "work/traffic/kinds/posted.h"

#include "base/text.h"
#include "core/units.h"
#include "work/traffic/job.h"
#include "work/traffic/read.h"
#include "work/traffic/traffic.h"

#include <stdlib.h>

struct queue_pair {
    uint64_t begin_ps;
    uint64_t posted;             /* messages so far */
};

struct job_posted {
    struct job            job;
    struct posted_traffic cfg;
    struct cdf            sizes;         /* bytes == NULL: all messages have cfg.bytes */
    uint32_t              dests;         /* per worker */
    struct queue_pair    *pair;          /* [(worker * dests + destination) * qps + number] */
    uint32_t              draws;         /* 0: all hosts always send */
    uint16_t             *in_use;        /* [draw * workers + worker]: active queue pairs per destination */
};

extern const struct traffic_kind traffic_posted;

uint64_t posted_messages(const struct posted_traffic *c)
{
    uint64_t pairs = c->pattern == POSTED_MANY_TO_ONE ? c->count
                     : c->pattern == POSTED_PAIRS     ? c->count / 2
                                                      : (uint64_t)c->count * (c->count - 1);

    return pairs * c->qps * c->outstanding;
}

/* ---- scheduling messages ---- */

/* Returns the first time from at_ps on at which the queue pair may send, or NEVER. */
static uint64_t next_send_time(const struct job_posted *j, uint32_t worker, uint32_t number,
                               uint64_t begin_ps, uint64_t at_ps)
{
    uint64_t draw = (at_ps - begin_ps) / j->cfg.redraw_ps, first = draw;

    while (draw < j->draws && j->in_use[draw * j->job.workers + worker] <= number)
        draw++;
    if (draw >= j->draws)
        return NEVER;
    return draw == first ? at_ps : begin_ps + draw * j->cfg.redraw_ps;
}

static uint32_t destination(const struct job_posted *j, uint32_t worker, uint32_t index)
{
    const struct posted_traffic *c = &j->cfg;

    switch (c->pattern) {
    case POSTED_MANY_TO_ONE: return c->receiver;
    case POSTED_ALL_TO_ALL:  return j->job.host[(worker + 1 + index) % j->job.workers];
    case POSTED_PAIRS:       break;
    }
    return c->hosts[c->count / 2 + worker];
}

/* Posts the next message of a queue pair, in one of its 'outstanding' slots. */
static void post_again(struct job_posted *j, uint32_t worker, uint32_t pair, uint32_t slot, uint64_t now_ps)
{
    const struct posted_traffic *c = &j->cfg;
    struct queue_pair           *q = &j->pair[(uint64_t)worker * j->dests * c->qps + pair];
    uint32_t                     number = pair % c->qps;
    uint64_t                     due = q->begin_ps + q->posted++ * c->period_ps,
                                 at = due > now_ps ? due : now_ps;

    if (j->draws)
        at = next_send_time(j, worker, number, q->begin_ps, at);
    if (at < j->job.common.stop_ps)
        job_post_on(&j->job, worker, at, destination(j, worker, pair / c->qps), number + 1,
                    j->sizes.bytes ? cdf_size(&j->sizes, rng_real(job_rng(&j->job, worker))) : c->bytes,
                    (uint64_t)pair << 16 | slot);
}

static void on_sent(struct job *job, uint64_t now_ps, const struct message *m)
{
    post_again((struct job_posted *)job, job->worker_of[m->src], (uint32_t)(m->tag >> 16), m->tag & 0xffff,
               now_ps);
}

/* ---- building ---- */

/* Draws the senders of each draw. All sets of hosts of a given size are equally likely. */
static void draw_senders(struct job_posted *j, struct traffic *t)
{
    uint32_t   all = j->job.workers, least = all < 2 ? all : 2;
    struct rng rng;

    traffic_entry_rng(t, &rng);
    for (uint32_t d = 0; d < j->draws; d++) {
        uint32_t left = least + (uint32_t)rng_below(&rng, all - least + 1);

        for (uint32_t i = 0; i < all; i++)
            if (rng_below(&rng, all - i) < left) {
                j->in_use[(size_t)d * all + i] = (uint16_t)(1 + rng_below(&rng, j->cfg.qps));
                left--;
            }
    }
}

static uint64_t count_draws(const struct traffic_common *common, uint64_t redraw_ps)
{
    return redraw_ps ? (common->stop_ps - common->start_ps + redraw_ps - 1) / redraw_ps : 0;
}

static void post_first(struct job_posted *j)
{
    const struct posted_traffic *c = &j->cfg;
    uint32_t                     pairs = j->dests * c->qps;

    for (uint32_t worker = 0; worker < j->job.workers; worker++)
        for (uint32_t pair = 0; pair < pairs; pair++) {
            uint64_t begin = j->job.common.start_ps +
                             (uint64_t)(rng_real(job_rng(&j->job, worker)) * (double)c->spread_ps);

            j->pair[(uint64_t)worker * pairs + pair].begin_ps = begin;
            for (uint32_t slot = 0; slot < c->outstanding; slot++)
                post_again(j, worker, pair, slot, begin);
        }
}

void traffic_add_posted(struct traffic *t, const struct traffic_common *common,
                        const struct posted_traffic *c, struct cdf *sizes)
{
    struct job_posted *j = xcalloc(1, sizeof *j);
    uint32_t          *hosts = xcalloc(c->count + 1ul, sizeof *hosts);

    job_init(&j->job, &traffic_posted, t, common, c->hosts,
             c->pattern == POSTED_PAIRS ? c->count / 2 : c->count);
    j->cfg = *c;
    for (uint32_t i = 0; i < c->count; i++)
        hosts[i] = c->hosts[i];
    j->cfg.hosts = hosts;
    if (sizes) {
        j->sizes = *sizes;
        *sizes = (struct cdf){ 0 };
    }
    j->dests = c->pattern == POSTED_ALL_TO_ALL ? c->count - 1 : 1;
    j->pair = xcalloc((size_t)j->job.workers * j->dests * c->qps + 1, sizeof *j->pair);
    j->draws = (uint32_t)count_draws(common, c->redraw_ps);
    j->in_use = xcalloc((size_t)j->draws * j->job.workers + 1, sizeof *j->in_use);
    draw_senders(j, t);
    traffic_use_qps(t, c->qps);
    traffic_expect_flows(t, posted_messages(c));
    job_reserve(&j->job, (uint32_t)posted_messages(c));
    post_first(j);
}

static void free_posted(void *state)
{
    struct job_posted *j = state;

    cdf_fini(&j->sizes);
    free((uint32_t *)j->cfg.hosts);
    free(j->pair);
    free(j->in_use);
    free(j);
}

/* ---- reading ---- */

/* indexed by enum posted_pattern */
static const char *const patterns[] = { "many_to_one", "all_to_all", "pairs", NULL };

static const struct key_row keys[] = {
    { "pattern",     KEY_NAME, "many_to_one",
      "`many_to_one`: all to the receiver; `all_to_all`: each host to every other; `pairs`: host i of the "
      "first half to host i of the second", KEY_AT(struct posted_traffic, pattern), .choices = patterns },
    { "hosts",       KEY_LIST, "",     "hosts without the receiver; a count: the first; default: all" },
    { "receiver",    KEY_NAME, "",     "of many_to_one; default: the last host" },
    { "qps",         KEY_COUNT, "1",    "queue pairs from a host to each of its destinations",
      KEY_AT(struct posted_traffic, qps), 1, UINT16_MAX },
    { "outstanding", KEY_COUNT, "40",   "messages that each queue pair always has posted",
      KEY_AT(struct posted_traffic, outstanding), 1, POSTED_OUTSTANDING_MAX },
    { "size",        KEY_BYTES, "64KB", "of each message", KEY_AT(struct posted_traffic, bytes), 1,
      TRAFFIC_SIZE_MAX },
    { "sizes",       KEY_NAME, "",
      "message sizes instead of `size`: a built-in table (below) or a file of `bytes probability` lines" },
    { "spread",      KEY_TIME, "1ms",  "queue pairs start at random times within this after `start`",
      KEY_AT(struct posted_traffic, spread_ps) },
    { "period",      KEY_TIME, "0",    "least time between messages of a queue pair",
      KEY_AT(struct posted_traffic, period_ps) },
    { "redraw",      KEY_TIME, "", "period after which the number of senders (2 or more), the senders, and "
      "their active queue pairs are redrawn; default: never", KEY_AT(struct posted_traffic, redraw_ps) },
    { 0 },
};

static void check_pattern(const struct entry *e, struct posted_traffic *c)
{
    if (c->pattern == POSTED_MANY_TO_ONE)
        c->receiver = entry_receiver(e);
    else if (section_get(&e->sec, "receiver"))
        section_refuse(&e->sec, "receiver", "only many_to_one has a receiver");
}

static struct hosts read_hosts(const struct entry *e, const struct posted_traffic *c)
{
    bool         is_one = c->pattern == POSTED_MANY_TO_ONE;
    struct hosts hosts = entry_hosts(e, "hosts", is_one ? 1 : 2, is_one ? c->receiver : UINT32_MAX);

    if (is_one)
        entry_check_senders(e, "hosts", &hosts, c->receiver);
    if (c->pattern == POSTED_PAIRS && hosts.count % 2) {
        if (section_get(&e->sec, "hosts"))
            section_refuse(&e->sec, "hosts", "pairs need an even number of hosts, not %u", hosts.count);
        e->about->hosts = --hosts.count;
    }
    return hosts;
}

static void read_sizes(const struct entry *e, struct cdf *sizes)
{
    if (!section_get(&e->sec, "sizes") || e->r->rc)
        return;
    if (section_get(&e->sec, "size"))
        section_refuse(&e->sec, "sizes", "give 'sizes' or 'size', not both");
    else
        entry_sizes(e, sizes);
}

static void check_times(const struct entry *e, const struct posted_traffic *c)
{
    entry_check_spread(e, c->spread_ps);
    if (e->r->rc)
        return;
    uint64_t draws = count_draws(&e->common, c->redraw_ps);
    if (draws > POSTED_DRAWS_MAX / c->count)
        section_refuse(&e->sec, "redraw", "%llu redraws of %u hosts are too many: 'redraw' must be longer",
                       (unsigned long long)draws, c->count);
}

static void posted_read(struct entry *e)
{
    struct posted_traffic c = { .qps = 1 };
    struct cdf            sizes = { 0 };

    if (e->env->why_fresh)
        section_refuse(&e->sec, "kind", "%s every flow has its own queue pair: "
                       "kind posted is not supported", e->env->why_fresh);
    section_read(&e->sec, keys, &c);
    check_pattern(e, &c);
    struct hosts hosts = read_hosts(e, &c);
    c.hosts = hosts.node, c.count = hosts.count;
    read_sizes(e, &sizes);
    entry_need_end(e);
    check_times(e, &c);
    if (!e->r->rc)
        entry_check_flows(e, posted_messages(&c));
    if (!e->r->rc)
        traffic_add_posted(e->traffic, &e->common, &c, sizes.bytes ? &sizes : NULL);
    e->qps = c.qps;
    e->has_own_qps = true;
    cdf_fini(&sizes);
}

const struct traffic_kind traffic_posted = {
    .name = "posted", .about = "queue pairs that always have the same number of messages posted",
    .keys = keys, .read = posted_read, .free = free_posted, .on_sent = on_sent,
};
