/* src/serve/main.c - anole-serve, which `anole serve` starts. It is a separate program because libmicrohttpd
 * needs a dozen shared libraries, which would slow down the start of all other commands. */
#include "base/err.h"
#include "base/io/clock.h"
#include "base/print/safe.h"
#include "cmd/cmd.h"
#include "serve/site.h"

#include <argp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTEN_DEFAULT "127.0.0.1:8123"
#define LOOK_MS        400

struct options { const char *path; char *listen; };

static volatile sig_atomic_t ended_by;

static void on_signal(int number)
{
    ended_by = number;
}

static const struct argp_option option_rows[] = {
    { "listen", 'l', "ADDRESS:PORT", 0,
      "Where to listen (default: " LISTEN_DEFAULT
      ", this machine alone; port 0: any that is free). Clients "
      "that reach another address can read the results, and nothing else",
      0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'l':
        o->listen = arg;
        return 0;
    case ARGP_KEY_ARG:
        cmd_take_one(&o->path, arg, "folder");
        return 0;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which folder? anole serve DIR; see anole serve --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "DIR",
    .doc = "Shows results in a browser, and follows them while they are written: one set (a folder that run, "
           "compare, sweep or "
           "a campaign writes), or a folder that holds many. Runs until it is interrupted."
           "\v"
           "Examples:\n"
           "  anole serve results\n"
           "      Then open http://" LISTEN_DEFAULT "/.\n"
           "  anole compare s.yaml --vary kmin=100KB,400KB --seeds 50 --out results & anole serve results\n"
           "      Watches the runs as they end.\n"
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

static int serve(const struct options *o, struct err *err)
{
    struct http_config config = { .is_on = true, .is_public = true, .listen = o->listen };
    struct site        site;
    int                rc = site_open(&site, o->path, &config, err);

    if (rc)
        return rc;
    catch_signals();
    if (access(o->path, F_OK))
        fprintf(stderr, "anole: %s: no results yet; they are shown when they exist\n",
                safe_name(o->path).buf);
    printf("http://%s/\n", server_address(site.server));
    fflush(stdout);
    run_loop(&site);
    site_fini(&site);
    return 0;
}

int main(int argc, char **argv)
{
    static char    name[] = "anole serve", listen[] = LISTEN_DEFAULT;
    struct options o = { .listen = listen };
    struct err     err;

    argv[0] = name;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    return cmd_end(serve(&o, &err), &err);
}
