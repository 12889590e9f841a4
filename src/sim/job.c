#include "sim/job.h"
#include "core/units.h"
#include "sim/traffic_parts.h"

#include <assert.h>
#include <stdlib.h>

void job_init(struct job *j, const struct job_kind *kind, struct traffic *t, const struct traffic_common *common,
              const uint32_t *hosts, uint32_t count)
{
    struct traffic_entry *e = traffic_add_entry(t, JOB, common, hosts, count);

    e->job = j;
    j->kind = kind;
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

/* ---- posts ---- */

static uint32_t new_post(struct traffic *t)
{
    uint32_t id = t->post_free;

    if (id) {
        t->post_free = t->post[id].next;
        return id;
    }
    if (t->posts >= t->posts_max) {
        t->posts_max = t->posts_max ? 2 * t->posts_max : 1024;
        t->post = xrealloc(t->post, t->posts_max * sizeof *t->post);
    }
    if (t->posts == 0)
        t->posts = 1;
    return t->posts++;
}

void job_reserve(struct job *j, uint32_t posts)
{
    struct traffic *t = j->traffic;

    t->posts_max += posts + (t->posts_max == 0);     /* what others have reserved stays theirs; post 0 is none */
    t->post = xrealloc(t->post, t->posts_max * sizeof *t->post);
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

    if (s->is_touched)
        return;
    s->is_touched = true;
    s->next_touched = t->touched;
    t->touched = stream + 1;
}

void job_post(struct job *j, uint32_t worker, uint64_t at_ps, uint32_t dst, uint64_t bytes, uint64_t tag)
{
    struct traffic        *t = j->traffic;
    struct traffic_stream *s = &t->stream[j->first_stream + worker];
    uint32_t               id = new_post(t), before = 0;
    struct post           *p = &t->post[id];

    assert(worker < j->workers && dst != s->source && bytes > 0);
    *p = (struct post){ .at_ps = at_ps, .bytes = bytes, .tag = tag, .dst = dst };
    if (s->tail && is_before(&t->post[s->tail], p))
        before = s->tail;        /* most come in order */
    else
        for (uint32_t i = s->head; i && is_before(&t->post[i], p); i = t->post[i].next)
            before = i;
    p->next = before ? t->post[before].next : s->head;
    if (before)
        t->post[before].next = id;
    else
        s->head = id;
    if (!p->next)
        s->tail = id;
    touch(t, j->first_stream + worker);
}

bool job_next(struct traffic *t, struct traffic_stream *s, struct flow_spec *f)
{
    uint32_t           id = s->head;
    const struct post *p = &t->post[id];

    if (!id)
        return false;
    f->at_ps = p->at_ps;
    f->dst = p->dst;
    f->bytes = p->bytes;
    f->tag = p->tag;
    s->head = p->next;
    if (!s->head)
        s->tail = 0;
    t->post[id].next = t->post_free;
    t->post_free = id;
    return true;
}

/* ---- the rest ---- */

struct rng *job_rng(struct job *j, uint32_t worker)
{
    return &j->traffic->stream[j->first_stream + worker].rng;
}

void job_report(const struct job *j, enum op_kind kind, uint64_t bytes, uint64_t start_ps, uint64_t now_ps)
{
    struct op_result r = { kind, j->entry, bytes, start_ps, now_ps - start_ps };

    if (j->traffic->on_op)
        j->traffic->on_op(j->traffic->on_op_arg, &r);
}

bool traffic_is_worker(const struct traffic *t, uint32_t stream)
{
    return t->stream[stream].is_worker;
}

uint64_t traffic_due_ps(const struct traffic *t, uint32_t stream)
{
    uint32_t head = t->stream[stream].head;

    return head ? t->post[head].at_ps : NEVER;
}

void traffic_on_arrival(struct traffic *t, uint64_t now_ps, const struct message *m)
{
    struct job *j = t->entry[m->traffic].job;

    if (j->kind->on_arrival)
        j->kind->on_arrival(j, now_ps, m);
}

void traffic_on_sent(struct traffic *t, uint64_t now_ps, const struct message *m)
{
    struct job *j = t->entry[m->traffic].job;

    if (j->kind->on_sent)
        j->kind->on_sent(j, now_ps, m);
}

bool traffic_touched(struct traffic *t, uint32_t *stream)
{
    struct traffic_stream *s;

    if (!t->touched)
        return false;
    *stream = t->touched - 1;
    s = &t->stream[*stream];
    t->touched = s->next_touched;
    s->is_touched = false;
    return true;
}

void traffic_on_op(struct traffic *t, void (*on_op)(void *arg, const struct op_result *), void *arg)
{
    t->on_op = on_op;
    t->on_op_arg = arg;
}
