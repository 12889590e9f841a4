#include "serve/site.h"

#include "base/json.h"
#include "report/page.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 256

static const char *type_of(const char *name)
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

static void answer_state(const struct folder *f, struct http_reply *reply)
{
    json_t *state = folder_state(f);

    reply->bytes = json_dumps(state, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));
    reply->length = reply->bytes ? strlen(reply->bytes) : 0;
    reply->status = reply->bytes ? 200 : 500;
    reply->type = "application/json";
    json_decref(state);
}

static void answer_page(const struct folder *f, struct http_reply *reply)
{
    json_t *state = folder_state(f);
    json_t *page = json_pack("{s:s, s:s, s:O, s:[], s:o}", "kind", "serve", "version", ANOLE_VERSION, "title",
                             json_object_get(state, "name"), "runs", "served", state);
    FILE   *out = open_memstream(&reply->bytes, &reply->length);

    if (!out)
        die("out of memory");
    page_print(page, out);
    fclose(out);
    json_decref(page);
    reply->status = 200;
    reply->type = "text/html; charset=utf-8";
}

/* "NAME/FILE" */
static void answer_file(const struct folder *f, const char *rest, struct http_reply *reply)
{
    const char *slash = strchr(rest, '/');
    char        item[NAME_SIZE];

    if (!slash || slash == rest || (size_t)(slash - rest) >= sizeof item || strchr(slash + 1, '/'))
        return;
    snprintf(item, sizeof item, "%.*s", (int)(slash - rest), rest);
    if (folder_read(f, item, slash + 1, &reply->bytes, &reply->length))
        return;
    reply->status = 200;
    reply->type = type_of(slash + 1);
}

void site_answer(void *arg, const char *path, struct http_reply *reply)
{
    const struct folder *f = arg;

    if (strcmp(path, "/") == 0)
        answer_page(f, reply);
    else if (strcmp(path, "/state") == 0)
        answer_state(f, reply);
    else if (strncmp(path, "/r/", 3) == 0)
        answer_file(f, path + 3, reply);
}
