/* src/work/traffic/read.c - reads the entries of the traffic list: the common keys. The kind reads the
 * rest. */
#include "work/traffic/read.h"

#include "base/text.h"
#include "core/units.h"
#include "work/traffic/kind.h"
#include "work/traffic/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX   64
#define CLASSES_MAX 8u           /* packet priorities */
#define QPS_MAX     65535u

#define QPS_INITIAL "1 for training, storage and rpc, as many as a host sends short flows in a burst for " \
                    "long_short, and `fresh` for others; always `fresh` in models hpcc and conweave"

const struct key_row traffic_keys[] = {
    { "kind",   KEY_NAME, "",   "which of the kinds below" },
    { "name",   KEY_NAME, "",   "name in results; default: kind and number, `poisson 1`" },
    { "start",  KEY_TIME, "0",  "of the first flow", KEY_AT(struct traffic_common, start_ps) },
    { "stop",   KEY_TIME, "",   "no flow starts at or after it; default: the end of the run",
      KEY_AT(struct traffic_common, stop_ps) },
    { "for",    KEY_TIME, "",   "instead of `stop`: duration after `start`" },
    { "influx", KEY_YES,  "no", "split results into before, during and after this traffic" },
    { "prio",   KEY_COUNT, "3",  "class of its packets, 0 .. 7", KEY_AT(struct traffic_common, prio), 0,
      CLASSES_MAX - 1 },
    { "qps",    KEY_COUNT, "", "persistent queue pairs from host to host, used round robin; `fresh`: one per "
      "message. Default: " QPS_INITIAL },
    { 0 },
};

void entry_check_flows(const struct entry *e, uint64_t count)
{
    if (count > TRAFFIC_AT_ONCE_MAX - traffic_flows_at_once(e->traffic))
        reader_refuse(e->r, e->sec.map, "%llu flows at once are too many: there may be %u, all entries "
                      "together; let fewer hosts send, or one after the other", (unsigned long long)count,
                      TRAFFIC_AT_ONCE_MAX);
}

void entry_use_verb(struct entry *e, enum verb verb, const char *size_key, uint64_t bytes)
{
    if (verb != VERB_WRITE)
        e->pairs_key = "verb";
    if (verb != VERB_UD || e->r->rc)
        return;
    if (!e->env->has_datagrams)
        section_refuse(&e->sec, "verb", "datagrams need 'model: nic'");
    else if (bytes > e->env->mtu_bytes)
        section_refuse(&e->sec, size_key, "a datagram is one packet of at most %u bytes: '%s' has up to %llu",
                       e->env->mtu_bytes, size_key, (unsigned long long)bytes);
}

void entry_check_spread(const struct entry *e, uint64_t spread_ps)
{
    char until[32], stop[32];

    if (!e->r->rc && spread_ps > e->common.stop_ps - e->common.start_ps)
        section_refuse(&e->sec, "spread", "starts are spread until %s, but no flow starts after %s",
                       text_from_time(until, sizeof until, e->common.start_ps + spread_ps),
                       text_from_time(stop, sizeof stop, e->common.stop_ps));
}

void entry_need_end(const struct entry *e)
{
    if (e->common.stop_ps == NEVER)
        reader_refuse(e->r, e->sec.map, "%s traffic needs an end: give it 'stop', or the scenario 'run'",
                      e->about->kind);
}

/* The default name is the kind and its number among the entries of that kind. */
static void name_entry(struct traffic_about *about, const struct traffic_about *first, const char *kind)
{
    uint32_t number = 1;

    for (; first < about; first++)
        number += strcmp(first->kind, kind) == 0;
    snprintf(about->kind, sizeof about->kind, "%s", kind);
    snprintf(about->name, sizeof about->name, "%s %u", kind, number);
}

static void read_name(struct entry *e, const struct traffic_about *first)
{
    const struct yaml_node *node = section_get(&e->sec, "name");
    const char             *name = section_text(&e->sec, "name");

    if (!name)
        return;
    if (!*name || strlen(name) >= sizeof e->about->name)
        reader_refuse(e->r, node, "a name has 1 to %zu characters", sizeof e->about->name - 1);
    for (; first < e->about && !e->r->rc; first++)
        if (strcmp(first->name, name) == 0)
            reader_refuse(e->r, node, "another entry is already named '%s'", name);
    if (!e->r->rc)
        snprintf(e->about->name, sizeof e->about->name, "%s", name);
}

/* Describes what is sent, in the words of the file: "ring_all_reduce of 64MB", "FB_Hadoop sizes". A number
 * without a unit is bytes. */
static void describe(struct entry *e)
{
    const struct yaml_node *sizes = section_get(&e->sec, "sizes"), *size = section_get(&e->sec, "size");
    const struct yaml_node *collective = section_get(&e->sec, "collective"),
                           *mix = section_get(&e->sec, "mix");
    const struct yaml_node *operation = collective ? collective : mix;
    bool                    is_named = operation && operation->kind == YAML_SCALAR;
    const char             *slash = sizes && sizes->kind == YAML_SCALAR ? strrchr(sizes->text, '/') : NULL;
    char                    amount[60] = "", text[32];
    uint64_t                bytes;

    if (sizes && sizes->kind != YAML_SCALAR)
        snprintf(amount, sizeof amount, "sizes of its own");
    else if (sizes)
        snprintf(amount, sizeof amount, "%.40s sizes", slash ? slash + 1 : sizes->text);
    else if (size && size->kind == YAML_SCALAR)
        snprintf(amount, sizeof amount, "%s%.20s", is_named ? "" : "messages of ",
                 text_to_uint(size->text, &bytes, NULL) ? size->text
                                                        : text_from_bytes(text, sizeof text, (double)bytes));
    snprintf(e->about->what, sizeof e->about->what, "%.30s%s%s", is_named ? operation->text : "",
             is_named && *amount ? " of " : "", amount);
}

/* Reads 'for': a stop relative to the start. */
static void read_for(struct entry *e)
{
    const struct yaml_node *node = section_get(&e->sec, "for");
    uint64_t                for_ps = 0;

    if (!node)
        return;
    section_time(&e->sec, "for", &for_ps);
    if (section_get(&e->sec, "stop"))
        reader_refuse(e->r, node, "give 'for' or 'stop', not both");
    else if (!e->r->rc && for_ps == 0)
        reader_refuse(e->r, node, "'for' must be more than 0");
    e->common.stop_ps = e->common.start_ps + for_ps;
}

static void read_common(struct entry *e)
{
    const struct yaml_node *start = section_get(&e->sec, "start");
    uint64_t                run_ps = e->env->run_ps;

    e->common.stop_ps = run_ps;
    section_read(&e->sec, traffic_keys, &e->common);
    read_for(e);
    section_bool(&e->sec, "influx", &e->about->is_influx);
    if (e->r->rc)
        return;
    if (section_get(&e->sec, "stop") && e->common.start_ps >= e->common.stop_ps)
        section_refuse(&e->sec, "stop", "'stop' must be after 'start'");
    else if (e->common.start_ps >= run_ps)
        reader_refuse(e->r, start, "the run is over by then");
    else if (e->about->is_influx && !section_get(&e->sec, "stop") && !section_get(&e->sec, "for"))
        section_refuse(&e->sec, "influx", "an influx needs an end: give 'for' or 'stop'");
    if (e->common.stop_ps > run_ps)
        e->common.stop_ps = run_ps;
    e->about->start_ps = e->common.start_ps;
    e->about->stop_ps = e->common.stop_ps;
}

/* The models of ns-3 forks have no consecutive messages on a queue pair, and TCP has no queue pairs. A kind
 * that has read the key itself has checked it. */
static void read_qps(struct entry *e)
{
    const struct yaml_node *node = section_get(&e->sec, "qps");
    const char             *text = section_text(&e->sec, "qps");
    bool                    is_own = e->has_own_qps;

    if (node && text && strcmp(text, "fresh") == 0 && !is_own)
        e->qps = 0;
    else if (node && !is_own)
        section_count(&e->sec, "qps", 1, QPS_MAX, &e->qps);
    if (e->r->rc)
        return;
    if (node && e->qps && !is_own && e->env->why_fresh)
        section_refuse(&e->sec, "qps",
                       "%s every flow has its own queue pair: 'qps' must be 'fresh'", e->env->why_fresh);
    else if (e->pairs_key && (!e->qps || e->env->why_fresh))
        section_refuse(&e->sec, e->pairs_key, "'%s' has operations that need persistent queue pairs: there "
                       "are none %s", e->pairs_key,
                       e->env->why_fresh ? e->env->why_fresh : "with 'qps: fresh'");
    else if (node && strcmp(e->about->kind, "tcp") == 0)
        reader_refuse(e->r, node, "tcp has no queue pairs");
    else
        traffic_use_qps(e->traffic, e->env->why_fresh ? 0 : e->qps);
    text_watch_real(e->env->why_fresh ? 0 : e->qps);
}

/* ---- the list ---- */

static const struct traffic_kind *read_kind(const struct section *sec)
{
    const char *names[KINDS_MAX] = { NULL };

    for (int i = 0; traffic_all[i] && i < KINDS_MAX - 1; i++)
        names[i] = traffic_all[i]->name;
    section_need(sec, "kind");
    int kind = section_choice(sec, "kind", "a kind of traffic", names);
    return kind < 0 ? NULL : traffic_all[kind];
}

static void read_entry(struct entry *e, const struct yaml_node *node, const struct traffic_about *first)
{
    struct section             sec = { .r = e->r, .name = "traffic", .common = traffic_keys, .map = node };
    const struct traffic_kind *kind = read_kind(&sec);

    if (!kind)
        return;
    sec.kind = kind->name;
    sec.own = kind->keys;
    sec.common = kind->is_all_own ? NULL : traffic_keys;
    e->sec = section_open(e->r, node, &sec);
    if (e->r->rc)
        return;
    name_entry(e->about, first, kind->name);
    e->about->line = node->line;
    describe(e);
    read_name(e, first);
    read_common(e);
    if (!e->r->rc)
        kind->read(e);
    if (!e->r->rc)
        read_qps(e);
}

void traffic_read(struct reader *r, const struct yaml_node *list, const struct traffic_env *env,
                  struct traffic *t, struct traffic_about *about)
{
    struct entry *entry = xcalloc(list->count, sizeof *entry);
    uint32_t      count = 0;

    for (const struct yaml_node *node = list->child; node && !r->rc; node = node->next, count++) {
        entry[count] = (struct entry){ .r = r, .env = env, .graph = env->graph, .traffic = t,
                                       .about = &about[count] };
        read_entry(&entry[count], node, about);
    }
    if (!r->rc)
        entry_check_loads(entry, count);
    free(entry);
}
