/* src/cmd/gym.c - anole gym: the environment of RL-CC for programs in other languages. */
#include "cmd/cmd.h"
#include "base/text.h"
#include "env/env_world.h"
#include "gym/gym_env.h"
#include "gym/gym_serve.h"

#include <argp.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCENARIO_BYTES_MAX (64u << 20)
#define DECISION_US        0.5   /* of the worlds with a name */

struct options {
    const char  *scenario, *socket;
    const char **set;
    uint32_t     sets;
    uint64_t     clients;
    uint32_t     worlds;
};

enum { KEY_SET = 's', KEY_WORLDS = 'w', KEY_SOCKET = 256, KEY_CLIENTS };

static const struct argp_option option_rows[] = {
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario, as for anole run", 0 },
    { "worlds", KEY_WORLDS, "N", 0, "Run N of it beside each other, with other seeds: their agents come together (default: "
      "1)", 0 },
    { "socket", KEY_SOCKET, "PATH", 0, "Listen at a socket of this name, which is made. Without: one client, on standard "
      "input and output", 0 },
    { "clients", KEY_CLIENTS, "N", 0, "With --socket: end after so many clients (default: never)", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_SET:      cmd_add_set(&o->set, &o->sets, arg);                          break;
    case KEY_WORLDS:   o->worlds = (uint32_t)cmd_count("--worlds", arg, 1, GYM_WORLDS_MAX); break;
    case KEY_SOCKET:   o->socket = arg;                                              break;
    case KEY_CLIENTS:  o->clients = cmd_count("--clients", arg, 1, UINT32_MAX);      break;
    case ARGP_KEY_ARG: cmd_take_one(&o->scenario, arg, "scenario");                  break;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which scenario? anole gym SCENARIO.yaml; see anole gym --help");
    case ARGP_KEY_END:
        if (o->clients && !o->socket)
            cmd_usage("--clients: there is one, without --socket");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO",
    .doc = "Runs a scenario in which somebody else controls rates: a program in Python or another language, which sees each "
           "flow's round-trip times and answers with multipliers of its rate. SCENARIO is a file with cc: rlcc and the knob "
           "rlcc_decision above 0, or the name of a world: many_to_one:HOSTS_QPS, all_to_all:HOSTS_QPS, long_short:HOSTS, in "
           "which decisions take 0.5 us. docs/gym.md has the protocol; python/anole is a client with the methods of Gymnasium."
           "\v"
           "Examples:\n"
           "  anole gym all_to_all:4_16\n"
           "      Speaks on standard input and output: for a program that starts it.\n"
           "  anole gym incast.yaml --set rlcc_decision=2us --socket /tmp/incast\n"
           "      Waits for clients.\n",
};

/* ---- sockets that vanish when the program is ended ---- */

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
        return -EINVAL;          /* err says what env_world_parse() does not like */
    return text_read_file(name, SCENARIO_BYTES_MAX, text, length, err);
}

/* Whatever else prints must not get into the client's way. */
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
    if (!rc)
        rc = gym_env_open(&gym, &cfg, o->worlds, err);
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
    int            rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (!o.socket && (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)))
        cmd_usage("this is for programs, not for a terminal; see anole gym --help");
    signal(SIGPIPE, SIG_IGN);
    rc = serve(&o, &err);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_gym = { "gym", "let another program control rates, and learn", gym_main };
