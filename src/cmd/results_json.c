/* src/cmd/results_json.c - everything a run has found as one JSON object. Keys stand in the order in which
 * they are written here; units are in their names. */
#include "cmd/results.h"
#include "base/err.h"
#include "version.h"

#include <jansson.h>
#include <stdlib.h>

#define DIGITS 15                /* of reals: the most that a double gives back as they were */

static void put_count(json_t *object, const char *key, uint64_t n)
{
    json_object_set_new(object, key, json_integer((json_int_t)n));
}

static void put_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_real(value));
}

/* JSON is UTF-8; a file name need not be. */
static json_t *text_json(const char *text)
{
    json_t *made = json_string(text);
    char *ascii;

    if (made)
        return made;
    ascii = xstrdup(text);
    for (char *c = ascii; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    made = json_string(ascii);
    free(ascii);
    return made;
}

static void put_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, text_json(text));
}

static void put_us(json_t *object, const char *key, uint64_t ps)
{
    put_real(object, key, (double)ps / (double)PS_PER_US);
}

/* A JSON number is signed here; a seed may be any 64 bits. */
static void put_seed(json_t *object, uint64_t seed)
{
    char text[24];

    if (seed <= INT64_MAX) {
        put_count(object, "seed", seed);
        return;
    }
    snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
    put_text(object, "seed", text);
}

/* mean, p50, ... of one quantity: null when there are no flows. */
static void put_stats(json_t *object, const char *prefix, const struct fct_stats *s, bool is_empty)
{
    const struct { const char *name; double value; } rows[] = {
        { "mean", s->mean }, { "p50", s->p50 },   { "p95", s->p95 },
        { "p99", s->p99 },   { "p999", s->p999 }, { "max", s->max },
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char key[32];

        snprintf(key, sizeof(key), "%s_%s", prefix, rows[i].name);
        json_object_set_new(object, key, is_empty ? json_null() : json_real(rows[i].value));
    }
}

static void put_cell(json_t *object, const struct fct_cell *c)
{
    struct fct_stats slowdown = fct_slowdown_stats(c), fct_us = fct_us_stats(c);

    put_count(object, "flows", c->count);
    put_count(object, "bytes", c->bytes);
    put_stats(object, "slowdown", &slowdown, c->count == 0);
    put_stats(object, "fct_us", &fct_us, c->count == 0);
}

static json_t *fct_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < FCT_BUCKETS; i++) {
        json_t *row = json_object();

        put_text(row, "size", fct_buckets[i].name);
        put_cell(row, &r->fct->bucket[i]);
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *all_json(const struct results *r)
{
    const struct sim_counters *c = &r->sim->counters;
    json_t *o = json_object();

    put_count(o, "flows_started", c->flows_started);
    put_count(o, "flows_unfinished", r->unfinished);
    put_count(o, "bytes_started", c->bytes_started);
    put_cell(o, &r->fct->all);
    return o;
}

static json_t *traffic_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct scenario_traffic *t = &r->scenario->entry[i];
        json_t *row = json_object();

        put_text(row, "name", t->name);
        put_text(row, "kind", t->kind);
        if (t->load > 0) {
            put_real(row, "load_asked", t->load);
            put_real(row, "load_realised", r->entry[i].load);
        }
        put_count(row, "flows_started", r->entry[i].flows_started);
        put_count(row, "bytes_started", r->entry[i].bytes_started);
        put_cell(row, &r->fct->entry[i]);
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *network_json(const struct results *r)
{
    const struct graph *g = &r->sim->graph;
    json_t *o = json_object();

    put_count(o, "hosts", g->hosts);
    put_count(o, "switches", g->nodes - g->hosts);
    put_count(o, "links", g->links);
    put_us(o, "base_rtt_us", r->sim->base_rtt_ps);
    return o;
}

static json_t *packets_json(const struct results *r)
{
    const struct sim_counters *c = &r->sim->counters;
    json_t *o = json_object();

    put_real(o, "goodput_bps", r->goodput_bps);
    put_count(o, "data_sent", c->data_sent);
    put_count(o, "data_received", c->data_received);
    put_count(o, "payload_bytes_sent", c->payload_sent);
    put_count(o, "payload_bytes_received", c->payload_received);
    put_count(o, "payload_bytes_resent", r->resent_bytes);
    put_count(o, "payload_bytes_dropped", c->payload_dropped);
    put_count(o, "acks_sent", c->acks_sent);
    put_count(o, "nacks_sent", c->nacks_sent);
    put_count(o, "timeouts", c->timeouts);
    put_count(o, "marked", r->marked_packets);
    put_count(o, "cnps_sent", c->cnps_sent);
    put_count(o, "cnps_received", c->cnps_received);
    put_count(o, "dropped_buffer", c->dropped_buffer);
    put_count(o, "dropped_wire", c->dropped_wire);
    put_count(o, "dropped_down", c->dropped_down);
    put_count(o, "dropped_no_route", c->dropped_no_route);
    put_count(o, "hops", r->hops);
    put_count(o, "events", c->events);
    return o;
}

static json_t *pfc_json(const struct results *r)
{
    const struct sim_counters *c = &r->sim->counters;
    json_t *o = json_object(), *worst = json_array();

    put_count(o, "frames_sent", c->pfc_sent);
    put_count(o, "pauses", c->pauses);
    put_count(o, "resumes", c->resumes);
    put_count(o, "paused_ports", r->paused_ports);
    put_us(o, "paused_us", r->paused_ps);
    for (uint32_t i = 0; i < r->paused_count; i++) {
        const struct port *p = &r->sim->port[r->paused[i]];
        char name[PORT_NAME_MAX];
        json_t *row = json_object();

        put_text(row, "port", results_port_name(name, r->sim, p));
        put_us(row, "paused_us", port_paused_ps(p, r->end_ps));
        put_count(row, "pauses", p->counters.pauses);
        json_array_append_new(worst, row);
    }
    json_object_set_new(o, "worst", worst);
    return o;
}

static json_t *queues_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < r->queued_count; i++) {
        const struct port *p = &r->sim->port[r->queued[i]];
        char name[PORT_NAME_MAX];
        json_t *row = json_object();

        put_text(row, "port", results_port_name(name, r->sim, p));
        put_count(row, "queue_bytes_max", p->counters.queue_bytes_max);
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *set_json(const struct results *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->sets; i++)
        json_array_append_new(list, text_json(r->set[i]));
    return list;
}

static json_t *results_json(const struct results *r)
{
    const struct sim_cfg *cfg = &r->sim->cfg;
    json_t *o = json_object();

    put_text(o, "version", ANOLE_VERSION);
    put_text(o, "scenario", r->scenario->path);
    json_object_set_new(o, "set", set_json(r));
    put_seed(o, cfg->seed);
    put_text(o, "model", cfg->model == MODEL_HPCC ? "hpcc" : "nic");
    put_text(o, "cc", cfg->cc->name);
    put_text(o, "lb", cfg->lb->name);
    put_us(o, "simulated_us", r->end_ps);
    json_object_set_new(o, "network", network_json(r));
    json_object_set_new(o, "all", all_json(r));
    json_object_set_new(o, "sizes", fct_json(r));
    json_object_set_new(o, "traffic", traffic_json(r));
    json_object_set_new(o, "packets", packets_json(r));
    json_object_set_new(o, "pfc", pfc_json(r));
    json_object_set_new(o, "queues", queues_json(r));
    return o;
}

static json_t *wall_json(const struct results *r)
{
    json_t *o = json_object();

    put_real(o, "seconds", r->wall_s);
    if (r->wall_s > 0) {
        put_real(o, "hops_per_second", (double)r->hops / r->wall_s);
        put_real(o, "events_per_second", (double)r->sim->counters.events / r->wall_s);
    }
    return o;
}

void results_print_json(const struct results *r, FILE *out, bool with_wall)
{
    json_t *o = results_json(r);

    if (with_wall)
        json_object_set_new(o, "wall", wall_json(r));
    json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
    fputc('\n', out);
    json_decref(o);
}
