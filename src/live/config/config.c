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

static const struct section_key common_keys[] = {
    { "name", "name", "", "what it is called; agents: the name in its certificate. Default: the name of the machine" },
    { "state", "file", "", "folder for what must not be forgotten, and the audit log" },
    { "tls", "map", "", "ca, cert, key: files, and refresh. Without it only this machine can be reached" },
    { "interval", "time", "", "between reports; default 100ms, of switches 1s" },
    { "http", "map", "", "listen, token, cert, key, hosts: metrics and what there is to see. Without it: no HTTP" },
    { NULL, NULL, NULL, NULL },
};

static const struct section_key agent_keys[] = {
    { "controller", "name", "", "address, host:port, or a list: controllers of one cell, of which one answers" },
    { "relays", "list", "", "addresses of relays that are tried before the controllers themselves" },
    { "driver", "name", "", "mlx5, sonic" },
    { "devices", "list", "", "which of them; default: all" },
    { "root", "file", "/", "where sys is: another one to try it on a tree of files" },
    { "freeze_file", "file", "/run/anole/freeze", "while this file is there nothing is written" },
    { "write", "yes/no", "no", "no: it observes only" },
    { "lease", "time", "", "what is not confirmed goes back this long after the last word of the controller; 3s, switches 30s" },
    { "gap", "time", "", "least time between changes; 1s, switches 5s" },
    { "switches_per_day", "count", "", "changes that are tried; 2000, switches 200" },
    { "lasting_per_day", "count", "20", "changes that stay" },
    { "limits", "map", "", "knob: {min, max}: narrower than the table of knobs; 'no' forbids it" },
    { "tuner", "name", "", "acc: it sets the queues of switches one by one, if the controller lets it; default: none" },
    { "queue_changes_per_second", "count", "", "of such a tuner, all queues of a device together; 20, of simulated ones any" },
    { "queue_hold", "time", "600s", "after a guardrail, or when somebody has set queues back, such a tuner leaves them alone for so long" },
    { "paused_max", "share", "0.05", "guardrail: share of the time paused, two intervals in a row" },
    { NULL, NULL, NULL, NULL },
};

static const struct section_key controller_keys[] = {
    { "listen", "name", "", "address, host:port" },
    { "id", "count", "1", "another one for each controller of a fabric" },
    { "mode", "name", "observe", "observe, approve, auto; direct: what the tuner says goes to all devices at once, without trials" },
    { "dispatch_delay", "time", "0", "direct: from a decision until it is in force everywhere" },
    { "monitor_delay", "time", "0", "lock step: the tuner is shown reports so much later" },
    { "collect", "name", "always", "always: agents report all that they know; tuning: flow sizes and how well they do, but for when a tuner searches" },
    { "seed", "count", "0", "of coins and of the tuner" },
    { "gather", "time", "3s", "it listens for so long before it acts" },
    { "operators", "list", "", "names in certificates of who may ask and decide; default: operator" },
    { "relays", "list", "", "names in certificates of relays, which may speak for the devices of others" },
    { "devices_max", "count", "1024", "room for so many" },
    { "tuner", "name", "", "as in a scenario; default: none" },
    { "queue_tuners", "yes/no", "no", "modes auto, direct: agents of switches with a tuner of their own may set queues by it" },
    { "flows", "map", "", "listen, from, window: sFlow, NetFlow 9 and IPFIX of switches, for tuners that want flow sizes" },
    { "fabric", "file", "", "a scenario that says what the network is built of, for tuners that try settings on a twin; its traffic does not count" },
    { "think", "time", "60s", "CPU time that such a search may take, beside all else" },
    { "topology", "file", "", "which port is joined to which: a file of links, for the page" },
    { "jobs", "map", "", "NAME: [DEVICE, ...]: names or patterns of the NICs of a job, for the page" },
    { "etcd", "map", "", "endpoints, cell, ttl, ca, cert, key: several controllers of a cell; who has the lease there acts" },
    { "stale", "count", "3", "reports older than so many intervals are not believed" },
    { "block", "count", "10", "intervals of a block" },
    { "burn_in", "count", "3", "of these, not counted" },
    { "noise_pairs", "count", "30", "pairs of blocks that measure the noise before the first trial" },
    { "stage_pairs", "count", "13", "pairs without harm that end a canary stage" },
    { "halves_max", "count", "2000", "intervals after which two halves do not differ" },
    { "soak", "count", "20", "intervals that everybody has a change before it is confirmed" },
    { "accept", "count", "100", "e-value at which a gain is believed" },
    { "reject", "count", "20", "e-value at which harm is believed" },
    { "hold_back", "share", "0.05", "of the devices" },
    { NULL, NULL, NULL, NULL },
};

static const struct section_key relay_keys[] = {
    { "name", "name", "", "the name in its certificate; default: the name of the machine" },
    { "tls", "map", "", "ca, cert, key: files, and refresh. Without it only this machine can be reached" },
    { "interval", "time", "100ms", "between what it sends" },
    { "listen", "name", "", "address, host:port, at which agents reach it" },
    { "controller", "name", "", "address, host:port, or a list: controllers of one cell, of which one answers" },
    { "silence", "time", "2s", "after which agents are sent away if the controller says nothing" },
    { "http", "map", "", "listen, token, cert, key, hosts: metrics. Without it: no HTTP" },
    { NULL, NULL, NULL, NULL },
};

static const struct section_key tls_keys[] = {
    { "ca", "file", "", "certificate of the authority" }, { "cert", "file", "", "own certificate" },
    { "key", "file", "", "own key" },
    { "refresh", "time", "60s", "how often the three are read again" }, { NULL, NULL, NULL, NULL },
};

static const struct section_key etcd_keys[] = {
    { "endpoints", "list", "", "http://host:port or https://host:port; required" },
    { "cell", "name", "default", "which part of the fabric" },
    { "ttl", "time", "10s", "whoever holds the lease and is not heard for so long has lost it" },
    { "ca", "file", "", "certificate of etcd's authority" },
    { "cert", "file", "", "own certificate" },
    { "key", "file", "", "own key" },
    { NULL, NULL, NULL, NULL },
};

static const struct section_key flows_keys[] = {
    { "listen", "name", "", "IP address and port: 0.0.0.0:6343" },
    { "from", "list", "", "IP addresses of who may tell; required unless it listens at 127.0.0.1" },
    { "window", "time", "1s", "flows are looked at so often" },
    { NULL, NULL, NULL, NULL },
};

static const struct section_key limit_keys[] = {
    { "min", "name", "", "least" }, { "max", "name", "", "most" }, { NULL, NULL, NULL, NULL },
};

/* ---- what both have ---- */

static char *need_text(const struct section *s, const char *key)
{
    const struct yaml_node *node = section_need(s, key);
    const char             *text = node ? section_text(s, key) : NULL;

    return text ? xstrdup(text) : NULL;
}

static uint64_t time_us(const struct section *s, const char *key, uint64_t initial_us, uint64_t least_us)
{
    uint64_t ps = initial_us * PS_PER_US;

    section_time(s, key, &ps);
    if (!s->r->rc && ps / PS_PER_US < least_us)
        reader_refuse(s->r, section_place(s, key), "%s: it is too short", key);
    return ps / PS_PER_US;
}

static void read_tls(struct reader *r, struct config_common *c, const struct yaml_node *map)
{
    struct section sec = section_open(r, map, &(struct section){ .name = "tls", .own = tls_keys });

    if (!map)
        return;
    c->refresh_s = (uint32_t)(time_us(&sec, "refresh", 60000000, 1000000) / 1000000);
    if (section_need(&sec, "ca") && section_need(&sec, "cert") && section_need(&sec, "key")) {
        c->ca = section_file(&sec, "ca");
        c->cert = section_file(&sec, "cert");
        c->key = section_file(&sec, "key");
    }
}

static void read_name(struct reader *r, const struct section *s, struct config_common *c, uint64_t *interval_us)
{
    const char *name = section_text(s, "name");
    char        machine[MSG_NAME_SIZE] = "";

    gethostname(machine, sizeof machine - 1);
    c->file = xstrdup(r->name);
    c->name = xstrdup(name ? name : machine);
    if (strlen(c->name) >= MSG_NAME_SIZE / 2 || !*c->name)
        reader_refuse(r, section_place(s, "name"), "name: it must have 1 to %d characters", MSG_NAME_SIZE / 2 - 1);
    read_tls(r, c, section_get(s, "tls"));
    *interval_us = time_us(s, "interval", *interval_us, 1000);
}

static void read_common(struct reader *r, const struct section *s, struct config_common *c, uint32_t http_port, uint64_t *interval_us)
{
    read_name(r, s, c, interval_us);
    if (section_need(s, "state"))
        c->state = section_file(s, "state");
    http_config_read(r, section_get(s, "http"), http_port, &c->http);
}

struct rpc_tls config_tls(const struct config_common *c)
{
    return (struct rpc_tls){ c->ca, c->cert, c->key, c->refresh_s };
}

static void fini_common(struct config_common *c)
{
    free(c->file);
    free(c->name);
    free(c->state);
    free(c->ca);
    free(c->cert);
    free(c->key);
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
        reader_refuse_key(r, node, "'%.60s' is not a knob%s", node->key, reader_near(near, sizeof near, node->key, knob_names));
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
    for (const struct yaml_node *n = section_list(s, "controller", CONFIG_CONTROLLERS_MAX); n && !r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR)
            reader_refuse(r, n, "controller: an address is wanted, or a list of addresses");
        else
            address[(*count)++] = xstrdup(n->text);
    }
    if (!r->rc && *count == before)
        reader_refuse(r, node, "controller: an address is wanted, or a list of addresses");
}

static void read_ways(struct reader *r, const struct section *s, struct agent_file *f)
{
    for (const struct yaml_node *n = section_list(s, "relays", CONFIG_WAYS_MAX - CONFIG_CONTROLLERS_MAX); n && !r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR)
            reader_refuse(r, n, "relays is a list of addresses");
        else
            f->way[f->ways++] = xstrdup(n->text);
    }
    f->relays = f->ways;
    read_controllers(r, s, f->way, &f->ways);
}

/* A path that need not be there, relative to the folder of the file. */
static char *path_text(const struct reader *r, const struct section *s, const char *key)
{
    const char *text = section_text(s, key);

    return text ? reader_path(r->name, text) : NULL;
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
    f->root = path_text(r, &s, "root");
    f->freeze = path_text(r, &s, "freeze_file");
    read_devices(r, &s, f);
    section_bool(&s, "write", &a->may_write);
    a->lease_us = time_us(&s, "lease", a->lease_us, 10 * a->interval_us);
    a->gap_us = time_us(&s, "gap", a->gap_us, 0);
    section_count(&s, "switches_per_day", 0, 1000000, &a->switches_per_day);
    section_count(&s, "lasting_per_day", 0, 1000000, &a->lasting_per_day);
    section_real(&s, "paused_max", 0, 1, &a->guard.paused_max);
    config_tuner_read(r, section_get(&s, "tuner"), &f->tuner);
    section_count(&s, "queue_changes_per_second", 1, 1000000, &f->queue_changes);
    f->queue_hold_us = time_us(&s, "queue_hold", 600000000, 0);
    if (!r->rc && f->tuner.kind && !f->driver->queues)
        reader_refuse(r, section_get(&s, "tuner"), "tuner: a device of driver %s has no queues that could be set", f->driver->name);
    if (!r->rc && f->tuner.kind) {
        struct loop_request q = config_tuner_request(&f->tuner, f->common.file);

        r->rc = queue_tuner_check(&q, r->err);
    }
    read_limits(r, section_get(&s, "limits"), &a->limits);
}

int config_find_driver(const struct driver **out, const char *name, struct err *err)
{
    const char *names[16] = { NULL };
    char        near[120];

    for (int i = 0; driver_all[i] && i < 15; i++)
        names[i] = driver_all[i]->name;
    *out = driver_find(name);
    return *out ? 0 : err_set(err, EINVAL, "'%.40s' is not a driver%s", name, reader_names(near, sizeof near, name, names));
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
    free(f->root);
    free(f->freeze);
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

    *f = (struct relay_file){ .interval_us = 100000 };
    if (rc)
        return rc;
    s = section_open(&r, doc.root, &(struct section){ .name = "", .own = relay_keys });
    read_name(&r, &s, &f->common, &f->interval_us);
    f->listen = need_text(&s, "listen");
    read_controllers(&r, &s, f->controller, &f->controllers);
    f->silence_us = time_us(&s, "silence", 2000000, 2 * f->interval_us);
    http_config_read(&r, section_get(&s, "http"), RELAY_HTTP_PORT, &f->common.http);
    yaml_fini(&doc);
    if (r.rc)
        config_fini_relay(f);
    return r.rc;
}

void config_fini_relay(struct relay_file *f)
{
    fini_common(&f->common);
    free(f->listen);
    for (uint32_t i = 0; i < f->controllers; i++)
        free(f->controller[i]);
    *f = (struct relay_file){ 0 };
}

/* ---- controllers ---- */

static void read_operators(struct reader *r, const struct section *s, struct controller_file *f)
{
    for (const struct yaml_node *n = section_list(s, "operators", CONFIG_OPERATORS_MAX); n && !r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR)
            reader_refuse(r, n, "operators is a list of names");
        else
            f->operator[f->operators++] = xstrdup(n->text);
    }
    if (!r->rc && !section_get(s, "operators"))
        f->operator[f->operators++] = xstrdup("operator");
}

static void read_relays(struct reader *r, const struct section *s, struct controller_file *f)
{
    for (const struct yaml_node *n = section_list(s, "relays", CONFIG_RELAYS_MAX); n && !r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR)
            reader_refuse(r, n, "relays is a list of names");
        else
            f->relay[f->relays++] = xstrdup(n->text);
    }
}

static void read_flows(struct reader *r, struct controller_file *f, const struct yaml_node *map)
{
    struct section s = section_open(r, map, &(struct section){ .name = "flows", .own = flows_keys });

    if (!map)
        return;
    f->flows = need_text(&s, "listen");
    f->flows_window_us = time_us(&s, "window", 1000000, 1000);
    for (const struct yaml_node *n = section_list(&s, "from", CONFIG_FLOWS_FROM_MAX); n && !r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR)
            reader_refuse(r, n, "from is a list of addresses");
        else
            f->flows_from[f->flows_senders++] = xstrdup(n->text);
    }
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
    e->ttl_s = time_us(&s, "ttl", 10000000, 2000000) / 1000000;
    if (section_get(&s, "ca"))
        e->ca = section_file(&s, "ca");
    if ((section_get(&s, "cert") || section_get(&s, "key")) && section_need(&s, "cert") && section_need(&s, "key")) {
        e->cert = section_file(&s, "cert");
        e->cert_key = section_file(&s, "key");
    }
}

static void fini_etcd(struct lease_config *e)
{
    for (uint32_t i = 0; i < e->endpoints; i++)
        free(e->endpoint[i]);
    free(e->key);
    free(e->who);
    free(e->ca);
    free(e->cert);
    free(e->cert_key);
}

static void read_evidence(struct reader *r, const struct section *s, struct controller_config *c)
{
    uint32_t accept = 0, reject = 0;

    section_count(s, "stale", 1, 1000, &c->stale_intervals);
    section_count(s, "block", 2, 100000, &c->block_length);
    section_count(s, "burn_in", 0, 100000, &c->burn_in);
    section_count(s, "noise_pairs", 3, 100000, &c->aa_pairs);
    section_count(s, "stage_pairs", 1, 100000, &c->stage_pairs);
    section_count(s, "halves_max", 1, 10000000, &c->halves_intervals_max);
    section_count(s, "soak", 0, 1000000, &c->soak_intervals);
    section_count(s, "accept", 1, 1000000000, &accept);
    section_count(s, "reject", 1, 1000000000, &reject);
    section_real(s, "hold_back", 0, 0.9, &c->hold_back);
    c->accept_e = accept;
    c->reject_e = reject;
    if (!r->rc && c->burn_in >= c->block_length)
        reader_refuse(r, section_place(s, "burn_in"), "burn_in: a block of %u intervals has none left", c->block_length);
}

static void read_controller(struct reader *r, const struct yaml_node *root, struct controller_file *f)
{
    static const char *const modes[] = { "observe", "approve", "auto", "direct", NULL };
    static const char *const collections[] = { "always", "tuning", NULL };
    struct section s = section_open(r, root, &(struct section){ .name = "", .own = controller_keys, .common = common_keys });
    struct controller_config *c = &f->controller;
    uint32_t                  seed = 0;
    int                       mode;

    controller_config_init(c);
    read_common(r, &s, &f->common, HTTP_PORT_CONTROLLER, &c->interval_us);
    if (f->common.name)
        snprintf(c->name, sizeof c->name, "%s", f->common.name);
    f->listen = need_text(&s, "listen");
    section_count(&s, "id", 0, 65535, &c->id);
    section_count(&s, "seed", 0, UINT32_MAX, &seed);
    c->seed = seed;
    c->dispatch_us = time_us(&s, "dispatch_delay", 0, 0);
    f->monitor_delay_us = time_us(&s, "monitor_delay", 0, 0);
    c->gather_us = time_us(&s, "gather", c->gather_us, 1000);
    section_count(&s, "devices_max", 1, 1000000, &f->devices_max);
    mode = section_choice(&s, "mode", "a mode", modes);
    c->mode = mode > 0 ? (enum controller_mode)mode : MODE_OBSERVE;
    f->is_brief = section_choice(&s, "collect", "a way to collect", collections) == 1;
    read_operators(r, &s, f);
    read_relays(r, &s, f);
    read_evidence(r, &s, c);
    config_tuner_read(r, section_get(&s, "tuner"), &f->tuner);
    section_bool(&s, "queue_tuners", &c->lets_queues);
    if (!r->rc && c->lets_queues && c->mode == MODE_APPROVE)
        reader_refuse(r, section_get(&s, "queue_tuners"), "queue_tuners: they decide many times a second, which nobody can approve; mode: auto lets them");
    read_flows(r, f, section_get(&s, "flows"));
    read_etcd(r, f, section_get(&s, "etcd"));
    f->fabric = section_get(&s, "fabric") ? section_file(&s, "fabric") : NULL;
    f->think_us = time_us(&s, "think", 60000000, 1000000);
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
    free(f->listen);
    for (uint32_t i = 0; i < f->operators; i++)
        free(f->operator[i]);
    for (uint32_t i = 0; i < f->relays; i++)
        free(f->relay[i]);
    for (uint32_t i = 0; i < f->flows_senders; i++)
        free(f->flows_from[i]);
    free(f->flows);
    free(f->fabric);
    fini_etcd(&f->etcd);
    config_tuner_fini(&f->tuner);
    links_fini(&f->links);
    jobs_list_fini(&f->jobs);
    *f = (struct controller_file){ 0 };
}
