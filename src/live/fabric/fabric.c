/* src/live/fabric/fabric.c - see fabric.h. */
#include "live/fabric/fabric.h"
#include "base/text.h"
#include "core/units.h"
#include "run/simulation.h"
#include "sim/observe/observe.h"
#include "sim/observe/watch.h"
#include "sim/skip/skip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO_BYTES_MAX (64ul << 20)

/* What a host's senders take on their own; receivers are told by all at once. */
static const enum knob has[] = {
    KNOB_rpg_time_reset, KNOB_rpg_byte_reset, KNOB_rpg_threshold, KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, KNOB_rpg_min_dec_fac,
    KNOB_rpg_min_rate, KNOB_rate_to_set_on_first_cnp, KNOB_rate_reduce_monitor_period, KNOB_dce_tcp_rtt, KNOB_initial_alpha_value,
};

struct sender { struct knobs knobs; uint64_t seen; };      /* seen: how many intervals it was shown */

struct fabric {
    char             *text, *path;
    struct simulation s;
    struct watch     *watch;     /* takes round trips */
    struct observer  *observer;
    struct report     report;
    struct sender    *host;
    uint64_t          intervals;
    uint32_t          users;
};

struct nic { struct fabric *fabric; uint32_t host; };

static struct fabric *shared;      /* the one simulation of this process */

/* ---- the simulation ---- */

static void fabric_free(struct fabric *t)
{
    if (t->observer) {
        report_fini(&t->report);
        observer_free(t->observer);
        watch_free(t->watch);
        simulation_close(&t->s);
    }
    free(t->host);
    free(t->text);
    free(t->path);
    free(t);
}

static int fabric_new(struct fabric **out, const char *path, struct err *err)
{
    struct fabric            *t = xcalloc(1, sizeof *t);
    struct simulation_input input = { .threads = 1, .is_untuned = true };
    size_t                  length;
    int                     rc = text_read_file(path, SCENARIO_BYTES_MAX, &t->text, &length, err);

    t->path = xstrdup(path);
    input.name = t->path;
    input.text = t->text;
    input.text_bytes = length;
    if (!rc)
        rc = simulation_open(&t->s, &input, err);
    if (rc) {
        fabric_free(t);
        return rc;
    }
    if (!t->s.scenario.watch.monitors)           /* whoever sees round trips sees flows, too */
        t->s.scenario.watch.monitor[t->s.scenario.watch.monitors++] = monitor_find("paraleon");
    t->watch = watch_new(t->s.sim, &t->s.scenario.watch, t->s.scenario.interval_ps);
    t->observer = observer_new(t->s.sim);
    observer_init_report(t->observer, &t->report);
    skip_set_horizon(t->s.sim, 0);               /* knobs may be turned at any time */
    t->host = xcalloc(t->s.sim->net.hosts + 1ul, sizeof *t->host);
    for (uint32_t i = 0; i < t->s.sim->net.hosts; i++)
        t->host[i].knobs = t->s.sim->cfg.knobs;
    *out = t;
    return 0;
}

/* An interval of the scenario. After its end nothing moves any more. */
static void go_on(struct fabric *t)
{
    uint64_t end_ps = ++t->intervals * t->s.scenario.interval_ps;

    sim_run_until(t->s.sim, end_ps);
    observer_look(t->observer, end_ps, &t->report);
}

/* ---- devices ---- */

static const char *name_of(const struct fabric *t, uint32_t host)
{
    return t->s.sim->net.graph.node[t->s.sim->net.host[host].port->node->id].name;
}

static int find(const char *root, char name[][MSG_NAME_SIZE], struct err *err)
{
    struct fabric *t;
    int          rc = fabric_new(&t, root, err), count;

    if (rc)
        return rc;
    count = t->s.sim->net.hosts < DRIVER_DEVICES_MAX ? (int)t->s.sim->net.hosts : DRIVER_DEVICES_MAX;
    for (int i = 0; i < count; i++)
        snprintf(name[i], MSG_NAME_SIZE, "%.31s", name_of(t, (uint32_t)i));
    fabric_free(t);
    return count;
}

static int open_device(void **state, const char *root, const char *name, struct err *err)
{
    struct nic *n;
    uint32_t    host = 0;
    int         rc = shared ? 0 : fabric_new(&shared, root, err);

    *state = NULL;
    if (rc)
        return rc;
    while (host < shared->s.sim->net.hosts && strcmp(name_of(shared, host), name) != 0)
        host++;
    if (host == shared->s.sim->net.hosts) {
        if (!shared->users) {
            fabric_free(shared);
            shared = NULL;
        }
        return err_set(err, ENOENT, "%s: there is no host '%s'", root, name);
    }
    n = xcalloc(1, sizeof *n);
    *n = (struct nic){ shared, host };
    shared->users++;
    *state = n;
    return 0;
}

static void close_device(void *state)
{
    struct nic *n = state;

    if (!--n->fabric->users) {
        fabric_free(n->fabric);
        shared = NULL;
    }
    free(n);
}

static int read_knobs(void *state, struct knob_set *set)
{
    struct nic *n = state;

    *set = (struct knob_set){ 0 };
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        knob_set_add(set, has[i], n->fabric->host[n->host].knobs.value[has[i]]);
    return 0;
}

static bool has_knob(int knob)
{
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if ((int)has[i] == knob)
            return true;
    return false;
}

static int write_knobs(void *state, const struct knob_set *set)
{
    struct nic *n = state;

    for (int i = 0; i < KNOB_COUNT; i++)
        if (set->is_named[i] && !has_knob(i))
            return -ENOENT;
    knob_set_put(set, &n->fabric->host[n->host].knobs);
    sim_apply_host(n->fabric->s.sim, n->host, &n->fabric->host[n->host].knobs);
    return 0;
}

/* ---- counters ---- */

static double rtt_term(const struct report *r, uint32_t device)
{
    double sum = 0;
    int    count = 0;

    for (uint32_t i = 0; i < r->pairs; i++)
        if (r->pair[i].src == device && r->pair[i].rtt_samples) {
            sum += (double)r->pair[i].base_rtt_ps * (double)r->pair[i].rtt_samples / (double)r->pair[i].rtt_ps_sum;
            count++;
        }
    return count ? fmin(1, sum / count) : NAN;
}

static int sample(void *state, struct msg_sample *out)
{
    struct nic               *n = state;
    struct fabric            *t = n->fabric;
    const struct port        *port = t->s.sim->net.host[n->host].port;
    const struct report_port *p = &t->report.port[port->id];
    double                    seconds = (double)t->s.scenario.interval_ps / (double)PS_PER_S, busy, rtt;

    if (t->host[n->host].seen == t->intervals)
        go_on(t);
    t->host[n->host].seen = t->intervals;
    *out = (struct msg_sample){ .interval_us = t->s.scenario.interval_ps / PS_PER_US, .tx_bytes = p->tx_bytes,
                                .rate_bps = p->rate_bps, .metric = NAN };
    out->paused = fmin(1, (double)p->paused_ps / (double)t->s.scenario.interval_ps);
    if (n->host == 0)
        out->lossless_drops = t->s.sim->cfg.is_lossless ? t->report.dropped_packets : 0;
    busy = fmin(1, (double)p->tx_bytes * 8 / seconds / (double)p->rate_bps);
    rtt = rtt_term(&t->report, port->node->id);
    if (!isnan(rtt))
        out->metric = 0.4 * busy + 0.4 * rtt + 0.2 * (1 - out->paused);
    return 0;
}

const struct driver driver_twin = {
    .find = find, .open = open_device, .close = close_device, .read = read_knobs, .write = write_knobs, .sample = sample,
    .name = "twin", .about = "the hosts of a scenario, simulated", .where = KNOB_NIC,
};
