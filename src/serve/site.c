#include "serve/site.h"

#include "base/io/clock.h"
#include "base/json.h"
#include "report/page.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 256
#define BEAT_US   10000000ul

static const char *content_type(const char *name)
{
    static const struct { const char *end, *type; } rows[] = {
        { ".html", "text/html; charset=utf-8" }, { ".csv", "text/csv; charset=utf-8" },
        { ".json", "application/json" },         { ".svg", "image/svg+xml" },
        { ".png", "image/png" },                 { ".pdf", "application/pdf" },
    };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(dot, rows[i].end) == 0)
            return rows[i].type;
    return "text/plain; charset=utf-8";
}

static char *state_text(const struct folder *f)
{
    json_t *state = folder_state(f);
    char   *text = json_dumps(state, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));

    json_decref(state);
    if (!text)
        die("out of memory");
    return text;
}

static void answer_page(const struct folder *f, struct server_reply *reply)
{
    json_t *state = folder_state(f);
    json_t *page = json_pack("{s:s, s:s, s:O, s:[], s:o}", "kind", "serve", "version", ANOLE_VERSION, "title",
                             json_object_get(state, "name"), "runs", "served", state);
    FILE   *out = open_memstream(&reply->text, &reply->length);

    if (!out)
        die("out of memory");
    page_print(page, out);
    fclose(out);
    json_decref(page);
    reply->status = 200;
    reply->type = "text/html; charset=utf-8";
}

/* rest: "NAME/FILE" */
static void answer_file(const struct folder *f, const char *rest, struct server_reply *reply)
{
    const char *slash = strchr(rest, '/');
    char        item[NAME_SIZE];

    if (!slash || slash == rest || (size_t)(slash - rest) >= sizeof item || strchr(slash + 1, '/'))
        return;
    snprintf(item, sizeof item, "%.*s", (int)(slash - rest), rest);
    if (folder_read(f, item, slash + 1, &reply->text, &reply->length))
        return;
    reply->status = 200;
    reply->type = content_type(slash + 1);
}

static void answer_request(void *arg, const struct server_request *q, struct server_reply *reply)
{
    const struct site *s = arg;

    reply->status = 404;
    reply->type = "text/plain; charset=utf-8";
    if (strcmp(q->path, "/") == 0)
        answer_page(&s->folder, reply);
    else if (strcmp(q->path, "/state") == 0)
        *reply = (struct server_reply){ 200, "application/json", state_text(&s->folder), 0 };
    else if (strncmp(q->path, "/r/", 3) == 0)
        answer_file(&s->folder, q->path + 3, reply);
    if (!reply->text)
        reply->text = xstrdup("not found\n");
}

/* ---- events ---- */

/* A new listener first receives the current state. */
static char *next_events(void *arg, struct server_cursor *at)
{
    const struct site *s = arg;
    char              *text = NULL;

    if (at->state != s->changes) {
        at->state = s->changes;
        text = xprintf("data: %s\n\n", s->text);
    } else if (at->look != s->beats)
        text = xstrdup(": still here\n\n");
    at->look = s->beats;
    return text;
}

void site_look(struct site *s)
{
    char *text = state_text(&s->folder);

    if (!s->text || strcmp(text, s->text) != 0) {
        free(s->text);
        s->text = text;
        s->changes++;
    } else
        free(text);
    if (clock_us() - s->beat_us > BEAT_US) {
        s->beat_us = clock_us();
        s->beats++;
    }
    server_wake(s->server);
}

/* ---- lifecycle ---- */

int site_open(struct site *s, const char *path, const struct http_config *c, struct err *err)
{
    struct server_hooks hooks = { answer_request, next_events, clock_us, s, NULL };
    int                 rc;

    *s = (struct site){ .beat_us = clock_us() };
    rc = folder_open(&s->folder, path, err);
    if (rc)
        return rc;
    site_look(s);
    rc = server_open(&s->server, c, &hooks, err);
    if (rc)
        site_fini(s);
    return rc;
}

void site_fini(struct site *s)
{
    server_free(s->server);
    folder_fini(&s->folder);
    free(s->text);
    *s = (struct site){ 0 };
}
