/* standin/twin/twin_main.c - anole-twin: what `anole twin` starts, and the processes that it starts
 * itself. */
#include "cmd/cmd.h"
#include "base/http/http_config.h"
#include "study/scenario/examples.h"
#include "standin/twin/run_twin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 1000000

static const struct cmd_option twin_rows[] = {
    { "page", 'p', "ADDRESS:PORT",
      "Address of the controller's page (port 0: any free port). The page takes orders "
      "with the token in the folder", KEY_AT(struct twin_request, page) },
    { "tuner", 't', "NAME", "As in a scenario (default: the scenario's, or expert)",
      KEY_AT(struct twin_request, tuner) },
    { "seconds", 's', "N", "End after so long (default: on Ctrl-C)", KEY_AT(struct twin_request, seconds),
      KEY_COUNT, 1, NUMBER_MAX },
    { "interval", 'i', "MS",
      "Real time of a monitor interval of the scenario (default: its own length, or 100 if that "
      "is below 20)", KEY_AT(struct twin_request, interval_ms), KEY_COUNT, 1, NUMBER_MAX },
    { "out", 'o', "FOLDER",
      "New folder for configurations, logs and the tuner's decisions (default: a temporary one)",
      KEY_AT(struct twin_request, out) },
    { "direct", 0, NULL, "Apply the tuner's settings to all devices at once, without trials",
      KEY_AT(struct twin_request, is_direct) },
    { "hardware", 0, NULL,
      "Agents reach NICs through files (FUSE) and switches through Redis, as on real ones",
      KEY_AT(struct twin_request, is_hardware) },
    { "lock-step", 0, NULL,
      "Simulated time waits for the controller, and decisions are those of `anole run`; ends "
      "with the scenario", KEY_AT(struct twin_request, is_locked) },
    { 0 },
};

static const struct cmd_line twin_line = {
    .options = twin_rows,
    .argument = { "scenario", KEY_AT(struct twin_request, scenario) },
    .missing = "which scenario? See anole twin --help",
    .args = "SCENARIO.yaml",
    .help = "Runs a controller and agents on this machine, whose NICs and switches are those of a simulated "
            "network. Each monitor interval of the scenario takes an interval of real time, so the network "
            "may run slower than a real one. Prints the state now and then, and at the end what was tried "
            "and why it was kept or not.\vExample:\n"
            "  anole twin live --seconds 60\n"
            "  anole twin live_demo --page 127.0.0.1:7480\n"
            "      Then open http://127.0.0.1:7480/: an influx comes after 25 s.\n"
            "  anole twin scenario.yaml --lock-step --out build/twin\n"
            "      The tuner of the scenario, through agents and a controller;\n"
            "      build/twin/controller/tuning.jsonl is that of anole run.",
};

static int twin_main(int argc, char **argv)
{
    struct twin_request q = { 0 };
    struct err          err;
    char               *scenario;

    cmd_parse(&twin_line, argc, argv, &q);
    if (q.page && q.is_locked)
        cmd_usage("--page %s: not supported with --lock-step", q.page);
    if (q.page && (!http_is_local(q.page) || strchr(q.page, '\'')))
        cmd_usage("--page %s: a twin shows its page on this machine only, such as 127.0.0.1:7480", q.page);
    q.scenario = scenario = examples_path(q.scenario, &err);
    int rc = scenario ? twin_run(&q, &err) : -ENOENT;
    free(scenario);
    return cmd_end(rc, &err);
}

/* anole-twin agent FILE FLAGS, anole-twin controller FILE DEVICES: see run_twin.c. */
static int process_main(char **argv)
{
    struct err err;
    bool       is_agent = strcmp(argv[1], "agent") == 0;

    return cmd_end(is_agent ?
                   twin_agent(argv[2], strchr(argv[3], 'l') != NULL, strchr(argv[3], 'm') != NULL, &err) :
                   twin_controller(argv[2], (uint32_t)cmd_count("DEVICES", argv[3], 1, NUMBER_MAX), &err),
                   &err);
}

int main(int argc, char **argv)
{
    if (argc == 4 && (strcmp(argv[1], "agent") == 0 || strcmp(argv[1], "controller") == 0))
        return process_main(argv);
    if (argc < 2 || strcmp(argv[1], "twin") != 0)
        cmd_usage("anole starts this program: see anole --help");
    argv[1] = (char *)"anole twin";
    return twin_main(argc - 1, argv + 1);
}
