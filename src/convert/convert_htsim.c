/* src/convert/convert_htsim.c - writes a connection matrix, and the network as tiers of a fat-tree.
 *
 * A .topo file does not list links but parameters from which htsim wires them. So the network is decomposed
 * into tiers and pods, every link is checked against that structure, and the resulting text is parsed as
 * htsim would. Switch numbers may differ from htsim's; host numbers may not.
 */
#include "convert/convert.h"

#include "core/units.h"
#include "formats/htsim.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static int refuse(const struct convert_source *s, struct err *err, const char *what)
{
    return err_set(err, ENOTSUP, "%s: htsim's files cannot express this: %s", s->name, what);
}

/* ---- connections ---- */

/* Returns the index of each host among the hosts. */
static uint32_t *host_numbers(const struct graph *g)
{
    uint32_t *number = xcalloc(g->nodes, sizeof(*number)), count = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].is_switch)
            number[i] = count++;
    return number;
}

static void print_flow_conns(FILE *out, const struct convert_source *s, const uint32_t *number)
{
    for (uint32_t i = 0; i < s->flows; i++) {
        const struct convert_flow *f = &s->flow[i];

        fprintf(out, "%u->%u id %u start %llu size %llu\n", number[f->src], number[f->dst], i + 1,
                (unsigned long long)f->at_ps, (unsigned long long)f->bytes);
    }
}

static void print_conn(FILE *out, const struct convert_source *s, const uint32_t *number,
                       const struct matrix_conn *c, uint32_t id)
{
    const struct matrix_trigger *t = s->cm.trigger;

    fprintf(out, "%u->%u id %u ", number[c->src], number[c->dst], id);
    if (c->trigger == MATRIX_NO_TRIGGER)
        fprintf(out, "start %llu", (unsigned long long)c->start_ps);
    else
        fprintf(out, "trigger %u", t[c->trigger].id);
    fprintf(out, " size %llu", (unsigned long long)c->bytes);
    if (c->send_done != MATRIX_NO_TRIGGER)
        fprintf(out, " send_done_trigger %u", t[c->send_done].id);
    if (c->recv_done != MATRIX_NO_TRIGGER)
        fprintf(out, " recv_done_trigger %u", t[c->recv_done].id);
    fputc('\n', out);
}

static void print_triggers(FILE *out, const struct flow_matrix *cm)
{
    static const char *const kinds[] = { "oneshot", "multishot", "barrier" };

    for (uint32_t i = 0; i < cm->triggers; i++) {
        fprintf(out, "trigger id %u %s", cm->trigger[i].id, kinds[cm->trigger[i].kind]);
        if (cm->trigger[i].kind == MATRIX_BARRIER)
            fprintf(out, " count %u", cm->trigger[i].count);
        fputc('\n', out);
    }
}

/* True if a size exceeds the int in which htsim stores it. */
static bool has_large(const struct convert_source *s)
{
    bool is_large = false;

    for (uint32_t i = 0; i < s->flows; i++)
        is_large |= s->flow[i].bytes > INT_MAX;
    for (uint32_t i = 0; i < s->cm.conns; i++)
        is_large |= s->cm.conn[i].bytes > INT_MAX;
    return is_large;
}

int convert_print_cm(FILE *out, const struct convert_source *s, struct err *err)
{
    const struct graph *g = &s->scenario.graph;
    uint32_t           *number;
    bool                is_cm = s->cm.conns > 0;

    if (has_large(s))
        return refuse(s, err, "a flow of 2 GiB or more; it counts bytes in 31 bits");
    number = host_numbers(g);
    fprintf(out, "Nodes %u\nConnections %u\n", g->hosts, is_cm ? s->cm.conns : s->flows);
    if (s->cm.triggers)
        fprintf(out, "Triggers %u\n", s->cm.triggers);
    if (!is_cm)
        print_flow_conns(out, s, number);
    for (uint32_t i = 0; i < s->cm.conns; i++)
        print_conn(out, s, number, &s->cm.conn[i], i + 1);
    print_triggers(out, &s->cm);
    free(number);
    return 0;
}

/* ---- decompose the network ---- */

enum { HOST, TOR, AGG, CORE };

/* The links from one node to one node above it. */
struct uplink { uint32_t low, high, count; };

struct tiers {
    const struct graph *g;
    uint8_t            *level;               /* by node: HOST .. CORE */
    uint32_t            count[4];            /* nodes per level */
    struct graph_link   link[3];             /* one example per tier: host-ToR, ToR-agg, agg-core */
    uint32_t            links[3];
    struct uplink      *up[3];               /* sorted by low, then high */
    uint32_t            ups[3];
    uint32_t           *pod;                 /* by ToR and agg */
    uint32_t            pods, tor_hosts, pod_aggs, agg_cores, bundle[3];
};

static int compare_uplinks(const void *a_, const void *b_)
{
    const struct uplink *a = a_, *b = b_;

    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

/* A switch with hosts is a ToR, other neighbors of ToRs are aggs, and the rest are cores. */
static void find_levels(struct tiers *t)
{
    const struct graph *g = t->g;

    for (uint32_t i = 0; i < g->nodes; i++)
        t->level[i] = g->node[i].is_switch ? CORE : HOST;
    for (int level = TOR; level <= AGG; level++)
        for (uint32_t i = 0; i < g->links; i++) {
            uint32_t a = g->link[i].a, b = g->link[i].b;

            if (t->level[a] == level - 1 && t->level[b] == CORE)
                t->level[b] = (uint8_t)level;
            if (t->level[b] == level - 1 && t->level[a] == CORE)
                t->level[a] = (uint8_t)level;
        }
    for (uint32_t i = 0; i < g->nodes; i++)
        t->count[t->level[i]]++;
}

/* Adds a link to its tier. All links of a tier must be equal. Returns NULL, or why not. */
static const char *add_link(struct tiers *t, const struct graph_link *l)
{
    uint32_t low = t->level[l->a] < t->level[l->b] ? l->a : l->b, high = low == l->a ? l->b : l->a;
    int      tier = t->level[low];

    if (t->level[high] != tier + 1)
        return "links that skip a tier or stay in one";
    if (l->loss > 0 || l->ber > 0)
        return "links that lose packets";
    if (t->links[tier]++ == 0)
        t->link[tier] = *l;
    if (l->rate_bps != t->link[tier].rate_bps || l->delay_ps != t->link[tier].delay_ps)
        return "links of one tier that differ in rate or delay";
    t->up[tier][t->ups[tier]++] = (struct uplink){ low, high, 1 };
    return NULL;
}

static void merge_parallel(struct tiers *t, int tier)
{
    struct uplink *up = t->up[tier];
    uint32_t   count = 0;

    if (t->ups[tier])
        qsort(up, t->ups[tier], sizeof(*up), compare_uplinks);
    for (uint32_t i = 0; i < t->ups[tier]; i++)
        if (count && compare_uplinks(&up[count - 1], &up[i]) == 0)
            up[count - 1].count++;
        else
            up[count++] = up[i];
    t->ups[tier] = count;
}

/* True if all nodes of a tier have the same number of nodes above, and of links to each. */
static bool is_even(struct tiers *t, int tier, uint32_t *above)
{
    const struct uplink *up = t->up[tier];

    if (t->ups[tier] == 0 || t->ups[tier] % t->count[tier])
        return false;
    *above = t->ups[tier] / t->count[tier];
    t->bundle[tier] = up[0].count;
    for (uint32_t i = 0; i < t->ups[tier]; i++)
        if (up[i].count != up[0].count || (i && (up[i].low == up[i - 1].low) != (i % *above != 0)))
            return false;
    return true;
}

/* ToRs must have equal numbers of consecutive hosts. */
static const char *check_hosts(struct tiers *t)
{
    uint32_t one = 0;

    if (!is_even(t, HOST, &one) || one != 1 || t->count[HOST] % t->count[TOR])
        return "ToRs with different numbers of hosts";
    t->tor_hosts = t->count[HOST] / t->count[TOR];
    for (uint32_t i = 1; i < t->ups[HOST]; i++)
        if ((t->up[HOST][i].high == t->up[HOST][i - 1].high) != (i % t->tor_hosts != 0))
            return "hosts that are not numbered rack by rack";
    return NULL;
}

/* ToRs below the same aggs form a pod. Its hosts must be consecutive. */
static const char *find_pods(struct tiers *t)
{
    const struct uplink *up = t->up[TOR];

    if (!is_even(t, TOR, &t->pod_aggs))
        return "ToRs with different uplinks";
    for (uint32_t i = 0; i < t->g->nodes; i++)
        t->pod[i] = NONE;
    for (uint32_t i = 0; i < t->ups[TOR]; i += t->pod_aggs) {
        uint32_t pod = t->pod[up[i].high];

        if (pod == NONE)
            pod = t->pods++;
        t->pod[up[i].low] = pod;
        for (uint32_t j = i; j < i + t->pod_aggs; j++) {
            if (t->pod[up[j].high] != NONE && t->pod[up[j].high] != pod)
                return "aggs that belong to two pods";
            t->pod[up[j].high] = pod;
        }
    }
    if (t->count[AGG] != t->pods * t->pod_aggs || t->count[TOR] % t->pods)
        return "pods that differ";
    return NULL;
}

static const char *check_pod_order(const struct tiers *t)
{
    uint32_t pod_hosts = t->count[HOST] / t->pods;

    for (uint32_t i = 1; i < t->ups[HOST]; i++)
        if ((t->pod[t->up[HOST][i].high] == t->pod[t->up[HOST][i - 1].high]) != (i % pod_hosts != 0))
            return "hosts that are not numbered pod by pod";
    return NULL;
}

/* Cores above the same aggs form a group, identified by its first core. Each agg of a pod must use a
 * different group. */
static bool claim_group(const struct tiers *t, uint32_t agg, uint32_t first, uint32_t *group, bool *is_taken)
{
    uint32_t at;

    if (group[first] == NONE)
        group[first] = group[t->g->nodes]++;
    at = t->pod[agg] * t->pod_aggs + group[first];
    if (group[first] >= t->pod_aggs || is_taken[at])
        return false;
    is_taken[at] = true;
    return true;
}

static bool are_cores_grouped(const struct tiers *t, uint32_t *first, uint32_t *seen, uint32_t *group,
                              bool *is_taken)
{
    const struct uplink *up = t->up[AGG];
    bool             is_sound = true;

    for (uint32_t i = 0; i < t->ups[AGG] && is_sound; i++) {
        uint32_t of = up[(size_t)(i / t->agg_cores) * t->agg_cores].high, core = up[i].high;

        if (seen[core]++ == 0)
            first[core] = of;
        is_sound = first[core] == of;
        if (is_sound && i % t->agg_cores == 0)
            is_sound = claim_group(t, up[i].low, of, group, is_taken);
    }
    for (uint32_t i = 0; i < t->g->nodes && is_sound; i++)
        is_sound = t->level[i] != CORE || seen[i] == t->pods;
    return is_sound;
}

/* Each core must be above one agg of every pod, and aggs that share a core must share all. */
static const char *check_cores(struct tiers *t)
{
    uint32_t *first, *seen, *group;          /* by core; the last element of 'group' counts the groups */
    bool     *is_taken, is_sound;

    if (!is_even(t, AGG, &t->agg_cores) || t->count[CORE] != t->pod_aggs * t->agg_cores)
        return "aggs with different uplinks";
    first = xcalloc(t->g->nodes, sizeof(*first));
    seen = xcalloc(t->g->nodes, sizeof(*seen));
    group = xcalloc(t->g->nodes + 1ul, sizeof(*group));
    is_taken = xcalloc(t->count[AGG], sizeof(*is_taken));
    for (uint32_t i = 0; i < t->g->nodes; i++)
        group[i] = NONE;
    is_sound = are_cores_grouped(t, first, seen, group, is_taken);
    free(is_taken);
    free(group);
    free(seen);
    free(first);
    return is_sound ? NULL : "cores that are not linked to one agg of every pod";
}

static const char *decompose(struct tiers *t)
{
    const char *why = NULL;

    find_levels(t);
    if (t->count[AGG] == 0)
        return "a network of one tier of switches; two or three it can";
    for (uint32_t i = 0; i < t->g->links && !why; i++)
        why = add_link(t, &t->g->link[i]);
    for (int i = 0; i < 3; i++)
        merge_parallel(t, i);
    if (!why)
        why = check_hosts(t);
    if (!why)
        why = find_pods(t);
    if (!why)
        why = check_pod_order(t);
    if (!why && t->count[CORE])
        why = check_cores(t);
    else if (!why && t->pods > 1)
        why = "pods that are not linked to each other";
    return why;
}

/* ---- parameters of the file ---- */

struct topo_numbers { uint64_t radix_down[3], radix_up[2], over[2]; };

/* htsim derives uplinks from speed and oversubscription, and rejects a Radix_Down that does not agree. */
static bool count_numbers(const struct tiers *t, struct topo_numbers *n)
{
    uint64_t speed[3], uplinks, down, up;

    for (int i = 0; i < 3; i++)
        speed[i] = t->link[i].rate_bps;
    *n = (struct topo_numbers){ .radix_down = { t->tor_hosts },
                                .radix_up = { (uint64_t)t->pod_aggs * t->bundle[1] } };
    n->over[0] = n->radix_down[0] / n->radix_up[0];
    if (n->over[0] == 0)
        return false;
    uplinks = t->count[HOST] * speed[0] / (speed[1] * n->over[0]);
    n->radix_down[1] = uplinks / t->count[AGG];
    if (t->count[CORE] == 0)
        return true;
    n->radix_up[1] = (uint64_t)t->agg_cores * t->bundle[2];
    down = t->links[1] / t->count[AGG] * speed[1];
    up = n->radix_up[1] * speed[2];
    n->over[1] = down % up == 0 ? down / up : 1;
    uplinks = uplinks * speed[1] / (speed[2] * n->over[1]);
    n->radix_down[2] = uplinks / t->count[CORE];
    return true;
}

static void print_tier(FILE *out, const struct tiers *t, const struct topo_numbers *n, int tier, bool is_top)
{
    fprintf(out, "\nTier %d\nDownlink_speed_Gbps %llu\nRadix_Down %llu\n", tier,
            (unsigned long long)(t->link[tier].rate_bps / 1000000000),
            (unsigned long long)n->radix_down[tier]);
    if (!is_top)
        fprintf(out, "Radix_Up %llu\nOversubscribed %llu\n", (unsigned long long)n->radix_up[tier],
                (unsigned long long)n->over[tier]);
    if (tier)
        fprintf(out, "Bundle %u\n", t->bundle[tier]);
    fprintf(out, "Switch_Latency_ns 0\nDownlink_Latency_ns %llu\n",
            (unsigned long long)(t->link[tier].delay_ps / PS_PER_NS));
}

static void print_tiers(FILE *out, const struct tiers *t, const struct topo_numbers *n)
{
    int tiers = t->count[CORE] ? 3 : 2;

    fprintf(out, "Nodes %u\nTiers %d\nPodsize %u\n", t->count[HOST], tiers, t->count[HOST] / t->pods);
    for (int i = 0; i < tiers; i++)
        print_tier(out, t, n, i, i + 1 == tiers);
}

/* Parses the text as htsim would and compares the network. */
static const char *check_text(const struct tiers *t, const char *text)
{
    struct graph g;
    struct err   why;
    bool         is_same;

    if (htsim_read_topology("network.topo", text, &g, &why))
        return "a network whose numbers htsim would not accept";
    is_same = g.nodes == t->g->nodes && g.hosts == t->g->hosts && g.links == t->g->links &&
              g.link[0].rate_bps == t->link[0].rate_bps && g.link[0].delay_ps == t->link[0].delay_ps &&
              g.link[t->links[0]].rate_bps == t->link[1].rate_bps &&
              g.link[t->links[0]].delay_ps == t->link[1].delay_ps &&
              (t->links[2] == 0 || (g.link[t->links[0] + t->links[1]].rate_bps == t->link[2].rate_bps &&
                                    g.link[t->links[0] + t->links[1]].delay_ps == t->link[2].delay_ps));
    graph_fini(&g);
    return is_same ? NULL : "rates that are not whole Gb/s, or delays that are not whole nanoseconds";
}

static int print_checked(FILE *out, const struct convert_source *s, const struct tiers *t, struct err *err)
{
    struct topo_numbers n;
    const char    *why;
    size_t         size;
    char          *text;
    FILE          *made;

    if (!count_numbers(t, &n))
        return refuse(s, err, "ToRs with more uplinks than hosts");
    made = open_memstream(&text, &size);
    if (!made)
        return err_set(err, ENOMEM, "%s: no memory for the network", s->name);
    print_tiers(made, t, &n);
    fclose(made);
    why = check_text(t, text);
    if (!why)
        fputs(text, out);
    free(text);
    return why ? refuse(s, err, why) : 0;
}

int convert_print_topo(FILE *out, const struct convert_source *s, struct err *err)
{
    const struct graph *g = &s->scenario.graph;
    struct tiers        t = { .g = g };
    const char         *why;
    int                 rc;

    t.level = xcalloc(g->nodes + 1ul, sizeof(*t.level));
    t.pod = xcalloc(g->nodes + 1ul, sizeof(*t.pod));
    for (int i = 0; i < 3; i++)
        t.up[i] = xcalloc(g->links + 1ul, sizeof(*t.up[i]));
    why = decompose(&t);
    rc = why ? refuse(s, err, why) : print_checked(out, s, &t, err);
    for (int i = 0; i < 3; i++)
        free(t.up[i]);
    free(t.pod);
    free(t.level);
    return rc;
}

int convert_write_htsim(const struct convert_source *s, struct outdir *dir, struct err *err)
{
    FILE *topo, *cm;
    int   rc;

    if (s->scenario.cfg.changes)
        return refuse(s, err, "links that fail");
    topo = outdir_file(dir, "network.topo", err);
    cm = topo ? outdir_file(dir, "traffic.cm", err) : NULL;
    if (!cm)
        return -EIO;
    rc = convert_print_topo(topo, s, err);
    return rc ? rc : convert_print_cm(cm, s, err);
}
