/* src/live/daemon/live_main.c - anole-live: what `anole agent`, `anole controller` and `anole ctl` start. */
#include "base/print/safe.h"
#include "base/text.h"
#include "live/daemon/ctl.h"
#include "live/daemon/exit.h"
#include "live/tuner/live_tuner.h"
#include "live/daemon/run.h"
#include "version.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char         *path;
    const struct driver *driver;
    bool                is_check, is_rescue, is_forget, is_relay;
    enum agent_path     path_order;
    const char         *path_name;
    struct ctl_request  ctl;
    const char         *verb, *argument;
};

/* ---- agent, controller ---- */

enum {
    KEY_CHECK = 'c', KEY_DRIVER = 'd', KEY_RESCUE = 'r',
    KEY_RELAY = 3000, KEY_LIST_KEYS, KEY_FORGET, KEY_PATHS, KEY_DENY, KEY_ALLOW,
};

static error_t parse_daemon(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct err      err;

    switch (key) {
    case KEY_CHECK:  o->is_check = true; break;
    case KEY_DRIVER:
        if (config_find_driver(&o->driver, arg, &err))
            exit(exit_code(-EINVAL, &err));
        break;
    case KEY_RESCUE: o->is_rescue = true; break;
    case KEY_FORGET: o->is_forget = true; break;
    case KEY_RELAY:  o->is_relay = true; break;
    case KEY_PATHS:  o->path_order = AGENT_PATHS_LIST; break;
    case KEY_DENY:   o->path_order = AGENT_PATHS_DENY; o->path_name = arg; break;
    case KEY_ALLOW:  o->path_order = AGENT_PATHS_ALLOW; o->path_name = arg; break;
    case KEY_LIST_KEYS:
        config_print_reference(stdout);
        exit(fclose(stdout) ? EXIT_FAILED : EXIT_SUCCESS);
    case ARGP_KEY_ARG:
        if (o->path)
            exit_usage("one configuration at a time: '%s' is another", arg);
        o->path = arg;
        break;
    case ARGP_KEY_NO_ARGS:
        exit_usage("which configuration? See %s --help", state->name);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option agent_rows[] = {
    { "check-config", KEY_CHECK, NULL, 0, "Read the file, look at the devices, write nothing", 0 },
    { "driver", KEY_DRIVER, "NAME", 0, "mlx5, mrc or sonic; default: what the file says", 0 },
    { "rescue", KEY_RESCUE, NULL, 0, "Bring the devices back to what was confirmed last and end; for ExecStopPost", 0 },
    { "forget-term", KEY_FORGET, NULL, 0, "The same; then obey any controller, whatever terms were seen. For agents that a false controller has led astray", 0 },
    { "paths", KEY_PATHS, NULL, 0, "List the paths of NICs with MRC, their states and round trips, and end", 0 },
    { "deny", KEY_DENY, "[DEVICE/]PATH", 0,
      "Let NICs with MRC no longer use a path, or all paths of a port, and end", 0 },
    { "allow", KEY_ALLOW, "[DEVICE/]PATH", 0, "Let them use it again, and end", 0 },
    { "keys", KEY_LIST_KEYS, NULL, 0, "Print all keys of configuration files as Markdown and end", 0 },
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
        return exit_code(rc, &err);
    if (!o->is_check)
        rc = relay_run(&f, &err);
    config_fini_relay(&f);
    return exit_code(rc, &err);
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
        return exit_code(rc, &err);
    rc = o.is_check ? agent_check(&f, &err) :
         o.path_order ? agent_paths(&f, o.path_order, o.path_name, &err) :
         o.is_forget ? agent_forget(&f, &err) :
         o.is_rescue ? agent_rescue(&f, &err) : agent_run(&f, NULL, &err);
    config_fini_agent(&f);
    return exit_code(rc, &err);
}

static const struct argp_option controller_rows[] = {
    { "check-config", KEY_CHECK, NULL, 0, "Read the file and end", 0 },
    { "keys", KEY_LIST_KEYS, NULL, 0, "Print all keys of configuration files as Markdown and end", 0 },
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
        return exit_code(rc, &err);
    rc = live_tuner_check(&f, &err);
    if (!rc && !o.is_check)
        rc = controller_run(&f, NULL, &err);
    config_fini_controller(&f);
    return exit_code(rc, &err);
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
        exit_usage("'%s' is too much", arg);
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
            exit_usage("--format: '%s' is not a format: table or json", arg);
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
    "  approve NUMBER[:CODE]  let a trial begin that waits for it; 'status' has the code, which scripts must give\n"
    "  rollback          bring all devices back to their baseline, whatever is under way, and freeze\n"
    "  forget DEVICE     drop a device that no longer reports, so that nobody waits for it\n"
    "  drill [DEVICE]    prove the dead-man switch at a canary, without a visible change\n"
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
    const char *names[32] = { "verify" };
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

/* "7" or "7:CODE". */
static void take_trial(struct question *q, const char *verb, const char *arg)
{
    const char *colon = arg ? strchr(arg, ':') : NULL;
    char        number[32];
    struct err  err;

    snprintf(number, sizeof number, "%.*s", colon ? (int)(colon - arg) : 31, arg ? arg : "");
    if (text_to_uint(number, &q->number, &err) || !q->number || (colon && strlen(colon + 1) >= sizeof q->code))
        exit_usage("%s which trial? See anole ctl status", verb);
    if (colon)
        snprintf(q->code, sizeof q->code, "%s", colon + 1);
}

static bool is_one_of(const char *verb, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(verb, *list) == 0)
            return true;
    return false;
}

static void fill_question(struct options *o)
{
    static const char *const of_trial[] = { "approve", "explain", NULL }, *const of_device[] = { "freeze", "thaw", "forget", "drill", NULL };
    struct question *q = &o->ctl.question;

    if (strcmp(o->verb, "forget") == 0 && !o->argument)
        exit_usage("forget which device? See %s", "anole ctl status");
    q->version = MSG_VERSION;
    snprintf(q->verb, sizeof q->verb, "%s", o->verb);
    if (strcmp(o->verb, "approve") == 0 || (o->argument && is_one_of(o->verb, of_trial)))
        take_trial(q, o->verb, o->argument);
    else if (o->argument && !is_one_of(o->verb, of_device))
        exit_usage("'%s' is too much", o->argument);
    else if (o->argument && strlen(o->argument) >= sizeof q->device)
        exit_usage("'%s' is too long for a device", o->argument);
    else if (o->argument)
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
            exit_usage("verify which file? See %s", "anole ctl --help");
        return exit_code(ctl_verify(o.argument, &err), &err);
    }
    check_verb(&o);
    fill_question(&o);
    if ((tls->ca || tls->cert || tls->key) && !(tls->ca && tls->cert && tls->key))
        exit_usage("%s go together", "--ca, --cert and --key");
    return exit_code(ctl_ask(&o.ctl, &err), &err);
}

int main(int argc, char **argv)
{
    static const struct { const char *name, *shown; int (*main)(int, char **); } command[] = {
        { "agent", "anole agent", agent_main }, { "controller", "anole controller", controller_main },
        { "ctl", "anole ctl", ctl_main },
    };

    argp_program_version = "anole " ANOLE_VERSION;
    argp_err_exit_status = EXIT_USAGE;
    for (size_t i = 0; argc > 1 && i < sizeof command / sizeof *command; i++)
        if (strcmp(argv[1], command[i].name) == 0) {
            argv[1] = (char *)command[i].shown;
            return command[i].main(argc - 1, argv + 1);
        }
    exit_usage("this is started by anole: see %s", "anole --help");
}
