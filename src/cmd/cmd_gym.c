/* src/cmd/cmd_gym.c - anole gym: serves the environment of RL-CC to programs in other languages. */
#include "cmd/cmd.h"
#include "base/text.h"
#include "train/env/env_world.h"
#include "cmd/gym/gym.h"
#include "study/scenario/examples.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCENARIO_BYTES_MAX (64u << 20)
#define DECISION_US        0.5   /* in named worlds */

struct options {
    const char  *scenario, *socket;
    const char **set;
    uint32_t     sets;
    uint64_t     clients;
    uint32_t     worlds;
};

static const struct cmd_option option_rows[] = {
    CMD_SET(struct options, set, sets),
    { "worlds", 'w', "N", "Run N instances in parallel with different seeds and return their agents as one "
      "batch (default: 1)", KEY_AT(struct options, worlds), KEY_COUNT, 1, GYM_WORLDS_MAX },
    { "socket", 0, "PATH", "Create a socket and listen on it (default: one client, on standard input and "
      "output)", KEY_AT(struct options, socket) },
    { "clients", 0, "N", "With --socket: exit after N clients (default: never)",
      KEY_AT(struct options, clients), KEY_COUNT, 1, UINT32_MAX },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "scenario", KEY_AT(struct options, scenario) },
    .missing = "which scenario? anole gym SCENARIO.yaml; see anole gym --help",
    .args = "SCENARIO",
    .help = "Runs a scenario in which another program controls the rates. The program, in Python or any "
            "other language, receives the round-trip times of each flow and returns multipliers of its "
            "rate. SCENARIO is a file with cc: rlcc and the knob rlcc_decision above 0, or the name of a "
            "world: many_to_one:HOSTS_QPS, all_to_all:HOSTS_QPS, long_short:HOSTS, in which decisions take "
            "0.5 us. docs/gym.md describes the protocol; python/anole is a client with Gymnasium's interface."
            "\v"
            "Examples:\n"
            "  anole gym all_to_all:4_16\n"
            "      Serve one client on standard input and output, for a program that\n"
            "      starts it.\n"
            "  anole gym incast.yaml --set rlcc_decision=2us --socket /tmp/incast\n"
            "      Waits for clients.\n",
};

/* ---- remove the socket when a signal ends the program ---- */

static const char *socket_path;

static void remove_socket(int signal)
{
    unlink(socket_path);
    _exit(128 + signal);
}

static void catch_signals(const char *path)
{
    struct sigaction action = { .sa_handler = remove_socket };

    socket_path = path;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* ---- from options to exit status ---- */

static int read_scenario(const char *name, char **text, size_t *length, struct err *err)
{
    struct env_world world;

    if (strchr(name, ':') && env_world_parse(&world, name, err) == 0) {
        world.decision_us = DECISION_US;
        *text = env_world_text(&world);
        *length = strlen(*text);
        return 0;
    }
    if (strchr(name, ':') && access(name, F_OK) != 0)
        return -EINVAL;          /* with the error of env_world_parse() */
    char *path = examples_path(name, err);
    int rc = path ? text_read_file(path, SCENARIO_BYTES_MAX, text, length, err) : -ENOENT;
    free(path);
    return rc;
}

/* Redirects other output to standard error, so that it does not mix with the protocol. */
static int serve_pipe(const struct gym_world *w, struct err *err)
{
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), rc;

    if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return err_set(err, errno, "standard output: %s", strerror(errno));
    rc = gym_serve(w, STDIN_FILENO, out, err);
    close(out);
    return rc;
}

static int serve_socket(const struct options *o, const struct gym_world *w, struct err *err)
{
    int listener, rc = gym_listen(o->socket, &listener, err);

    if (rc)
        return rc;
    catch_signals(o->socket);
    rc = gym_serve_socket(w, listener, o->clients, err);
    close(listener);
    unlink(o->socket);
    return rc;
}

static int serve(const struct options *o, struct err *err)
{
    struct env_cfg cfg = { .name = o->scenario, .set = o->set, .sets = o->sets, .seed = 1 };
    struct gym_env gym;
    struct gym_world world;
    char *text = NULL;
    int rc = read_scenario(o->scenario, &text, &cfg.text_bytes, err);

    cfg.text = text;
    rc = rc ? rc : gym_env_open(&gym, &cfg, o->worlds, err);
    if (!rc) {
        world = gym_env_world(&gym);
        rc = o->socket ? serve_socket(o, &world, err) : serve_pipe(&world, err);
        gym_env_close(&gym);
    }
    free(text);
    return rc;
}

static int gym_main(int argc, char **argv)
{
    struct options o = { .worlds = 1 };
    struct err     err;

    cmd_parse(&line, argc, argv, &o);
    if (o.clients && !o.socket)
        cmd_usage("--clients needs --socket");
    if (!o.socket && (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)))
        cmd_usage("anole gym talks to programs, not to a terminal; see anole gym --help");
    signal(SIGPIPE, SIG_IGN);
    int rc = serve(&o, &err);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_gym = { "gym", "let another program control rates (reinforcement learning)",
                                     gym_main };
