#include "sim/loss.h"

#define LOSS_STREAM 50u          /* among the streams that are asked for by number */

/* ns-3's error models. All links without a loss of their own share one and its numbers; each of the others has one, with
 * the same numbers. */
uint32_t loss_build(struct sim *s)
{
    const struct graph *g = &s->net.graph;
    struct mrg         *stream = arena_alloc(&s->arena, g->links + 1ul, sizeof *stream);      /* the last is shared */
    bool                is_lossy = false;
    uint32_t            own = 0;

    mrg_init(&stream[g->links], 1, (1ull << 63) + LOSS_STREAM, s->cfg.seed);
    s->engine.loss_stream = arena_alloc(&s->arena, g->links, sizeof *s->engine.loss_stream);
    for (uint32_t i = 0; i < g->links; i++) {
        bool has_own = g->link[i].loss > 0 && !g->link[i].has_common_loss;

        stream[i] = stream[g->links];
        s->engine.loss_stream[i] = &stream[has_own ? i : g->links];
        own += has_own;
        is_lossy |= g->link[i].loss > 0 || g->link[i].ber > 0;
    }
    if (!is_lossy)
        s->engine.loss_stream = NULL;
    return own;
}
