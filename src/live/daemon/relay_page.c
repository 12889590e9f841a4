/* src/live/daemon/relay_page.c - see relay_page.h. */
#include "live/daemon/relay_page.h"
#include "live/core/live_clock.h"
#include "live/view/process_metrics.h"
#include "version.h"

#include <string.h>

static char *metrics_text(struct relay_page *p)
{
    const struct relay_counts *c = p->counts;
    struct server_counts       server = server_counts(p->server);
    uint64_t                   now_us = clock_us(), heard_us = p->relay->heard_us;
    struct prom                m;

    prom_init(&m);
    prom_one(&m, "anole_relay_connected", "gauge", "1: it has a controller.", p->is_up(p->arg));
    prom_one(&m, "anole_relay_devices", "gauge", "Devices behind it.", p->relay->agents);
    prom_one(&m, "anole_relay_heard_age_seconds", "gauge",
             "Since the controller last said something; -1: never.",
             heard_us ? (double)(now_us - heard_us) / 1e6 : -1);
    prom_one(&m, "anole_relay_messages_total", "counter", "Messages of agents.", (double)c->messages);
    prom_one(&m, "anole_relay_reports_total", "counter", "Of these, reports.", (double)c->reports);
    prom_one(&m, "anole_relay_unreadable_total", "counter",
             "Messages of agents or the controller that were not understood, or not allowed.",
             (double)c->unreadable);
    prom_one(&m, "anole_relay_racks_total", "counter", "Messages to the controller.", (double)c->racks);
    prom_one(&m, "anole_relay_rack_bytes_total", "counter", "Bytes of these.", (double)c->rack_bytes);
    prom_one(&m, "anole_relay_lost_controller_total", "counter", "How often the controller was lost.",
             (double)c->losses);
    process_peers(&m, "anole_relay", serve_counts(*p->agents));
    process_metrics(&m, ANOLE_VERSION, &server);
    return prom_end(&m);
}

static void answer(void *arg, const struct server_request *q, struct server_reply *r)
{
    struct relay_page *p = arg;
    bool               is_read = strcmp(q->method, "POST") != 0;

    r->type = "text/plain; charset=utf-8";
    if (is_read && strcmp(q->path, "/metrics") == 0) {
        r->type = "text/plain; version=0.0.4; charset=utf-8";
        r->text = metrics_text(p);
    } else if (is_read && strcmp(q->path, "/healthz") == 0) {
        r->status = p->is_up(p->arg) ? 200 : 503;
        r->text = xstrdup(p->is_up(p->arg) ? "ok\n" : "it has no controller\n");
    } else {
        r->status = 404;
        r->text = xstrdup("there are /metrics and /healthz\n");
    }
}

int relay_page_open(struct relay_page *p, const struct http_config *c, struct err *err)
{
    struct server_hooks hooks = { answer, NULL, clock_us, p, NULL };

    return c->is_on ? server_open(&p->server, c, &hooks, err) : 0;
}
