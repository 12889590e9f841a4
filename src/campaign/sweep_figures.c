/* src/campaign/sweep_figures.c */
#include "campaign/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_figure(const struct sweep_results *r, const char *name)
{
    for (uint32_t i = 0; i < r->figures; i++)
        if (strcmp(r->figure[i].metric.name, name) == 0)
            return true;
    return false;
}

void sweep_add_metrics(struct sweep_results *r, const struct metric *metric, uint32_t count)
{
    uint64_t runs = (uint64_t)r->variants->count * r->seeds;

    for (uint32_t i = 0; i < count; i++) {
        struct sweep_figure *f;

        if (has_figure(r, metric[i].name))
            continue;
        r->figure = xrealloc(r->figure, (r->figures + 1ul) * sizeof(*r->figure));
        f = &r->figure[r->figures++];
        *f = (struct sweep_figure){ .metric = metric[i], .value = xmalloc(runs * sizeof(*f->value)) };
        for (uint64_t n = 0; n < runs; n++)
            f->value[n] = NAN;
    }
}

void sweep_fini(struct sweep_results *r)
{
    for (uint32_t i = 0; i < r->figures; i++)
        free(r->figure[i].value);
    free(r->figure);
    free(r->order);
    r->figure = NULL;
    r->order = NULL;
    r->figures = r->count = 0;
}

/* ---- reading ---- */

/* Which run has a key. Keys are digests, so a part of one is as good a hash as any. */
struct key_map {
    char   (*key)[DIGEST_TEXT_SIZE];         /* "": free */
    uint32_t *run;
    uint64_t  mask;
    double   *value;             /* of the figure that is being read */
};

static uint64_t hash_of(const char *key)
{
    char part[17] = "";

    memcpy(part, key, strnlen(key, 16));
    return strtoull(part, NULL, 16);
}

/* Where a key is, or where it would go. */
static uint64_t slot_of(const struct key_map *m, const char *key)
{
    uint64_t slot = hash_of(key) & m->mask;

    while (*m->key[slot] && strcmp(m->key[slot], key) != 0)
        slot = (slot + 1) & m->mask;
    return slot;
}

static void map_init(struct key_map *m, const struct sweep_results *r)
{
    uint64_t room = 16;

    while (room < 2ull * r->count * r->seeds)
        room *= 2;
    *m = (struct key_map){ .key = xcalloc(room, sizeof(*m->key)), .run = xcalloc(room, sizeof(*m->run)),
                           .mask = room - 1 };
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t s = 0; s < r->seeds; s++) {
            char key[DIGEST_TEXT_SIZE];
            uint64_t slot = slot_of(m, variant_key(key, &r->variants->list[r->order[i]], r->seed[s]));

            memcpy(m->key[slot], key, sizeof(key));
            m->run[slot] = r->order[i] * r->seeds + s;
        }
}

static void take_value(void *arg, const char *key, double value)
{
    struct key_map *m = arg;
    uint64_t slot = slot_of(m, key);

    if (*m->key[slot])
        m->value[m->run[slot]] = value;
}

int sweep_load(struct sweep_results *r, struct campaign *store, struct err *err)
{
    struct key_map map;
    int rc = 0;

    map_init(&map, r);
    for (uint32_t i = 0; i < r->figures && !rc; i++) {
        map.value = r->figure[i].value;
        rc = campaign_each_value(store, r->figure[i].metric.name, take_value, &map, err);
    }
    free(map.key);
    free(map.run);
    return rc;
}

/* ---- the best ---- */

double sweep_mean(const struct sweep_results *r, const struct sweep_figure *f, uint32_t variant)
{
    const double *value = &f->value[(uint64_t)variant * r->seeds];
    double sum = 0;
    uint32_t count = 0;

    for (uint32_t s = 0; s < r->seeds; s++)
        if (isfinite(value[s])) {
            sum += value[s];
            count++;
        }
    return count ? sum / count : NAN;
}

struct ranked {
    double   badness;            /* the lower the better */
    uint32_t variant;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->badness != y->badness)
        return x->badness < y->badness ? -1 : 1;
    return (x->variant > y->variant) - (x->variant < y->variant);
}

void sweep_rank(struct sweep_results *r)
{
    const struct sweep_figure *f = &r->figure[r->best];
    struct ranked *list = xcalloc(r->count + 1ul, sizeof(*list));

    for (uint32_t i = 0; i < r->count; i++) {
        double mean = sweep_mean(r, f, r->order[i]);

        list[i] = (struct ranked){ isnan(mean) ? INFINITY : f->metric.better == BETTER_HIGHER ? -mean : mean,
                                   r->order[i] };
    }
    qsort(list, r->count, sizeof(*list), compare_ranked);
    for (uint32_t i = 0; i < r->count; i++)
        r->order[i] = list[i].variant;
    free(list);
}
