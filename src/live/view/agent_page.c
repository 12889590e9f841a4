/* src/live/view/agent_page.c - see agent_page.h. */
#include "live/view/agent_page.h"
#include "live/view/process_metrics.h"

#include <stdio.h>
#include <string.h>

#define HEALTH_SIZE 4096

static char *metrics_text(struct agent_page *p)
{
    struct agent_shown   shown[AGENT_PAGE_DEVICES_MAX];
    uint32_t             count = p->show(p->arg, shown);
    struct server_counts counts = server_counts(p->server);
    struct prom          m;

    prom_init(&m);
    agent_metrics(&m, shown, count, p->now_us());
    process_metrics(&m, p->version, &counts);
    return prom_end(&m);
}

static void answer_health(struct agent_page *p, struct server_reply *r)
{
    struct agent_shown shown[AGENT_PAGE_DEVICES_MAX];
    uint32_t           count = p->show(p->arg, shown);
    char               text[HEALTH_SIZE] = "";
    size_t             length = 0;

    for (uint32_t i = 0; i < count && length < sizeof text - 300; i++)
        if (*agent_trouble(shown[i].agent))
            length += (size_t)snprintf(text + length, sizeof text - length, "%s: %s\n", shown[i].agent->cfg->name,
                                       agent_trouble(shown[i].agent));
    r->status = length ? 503 : 200;
    r->text = xstrdup(length ? text : "ok\n");
}

static void answer(void *arg, const struct server_request *q, struct server_reply *r)
{
    struct agent_page *p = arg;
    bool               is_read = strcmp(q->method, "POST") != 0;

    r->type = "text/plain; charset=utf-8";
    if (is_read && strcmp(q->path, "/metrics") == 0) {
        r->type = "text/plain; version=0.0.4; charset=utf-8";
        r->text = metrics_text(p);
    } else if (is_read && strcmp(q->path, "/healthz") == 0)
        answer_health(p, r);
    else {
        r->status = 404;
        r->text = xstrdup("there are /metrics and /healthz\n");
    }
}

int agent_page_open(struct agent_page *p, const struct http_config *c, struct err *err)
{
    struct server_hooks hooks = { answer, NULL, p->now_us, p, NULL };

    return c->is_on ? server_open(&p->server, c, &hooks, err) : 0;
}
