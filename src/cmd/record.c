/* src/cmd/record.c - anole record: samples the counters and settings of this host into a file, with data/record.sh. */
#include "cmd/cmd.h"
#include "base/text.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* data/record.sh; its build step writes it as an array. */
extern const unsigned char record_script[];
extern const unsigned long record_script_bytes;

#define ARGS_MAX 12

struct options { const char *every, *samples, *out; bool is_script; };

enum { KEY_EVERY = 'i', KEY_SAMPLES = 'n', KEY_OUT = 'o', KEY_SCRIPT = 256 };

static const struct argp_option option_rows[] = {
    { "every", KEY_EVERY, "SECONDS", 0, "Time between samples, whole seconds (default: 1)", 0 },
    { "samples", KEY_SAMPLES, "N", 0, "Number of samples (default: 60)", 0 },
    { "out", KEY_OUT, "FILE", 0, "Where to write (default: anole-record.csv)", 0 },
    { "script", KEY_SCRIPT, NULL, 0, "Print the shell script that does it, to run it on hosts without Anole", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_EVERY:    o->every = arg;                                                            break;
    case KEY_SAMPLES:  o->samples = arg;                                                          break;
    case KEY_OUT:      o->out = arg;                                                              break;
    case KEY_SCRIPT:   o->is_script = true;                                                       break;
    case ARGP_KEY_ARG: cmd_usage("record: '%s': it takes no argument; --out FILE says where to write", arg);
    default:           return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .doc = "Samples the RDMA and Ethernet counters of this host (bytes, pauses, CNPs, discards, retransmissions) and its "
           "DCQCN settings into one file. It only reads. Give the file to anole advise."
           "\v"
           "Examples:\n"
           "  anole record --samples 300\n"
           "      Five minutes into anole-record.csv.\n"
           "  anole record --script > record.sh\n"
           "      A POSIX shell script that needs nothing else: sh record.sh -i 1 -n 300 -o host7.csv\n"
           "\n"
           "Pauses and discards need ethtool; settings of the kernel's own mlx5 driver need root.",
};

static void add(const char **args, int *count, const char *option, const char *value)
{
    if (value) {
        args[(*count)++] = option;
        args[(*count)++] = value;
    }
}

static int record_main(int argc, char **argv)
{
    struct options o = { 0 };
    const char    *args[ARGS_MAX] = { "sh", "-c", NULL, "anole-record" };
    int            count = 4;
    char          *script = xcalloc(1, record_script_bytes + 1);

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    memcpy(script, record_script, record_script_bytes);
    if (o.is_script) {
        fputs(script, stdout);
        free(script);
        return cmd_close_stdout();
    }
    args[2] = script;
    add(args, &count, "-i", o.every);
    add(args, &count, "-n", o.samples);
    add(args, &count, "-o", o.out);
    execv("/bin/sh", (char *const *)args);
    cmd_usage("record: /bin/sh: %s", strerror(errno));
}

const struct command command_record = { "record", "sample counters and settings of this host for anole advise", record_main };
