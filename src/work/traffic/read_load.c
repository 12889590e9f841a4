/* src/work/traffic/read_load.c - reads an entry's volume: size tables, loads, and the sum over all
 * entries. */
#include "work/traffic/read.h"

#include "base/text.h"
#include "core/units.h"
#include "work/net/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- sizes ---- */

/* Returns true for a row of an inline size table: [bytes, probability]. */
static bool is_row(const struct yaml_node *n)
{
    return n->kind == YAML_LIST && n->count == 2 && n->child->kind == YAML_SCALAR &&
           n->child->next->kind == YAML_SCALAR;
}

static void read_rows(const struct entry *e, const struct yaml_node *node, struct cdf *cdf)
{
    char      *text;
    FILE      *out = text_stream(&text);
    struct err why;

    for (const struct yaml_node *n = node->child; n && !e->r->rc; n = n->next)
        if (is_row(n))
            fprintf(out, "%s %s\n", n->child->text, n->child->next->text);
        else
            reader_refuse(e->r, n, "a row of sizes is [bytes, probability]");
    fclose(out);
    if (!e->r->rc && cdf_read(cdf, "row", text, &why))
        reader_refuse(e->r, node, "%s", why.text);
    free(text);
}

void entry_sizes(const struct entry *e, struct cdf *cdf)
{
    const struct yaml_node *node = section_get(&e->sec, "sizes");
    struct err              why;
    char                    near[80];

    if (node && node->kind == YAML_LIST) {
        read_rows(e, node, cdf);
        return;
    }
    const char *name = section_text(&e->sec, "sizes");
    if (!name)
        section_need(&e->sec, "sizes");
    if (!name || cdf_builtin(cdf, name) == 0)
        return;
    char *path = reader_path(e->r->name, name);
    if (!strpbrk(name, "./") && access(path, F_OK) != 0)
        reader_refuse(e->r, node, "'%.60s' is neither a built-in table of sizes nor a file%s", name,
                      text_did_you_mean(near, sizeof near, name, cdf_names));
    else
        reader_keep(e->r, cdf_read(cdf, path, NULL, &why), &why, node);
    free(path);
}

/* Size of a flow without 'size': more than its host's link can carry during the run. */
static uint64_t endless_bytes(const struct entry *e, const char *key, const struct hosts *senders)
{
    const struct graph *g = e->graph;
    uint64_t            rate_bps = 0, bytes, run_ps = e->env->run_ps;

    if (run_ps == NEVER)
        reader_refuse(e->r, e->sec.map, "%s traffic needs an end: give it '%s', or the scenario 'run'",
                      e->about->kind, key);
    if (e->r->rc)
        return 0;
    uint32_t *link_of = graph_host_links(g);
    for (uint32_t i = 0; i < senders->count; i++) {
        uint64_t bps = g->link[link_of[senders->node[i]]].rate_bps;

        rate_bps = bps > rate_bps ? bps : rate_bps;
    }
    free(link_of);
    bytes = (uint64_t)((unsigned __int128)(run_ps - e->common.start_ps) * rate_bps / 8 / PS_PER_S) + 1;
    return bytes < TRAFFIC_SIZE_MAX ? bytes : TRAFFIC_SIZE_MAX;
}

uint64_t entry_size_or_endless(const struct entry *e, const char *key, const struct hosts *senders)
{
    uint64_t bytes = 0;

    if (!section_get(&e->sec, key))
        return endless_bytes(e, key, senders);
    section_bytes(&e->sec, key, 1, TRAFFIC_SIZE_MAX, &bytes);
    return bytes;
}

/* ---- loads ---- */

/* Returns the mean share of a host's destinations that are behind another switch. A host is not its own
 * destination, so a host in 'to' has one destination less. */
static double share_between_racks(const struct graph *g, const uint32_t *link_of, const struct hosts *from,
                                  const struct hosts *to)
{
    uint32_t *behind = xcalloc(g->nodes, sizeof *behind);
    bool     *is_to = xcalloc(g->nodes, sizeof *is_to);
    double    away = 0, away_among = 0;          /* away_among: for hosts that are also destinations */

    for (uint32_t i = 0; i < to->count; i++) {
        behind[graph_rack(g, link_of, to->node[i])]++;
        is_to[to->node[i]] = true;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t count = to->count - behind[graph_rack(g, link_of, from->node[i])];

        *(is_to[from->node[i]] ? &away_among : &away) += count;
    }
    free(is_to);
    free(behind);
    if (to->count > 1)
        away_among /= (double)from->count * (to->count - 1);
    return away_among + away / ((double)from->count * to->count);
}

double entry_load_bps(const struct entry *e, const struct hosts *from, const struct hosts *to, double load,
                         bool of_bisection)
{
    const struct graph *g = e->graph;
    uint32_t           *link_of = graph_host_links(g);
    double              sum = 0;

    for (uint32_t i = 0; i < from->count; i++)
        sum += (double)g->link[link_of[from->node[i]]].rate_bps;
    double share = share_between_racks(g, link_of, from, to);
    free(link_of);
    if (!of_bisection)
        return load * sum / from->count;
    if (share == 0)
        section_refuse(&e->sec, "of", "there is no traffic between racks: all hosts are behind one switch");
    return share > 0 ? load * graph_uplink_bps(e->graph) / (from->count * share) : 0;
}

bool entry_load(const struct entry *e)
{
    static const char *const bases[] = { "hosts", "bisection", NULL };

    section_real(&e->sec, "load", 1e-6, 1000, &e->about->load);
    e->about->is_of_bisection = section_choice(&e->sec, "of", "a measure of load", bases) == 1;
    return e->about->is_of_bisection;
}

/* ---- combined load ---- */

struct moment { uint64_t at_ps; uint32_t entry; bool is_start; };    /* a start or stop of Poisson traffic */

static int by_time(const void *a_, const void *b_)
{
    const struct moment *a = a_, *b = b_;

    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    if (a->is_start != b->is_start)              /* at equal times, stops precede starts */
        return a->is_start ? 1 : -1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static void refuse_load(const struct entry *e, uint32_t host, double bps, double link_bps)
{
    const struct yaml_node *node = section_get(&e->sec, "load");
    bool                    is_percent = node && node->kind == YAML_SCALAR && e->about->load >= 5;
    char                    asked[32], has[32];

    reader_refuse(e->r, node ? node : e->sec.map, "too much load: %s would send %s, but its link carries "
                  "%s%s%.20s%s",
                  e->graph->node[host].name, text_from_rate(asked, sizeof asked, bps),
                  text_from_rate(has, sizeof has, link_bps),
                  is_percent ? "; did you mean " : "", is_percent ? node->text : "", is_percent ? "%?" : "");
}

/* Adds an entry's load to its hosts, or subtracts it. */
static void add_load(const struct entry *e, double sign, const uint32_t *link_of, double *bps)
{
    const struct graph *g = e->graph;

    for (uint32_t i = 0; i < e->loaded.count && !e->r->rc; i++) {
        uint32_t host = e->loaded.node[i];
        double   link_bps = (double)g->link[link_of[host]].rate_bps;

        bps[host] += sign * e->about->bps_per_host;
        if (bps[host] > link_bps * (1 + 1e-9))   /* tolerates rounding */
            refuse_load(e, host, bps[host], link_bps);
    }
}

void entry_check_loads(const struct entry *entry, uint32_t count)
{
    const struct graph *g = entry->graph;
    struct moment      *moment = xcalloc(2ul * count + 1, sizeof *moment);
    uint32_t           *link_of = graph_host_links(g), moments = 0;
    double             *bps = xcalloc(g->nodes + 1ul, sizeof *bps);

    for (uint32_t i = 0; i < count; i++)
        if (entry[i].loaded.count) {
            moment[moments++] = (struct moment){ entry[i].common.start_ps, i, true };
            moment[moments++] = (struct moment){ entry[i].common.stop_ps, i, false };
        }
    qsort(moment, moments, sizeof *moment, by_time);
    for (uint32_t i = 0; i < moments && !entry->r->rc; i++)
        add_load(&entry[moment[i].entry], moment[i].is_start ? 1 : -1, link_of, bps);
    free(bps);
    free(link_of);
    free(moment);
}
