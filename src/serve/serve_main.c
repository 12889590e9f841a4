/* src/serve/serve_main.c - anole-serve, which `anole serve` starts. It is a separate program because
 * libmicrohttpd needs a dozen shared libraries, which would slow down the start of all other commands. */
#include "base/err.h"
#include "base/io/clock.h"
#include "base/print/safe.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "serve/site.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
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
    struct site        site;
    int                rc = site_open(&site, o->path, &config, err);

    if (rc)
        return rc;
    catch_signals();
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
    int            rc;
    struct err     err;

    cmd_parse(&line, argc, argv, &o);
    rc = serve(&o, &err);
    free(o.listen);
    return cmd_end(rc, &err);
}
