/* src/cmd/live.c - anole agent, controller, ctl and twin: started as the program anole-live, which lies beside this one. */
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

static int start(const char *name, int argc, char **argv)
{
    static const char *const places[] = { "anole-live", "../lib/anole/anole-live", NULL };
    char                     folder[PATH_SIZE], path[PATH_SIZE + 64];
    char                   **args = xcalloc((unsigned long)argc + 2, sizeof *args);

    args[0] = xstrdup("anole-live");
    args[1] = xstrdup(name);
    for (int i = 1; i < argc; i++)
        args[i + 1] = argv[i];
    if (find_own_folder(folder))
        for (int i = 0; places[i]; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, places[i]);
            execv(path, args);
        }
    cmd_usage("%s: this anole was built without its part for real networks, which needs gRPC: tools/deps live, and make again", name);
}

static int agent_main(int argc, char **argv)
{
    return start("agent", argc, argv);
}

static int controller_main(int argc, char **argv)
{
    return start("controller", argc, argv);
}

static int ctl_main(int argc, char **argv)
{
    return start("ctl", argc, argv);
}

static int twin_main(int argc, char **argv)
{
    return start("twin", argc, argv);
}

const struct command command_twin = { "twin", "a simulated network with a real agent and a real controller", twin_main };
const struct command command_agent = { "agent", "watch and set the NICs of this host, for a controller", agent_main };
const struct command command_controller = { "controller", "hear all agents of a network, try what a tuner proposes", controller_main };
const struct command command_ctl = { "ctl", "ask a controller: status, freeze, rollback and more", ctl_main };
