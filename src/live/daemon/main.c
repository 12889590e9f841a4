/* src/live/daemon/main.c - anole-live: what `anole agent`, `anole controller` and `anole ctl` start. */
#include "base/print/safe.h"
#include "base/text.h"
#include "http/config.h"
#include "live/daemon/ctl.h"
#include "live/daemon/live_tuner.h"
#include "live/daemon/run.h"
#include "version.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options {
    const char         *path, *driver;
    bool                is_check, is_rescue, is_relay;
    struct ctl_request  ctl;
    const char         *verb, *argument;
};

static int end(int rc, const struct err *err)
{
    if (rc < 0)
        fprintf(stderr, "anole: %s\n", err->text);
    return rc < 0 ? EXIT_FAILED : rc > 0 ? 128 + rc : fclose(stdout) ? EXIT_FAILED : EXIT_SUCCESS;
}

static _Noreturn void usage(const char *text, const char *word) __attribute__((format(printf, 1, 0)));
static _Noreturn void usage(const char *text, const char *word)
{
    fputs("anole: ", stderr);
    safe_printf(stderr, text, word);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

/* ---- agent, controller ---- */

enum { KEY_CHECK = 'c', KEY_DRIVER = 'd', KEY_RESCUE = 'r', KEY_RELAY = 3000 };

static error_t parse_daemon(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_CHECK:  o->is_check = true; break;
    case KEY_DRIVER: o->driver = arg; break;
    case KEY_RESCUE: o->is_rescue = true; break;
    case KEY_RELAY:  o->is_relay = true; break;
    case ARGP_KEY_ARG:
        if (o->path)
            usage("one configuration at a time: '%s' is another", arg);
        o->path = arg;
        break;
    case ARGP_KEY_NO_ARGS:
        usage("which configuration? See %s --help", state->name);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option agent_rows[] = {
    { "check-config", KEY_CHECK, NULL, 0, "Read the file, look at the devices, write nothing", 0 },
    { "driver", KEY_DRIVER, "NAME", 0, "mlx5 or sonic; default: what the file says", 0 },
    { "rescue", KEY_RESCUE, NULL, 0, "Bring the devices back to what was confirmed last and end; for ExecStopPost", 0 },
    { "relay", KEY_RELAY, NULL, 0, "No devices: hand reports of the agents of a rack on to a controller, merged, and settings back", 0 },
    { 0 },
};

static const struct argp agent_argp = {
    agent_rows, parse_daemon, "CONFIG",
    "Watches the devices of this host, reports to a controller, and sets what it is told within limits. What is not "
    "confirmed it takes back by itself: see docs/live.md."
    "\v"
    "Examples:\n"
    "  anole agent agent.yaml --check-config\n"
    "      Is the file right, are the devices there?\n"
    "  anole agent agent.yaml\n"
    "      Runs until a signal comes.", NULL, NULL, NULL,
};

static int relay_main(const struct options *o)
{
    struct relay_file f;
    struct err        err;
    int               rc = config_read_relay(&f, o->path, &err);

    if (rc)
        return end(rc, &err);
    if (!o->is_check)
        rc = relay_run(&f, &err);
    config_fini_relay(&f);
    return end(rc, &err);
}

static int agent_main(int argc, char **argv)
{
    struct options    o = { 0 };
    struct agent_file f;
    struct err        err;
    int               rc;

    argp_parse(&agent_argp, argc, argv, 0, NULL, &o);
    if (o.is_relay)
        return relay_main(&o);
    rc = config_read_agent(&f, o.path, o.driver, &err);
    if (rc)
        return end(rc, &err);
    rc = o.is_check ? agent_check(&f, &err) : o.is_rescue ? agent_rescue(&f, &err) : agent_run(&f, &err);
    config_fini_agent(&f);
    return end(rc, &err);
}

static const struct argp_option controller_rows[] = {
    { "check-config", KEY_CHECK, NULL, 0, "Read the file and end", 0 },
    { 0 },
};

static const struct argp controller_argp = {
    controller_rows, parse_daemon, "CONFIG",
    "Hears the agents of a fabric, tries what its tuner proposes in stages, and keeps what is better. It observes only "
    "unless its file says otherwise: see docs/live.md."
    "\v"
    "Example:\n"
    "  anole controller controller.yaml", NULL, NULL, NULL,
};

static int controller_main(int argc, char **argv)
{
    struct options         o = { 0 };
    struct controller_file f;
    struct err             err;
    int                    rc;

    argp_parse(&controller_argp, argc, argv, 0, NULL, &o);
    rc = config_read_controller(&f, o.path, &err);
    if (rc)
        return end(rc, &err);
    rc = live_tuner_check(&f, &err);
    if (!rc && !o.is_check)
        rc = controller_run(&f, &err);
    config_fini_controller(&f);
    return end(rc, &err);
}

/* ---- twin ---- */

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
        usage("'%s' is not a number from 1 to 1000000", arg);
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
            usage("one scenario at a time: '%s' is another", arg);
        q->scenario = arg;
        break;
    case ARGP_KEY_NO_ARGS: usage("which scenario? See %s --help", state->name);
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
    "  anole twin scenarios/live.yaml --seconds 60\n"
    "  anole twin scenarios/live_demo.yaml --page 127.0.0.1:7480\n"
    "      Then open http://127.0.0.1:7480/: an influx comes after 25 s.\n"
    "  anole twin scenario.yaml --lock-step --out build/twin\n"
    "      The tuner of the scenario, through agents and a controller; build/twin/controller/tuning.jsonl is that of anole run.", NULL, NULL, NULL,
};

static int twin_main(int argc, char **argv)
{
    struct twin_request q = { 0 };
    struct err          err;

    argp_parse(&twin_argp, argc, argv, 0, NULL, &q);
    if (q.page && q.is_locked)
        usage("--page %s: in lock step there is no page: its time is not ours", q.page);
    if (q.page && (!http_is_local(q.page) || strchr(q.page, '\'')))
        usage("--page %s: a twin shows its page to this machine alone, such as 127.0.0.1:7480", q.page);
    return end(twin_run(&q, &err), &err);
}

/* ---- ctl ---- */

enum { KEY_ADDRESS = 'a', KEY_CA = 1000, KEY_CERT, KEY_KEY, KEY_WHY = 'w', KEY_JSON = 'j', KEY_FORMAT = 'f' };

static const struct argp_option ctl_rows[] = {
    { "address", KEY_ADDRESS, "HOST:PORT", 0, "Of the controller; default 127.0.0.1:7471", 0 },
    { "ca", KEY_CA, "FILE", 0, "Certificate of the authority", 0 },
    { "cert", KEY_CERT, "FILE", 0, "Own certificate; its name must be an operator's", 0 },
    { "key", KEY_KEY, "FILE", 0, "Own key", 0 },
    { "why", KEY_WHY, "TEXT", 0, "For the audit log", 0 },
    { "format", KEY_FORMAT, "table|json", 0, "How the answer is printed (default: table; json: as it came)", 0 },
    { "json", KEY_JSON, NULL, 0, "The same as --format json", 0 },
    { 0 },
};

static void take_argument(struct options *o, const char *arg)
{
    if (!o->verb)
        o->verb = arg;
    else if (!o->argument)
        o->argument = arg;
    else
        usage("'%s' is too much", arg);
}

static _Noreturn void name_verbs(const char *program)
{
    fprintf(stderr, "anole: what? There are");
    for (int i = 0; ctl_verbs[i]; i++)
        fprintf(stderr, " %s,", ctl_verbs[i]);
    fprintf(stderr, " verify; see %s --help\n", program);
    exit(EXIT_USAGE);
}

static error_t parse_ctl(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_ADDRESS: o->ctl.address = arg; break;
    case KEY_CA:      o->ctl.tls.ca = arg; break;
    case KEY_CERT:    o->ctl.tls.cert = arg; break;
    case KEY_KEY:     o->ctl.tls.key = arg; break;
    case KEY_WHY:     snprintf(o->ctl.question.why, sizeof o->ctl.question.why, "%s", arg); break;
    case KEY_JSON:    o->ctl.is_json = true; break;
    case KEY_FORMAT:
        o->ctl.is_json = strcmp(arg, "json") == 0;
        if (!o->ctl.is_json && strcmp(arg, "table") != 0)
            usage("--format: '%s' is not a format: table or json", arg);
        break;
    case ARGP_KEY_ARG: take_argument(o, arg); break;
    case ARGP_KEY_NO_ARGS: name_verbs(state->name);
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp ctl_argp = {
    ctl_rows, parse_ctl, "VERB [DEVICE|NUMBER|FILE]",
    "Asks a controller.\n\n"
    "  status            what it does, and which devices need somebody\n"
    "  devices           all devices: state, how they do, what was changed\n"
    "  history           the last records of its audit log\n"
    "  explain [NUMBER]  the last trial, or that one: why, step by step, on what evidence\n"
    "  diff              what devices hold that is not their baseline\n"
    "  freeze [DEVICE]   take back what is open, try nothing more\n"
    "  thaw [DEVICE]     go on\n"
    "  approve NUMBER    let a trial begin that waits for it\n"
    "  rollback          bring all devices back to their baseline\n"
    "  verify FILE       check an audit log; needs no controller"
    "\v"
    "Examples:\n"
    "  anole ctl status\n"
    "  anole ctl explain\n"
    "  anole ctl freeze --why 'maintenance of rack 7'\n"
    "  anole ctl verify /var/lib/anole/audit.jsonl", NULL, NULL, NULL,
};

static void check_verb(const struct options *o)
{
    const char *names[16] = { "verify" };
    char        near[64];
    int         i = 0;

    for (; ctl_verbs[i]; i++) {
        names[i + 1] = ctl_verbs[i];
        if (strcmp(o->verb, ctl_verbs[i]) == 0)
            return;
    }
    text_did_you_mean(near, sizeof near, o->verb, names);
    fputs("anole: ", stderr);
    safe_printf(stderr, "'%s' is not something to ask%s", o->verb, *near ? near : "; see anole ctl --help");
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

static void fill_question(struct options *o)
{
    struct question *q = &o->ctl.question;
    bool             is_approve = strcmp(o->verb, "approve") == 0;
    bool             is_explain = strcmp(o->verb, "explain") == 0;
    struct err       err;

    q->version = MSG_VERSION;
    snprintf(q->verb, sizeof q->verb, "%s", o->verb);
    if (is_approve && (!o->argument || text_to_uint(o->argument, &q->number, &err)))
        usage("approve which trial? See %s", "anole ctl status");
    if (is_explain && o->argument && (text_to_uint(o->argument, &q->number, &err) || !q->number))
        usage("explain which trial? '%s' is not a number", o->argument);
    if (o->argument && !is_approve && !is_explain && strcmp(o->verb, "freeze") != 0 && strcmp(o->verb, "thaw") != 0)
        usage("'%s' is too much", o->argument);
    if (o->argument && strlen(o->argument) >= sizeof q->device)
        usage("'%s' is too long for a device", o->argument);
    if (o->argument && !is_approve && !is_explain)
        snprintf(q->device, sizeof q->device, "%s", o->argument);
}

static int ctl_main(int argc, char **argv)
{
    struct options  o = { .ctl = { .address = "127.0.0.1:7471" } };
    struct rpc_tls *tls = &o.ctl.tls;
    struct err      err;

    argp_parse(&ctl_argp, argc, argv, 0, NULL, &o);
    if (strcmp(o.verb, "verify") == 0) {
        if (!o.argument)
            usage("verify which file? See %s", "anole ctl --help");
        return end(ctl_verify(o.argument, &err), &err);
    }
    check_verb(&o);
    fill_question(&o);
    if ((tls->ca || tls->cert || tls->key) && !(tls->ca && tls->cert && tls->key))
        usage("%s go together", "--ca, --cert and --key");
    return end(ctl_ask(&o.ctl, &err), &err);
}

int main(int argc, char **argv)
{
    static const struct { const char *name, *shown; int (*main)(int, char **); } command[] = {
        { "agent", "anole agent", agent_main }, { "controller", "anole controller", controller_main },
        { "ctl", "anole ctl", ctl_main }, { "twin", "anole twin", twin_main },
    };

    argp_program_version = "anole " ANOLE_VERSION;
    argp_err_exit_status = EXIT_USAGE;
    for (size_t i = 0; argc > 1 && i < sizeof command / sizeof *command; i++)
        if (strcmp(argv[1], command[i].name) == 0) {
            argv[1] = (char *)command[i].shown;
            return command[i].main(argc - 1, argv + 1);
        }
    usage("this is started by anole: see %s", "anole --help");
}
