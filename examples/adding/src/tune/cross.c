/* src/tune/cross.c - one step up and one step down along each parameter, from where the search began.
 *
 * Overview: 2 n settings for n parameters, in their order. The search engine keeps the best of them.
 */
#include "base/err.h"
#include "tune/search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cross {
    struct space space;
    double       from[SPACE_DIMS_MAX];
    uint32_t     asked;
};

static void *cross_create(const struct space *space, const double *value, uint64_t seed)
{
    struct cross *c = xcalloc(1, sizeof *c);

    (void)value, (void)seed;
    c->space = *space;
    return c;
}

static void cross_begin(void *state, const double *from, const struct search_now *now)
{
    struct cross *c = state;

    (void)now;
    memcpy(c->from, from, c->space.dims * sizeof *from);
    c->asked = 0;
}

static bool cross_ask(void *state, const struct search_now *now, double *point)
{
    struct cross *c = state;
    uint32_t      dim = c->asked / 2;

    (void)now;
    if (dim == c->space.dims)
        return false;
    memcpy(point, c->from, c->space.dims * sizeof *point);
    point[dim] += c->asked++ % 2 ? -c->space.dim[dim].step : c->space.dim[dim].step;
    return true;
}

static void cross_tell(void *state, const struct search_now *now, struct tuner_note *note)
{
    const struct cross *c = state;

    (void)now;
    snprintf(note->why, sizeof note->why, "setting %u of %u around the first", c->asked, 2 * c->space.dims);
}

static const struct key_row options[] = { SEARCH_OPTIONS, { 0 } };

static const struct search_algo cross_search = {
    .create = cross_create, .destroy = free, .begin = cross_begin, .ask = cross_ask, .tell = cross_tell,
    .option = options,
};

static int create(void **state, const struct world *world, const struct option_values *v, struct err *err)
{
    return search_create(state, &cross_search, world, v, err);
}

extern const struct tuner_algo tuner_cross;
const struct tuner_algo tuner_cross = {
    .create = create, SEARCH_HOOKS,
    .name = "cross", .about = "a step up and a step down along each parameter", .option = options,
};
