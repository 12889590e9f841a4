/* src/scenario/scenario_traffic.c - the list 'traffic'. */
#include "scenario/scenario_traffic.h"
#include "scenario/scenario_htsim.h"

#include "base/text.h"
#include "core/units.h"
#include "formats/hpcc_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct scenario_kind scenario_traffics[] = {
    { "flows",       "the flows of a list, as the HPCC ns-3 fork reads it" },
    { "poisson",     "every host starts flows at random times to random others, at a given load" },
    { "incast",      "many hosts send to one at the same moment, once or periodically" },
    { "permutation", "every host sends to one other and receives from one other" },
    { "all_to_all",  "every host sends to every other, all at once" },
    { "many_to_one", "many queue pairs of many hosts send to one, each from a random moment on" },
    { "long_short",  "long flows, and short ones that arrive together at random times" },
    { "storage",     "compute nodes read and write blocks of storage nodes, each so many at a time" },
    { "rpc",         "remote procedure calls: requests at random times, each answered by its server" },
    { "training",    "workers do a collective, wait for the last of them, compute, and begin again" },
    { "htsim",       "the connections of an htsim matrix (.cm), with its triggers" },
    { "tcp",         "TCP in a class of its own, at a load or from some senders to one receiver" },
    { NULL, NULL },
};

/* ---- hosts ---- */

uint32_t entry_host(struct scenario_reader *r, const struct yaml_node *node)
{
    const struct graph *g = &r->s->graph;
    int64_t             found;

    if (r->rc)
        return 0;
    if (node->kind != YAML_SCALAR) {
        reader_refuse(r, node, "a host is named (h0) or numbered");
        return 0;
    }
    found = scenario_find_node(g, node->text);
    if (found < 0)
        reader_refuse(r, node, "there is no host '%.60s'", node->text);
    else if (g->node[found].is_switch)
        reader_refuse(r, node, "'%.60s' is not a host but a switch", node->text);
    return r->rc ? 0 : (uint32_t)found;
}

static void list_hosts(struct scenario_reader *r, const struct yaml_node *list, struct hosts *hosts)
{
    bool *is_named = xcalloc(r->s->graph.nodes, sizeof *is_named);

    for (const struct yaml_node *c = list->child; c && !r->rc; c = c->next) {
        uint32_t host = entry_host(r, c);

        if (!r->rc && is_named[host])
            reader_refuse(r, c, "the host '%.60s' is there twice", c->text);
        if (r->rc)
            break;
        is_named[host] = true;
        hosts->node[hosts->count++] = host;
    }
    free(is_named);
}

/* The first 'count' hosts, without one of them. */
static void first_hosts(const struct graph *g, uint32_t count, uint32_t without, struct hosts *hosts)
{
    for (uint32_t i = 0; i < g->nodes && hosts->count < count; i++)
        if (!g->node[i].is_switch && i != without)
            hosts->node[hosts->count++] = i;
}

struct hosts entry_hosts(const struct entry *e, const char *key, uint32_t min, uint32_t without)
{
    struct scenario_reader *r = e->r;
    const struct graph     *g = &r->s->graph;
    const struct yaml_node *node = section_get(&e->sec, key);
    uint32_t                count = g->hosts - (without < g->nodes);
    struct hosts            hosts = { xcalloc(g->hosts + 1ul, sizeof *hosts.node), 0 };

    if (r->rc)
        return hosts;
    if (count < min && !(node && node->kind == YAML_LIST))
        reader_refuse(r, e->sec.map, "%u hosts are too few for %s", g->hosts, e->about->kind);
    else if (node && node->kind == YAML_LIST)
        list_hosts(r, node, &hosts);
    else if (node)
        reader_count(r, node, key, min, count, &count);
    if (!r->rc && node && node->kind == YAML_LIST && hosts.count < min)
        reader_refuse(r, node, "'%s' must name %u hosts or more", key, min);
    if (!r->rc && !(node && node->kind == YAML_LIST))
        first_hosts(g, count, without, &hosts);
    e->about->hosts = hosts.count;
    return hosts;
}

void entry_need_end(const struct entry *e)
{
    if (e->common.stop_ps == NEVER)
        reader_refuse(e->r, e->sec.map, "%s traffic needs an end: give it 'stop', or the scenario 'run'",
                      e->about->kind);
}

uint64_t scenario_link_delay_ps(const struct graph *g)
{
    uint64_t least = GRAPH_DELAY_PS_MAX;

    for (uint32_t i = 0; i < g->links; i++)
        least = g->link[i].delay_ps < least ? g->link[i].delay_ps : least;
    return least;
}

const struct yaml_node *entry_place(const struct entry *e, const char *key)
{
    const struct yaml_node *node = section_get(&e->sec, key);

    return node ? node : e->sec.map;
}

/* ---- the kinds ---- */

struct scenario_traffic *scenario_add_entry(struct scenario *s, const char *kind)
{
    struct scenario_traffic *e;
    uint32_t                 number = 1;

    if (!s->traffic)
        s->traffic = traffic_new(&s->graph, s->cfg.seed);
    for (uint32_t i = 0; i < s->entries; i++)
        number += strcmp(s->entry[i].kind, kind) == 0;
    s->entry = xrealloc(s->entry, (s->entries + 1ul) * sizeof *s->entry);
    e = &s->entry[s->entries++];
    *e = (struct scenario_traffic){ .stop_ps = s->run_ps };
    snprintf(e->kind, sizeof e->kind, "%s", kind);
    snprintf(e->name, sizeof e->name, "%s %u", kind, number);
    return e;
}

void scenario_read_flows(struct scenario_reader *r, const struct yaml_node *node, const char *path,
                         struct scenario_traffic *about)
{
    struct flow_list flows = { 0 };
    struct err        why;
    bool             *is_source;

    reader_keep(r, hpcc_read_flows(path, &r->s->graph, &flows, &why), &why, node);
    if (r->rc)
        return;
    is_source = xcalloc(r->s->graph.nodes, sizeof *is_source);
    for (uint32_t i = 0; i < flows.count; i++) {
        about->hosts += !is_source[flows.flow[i].src];
        is_source[flows.flow[i].src] = true;
    }
    free(is_source);
    about->start_ps = flows.count ? flows.flow[0].start_ns * PS_PER_NS : 0;
    traffic_add_list(r->s->traffic, &flows);
}

static void read_flows(struct entry *e)
{
    const char *file;
    char       *path;

    section_need(&e->sec, "file");
    file = section_text(&e->sec, "file");
    if (!file)
        return;
    path = reader_path(e->r->name, file);
    scenario_read_flows(e->r, section_get(&e->sec, "file"), path, e->about);
    free(path);
}

void entry_sizes(const struct entry *e, struct cdf *cdf)
{
    const struct yaml_node *node = section_get(&e->sec, "sizes");
    const char             *name = section_text(&e->sec, "sizes");
    struct err              why;
    char                    near[80], *path;

    if (!name)
        section_need(&e->sec, "sizes");
    if (!name || cdf_builtin(cdf, name) == 0)
        return;
    path = reader_path(e->r->name, name);
    if (!strpbrk(name, "./") && access(path, F_OK) != 0)
        reader_refuse(e->r, node, "'%.60s' is neither a built-in table of sizes nor a file%s", name,
                      reader_near(near, sizeof near, name, cdf_names));
    else
        reader_keep(e->r, cdf_read(cdf, path, &why), &why, node);
    free(path);
}

/* The switch a host hangs on. */
static uint32_t rack_of(const struct graph *g, const uint32_t *link_of, uint32_t host)
{
    const struct graph_link *l = &g->link[link_of[host]];

    return l->a == host ? l->b : l->a;
}

/* The mean share of a host's possible destinations that are not behind its own switch. Destinations do not
 * include the host itself, so one that is among them has one less. */
static double share_between_racks(const struct graph *g, const uint32_t *link_of, const struct hosts *from,
                                  const struct hosts *to)
{
    uint32_t *behind = xcalloc(g->nodes, sizeof *behind);
    bool     *is_to = xcalloc(g->nodes, sizeof *is_to);
    double    away = 0, away_among = 0;          /* of those that are among the destinations */

    for (uint32_t i = 0; i < to->count; i++) {
        behind[rack_of(g, link_of, to->node[i])]++;
        is_to[to->node[i]] = true;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t count = to->count - behind[rack_of(g, link_of, from->node[i])];

        *(is_to[from->node[i]] ? &away_among : &away) += count;
    }
    free(is_to);
    free(behind);
    if (to->count > 1)
        away_among /= (double)from->count * (to->count - 1);
    return away_among + away / ((double)from->count * to->count);
}

double entry_load_bps_to(const struct entry *e, const struct hosts *from, const struct hosts *to, double load,
                         bool of_bisection)
{
    const struct graph *g = &e->r->s->graph;
    uint32_t           *link_of = scenario_host_links(g);
    double              sum = 0, share;

    for (uint32_t i = 0; i < from->count; i++)
        sum += (double)g->link[link_of[from->node[i]]].rate_bps;
    share = share_between_racks(g, link_of, from, to);
    free(link_of);
    if (!of_bisection)
        return load * sum / from->count;
    if (share == 0)
        reader_refuse(e->r, section_get(&e->sec, "of"),
                      "there is no traffic between racks: all hosts are behind one switch");
    return share > 0 ? load * e->r->s->uplink_bps / (from->count * share) : 0;
}

double entry_load_bps(const struct entry *e, const struct hosts *hosts, double load, bool of_bisection)
{
    return entry_load_bps_to(e, hosts, hosts, load, of_bisection);
}

bool entry_load(const struct entry *e)
{
    static const char *const bases[] = { "hosts", "bisection", NULL };

    section_real(&e->sec, "load", 1e-6, 1000, &e->about->load);
    return section_choice(&e->sec, "of", "a measure of load: hosts or bisection", bases) == 1;
}

void entry_read_poisson(struct entry *e)
{
    struct hosts hosts = entry_hosts(e, "hosts", 2, UINT32_MAX);
    struct cdf   cdf = { 0 };
    bool         of_bisection = entry_load(e);

    entry_need_end(e);
    entry_sizes(e, &cdf);
    if (!e->r->rc)
        e->about->bps_per_host = entry_load_bps(e, &hosts, e->about->load, of_bisection);
    if (e->r->rc) {
        cdf_fini(&cdf);
        free(hosts.node);
        return;
    }
    traffic_add_poisson(e->r->s->traffic, &e->common, &cdf, e->about->bps_per_host, hosts.node, hosts.count);
    e->hosts = hosts;            /* kept, to add up loads */
}

static uint32_t last_host(const struct graph *g)
{
    uint32_t last = g->nodes - 1;

    while (last > 0 && g->node[last].is_switch)
        last--;
    return last;
}

/* Without the key 'receiver' it is the last host. */
static uint32_t read_receiver(const struct entry *e)
{
    const struct yaml_node *node = section_get(&e->sec, "receiver");

    return node ? entry_host(e->r, node) : last_host(&e->r->s->graph);
}

static void check_senders(const struct entry *e, const char *key, const struct hosts *senders,
                          uint32_t receiver)
{
    for (uint32_t i = 0; i < senders->count && !e->r->rc; i++)
        if (senders->node[i] == receiver)
            reader_refuse(e->r, section_get(&e->sec, key), "the receiver %s is among the senders",
                          e->r->s->graph.node[receiver].name);
}

void entry_read_incast(struct entry *e)
{
    uint64_t     bytes = 0, period = 0;
    uint32_t     flows = 1, receiver = read_receiver(e);
    struct hosts senders;

    section_need(&e->sec, "senders");
    section_need(&e->sec, "size");
    senders = entry_hosts(e, "senders", 1, receiver);
    check_senders(e, "senders", &senders, receiver);
    section_bytes(&e->sec, "size", 1, SIZE_BYTES_MAX, &bytes);
    section_count(&e->sec, "flows", 1, FLOWS_EACH_MAX, &flows);
    section_time(&e->sec, "period", &period);
    if (period)
        entry_need_end(e);
    if (!e->r->rc)
        traffic_add_incast(e->r->s->traffic, &e->common, bytes, period, receiver, senders.node, senders.count,
                           flows);
    free(senders.node);
}

static void read_permutation(struct entry *e)
{
    struct hosts hosts = entry_hosts(e, "hosts", 2, UINT32_MAX);
    uint64_t     bytes = 0;
    uint32_t     shift = 0;

    section_need(&e->sec, "size");
    section_bytes(&e->sec, "size", 1, SIZE_BYTES_MAX, &bytes);
    section_count(&e->sec, "shift", 0, hosts.count - 1, &shift);
    if (!e->r->rc)
        traffic_add_permutation(e->r->s->traffic, &e->common, bytes, shift, hosts.node, hosts.count);
    free(hosts.node);
}

static void read_all_to_all(struct entry *e)
{
    struct hosts hosts = entry_hosts(e, "hosts", 2, UINT32_MAX);
    uint64_t     bytes = 0;

    section_need(&e->sec, "size");
    section_bytes(&e->sec, "size", 1, SIZE_BYTES_MAX, &bytes);
    if (!e->r->rc)
        traffic_add_all_to_all(e->r->s->traffic, &e->common, bytes, hosts.node, hosts.count);
    free(hosts.node);
}

/* What a flow without a size sends: so much that its host's link cannot carry it before the run is over. */
static uint64_t endless_bytes(const struct entry *e, const char *key, const struct hosts *senders)
{
    const struct graph *g = &e->r->s->graph;
    uint32_t           *link_of;
    uint64_t            rate_bps = 0, bytes, run_ps = e->r->s->run_ps;

    if (run_ps == NEVER)
        reader_refuse(e->r, e->sec.map, "%s traffic needs an end: give it '%s', or the scenario 'run'",
                      e->about->kind, key);
    if (e->r->rc)
        return 0;
    link_of = scenario_host_links(g);
    for (uint32_t i = 0; i < senders->count; i++) {
        uint64_t bps = g->link[link_of[senders->node[i]]].rate_bps;

        rate_bps = bps > rate_bps ? bps : rate_bps;
    }
    free(link_of);
    bytes = (uint64_t)((unsigned __int128)(run_ps - e->common.start_ps) * rate_bps / 8 / PS_PER_S) + 1;
    return bytes < SIZE_BYTES_MAX ? bytes : SIZE_BYTES_MAX;
}

static uint64_t read_size_or_endless(const struct entry *e, const char *key, const struct hosts *senders)
{
    uint64_t bytes = 0;

    if (!section_get(&e->sec, key))
        return endless_bytes(e, key, senders);
    section_bytes(&e->sec, key, 1, SIZE_BYTES_MAX, &bytes);
    return bytes;
}

static void check_many_to_one(const struct entry *e, uint32_t senders, uint32_t qps, uint64_t spread_ps)
{
    char until[32], stop[32];

    if (e->r->rc)
        return;
    if ((uint64_t)senders * qps > MANY_TO_ONE_MAX)
        reader_refuse(e->r, entry_place(e, "qps"), "%u hosts with %u queue pairs each: more than %u flows",
                      senders, qps, MANY_TO_ONE_MAX);
    else if (spread_ps > e->common.stop_ps - e->common.start_ps)
        reader_refuse(e->r, entry_place(e, "spread"),
                      "starts are spread until %s, but no flow starts after %s",
                      text_from_time(until, sizeof until, e->common.start_ps + spread_ps),
                      text_from_time(stop, sizeof stop, e->common.stop_ps));
}

static void read_many_to_one(struct entry *e)
{
    uint32_t     qps = 1, receiver = read_receiver(e);
    uint64_t     bytes, spread = 0;
    struct hosts senders = entry_hosts(e, "hosts", 1, receiver);

    check_senders(e, "hosts", &senders, receiver);
    section_count(&e->sec, "qps", 1, MANY_TO_ONE_MAX, &qps);
    section_time(&e->sec, "spread", &spread);
    check_many_to_one(e, senders.count, qps, spread);
    bytes = read_size_or_endless(e, "size", &senders);
    if (!e->r->rc)
        traffic_add_many_to_one(e->r->s->traffic, &e->common, bytes, spread, receiver, senders.node,
                                senders.count, qps);
    free(senders.node);
}

/* Without the key 'from' all but the receiver and those that send long flows; if nobody is left, those. */
static struct hosts read_from(const struct entry *e, uint32_t receiver, const struct hosts *longs)
{
    struct hosts from = entry_hosts(e, "from", 1, receiver);
    bool        *is_long = xcalloc(e->r->s->graph.nodes, sizeof *is_long);
    uint32_t     all = from.count;

    check_senders(e, "from", &from, receiver);
    for (uint32_t i = 0; i < longs->count; i++)
        is_long[longs->node[i]] = true;
    if (!section_get(&e->sec, "from") && longs->count < from.count) {
        from.count = 0;
        for (uint32_t i = 0; i < all; i++)
            if (!is_long[from.node[i]])
                from.node[from.count++] = from.node[i];
    }
    free(is_long);
    return from;
}

static void read_bursts(const struct entry *e, struct long_short *l)
{
    section_count(&e->sec, "shorts", 1, FLOWS_EACH_MAX, &l->shorts);
    section_bytes(&e->sec, "short_size", 1, SIZE_BYTES_MAX, &l->short_bytes);
    section_time(&e->sec, "after", &l->after_ps);
    section_time(&e->sec, "period", &l->period_ps);
    section_time(&e->sec, "spread", &l->spread_ps);
    if (!e->r->rc && l->period_ps == 0)
        reader_refuse(e->r, section_get(&e->sec, "period"), "'period' must be more than 0");
    if (!e->r->rc && l->spread_ps > l->period_ps)
        reader_refuse(e->r, entry_place(e, "spread"),
                      "'spread' must not be above 'period': bursts would overlap");
    if (e->r->rc)
        return;
    l->jitter_ps = l->period_ps - l->spread_ps;
    section_time(&e->sec, "jitter", &l->jitter_ps);
    if (!e->r->rc && l->jitter_ps > l->period_ps - l->spread_ps)
        reader_refuse(e->r, section_get(&e->sec, "jitter"),
                      "'jitter' and 'spread' together must not be above 'period': bursts would overlap");
    if (!e->r->rc && l->after_ps >= e->common.stop_ps - e->common.start_ps)
        reader_refuse(e->r, entry_place(e, "after"),
                      "no flow starts any more when the short ones would begin");
}

static void read_long_short(struct entry *e)
{
    struct long_short l = { .receiver = read_receiver(e) };
    struct hosts      longs = entry_hosts(e, "long", 1, l.receiver), from = { NULL, 0 };

    if (longs.count > 1 && !section_get(&e->sec, "long"))
        longs.count = 1;
    check_senders(e, "long", &longs, l.receiver);
    entry_need_end(e);
    read_bursts(e, &l);
    if (!e->r->rc)
        from = read_from(e, l.receiver, &longs);
    l.long_bytes = read_size_or_endless(e, "long_size", &longs);
    if (!e->r->rc) {
        l.longs = longs.node, l.long_count = longs.count;
        l.from = from.node, l.from_count = from.count;
        traffic_add_long_short(e->r->s->traffic, &e->common, &l);
        e->about->hosts = longs.count + from.count;
    }
    free(from.node);
    free(longs.node);
}

/* ---- the list ---- */

static void read_name(struct entry *e)
{
    const struct yaml_node *node = section_get(&e->sec, "name");
    const char             *name = section_text(&e->sec, "name");
    const struct scenario  *s = e->r->s;

    if (!name)
        return;
    if (!*name || strlen(name) >= sizeof e->about->name)
        reader_refuse(e->r, node, "a name has 1 to %zu characters", sizeof e->about->name - 1);
    for (uint32_t i = 0; i + 1 < s->entries && !e->r->rc; i++)
        if (strcmp(s->entry[i].name, name) == 0)
            reader_refuse(e->r, node, "there is traffic called '%s' already", name);
    if (!e->r->rc)
        snprintf(e->about->name, sizeof e->about->name, "%s", name);
}

/* 'for': a stop that is counted from the start. */
static void read_for(struct entry *e)
{
    const struct yaml_node *node = section_get(&e->sec, "for");
    uint64_t                for_ps = 0;

    if (!node)
        return;
    section_time(&e->sec, "for", &for_ps);
    if (section_get(&e->sec, "stop"))
        reader_refuse(e->r, node, "'for' beside 'stop': one of them says it");
    else if (!e->r->rc && for_ps == 0)
        reader_refuse(e->r, node, "'for' must be more than 0");
    e->common.stop_ps = e->common.start_ps + for_ps;
}

static void read_common(struct entry *e)
{
    const struct yaml_node *start = section_get(&e->sec, "start");
    uint64_t                run_ps = e->r->s->run_ps;
    uint32_t                prio = 0;

    e->common.stop_ps = run_ps;
    section_time(&e->sec, "start", &e->common.start_ps);
    section_time(&e->sec, "stop", &e->common.stop_ps);
    read_for(e);
    section_bool(&e->sec, "influx", &e->about->is_influx);
    section_count(&e->sec, "prio", 0, PRIOS - 1, &prio);
    if (e->r->rc)
        return;
    if (section_get(&e->sec, "stop") && e->common.start_ps >= e->common.stop_ps)
        reader_refuse(e->r, section_get(&e->sec, "stop"), "'stop' must be after 'start'");
    else if (e->common.start_ps >= run_ps)
        reader_refuse(e->r, start, "the run is over by then");
    else if (e->about->is_influx && !section_get(&e->sec, "stop") && !section_get(&e->sec, "for"))
        reader_refuse(e->r, section_get(&e->sec, "influx"), "an influx comes and goes: say when it ends, by 'for' or 'stop'");
    if (e->common.stop_ps > run_ps)
        e->common.stop_ps = run_ps;
    e->common.prio = (uint8_t)prio;
    e->about->start_ps = e->common.start_ps;
    e->about->stop_ps = e->common.stop_ps;
}

/* In the order of scenario_traffics[]. The flows of a list have their own times and classes. */
static const struct {
    const char *common, *own;
    void      (*read)(struct entry *);
} kinds[] = {
    { "traffic flows", NULL,                  read_flows },
    { "traffic",       "traffic poisson",     entry_read_poisson },
    { "traffic",       "traffic incast",      entry_read_incast },
    { "traffic",       "traffic permutation", read_permutation },
    { "traffic",       "traffic all_to_all",  read_all_to_all },
    { "traffic",       "traffic many_to_one", read_many_to_one },
    { "traffic",       "traffic long_short",  read_long_short },
    { "traffic",       "traffic storage",     entry_read_storage },
    { "traffic",       "traffic rpc",         entry_read_rpc },
    { "traffic",       "traffic training",    entry_read_training },
    { "traffic",       "traffic htsim",       scenario_read_htsim_traffic },
    { "traffic",       "traffic tcp",         entry_read_tcp },
};

static void read_entry(struct scenario_reader *r, const struct yaml_node *node, struct entry *e)
{
    const char *names[sizeof kinds / sizeof *kinds + 1] = { NULL };
    int         kind;

    *e = (struct entry){ .r = r, .sec = { r, "traffic", NULL, node, false } };
    for (int i = 0; scenario_traffics[i].name; i++)
        names[i] = scenario_traffics[i].name;
    section_need(&e->sec, "kind");
    kind = section_choice(&e->sec, "kind", "a kind of traffic", names);
    if (kind < 0)
        return;
    e->sec = section_open(r, node, kinds[kind].common, kinds[kind].own);
    if (r->rc)
        return;
    e->about = scenario_add_entry(r->s, names[kind]);
    read_name(e);
    read_common(e);
    if (!r->rc)
        kinds[kind].read(e);
    e->index = r->s->entries - 1;
}

/* ---- loads together ---- */

struct moment { uint64_t at_ps; uint32_t entry; bool is_start; };    /* poisson traffic starts or stops */

static int by_time(const void *a_, const void *b_)
{
    const struct moment *a = a_, *b = b_;

    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    if (a->is_start != b->is_start)              /* one may stop when the other starts */
        return a->is_start ? 1 : -1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static void refuse_load(const struct entry *e, uint32_t host, double bps, double link_bps)
{
    const struct yaml_node *node = section_get(&e->sec, "load");
    char                    asked[32], has[32];

    reader_refuse(e->r, node ? node : e->sec.map, "too much load: %s would send %s, but its link carries %s",
                  e->r->s->graph.node[host].name, text_from_rate(asked, sizeof asked, bps),
                  text_from_rate(has, sizeof has, link_bps));
}

/* Adds an entry's load to what its hosts send, or takes it away. */
static void add_load(const struct entry *e, double sign, const uint32_t *link_of, double *bps)
{
    const struct graph *g = &e->r->s->graph;

    for (uint32_t i = 0; i < e->hosts.count && !e->r->rc; i++) {
        uint32_t host = e->hosts.node[i];
        double   link_bps = (double)g->link[link_of[host]].rate_bps;

        bps[host] += sign * e->r->s->entry[e->index].bps_per_host;
        if (bps[host] > link_bps * (1 + 1e-9))   /* sums are rounded */
            refuse_load(e, host, bps[host], link_bps);
    }
}

/* Refuses poisson traffic that asks more of a host, at any moment, than its link carries. */
static void check_loads(struct scenario_reader *r, const struct entry *entry, uint32_t count)
{
    struct moment *moment = xcalloc(2ul * count + 1, sizeof *moment);
    uint32_t      *link_of = scenario_host_links(&r->s->graph), moments = 0;
    double        *bps = xcalloc(r->s->graph.nodes + 1ul, sizeof *bps);

    for (uint32_t i = 0; i < count; i++)
        if (entry[i].hosts.count) {
            moment[moments++] = (struct moment){ entry[i].common.start_ps, i, true };
            moment[moments++] = (struct moment){ entry[i].common.stop_ps, i, false };
        }
    qsort(moment, moments, sizeof *moment, by_time);
    for (uint32_t i = 0; i < moments && !r->rc; i++)
        add_load(&entry[moment[i].entry], moment[i].is_start ? 1 : -1, link_of, bps);
    free(bps);
    free(link_of);
    free(moment);
}

void scenario_read_traffic(struct scenario_reader *r, const struct yaml_node *list)
{
    struct section          root = { r, "", NULL, r->doc.root, false };
    const struct yaml_node *node = section_list(&root, "traffic", SCENARIO_ENTRIES_MAX);
    struct entry           *entry;
    uint32_t                count = 0;

    if (r->rc)
        return;
    if (!node) {
        reader_refuse(r, list, "'traffic' must be a list with an entry or more");
        return;
    }
    entry = xcalloc(list->count, sizeof *entry);
    for (; node && !r->rc; node = node->next)
        read_entry(r, node, &entry[count++]);
    if (!r->rc)
        check_loads(r, entry, count);
    for (uint32_t i = 0; i < count; i++)
        free(entry[i].hosts.node);
    free(entry);
}
