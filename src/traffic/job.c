#include "traffic/job.h"
#include "core/units.h"
#include "traffic/internal.h"

#include <assert.h>
#include <stdlib.h>

void job_init(struct job *j, const struct traffic_kind *kind, struct traffic *t, const struct traffic_common *common,
              const uint32_t *hosts, uint32_t count)
{
    struct traffic_entry *e = traffic_add_entry(t, kind, j, common, hosts, count);

    e->job = j;
    j->traffic = t;
    j->common = *common;
    j->entry = t->entries - 1;
    j->first_stream = t->streams;
    j->workers = count;
    j->host = e->hosts;
    j->worker_of = xcalloc(t->graph->nodes + 1ul, sizeof *j->worker_of);
    for (uint32_t i = 0; i < t->graph->nodes; i++)
        j->worker_of[i] = JOB_NO_WORKER;
    for (uint32_t i = 0; i < count; i++) {
        assert(j->worker_of[hosts[i]] == JOB_NO_WORKER);
        j->worker_of[hosts[i]] = i;
        traffic_add_stream(t, hosts[i], i)->is_worker = true;
    }
}

void job_send_bps(struct job *j, double bps)
{
    j->traffic->entry[j->entry].bps = bps;
}

/* ---- posts ---- */

static struct traffic_part *part_of(struct traffic *t, const struct traffic_stream *s)
{
    return &t->part[s->part];
}

static void reserve(struct traffic_part *p, uint32_t posts)
{
    p->posts_max += posts + (p->posts_max == 0);     /* what others have reserved stays theirs; post 0 is none */
    p->post = xrealloc(p->post, p->posts_max * sizeof *p->post);
}

void job_reserve(struct job *j, uint32_t posts)
{
    reserve(&j->traffic->part[0], posts);
}

static uint32_t new_post(struct traffic_part *p)
{
    uint32_t id = p->post_free;

    if (id) {
        p->post_free = p->post[id].next;
        return id;
    }
    if (p->posts >= p->posts_max) {
        p->posts_max = p->posts_max ? 2 * p->posts_max : 1024;
        p->post = xrealloc(p->post, p->posts_max * sizeof *p->post);
    }
    if (p->posts == 0)
        p->posts = 1;
    return p->posts++;
}

/* Which of two flows of one worker starts first must not depend on which was posted first. */
static bool is_before(const struct post *a, const struct post *b)
{
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps;
    return a->tag != b->tag ? a->tag < b->tag : a->dst < b->dst;
}

static void touch(struct traffic *t, uint32_t stream)
{
    struct traffic_stream *s = &t->stream[stream];
    struct traffic_part   *p = part_of(t, s);

    if (s->is_touched)
        return;
    s->is_touched = true;
    s->next_touched = p->touched;
    p->touched = stream + 1;
}

static void add_post(struct traffic *t, uint32_t stream, const struct post *made)
{
    struct traffic_stream *s = &t->stream[stream];
    struct traffic_part   *part = part_of(t, s);
    uint32_t               id = new_post(part), before = 0;
    struct post           *p = &part->post[id];

    *p = *made;
    if (s->tail && is_before(&part->post[s->tail], p))
        before = s->tail;        /* most come in order */
    else
        for (uint32_t i = s->head; i && is_before(&part->post[i], p); i = part->post[i].next)
            before = i;
    p->next = before ? part->post[before].next : s->head;
    if (before)
        part->post[before].next = id;
    else
        s->head = id;
    if (!p->next)
        s->tail = id;
    touch(t, stream);
}

void job_post(struct job *j, uint32_t worker, uint64_t at_ps, uint32_t dst, uint64_t bytes, uint64_t tag)
{
    assert(worker < j->workers && dst != j->host[worker] && bytes > 0);
    add_post(j->traffic, j->first_stream + worker,
             &(struct post){ .at_ps = at_ps, .bytes = bytes, .tag = tag, .dst = dst });
}

bool job_next(struct traffic *t, struct traffic_stream *s, struct flow_spec *f)
{
    struct traffic_part *part = part_of(t, s);
    uint32_t             id = s->head;
    const struct post   *p = &part->post[id];

    if (!id)
        return false;
    f->at_ps = p->at_ps;
    f->dst = p->dst;
    f->bytes = p->bytes;
    f->tag = p->tag;
    s->head = p->next;
    if (!s->head)
        s->tail = 0;
    part->post[id].next = part->post_free;
    part->post_free = id;
    return true;
}

/* ---- parts ---- */

/* Moves what the stream has posted from part 0 to the part it is in from now on. */
static void move_stream(struct traffic *t, uint32_t stream, const struct post *old)
{
    struct traffic_stream *s = &t->stream[stream];
    uint32_t               id = s->head;

    s->part = t->part_of[s->source];
    s->head = s->tail = 0;
    s->is_touched = false;
    for (; id; id = old[id].next)
        add_post(t, stream, &old[id]);
}

void traffic_divide(struct traffic *t, const uint8_t *part_of_node, uint32_t parts)
{
    struct traffic_part old = t->part[0];

    free(t->part);
    t->part = xcalloc(parts, sizeof *t->part);
    t->parts = parts;
    t->part_of = xcalloc(t->graph->nodes + 1ul, 1);
    for (uint32_t i = 0; i < t->graph->nodes; i++)
        t->part_of[i] = part_of_node[i];
    for (uint32_t i = 0; i < parts; i++)
        reserve(&t->part[i], old.posts_max);
    for (uint32_t i = 0; i < t->streams; i++)
        move_stream(t, i, old.post);
    for (uint32_t i = 0; i < t->entries; i++)
        if (t->entry[i].job && t->entry[i].kind->divide)
            t->entry[i].kind->divide(t->entry[i].job, parts);
    free(old.post);
    free(old.signal);
    free(old.op);
}

uint32_t job_part(const struct job *j, uint32_t worker)
{
    return j->traffic->stream[j->first_stream + worker].part;
}

/* ---- signals ---- */

void job_signal(struct job *j, uint32_t worker, uint64_t now_ps, uint64_t value)
{
    struct traffic_part *p = &j->traffic->part[job_part(j, worker)];

    assert(j->signal_ps > 0);
    if (p->signals == p->signals_max) {
        p->signals_max = p->signals_max ? 2 * p->signals_max : 16;
        p->signal = xrealloc(p->signal, p->signals_max * sizeof *p->signal);
    }
    p->signal[p->signals++] = (struct signal){ now_ps + j->signal_ps, value, j->entry, worker };
}

bool traffic_signal(struct traffic *t, uint32_t part, struct signal *s)
{
    struct traffic_part *p = &t->part[part];

    if (!p->signals)
        return false;
    *s = p->signal[--p->signals];
    return true;
}

void traffic_on_signal(struct traffic *t, uint32_t part, const struct signal *s)
{
    const struct traffic_entry *e = &t->entry[s->entry];

    e->kind->on_signal(e->job, part, s->at_ps, s->worker, s->value);
}

uint64_t traffic_signal_ps(const struct traffic *t)
{
    uint64_t least = NEVER;

    for (uint32_t i = 0; i < t->entries; i++)
        if (t->entry[i].job && t->entry[i].job->signal_ps && t->entry[i].job->signal_ps < least)
            least = t->entry[i].job->signal_ps;
    return least;
}

/* ---- the rest ---- */

struct rng *job_rng(struct job *j, uint32_t worker)
{
    return &j->traffic->stream[j->first_stream + worker].rng;
}

/* While parts run at the same time nobody is called: it is told later. */
static void keep_op(struct traffic_part *p, const struct op_result *r)
{
    if (p->ops == p->ops_max) {
        p->ops_max = p->ops_max ? 2 * p->ops_max : 256;
        p->op = xrealloc(p->op, p->ops_max * sizeof *p->op);
    }
    p->op[p->ops++] = *r;
}

void job_report(const struct job *j, uint32_t node, enum op_kind kind, uint64_t bytes, uint64_t start_ps,
                uint64_t now_ps)
{
    struct op_result r = { kind, j->entry, bytes, start_ps, now_ps - start_ps };
    struct traffic  *t = j->traffic;

    if (!t->on_op)
        return;
    if (t->parts > 1)
        keep_op(&t->part[t->part_of[node]], &r);
    else
        t->on_op(t->on_op_arg, &r);
}

void traffic_tell(struct traffic *t)
{
    for (uint32_t i = 0; i < t->parts; i++) {
        struct traffic_part *p = &t->part[i];

        for (uint32_t k = 0; k < p->ops && t->on_op; k++)
            t->on_op(t->on_op_arg, &p->op[k]);
        p->ops = 0;
    }
}

uint32_t traffic_rank(const struct traffic *t, uint32_t stream)
{
    return t->stream[stream].rank;
}

bool traffic_is_worker(const struct traffic *t, uint32_t stream)
{
    return t->stream[stream].is_worker;
}

uint64_t traffic_due_ps(const struct traffic *t, uint32_t stream)
{
    const struct traffic_stream *s = &t->stream[stream];

    return s->head ? t->part[s->part].post[s->head].at_ps : NEVER;
}

void traffic_on_arrival(struct traffic *t, uint64_t now_ps, const struct message *m)
{
    const struct traffic_entry *e = &t->entry[m->traffic];

    if (e->kind->on_arrival)
        e->kind->on_arrival(e->job, now_ps, m);
}

void traffic_on_sent(struct traffic *t, uint64_t now_ps, const struct message *m)
{
    const struct traffic_entry *e = &t->entry[m->traffic];

    if (e->kind->on_sent)
        e->kind->on_sent(e->job, now_ps, m);
}

bool traffic_touched(struct traffic *t, uint32_t part, uint32_t *stream)
{
    struct traffic_part   *p = &t->part[part];
    struct traffic_stream *s;

    if (!p->touched)
        return false;
    *stream = p->touched - 1;
    s = &t->stream[*stream];
    p->touched = s->next_touched;
    s->is_touched = false;
    return true;
}

void traffic_on_op(struct traffic *t, void (*on_op)(void *arg, const struct op_result *), void *arg)
{
    t->on_op = on_op;
    t->on_op_arg = arg;
}
