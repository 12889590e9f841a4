#include "live/daemon/run.h"
#include "live/core/live_clock.h"
#include "live/tuner/live_tuner.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool are_same(char *const *a, char *const *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_same(a[i], b[i]))
            return false;
    return true;
}

/* ---- what cannot change ---- */

static const char *fixed_common(const struct config_common *new, const struct config_common *old)
{
    const struct rpc_tls *n = &new->tls, *o = &old->tls;

    return !is_same(new->name, old->name) ? "name" : !is_same(new->state, old->state) ? "state" :
           !is_same(n->ca, o->ca) || !is_same(n->cert, o->cert) || !is_same(n->key, o->key) ? "tls" : NULL;
}

static const char *fixed_agent(const struct agent_file *new, const struct agent_file *old)
{
    return new->relays != old->relays || !are_same(new->way, old->way, new->relays) ? "relays" :
           new->ways != old->ways || !are_same(new->way, old->way, new->ways) ? "controller" :
           new->driver->find != old->driver->find ? "driver" :
           new->own_driver && memcmp(new->own_driver->arg, old->own_driver->arg, new->driver->settings_size) ?
           new->driver->name :
           !is_same(new->root, old->root) ? "root" :
           new->devices != old->devices || memcmp(new->device, old->device,
                                                  sizeof new->device) != 0 ? "devices" :
           !config_tuner_is_same(&new->tuner, &old->tuner) || new->queue_changes != old->queue_changes ||
           new->queue_hold_us != old->queue_hold_us ? "tuner" :
           new->agent.interval_us != old->agent.interval_us ? "interval" : NULL;
}

static const char *fixed_relay(const struct relay_file *new, const struct relay_file *old)
{
    return new->controllers != old->controllers ||
           !are_same(new->controller, old->controller, new->controllers) ? "controller" :
           !is_same(new->listen, old->listen) ? "listen" : NULL;
}

static const char *fixed_controller(const struct controller_file *new, const struct controller_file *old)
{
    return !is_same(new->listen, old->listen) ? "listen" :
           new->devices_max != old->devices_max ? "devices_max" : !is_same(new->flows, old->flows) ? "flows" :
           new->etcd.endpoints != old->etcd.endpoints || !is_same(new->etcd.key, old->etcd.key) ? "etcd" :
           new->controller.id != old->controller.id ? "id" :
           new->controller.interval_us != old->controller.interval_us ? "interval" : NULL;
}

/* ---- reading ---- */

static const char *fixed_key(const struct config_kind *kind, const void *new, const void *old)
{
    const char *key = fixed_common(new, old);

    return key ? key : kind == &config_agent ? fixed_agent(new, old) :
           kind == &config_relay ? fixed_relay(new, old) : fixed_controller(new, old);
}

void *reload_file(const struct config_kind *kind, const void *old)
{
    const struct driver *driver = kind == &config_agent ? ((const struct agent_file *)old)->driver : NULL;
    const char *path = ((const struct config_common *)old)->file, *key = NULL;
    void       *new = xcalloc(1, kind->bytes);
    struct err  err;
    int         rc = config_read(kind, new, path, driver, &err);

    if (!rc && !(key = fixed_key(kind, new, old)) && kind == &config_controller)
        rc = live_tuner_check(new, &err);
    if (!rc && !key)
        return new;
    if (key)
        clock_log("%s: '%s' cannot change while it runs: restart it; everything stays as it was", path, key);
    else
        clock_log("%s; everything stays as it was", err.text);
    reload_free(kind, new);
    return NULL;
}

void reload_free(const struct config_kind *kind, void *file)
{
    if (file)
        config_fini(kind, file);
    free(file);
}

bool reload_has_http(const struct http_config *new, const struct http_config *old)
{
    return new->is_on != old->is_on || !is_same(new->listen, old->listen) || new->hosts != old->hosts ||
           !are_same(new->host, old->host, new->hosts) ||
           /* files may have changed, and client_ca needs cert */
           new->token || old->token || new->cert || old->cert;
}
