/* src/serve/main.c - anole-serve: what `anole serve` starts. A program of its own, because libmicrohttpd brings a dozen shared
 * libraries with it that nobody else should wait for. */
#include "base/err.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "serve/site.h"

#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LISTEN_DEFAULT "127.0.0.1:8123"
#define LOOK_MS        400

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options { const char *path, *listen; };

static volatile sig_atomic_t ended_by;

static void on_signal(int number)
{
    ended_by = number;
}

static _Noreturn void usage(const char *text, const char *word)
{
    fputs("anole: ", stderr);
    fputs(text, stderr);
    fprintf(stderr, "%s\n", safe_name(word).buf);
    exit(EXIT_USAGE);
}

static const struct argp_option option_rows[] = {
    { "listen", 'l', "ADDRESS:PORT", 0,
      "Where to listen (default: " LISTEN_DEFAULT ", this machine alone; port 0: any that is free). Whoever reaches another "
      "address can read the results, and nothing else", 0 },
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
        if (o->path)
            usage("one folder at a time, not also ", arg);
        o->path = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        usage("which folder? anole serve DIR; see anole serve --help", "");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "DIR",
    .doc = "Shows results in a browser, and follows them while they are written: one set (a folder that run, compare, sweep or "
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

/* Tells listeners when what there is has changed. */
static void follow(const struct folder *f, struct http *h)
{
    struct timespec pause = { .tv_nsec = LOOK_MS * 1000000l };
    char           *last = NULL;

    while (!ended_by) {
        json_t *state = folder_state(f);
        char   *text = json_dumps(state, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));

        json_decref(state);
        if (text && (!last || strcmp(text, last) != 0))
            http_tell(h, text);
        free(last);
        last = text;
        nanosleep(&pause, NULL);
    }
    free(last);
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
    struct folder     f;
    struct http_hooks hooks = { .answer = site_answer, .arg = &f };
    struct http      *h = NULL;
    int               rc = folder_open(&f, o->path, err);

    if (rc)
        return rc;
    catch_signals();
    rc = http_open(&h, o->listen, &hooks, err);
    if (!rc) {
        if (access(o->path, F_OK))
            fprintf(stderr, "anole: %s: nothing is there yet; it is shown when it comes\n", safe_name(o->path).buf);
        printf("%s\n", http_address(h));
        fflush(stdout);
        follow(&f, h);
    }
    http_close(h);
    folder_fini(&f);
    return rc;
}

int main(int argc, char **argv)
{
    static char    name[] = "anole serve";
    struct options o = { .listen = LISTEN_DEFAULT };
    struct err     err;

    argv[0] = name;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (serve(&o, &err) == 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "anole: %s\n", safe_name(err.text).buf);
    return EXIT_FAILED;
}
