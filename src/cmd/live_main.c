/* src/cmd/live_main.c - anole-live: what `anole agent`, `anole controller` and `anole ctl` start. */
#include "base/text.h"
#include "cmd/cmd.h"
#include "live/daemon/ctl.h"
#include "live/daemon/process.h"
#include "live/daemon/run.h"
#include "live/daemon/user.h"
#include "live/daemon/tuner/live_tuner.h"
#include "live/view/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- agent, controller ---- */

struct daemon_options {
    const char          *path;
    const struct driver *driver;
    bool                 is_check, is_rescue, is_baseline, is_forget, is_relay;
    const char          *user;                   /* NULL: the one that started it */
    const char          *record;                 /* a new file for the inputs; or NULL */
};

#define OPTIONS struct daemon_options

static void set_driver(void *into, const char *name)
{
    struct err err;

    if (config_find_driver(&((OPTIONS *)into)->driver, name, &err))
        exit(cmd_end(-EINVAL, &err));
}

static void print_keys(void *into, const char *text)
{
    (void)into;
    (void)text;
    config_print_reference(stdout);
    exit(cmd_close_stdout());
}

#define USER_OPTION \
    { "user", 'u', "NAME", "Do that as this user, with the capabilities of the systemd unit; for root", \
      KEY_AT(OPTIONS, user) }

#define KEYS_OPTION \
    { "keys", 0, NULL, "Print all keys of configuration files as Markdown and exit", .add = print_keys }

static const struct cmd_option agent_rows[] = {
    { "check-config", 'c', NULL, "Read the file and the devices, and exit. Writes nothing",
      KEY_AT(OPTIONS, is_check) },
    { "driver", 'd', "NAME", "mlx5 or sonic (default: that of the file)", .add = set_driver },
    { "rescue", 'r', NULL, "Restore the last confirmed setting of the devices and exit; for ExecStopPost",
      KEY_AT(OPTIONS, is_rescue) },
    { "baseline", 0, NULL,
      "As --rescue; then restore the values from before the first change. For a host that Anole leaves",
      KEY_AT(OPTIONS, is_baseline) },
    { "forget-term", 0, NULL,
      "As --rescue; then obey any controller, whatever terms were seen. For agents that a "
      "false controller has misled", KEY_AT(OPTIONS, is_forget) },
    USER_OPTION,
    KEYS_OPTION,
    { "relay", 0, NULL,
      "Run as a relay without devices: forwards merged reports of a rack's agents to a controller, "
      "and settings back", KEY_AT(OPTIONS, is_relay) },
    { 0 },
};

static const struct cmd_line agent_line = {
    .options = agent_rows,
    .argument = { "configuration", KEY_AT(OPTIONS, path) },
    .missing = "which configuration? See anole agent --help",
    .args = "CONFIG",
    .help = "Monitors the devices of this host, reports to a controller, and applies its settings within "
            "limits. Reverts an unconfirmed setting without being asked: see docs/live.md.\vExamples:\n"
            "  anole agent agent.yaml --check-config --user anole\n"
            "      Checks the file and finds the devices, as the service will.\n"
            "  anole agent agent.yaml\n"
            "      Runs until a signal arrives.",
};

static int begin(const OPTIONS *o, bool is_agent, struct err *err)
{
    return o->user ? user_become(o->user, is_agent, err) : 0;
}

static int relay_main(const OPTIONS *o)
{
    struct relay_file f;
    struct err        err;
    int               rc = begin(o, false, &err);

    rc = rc ? rc : config_read(&config_relay, &f, o->path, NULL, &err);
    if (rc)
        return cmd_end(rc, &err);
    rc = o->is_check ? process_check(&f.common, NULL, &err) : relay_run(&f, &err);
    config_fini(&config_relay, &f);
    return cmd_end(rc, &err);
}

static int agent_main(int argc, char **argv)
{
    OPTIONS           o = { 0 };
    struct agent_file f;
    struct err        err;

    cmd_parse(&agent_line, argc, argv, &o);
    if (o.is_relay)
        return relay_main(&o);
    int rc = begin(&o, true, &err);
    rc = rc ? rc : config_read(&config_agent, &f, o.path, o.driver, &err);
    if (rc)
        return cmd_end(rc, &err);
    rc = o.is_check ? process_check(&f.common, NULL, &err) : 0;
    rc = rc ? rc : o.is_check ? agent_check(&f, &err) :
         o.is_baseline ? agent_baseline(&f, &err) :
         o.is_forget || o.is_rescue ? agent_rescue(&f, o.is_forget, &err) : agent_run(&f, NULL, &err);
    config_fini(&config_agent, &f);
    return cmd_end(rc, &err);
}

static const struct cmd_option controller_rows[] = {
    { "check-config", 'c', NULL, "Read the file and those that it names, and exit",
      KEY_AT(OPTIONS, is_check) },
    { "record", 0, "FILE", "Write all inputs to this new file; 'anole ctl replay' repeats its decisions",
      KEY_AT(OPTIONS, record) },
    USER_OPTION,
    KEYS_OPTION,
    { 0 },
};

static const struct cmd_line controller_line = {
    .options = controller_rows,
    .argument = { "configuration", KEY_AT(OPTIONS, path) },
    .missing = "which configuration? See anole controller --help",
    .args = "CONFIG",
    .help = "Collects the reports of a fabric's agents, tries the proposals of its tuner in stages, and "
            "keeps those that are better. It only observes unless its file says otherwise: see "
            "docs/live.md.\vExample:\n"
            "  anole controller controller.yaml",
};

static int controller_main(int argc, char **argv)
{
    OPTIONS                o = { 0 };
    struct controller_file f;
    struct err             err;

    cmd_parse(&controller_line, argc, argv, &o);
    int rc = begin(&o, false, &err);
    rc = rc ? rc : config_read(&config_controller, &f, o.path, NULL, &err);
    if (rc)
        return cmd_end(rc, &err);
    rc = live_tuner_check(&f, &err);
    f.record = o.record;
    if (!rc)
        rc = o.is_check ? process_check(&f.common, NULL, &err) : controller_run(&f, NULL, &err);
    config_fini(&config_controller, &f);
    return cmd_end(rc, &err);
}

/* ---- ctl ---- */

struct ctl_options {
    struct ctl_request ctl;
    const char       **word;         /* the verb and its argument */
    uint32_t           words;
    const char        *verb, *argument, *why;
};

#undef OPTIONS
#define OPTIONS struct ctl_options

static const struct cmd_option ctl_rows[] = {
    { "address", 'a', "HOST:PORT", "Address of the controller (default: 127.0.0.1:7471)",
      KEY_AT(OPTIONS, ctl.address) },
    { "ca", 0, "FILE", "Certificate of the authority", KEY_AT(OPTIONS, ctl.tls.ca) },
    { "cert", 0, "FILE", "Own certificate; its name must be that of an operator",
      KEY_AT(OPTIONS, ctl.tls.cert) },
    { "key", 0, "FILE", "Own key", KEY_AT(OPTIONS, ctl.tls.key) },
    { "why", 'w', "TEXT", "Reason, for the audit log", KEY_AT(OPTIONS, why) },
    CMD_FORMAT(OPTIONS, ctl.is_json),
    { "json", 'j', NULL, "The same as --format json", KEY_AT(OPTIONS, ctl.is_json) },
    { 0 },
};

static const struct cmd_line ctl_line = {
    .options = ctl_rows,
    .argument = { "verb", CMD_LIST(OPTIONS, word, words) },
    .args = "VERB [DEVICE|NUMBER|FILE]",
    .help = "Sends a request to a controller.\n\n"
            "  status            show the current trial and the devices that need attention\n"
            "  devices           list all devices: state, metric, changes\n"
            "  history           show the last records of the audit log\n"
            "  explain [NUMBER]  explain the last trial, or that one, with its evidence\n"
            "  diff              show where devices differ from their baseline\n"
            "  freeze [DEVICE]   revert the current trial and start no other\n"
            "  thaw [DEVICE]     end a freeze\n"
            "  approve NUMBER[:CODE]\n"
            "                    start a waiting trial; 'status' shows the code, which\n"
            "                    scripts must give\n"
            "  reject NUMBER     drop a waiting trial; its setting is not proposed for an hour\n"
            "  rollback          restore the baseline of all devices, and freeze\n"
            "  forget DEVICE     drop a device that no longer reports; 'rack7-*': all such\n"
            "  drill [DEVICE]    test the dead-man switch on a canary; changes no value\n"
            "  verify FILE       check an audit log; needs no controller\n"
            "  replay FILE       repeat the decisions of a controller from its record\n"
            "                    (anole controller --record); needs no controller"
            "\v"
            "Examples:\n"
            "  anole ctl status\n"
            "  anole ctl explain\n"
            "  anole ctl freeze --why 'maintenance of rack 7'\n"
            "  anole ctl verify /var/lib/anole/audit.jsonl",
};

static _Noreturn void name_verbs(void)
{
    fprintf(stderr, "anole: what? There are");
    for (const struct words_verb *v = words_verbs; v->name; v++)
        fprintf(stderr, " %s,", v->name);
    fprintf(stderr, " verify, replay; see anole ctl --help\n");
    exit(EXIT_USAGE);
}

static void parse_ctl(OPTIONS *o, int argc, char **argv)
{
    cmd_parse(&ctl_line, argc, argv, o);
    if (!o->words)
        name_verbs();
    if (o->words > 2)
        cmd_usage("'%s' is one argument too many", o->word[2]);
    o->verb = o->word[0];
    o->argument = o->words > 1 ? o->word[1] : NULL;
    free(o->word);
}

static const struct words_verb *find_verb(const OPTIONS *o)
{
    const char *names[32] = { "verify", "replay" };
    char        near[64];

    for (int i = 0; words_verbs[i].name; i++)
        names[i + 2] = words_verbs[i].name;
    if (!words_verb_of(o->verb)) {
        text_did_you_mean(near, sizeof near, o->verb, names);
        cmd_usage("unknown verb '%s'%s", o->verb, *near ? near : "; see anole ctl --help");
    }
    return words_verb_of(o->verb);
}

/* "7" or "7:CODE". */
static void take_trial(struct question *q, const char *verb, const char *arg)
{
    const char *colon = arg ? strchr(arg, ':') : NULL;
    char        number[32];
    struct err  err;

    snprintf(number, sizeof number, "%.*s", colon ? (int)(colon - arg) : 31, arg ? arg : "");
    if (text_to_uint(number, &q->number, &err) || !q->number ||
        (colon && strlen(colon + 1) >= sizeof q->code))
        cmd_usage("%s which trial? See anole ctl status", verb);
    if (colon)
        snprintf(q->code, sizeof q->code, "%s", colon + 1);
}

static void fill_question(OPTIONS *o, const struct words_verb *verb)
{
    struct question *q = &o->ctl.question;

    if (strcmp(o->verb, "forget") == 0 && !o->argument)
        cmd_usage("forget which device? See anole ctl status");
    q->version = MSG_VERSION;
    snprintf(q->verb, sizeof q->verb, "%s", o->verb);
    snprintf(q->why, sizeof q->why, "%s", o->why ? o->why : "");
    if (strcmp(o->verb, "approve") == 0 || strcmp(o->verb, "reject") == 0 || (o->argument && verb->takes_trial))
        take_trial(q, o->verb, o->argument);
    else if (o->argument && !verb->takes_device)
        cmd_usage("'%s' is one argument too many", o->argument);
    else if (o->argument && strlen(o->argument) >= sizeof q->device)
        cmd_usage("'%s' is too long for a device", o->argument);
    else if (o->argument)
        snprintf(q->device, sizeof q->device, "%s", o->argument);
}

static int ctl_main(int argc, char **argv)
{
    OPTIONS         o = { .ctl = { .address = "127.0.0.1:7471" } };
    struct rpc_tls *tls = &o.ctl.tls;
    struct err      err;

    parse_ctl(&o, argc, argv);
    if (strcmp(o.verb, "verify") == 0 || strcmp(o.verb, "replay") == 0) {
        if (!o.argument)
            cmd_usage("%s which file? See anole ctl --help", o.verb);
        return cmd_end(*o.verb == 'v' ? ctl_verify(o.argument, &err) : ctl_replay(o.argument, &err), &err);
    }
    fill_question(&o, find_verb(&o));
    if ((tls->ca || tls->cert || tls->key) && !(tls->ca && tls->cert && tls->key))
        cmd_usage("--ca, --cert and --key must be given together");
    int rc = ctl_ask(&o.ctl, &err);
    free(tls->ca);
    free(tls->cert);
    free(tls->key);
    return cmd_end(rc, &err);
}

int main(int argc, char **argv)
{
    static const struct { const char *name, *shown; int (*main)(int, char **); } command[] = {
        { "agent", "anole agent", agent_main }, { "controller", "anole controller", controller_main },
        { "ctl", "anole ctl", ctl_main },
    };

    for (size_t i = 0; argc > 1 && i < sizeof command / sizeof *command; i++)
        if (strcmp(argv[1], command[i].name) == 0) {
            argv[1] = (char *)command[i].shown;
            return command[i].main(argc - 1, argv + 1);
        }
    cmd_usage("anole starts this program: see anole --help");
}
