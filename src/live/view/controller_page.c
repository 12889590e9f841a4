#include "live/view/controller_page.h"
#include "base/io/clock.h"
#include "base/print/form.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "live/controller/controller.h"
#include "live/core/knobset.h"
#include "live/view/state_json.h"
#include "version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DUMP (JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS))
#define STEP_MS 10000u           /* of the last hour */
#define EVENTS_AT_ONCE 64        /* records in one piece of text */

static uint64_t wall_us(const struct page *p)
{
    struct timespec t;

    (void)p;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Drops cached answers. */
static void forget(struct page *p)
{
    free(p->state);
    free(p->overview);
    p->state = p->overview = NULL;
}

/* ---- answers ---- */

static char *dump(json_t *o)
{
    char *text = json_dumps(o, DUMP);

    json_decref(o);
    return text ? text : xstrdup("{}");
}

bool page_disk_is_bad(const struct page *p)
{
    return p->controller->is_dirty || (p->counts.audit && p->counts.audit->lost);
}

static char *trouble(void *arg)
{
    const struct page *p = arg;

    return p->controller->role == ROLE_DEPOSED ? xstrdup("another controller has taken over\n") :
           page_disk_is_bad(p) ? xstrdup("the disk cannot be written\n") : NULL;
}

/* ---- flows ---- */

static void add_flow_metrics(struct prom *m, const struct collector *f)
{
    const struct collector_counts *n = &f->counts;

    prom_one(m, "anole_flows_datagrams_total", "counter", "Datagrams of switches about flows.",
             (double)n->datagrams);
    prom_family(m, "anole_flows_refused_total", "counter",
                "Of these or of what is in them, what was not used, by why.");
    prom_value(m, (double)n->strangers, "why", "stranger", NULL);
    prom_value(m, (double)n->bad, "why", "unreadable", NULL);
    prom_value(m, (double)n->unknown, "why", "no template", NULL);
    prom_value(m, (double)n->other, "why", "not RoCEv2", NULL);
    prom_value(m, (double)n->full, "why", "no room", NULL);
    prom_one(m, "anole_flows_records_total", "counter", "Flows or packets in the records of exporters.",
             (double)n->records);
    prom_one(m, "anole_flows_known", "gauge", "Flows that are known now.", f->used);
    prom_one(m, "anole_flows_elephant_ratio", "gauge", "Share of elephants among flows of the last window.",
             fsd_elephant_share(&f->last));
}

static json_t *sizes_json(const struct fsd *f)
{
    json_t *bins = json_array();

    for (int i = 0; i < FSD_BINS; i++)
        json_array_append_new(bins, json_integer((json_int_t)f->bin[i]));
    return JSON_OF({ "elephants", json_of_number((double)f->elephants / FSD_ONE) },
                   { "mice", json_of_number((double)f->mice / FSD_ONE) }, { "bins", bins });
}

/* Flow sizes from switches or, if none exports them, from devices. NULL: none. */
static json_t *flows_json(const struct page *p)
{
    const struct controller *c = p->controller;
    struct fsd               sum = { 0 };
    bool                     has = false;

    if (p->flows) {
        json_t *o = sizes_json(&p->flows->last);

        JSON_PUT(o, { "known", json_of_count(p->flows->used) },
                 { "datagrams", json_of_count(p->flows->counts.datagrams) },
                 { "refused", json_of_count(p->flows->counts.strangers + p->flows->counts.bad) });
        return o;
    }
    for (uint32_t i = 0; i < c->peers; i++)
        if (c->peer[i].has_detail) {
            fsd_add(&sum, &c->peer[i].detail->fsd);
            has = true;
        }
    return has ? sizes_json(&sum) : NULL;
}

/* ---- GET ---- */

static void add_metrics(void *arg, struct prom *m)
{
    const struct page *p = arg;

    controller_metrics(m, p->controller, &p->counts, clock_us());
    prom_one(m, "anole_controller_disk_unwritable", "gauge",
             "1: its state or its audit log could not be written.", page_disk_is_bad(p));
    upkeep_metrics(m, &p->upkeep);
    if (p->flows)
        add_flow_metrics(m, p->flows);
    prom_one(m, "anole_controller_standby", "gauge", "1: another controller of the cell has the lease.",
             *p->standby != '\0');
    past_metrics(m, &p->timeline);
}

static char *whole(const struct page *p, json_t *o)
{
    JSON_PUT(o, { "standby", json_of_text(p->standby) }, { "flows", flows_json(p) });
    return dump(o);
}

static json_t *state_of(struct page *p, bool has_devices)
{
    return state_json(p->controller, &p->ledger, &p->timeline, has_devices, clock_us(), wall_us(p));
}

/* The data of the page; its size does not grow with the number of devices. */
static const char *overview_text(struct page *p)
{
    if (p->overview)
        return p->overview;
    json_t *tuner = p->tuner ? p->tuner(p->arg) : NULL;
    json_t *o = state_of(p, false);
    char    next[900];

    JSON_PUT(o, { "cells", cells_json(&p->cells, p->controller) },
             { "agreement", state_json_agreement(p->controller) },
             { "has_history", json_boolean(p->past) },
             { "refused", process_refused_json(p->counts.peers) },
             { "disk_is_bad", json_boolean(page_disk_is_bad(p)) },
             { "inventory", upkeep_inventory_json(&p->upkeep) },
             { "certificates", upkeep_certificates_json(&p->upkeep) },
             { "links", loads_json(&p->loads, p->controller) },
             { "jobs", jobs_json(&p->jobs, p->controller) }, { "tuner", tuner },
             { "next", json_of_text(state_json_next(next, sizeof next, p->controller, tuner,
                                                    clock_us())) });
    p->overview = whole(p, o);
    return p->overview;
}

static void answer_error(struct server_reply *r, unsigned status, const char *why)
{
    r->status = status;
    r->text = dump(JSON_OF({ "error", json_of_text(why) }));
}

static void answer_devices(struct page *p, const char *from, struct server_reply *r)
{
    struct err err;
    uint64_t   first;

    if (text_to_uint(from, &first, &err) || first > UINT32_MAX)
        answer_error(r, 404, "/api/devices/N has devices from number N on");
    else
        r->text = dump(cells_page(&p->cells, p->controller, (uint32_t)first, clock_us()));
}

/* The last hour is in memory; a thread asks Prometheus for more, and until it has an answer, the client must
 * ask again. */
static void answer_history(struct page *p, const char *when, struct server_reply *r)
{
    uint64_t     span_ms, until_ms, now_ms = wall_us(p) / 1000;
    bool         is_one = past_read_span(when, &span_ms, &until_ms);
    struct past *hour = is_one && span_ms <= PAST_HOUR_MS && (!until_ms || !p->past) ?
                        past_new(span_ms, until_ms ? until_ms : now_ms, STEP_MS) : NULL;
    json_t      *o = NULL;
    int          rc = 0;

    if (!is_one)
        answer_error(r, 404, "/api/history/SPAN or /api/history/SPAN/UNTIL_MS; spans are 15m, 1h, 6h, 24h, "
                     "7d, 30d, 90d, 365d");
    else if (hour) {
        past_take_timeline(hour, &p->timeline);
        o = past_json(hour, "memory");
    } else if (!p->past)
        answer_error(r, 404, "this controller knows the last hour; a Prometheus may know more: key "
                     "'prometheus'");
    else if (!(o = past_ask(p->past, span_ms, until_ms, now_ms, &rc))) {
        r->status = 202;
        r->text = xstrdup("{\"wait\":true}\n");
    }
    if (o) {
        JSON_PUT(o, { "decisions", rc ? NULL : ledger_decisions(&p->ledger) });
        r->status = rc ? 502 : r->status;
        r->text = dump(o);
    }
    past_free(hour);
}

/* What the page needs to know of knobs: their units, and a sentence about each. */
static json_t *form_json(void)
{
    json_t *units = json_object(), *help = json_object();

    for (int k = 0; k < KNOB_COUNT; k++) {
        json_put_text(units, knob_info[k].name, knob_unit_name(knob_info[k].unit));
        json_put_text(help, knob_info[k].name, knob_info[k].about);
    }
    return json_pack("{s:s, s:s, s:s, s:[], s:o, s:o}", "kind", "live", "version", ANOLE_VERSION, "title",
                     "controller", "runs", "units", units, "help", help);
}

/* The page polls /api/overview and listens to /api/events: web/src/live/. */
static char *html_text(void)
{
    char *text, *json = dump(form_json());
    FILE *out = text_stream(&text);

    form_print(json,
               "<main><p>This page follows a controller and needs JavaScript. Without it: "
               "<code>anole ctl status</code>, or "
               "<a href=\"/metrics\">/metrics</a>.</p></main>", out);
    fclose(out);
    free(json);
    return text;
}

/* What the client that asks may do: the page hides other buttons. */
static void answer_right(const struct server_request *q, struct server_reply *r)
{
    static const char *const rights[GATE_RIGHTS] = { "", "view", "approve", "operate" };

    r->text = dump(JSON_OF({ "right", json_of_text(rights[q->right]) }));
}

static void answer_get(struct page *p, const char *path, struct server_reply *r)
{
    if (strcmp(path, "/api/state") == 0) {
        if (!p->state)
            p->state = whole(p, state_of(p, true));
        r->text = xstrdup(p->state);
    } else if (strcmp(path, "/api/overview") == 0)
        r->text = xstrdup(overview_text(p));
    else if (strncmp(path, "/api/devices/", 13) == 0)
        answer_devices(p, path + 13, r);
    else if (strncmp(path, "/api/history/", 13) == 0)
        answer_history(p, path + 13, r);
    else if (strcmp(path, "/") == 0) {
        r->type = "text/html; charset=utf-8";
        r->text = html_text();
    } else
        answer_error(r, 404, "there is nothing at this address");
}

/* ---- orders ---- */

/* Text that can be shown and logged: no control characters. */
static int take_text(char *out, size_t size, const char *key, const json_t *value, struct err *err)
{
    const char *text = json_string_value(value);

    if (!text || strlen(text) >= size)
        return err_set(err, EINVAL, "%s: a text of at most %zu characters is wanted", key, size - 1);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return err_set(err, EINVAL, "%s: it has control characters", key);
    snprintf(out, size, "%s", text);
    return 0;
}

static int take_key(struct question *q, const struct words_verb *verb, const char *key, const json_t *value,
                    struct err *err)
{
    if (strcmp(key, "why") == 0)
        return take_text(q->why, sizeof q->why, key, value, err);
    if (strcmp(key, "device") == 0 && verb->takes_device)
        return take_text(q->device, sizeof q->device, key, value, err);
    if (strcmp(key, "code") == 0 && verb->takes_trial)
        return take_text(q->code, sizeof q->code, key, value, err);
    if (strcmp(key, "number") != 0 || !verb->takes_trial)
        return err_set(err, EINVAL, "'%.40s' is not a key of %s", key, q->verb);
    if (!json_is_integer(value) || json_integer_value(value) <= 0)
        return err_set(err, EINVAL, "number: that of the trial is wanted");
    q->number = (uint64_t)json_integer_value(value);
    return 0;
}

int page_read_order(struct question *out, const char *path, const char *body, size_t length, struct err *err)
{
    const struct words_verb *verb = strncmp(path, "/api/", 5) == 0 ? words_verb_of(path + 5) : NULL;
    struct question          q = { .version = MSG_VERSION };
    const char              *key;
    json_t                  *o, *value;
    int                      rc = 0;

    if (!verb || !verb->is_order)
        return err_set(err, ENOENT, "there is nothing to do at this address");
    snprintf(q.verb, sizeof q.verb, "%s", verb->name);
    o = length ? json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL) : json_object();
    if (!json_is_object(o))
        rc = err_set(err, EINVAL, "a JSON object is wanted");
    json_object_foreach(o, key, value)
        if (!rc)
            rc = take_key(&q, verb, key, value, err);
    json_decref(o);
    if (!rc && strcmp(q.verb, "forget") == 0 && !*q.device)
        rc = err_set(err, EINVAL, "device: which one?");
    if (!rc && verb->takes_trial && (!q.number || (!*q.code && strcmp(q.verb, "reject") != 0)))
        rc = err_set(err, EINVAL, "number, code: which trial? /api/state has both");
    if (!rc)
        *out = q;
    return rc;
}

static void answer_post(struct page *p, const struct server_request *q, struct server_reply *r)
{
    struct question order = { 0 };
    struct err      err = { "" };
    int             rc = page_read_order(&order, q->path, q->body, q->length, &err);

    if (!rc && words_verb_of(order.verb)->right > q->right) {
        answer_error(r, 403, "this is the token or certificate of an approver, who approves and rejects");
        return;
    }
    if (!rc)
        rc = p->act(p->arg, &order, q->who ? q->who : q->right == GATE_APPROVE ?
                    "the holder of the approvers' HTTP token" : "the holder of the HTTP token", &err);
    forget(p);
    if (rc)
        answer_error(r, rc == -ENOENT ? 404 : rc == -EINVAL ? 400 : rc == -EIO ? 500 : 409, err.text);
    else
        r->text = xstrdup("{}\n");
}

static void answer(void *arg, const struct server_request *q, struct server_reply *r)
{
    if (strcmp(q->method, "POST") == 0)
        answer_post(arg, q, r);
    else if (strcmp(q->path, "/api/right") == 0)
        answer_right(q, r);
    else
        answer_get(arg, q->path, r);
}

/* ---- events ---- */

/* NULL: nothing has changed. */
static void add_json(FILE *out, const char *kind, json_t *o)
{
    char *text = o ? dump(o) : NULL;

    if (text)
        fprintf(out, "event: %s\ndata: %s\n\n", kind, text);
    free(text);
}

/* A client without a number gets records from now on; one that was away for long, the missed range. */
static char *events(void *arg, struct server_cursor *at)
{
    struct page *p = arg;
    char        *text;
    const char  *line;
    FILE        *out = text_stream(&text);
    uint64_t     seq = 0;

    if (!at->state && (!at->last || at->last > ledger_last(&p->ledger)))
        at->last = ledger_last(&p->ledger);
    if (at->state != p->states + 1) {
        add_json(out, "state", state_json_brief(p->controller, &p->timeline, clock_us(), wall_us(p)));
        at->state = p->states + 1;
        /* those that changed since this listener's last event, first all; they are updated together */
        add_json(out, "cells", cells_changes(&p->cells, at->look));
        add_json(out, "links", loads_changes(&p->loads, at->look));
        at->look = p->cells.look;
    }
    for (int i = 0; i < EVENTS_AT_ONCE && (line = ledger_after(&p->ledger, at->last, &seq)); i++) {
        if (seq != at->last + 1)
            fprintf(out, "event: gap\ndata: {\"from\":%" PRIu64 ",\"to\":%" PRIu64 "}\n\n", at->last + 1,
                    seq - 1);
        fprintf(out, "event: audit\nid: %" PRIu64 "\ndata: %s\n\n", seq, line);
        at->last = seq;
    }
    fclose(out);
    if (*text)
        return text;
    free(text);
    return NULL;
}

/* ---- life ---- */

void page_init(struct page *p, const struct controller *c)
{
    static const struct inventory none;

    *p = (struct page){ .controller = c, .http = { add_metrics, trouble, answer, events, p, NULL } };
    upkeep_init(&p->upkeep, &none);
}

void page_fini(struct page *p)
{
    server_free(p->http.server);
    past_close(p->past);
    ledger_fini(&p->ledger);
    cells_fini(&p->cells);
    loads_fini(&p->loads);
    jobs_fini(&p->jobs);
    forget(p);
}

void page_know(struct page *p, const struct links *links, const struct job_list *jobs)
{
    uint64_t look = p->cells.look, version = p->loads.version;

    loads_fini(&p->loads);
    jobs_fini(&p->jobs);
    if (links->links)
        loads_init(&p->loads, links, look);
    jobs_init(&p->jobs, jobs);
    p->loads.look = look;
    p->loads.version = version + 1;
}

int page_remember(struct page *p, const char *url, const char *match, struct err *err)
{
    return past_open(&p->past, url, match, err);
}

void page_tick(struct page *p, uint64_t now_us)
{
    uint64_t before = p->timeline.changes;

    if (!p->http.server)
        return;
    forget(p);
    bool has_point = timeline_tick(&p->timeline, p->controller, now_us, wall_us(p));
    if (has_point) {
        cells_look(&p->cells, p->controller, now_us);
        loads_look(&p->loads, p->controller, now_us);
        jobs_look(&p->jobs, p->controller, now_us);
    }
    p->states += has_point || p->timeline.changes != before;
    server_wake(p->http.server);
    /* at once: libmicrohttpd does not make its descriptor readable for this */
    server_run(p->http.server);
}
