#include "live/daemon/config/live_config.h"
#include "base/reader.h"
#include "base/text.h"
#include "core/units.h"
#include "live/daemon/queues/queue_tuner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RELAY_HTTP_PORT 7484
#define HTTP_PORT_CONTROLLER 7480
#define HTTP_PORT_AGENT      7482

/* ---- keys ---- */

/* as in enum controller_mode */
static const char *const modes[] = { "observe", "approve", "auto", "direct", NULL };
static const char *const collections[] = { "always", "tuning", NULL };
static const char *const versions[] = { "1.3", "1.2", NULL };

static const struct key_row common_keys[] = {
    { "name", KEY_NAME, "", "its name; of an agent, the name in its certificate. Default: the host name",
      KEY_AT(struct config_common, name) },
    { "state", KEY_FILE, "", "folder of the persistent state and the audit log",
      KEY_AT(struct config_common, state), .is_needed = true },
    { "tls", KEY_MAP, "", "certificates, see below. Without it only local addresses are accepted" },
    { "interval", KEY_TIME, "", "time between reports; default 100ms, switches 1s",
      KEY_AT(struct config_common, interval_us), 1000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { "http", KEY_MAP, "", "page, API and metrics, see below. Without it: no HTTP" },
    { 0 },
};

static const struct key_row agent_keys[] = {
    { "controller", KEY_NAME, "", "host:port, or a list: the controllers of one cell" },
    { "relays", KEY_LIST, "", "addresses of relays, tried before the controllers" },
    { "driver", KEY_NAME, "", "`mlx5` or `sonic`" },
    { "devices", KEY_LIST, "", "which devices; default: all" },
    { "root", KEY_FILE, "/", "folder with the device files; another one for a stand-in device",
      KEY_AT(struct agent_file, root) },
    { "freeze_file", KEY_FILE, "/run/anole/freeze", "while this file exists nothing is written",
      KEY_AT(struct agent_file, freeze) },
    { "write", KEY_YES,  "no", "yes: it may write; no: it only observes",
      KEY_AT(struct agent_file, agent.may_write) },
    { "lease", KEY_TIME, "", "unconfirmed values are reverted this long after the controller's last answer; "
      "default 3s, switches 30s", KEY_AT(struct agent_file, agent.lease_us), .per = PS_PER_US },
    { "gap", KEY_TIME, "", "least time between changes; default 1s, switches 5s",
      KEY_AT(struct agent_file, agent.gap_us), .per = PS_PER_US },
    { "switches_per_day", KEY_COUNT, "",
      "largest number of trial changes per day; default 2000, switches 200",
      KEY_AT(struct agent_file, agent.switches_per_day), 0, 1000000 },
    { "lasting_per_day", KEY_COUNT, "20", "largest number of confirmed changes per day",
      KEY_AT(struct agent_file, agent.lasting_per_day), 0, 1000000 },
    { "limits", KEY_MAP, "", "by knob {min, max, step}, narrower than knobs.md; `no` forbids the knob" },
    { "tuner", KEY_NAME, "", "`acc` sets the queues of a switch one by one, if the controller permits it; "
      "default: none" },
    { "queue_changes_per_second", KEY_COUNT, "", "limit for that tuner over all queues of a device; default "
      "20, simulated devices none", KEY_AT(struct agent_file, queue_changes), 1, 1000000 },
    { "queue_hold", KEY_TIME, "600s", "pause of that tuner after a guardrail, or after queues were reset from"
      " outside", KEY_AT(struct agent_file, queue_hold_us), .per = PS_PER_US },
    { "paused_max", KEY_REAL, "0.05", "guardrail: in two intervals in a row paused twice as long as usual and"
      " as the control group, and longer by at least this share of the time",
      KEY_AT(struct agent_file, agent.guard.paused_max), 0, 1 },
    { 0 },
};

static const struct key_row controller_keys[] = {
    { "listen", KEY_NAME, "", "host:port", KEY_AT(struct controller_file, listen), .is_needed = true },
    { "id", KEY_COUNT, "1", "number of this controller, unique in the fabric",
      KEY_AT(struct controller_file, controller.id), 0, 65535 },
    { "mode", KEY_NAME, "observe", "`observe`, `approve`, `auto`; `direct`: settings go to all devices at "
      "once, without trials", KEY_AT(struct controller_file, controller.mode), .choices = modes },
    { "dispatch_delay", KEY_TIME, "0", "direct: time from a decision until it takes effect everywhere",
      KEY_AT(struct controller_file, controller.dispatch_us), .per = PS_PER_US },
    { "monitor_delay", KEY_TIME, "0", "lock step: delay of the tuner's reports",
      KEY_AT(struct controller_file, monitor_delay_us), .per = PS_PER_US },
    { "collect", KEY_NAME, "always", "`always`: agents report everything; `tuning`: only flow sizes and their"
      " metric, unless a tuner searches", KEY_AT(struct controller_file, is_brief), .choices = collections },
    { "seed", KEY_COUNT, "0", "random seed of trials and of the tuner",
      KEY_AT(struct controller_file, controller.seed), 0, UINT32_MAX },
    { "gather", KEY_TIME, "3s", "after its start it waits this long for reports before it acts",
      KEY_AT(struct controller_file, controller.gather_us), 1000 * PS_PER_US, KEY_TIME_PS_MAX,
      .per = PS_PER_US },
    { "operators", KEY_LIST, "", "certificate names that may query and command; default: operator" },
    { "approvers", KEY_LIST, "", "certificate names that may query, approve and reject" },
    { "viewers", KEY_LIST, "", "certificate names that may only query" },
    { "relays", KEY_LIST, "", "certificate names of relays, which may report for the devices of others" },
    { "socket", KEY_FILE, "", "socket file through which root and the controller's user command without a "
      "certificate; default: /run/anole-controller/ctl-PORT.sock", KEY_AT(struct controller_file, socket) },
    { "agent_devices", KEY_COUNT, "64", "largest number of devices per certificate",
      KEY_AT(struct controller_file, agent_devices), 1, 1000000 },
    { "agent_messages", KEY_COUNT, "20000", "messages per second accepted from one certificate",
      KEY_AT(struct controller_file, agent_messages), 1, 1000000000 },
    { "devices_max", KEY_COUNT, "1024", "largest number of devices",
      KEY_AT(struct controller_file, devices_max), 1, 1000000 },
    { "tuner", KEY_NAME, "", "as in a scenario; default: none" },
    { "goal", KEY_NAME, "iteration_time", "what the tuner minimises, and whom it must not harm, as in a "
      "scenario (docs/advise.md)" },
    { "queue_tuners", KEY_YES,  "no", "modes auto and direct: permit the `tuner` of switch agents",
      KEY_AT(struct controller_file, controller.lets_queues) },
    { "learner", KEY_MAP, "", "learns for these tuners, with their options; default: none" },
    { "flows", KEY_MAP, "", "flow exports of switches, see below, for tuners that need flow sizes" },
    { "fabric", KEY_FILE, "", "scenario that describes the network, for tuners that use a twin; its traffic "
      "is ignored", KEY_AT(struct controller_file, fabric) },
    { "think", KEY_TIME, "60s", "CPU time of such a search",
      KEY_AT(struct controller_file, think_us), 1000000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { "prometheus", KEY_NAME, "", "http://host:port of a Prometheus that scrapes this controller, for the "
      "page's history; default: the last hour", KEY_AT(struct controller_file, prometheus) },
    { "prometheus_match", KEY_NAME, "", "labels of this controller's series there, such as "
      "instance=\"c1:9700\"; default: it has one controller",
      KEY_AT(struct controller_file, prometheus_match) },
    { "topology", KEY_FILE, "", "file of links between ports, for the page" },
    { "inventory", KEY_LIST, "", "devices that should be there: those that do not report are named" },
    { "jobs", KEY_MAP, "", "NAME: [DEVICE, ...]: names or patterns of a job's NICs, for the page" },
    { "etcd", KEY_MAP, "", "lease shared by the controllers of a cell, see below; its holder acts" },
    { "stale", KEY_COUNT, "3", "reports older than this many intervals are ignored",
      KEY_AT(struct controller_file, controller.stale_intervals), 1, 1000 },
    { "block", KEY_COUNT, "10", "intervals per block of a trial",
      KEY_AT(struct controller_file, controller.block_length), 2, 100000 },
    { "burn_in", KEY_COUNT, "3", "first intervals of a block that do not count",
      KEY_AT(struct controller_file, controller.burn_in), 0, 100000 },
    { "noise_pairs", KEY_COUNT, "30", "pairs of blocks without a change, before the first trial",
      KEY_AT(struct controller_file, controller.aa_pairs), 3, 100000 },
    { "stage_pairs", KEY_COUNT, "13", "pairs without harm that end a canary stage",
      KEY_AT(struct controller_file, controller.stage_pairs), 1, 100000 },
    { "halves_max", KEY_COUNT, "2000", "intervals after which stage `halves` ends without a difference",
      KEY_AT(struct controller_file, controller.halves_intervals_max), 1, 10000000 },
    { "soak", KEY_COUNT, "20", "intervals with the change on all devices before it is confirmed",
      KEY_AT(struct controller_file, controller.soak_intervals), 0, 1000000 },
    { "accept", KEY_COUNT, "100", "e-value that accepts a gain",
      KEY_AT(struct controller_file, controller.accept_e), 1, 1000000000 },
    { "reject", KEY_COUNT, "20", "e-value that rejects for harm",
      KEY_AT(struct controller_file, controller.reject_e), 1, 1000000000 },
    { "drill_every", KEY_TIME, "0", "period of drills, 604800s is a week; 0: only on command",
      KEY_AT(struct controller_file, controller.drill_every_us), .per = PS_PER_US },
    { "hold_back", KEY_REAL, "0.05", "share of devices in the control group",
      KEY_AT(struct controller_file, controller.hold_back), 0, 0.9 },
    { 0 },
};

static const struct key_row relay_keys[] = {
    { "name", KEY_NAME, "", "the name in its certificate; default: the host name",
      KEY_AT(struct relay_file, common.name) },
    { "tls", KEY_MAP, "", "certificates, see below. Without it only local addresses are accepted" },
    { "interval", KEY_TIME, "100ms", "time between uploads",
      KEY_AT(struct relay_file, interval_us), 1000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { "listen", KEY_NAME, "", "host:port for agents", KEY_AT(struct relay_file, listen), .is_needed = true },
    { "controller", KEY_NAME, "", "host:port, or a list: the controllers of one cell" },
    { "silence", KEY_TIME, "2s", "silence of the controller after which it dismisses its agents",
      KEY_AT(struct relay_file, silence_us), .per = PS_PER_US },
    { "http", KEY_MAP, "", "metrics, see below. Without it: no HTTP" },
    { 0 },
};

static const struct key_row tls_keys[] = {
    { "ca", KEY_FILE, "", "certificate of the authority",
      KEY_AT(struct config_common, tls.ca), .is_needed = true },
    { "cert", KEY_FILE, "", "own certificate", KEY_AT(struct config_common, tls.cert), .is_needed = true },
    { "key", KEY_FILE, "", "own key", KEY_AT(struct config_common, tls.key), .is_needed = true },
    { "min_version", KEY_NAME, "1.3", "of TLS: `1.3`, or `1.2` for old peers",
      KEY_AT(struct config_common, tls.is_old), .choices = versions },
    { "refresh", KEY_TIME, "60s", "how often the files are reread",
      KEY_AT(struct config_common, tls.refresh_s), PS_PER_S, KEY_TIME_PS_MAX, .per = PS_PER_S },
    { 0 },
};

static const struct key_row etcd_keys[] = {
    { "endpoints", KEY_LIST, "", "http://host:port or https://host:port; required" },
    { "cell", KEY_NAME, "default", "name of the cell" },
    { "ttl", KEY_TIME, "10s", "lifetime of the lease without renewal",
      KEY_AT(struct lease_config, ttl_s), 2 * PS_PER_S, KEY_TIME_PS_MAX, .per = PS_PER_S },
    { "ca", KEY_FILE, "", "certificate of etcd's authority", KEY_AT(struct lease_config, ca) },
    { "cert", KEY_FILE, "", "own certificate", KEY_AT(struct lease_config, cert) },
    { "key", KEY_FILE, "", "own key", KEY_AT(struct lease_config, cert_key) },
    { 0 },
};

static const struct key_row flows_keys[] = {
    { "listen", KEY_NAME, "", "IP address and port: 0.0.0.0:6343",
      KEY_AT(struct controller_file, flows), .is_needed = true },
    { "from", KEY_LIST, "", "IP addresses of exporters; required unless it listens at 127.0.0.1" },
    { "window", KEY_TIME, "1s", "period of evaluation",
      KEY_AT(struct controller_file, flows_window_us), 1000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { 0 },
};

static const struct key_row limit_keys[] = {
    { "min", KEY_NAME, "", "smallest value" }, { "max", KEY_NAME, "", "largest value" },
    { "step", KEY_NAME, "", "largest change at once, in addition to doubling and halving; at most a quarter "
      "of the range. Default: 20 steps of the knob" },
    { 0 },
};

static void free_texts(char **text, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(text[i]);
}

/* ---- what both have ---- */

static void read_name(struct reader *r, const struct section *s, struct config_common *c)
{
    const struct yaml_node *map = section_get(s, "tls");
    struct section          tls;
    char                    machine[MSG_NAME_SIZE] = "";

    gethostname(machine, sizeof machine - 1);
    c->file = xstrdup(r->name);
    if (!c->name)
        c->name = xstrdup(machine);
    if (strlen(c->name) >= MSG_NAME_SIZE / 2 || !*c->name)
        reader_refuse(r, section_place(s, "name"), "name: it must have 1 to %d characters",
                      MSG_NAME_SIZE / 2 - 1);
    tls = section_open(r, map, &(struct section){ .name = "tls", .own = tls_keys });
    if (map)
        section_read(&tls, tls_keys, c);
}

/* 'interval_us': in the initial value, out the configured one. */
static void read_common(struct reader *r, const struct section *s, struct config_common *c,
                        uint32_t http_port, uint64_t *interval_us)
{
    c->interval_us = *interval_us;
    section_read(s, common_keys, c);
    *interval_us = c->interval_us;
    read_name(r, s, c);
    http_config_read(r, section_get(s, "http"), http_port, &c->http);
}

/* ---- tuners ---- */

static void add_option(struct reader *r, struct option_text **option, uint32_t *options,
                       const struct yaml_node *n)
{
    if (n->kind != YAML_SCALAR) {
        reader_refuse(r, n, "%s: a value is wanted", n->key);
        return;
    }
    *option = xrealloc(*option, (*options + 1ul) * sizeof **option);
    (*option)[(*options)++] = (struct option_text){ xstrdup(n->key), xstrdup(n->text),
                                                    reader_place(r, n->line, n->column) };
}

/* Reads a name, or a map with the name and options; NULL: no tuner. */
static void read_tuner(struct reader *r, const struct yaml_node *node, struct loop_request *t)
{
    const struct yaml_node *name = node && node->kind == YAML_MAP ? yaml_get(node, "name") : node;
    struct option_text     *option = NULL;

    if (!node || r->rc)
        return;
    if (!name || name->kind != YAML_SCALAR) {
        reader_refuse(r, node, "tuner: a name is wanted, or a map with 'name'");
        return;
    }
    *t = (struct loop_request){ .kind = xstrdup(name->text), .beside = xstrdup(r->name),
                                .place = reader_place(r, name->line, name->column) };
    for (const struct yaml_node *c = node->kind == YAML_MAP ? node->child : NULL; c && !r->rc; c = c->next)
        if (c != name)
            add_option(r, &option, &t->options, c);
    t->option = option;
}

static void fini_tuner(struct loop_request *t)
{
    option_texts_free((struct option_text *)t->option, t->options);
    free((char *)t->kind);
    free((char *)t->place);
    free((char *)t->beside);
}

bool config_tuner_is_same(const struct loop_request *a, const struct loop_request *b)
{
    bool is_same = a->options == b->options && !a->kind == !b->kind &&
                   (!a->kind || strcmp(a->kind, b->kind) == 0);

    for (uint32_t i = 0; i < a->options && is_same; i++)
        is_same = strcmp(a->option[i].key, b->option[i].key) == 0 &&
                  strcmp(a->option[i].text, b->option[i].text) == 0;
    return is_same;
}

/* ---- agents ---- */

static void read_bound(struct reader *r, const struct section *s, const char *key, enum knob knob,
                       double *bound)
{
    const char *text = section_text(s, key);
    struct err  why;

    if (text && knob_parse(knob, text, bound, &why))
        reader_refuse(r, section_get(s, key), "%s", why.text);
}

static void read_limit(struct reader *r, const struct yaml_node *node, struct limits *l)
{
    enum knob knob = knob_find(node->key);
    char      near[80];

    if (knob == KNOB_COUNT) {
        reader_refuse_key(r, node, "'%.60s' is not a knob%s", node->key,
                          text_did_you_mean(near, sizeof near, node->key, knob_names));
        return;
    }
    if (node->kind == YAML_SCALAR && strcmp(node->text, "no") == 0) {
        l->may_set[knob] = false;
        return;
    }
    if (!l->may_set[knob])
        reader_refuse_key(r, node, "%s is not on the list of what may be set", node->key);
    struct section sec = section_open(r, node, &(struct section){ .name = node->key, .own = limit_keys });
    read_bound(r, &sec, "min", knob, &l->min[knob]);
    read_bound(r, &sec, "max", knob, &l->max[knob]);
    read_bound(r, &sec, "step", knob, &l->step_max[knob]);
    if (!r->rc && l->min[knob] > l->max[knob])
        reader_refuse(r, node, "%s: min is above max", node->key);
}

static void read_limits(struct reader *r, const struct yaml_node *map, struct limits *l)
{
    if (map && map->kind != YAML_MAP)
        reader_refuse(r, map, "limits is a map of knobs");
    for (const struct yaml_node *c = map && map->kind == YAML_MAP ? map->child : NULL; c && !r->rc;
         c = c->next)
        read_limit(r, c, l);
}

static const struct driver *read_driver(struct reader *r, const struct section *s)
{
    const char          *text = section_text(s, "driver");
    const struct driver *d = NULL;
    struct err           err;

    if (!text)
        section_need(s, "driver");
    else if (config_find_driver(&d, text, &err))
        reader_refuse(r, section_get(s, "driver"), "%s", err.text);
    return d;
}

static void read_devices(struct reader *r, const struct section *s, struct agent_file *f)
{
    for (const struct yaml_node *n = section_list(s, "devices", DRIVER_DEVICES_MAX); n && !r->rc;
         n = n->next) {
        if (n->kind != YAML_SCALAR || strlen(n->text) >= MSG_NAME_SIZE / 2)
            reader_refuse(r, n, "devices is a list of names");
        else
            snprintf(f->device[f->devices++], MSG_NAME_SIZE, "%s", n->text);
    }
}

/* One address, or a list of them. */
static void read_controllers(struct reader *r, const struct section *s, char **address, uint32_t *count)
{
    const struct yaml_node *node = section_need(s, "controller");
    uint32_t                before = *count;

    if (!node)
        return;
    if (node->kind == YAML_SCALAR) {
        address[(*count)++] = xstrdup(node->text);
        return;
    }
    section_texts(s, "controller", CONFIG_CONTROLLERS_MAX, "addresses", address, count);
    if (!r->rc && *count == before)
        reader_refuse(r, node, "controller: an address is wanted, or a list of addresses");
}

static void check_agent(struct reader *r, const struct section *s, struct agent_file *f)
{
    const struct driver *d = f->driver;

    if (r->rc)
        return;
    if (f->agent.lease_us < 10 * f->agent.interval_us)
        reader_refuse(r, section_place(s, "lease"), "lease: it is too short: ten intervals at least");
    if (f->tuner.kind && !d->queues)
        reader_refuse(r, section_get(s, "tuner"),
                      "tuner: a device of driver %s has no queues that could be set", d->name);
    if (!r->rc && f->tuner.kind)
        r->rc = queue_tuner_check(&f->tuner, r->err);
}

static void read_agent(struct reader *r, const struct yaml_node *root, void *file)
{
    struct section       s = section_open(r, root,
                                          &(struct section){ .name = "", .own = agent_keys,
                                                             .common = common_keys });
    struct agent_file   *f = file;
    struct agent_config *a = &f->agent;

    f->driver = f->driver ? f->driver : read_driver(r, &s);
    agent_config_init(a, f->driver ? f->driver->where : KNOB_NIC);
    if (f->driver && f->driver->is_simulated)
        limits_lift(&a->limits);
    read_common(r, &s, &f->common, HTTP_PORT_AGENT, &a->interval_us);
    section_texts(&s, "relays", CONFIG_WAYS_MAX - CONFIG_CONTROLLERS_MAX, "addresses", f->way, &f->ways);
    f->relays = f->ways;
    read_controllers(r, &s, f->way, &f->ways);
    section_read(&s, agent_keys, f);
    read_devices(r, &s, f);
    read_tuner(r, section_get(&s, "tuner"), &f->tuner);
    check_agent(r, &s, f);
    read_limits(r, section_get(&s, "limits"), &a->limits);
}

int config_find_driver(const struct driver **out, const char *name, struct err *err)
{
    const char *names[16] = { NULL };
    char        near[120];

    for (int i = 0; driver_all[i] && i < 15; i++)
        names[i] = driver_all[i]->name;
    *out = driver_find(name);
    return *out ? 0 : err_set(err, EINVAL, "'%.40s' is not a driver%s", name,
                              text_names(near, sizeof near, name, names));
}

static void fini_agent(void *file)
{
    struct agent_file *f = file;

    free_texts(f->way, f->ways);
    key_free_texts(agent_keys, f);
    fini_tuner(&f->tuner);
}

const struct config_kind config_agent = { sizeof(struct agent_file), read_agent, fini_agent };

/* ---- relays ---- */

static void read_relay(struct reader *r, const struct yaml_node *root, void *file)
{
    struct section     s = section_open(r, root, &(struct section){ .name = "", .own = relay_keys });
    struct relay_file *f = file;

    section_read(&s, relay_keys, f);
    read_name(r, &s, &f->common);
    read_controllers(r, &s, f->controller, &f->controllers);
    if (!r->rc && f->silence_us < 2 * f->interval_us)
        reader_refuse(r, section_place(&s, "silence"), "silence: it is too short: two intervals at least");
    http_config_read(r, section_get(&s, "http"), RELAY_HTTP_PORT, &f->common.http);
}

static void fini_relay(void *file)
{
    struct relay_file *f = file;

    free_texts(f->controller, f->controllers);
    key_free_texts(relay_keys, f);
}

const struct config_kind config_relay = { sizeof(struct relay_file), read_relay, fini_relay };

/* ---- controllers ---- */

static void read_flows(struct reader *r, struct controller_file *f, const struct yaml_node *map)
{
    struct section s = section_open(r, map, &(struct section){ .name = "flows", .own = flows_keys });

    if (!map)
        return;
    section_read(&s, flows_keys, f);
    section_texts(&s, "from", CONFIG_FLOWS_FROM_MAX, "addresses", f->flows_from, &f->flows_senders);
    if (!r->rc && !f->flows_senders && strncmp(f->flows, "127.", 4) != 0 &&
        strncmp(f->flows, "[::1]:", 6) != 0)
        reader_refuse(r, section_place(&s, "listen"),
                      "listen: where others can send, 'from' must say who may");
}

static bool is_url(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

static void read_endpoints(struct reader *r, const struct section *s, struct lease_config *e)
{
    for (const struct yaml_node *n = section_list(s, "endpoints", LEASE_ENDPOINTS_MAX); n && !r->rc;
         n = n->next) {
        if (n->kind != YAML_SCALAR || !is_url(n->text))
            reader_refuse(r, n, "endpoints is a list of http://host:port or https://host:port");
        else
            e->endpoint[e->endpoints++] = xstrdup(n->text);
    }
    if (!r->rc && !e->endpoints)
        reader_refuse(r, s->map, "etcd: endpoints are wanted");
}

static void read_etcd(struct reader *r, struct controller_file *f, const struct yaml_node *map)
{
    struct section       s = section_open(r, map, &(struct section){ .name = "etcd", .own = etcd_keys });
    struct lease_config *e = &f->etcd;

    if (!map)
        return;
    read_endpoints(r, &s, e);
    const char *cell = section_text(&s, "cell");
    e->key = xprintf("/anole/%.200s/controller", cell ? cell : "default");
    e->who = xstrdup(f->common.name ? f->common.name : "");
    section_need_both(&s, "cert", "key");
    section_read(&s, etcd_keys, e);
}

static void fini_etcd(struct lease_config *e)
{
    free_texts(e->endpoint, e->endpoints);
    free(e->key);
    free(e->who);
    key_free_texts(etcd_keys, e);
}

static void check_controller(struct reader *r, const struct section *s, const struct controller_file *f)
{
    const struct controller_config *c = &f->controller;

    if (r->rc)
        return;
    if (f->prometheus && !is_url(f->prometheus))
        reader_refuse(r, section_get(s, "prometheus"),
                      "prometheus: http://host:port or https://host:port is wanted");
    if (c->burn_in >= c->block_length)
        reader_refuse(r, section_place(s, "burn_in"), "burn_in: a block of %u intervals has none left",
                      c->block_length);
    if (c->lets_queues && c->mode == MODE_APPROVE)
        reader_refuse(r, section_get(s, "queue_tuners"),
                      "queue_tuners: they decide many times a second, which no one can approve; use mode: "
                      "auto");
}

static void read_controller(struct reader *r, const struct yaml_node *root, void *file)
{
    struct section s = section_open(r, root, &(struct section){ .name = "", .own = controller_keys,
                                                                .common = common_keys });
    struct controller_file   *f = file;
    struct controller_config *c = &f->controller;

    controller_config_init(c);
    read_common(r, &s, &f->common, HTTP_PORT_CONTROLLER, &c->interval_us);
    if (f->common.name)
        snprintf(c->name, sizeof c->name, "%s", f->common.name);
    section_read(&s, controller_keys, f);
    section_texts(&s, "viewers", CONFIG_OPERATORS_MAX, "names", f->client[GATE_VIEW], &f->clients[GATE_VIEW]);
    section_texts(&s, "approvers", CONFIG_OPERATORS_MAX, "names", f->client[GATE_APPROVE],
                  &f->clients[GATE_APPROVE]);
    section_texts(&s, "operators", CONFIG_OPERATORS_MAX, "names", f->client[GATE_OPERATE],
                  &f->clients[GATE_OPERATE]);
    if (!r->rc && !section_get(&s, "operators"))
        f->client[GATE_OPERATE][f->clients[GATE_OPERATE]++] = xstrdup("operator");
    section_texts(&s, "relays", CONFIG_RELAYS_MAX, "names", f->relay, &f->relays);
    read_tuner(r, section_get(&s, "tuner"), &f->tuner);
    read_tuner(r, section_get(&s, "learner"), &f->learner);
    goal_of_node(r, section_get(&s, "goal"), &f->goal);
    check_controller(r, &s, f);
    read_flows(r, f, section_get(&s, "flows"));
    read_etcd(r, f, section_get(&s, "etcd"));
    links_read_named(&s, "topology", &f->links);
    jobs_read(r, section_get(&s, "jobs"), &f->jobs);
    inventory_read(&s, &f->inventory);
}

static void fini_controller(void *file)
{
    struct controller_file *f = file;

    key_free_texts(controller_keys, f);
    key_free_texts(flows_keys, f);
    for (int i = 0; i < GATE_RIGHTS; i++)
        free_texts(f->client[i], f->clients[i]);
    free_texts(f->relay, f->relays);
    free_texts(f->flows_from, f->flows_senders);
    fini_etcd(&f->etcd);
    fini_tuner(&f->tuner);
    fini_tuner(&f->learner);
    links_fini(&f->links);
    jobs_list_fini(&f->jobs);
    inventory_fini(&f->inventory);
}

const struct config_kind config_controller = { sizeof(struct controller_file), read_controller,
                                               fini_controller };

/* ---- files ---- */

int config_read(const struct config_kind *kind, void *file, const char *path, const struct driver *driver,
                struct err *err)
{
    struct yaml_doc doc;
    struct reader   r = { .name = text_file_name(path), .what = "a configuration", .err = err };
    int             rc = yaml_read(&doc, path, err);

    if (rc)
        return rc;
    memset(file, 0, kind->bytes);
    if (kind == &config_agent)
        ((struct agent_file *)file)->driver = driver;
    kind->fill(&r, doc.root, file);
    yaml_fini(&doc);
    if (r.rc)
        config_fini(kind, file);
    return r.rc;
}

void config_fini(const struct config_kind *kind, void *file)
{
    struct config_common *c = file;

    kind->fini(file);
    free(c->file);
    key_free_texts(common_keys, c);
    key_free_texts(tls_keys, c);
    http_config_fini(&c->http);
    memset(file, 0, kind->bytes);
}

/* ---- reading again ---- */

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool are_same(char *const *a, uint32_t as, char *const *b, uint32_t bs)
{
    bool is = as == bs;

    for (uint32_t i = 0; i < as && is; i++)
        is = strcmp(a[i], b[i]) == 0;
    return is;
}

/* The first row of a table whose fields differ, among these names (NULL: among all); NULL: none. */
static const char *changed(const struct key_row *row, const char *const *names, const void *a, const void *b)
{
    for (; row->name; row++) {
        const void *x = (const char *)a + row->at.offset, *y = (const char *)b + row->at.offset;
        bool        is_meant = !names;

        for (int i = 0; names && names[i]; i++)
            is_meant |= strcmp(names[i], row->name) == 0;
        if (is_meant && (row->at.type == KEY_TEXT ? !is_same(*(char *const *)x, *(char *const *)y) :
                         memcmp(x, y, key_bytes(row)) != 0))
            return row->name;
    }
    return NULL;
}

static const char *fixed_agent(const struct agent_file *new, const struct agent_file *old)
{
    const struct driver *d = new->driver;

    return !are_same(new->way, new->relays, old->way, old->relays) ? "relays" :
           !are_same(new->way, new->ways, old->way, old->ways) ? "controller" :
           d->find != old->driver->find ? "driver" :
           new->devices != old->devices ||
           memcmp(new->device, old->device, sizeof new->device) != 0 ? "devices" :
           config_tuner_is_same(&new->tuner, &old->tuner) ? NULL : "tuner";
}

static const char *fixed_controller(const struct controller_file *new, const struct controller_file *old)
{
    const struct lease_config *n = &new->etcd, *o = &old->etcd;

    return changed(flows_keys, NULL, new, old) ||
           !are_same(new->flows_from, new->flows_senders, old->flows_from, old->flows_senders) ? "flows" :
           changed(etcd_keys, NULL, n, o) || !is_same(n->key, o->key) ||
           !are_same(n->endpoint, n->endpoints, o->endpoint, o->endpoints) ? "etcd" : NULL;
}

const char *config_fixed_key(const struct config_kind *kind, const void *new, const void *old)
{
    static const char *const names[] = {
        "name", "state", "listen", "interval", "root", "queue_changes_per_second", "queue_hold", "id",
        "socket", "agent_devices", "agent_messages", "devices_max", "prometheus", "prometheus_match", NULL,
    };
    static const char *const  of_relay[] = { "name", "listen", NULL };
    const struct relay_file  *n = new, *o = old;
    const char               *key = changed(tls_keys, NULL, new, old) ? "tls" : NULL;

    if (key || kind == &config_relay)
        return key ? key : are_same(n->controller, n->controllers, o->controller, o->controllers) ?
               changed(relay_keys, of_relay, new, old) : "controller";
    key = changed(common_keys, names, new, old);
    key = key ? key : changed(kind == &config_agent ? agent_keys : controller_keys, names, new, old);
    return key ? key : kind == &config_agent ? fixed_agent(new, old) : fixed_controller(new, old);
}

bool config_http_is_same(const struct http_config *a, const struct http_config *b)
{
    return a->is_on == b->is_on && is_same(a->listen, b->listen) &&
           are_same(a->host, a->hosts, b->host, b->hosts) &&
           !a->token && !b->token && !a->approver_token && !b->approver_token && !a->viewer_token &&
           !b->viewer_token && !a->cert && !b->cert;       /* client_ca needs cert */
}

/* ---- the reference ---- */

static void print_section(FILE *out, const char *head, const char *text, const struct key_row *keys)
{
    fprintf(out, "\n## %s\n\n%s\n", head, text);
    key_print_markdown(out, keys);
}

void config_print_reference(FILE *out)
{
    fputs("# Configuration of agents, controllers and relays\n\n"
          "<!-- Printed by `anole controller --keys`. -->\n\n"
          "Each is a YAML file. Values are written as in [scenario files](scenario.md). `anole agent FILE "
          "--check-config` and\n"
          "`anole controller FILE --check-config` check a file. [live.md](live.md) explains how the parts "
          "work together.\n", out);
    print_section(out, "Agents and controllers", "Both have these keys.", common_keys);
    print_section(out, "Agents", "`anole agent FILE`.", agent_keys);
    print_section(out, "Controllers", "`anole controller FILE`.", controller_keys);
    print_section(out, "Relays", "`anole agent --relay FILE`.", relay_keys);
    print_section(out, "tls", "Keys of the map `tls`. All three files are required.", tls_keys);
    print_section(out, "http", "Keys of the map `http`.", http_config_keys);
    print_section(out, "flows", "Keys of the map `flows`.", flows_keys);
    print_section(out, "etcd", "Keys of the map `etcd`.", etcd_keys);
    print_section(out, "limits", "Keys of each knob in the map `limits`.", limit_keys);
}
