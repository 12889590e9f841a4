/* src/cmd/main.c - finds and runs the subcommand. */
#include "cmd/cmd.h"
#include "base/text.h"
#include "version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Commands in separate programs, because of the libraries that they need. */
static const struct command
    command_serve = { "serve", "show results in a browser, also while they are being written", NULL },
    command_twin = { "twin", "run a controller and agents on a simulated network", NULL },
    command_agent = { "agent", "monitor and configure the NICs of a host or a switch", NULL },
    command_controller = { "controller", "collect reports from agents and run trials of new settings", NULL },
    command_ctl = { "ctl", "query or command a controller: status, freeze, rollback", NULL };

#define LIVE_LIBRARIES "nghttp2, OpenSSL and others"

static const struct program {
    const char *command, *path, *libraries;
    bool        has_several;     /* several commands: the program's first argument is the command */
} programs[] = {
    { "serve", "anole-serve", "libmicrohttpd", false },   { "twin", "anole-twin", LIVE_LIBRARIES, true },
    { "agent", "anole-live", LIVE_LIBRARIES, true },
    { "controller", "anole-live", LIVE_LIBRARIES, true }, { "ctl", "anole-live", LIVE_LIBRARIES, true },
};

#define HEADING(text) &(const struct command){ NULL, text, NULL }

static const struct command *const commands[] = {
    HEADING("Simulate"), &command_run, &command_collective, &command_init, &command_list, &command_convert,
    &command_draw_workload, &command_calibrate,
    HEADING("Choose a setting"), &command_record, &command_advise, &command_compare, &command_sweep,
    &command_tune,
    HEADING("Inspect results"), &command_explain, &command_serve,
    HEADING("Operate a network"), &command_controller, &command_agent, &command_ctl, &command_twin,
    HEADING("Train models"), &command_train, &command_distil, &command_export, &command_gym, NULL,
};

static void print_help(FILE *out)
{
    fputs("Usage: anole COMMAND [OPTION...]\n"
          "\n"
          "Simulates RDMA networks (RoCEv2) packet by packet, with DCQCN at the NICs and\n"
          "ECN and PFC at the switches, and helps you choose their settings. A scenario\n"
          "file describes the network, the traffic, and the settings. The same scenario\n"
          "and seed give the same results on every machine.\n", out);
    for (int i = 0; commands[i]; i++)
        if (commands[i]->name)
            fprintf(out, "  %-13s %s\n", commands[i]->name, commands[i]->about);
        else
            fprintf(out, "\n%s:\n", commands[i]->about);
    fputs("\n"
          "  help          show the help of a command: anole help run\n"
          "\n"
          "Examples:\n"
          "  anole init                              create incast.yaml\n"
          "  anole run incast.yaml                   simulate it and print the results\n"
          "  anole run incast.yaml --set kmin=200KB  the same with one knob changed\n"
          "  anole compare incast.yaml --vary kmin=100KB,400KB\n"
          "                                          find out which value is better\n"
          "  anole advise --rate 200Gbps --rtt 12us --load 50%\n"
          "                                          get a recommended setting\n"
          "\n"
          "Run 'anole --version' for the version and 'man anole' for the manual.\n", out);
}

/* Refuses control characters in option names, because the C library prints unknown options unchanged. Values,
 * after '=' or a single letter, may contain anything. */
static void check_option(const char *word)
{
    bool is_long = word[0] == '-' && word[1] == '-';
    size_t length = word[0] != '-' ? 0 : is_long ? strcspn(word, "=") : strlen(word) < 2 ? strlen(word) : 2;

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)word[i] < ' ' || (unsigned char)word[i] > '~')
            cmd_usage("'%s' is not an option; see anole --help", word);
}

/* ---- commands in separate programs ---- */

static _Noreturn void exec_program(const char *command, int argc, char **argv)
{
    static const char *const places[] = { "", "../lib/anole/", NULL };
    char                     folder[PATH_MAX], path[PATH_MAX + 64];
    char                   **args = xcalloc((size_t)argc + 2, sizeof *args);
    const struct program    *p = programs;
    struct err               err;

    while (strcmp(p->command, command) != 0)
        p++;
    memcpy(args + p->has_several, argv, (size_t)argc * sizeof *args);
    if (p->has_several) {
        args[0] = xstrdup(p->path);
        args[1] = xstrdup(command);
    }
    for (int i = 0; places[i] && text_own_folder(folder); i++) {
        snprintf(path, sizeof path, "%s/%s%s", folder, places[i], p->path);
        execv(path, args);
        if (errno != ENOENT)
            exit(cmd_end(err_set(&err, errno, "%s: %s", path, strerror(errno)), &err));
    }
    cmd_usage("%s: this build lacks %s, which needs %s; run: tools/deps %s && make", command, p->path,
              p->libraries, p->has_several ? "live" : "build");
}

/* ---- commands ---- */

/* Runs a command as if it were a program called "anole <name>". */
static int run_command(const struct command *c, int argc, char **argv)
{
    static char name[32];

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        check_option(argv[i]);
    snprintf(name, sizeof(name), "anole %s", c->name);
    argv[0] = name;
    if (!c->main)
        exec_program(c->name, argc, argv);
    return c->main(argc, argv);
}

static const struct command *find_command(const char *word)
{
    const char *names[sizeof(commands) / sizeof(*commands) + 1] = { 0 };
    char hint[300];
    int count = 0;

    for (int i = 0; commands[i]; i++) {
        if (!commands[i]->name)
            continue;
        if (strcmp(commands[i]->name, word) == 0)
            return commands[i];
        names[count++] = commands[i]->name;
    }
    names[count] = "help";
    cmd_usage("'%s' is not a command%s", word, text_names(hint, sizeof(hint), word, names));
}

static int help(int argc, char **argv)
{
    char dashes[] = "--help", *args[] = { NULL, dashes, NULL };

    if (argc > 2 && strcmp(argv[2], "help") != 0)
        return run_command(find_command(argv[2]), 2, args);
    print_help(stdout);
    return cmd_close_stdout();
}

static bool is_any(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (is_any(argv[1], "--version", "-V", "version")) {
        puts("anole " ANOLE_VERSION);
        return cmd_close_stdout();
    }
    if (is_any(argv[1], "--help", "-h", "help"))
        return help(argc, argv);
    if (argv[1][0] == '-')
        cmd_usage("'%s' is not an option here; see anole --help", argv[1]);
    return run_command(find_command(argv[1]), argc - 1, argv + 1);
}
