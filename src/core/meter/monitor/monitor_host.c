/* src/core/meter/monitor/monitor_host.c - work requests counted at the hosts that post them, like PARALEON's
 * successor.
 *
 * A host knows the size of a message and how much of it has been sent. It keeps a hash table of 1024 requests
 * by flow; a new request replaces the old one. A request counts with min(size, sent rounded up to a multiple
 * of tau), so bytes not yet sent do not count, and is an elephant from tau on. A finished request is counted
 * one last time.
 */
#include "base/err.h"
#include "core/meter/monitor/monitor.h"

#include <stdlib.h>

#define REQUESTS 1024

struct request { struct flow_key key; uint64_t size_bytes, sent_bytes; };

struct host {
    struct request      *request;
    uint32_t             requests;
    struct flowstate_cfg cfg;
};

static struct request *request_of(const struct host *h, const struct flow_key *k)
{
    return &h->request[flow_key_below(flow_key_hash(k, 0xbb67ae8584caa73bull), h->requests)];
}

static void host_on_request(void *state, const struct flow_key *k, uint64_t bytes, uint64_t now_ps)
{
    (void)now_ps;
    *request_of(state, k) = (struct request){ *k, bytes, 0 };
}

static void host_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    struct request *r = request_of(state, k);

    (void)now_ps;
    if (flow_key_equal(&r->key, k))
        r->sent_bytes += bytes < r->size_bytes - r->sent_bytes ? bytes : r->size_bytes - r->sent_bytes;
}

static uint64_t visible_bytes(const struct request *r, uint64_t tau)
{
    uint64_t begun = (r->sent_bytes + tau - 1) / tau * tau;

    return begun < r->size_bytes ? begun : r->size_bytes;
}

static void host_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct host *h = state;

    (void)now_ps;
    *fsd = (struct fsd){ 0 };
    for (uint32_t i = 0; i < h->requests; i++) {
        struct request *r = &h->request[i];
        uint64_t bytes = visible_bytes(r, h->cfg.tau_bytes);

        if (bytes == 0)
            continue;
        flow_count(&h->cfg, bytes, fsd);
        if (r->sent_bytes == r->size_bytes)
            *r = (struct request){ 0 };
    }
}

static void *host_create(const struct monitor_cfg *cfg)
{
    struct host *h = xcalloc(1, sizeof(*h));

    h->requests = cfg->host_requests ? cfg->host_requests : REQUESTS;
    h->request = xcalloc(h->requests, sizeof(*h->request));
    h->cfg = flowstate_configure(cfg->states);
    return h;
}

static void host_destroy(void *state)
{
    struct host *h = state;

    free(h->request);
    free(h);
}

extern const struct monitor_algo monitor_host;
const struct monitor_algo monitor_host = {
    .on_packet  = host_on_packet,
    .on_request = host_on_request,
    .read       = host_read,
    .create     = host_create,
    .destroy    = host_destroy,
    .name       = "host",
    .about      = "work requests counted at the hosts that post them",
    .place      = MONITOR_HOST,
};
