/* src/traffic/traffic_workers.c - events to and from workers, by partition. */
#include "traffic/traffic.h"
#include "core/units.h"
#include "traffic/job.h"
#include "traffic/reads.h"
#include "traffic/kind.h"

#include <stdlib.h>

/* ---- parts ---- */

/* Moves the stream's posts from partition 0 to its new partition. */
static void move_stream(struct traffic *t, uint32_t stream, struct traffic_post *old)
{
    struct traffic_stream *s = &t->stream[stream];
    uint32_t               first = s->first_post;

    s->part = t->part_of[s->source];
    s->first_post = 0;
    s->is_touched = false;
    post_move(t, stream, first, old);
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
        post_reserve(&t->part[i], old.posts_max);
    for (uint32_t i = 0; i < t->streams; i++)
        move_stream(t, i, old.post);
    for (uint32_t i = 0; i < t->entries; i++)
        if (t->entry[i].job && t->entry[i].kind->divide)
            t->entry[i].kind->divide(t->entry[i].job, parts);
    free(old.post);
    free(old.signal);
    free(old.op);
}

/* ---- signals ---- */

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

/* ---- workers ---- */

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

    return s->first_post ? t->part[s->part].post[s->first_post].at_ps : NEVER;
}

void traffic_on_arrival(struct traffic *t, uint64_t now_ps, const struct message *m)
{
    const struct traffic_entry *e = &t->entry[m->traffic];

    if (m->op.verb == VERB_ASK) {
        reads_answer(e->job, now_ps, m);
        return;
    }
    if (m->op.verb == VERB_READ)
        reads_end(e->job, now_ps, m);
    if (e->kind->on_arrival)
        e->kind->on_arrival(e->job, now_ps, m);
}

void traffic_on_sent(struct traffic *t, uint64_t now_ps, const struct message *m)
{
    const struct traffic_entry *e = &t->entry[m->traffic];

    if (e->kind->on_sent && m->op.verb < VERB_READ)
        e->kind->on_sent(e->job, now_ps, m);
}

void traffic_on_wake(struct traffic *t, uint64_t now_ps, uint32_t stream, uint64_t tag)
{
    const struct traffic_entry *e = &t->entry[t->stream[stream].entry];

    e->kind->on_wake(e->job, now_ps, stream - e->job->first_stream, tag);
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
