/* src/cmd/live.c - commands that are programs of their own, beside this one, for the libraries that they need: anole-live is
 * agent, controller and ctl, anole-twin is twin, anole-serve is serve, anole-plot is plot. */
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096

/* The folder of this program. */
static bool find_own_folder(char *path)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    char   *slash;

    if (length <= 0)
        return false;
    path[length] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

/* Becomes the program, if it is there. */
static void become(const char *program, char **args)
{
    static const char *const places[] = { "", "../lib/anole/", NULL };
    char                     folder[PATH_SIZE], path[PATH_SIZE + 64];

    if (find_own_folder(folder))
        for (int i = 0; places[i]; i++) {
            snprintf(path, sizeof path, "%s/%s%s", folder, places[i], program);
            execv(path, args);
        }
}

static int start(const char *program, const char *name, int argc, char **argv)
{
    char **args = xcalloc((unsigned long)argc + 2, sizeof *args);

    args[0] = xstrdup(program);
    args[1] = xstrdup(name);
    for (int i = 1; i < argc; i++)
        args[i + 1] = argv[i];
    become(program, args);
    cmd_usage("%s: this anole was built without its part for real networks, which needs nghttp2, OpenSSL and others: tools/deps live, and make again", name);
}

static int serve_main(int argc, char **argv)
{
    (void)argc;
    become("anole-serve", argv);
    cmd_usage("serve: this anole was built without its web server, which needs libmicrohttpd: tools/deps build, and make again");
}

static int plot_main(int argc, char **argv)
{
    (void)argc;
    become("anole-plot", argv);
    cmd_usage("plot: this anole was built without what draws, which needs cairo: tools/deps build, and make again");
}

static int agent_main(int argc, char **argv)
{
    return start("anole-live", "agent", argc, argv);
}

static int controller_main(int argc, char **argv)
{
    return start("anole-live", "controller", argc, argv);
}

static int ctl_main(int argc, char **argv)
{
    return start("anole-live", "ctl", argc, argv);
}

static int twin_main(int argc, char **argv)
{
    return start("anole-twin", "twin", argc, argv);
}

const struct command command_plot = { "plot", "draw the usual charts of results: SVG, PNG, PDF", plot_main };
const struct command command_serve = { "serve", "show results in a browser, also while they are written", serve_main };
const struct command command_twin = { "twin", "a simulated network with a real agent and a real controller", twin_main };
const struct command command_agent = { "agent", "watch and set the NICs of this host, for a controller", agent_main };
const struct command command_controller = { "controller", "hear all agents of a network, try what a tuner proposes", controller_main };
const struct command command_ctl = { "ctl", "ask a controller: status, freeze, rollback and more", ctl_main };
