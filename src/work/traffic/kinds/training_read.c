/* src/work/traffic/kinds/training_read.c - reads training entries: workers, groups and steps. */
#include "work/traffic/kinds/training.h"

#include "base/text.h"
#include "work/net/measure.h"
#include "work/traffic/read.h"

#include <stdlib.h>

/* ---- placement ---- */

struct seat { uint64_t order; uint32_t node; };  /* order: rack and number within the rack, or the reverse */

static int by_order(const void *a_, const void *b_)
{
    const struct seat *a = a_, *b = b_;

    return (a->order > b->order) - (a->order < b->order);
}

/* Lists every host's seat. A server with several GPUs counts as a rack. Racks are numbered in order of their
 * first hosts. */
static struct seat *list_seats(const struct graph *g, bool is_spread)
{
    struct seat *seat = xcalloc(g->hosts + 1ul, sizeof *seat);
    uint32_t    *link_of = graph_host_links(g), seats = 0, racks = 0;
    uint32_t    *rack_of = xcalloc(g->nodes, sizeof *rack_of);
    uint32_t    *taken = xcalloc(g->nodes + 1ul, sizeof *taken),
                *rack_of_server = xcalloc(g->nodes + 1ul, sizeof *rack_of_server);

    for (uint32_t i = 0; i < g->nodes; i++) {
        const struct graph_link *l = &g->link[link_of[i]];
        uint32_t                *rack = g->node[i].server ? &rack_of_server[g->node[i].server]
                                        : &rack_of[l->a == i ? l->b : l->a];

        if (g->node[i].is_switch)
            continue;
        if (*rack == 0)
            *rack = ++racks;
        uint64_t number = taken[*rack]++;
        seat[seats++] = (struct seat){ is_spread ? number << 32 | *rack : (uint64_t)*rack << 32 | number, i };
    }
    free(taken);
    free(rack_of_server);
    free(rack_of);
    free(link_of);
    return seat;
}

/* Places the workers on the first hosts after skipping 'skip' of them. */
static void place_workers(const struct graph *g, bool is_spread, uint32_t skip, struct hosts *workers)
{
    struct seat *seat = list_seats(g, is_spread);

    qsort(seat, g->hosts, sizeof *seat, by_order);
    for (uint32_t i = 0; i < workers->count; i++)
        workers->node[i] = seat[skip + i].node;
    free(seat);
}

static struct hosts read_workers(const struct entry *e)
{
    static const char *const placements[] = { "packed", "spread", NULL };
    const struct yaml_node  *node = section_get(&e->sec, "workers");
    const struct yaml_node  *where = section_get(&e->sec, "placement");
    struct hosts             workers = entry_hosts(e, "workers", 2, UINT32_MAX);
    uint32_t                 skip = 0;

    section_count(&e->sec, "skip", 0, e->graph->hosts - 2, &skip);
    int placement = section_choice(&e->sec, "placement", "a placement", placements);
    if (node && node->kind == YAML_LIST) {
        if (where)
            reader_refuse(e->r, where, "'placement' has no effect on a list of workers; remove it");
        else if (section_get(&e->sec, "skip"))
            section_refuse(&e->sec, "skip", "'skip' has no effect on a list of workers; remove it");
        return workers;
    }
    if (e->r->rc)
        return workers;
    if (!node)
        e->about->hosts = workers.count -= skip;
    if (skip + workers.count > e->graph->hosts)
        reader_refuse(e->r, node, "%u workers after %u skipped hosts do not fit: there are %u hosts",
                      workers.count, skip, e->graph->hosts);
    else
        place_workers(e->graph, placement == 1, skip, &workers);
    return workers;
}

/* ---- the collective ---- */

/* Checks the combination of a collective's keys. 'too_many' is the node to blame if there are too many
 * workers. */
static void check_collective(const struct section *sec, uint32_t workers, const struct yaml_node *too_many,
                             struct collective_cfg *cfg)
{
    const struct yaml_node *chunk = section_get(sec, "chunk");
    struct err              why;

    section_need(sec, "size");
    cfg->workers = workers;
    if (chunk && cfg->kind != COLLECTIVE_TREE_ALL_REDUCE && !cfg->channels)
        reader_refuse(sec->r, chunk, "only tree_all_reduce and rings with 'channels' go in chunks");
    if (cfg->is_at_once && cfg->kind != COLLECTIVE_ALL_TO_ALL)
        section_refuse(sec, "at_once", "only all_to_all can go at once: messages of %s wait for others",
                       collective_names[cfg->kind]);
    if (cfg->is_by_rail && cfg->kind != COLLECTIVE_ALL_TO_ALL)
        section_refuse(sec, "pxn", "only all_to_all has messages that PXN takes to another rail");
    if (cfg->skew > 0 && cfg->kind != COLLECTIVE_ALL_TO_ALL)
        section_refuse(sec, "skew", "only all_to_all can be skewed");
    if (sec->r->rc)
        return;
    int rc = collective_check(cfg, &why);
    if (rc)
        reader_refuse(sec->r, rc == -E2BIG && too_many ? too_many : rc == -E2BIG ? sec->map
                      : section_get(sec, "size"), "%s", why.text);
}

/* ---- groups and steps ---- */

static const struct key_row group_keys[] = {
    { "tensor",   KEY_COUNT, "1", "workers of a tensor group, adjacent" },
    { "pipeline", KEY_COUNT, "1", "stages of a pipeline, furthest apart" },
    { "expert",   KEY_COUNT, "1", "workers of a data group that share the experts" },
    { "context",  KEY_COUNT, "1", "workers of a data group that share the tokens of a sequence" },
    { 0 },
};

#define AT(field) KEY_AT(struct iteration_step, field)

static const struct key_row step_keys[] = {
    { "compute",    KEY_TIME, "0",          "before its collective", AT(compute_ps) },
    { "collective", KEY_NAME, "all_to_all", "as above", AT(collective.kind), .choices = collective_names },
    { "size",       KEY_BYTES, "",           "as above. Without it the step only computes",
      AT(collective.bytes), 1, TRAFFIC_SIZE_MAX },
    { "group",      KEY_NAME, "all", "`all`, `tensor`, `data`, `pipeline`, `expert`, `expert_data` (workers "
      "of a data group with the same experts), or `context`", AT(group), .choices = parallel_names },
    { "times",      KEY_COUNT, "1",          "repetitions", AT(times), 1, UINT16_MAX },
    { "overlap",    KEY_YES,  "no", "start the next step while the collective runs; collectives of one kind "
      "of group are serialized", AT(is_overlapped) },
    { "pipelined",  KEY_YES,  "no", "send_next, send_previous: compute on receipt, send, go on; `times` is "
      "the number of micro-batches", AT(is_pipelined) },
    { "chunk",      KEY_BYTES, "512KB",      "as above", AT(collective.chunk_bytes), 1, TRAFFIC_SIZE_MAX },
    { "channels",   KEY_COUNT, "0",          "as above", AT(collective.channels), 0, 1024 },
    { "at_once",    KEY_YES,  "no",         "as above", AT(collective.is_at_once) },
    { "pxn",        KEY_YES,  "no",         "as above", AT(collective.is_by_rail) },
    { "skew",       KEY_REAL, "0",          "as above", AT(collective.skew), 0, 4 },
    { "inside",     KEY_LIST, "",
      "pipelined: steps of each micro-batch, after its computing and before it is sent" },
    { 0 },
};

struct step_list { struct iteration_step *step; uint32_t steps; };

static void read_groups(const struct entry *e, uint32_t workers, struct parallel *p)
{
    const struct yaml_node *node = section_get(&e->sec, "groups");
    struct section          sec = section_open(e->r, node,
                                               &(struct section){ .name = "groups", .own = group_keys });
    struct err              why;

    *p = (struct parallel){ .workers = workers, .tensor = 1, .data = workers, .pipeline = 1, .expert = 1,
                            .context = 1 };
    section_count(&sec, "tensor", 1, workers ? workers : 1, &p->tensor);
    section_count(&sec, "pipeline", 1, workers ? workers : 1, &p->pipeline);
    section_count(&sec, "expert", 1, workers ? workers : 1, &p->expert);
    section_count(&sec, "context", 1, workers ? workers : 1, &p->context);
    if (e->r->rc)
        return;
    if (node && !section_get(&e->sec, "steps") && !section_get(&e->sec, "model"))
        reader_refuse(e->r, node, 
                      "'groups' are for 'steps' or a 'model': without them all workers are one group");
    else if (parallel_check(p, &why))
        reader_refuse(e->r, node, "%s", why.text);
}

/* Reads a step. Without a collective, its computing is added before the next step. */
static void read_step(const struct entry *e, const struct section *sec, const struct parallel *p,
                      struct iteration_step *s)
{
    *s = (struct iteration_step){ 0 };
    section_read(sec, step_keys, s);
    if (e->r->rc)
        return;
    if (!section_get(sec, "size") && !section_get(sec, "collective") && section_get(sec, "compute"))
        s->compute_ps *= s->times;
    else if (parallel_size(p, s->group) < 2)
        section_refuse(sec, "group",
                       "group '%s' has only one worker, so it has no collective", parallel_names[s->group]);
    else
        check_collective(sec, parallel_size(p, s->group), section_place(sec, "group"), &s->collective);
    /* Checks 'overlap'. A step without a collective has nothing to overlap. */
    bool is_send = s->collective.kind == COLLECTIVE_SEND_NEXT ||
                   s->collective.kind == COLLECTIVE_SEND_PREVIOUS;
    if (sec->r->rc)
        return;
    if (s->is_pipelined && (s->collective.workers == 0 || !is_send))
        section_refuse(sec, "pipelined",
                       "'pipelined' is for 'send_next' and 'send_previous': others have no first worker");
    else if (s->is_pipelined && s->is_overlapped)
        section_refuse(sec, "overlap", "'pipelined' implies 'overlap'; remove it");
    else if (s->is_overlapped && s->collective.workers == 0)
        section_refuse(sec, "overlap", "'overlap' of a step without a collective: give it its 'size'");
}

static void refuse_keys(const struct entry *e, const char *const *key, const char *why)
{
    for (; *key; key++)
        if (section_get(&e->sec, *key))
            section_refuse(&e->sec, *key, "'%s' %s", *key, why);
}

/* Appends the steps of a list. Computing after its last collective is added to 'compute_ps'. */
static void append_steps(const struct entry *e, const struct yaml_node *first, bool is_inside,
                         const struct parallel *p, struct step_list *to, uint64_t *compute_ps)
{
    uint64_t before_ps = 0;

    for (const struct yaml_node *c = first; c && !e->r->rc; c = c->next) {
        struct iteration_step *s = &to->step[to->steps];
        struct section         sec = section_open(e->r, c,
                                                  &(struct section){ .name = "steps", .own = step_keys });
        uint64_t               after_ps = 0;

        if (to->steps == ITERATION_STEPS_MAX) {
            reader_refuse(e->r, c, "more than %u steps", ITERATION_STEPS_MAX);
            return;
        }
        read_step(e, &sec, p, s);
        if (s->collective.workers == 0) {
            before_ps += s->compute_ps;
            continue;
        }
        s->before_ps = before_ps;
        before_ps = 0;
        to->steps++;
        if (!section_get(&sec, "inside") || e->r->rc)
            continue;
        if (is_inside || !s->is_pipelined)
            section_refuse(&sec, "inside", "'inside' is for pipelined steps: set 'pipelined: yes'");
        append_steps(e, section_list(&sec, "inside", ITERATION_STEPS_MAX), true, p, to, &after_ps);
        s->inside = (uint32_t)(&to->step[to->steps] - s) - 1;
        s->compute_ps += after_ps;       /* a pipelined step computes before its inner steps */
    }
    *compute_ps += before_ps;
}

/* Reads several steps. Computing after the last collective precedes the next iteration. */
static uint32_t read_steps(const struct entry *e, const struct parallel *p, struct iteration_step *step,
                           uint64_t *compute_ps)
{
    static const char *const keys[] = { "collective", "size", "chunk", "channels", "at_once", "pxn",
                                        "skew", NULL };
    struct step_list         to = { .step = step };

    refuse_keys(e, keys, "belongs into each of the 'steps'");
    append_steps(e, section_list(&e->sec, "steps", ITERATION_STEPS_MAX), false, p, &to, compute_ps);
    if (!e->r->rc && to.steps == 0)
        section_refuse(&e->sec, "steps", "no step has a collective: give one its 'size'");
    return to.steps;
}

/* ---- multi-GPU servers ---- */

/* Returns the number of workers per server if it is uniform and each server's workers are consecutive;
 * otherwise 1. */
static uint32_t server_size(const struct graph *g, const struct hosts *workers)
{
    uint32_t size = 1;

    while (size < workers->count && graph_is_inside(g, workers->node[0], workers->node[size]))
        size++;
    for (uint32_t i = 0; i + 1 < workers->count; i++)
        if (graph_is_inside(g, workers->node[i], workers->node[i + 1]) != ((i + 1) % size != 0))
            return 1;
    return workers->count % size ? 1 : size;
}

/* Sets the server size of groups that contain all workers or consecutive ones: they visit servers one after
 * the other. */
static void set_server_sizes(const struct graph *g, const struct hosts *workers, struct iteration_cfg *cfg,
                             struct iteration_step *step)
{
    uint32_t size = server_size(g, workers);

    for (uint32_t i = 0; i < cfg->steps; i++) {
        struct collective_cfg *c = &step[i].collective;

        if (step[i].group == PARALLEL_ALL)
            c->server = size;
        else if (step[i].group == PARALLEL_TENSOR)
            c->server = c->workers < size ? c->workers : size;
    }
}

/* ---- models ---- */

static uint32_t read_model(const struct entry *e, const struct hosts *workers, const struct parallel *p,
                           struct iteration_step *step, uint64_t *compute_ps)
{
    static const char *const keys[] = { "steps", "collective", "size", "at_once", NULL };
    struct iteration_step    how = { 0 };

    refuse_keys(e, keys, "does not go with 'model', which has steps of its own");
    section_read(&e->sec, training_keys, &how);
    if (e->r->rc)
        return 0;
    return model_read_steps(e, p, server_size(e->graph, workers), &how.collective, step, compute_ps);
}

/* ---- time ---- */

/* A host learns of another host's progress after a link delay at the earliest. */
static void read_delay(const struct entry *e, uint64_t *delay_ps)
{
    uint64_t least = graph_delay_ps_min(e->graph);
    char     text[32];

    *delay_ps = graph_delay_ps_max(e->graph);
    section_time(&e->sec, "delay", delay_ps);
    if (*delay_ps < least)
        section_refuse(&e->sec, "delay", "'delay' must not be less than a link's, %s",
                       text_from_time(text, sizeof text, least));
}

static void read_iterations(const struct entry *e, uint32_t *iterations)
{
    *iterations = UINT32_MAX;
    section_count(&e->sec, "iterations", 1, UINT32_MAX - 1, iterations);
    if (!section_get(&e->sec, "iterations"))
        entry_need_end(e);
}

/* ---- the entry ---- */

static uint64_t bound_ps(const struct entry *e, const struct iteration_cfg *cfg, const uint32_t *hosts)
{
    uint64_t *rate_bps = xcalloc(cfg->parallel.workers, sizeof *rate_bps);
    uint32_t *link_of = graph_host_links(e->graph);

    for (uint32_t i = 0; i < cfg->parallel.workers; i++)
        rate_bps[i] = e->graph->link[link_of[hosts[i]]].rate_bps;
    uint64_t bound = iteration_bound_ps(cfg, e->env->mtu_bytes, e->env->overhead_bytes, rate_bps);
    free(link_of);
    free(rate_bps);
    return bound;
}

static void describe_training(const struct entry *e, const struct traffic_steps *cfg, const uint32_t *hosts)
{
    const struct collective_cfg *first = &cfg->iteration.step[0].collective;
    struct traffic_about        *about = e->about;

    about->workers = cfg->iteration.parallel.workers;
    about->compute_ps = cfg->compute_ps;
    about->has_work = true;
    about->work_ps = iteration_bound_ps(&cfg->iteration, e->env->mtu_bytes, e->env->overhead_bytes, NULL);
    if (!e->graph->inside_rate_bps)      /* otherwise some traffic bypasses the NICs */
        about->bound_ps = bound_ps(e, &cfg->iteration, hosts);
    if (section_get(&e->sec, "steps") || section_get(&e->sec, "model"))
        return;                  /* bandwidth is defined for a single collective only */
    about->collective_bytes = collective_size_bytes(first);
    about->bus_factor = collective_bus_factor(first->kind, first->workers);
}

/* Returns the bytes per worker of all steps, as reported in results. */
static uint64_t sum_bytes(const struct iteration_cfg *cfg)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < cfg->steps; i++)
        sum += cfg->step[i].times * collective_size_bytes(&cfg->step[i].collective);
    return sum;
}

bool training_read(struct entry *e, struct training_request *r)
{
    struct iteration_step *step = reader_alloc(e->r, ITERATION_STEPS_MAX, sizeof *step);
    struct traffic_steps  *cfg = &r->steps;
    struct err             why;

    *r = (struct training_request){ .steps.iteration = { .step = step, .steps = 1 },
                                    .workers = read_workers(e) };
    read_groups(e, r->workers.count, &cfg->iteration.parallel);
    section_time(&e->sec, "compute", &cfg->compute_ps);
    section_time(&e->sec, "step_cost", &cfg->step_ps);
    if (section_get(&e->sec, "model")) {
        cfg->iteration.steps = read_model(e, &r->workers, &cfg->iteration.parallel, step, &cfg->compute_ps);
    } else if (section_get(&e->sec, "steps")) {
        cfg->iteration.steps = read_steps(e, &cfg->iteration.parallel, step, &cfg->compute_ps);
    } else {
        step[0] = (struct iteration_step){ .times = 1 };
        section_read(&e->sec, training_keys, &step[0]);
        check_collective(&e->sec, r->workers.count, section_get(&e->sec, "workers"), &step[0].collective);
    }
    if (!e->r->rc)
        set_server_sizes(e->graph, &r->workers, &cfg->iteration, step);
    read_delay(e, &cfg->delay_ps);
    read_iterations(e, &cfg->iterations);
    if (!e->r->rc && iteration_check(&cfg->iteration, &why))
        section_refuse(&e->sec, "steps", "%s", why.text);
    if (!e->r->rc)
        entry_check_flows(e, iteration_flows(&cfg->iteration));
    if (e->r->rc)
        return false;
    cfg->size_bytes = sum_bytes(&cfg->iteration);
    describe_training(e, cfg, r->workers.node);
    e->qps = 1;
    return true;
}

void training_print_steps(FILE *out)
{
    fputs("\n### traffic: steps of training\n", out);
    key_print_markdown(out, step_keys);
    fputs("\n### traffic: groups of training\n\nWhat `tensor` and `pipeline` leave are data groups. Worker "
          "i is at "
          "place i mod tensor of its tensor group,\ni / tensor mod data of its data group, and i / (tensor "
          "x data) of its "
          "pipeline, as in Megatron-LM.\n", out);
    key_print_markdown(out, group_keys);
    model_print_markdown(out);
}

const struct key_row training_keys[] = {
    { "workers",    KEY_LIST, "", "which, worker 0 first; a count: by `placement`; default: all hosts" },
    { "placement",  KEY_NAME, "packed",
      "of a count of workers. `packed`: rack after rack; `spread`: the next worker in the next rack" },
    { "skip",       KEY_COUNT, "0",          "hosts to skip before the first worker, for several jobs" },
    { "collective", KEY_NAME, "all_to_all", "`all_to_all` (pairwise), `ring_all_reduce`, `tree_all_reduce` "
      "(double binary tree), `halving_doubling_all_reduce`, `all_gather`, `reduce_scatter` (ring), "
      "`send_next`, `send_previous` (to a neighbor)", AT(collective.kind), .choices = collective_names },
    { "size",       KEY_BYTES, "", "all_to_all: per pair; send_next, send_previous: per message; otherwise "
      "the whole buffer", AT(collective.bytes), 1, TRAFFIC_SIZE_MAX },
    { "chunk",      KEY_BYTES, "512KB", "piece of tree_all_reduce, or of a ring with `channels`. Small ones "
      "cost round trips, large ones keep workers waiting", AT(collective.chunk_bytes), 1, TRAFFIC_SIZE_MAX },
    { "channels",   KEY_COUNT, "0", "parallel rings that forward chunks as they arrive, as NCCL; in servers "
      "of several GPUs over different NICs. 0: one ring whose steps wait for ACKs",
      AT(collective.channels), 0, 1024 },
    { "at_once",    KEY_YES,  "no",        "all_to_all: send to all others at once, not one after the other",
      AT(collective.is_at_once) },
    { "pxn",        KEY_YES,  "no", "all_to_all in servers of several GPUs: forward over NVLink to the GPU "
      "on the destination's rail first, as NCCL (PXN)", AT(collective.is_by_rail) },
    { "skew",       KEY_REAL, "0", "all_to_all: workers receive in proportion to 1, 2^-skew, 3^-skew, .., as "
      "popular and less popular experts", AT(collective.skew), 0, 4 },
    { "steps",      KEY_LIST, "",           "steps of an iteration instead of one collective; see below" },
    { "model",      KEY_MAP, "",           "a language model whose steps these are; see below" },
    { "groups",     KEY_MAP, "",           "groups of workers for `steps` or `model`; see below" },
    { "compute",    KEY_TIME, "0",          "computation between iterations" },
    { "step_cost",  KEY_TIME, "0", "time in library and GPU before each message of a collective; a channel "
      "of a worker sends one at a time. 10 to 12 us were measured with NCCL" },
    { "iterations", KEY_COUNT, "",           "how many; default: until `stop`" },
    { "delay",      KEY_TIME, "",           "delay of the barrier; default: that of the longest link" },
    { 0 },
};
