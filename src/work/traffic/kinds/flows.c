/* src/work/traffic/kinds/flows.c - the flows of a list, each with its own start time and class. */
#include "work/traffic/kinds/flows.h"

#include "work/traffic/kind.h"
#include "work/traffic/read.h"

#include <stdio.h>
#include <stdlib.h>

struct source_flows { uint32_t *flow, count; }; /* flows of one source, in list order */

struct flow_list_state {
    struct flow_list     list;
    struct source_flows *mine;   /* by stream */
    uint32_t            *order;  /* flows of all sources, concatenated */
};

extern const struct traffic_kind traffic_flows;

static bool flows_next(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    const struct flow_list_state *state = e->state;
    const struct source_flows    *mine = &state->mine[s->number];

    if (s->at == mine->count)
        return false;
    const struct flow_row *flow = &state->list.flow[mine->flow[s->at]];
    f->rank = e->rank + mine->flow[s->at++];
    f->at_ps = flow->start_ps;
    f->dst = flow->dst;
    f->bytes = flow->bytes;
    f->prio = flow->prio;
    f->dport = flow->dport;
    return true;
}

static uint8_t flows_prios(const void *state)
{
    const struct flow_list *list = &((const struct flow_list_state *)state)->list;
    uint32_t                prios = 0;

    for (uint32_t i = 0; i < list->count; i++)
        prios |= 1u << list->flow[i].prio;
    return (uint8_t)prios;
}

static void flows_free(void *state)
{
    struct flow_list_state *f = state;

    flow_list_fini(&f->list);
    free(f->mine);
    free(f->order);
    free(f);
}

/* Adds a stream for each source, in node order, with its flows. */
static void divide_list(struct flow_list_state *f, struct traffic *t, uint32_t nodes)
{
    uint32_t *count = xcalloc(nodes + 1ul, sizeof *count), *stream = xcalloc(nodes + 1ul, sizeof *stream);
    uint32_t *end = f->order = xcalloc(f->list.count + 1ul, sizeof *f->order), sources = 0;

    for (uint32_t i = 0; i < f->list.count; i++)
        sources += count[f->list.flow[i].src]++ == 0;
    f->mine = xcalloc(sources + 1ul, sizeof *f->mine);
    for (uint32_t n = 0; n < nodes; n++)
        if (count[n]) {
            stream[n] = traffic_add_stream(t, n, 0)->number;
            f->mine[stream[n]].flow = end;
            end += count[n];
        }
    for (uint32_t i = 0; i < f->list.count; i++) {
        struct source_flows *m = &f->mine[stream[f->list.flow[i].src]];

        m->flow[m->count++] = i;
    }
    free(stream);
    free(count);
}

void traffic_add_list(struct traffic *t, struct flow_list *list)
{
    struct flow_list_state *f = xcalloc(1, sizeof *f);

    f->list = *list;
    *list = (struct flow_list){ 0 };
    traffic_add_entry(t, &traffic_flows, f, NULL, NULL, 0);
    traffic_take_ranks(t, f->list.count);
    traffic_expect_flows(t, f->list.count);
    divide_list(f, t, t->graph->nodes);
}

/* ---- reading ---- */

static void read_list(struct reader *r, const struct yaml_node *node, const char *path,
                      const struct traffic_env *env, struct traffic *t, struct traffic_about *about)
{
    struct flow_list flows = { 0 };
    struct err       why;
    bool            *is_source;

    reader_keep(r, env->read_flows(path, NULL, env->graph, &flows, &why), &why, node);
    if (r->rc)
        return;
    is_source = xcalloc(env->graph->nodes, sizeof *is_source);
    for (uint32_t i = 0; i < flows.count; i++) {
        about->hosts += !is_source[flows.flow[i].src];
        is_source[flows.flow[i].src] = true;
    }
    free(is_source);
    about->start_ps = flows.count ? flows.flow[0].start_ps : 0;
    traffic_add_list(t, &flows);
}

void traffic_read_list(struct reader *r, const struct yaml_node *node, const char *path,
                       const struct traffic_env *env, struct traffic *t, struct traffic_about *about)
{
    *about = (struct traffic_about){ .name = "flows 1", .kind = "flows", .stop_ps = env->run_ps };
    read_list(r, node, path, env, t, about);
}

static void flows_read(struct entry *e)
{
    char *path = section_file(&e->sec, "file");

    if (path)
        read_list(e->r, section_get(&e->sec, "file"), path, e->env, e->traffic, e->about);
    free(path);
}

static const struct key_row keys[] = {
    { "kind", KEY_NAME, "", "`flows`" },
    { "name", KEY_NAME, "", "as above" },
    { "file", KEY_FILE, "", "the list, with times and classes" },
    { "qps", KEY_COUNT, "", "as above; default `fresh`" },
    { 0 },
};

const struct traffic_kind traffic_flows = {
    .name = "flows", .about = "the flows of a list in the format of the HPCC ns-3 fork",
    .keys = keys, .is_all_own = true, .read = flows_read, .next = flows_next, .free = flows_free,
    .prios = flows_prios,
};
