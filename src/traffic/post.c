#include "traffic/post.h"

#include <stdlib.h>

static struct traffic_part *part_of(struct traffic *t, const struct traffic_stream *s)
{
    return &t->part[s->part];
}

void post_reserve(struct traffic_part *p, uint32_t posts)
{
    p->posts_max += posts + (p->posts_max == 0);     /* what others have reserved stays theirs; post 0 is none */
    p->post = xrealloc(p->post, p->posts_max * sizeof *p->post);
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

void post_add(struct traffic *t, uint32_t stream, const struct post *made)
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

bool post_next(struct traffic *t, struct traffic_stream *s, struct flow_spec *f)
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
