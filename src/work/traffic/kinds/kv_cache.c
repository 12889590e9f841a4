/* src/work/traffic/kinds/kv_cache.c - inference: caches of keys and values between hosts.
 *
 * A host that has computed a prompt sends its cache to a host that generates the answer. These are calls (see
 * rpc_traffic.h) whose requests have the size of a cache: tokens of a prompt x the model's bytes for a token.
 */
#include "work/traffic/kind.h"
#include "work/traffic/kinds/rpc_traffic.h"
#include "work/traffic/kinds/training.h"
#include "work/traffic/read.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define DONE_BYTES  64u          /* the receiver's answer */
#define LONG_PROMPT 10.0         /* longest prompt, relative to the mean */

struct kv_cache { double requests; uint32_t model, prompt, tensor; };

static const struct key_row keys[] = {
    { "model",    KEY_NAME,  "llama_70b", "whose cache it is; see models of training",
      KEY_AT(struct kv_cache, model), .choices = model_names },
    { "tensor",   KEY_COUNT, "8",         "hosts that share a cache: each sends its part by itself",
      KEY_AT(struct kv_cache, tensor), 1, 1024 },
    { "prompt",   KEY_COUNT, "2000",      "mean number of tokens, exponentially distributed",
      KEY_AT(struct kv_cache, prompt), 1, 1e8 },
    { "prompts",  KEY_FILE,  "", "instead: a file of `tokens probability` lines, probabilities rising to 1" },
    { "requests", KEY_REAL,  "1",         "per second and prefill host, at random times",
      KEY_AT(struct kv_cache, requests), 1e-6, 1e9 },
    { "prefill",  KEY_LIST,  "",          "hosts that compute prompts; a count: the first" },
    { "decode",   KEY_LIST,  "",          "hosts that generate answers; a count: the last" },
    { 0 },
};

/* Exponentially distributed lengths, as rows of a table. */
static void draw_prompts(struct cdf *cdf, double mean)
{
    static const double p[] = { 0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95,
                                0.98, 0.99, 0.999 };
    char                text[1000];
    int                 at = 0;

    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%.0f %g\n", mean * log(1 / (1 - p[i])), p[i]);
    snprintf(text + at, sizeof text - (size_t)at, "%.0f 1\n", LONG_PROMPT * mean);
    int rc = cdf_read(cdf, "prompt", text, NULL);
    assert(!rc);                 /* the table is valid */
    (void)rc;
}

static void read_prompts(const struct entry *e, const struct kv_cache *k, struct cdf *cdf)
{
    double     token_bytes = model_cache_bytes(k->model) / k->tensor;
    char      *path = section_get(&e->sec, "prompts") ? section_file(&e->sec, "prompts") : NULL;
    struct err why;

    if (path && cdf_read(cdf, path, NULL, &why))
        section_refuse(&e->sec, "prompts", "%s", why.text);
    else if (!path)
        draw_prompts(cdf, k->prompt);
    free(path);
    cdf_scale(cdf, token_bytes);
    if (!e->r->rc && cdf->bytes[cdf->count - 1] > TRAFFIC_SIZE_MAX)
        section_refuse(&e->sec, section_get(&e->sec, "prompts") ? "prompts" : "prompt",
                       "the longest prompt makes a message of %.3g bytes; %.3g are the most",
                       cdf->bytes[cdf->count - 1], (double)TRAFFIC_SIZE_MAX);
}

static void kv_cache_read(struct entry *e)
{
    struct hosts    prefill = entry_hosts(e, "prefill", 1, UINT32_MAX);
    struct hosts    decode = entry_last_hosts(e, "decode");
    struct rpc      c = { prefill.node, decode.node, prefill.count, decode.count, 0, DONE_BYTES };
    struct kv_cache k = { 0 };
    struct cdf      cdf = { 0 };

    section_need(&e->sec, "prefill");
    section_need(&e->sec, "decode");
    section_read(&e->sec, keys, &k);
    entry_need_end(e);
    for (uint32_t i = 0; i < prefill.count && !e->r->rc; i++)
        if (hosts_have(&decode, prefill.node[i]))
            section_refuse(&e->sec, "decode", "%s computes prompts, too",
                           e->graph->node[prefill.node[i]].name);
    if (!e->r->rc)
        read_prompts(e, &k, &cdf);
    e->about->bps_per_host = c.bps_per_client = k.requests * cdf.bytes_mean * 8;
    e->about->hosts = prefill.count;
    if (!e->r->rc) {
        traffic_add_rpc(e->traffic, &e->common, &cdf, &c);
        e->qps = 1;
        e->loaded = prefill;
    }
    cdf_fini(&cdf);
}

const struct traffic_kind traffic_kv_cache = {
    .name = "kv_cache",
    .about = "inference: caches of keys and values, from hosts that compute prompts to others",
    .keys = keys, .read = kv_cache_read,
};
