/* src/cmd/serve_main.c - anole-serve, which `anole serve` starts. It is a separate program because
 * libmicrohttpd needs a dozen shared libraries, which would slow down the start of all other commands.
 *
 *   /                     page that lists the results and follows changes
 *   /state                the same as JSON (interface Served of web/src/data.ts)
 *   /r/NAME/FILE          a file of a set of results: /r/incast/report.html
 *   /api/events           stream: sends the contents of /state whenever they change
 */
#include "base/err.h"
#include "base/io/clock.h"
#include "base/print/safe.h"
#include "cmd/cmd.h"
#include "study/serve/folder.h"
#include "base/http/server.h"
#include "base/json.h"
#include "base/text.h"
#include "study/report/page.h"
#include "version.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE 256
#define BEAT_US   10000000ul      /* between two messages to idle listeners */

struct site {
    struct folder  folder;
    struct server *server;
    char          *text;         /* current state as JSON */
    uint64_t       changes;      /* version of that state */
    uint64_t       beats;        /* keep-alive messages, which reveal disconnected listeners */
    uint64_t       beat_us;
};

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
    FILE   *out = text_stream(&reply->text);

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

/* Checks the folder and notifies listeners of changes. */
static void site_look(struct site *s)
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

static void site_fini(struct site *s)
{
    server_free(s->server);
    folder_fini(&s->folder);
    free(s->text);
    *s = (struct site){ 0 };
}

static int site_open(struct site *s, const char *path, const struct http_config *c, struct err *err)
{
    struct server_hooks hooks = { answer_request, next_events, clock_us, s, NULL };

    *s = (struct site){ .beat_us = clock_us() };
    int rc = folder_open(&s->folder, path, err);
    if (rc)
        return rc;
    site_look(s);
    rc = server_open(&s->server, c, &hooks, err);
    if (rc)
        site_fini(s);
    return rc;
}

#define LISTEN_DEFAULT "127.0.0.1:8123"
#define LOOK_MS        400

struct options { const char *path; char *listen; };

static volatile sig_atomic_t ended_by;

static void on_signal(int number)
{
    ended_by = number;
}

static const struct cmd_option option_rows[] = {
    { "listen", 'l', "ADDRESS:PORT", "Address to listen on (default: " LISTEN_DEFAULT ", this machine only; "
      "port 0: any free port). Clients that reach another address can read the results, and nothing else",
      KEY_AT(struct options, listen) },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "folder", KEY_AT(struct options, path) },
    .missing = "which folder? anole serve DIR; see anole serve --help",
    .args = "DIR",
    .help = "Shows results in a browser, and follows them while they are written. DIR is one result folder "
            "(of run, compare, sweep or a campaign) or a folder with many. Runs until it is interrupted."
            "\v"
            "Examples:\n"
            "  anole serve results\n"
            "      Then open http://" LISTEN_DEFAULT "/.\n"
            "  anole compare s.yaml --vary kmin=100KB,400KB --seeds 50 -o results &\n"
            "  anole serve results\n"
            "      Watch the runs as they end.\n"
            "\n"
            "Nothing can be changed over it, and no file outside of the results can be read.",
};

/* Event loop: answers requests, and checks the folder every LOOK_MS. */
static void run_loop(struct site *s)
{
    while (!ended_by) {
        struct pollfd fd = { .fd = server_fd(s->server), .events = POLLIN };
        uint64_t      next_ms = clock_us() / 1000 + LOOK_MS, now;

        while (!ended_by && (now = clock_us() / 1000) < next_ms) {
            poll(&fd, 1, (int)(next_ms - now));
            server_run(s->server);
        }
        site_look(s);
    }
}

static void note_missing(const char *path, const struct folder *f)
{
    char *near = folder_nearest(f);

    fprintf(stderr, "anole: %s: no results yet", safe_name(path).buf);
    if (near)
        fprintf(stderr, "; did you mean '%s'? If not, they are shown when they exist\n", safe_name(near).buf);
    else
        fputs("; they are shown when they exist\n", stderr);
    free(near);
}

static int serve(const struct options *o, struct err *err)
{
    struct http_config config = { .is_on = true, .is_public = true, .listen = o->listen };
    struct sigaction   action = { .sa_handler = on_signal };
    struct site        site;
    int                rc = site_open(&site, o->path, &config, err);

    if (rc)
        return rc;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (access(o->path, F_OK))
        note_missing(o->path, &site.folder);
    printf("http://%s/\n", server_address(site.server));
    fflush(stdout);
    run_loop(&site);
    site_fini(&site);
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = { .listen = xstrdup(LISTEN_DEFAULT) };
    struct err     err;

    cmd_parse(&line, argc, argv, &o);
    int rc = serve(&o, &err);
    free(o.listen);
    return cmd_end(rc, &err);
}
