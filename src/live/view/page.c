/* src/live/view/page.c - see page.h. */
#include "live/view/page.h"
#include "base/print/form.h"
#include "base/print/safe.h"
#include "live/controller/controller.h"
#include "live/view/order.h"
#include "live/view/process.h"
#include "live/view/state_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUMP (JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS))
#define EVENTS_AT_ONCE 64        /* records in one piece of text */

static uint64_t wall_us(const struct page *p)
{
    return p->ledger.disk.wall_us(p->ledger.disk.arg);
}

/* ---- answers ---- */

static char *dump(json_t *o)
{
    char *text = json_dumps(o, DUMP);

    json_decref(o);
    return text ? text : xstrdup("{}");
}

static void answer_health(const struct page *p, struct server_reply *r)
{
    const char *why = p->controller->role == ROLE_DEPOSED ? "another controller has taken over" :
                      p->controller->is_dirty || p->controller->audit.lost ? "the disk cannot be written" : "";

    r->type = "text/plain; charset=utf-8";
    r->status = *why ? 503 : 200;
    r->text = xstrdup(*why ? why : "ok\n");
}

/* ---- flows ---- */

static void add_flow_metrics(struct prom *m, const struct collector *f)
{
    const struct collector_counts *n = &f->counts;

    prom_one(m, "anole_flows_datagrams_total", "counter", "Datagrams of switches about flows.", (double)n->datagrams);
    prom_family(m, "anole_flows_refused_total", "counter", "Of these or of what is in them, what was not used, by why.");
    prom_value(m, (double)n->strangers, "why", "stranger", NULL);
    prom_value(m, (double)n->bad, "why", "unreadable", NULL);
    prom_value(m, (double)n->unknown, "why", "no template", NULL);
    prom_value(m, (double)n->other, "why", "not RoCEv2", NULL);
    prom_value(m, (double)n->full, "why", "no room", NULL);
    prom_one(m, "anole_flows_records_total", "counter", "Flows or packets that they told of.", (double)n->records);
    prom_one(m, "anole_flows_known", "gauge", "Flows that are known now.", f->used);
    prom_one(m, "anole_flows_elephant_ratio", "gauge", "Share of elephants among flows of the last window.",
             fsd_elephant_share(&f->last));
}

static json_t *flows_json(const struct collector *f)
{
    json_t *o = json_object(), *bins = json_array();

    json_put_count(o, "known", f->used);
    json_put_number(o, "elephants", (double)f->last.elephants / FSD_ONE);
    json_put_number(o, "mice", (double)f->last.mice / FSD_ONE);
    for (int i = 0; i < FSD_BINS; i++)
        json_array_append_new(bins, json_integer((json_int_t)f->last.bin[i]));
    json_object_set_new(o, "bins", bins);
    json_put_count(o, "datagrams", f->counts.datagrams);
    json_put_count(o, "refused", f->counts.strangers + f->counts.bad);
    return o;
}

/* ---- what is read ---- */

static char *metrics_text(struct page *p)
{
    struct server_counts counts = server_counts(p->server);
    struct prom          m;

    prom_init(&m);
    controller_metrics(&m, p->controller, &p->counts, p->now_us());
    if (p->flows)
        add_flow_metrics(&m, p->flows);
    prom_one(&m, "anole_controller_standby", "gauge", "1: another controller of the cell has the lease.", *p->standby != '\0');
    process_metrics(&m, p->version, &counts);
    return prom_end(&m);
}

static const char *state_text(struct page *p)
{
    if (!p->state) {
        json_t *o = state_json(p->controller, &p->ledger, &p->timeline, p->now_us(), wall_us(p));

        json_put_text(o, "standby", p->standby);
        if (p->flows)
            json_object_set_new(o, "flows", flows_json(p->flows));
        p->state = dump(o);
    }
    return p->state;
}

static void answer_error(struct server_reply *r, unsigned status, const char *why)
{
    json_t *o = json_object();

    json_put_text(o, "error", why);
    r->status = status;
    r->text = dump(o);
}

/* The page follows /api/state and /api/events by itself: web/src/live/. */
static char *html_text(const struct page *p)
{
    char  *text = NULL, *json = dump(json_pack("{s:s, s:s, s:s, s:[]}", "kind", "live", "version", p->version, "title", "controller", "runs"));
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    if (!out)
        die("out of memory");
    form_print(json, out);
    fclose(out);
    free(json);
    return text;
}

static void answer_get(struct page *p, const char *path, struct server_reply *r)
{
    if (strcmp(path, "/metrics") == 0) {
        r->type = "text/plain; version=0.0.4; charset=utf-8";
        r->text = metrics_text(p);
    } else if (strcmp(path, "/healthz") == 0)
        answer_health(p, r);
    else if (strcmp(path, "/api/state") == 0)
        r->text = xstrdup(state_text(p));
    else if (strcmp(path, "/") == 0) {
        r->type = "text/html; charset=utf-8";
        r->text = html_text(p);
    } else
        answer_error(r, 404, "there is nothing at this address");
}

static unsigned status_of(int rc)
{
    return rc == -ENOENT ? 404 : rc == -EINVAL ? 400 : rc == -EIO ? 500 : 409;
}

static void answer_post(struct page *p, const struct server_request *q, struct server_reply *r)
{
    struct question order = { 0 };
    struct err      err = { "" };
    int             rc = order_read(&order, q->path, q->body, q->length, &err);

    if (!rc)
        rc = p->act(p->arg, &order, &err);
    free(p->state);
    p->state = NULL;
    if (rc)
        answer_error(r, status_of(rc), err.text);
    else
        r->text = xstrdup("{}\n");
}

static void answer(void *arg, const struct server_request *q, struct server_reply *r)
{
    if (strcmp(q->method, "POST") == 0)
        answer_post(arg, q, r);
    else
        answer_get(arg, q->path, r);
}

/* ---- events ---- */

static void add(char **text, size_t *length, const char *kind, uint64_t id, const char *data)
{
    size_t more = strlen(data) + 80;
    int    written;

    *text = xrealloc(*text, *length + more);
    written = snprintf(*text + *length, more, "event: %s\n", kind);
    if (id)
        written += snprintf(*text + *length + written, more - (size_t)written, "id: %" PRIu64 "\n", id);
    written += snprintf(*text + *length + written, more - (size_t)written, "data: %s\n\n", data);
    *length += (size_t)written;
}

/* Whoever comes without a number hears what is new from now on. One who was away for too long is told how far to go back. */
static char *events(void *arg, struct server_cursor *at)
{
    struct page *p = arg;
    char        *text = NULL, gap[80];
    const char  *line;
    size_t       length = 0;
    uint64_t     seq = 0;

    if (!at->state && (!at->last || at->last > ledger_last(&p->ledger)))
        at->last = ledger_last(&p->ledger);
    if (at->state != p->states + 1) {
        char *state = dump(state_json_brief(p->controller, &p->timeline, p->now_us(), wall_us(p)));

        add(&text, &length, "state", 0, state);
        free(state);
        at->state = p->states + 1;
    }
    for (int i = 0; i < EVENTS_AT_ONCE && (line = ledger_after(&p->ledger, at->last, &seq)); i++) {
        if (seq != at->last + 1) {
            snprintf(gap, sizeof gap, "{\"from\":%" PRIu64 ",\"to\":%" PRIu64 "}", at->last + 1, seq - 1);
            add(&text, &length, "gap", 0, gap);
        }
        add(&text, &length, "audit", seq, line);
        at->last = seq;
    }
    return text;
}

/* ---- life ---- */

void page_init(struct page *p, const struct controller *c, const char *version, uint64_t (*now_us)(void))
{
    *p = (struct page){ .controller = c, .version = version, .now_us = now_us };
    ledger_init(&p->ledger);
    timeline_init(&p->timeline);
}

int page_open(struct page *p, const struct http_config *c, struct err *err)
{
    struct server_hooks hooks = { answer, events, p->now_us, p };

    return c->is_on ? server_open(&p->server, c, &hooks, err) : 0;
}

void page_fini(struct page *p)
{
    server_free(p->server);
    ledger_fini(&p->ledger);
    free(p->state);
    p->state = NULL;
}

void page_tick(struct page *p, uint64_t now_us)
{
    uint64_t before = p->timeline.changes;

    if (!p->server)
        return;
    free(p->state);
    p->state = NULL;
    p->states += timeline_tick(&p->timeline, p->controller, now_us, wall_us(p)) || p->timeline.changes != before;
    server_wake(p->server);
}
