#include "formats/htsim.h"

#include "base/text.h"
#include "core/units.h"
#include "base/tokens.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <strings.h>

#define TOPOLOGY_BYTES_MAX (1ul << 20)

/* ---- lines ---- */

#define TIERS 3

enum tier_key {
    SPEED, RADIX_DOWN, RADIX_UP, OVERSUBSCRIBED, BUNDLE, SWITCH_LATENCY, LINK_LATENCY, TIER_KEYS
};

static const struct { const char *name; uint32_t min, max, initial; } tier_keys[] = {
    [SPEED]          = { "Downlink_speed_Gbps", 1, 1600, 0 },
    [RADIX_DOWN]     = { "Radix_Down", 1, GRAPH_LINKS_MAX, 0 },
    [RADIX_UP]       = { "Radix_Up", 1, GRAPH_LINKS_MAX, 0 },
    [OVERSUBSCRIBED] = { "Oversubscribed", 1, GRAPH_LINKS_MAX, 1 },
    [BUNDLE]         = { "Bundle", 1, GRAPH_LINKS_MAX, 1 },
    [SWITCH_LATENCY] = { "Switch_Latency_ns", 0, (uint32_t)(GRAPH_DELAY_PS_MAX / PS_PER_NS), 0 },
    [LINK_LATENCY]   = { "Downlink_Latency_ns", 1, (uint32_t)(GRAPH_DELAY_PS_MAX / PS_PER_NS), 0 },
};

enum topo_key { TOPO_NODES, TOPO_TIERS, TOPO_PODSIZE, TOPO_KEYS };

static const struct { const char *name; uint32_t min, max; } topo_keys[] = {
    [TOPO_NODES]   = { "Nodes", 1, GRAPH_NODES_MAX },
    [TOPO_TIERS]   = { "Tiers", 2, TIERS },
    [TOPO_PODSIZE] = { "Podsize", 1, GRAPH_NODES_MAX },
};

/* A value and its line; line 0: not given. */
struct topo_value { uint32_t value, line; };

struct topo_tier { uint32_t line; struct topo_value key[TIER_KEYS]; }; /* line 0: no such block */

struct topo_reader {
    struct tokens words;
    struct topo_value key[TOPO_KEYS];
    struct topo_tier  tier[TIERS];
    int               at;        /* the current block; -1: none yet */
    bool              is_uet;    /* as uet-htsim: ignores sizes of queues, and needs no delays */
};

/* Like tokens_err(), for an earlier line. */
#define refuse_at(r, at_line, ...) \
    ({ \
        (r)->words.line = (at_line); \
        tokens_err(&(r)->words, EINVAL, __VA_ARGS__); \
    })

static int read_given(struct tokens *w, const char *name, uint32_t min, uint32_t max,
                      struct topo_value *given)
{
    uint32_t value = 0;
    int      rc;

    if (given->line)
        return tokens_err(w, EINVAL, "line %u gives %s already", given->line, name);
    rc = tokens_uint32(w, name, max, &value);
    if (!rc && value < min)
        rc = tokens_err(w, ERANGE, "%s: %u is less than %u", name, value, min);
    rc = rc ? rc : tokens_end(w);
    if (!rc)
        *given = (struct topo_value){ value, w->line };
    return rc;
}

static int read_tier(struct topo_reader *r)
{
    struct tokens *w = &r->words;
    uint32_t      number = 0;
    int           rc;

    for (int i = 0; i < TOPO_KEYS; i++)
        if (!r->key[i].line)
            return tokens_err(w, EINVAL, "%s must be given before the first tier", topo_keys[i].name);
    rc = tokens_uint32(w, "Tier", r->key[TOPO_TIERS].value - 1, &number);
    rc = rc ? rc : tokens_end(w);
    if (!rc && r->tier[number].line)
        rc = tokens_err(w, EINVAL, "line %u begins tier %u already", r->tier[number].line, number);
    if (rc)
        return rc;
    r->tier[number].line = w->line;
    r->at = (int)number;
    return 0;
}

static int read_tier_key(struct topo_reader *r, int key)
{
    struct tokens *w = &r->words;

    if (r->at < 0)
        return tokens_err(w, EINVAL, "%s belongs to a tier; 'Tier 0' is to come first", tier_keys[key].name);
    if (key == RADIX_UP && r->at + 1 == (int)r->key[TOPO_TIERS].value)
        return tokens_err(w, EINVAL, "Radix_Up: tier %d is the top and has no uplinks", r->at);
    return read_given(w, tier_keys[key].name, tier_keys[key].min, tier_keys[key].max,
                      &r->tier[r->at].key[key]);
}

static int read_topo_key(struct topo_reader *r, int key)
{
    if (r->at >= 0)
        return tokens_err(&r->words, EINVAL, "%s must be given before the first tier", topo_keys[key].name);
    return read_given(&r->words, topo_keys[key].name, topo_keys[key].min, topo_keys[key].max, &r->key[key]);
}

static int unknown_topo_key(const struct tokens *w)
{
    const char *names[TIER_KEYS + TOPO_KEYS + 2] = { "Tier" };
    char        near[120];
    int         count = 1;

    if (strcasecmp(w->word, "Queue_up") == 0 || strcasecmp(w->word, "Queue_down") == 0)
        return tokens_err(w, ENOTSUP,
            "%s: a port has no queue of its own size here; 'buffer' of a scenario's 'switch' is shared",
            w->word);
    for (int i = 0; i < TIER_KEYS; i++)
        names[count++] = tier_keys[i].name;
    for (int i = 0; i < TOPO_KEYS; i++)
        names[count++] = topo_keys[i].name;
    return tokens_err(w, EINVAL, "'%s' is not a key%s", w->word,
                      text_did_you_mean(near, sizeof near, w->word, names));
}

static int read_topo_line(struct topo_reader *r)
{
    const char *word = tokens_next(&r->words);

    if (strcasecmp(word, "Tier") == 0)
        return read_tier(r);
    for (int i = 0; i < TIER_KEYS; i++)
        if (strcasecmp(word, tier_keys[i].name) == 0)
            return read_tier_key(r, i);
    for (int i = 0; i < TOPO_KEYS; i++)
        if (strcasecmp(word, topo_keys[i].name) == 0)
            return read_topo_key(r, i);
    if (r->is_uet && (strcasecmp(word, "Queue_up") == 0 || strcasecmp(word, "Queue_down") == 0))
        return read_given(&r->words, "a queue's size", 0, UINT32_MAX, &(struct topo_value){ 0 });
    return unknown_topo_key(&r->words);
}

/* ---- derived sizes ---- */

static uint32_t tier_value(const struct topo_reader *r, int tier, enum tier_key key)
{
    return r->tier[tier].key[key].value;
}

static uint32_t line_of(const struct topo_reader *r, int tier, enum tier_key key)
{
    uint32_t line = r->tier[tier].key[key].line;

    return line ? line : r->tier[tier].line;
}

static int complete_tier(struct topo_reader *r, int tier)
{
    struct topo_tier *t = &r->tier[tier];
    bool              is_top = tier + 1 == (int)r->key[TOPO_TIERS].value;

    if (!t->line)
        return tokens_err(&r->words, EINVAL, "there is no block 'Tier %d'", tier);
    for (int i = 0; i < TIER_KEYS; i++) {
        if (t->key[i].line)
            continue;
        if (i == LINK_LATENCY && r->is_uet)
            continue;            /* no delay, whatever -hop_latency says */
        if (tier_keys[i].initial == 0 && i != SWITCH_LATENCY && !(i == RADIX_UP && is_top))
            return refuse_at(r, t->line, "tier %d has no %s", tier, tier_keys[i].name);
        t->key[i].value = tier_keys[i].initial;
    }
    return 0;
}

/* Checks that the ports of a switch divide into bundles of parallel links. */
static int check_bundles(struct topo_reader *r, int tier)
{
    uint32_t bundle = tier_value(r, tier, BUNDLE), up = tier_value(r, tier, RADIX_UP);

    if (tier == 0 && bundle != 1)
        return refuse_at(r, line_of(r, 0, BUNDLE), "a host has one link: Bundle of tier 0 is 1");
    if (tier_value(r, tier, RADIX_DOWN) % bundle)
        return refuse_at(r, line_of(r, tier, BUNDLE),
                         "Radix_Down of tier %d, %u, is not a multiple of its Bundle, %u", tier,
                         tier_value(r, tier, RADIX_DOWN), bundle);
    if (tier + 1 < (int)r->key[TOPO_TIERS].value && up % tier_value(r, tier + 1, BUNDLE))
        return refuse_at(r, line_of(r, tier, RADIX_UP), "Radix_Up of tier %d, %u, is not a multiple of the "
                         "Bundle of tier %d, %u", tier, up, tier + 1, tier_value(r, tier + 1, BUNDLE));
    return 0;
}

static int shape_pods(struct topo_reader *r, struct fat_tree *s)
{
    const struct topo_value *nodes = &r->key[TOPO_NODES], *pod = &r->key[TOPO_PODSIZE];

    if (nodes->value % pod->value)
        return refuse_at(r, pod->line, "%u Nodes cannot be divided into pods of %u",
                         nodes->value, pod->value);
    if (r->key[TOPO_TIERS].value == 2 && nodes->value != pod->value)
        return refuse_at(r, pod->line, "with two tiers there is one pod: Podsize must be %u, as Nodes",
                         nodes->value);
    if (pod->value % tier_value(r, 0, RADIX_DOWN))
        return refuse_at(r, line_of(r, 0, RADIX_DOWN), "a pod of %u hosts cannot be divided among ToRs with "
                         "a Radix_Down of %u", pod->value, tier_value(r, 0, RADIX_DOWN));
    s->pods = nodes->value / pod->value;
    s->tors_per_pod = pod->value / tier_value(r, 0, RADIX_DOWN);
    return 0;
}

/* Returns a tier's uplinks, which htsim derives from speed and oversubscription, or 0 if they do not divide
 * evenly. */
static uint64_t uplinks(const struct topo_reader *r, int tier, uint64_t downlinks)
{
    uint64_t down = downlinks * tier_value(r, tier, SPEED),
             up = (uint64_t)tier_value(r, tier + 1, SPEED) * tier_value(r, tier, OVERSUBSCRIBED);

    return down % up ? 0 : down / up;
}

static int shape_aggs(struct topo_reader *r, struct fat_tree *s, uint64_t *tor_uplinks)
{
    uint32_t ratio = tier_value(r, 0, RADIX_DOWN) / tier_value(r, 0, RADIX_UP),
             bundle = tier_value(r, 1, BUNDLE);
    uint64_t ports = (uint64_t)s->pods * tier_value(r, 1, RADIX_DOWN);

    if (ratio != tier_value(r, 0, OVERSUBSCRIBED))
        return refuse_at(r, line_of(r, 0, OVERSUBSCRIBED), "tier 0 has %u ports down and %u up: "
                         "Oversubscribed must be %u, not %u", tier_value(r, 0, RADIX_DOWN),
                         tier_value(r, 0, RADIX_UP), ratio, tier_value(r, 0, OVERSUBSCRIBED));
    *tor_uplinks = uplinks(r, 0, r->key[TOPO_NODES].value);
    if (*tor_uplinks == 0 || ports == 0 || *tor_uplinks % ports)
        return refuse_at(
            r, line_of(r, 1, RADIX_DOWN),
            "by speed and oversubscription ToRs have %llu uplinks, which %u pods of switches with a "
            "Radix_Down of %u cannot take",
            (unsigned long long)*tor_uplinks, s->pods, tier_value(r, 1, RADIX_DOWN));
    if (*tor_uplinks / ports * bundle != tier_value(r, 0, RADIX_UP))
        return refuse_at(
            r, line_of(r, 1, BUNDLE),
            "%llu switches of tier 1 in a pod, with a Bundle of %u, take %llu links of a ToR, but its "
            "Radix_Up is %u",
            (unsigned long long)(*tor_uplinks / ports), bundle,
            (unsigned long long)(*tor_uplinks / ports * bundle), tier_value(r, 0, RADIX_UP));
    s->aggs_per_pod = (uint32_t)(*tor_uplinks / ports);
    return 0;
}

static int shape_cores(struct topo_reader *r, struct fat_tree *s, uint64_t tor_uplinks)
{
    uint64_t agg_uplinks = uplinks(r, 1, tor_uplinks), cores = agg_uplinks / tier_value(r, 2, RADIX_DOWN);
    uint32_t bundle = tier_value(r, 2, BUNDLE);

    if (agg_uplinks == 0 || agg_uplinks % tier_value(r, 2, RADIX_DOWN))
        return refuse_at(
            r, line_of(r, 2, RADIX_DOWN),
            "by speed and oversubscription tier 1 has %llu uplinks, which cores with a Radix_Down of %u "
            "cannot take",
            (unsigned long long)agg_uplinks, tier_value(r, 2, RADIX_DOWN));
    if (cores % s->aggs_per_pod)
        return refuse_at(r, line_of(r, 2, RADIX_DOWN), "%llu cores cannot be divided among the %u switches "
                         "of tier 1 in a pod", (unsigned long long)cores, s->aggs_per_pod);
    if (cores / s->aggs_per_pod * bundle != tier_value(r, 1, RADIX_UP))
        return refuse_at(
            r, line_of(r, 2, BUNDLE),
            "%llu cores for each switch of tier 1, with a Bundle of %u, take %llu links, but its Radix_Up "
            "is %u",
            (unsigned long long)(cores / s->aggs_per_pod), bundle,
            (unsigned long long)(cores / s->aggs_per_pod * bundle), tier_value(r, 1, RADIX_UP));
    s->cores = (uint32_t)cores;
    return 0;
}

static int check_size(struct topo_reader *r, const struct fat_tree *s)
{
    uint64_t hosts = r->key[TOPO_NODES].value, tors = (uint64_t)s->pods * s->tors_per_pod,
             aggs = (uint64_t)s->pods * s->aggs_per_pod;

    r->words.line = r->key[TOPO_NODES].line;
    if (hosts + tors + aggs + s->cores > GRAPH_NODES_MAX)
        return tokens_err(&r->words, ERANGE, "with its switches the network has more than %u nodes",
                         GRAPH_NODES_MAX);
    if (hosts + tors * tier_value(r, 0, RADIX_UP) +
        aggs * (s->cores ? tier_value(r, 1, RADIX_UP) : 0) > GRAPH_LINKS_MAX)
        return tokens_err(&r->words, ERANGE, "the network has more than %u links", GRAPH_LINKS_MAX);
    for (int tier = 0; tier < (int)r->key[TOPO_TIERS].value; tier++)
        if (fat_tree_delay_ps(s, (uint32_t)tier) > GRAPH_DELAY_PS_MAX)
            return refuse_at(r, line_of(r, tier, LINK_LATENCY), "with the latency of its switches a link of "
                             "tier %d takes more than 4ms", tier);
    return 0;
}

/* ---- the network ---- */

static void fill_tiers(const struct topo_reader *r, struct fat_tree *s)
{
    s->is_given = true;
    s->tiers = r->key[TOPO_TIERS].value;
    s->hosts = r->key[TOPO_NODES].value;
    s->hosts_per_tor = tier_value(r, 0, RADIX_DOWN);
    for (int i = 0; i < (int)s->tiers; i++) {
        s->bundle[i] = tier_value(r, i, BUNDLE);
        s->oversubscribed[i] = tier_value(r, i, OVERSUBSCRIBED);
        s->rate_bps[i] = tier_value(r, i, SPEED) * 1000000000ull;
        s->link_ps[i] = tier_value(r, i, LINK_LATENCY) * PS_PER_NS;
        s->switch_ps[i] = tier_value(r, i, SWITCH_LATENCY) * PS_PER_NS;
    }
}

static int make_shape(struct topo_reader *r, struct fat_tree *s)
{
    uint64_t tor_uplinks = 0;
    int      rc = 0, tiers = (int)r->key[TOPO_TIERS].value;

    for (int i = 0; i < TOPO_KEYS; i++)
        if (!r->key[i].line)
            return tokens_err(&r->words, EINVAL, "%s is missing", topo_keys[i].name);
    for (int i = 0; i < tiers && !rc; i++)
        rc = complete_tier(r, i);
    for (int i = 0; i < tiers && !rc; i++)
        rc = check_bundles(r, i);
    rc = rc ? rc : shape_pods(r, s);
    rc = rc ? rc : shape_aggs(r, s, &tor_uplinks);
    if (!rc && tiers == 3)
        rc = shape_cores(r, s, tor_uplinks);
    if (rc)
        return rc;
    fill_tiers(r, s);
    return check_size(r, s);
}

static int read_tree(struct topo_reader *r, const char *path, const char *text, struct fat_tree *s,
                     struct err *err)
{
    int rc = tokens_open(&r->words, path, text, TOPOLOGY_BYTES_MAX, err);

    while (!rc && tokens_next_line(&r->words))
        rc = read_topo_line(r);
    rc = rc ? rc : make_shape(r, s);
    tokens_close(&r->words);
    return rc;
}

int htsim_read_topology(const char *path, const char *text, struct graph *g, struct err *err)
{
    struct topo_reader r = { .at = -1 };
    struct fat_tree    s = { 0 };
    struct graph       made;
    struct err         why;
    int                rc = read_tree(&r, path, text, &s, err);

    if (rc)
        return rc;
    graph_init(&made);
    fat_tree_wire(&s, &made);
    rc = graph_check(&made, &why);
    if (rc) {
        graph_fini(&made);
        return refuse_at(&r, r.key[TOPO_NODES].line, "%s", why.text);
    }
    *g = made;
    return 0;
}

int htsim_read_uet_topology(const char *path, const char *text, struct fat_tree *tree, struct err *err)
{
    struct topo_reader r = { .at = -1, .is_uet = true };
    struct fat_tree    s = { 0 };
    int                rc = read_tree(&r, path, text, &s, err);

    if (!rc)
        *tree = s;
    return rc;
}
