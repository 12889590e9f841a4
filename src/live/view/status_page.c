#include "live/view/status_page.h"
#include "base/io/clock.h"
#include "live/core/live_clock.h"
#include "live/view/live_metrics.h"

#include <string.h>

static char *metrics_text(struct status_page *p)
{
    struct server_counts counts = server_counts(p->server);
    struct prom          m;

    prom_init(&m);
    p->metrics(p->arg, &m);
    process_metrics(&m, &counts);
    return prom_end(&m);
}

static void answer(void *arg, const struct server_request *q, struct server_reply *r)
{
    struct status_page *p = arg;
    bool                is_read = strcmp(q->method, "POST") != 0;

    if (is_read && strcmp(q->path, "/metrics") == 0) {
        r->type = "text/plain; version=0.0.4; charset=utf-8";
        r->text = metrics_text(p);
    } else if (is_read && strcmp(q->path, "/healthz") == 0) {
        r->type = "text/plain; charset=utf-8";
        r->text = p->trouble(p->arg);
        r->status = r->text ? 503 : 200;
        r->text = r->text ? r->text : xstrdup("ok\n");
    } else if (p->answer)
        p->answer(p->arg, q, r);
    else {
        r->type = "text/plain; charset=utf-8";
        r->status = 404;
        r->text = xstrdup("there are /metrics and /healthz\n");
    }
}

static char *events(void *arg, struct server_cursor *at)
{
    const struct status_page *p = arg;

    return p->events(p->arg, at);
}

int status_page_open(struct status_page *p, const struct http_config *c, struct err *err)
{
    struct server_hooks hooks = { answer, p->events ? events : NULL, clock_us, p, p->events ? "/" : NULL };
    int                 rc = c->is_on ? server_open(&p->server, c, &hooks, err) : 0;

    if (!rc && p->server)
        clock_log("http at %s", server_address(p->server));
    return rc;
}

void status_page_reopen(struct status_page *p, const struct http_config *c)
{
    struct err err;

    server_free(p->server);
    p->server = NULL;
    if (status_page_open(p, c, &err))
        clock_log("no HTTP: %s", err.text);
}
