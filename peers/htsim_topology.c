#include "peers/htsim.h"

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

static void read_given(struct tokens *w, const char *name, uint32_t min, uint32_t max,
                       struct topo_value *given)
{
    uint32_t value = 0;

    if (given->line)
        tokens_err(w, EINVAL, "line %u gives %s already", given->line, name);
    tokens_uint32(w, name, max, &value);
    if (value < min)
        tokens_err(w, ERANGE, "%s: %u is less than %u", name, value, min);
    tokens_end(w);
    *given = (struct topo_value){ value, w->line };
}

static void read_tier(struct topo_reader *r)
{
    struct tokens *w = &r->words;
    uint32_t       number = 0;

    for (int i = 0; i < TOPO_KEYS; i++)
        if (!r->key[i].line)
            tokens_err(w, EINVAL, "%s must be given before the first tier", topo_keys[i].name);
    tokens_uint32(w, "Tier", r->key[TOPO_TIERS].value - 1, &number);
    tokens_end(w);
    if (r->tier[number].line)
        tokens_err(w, EINVAL, "line %u begins tier %u already", r->tier[number].line, number);
    r->tier[number].line = w->line;
    r->at = (int)number;
}

static void read_tier_key(struct topo_reader *r, int key)
{
    const char *name = tier_keys[key].name;

    if (r->at < 0)
        tokens_err(&r->words, EINVAL, "%s belongs to a tier; 'Tier 0' is to come first", name);
    else if (key == RADIX_UP && r->at + 1 == (int)r->key[TOPO_TIERS].value)
        tokens_err(&r->words, EINVAL, "Radix_Up: tier %d is the top and has no uplinks", r->at);
    else
        read_given(&r->words, name, tier_keys[key].min, tier_keys[key].max, &r->tier[r->at].key[key]);
}

static void refuse_topo_key(struct tokens *w)
{
    const char *names[TIER_KEYS + TOPO_KEYS + 2] = { "Tier" };
    int         count = 1;

    for (int i = 0; i < TIER_KEYS; i++)
        names[count++] = tier_keys[i].name;
    for (int i = 0; i < TOPO_KEYS; i++)
        names[count++] = topo_keys[i].name;
    tokens_refuse_name(w, "a key", names);
}

static void read_topo_line(struct topo_reader *r)
{
    struct tokens *w = &r->words;
    const char    *word = tokens_next(w);
    int            i = 0, k = 0;

    while (i < TIER_KEYS && strcasecmp(word, tier_keys[i].name) != 0)
        i++;
    while (k < TOPO_KEYS && strcasecmp(word, topo_keys[k].name) != 0)
        k++;
    if (strcasecmp(word, "Tier") == 0)
        read_tier(r);
    else if (i < TIER_KEYS)
        read_tier_key(r, i);
    else if (k < TOPO_KEYS && r->at >= 0)
        tokens_err(w, EINVAL, "%s must be given before the first tier", topo_keys[k].name);
    else if (k < TOPO_KEYS)
        read_given(w, topo_keys[k].name, topo_keys[k].min, topo_keys[k].max, &r->key[k]);
    else if (strcasecmp(word, "Queue_up") != 0 && strcasecmp(word, "Queue_down") != 0)
        refuse_topo_key(w);
    else if (r->is_uet)
        read_given(w, "a queue's size", 0, UINT32_MAX, &(struct topo_value){ 0 });
    else
        tokens_err(w, ENOTSUP, "%s: a port has no queue of its own size here; 'buffer' of a scenario's "
                   "'switch' is shared", word);
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

static void complete_tier(struct topo_reader *r, int tier)
{
    struct topo_tier *t = &r->tier[tier];
    bool              is_top = tier + 1 == (int)r->key[TOPO_TIERS].value;

    if (!t->line)
        tokens_err(&r->words, EINVAL, "there is no block 'Tier %d'", tier);
    for (int i = 0; i < TIER_KEYS; i++) {
        if (t->key[i].line)
            continue;
        if (i == LINK_LATENCY && r->is_uet)
            continue;            /* no delay, whatever -hop_latency says */
        if (tier_keys[i].initial == 0 && i != SWITCH_LATENCY && !(i == RADIX_UP && is_top))
            tokens_err_at(&r->words, t->line, EINVAL, "tier %d has no %s", tier, tier_keys[i].name);
        t->key[i].value = tier_keys[i].initial;
    }
}

/* Checks that the ports of a switch divide into bundles of parallel links. */
static void check_bundles(struct topo_reader *r, int tier)
{
    struct tokens *w = &r->words;
    uint32_t       bundle = tier_value(r, tier, BUNDLE), up = tier_value(r, tier, RADIX_UP),
                   down = tier_value(r, tier, RADIX_DOWN);

    if (tier == 0 && bundle != 1)
        tokens_err_at(w, line_of(r, 0, BUNDLE), EINVAL, "a host has one link: Bundle of tier 0 is 1");
    if (down % bundle)
        tokens_err_at(w, line_of(r, tier, BUNDLE), EINVAL,
                      "Radix_Down of tier %d, %u, is not a multiple of its Bundle, %u", tier, down, bundle);
    if (tier + 1 < (int)r->key[TOPO_TIERS].value && up % tier_value(r, tier + 1, BUNDLE))
        tokens_err_at(w, line_of(r, tier, RADIX_UP), EINVAL,
                      "Radix_Up of tier %d, %u, is not a multiple of the Bundle of tier %d, %u", tier, up,
                      tier + 1, tier_value(r, tier + 1, BUNDLE));
}

static void shape_pods(struct topo_reader *r, struct fat_tree *s)
{
    uint32_t nodes = r->key[TOPO_NODES].value, pod = r->key[TOPO_PODSIZE].value,
             line = r->key[TOPO_PODSIZE].line, down = tier_value(r, 0, RADIX_DOWN);

    if (nodes % pod)
        tokens_err_at(&r->words, line, EINVAL, "%u Nodes cannot be divided into pods of %u", nodes, pod);
    if (r->key[TOPO_TIERS].value == 2 && nodes != pod)
        tokens_err_at(&r->words, line, EINVAL,
                      "with two tiers there is one pod: Podsize must be %u, as Nodes", nodes);
    if (pod % down)
        tokens_err_at(&r->words, line_of(r, 0, RADIX_DOWN), EINVAL,
                      "a pod of %u hosts cannot be divided among ToRs with a Radix_Down of %u", pod, down);
    s->pods = nodes / pod;
    s->tors_per_pod = pod / down;
}

/* Returns a tier's uplinks, which htsim derives from speed and oversubscription, or 0 if they do not divide
 * evenly. */
static uint64_t uplinks(const struct topo_reader *r, int tier, uint64_t downlinks)
{
    uint64_t down = downlinks * tier_value(r, tier, SPEED),
             up = (uint64_t)tier_value(r, tier + 1, SPEED) * tier_value(r, tier, OVERSUBSCRIBED);

    return down % up ? 0 : down / up;
}

/* Returns the uplinks of all ToRs. */
static uint64_t shape_aggs(struct topo_reader *r, struct fat_tree *s)
{
    struct tokens *w = &r->words;
    uint32_t       down = tier_value(r, 0, RADIX_DOWN), up = tier_value(r, 0, RADIX_UP), ratio = down / up,
                   bundle = tier_value(r, 1, BUNDLE), agg_down = tier_value(r, 1, RADIX_DOWN);
    uint64_t       ports = (uint64_t)s->pods * agg_down;

    if (ratio != tier_value(r, 0, OVERSUBSCRIBED))
        tokens_err_at(w, line_of(r, 0, OVERSUBSCRIBED), EINVAL,
                      "tier 0 has %u ports down and %u up: Oversubscribed must be %u, not %u", down, up,
                      ratio, tier_value(r, 0, OVERSUBSCRIBED));
    uint64_t links = uplinks(r, 0, r->key[TOPO_NODES].value);
    if (links == 0 || ports == 0 || links % ports)
        tokens_err_at(w, line_of(r, 1, RADIX_DOWN), EINVAL,
                      "by speed and oversubscription ToRs have %llu uplinks, which %u pods of switches with "
                      "a Radix_Down of %u cannot take", (unsigned long long)links, s->pods, agg_down);
    uint64_t aggs = ports ? links / ports : 0, taken = aggs * bundle;
    if (taken != up)
        tokens_err_at(w, line_of(r, 1, BUNDLE), EINVAL,
                      "%llu switches of tier 1 in a pod, with a Bundle of %u, take %llu links of a ToR, but "
                      "its Radix_Up is %u", (unsigned long long)aggs, bundle,
                      (unsigned long long)taken, up);
    s->aggs_per_pod = (uint32_t)aggs;
    return links;
}

static void shape_cores(struct topo_reader *r, struct fat_tree *s, uint64_t tor_uplinks)
{
    struct tokens *w = &r->words;
    uint32_t       bundle = tier_value(r, 2, BUNDLE), down = tier_value(r, 2, RADIX_DOWN),
                   up = tier_value(r, 1, RADIX_UP);
    uint64_t       links = uplinks(r, 1, tor_uplinks), cores = links / down;

    if (links == 0 || links % down)
        tokens_err_at(w, line_of(r, 2, RADIX_DOWN), EINVAL,
                      "by speed and oversubscription tier 1 has %llu uplinks, which cores with a Radix_Down "
                      "of %u cannot take", (unsigned long long)links, down);
    if (cores % s->aggs_per_pod)
        tokens_err_at(w, line_of(r, 2, RADIX_DOWN), EINVAL,
                      "%llu cores cannot be divided among the %u switches of tier 1 in a pod",
                      (unsigned long long)cores, s->aggs_per_pod);
    uint64_t taken = cores / s->aggs_per_pod * bundle;
    if (taken != up)
        tokens_err_at(w, line_of(r, 2, BUNDLE), EINVAL,
                      "%llu cores for each switch of tier 1, with a Bundle of %u, take %llu links, but its "
                      "Radix_Up is %u", (unsigned long long)(cores / s->aggs_per_pod), bundle,
                      (unsigned long long)taken, up);
    s->cores = (uint32_t)cores;
}

static void check_size(struct topo_reader *r, const struct fat_tree *s)
{
    struct tokens *w = &r->words;
    uint32_t       line = r->key[TOPO_NODES].line;
    uint64_t       hosts = r->key[TOPO_NODES].value, tors = (uint64_t)s->pods * s->tors_per_pod,
                   aggs = (uint64_t)s->pods * s->aggs_per_pod;

    if (hosts + tors + aggs + s->cores > GRAPH_NODES_MAX)
        tokens_err_at(w, line, ERANGE, "with its switches the network has more than %u nodes",
                      GRAPH_NODES_MAX);
    if (hosts + tors * tier_value(r, 0, RADIX_UP) +
        aggs * (s->cores ? tier_value(r, 1, RADIX_UP) : 0) > GRAPH_LINKS_MAX)
        tokens_err_at(w, line, ERANGE, "the network has more than %u links", GRAPH_LINKS_MAX);
    for (int tier = 0; tier < (int)r->key[TOPO_TIERS].value; tier++)
        if (fat_tree_delay_ps(s, (uint32_t)tier) > GRAPH_DELAY_PS_MAX)
            tokens_err_at(w, line_of(r, tier, LINK_LATENCY), EINVAL,
                          "with the latency of its switches a link of tier %d takes more than 4ms", tier);
}

/* ---- the network ---- */

static void make_shape(struct topo_reader *r, struct fat_tree *s)
{
    int tiers = (int)r->key[TOPO_TIERS].value;

    for (int i = 0; i < TOPO_KEYS; i++)
        if (!r->key[i].line)
            tokens_err(&r->words, EINVAL, "%s is missing", topo_keys[i].name);
    for (int i = 0; i < tiers; i++)
        complete_tier(r, i);
    for (int i = 0; i < tiers && !r->words.rc; i++)
        check_bundles(r, i);
    if (r->words.rc)
        return;
    shape_pods(r, s);
    uint64_t tor_uplinks = shape_aggs(r, s);
    if (tiers == 3 && !r->words.rc)
        shape_cores(r, s, tor_uplinks);
    s->is_given = true;
    s->tiers = r->key[TOPO_TIERS].value;
    s->hosts = r->key[TOPO_NODES].value;
    s->hosts_per_tor = tier_value(r, 0, RADIX_DOWN);
    for (int k = 0; k < (int)s->tiers; k++) {
        s->bundle[k] = tier_value(r, k, BUNDLE);
        s->oversubscribed[k] = tier_value(r, k, OVERSUBSCRIBED);
        s->rate_bps[k] = tier_value(r, k, SPEED) * 1000000000ull;
        s->link_ps[k] = tier_value(r, k, LINK_LATENCY) * PS_PER_NS;
        s->switch_ps[k] = tier_value(r, k, SWITCH_LATENCY) * PS_PER_NS;
    }
    check_size(r, s);
}

static int read_tree(struct topo_reader *r, const char *path, const char *text, struct fat_tree *s,
                     struct err *err)
{
    tokens_open(&r->words, path, text, TOPOLOGY_BYTES_MAX, err);
    while (tokens_next_line(&r->words))
        read_topo_line(r);
    make_shape(r, s);
    return tokens_close(&r->words);
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
        return tokens_err_at(&r.words, r.key[TOPO_NODES].line, EINVAL, "%s", why.text);
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
