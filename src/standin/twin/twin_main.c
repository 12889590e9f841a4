/* src/standin/twin/twin_main.c - anole-twin: what `anole twin` starts, and the processes that it starts itself. */
#include "base/print/safe.h"
#include "base/text.h"
#include "http/http_config.h"
#include "live/daemon/exit.h"
#include "scenario/examples.h"
#include "standin/twin/run_twin.h"
#include "version.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_TUNER = 't', KEY_SECONDS = 's', KEY_INTERVAL = 'i', KEY_OUT = 'o', KEY_DIRECT = 2000, KEY_LOCK, KEY_HARDWARE };

static const struct argp_option twin_rows[] = {
    { "page", 'p', "ADDRESS:PORT", 0, "The controller shows its page there, which takes orders with the token that lies in the folder; "
      "127.0.0.1:0: at a port that is free", 0 },
    { "tuner", KEY_TUNER, "NAME", 0, "As in a scenario; default: the scenario's, or expert", 0 },
    { "seconds", KEY_SECONDS, "N", 0, "End after so long; default: when Ctrl-C is pressed", 0 },
    { "interval", KEY_INTERVAL, "MS", 0, "Real time that a monitor interval of the scenario takes; default: what it says, or 100 if that is below 20", 0 },
    { "out", KEY_OUT, "FOLDER", 0, "A new folder for configurations, logs and what the tuner did; default: a temporary one", 0 },
    { "direct", KEY_DIRECT, NULL, 0, "What the tuner says goes to all devices at once, without trials", 0 },
    { "hardware", KEY_HARDWARE, NULL, 0, "Agents reach NICs through files (FUSE) and switches through Redis, as on real ones", 0 },
    { "lock-step", KEY_LOCK, NULL, 0, "Simulated time waits for the controller, and decisions are those of `anole run`; "
      "ends with the scenario", 0 },
    { 0 },
};

static uint32_t number_of(const char *arg)
{
    uint64_t   value;
    struct err err;

    if (text_to_uint(arg, &value, &err) || !value || value > 1000000)
        exit_usage("'%s' is not a number from 1 to 1000000", arg);
    return (uint32_t)value;
}

static error_t parse_twin(int key, char *arg, struct argp_state *state)
{
    struct twin_request *q = state->input;

    switch (key) {
    case 'p':          q->page = arg; break;
    case KEY_TUNER:    q->tuner = arg; break;
    case KEY_SECONDS:  q->seconds = number_of(arg); break;
    case KEY_INTERVAL: q->interval_ms = number_of(arg); break;
    case KEY_OUT:      q->out = arg; break;
    case KEY_DIRECT:   q->is_direct = true; break;
    case KEY_LOCK:     q->is_locked = true; break;
    case KEY_HARDWARE: q->is_hardware = true; break;
    case ARGP_KEY_ARG:
        if (q->scenario)
            exit_usage("one scenario at a time: '%s' is another", arg);
        q->scenario = arg;
        break;
    case ARGP_KEY_NO_ARGS: exit_usage("which scenario? See %s --help", state->name);
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp twin_argp = {
    twin_rows, parse_twin, "SCENARIO.yaml",
    "Runs a controller and agents on this machine, whose NICs and switches are those of a simulated network: each monitor interval of "
    "the scenario takes an interval of real time, so the network may live slower than a real one. Shows how it is doing, "
    "and in the end what was tried and why it was kept or not."
    "\v"
    "Example:\n"
    "  anole twin live --seconds 60\n"
    "  anole twin live_demo --page 127.0.0.1:7480\n"
    "      Then open http://127.0.0.1:7480/: an influx comes after 25 s.\n"
    "  anole twin scenario.yaml --lock-step --out build/twin\n"
    "      The tuner of the scenario, through agents and a controller;\n"
    "      build/twin/controller/tuning.jsonl is that of anole run.", NULL, NULL, NULL,
};

static int twin_main(int argc, char **argv)
{
    struct twin_request q = { 0 };
    struct err          err;
    char               *scenario;
    int                 rc;

    argp_parse(&twin_argp, argc, argv, 0, NULL, &q);
    if (q.page && q.is_locked)
        exit_usage("--page %s: in lock step there is no page: its time is not ours", q.page);
    if (q.page && (!http_is_local(q.page) || strchr(q.page, '\'')))
        exit_usage("--page %s: a twin shows its page to this machine alone, such as 127.0.0.1:7480", q.page);
    q.scenario = scenario = examples_path(q.scenario, &err);
    rc = scenario ? twin_run(&q, &err) : -ENOENT;
    free(scenario);
    return exit_code(rc, &err);
}

/* anole-twin agent FILE FLAGS, anole-twin controller FILE DEVICES: see run_twin.c. */
static int process_main(char **argv)
{
    struct err err;
    bool       is_agent = strcmp(argv[1], "agent") == 0;

    return exit_code(is_agent ? twin_agent(argv[2], strchr(argv[3], 'l') != NULL, strchr(argv[3], 'm') != NULL, &err) :
                     twin_controller(argv[2], number_of(argv[3]), &err), &err);
}

int main(int argc, char **argv)
{
    argp_program_version = "anole " ANOLE_VERSION;
    argp_err_exit_status = EXIT_USAGE;
    if (argc == 4 && (strcmp(argv[1], "agent") == 0 || strcmp(argv[1], "controller") == 0))
        return process_main(argv);
    if (argc < 2 || strcmp(argv[1], "twin") != 0)
        exit_usage("this is started by anole: see %s", "anole --help");
    argv[1] = (char *)"anole twin";
    return twin_main(argc - 1, argv + 1);
}
