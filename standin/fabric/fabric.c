#include "standin/fabric/fabric.h"
#include "base/text.h"
#include "core/units.h"
#include "study/run/sim_world.h"
#include "study/run/simulation.h"
#include "sim/observe/messages.h"
#include "sim/observe/observe.h"
#include "sim/observe/queue_telemetry.h"
#include "sim/observe/watch.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO_BYTES_MAX (64ul << 20)

struct slot_call { uint32_t node; void (*call)(void *); void *arg; };

struct device {                  /* a node */
    struct fabric    *fabric;
    uint32_t          node;
    struct knobs      knobs;
    uint64_t          seen;      /* how many intervals it was shown */
    struct msg_detail detail;
    uint32_t          first_queue, queues;       /* of a switch, in the order of all queues */
    uint64_t          slots_seen;
};

struct fabric {
    char             *text, *path;
    struct simulation s;
    struct world      world;
    struct watch     *watch;     /* round trips, flow sizes */
    struct observer  *observer;
    struct messages  *messages;  /* NULL: disabled */
    struct report     report;
    struct device    *device;    /* by node */
    uint64_t          intervals;
    bool              is_stepped;

    struct queue_facts *queue;   /* of all switches */
    uint32_t          queues;
    struct telemetry *telemetry; /* NULL: no slots */
    struct queue_slot *slot;     /* the last that has ended */
    uint64_t          slot_ps, slots, samples;
    struct slot_call *call;      /* in the order of nodes */
    uint32_t          calls;
};

/* ---- the simulation ---- */

void fabric_free(struct fabric *f)
{
    if (!f)
        return;
    if (f->observer) {
        report_fini(&f->report);
        observer_free(f->observer);
        watch_free(f->watch);
        messages_free(f->messages);
        if (f->telemetry)
            telemetry_free(f->telemetry);
        world_fini(&f->world);
        simulation_close(&f->s);
    }
    free(f->device);
    free(f->queue);
    free(f->slot);
    free(f->call);
    free(f->text);
    free(f->path);
    free(f);
}

static void watch(struct fabric *f)
{
    struct watch_cfg *w = &f->s.scenario.watch;

    w->cfg.states.with_bins = true;              /* some tuners look at them */
    if (!w->monitors)            /* monitors that see round trips see flows, too */
        w->monitor[w->monitors++] = monitor_find("paraleon");
    f->watch = watch_new(f->s.sim, w);
    watch_keep_points(f->watch);
    f->observer = observer_new(f->s.sim);
    observer_init_report(f->observer, &f->report);
}

static int open_simulation(struct fabric *f, const char *path, struct err *err)
{
    struct simulation_input input = { .threads = 1, .is_untuned = true };
    size_t                  length;
    int                     rc = text_read_file(path, SCENARIO_BYTES_MAX, &f->text, &length, err);

    f->path = xstrdup(path);
    input.name = f->path;
    input.text = f->text;
    input.text_bytes = length;
    return rc ? rc : simulation_open(&f->s, &input, err);
}

int fabric_new(struct fabric **out, const char *path, struct err *err)
{
    struct fabric *f = xcalloc(1, sizeof *f);
    int            rc = open_simulation(f, path, err);

    *out = rc ? NULL : f;
    if (rc) {
        fabric_free(f);
        return rc;
    }
    watch(f);
    sim_world_init(&f->world, f->s.sim, f->s.scenario.interval_ps);
    f->device = xcalloc(sim_graph(f->s.sim)->nodes, sizeof *f->device);
    for (uint32_t i = 0; i < sim_graph(f->s.sim)->nodes; i++)
        f->device[i] = (struct device){ .fabric = f, .node = i, .knobs = sim_settings(f->s.sim)->knobs };
    f->queues = telemetry_list(f->s.sim, NULL);
    f->queue = xcalloc(f->queues + 1ul, sizeof *f->queue);
    f->slot = xcalloc(f->queues + 1ul, sizeof *f->slot);
    f->call = xcalloc(sim_graph(f->s.sim)->nodes, sizeof *f->call);
    telemetry_list(f->s.sim, f->queue);
    for (uint32_t k = f->queues; k-- > 0; ) {
        struct device *d = &f->device[sim_port(f->s.sim, f->queue[k].port).node];
        d->first_queue = k;
        d->queues++;
    }
    return 0;
}

/* As in simulations (study/run/slots.h): the network stops at every sample of a slot, and tuners decide at
 * the end of each. */
static void go_through_slots(struct fabric *f, uint64_t end_ps)
{
    for (;;) {
        uint32_t sample = (uint32_t)(f->samples % TELEMETRY_SAMPLES) + 1;
        uint64_t next_ps = f->slots * f->slot_ps + f->slot_ps * sample / TELEMETRY_SAMPLES;

        if (next_ps > end_ps)
            return;
        sim_run_until(f->s.sim, next_ps);
        telemetry_sample(f->telemetry);
        f->samples++;
        if (sample < TELEMETRY_SAMPLES)
            continue;
        f->slots++;
        telemetry_read(f->telemetry, f->slot);
        for (uint32_t i = 0; i < f->calls; i++)
            f->call[i].call(f->call[i].arg);
    }
}

/* Runs an interval of the scenario. */
uint64_t fabric_advance(struct fabric *f)
{
    uint64_t end_ps = ++f->intervals * f->s.scenario.interval_ps;

    if (f->telemetry)
        go_through_slots(f, end_ps);
    sim_run_until(f->s.sim, end_ps);
    observer_look(f->observer, end_ps, &f->report);
    if (f->messages)
        messages_look(f->messages, end_ps);
    return end_ps / PS_PER_US;
}

void fabric_hold(struct fabric *f)
{
    f->is_stepped = true;
}

void fabric_tell_messages(struct fabric *f)
{
    f->messages = messages_new(f->s.sim);
    messages_follow(f->messages, f->s.sim);
}

bool fabric_is_over(const struct fabric *f)
{
    return f->intervals * f->s.scenario.interval_ps >= f->s.scenario.run_ps;
}

uint32_t fabric_nodes(const struct fabric *f)
{
    return sim_graph(f->s.sim)->nodes;
}

/* "{name: 'paraleon', option: '3'}" */
static void describe_tuner(char *text, size_t size, const struct scenario_tuner *t)
{
    int used = snprintf(text, size, "{name: '%s'", t->kind);

    for (uint32_t i = 0; i < t->options && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, ", %s: '%s'", t->option[i].key, t->option[i].text);
    if ((size_t)used < size)
        snprintf(text + used, size - (size_t)used, "}");
}

int fabric_describe(struct fabric_about *a, const char *path, struct err *err)
{
    struct fabric *f;
    int            rc = fabric_new(&f, path, err);

    *a = (struct fabric_about){ 0 };
    if (rc)
        return rc;
    const struct scenario_tuner *t = &f->s.scenario.tuner;
    const struct graph          *g = sim_graph(f->s.sim);
    *a = (struct fabric_about){
        .hosts = g->hosts, .switches = g->nodes - g->hosts,
        .interval_us = f->s.scenario.interval_ps / PS_PER_US, .seed = sim_settings(f->s.sim)->seed,
        .has_tuner = t->kind != NULL, .has_start = t->start_ps > 0,
        .monitor_delay_us = t->monitor_delay_ps / PS_PER_US,
        .dispatch_delay_us = t->dispatch_delay_ps / PS_PER_US,
    };
    if (t->kind)
        describe_tuner(a->tuner, sizeof a->tuner, t);
    if (f->s.scenario.has_goal)
        goal_text(a->goal, &f->s.scenario.goal);
    fabric_free(f);
    return 0;
}

/* ---- devices ---- */

static const char *name_of(const struct fabric *f, uint32_t node)
{
    return sim_graph(f->s.sim)->node[node].name;
}

/* "twin/h1:0"; a stand-in for a switch calls its ports Ethernet0, Ethernet4, ..., one for a NIC has one. */
static void print_end(FILE *out, const struct fabric *f, uint32_t port, const char *agent)
{
    uint32_t           node = f->world.port[port].device;
    struct sim_node n = sim_node(f->s.sim, node);

    if (agent)
        fprintf(out, "%s/%s:%u", agent, name_of(f, node), port - n.first_port);
    else if (n.is_switch)
        fprintf(out, "%s:Ethernet%u", name_of(f, node), 4 * (port - n.first_port));
    else
        fputs(name_of(f, node), out);
}

/* Names of a topology file may have anything in them; a link that cannot be written is left out. */
static bool is_plain(const struct fabric *f, uint32_t port)
{
    return !strpbrk(name_of(f, f->world.port[port].device), " '\t\r\n");
}

int fabric_links(char **text, const char *path, const char *agent, struct err *err)
{
    struct fabric *f;
    int            rc = fabric_new(&f, path, err);

    if (rc)
        return rc;
    FILE *out = text_stream(text);
    fputs("links:\n", out);
    for (uint32_t i = 0; i < f->world.ports; i++) {
        uint32_t peer = f->world.port[i].peer;

        if (peer == WORLD_NONE || peer < i || !is_plain(f, i) || !is_plain(f, peer))
            continue;
        fputs("  - '", out);
        print_end(out, f, i, agent);
        fputs(" - ", out);
        print_end(out, f, peer, agent);
        fputs("'\n", out);
    }
    fclose(out);
    fabric_free(f);
    return 0;
}

static bool is_switch(const struct device *d)
{
    return sim_node(d->fabric->s.sim, d->node).is_switch;
}

static int find(const struct driver *driver, const char *root, char name[][MSG_NAME_SIZE], struct err *err)
{
    const struct fabric *f = driver->arg;
    int                  count = (int)fabric_nodes(f);

    if (count > DRIVER_DEVICES_MAX)
        return err_set(err, E2BIG, "%s: %d hosts and switches; an agent has at most %d devices", root, count,
                       DRIVER_DEVICES_MAX);
    for (int i = 0; i < count; i++)
        snprintf(name[i], MSG_NAME_SIZE, "%.31s", name_of(f, (uint32_t)i));
    return count;
}

static int open_device(const struct driver *driver, void **state, const char *root, const char *name,
                       struct err *err)
{
    const struct fabric *f = driver->arg;
    uint32_t             node = 0;

    *state = NULL;
    while (node < fabric_nodes(f) && strcmp(name_of(f, node), name) != 0)
        node++;
    if (node == fabric_nodes(f))
        return err_set(err, ENOENT, "%s: there is no host or switch '%s'", root, name);
    *state = &f->device[node];
    return 0;
}

static void close_device(void *state)
{
    (void)state;                 /* part of the fabric */
}

static enum knob_where facts(void *state, struct msg_facts *out)
{
    const struct device *d = state;
    const struct world  *w = &d->fabric->world;
    struct sim_node   n = sim_node(d->fabric->s.sim, d->node);

    *out = (struct msg_facts){ .number = d->node, .ports = n.ports, .base_rtt_ps = w->base_rtt_ps,
                               .pfc_bytes_one = w->pfc_bytes_one, .pfc_bytes_two = w->pfc_bytes_two };
    for (uint32_t i = n.first_port; i < n.first_port + n.ports; i++)
        out->rate_bps = w->port[i].rate_bps > out->rate_bps ? w->port[i].rate_bps : out->rate_bps;
    return is_switch(d) ? KNOB_SWITCH : KNOB_NIC;
}

/* ---- knobs ---- */

/* What searches move of DCQCN and ECN, whatever the scenario's control. */
static bool has_knob(const struct device *d, enum knob knob)
{
    static const struct world dcqcn = { .control = NULL };
    const struct knob_info   *k = &knob_info[knob];

    return (k->safe.step > 0 || k->wide.max > 0) && (k->where == KNOB_SWITCH) == is_switch(d) &&
           world_reads(&dcqcn, knob);
}

static int read_knobs(void *state, struct knob_set *set)
{
    const struct device *d = state;

    *set = (struct knob_set){ 0 };
    for (enum knob k = 0; k < KNOB_COUNT; k++)
        if (has_knob(d, k))
            knob_set_add(set, k, d->knobs.value[k]);
    return 0;
}

static void put_device(const struct device *d)
{
    struct sim        *s = d->fabric->s.sim;
    struct sim_node n = sim_node(s, d->node);
    struct ecn         e = ecn_of_knobs(&d->knobs);

    if (!n.is_switch)
        sim_apply_host(s, n.host, &d->knobs);
    for (uint32_t i = 0; n.is_switch && i < n.ports; i++)
        sim_set_ecn(s, n.first_port + i, &e);
}

/* Do all hosts agree on a spacing of CNPs that differs from the current one of receivers? */
static bool is_agreed(const struct fabric *f, double spacing)
{
    for (uint32_t i = 0; i < sim_graph(f->s.sim)->nodes; i++)
        if (!sim_node(f->s.sim, i).is_switch &&
            f->device[i].knobs.value[KNOB_min_time_between_cnps] != spacing)
            return false;
    return spacing != sim_settings(f->s.sim)->knobs.value[KNOB_min_time_between_cnps];
}

static void set_receivers(struct fabric *f, double spacing)
{
    struct sim  *s = f->s.sim;
    struct knobs all = sim_settings(s)->knobs;
    struct ecn  *was = xcalloc(f->queues + 1ul, sizeof *was);

    for (uint32_t i = 0; i < f->queues; i++)
        was[i] = sim_port(s, f->queue[i].port).ecn;
    all.value[KNOB_min_time_between_cnps] = spacing;
    sim_apply(s, &all);
    for (uint32_t i = 0; i < sim_graph(s)->nodes; i++)
        if (!sim_node(s, i).is_switch)
            put_device(&f->device[i]);               /* hosts keep their own settings */
    for (uint32_t i = 0; i < f->queues; i++)
        sim_set_ecn(s, f->queue[i].port, &was[i]);   /* queues may have been set one by one */
    free(was);
}

static int write_knobs(void *state, const struct knob_set *set)
{
    struct device  *d = state;
    struct knob_set own;

    read_knobs(d, &own);
    for (int i = 0; i < KNOB_COUNT; i++)
        if (set->is_named[i] && !own.is_named[i])
            return -ENOENT;
    knobs_apply(&d->knobs, set);
    put_device(d);
    double spacing = d->knobs.value[KNOB_min_time_between_cnps];
    if (!is_switch(d) && is_agreed(d->fabric, spacing))
        set_receivers(d->fabric, spacing);
    return 0;
}

/* ---- counters ---- */

static void add_port(struct msg_sample *out, struct msg_detail *detail, const struct report_port *p,
                     bool is_switch)
{
    out->tx_bytes += p->tx_bytes;
    out->rate_bps += p->rate_bps;
    out->marked_packets += p->marked_packets;
    out->paused += (double)p->paused_ps;
    if (detail->ports < MSG_PORTS_MAX)
        detail->port[detail->ports++] =
            (struct msg_port){ p->tx_bytes, p->rate_bps, p->pauses, p->paused_ps, p->marked_packets,
                               p->queue_bytes_max, is_switch, "" };
}

static void add_pairs(struct msg_detail *detail, const struct report *r, uint32_t node)
{
    for (uint32_t i = 0; i < r->pairs && detail->pairs < MSG_PAIRS_MAX; i++) {
        const struct report_pair *p = &r->pair[i];

        if (p->src == node)
            detail->pair[detail->pairs++] = (struct msg_pair){ p->dst, p->base_rtt_ps, p->rtt_ps_sum,
                                                               p->rtt_samples, p->rtt_ps_last };
    }
}

/* The metric of a host; NAN without round trips. */
static double judge(const struct device *d, const struct msg_sample *out)
{
    double   seconds = (double)d->fabric->s.scenario.interval_ps / (double)PS_PER_S, sum = 0;
    uint32_t count = 0;

    for (const struct msg_pair *p = d->detail.pair; p < d->detail.pair + d->detail.pairs; p++)
        if (p->rtt_samples) {
            sum += (double)p->base_rtt_ps * (double)p->rtt_samples / (double)p->rtt_ps_sum;
            count++;
        }
    if (!count)
        return NAN;
    return 0.4 * fmin(1, (double)out->tx_bytes * 8 / seconds / (double)out->rate_bps) +
           0.4 * fmin(1, sum / count) + 0.2 * (1 - out->paused);
}

static int sample(void *state, struct msg_sample *out)
{
    struct device     *d = state;
    struct fabric     *f = d->fabric;
    struct sim_node n = sim_node(f->s.sim, d->node);
    const struct fsd  *flows = watch_point(f->watch, d->node);

    if (d->seen == f->intervals && !f->is_stepped)
        fabric_advance(f);
    if (d->seen == f->intervals)
        return -EAGAIN;
    d->seen = f->intervals;
    *out = (struct msg_sample){ .interval_us = f->s.scenario.interval_ps / PS_PER_US, .metric = NAN,
                                .detail = &d->detail };
    d->detail.fsd = flows ? *flows : (struct fsd){ 0 };
    d->detail.ports = d->detail.pairs = 0;
    for (uint32_t i = n.first_port; i < n.first_port + n.ports; i++)
        add_port(out, &d->detail, &f->report.port[i], n.is_switch);
    add_pairs(&d->detail, &f->report, d->node);
    d->detail.has_seen = f->messages && !n.is_switch;
    if (d->detail.has_seen)
        seen_part_copy(&d->detail.seen, messages_part(f->messages, d->node));
    out->paused = fmin(1, out->paused / (double)f->s.scenario.interval_ps / n.ports);
    if (d->node == 0)
        out->lossless_drops = sim_settings(f->s.sim)->is_lossless ? f->report.dropped_packets : 0;
    if (!n.is_switch)
        out->metric = judge(d, out);
    return 0;
}

/* ---- queues, one by one ---- */

static uint32_t list(void *state, struct queue_facts fact[IO_QUEUES_MAX],
                     char name[IO_QUEUES_MAX][MSG_NAME_SIZE])
{
    const struct device *d = state;
    uint32_t             count = d->queues < IO_QUEUES_MAX ? d->queues : IO_QUEUES_MAX;

    for (uint32_t i = 0; i < count; i++) {
        fact[i] = d->fabric->queue[d->first_queue + i];
        snprintf(name[i], MSG_NAME_SIZE, "%u", i + 1);
    }
    return count;
}

static int look(void *state, struct queue_slot *slot, uint64_t *us)
{
    struct device *d = state;

    if (d->slots_seen == d->fabric->slots)
        return -EAGAIN;
    d->slots_seen = d->fabric->slots;
    memcpy(slot, d->fabric->slot + d->first_queue, d->queues * sizeof *slot);
    *us = d->fabric->slot_ps / PS_PER_US;
    return 0;
}

static int read_queues(void *state, struct ecn *ecn, bool *is_settled)
{
    const struct device *d = state;

    for (uint32_t i = 0; i < d->queues; i++) {
        ecn[i] = sim_port(d->fabric->s.sim, d->fabric->queue[d->first_queue + i].port).ecn;
        is_settled[i] = true;
    }
    return 0;
}

static int write_queue(void *state, uint32_t queue, const struct ecn *was, const struct ecn *is)
{
    const struct device *d = state;

    (void)was;
    sim_set_ecn(d->fabric->s.sim, d->fabric->queue[d->first_queue + queue].port, is);
    return 0;
}

static void on_slot(void *state, uint64_t slot_ps, void (*call)(void *), void *arg)
{
    struct device *d = state;
    struct fabric *f = d->fabric;
    uint32_t       at = f->calls++;

    if (!f->telemetry)
        f->telemetry = telemetry_new(f->s.sim);
    f->slot_ps = slot_ps;        /* one file, one slot: they agree */
    for (; at > 0 && f->call[at - 1].node > d->node; at--)
        f->call[at] = f->call[at - 1];
    f->call[at] = (struct slot_call){ d->node, call, arg };
}

static const struct io_queues queues = { .list = list, .look = look, .read = read_queues,
                                         .write = write_queue, .on_slot = on_slot };

struct driver fabric_driver(struct fabric *f)
{
    return (struct driver){
        .find = find, .open = open_device, .close = close_device, .read = read_knobs, .write = write_knobs,
        .sample = sample, .facts = facts, .queues = &queues, .name = "twin",
        .about = "the hosts and switches of a scenario, simulated", .arg = f, .where = KNOB_NIC,
        .is_simulated = true,
    };
}
