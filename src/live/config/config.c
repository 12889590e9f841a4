/* src/live/config/config.c - see config.h. */
#include "live/config/config.h"
#include "base/reader.h"
#include "base/text.h"
#include "core/units.h"
#include "live/queues/queue_tuner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RELAY_HTTP_PORT 7484
#define HTTP_PORT_CONTROLLER 7480
#define HTTP_PORT_AGENT      7482

/* ---- keys ---- */

static const char *const modes[] = { "observe", "approve", "auto", "direct", NULL };    /* as in enum controller_mode */
static const char *const collections[] = { "always", "tuning", NULL };
static const char *const versions[] = { "1.3", "1.2", NULL };

static const struct key_row common_keys[] = {
    { "name", KEY_NAME, "", "what it is called; agents: the name in its certificate. Default: the name of the machine", KEY_AT(struct config_common, name) },
    { "state", KEY_FILE, "", "folder for what must not be forgotten, and the audit log", KEY_AT(struct config_common, state), .is_needed = true },
    { "tls", KEY_MAP, "", "ca, cert, key: files, and refresh. Without it only this machine can be reached" },
    { "interval", KEY_TIME, "", "between reports; default 100ms, of switches 1s", KEY_AT(struct config_common, interval_us), 1000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { "http", KEY_MAP, "", "listen, token, cert, key, hosts: metrics and what there is to see. Without it: no HTTP" },
    { 0 },
};

static const struct key_row agent_keys[] = {
    { "controller", KEY_NAME, "", "address, host:port, or a list: controllers of one cell, of which one answers" },
    { "relays", KEY_LIST, "", "addresses of relays that are tried before the controllers themselves" },
    { "driver", KEY_NAME, "", "mlx5, sonic" },
    { "devices", KEY_LIST, "", "which of them; default: all" },
    { "root", KEY_FILE, "/", "where sys is: another one to try it on a tree of files", KEY_AT(struct agent_file, root) },
    { "freeze_file", KEY_FILE, "/run/anole/freeze", "while this file is there nothing is written", KEY_AT(struct agent_file, freeze) },
    { "write", KEY_YES,  "no", "no: it observes only", KEY_AT(struct agent_file, agent.may_write) },
    { "lease", KEY_TIME, "", "what is not confirmed goes back this long after the last word of the controller; 3s, switches 30s", KEY_AT(struct agent_file, agent.lease_us), .per = PS_PER_US },
    { "gap", KEY_TIME, "", "least time between changes; 1s, switches 5s", KEY_AT(struct agent_file, agent.gap_us), .per = PS_PER_US },
    { "switches_per_day", KEY_COUNT, "", "changes that are tried; 2000, switches 200", KEY_AT(struct agent_file, agent.switches_per_day), 0, 1000000 },
    { "lasting_per_day", KEY_COUNT, "20", "changes that stay", KEY_AT(struct agent_file, agent.lasting_per_day), 0, 1000000 },
    { "limits", KEY_MAP, "", "knob: {min, max, step}: narrower than the table of knobs; 'no' forbids it" },
    { "tuner", KEY_NAME, "", "acc: it sets the queues of switches one by one, if the controller lets it; default: none" },
    { "queue_changes_per_second", KEY_COUNT, "", "of such a tuner, all queues of a device together; 20, of simulated ones any", KEY_AT(struct agent_file, queue_changes), 1, 1000000 },
    { "queue_hold", KEY_TIME, "600s", "after a guardrail, or when somebody has set queues back, such a tuner leaves them alone for so long", KEY_AT(struct agent_file, queue_hold_us), .per = PS_PER_US },
    { "paused_max", KEY_REAL, "0.05", "guardrail: paused twice as long as usual and as the control group, and by at least this share of the time longer, two intervals in a row", KEY_AT(struct agent_file, agent.guard.paused_max), 0, 1 },
    { 0 },
};

static const struct key_row controller_keys[] = {
    { "listen", KEY_NAME, "", "address, host:port", KEY_AT(struct controller_file, listen), .is_needed = true },
    { "id", KEY_COUNT, "1", "another one for each controller of a fabric", KEY_AT(struct controller_file, controller.id), 0, 65535 },
    { "mode", KEY_NAME, "observe", "observe, approve, auto; direct: what the tuner says goes to all devices at once, without trials", KEY_AT(struct controller_file, controller.mode), .choices = modes },
    { "dispatch_delay", KEY_TIME, "0", "direct: from a decision until it is in force everywhere", KEY_AT(struct controller_file, controller.dispatch_us), .per = PS_PER_US },
    { "monitor_delay", KEY_TIME, "0", "lock step: the tuner is shown reports so much later", KEY_AT(struct controller_file, monitor_delay_us), .per = PS_PER_US },
    { "collect", KEY_NAME, "always", "always: agents report all that they know; tuning: flow sizes and how well they do, but for when a tuner searches", KEY_AT(struct controller_file, is_brief), .choices = collections },
    { "seed", KEY_COUNT, "0", "of coins and of the tuner", KEY_AT(struct controller_file, controller.seed), 0, UINT32_MAX },
    { "gather", KEY_TIME, "3s", "it listens for so long before it acts", KEY_AT(struct controller_file, controller.gather_us), 1000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { "operators", KEY_LIST, "", "names in certificates of who may ask and decide; default: operator" },
    { "relays", KEY_LIST, "", "names in certificates of relays, which may speak for the devices of others" },
    { "socket", KEY_FILE, "", "a socket file by which root, and the user of the controller, ask and decide without certificates; default: /run/anole-controller/ctl-PORT.sock", KEY_AT(struct controller_file, socket) },
    { "agent_devices", KEY_COUNT, "64", "devices that one certificate may speak for", KEY_AT(struct controller_file, agent_devices), 1, 1000000 },
    { "agent_messages", KEY_COUNT, "20000", "messages per second that are heard from one certificate", KEY_AT(struct controller_file, agent_messages), 1, 1000000000 },
    { "devices_max", KEY_COUNT, "1024", "room for so many", KEY_AT(struct controller_file, devices_max), 1, 1000000 },
    { "tuner", KEY_NAME, "", "as in a scenario; default: none" },
    { "queue_tuners", KEY_YES,  "no", "modes auto, direct: agents of switches with a tuner of their own may set queues by it", KEY_AT(struct controller_file, controller.lets_queues) },
    { "flows", KEY_MAP, "", "listen, from, window: sFlow, NetFlow 9 and IPFIX of switches, for tuners that want flow sizes" },
    { "fabric", KEY_FILE, "", "a scenario that says what the network is built of, for tuners that try settings on a twin; its traffic does not count", KEY_AT(struct controller_file, fabric) },
    { "think", KEY_TIME, "60s", "CPU time that such a search may take, beside all else", KEY_AT(struct controller_file, think_us), 1000000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { "topology", KEY_FILE, "", "which port is joined to which: a file of links, for the page" },
    { "jobs", KEY_MAP, "", "NAME: [DEVICE, ...]: names or patterns of the NICs of a job, for the page" },
    { "etcd", KEY_MAP, "", "endpoints, cell, ttl, ca, cert, key: several controllers of a cell; who has the lease there acts" },
    { "stale", KEY_COUNT, "3", "reports older than so many intervals are not believed", KEY_AT(struct controller_file, controller.stale_intervals), 1, 1000 },
    { "block", KEY_COUNT, "10", "intervals of a block", KEY_AT(struct controller_file, controller.block_length), 2, 100000 },
    { "burn_in", KEY_COUNT, "3", "of these, not counted", KEY_AT(struct controller_file, controller.burn_in), 0, 100000 },
    { "noise_pairs", KEY_COUNT, "30", "pairs of blocks that measure the noise before the first trial", KEY_AT(struct controller_file, controller.aa_pairs), 3, 100000 },
    { "stage_pairs", KEY_COUNT, "13", "pairs without harm that end a canary stage", KEY_AT(struct controller_file, controller.stage_pairs), 1, 100000 },
    { "halves_max", KEY_COUNT, "2000", "intervals after which two halves do not differ", KEY_AT(struct controller_file, controller.halves_intervals_max), 1, 10000000 },
    { "soak", KEY_COUNT, "20", "intervals that everybody has a change before it is confirmed", KEY_AT(struct controller_file, controller.soak_intervals), 0, 1000000 },
    { "accept", KEY_COUNT, "100", "e-value at which a gain is believed", KEY_AT(struct controller_file, controller.accept_e), 1, 1000000000 },
    { "reject", KEY_COUNT, "20", "e-value at which harm is believed", KEY_AT(struct controller_file, controller.reject_e), 1, 1000000000 },
    { "drill_every", KEY_TIME, "0", "how often the dead-man switch is proven at a canary: 604800s is a week; 0: only when a person orders it", KEY_AT(struct controller_file, controller.drill_every_us), .per = PS_PER_US },
    { "hold_back", KEY_REAL, "0.05", "of the devices", KEY_AT(struct controller_file, controller.hold_back), 0, 0.9 },
    { 0 },
};

static const struct key_row relay_keys[] = {
    { "name", KEY_NAME, "", "the name in its certificate; default: the name of the machine", KEY_AT(struct relay_file, common.name) },
    { "tls", KEY_MAP, "", "ca, cert, key: files, and refresh. Without it only this machine can be reached" },
    { "interval", KEY_TIME, "100ms", "between what it sends", KEY_AT(struct relay_file, interval_us), 1000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { "listen", KEY_NAME, "", "address, host:port, at which agents reach it", KEY_AT(struct relay_file, listen), .is_needed = true },
    { "controller", KEY_NAME, "", "address, host:port, or a list: controllers of one cell, of which one answers" },
    { "silence", KEY_TIME, "2s", "after which agents are sent away if the controller says nothing", KEY_AT(struct relay_file, silence_us), .per = PS_PER_US },
    { "http", KEY_MAP, "", "listen, token, cert, key, hosts: metrics. Without it: no HTTP" },
    { 0 },
};

static const struct key_row tls_keys[] = {
    { "ca", KEY_FILE, "", "certificate of the authority", KEY_AT(struct config_common, ca), .is_needed = true },
    { "cert", KEY_FILE, "", "own certificate", KEY_AT(struct config_common, cert), .is_needed = true },
    { "key", KEY_FILE, "", "own key", KEY_AT(struct config_common, key), .is_needed = true },
    { "min_version", KEY_NAME, "1.3", "of TLS: 1.3, or 1.2 for peers that do not know it", KEY_AT(struct config_common, is_old_tls), .choices = versions },
    { "refresh", KEY_TIME, "60s", "how often the three are read again", KEY_AT(struct config_common, refresh_s), PS_PER_S, KEY_TIME_PS_MAX, .per = PS_PER_S },
    { 0 },
};

static const struct key_row etcd_keys[] = {
    { "endpoints", KEY_LIST, "", "http://host:port or https://host:port; required" },
    { "cell", KEY_NAME, "default", "which part of the fabric" },
    { "ttl", KEY_TIME, "10s", "whoever holds the lease and is not heard for so long has lost it", KEY_AT(struct lease_config, ttl_s), 2 * PS_PER_S, KEY_TIME_PS_MAX, .per = PS_PER_S },
    { "ca", KEY_FILE, "", "certificate of etcd's authority", KEY_AT(struct lease_config, ca) },
    { "cert", KEY_FILE, "", "own certificate", KEY_AT(struct lease_config, cert) },
    { "key", KEY_FILE, "", "own key", KEY_AT(struct lease_config, cert_key) },
    { 0 },
};

static const struct key_row flows_keys[] = {
    { "listen", KEY_NAME, "", "IP address and port: 0.0.0.0:6343", KEY_AT(struct controller_file, flows), .is_needed = true },
    { "from", KEY_LIST, "", "IP addresses of who may tell; required unless it listens at 127.0.0.1" },
    { "window", KEY_TIME, "1s", "flows are looked at so often", KEY_AT(struct controller_file, flows_window_us), 1000 * PS_PER_US, KEY_TIME_PS_MAX, .per = PS_PER_US },
    { 0 },
};

static const struct key_row limit_keys[] = {
    { "min", KEY_NAME, "", "least" }, { "max", KEY_NAME, "", "most" },
    { "step", KEY_NAME, "", "largest change at once, besides doubling and halving; never above a quarter of the range. Default: 20 steps of src/core/knobs.def" },
    { 0 },
};

/* ---- what both have ---- */

static void read_tls(struct reader *r, struct config_common *c, const struct yaml_node *map)
{
    struct section sec = section_open(r, map, &(struct section){ .name = "tls", .own = tls_keys });

    if (map)
        section_read(&sec, tls_keys, c);
}

static void read_name(struct reader *r, const struct section *s, struct config_common *c)
{
    char machine[MSG_NAME_SIZE] = "";

    gethostname(machine, sizeof machine - 1);
    c->file = xstrdup(r->name);
    if (!c->name)
        c->name = xstrdup(machine);
    if (strlen(c->name) >= MSG_NAME_SIZE / 2 || !*c->name)
        reader_refuse(r, section_place(s, "name"), "name: it must have 1 to %d characters", MSG_NAME_SIZE / 2 - 1);
    read_tls(r, c, section_get(s, "tls"));
}

/* 'interval_us': the initial value in, what is given out. */
static void read_common(struct reader *r, const struct section *s, struct config_common *c, uint32_t http_port, uint64_t *interval_us)
{
    c->interval_us = *interval_us;
    section_read(s, common_keys, c);
    *interval_us = c->interval_us;
    read_name(r, s, c);
    http_config_read(r, section_get(s, "http"), http_port, &c->http);
}

struct rpc_tls config_tls(const struct config_common *c)
{
    return (struct rpc_tls){ c->ca, c->cert, c->key, c->refresh_s, c->is_old_tls };
}

static void fini_common(struct config_common *c)
{
    free(c->file);
    key_free_texts(common_keys, c);
    key_free_texts(tls_keys, c);
    http_config_fini(&c->http);
}

/* ---- agents ---- */

static void read_bound(struct reader *r, const struct section *s, const char *key, enum knob knob, double *bound)
{
    const char *text = section_text(s, key);
    struct err  why;

    if (text && knob_parse(knob, text, bound, &why))
        reader_refuse(r, section_get(s, key), "%s", why.text);
}

static void read_limit(struct reader *r, const struct yaml_node *node, struct limits *l)
{
    enum knob      knob = knob_find(node->key);
    struct section sec;
    char           near[80];

    if (knob == KNOB_COUNT) {
        reader_refuse_key(r, node, "'%.60s' is not a knob%s", node->key, text_did_you_mean(near, sizeof near, node->key, knob_names));
        return;
    }
    if (node->kind == YAML_SCALAR && strcmp(node->text, "no") == 0) {
        l->may_set[knob] = false;
        return;
    }
    if (!l->may_set[knob])
        reader_refuse_key(r, node, "%s is not on the list of what may be set", node->key);
    sec = section_open(r, node, &(struct section){ .name = node->key, .own = limit_keys });
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
    for (const struct yaml_node *c = map && map->kind == YAML_MAP ? map->child : NULL; c && !r->rc; c = c->next)
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
    for (const struct yaml_node *n = section_list(s, "devices", DRIVER_DEVICES_MAX); n && !r->rc; n = n->next) {
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

static void read_ways(struct reader *r, const struct section *s, struct agent_file *f)
{
    section_texts(s, "relays", CONFIG_WAYS_MAX - CONFIG_CONTROLLERS_MAX, "addresses", f->way, &f->ways);
    f->relays = f->ways;
    read_controllers(r, s, f->way, &f->ways);
}

static void check_agent(struct reader *r, const struct section *s, struct agent_file *f)
{
    const struct driver *d = f->driver;

    if (r->rc)
        return;
    if (f->agent.lease_us < 10 * f->agent.interval_us)
        reader_refuse(r, section_place(s, "lease"), "lease: it is too short: ten intervals at least");
    if (f->tuner.kind && !d->queues)
        reader_refuse(r, section_get(s, "tuner"), "tuner: a device of driver %s has no queues that could be set", d->name);
    if (!r->rc && f->tuner.kind) {
        struct loop_request q = config_tuner_request(&f->tuner, f->common.file);

        r->rc = queue_tuner_check(&q, r->err);
    }
}

static void read_agent(struct reader *r, const struct yaml_node *root, struct agent_file *f, const struct driver *driver)
{
    struct section       s = section_open(r, root, &(struct section){ .name = "", .own = agent_keys, .common = common_keys });
    struct agent_config *a = &f->agent;

    f->driver = driver ? driver : read_driver(r, &s);
    agent_config_init(a, f->driver ? f->driver->where : KNOB_NIC);
    if (f->driver && f->driver->is_simulated)
        limits_lift(&a->limits);
    read_common(r, &s, &f->common, HTTP_PORT_AGENT, &a->interval_us);
    read_ways(r, &s, f);
    section_read(&s, agent_keys, f);
    read_devices(r, &s, f);
    config_tuner_read(r, section_get(&s, "tuner"), &f->tuner);
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
    return *out ? 0 : err_set(err, EINVAL, "'%.40s' is not a driver%s", name, text_names(near, sizeof near, name, names));
}

int config_read_agent(struct agent_file *f, const char *path, const struct driver *driver, struct err *err)
{
    struct yaml_doc doc;
    struct reader   r = { .name = text_file_name(path), .what = "a configuration", .err = err };
    int             rc = yaml_read(&doc, path, err);

    *f = (struct agent_file){ 0 };
    if (rc)
        return rc;
    read_agent(&r, doc.root, f, driver);
    yaml_fini(&doc);
    if (r.rc)
        config_fini_agent(f);
    return r.rc;
}

void config_fini_agent(struct agent_file *f)
{
    fini_common(&f->common);
    for (uint32_t i = 0; i < f->ways; i++)
        free(f->way[i]);
    key_free_texts(agent_keys, f);
    config_tuner_fini(&f->tuner);
    *f = (struct agent_file){ 0 };
}

/* ---- relays ---- */

int config_read_relay(struct relay_file *f, const char *path, struct err *err)
{
    struct yaml_doc doc;
    struct reader   r = { .name = text_file_name(path), .what = "a configuration", .err = err };
    struct section  s;
    int             rc = yaml_read(&doc, path, err);

    *f = (struct relay_file){ 0 };
    if (rc)
        return rc;
    s = section_open(&r, doc.root, &(struct section){ .name = "", .own = relay_keys });
    section_read(&s, relay_keys, f);
    read_name(&r, &s, &f->common);
    read_controllers(&r, &s, f->controller, &f->controllers);
    if (!r.rc && f->silence_us < 2 * f->interval_us)
        reader_refuse(&r, section_place(&s, "silence"), "silence: it is too short: two intervals at least");
    http_config_read(&r, section_get(&s, "http"), RELAY_HTTP_PORT, &f->common.http);
    yaml_fini(&doc);
    if (r.rc)
        config_fini_relay(f);
    return r.rc;
}

void config_fini_relay(struct relay_file *f)
{
    key_free_texts(relay_keys, f);
    fini_common(&f->common);
    for (uint32_t i = 0; i < f->controllers; i++)
        free(f->controller[i]);
    *f = (struct relay_file){ 0 };
}

/* ---- controllers ---- */

static void read_flows(struct reader *r, struct controller_file *f, const struct yaml_node *map)
{
    struct section s = section_open(r, map, &(struct section){ .name = "flows", .own = flows_keys });

    if (!map)
        return;
    section_read(&s, flows_keys, f);
    section_texts(&s, "from", CONFIG_FLOWS_FROM_MAX, "addresses", f->flows_from, &f->flows_senders);
    if (!r->rc && !f->flows_senders && strncmp(f->flows, "127.", 4) != 0 && strncmp(f->flows, "[::1]:", 6) != 0)
        reader_refuse(r, section_place(&s, "listen"), "listen: where others can send, 'from' must say who may");
}

static void read_endpoints(struct reader *r, const struct section *s, struct lease_config *e)
{
    for (const struct yaml_node *n = section_list(s, "endpoints", LEASE_ENDPOINTS_MAX); n && !r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR || (strncmp(n->text, "http://", 7) != 0 && strncmp(n->text, "https://", 8) != 0))
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
    const char          *cell;
    char                 key[256];

    if (!map)
        return;
    read_endpoints(r, &s, e);
    cell = section_text(&s, "cell");
    snprintf(key, sizeof key, "/anole/%.200s/controller", cell ? cell : "default");
    e->key = xstrdup(key);
    e->who = xstrdup(f->common.name ? f->common.name : "");
    section_need_both(&s, "cert", "key");
    section_read(&s, etcd_keys, e);
}

static void fini_etcd(struct lease_config *e)
{
    for (uint32_t i = 0; i < e->endpoints; i++)
        free(e->endpoint[i]);
    free(e->key);
    free(e->who);
    key_free_texts(etcd_keys, e);
}

static void check_controller(struct reader *r, const struct section *s, const struct controller_config *c)
{
    if (r->rc)
        return;
    if (c->burn_in >= c->block_length)
        reader_refuse(r, section_place(s, "burn_in"), "burn_in: a block of %u intervals has none left", c->block_length);
    if (c->lets_queues && c->mode == MODE_APPROVE)
        reader_refuse(r, section_get(s, "queue_tuners"), "queue_tuners: they decide many times a second, which nobody can approve; mode: auto lets them");
}

static void read_controller(struct reader *r, const struct yaml_node *root, struct controller_file *f)
{
    struct section s = section_open(r, root, &(struct section){ .name = "", .own = controller_keys, .common = common_keys });
    struct controller_config *c = &f->controller;

    controller_config_init(c);
    read_common(r, &s, &f->common, HTTP_PORT_CONTROLLER, &c->interval_us);
    if (f->common.name)
        snprintf(c->name, sizeof c->name, "%s", f->common.name);
    section_read(&s, controller_keys, f);
    section_texts(&s, "operators", CONFIG_OPERATORS_MAX, "names", f->operator, &f->operators);
    if (!r->rc && !section_get(&s, "operators"))
        f->operator[f->operators++] = xstrdup("operator");
    section_texts(&s, "relays", CONFIG_RELAYS_MAX, "names", f->relay, &f->relays);
    config_tuner_read(r, section_get(&s, "tuner"), &f->tuner);
    check_controller(r, &s, c);
    read_flows(r, f, section_get(&s, "flows"));
    read_etcd(r, f, section_get(&s, "etcd"));
    links_read_named(&s, "topology", &f->links);
    jobs_read(r, section_get(&s, "jobs"), &f->jobs);
}

int config_read_controller(struct controller_file *f, const char *path, struct err *err)
{
    struct yaml_doc doc;
    struct reader   r = { .name = text_file_name(path), .what = "a configuration", .err = err };
    int             rc = yaml_read(&doc, path, err);

    *f = (struct controller_file){ 0 };
    if (rc)
        return rc;
    read_controller(&r, doc.root, f);
    yaml_fini(&doc);
    if (r.rc)
        config_fini_controller(f);
    return r.rc;
}

void config_fini_controller(struct controller_file *f)
{
    fini_common(&f->common);
    key_free_texts(controller_keys, f);
    key_free_texts(flows_keys, f);
    for (uint32_t i = 0; i < f->operators; i++)
        free(f->operator[i]);
    for (uint32_t i = 0; i < f->relays; i++)
        free(f->relay[i]);
    for (uint32_t i = 0; i < f->flows_senders; i++)
        free(f->flows_from[i]);
    fini_etcd(&f->etcd);
    config_tuner_fini(&f->tuner);
    links_fini(&f->links);
    jobs_list_fini(&f->jobs);
    *f = (struct controller_file){ 0 };
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
          "Each is a YAML file. Values are written as in [scenario files](scenario.md). `anole agent FILE --check-config` and\n"
          "`anole controller FILE --check-config` check a file. [live.md](live.md) explains how the parts work together.\n", out);
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
