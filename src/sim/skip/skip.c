#include "sim/skip/skip.h"
#include "base/minmax.h"
#include "sim/skip/replay.h"
#include "sim/skip/steady.h"

#include <stdlib.h>

struct skip {
    struct skip_told told;
    struct steady   *steady;
    struct replay   *replay;
};

void skip_new(struct sim *s)
{
    struct skip *k = xcalloc(1, sizeof *k);

    k->steady = steady_new(s, &k->told);
    k->replay = replay_new(s, &k->told);
    s->skip = k;
}

void skip_free(struct sim *s)
{
    if (!s->skip)
        return;
    steady_free(s->skip->steady);
    replay_free(s->skip->replay);
    free(s->skip);
    s->skip = NULL;
}

uint64_t skip_forward(struct sim *s, uint64_t until_ps)
{
    struct skip   *k = s->skip;
    struct engine *e = &s->engine;
    uint64_t       due = min_u64(until_ps, replay_due_ps(k->replay));

    if (steady_is_flying(k->steady)) {
        steady_fly(k->steady, s, due);
        return e->now_ps;
    }
    due = due == NEVER ? NEVER : due - e->skipped_ps;
    due = min_u64(due, steady_due_ps(k->steady));
    return due > e->now_ps ? due : e->now_ps;
}

void skip_look(struct sim *s)
{
    struct skip *k = s->skip;

    replay_look(k->replay, s);
    if (!steady_is_flying(k->steady) && s->engine.now_ps >= steady_due_ps(k->steady))
        steady_look(k->steady, s);
}

void skip_before_flow(struct sim *s, uint32_t stream)
{
    replay_before_flow(s->skip->replay, s, stream);
}

bool skip_take_flow(struct sim *s, uint32_t src, const struct flow_spec *f)
{
    return replay_take_flow(s->skip->replay, s, src, f);
}

void skip_on_event(struct sim *s)
{
    replay_on_event(s->skip->replay, s);
}

void skip_on_change(struct sim *s)
{
    if (!s->skip)
        return;
    steady_on_change(s->skip->steady, s);
    replay_on_change(s->skip->replay);
}

void skip_set_horizon(struct sim *s, uint64_t world_ps)
{
    if (s->skip)
        replay_set_horizon(s->skip->replay, world_ps);
}

void skip_add_bytes(const struct sim *s, uint64_t *entry_bytes)
{
    if (s->skip)
        replay_add_bytes(s->skip->replay, s, entry_bytes);
}

const struct skip_told *skip_told(const struct sim *s)
{
    return s->skip ? &s->skip->told : NULL;
}
