/* src/cmd/cmd_record.c - anole record: samples the counters and settings of this host into a file, with
 * data/record.sh. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* data/record.sh; its build step writes it as an array. */
extern const unsigned char record_script[];
extern const unsigned long record_script_bytes;

#define ARGS_MAX 12

struct options { const char *every, *samples, *out; bool is_script; };

static const struct cmd_option option_rows[] = {
    { "every", 'i', "SECONDS", "Time between samples, whole seconds (default: 1)",
      KEY_AT(struct options, every) },
    { "samples", 'n', "N", "Number of samples (default: 60)", KEY_AT(struct options, samples) },
    { "out", 'o', "FILE", "Output file (default: anole-record.csv)", KEY_AT(struct options, out) },
    { "script", 0, NULL, "Print the shell script that does it, to run it on hosts without Anole",
      KEY_AT(struct options, is_script) },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .help = "Samples the RDMA and Ethernet counters of this host (bytes, pauses, CNPs, discards, "
            "retransmissions) and its DCQCN settings into one file. It only reads. Give the file to anole "
            "advise."
            "\v"
            "Examples:\n"
            "  anole record --samples 300\n"
            "      Record five minutes into anole-record.csv.\n"
            "  anole record --script > record.sh\n"
            "      A POSIX shell script without dependencies. On a host:\n"
            "      sh record.sh -i 1 -n 300 -o host7.csv\n"
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

    cmd_parse(&line, argc, argv, &o);
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

const struct command command_record = { "record", "sample counters and settings of this host for advise",
    record_main };
