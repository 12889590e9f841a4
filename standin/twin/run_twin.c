/* standin/twin/run_twin.c - see run_twin.h: a simulated network, its agent and a controller on this
 * machine, as processes of their own that talk as they would in a real network: over gRPC, with certificates
 * on both sides. */
#include "base/file/outfile.h"
#include "base/json.h"
#include "base/minmax.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "live/control/control.h"
#include "live/core/knobset.h"
#include "live/core/live_clock.h"
#include "live/daemon/ctl.h"
#include "live/daemon/run.h"
#include "live/daemon/tuner/live_tuner.h"
#include "standin/fabric/fabric.h"
#include "standin/twin/authority.h"
#include "standin/twin/run_twin.h"

#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_US      5000000u
#define PATIENCE_US    10000000u /* time for a child to end */
#define REAL_TIME_US   20000u    /* intervals from here on can be met; shorter ones are stretched to */
#define SLOW_US        100000u
/* simulated time 0 by the clocks of agents and controller, which are never 0 */
#define EPOCH_US       1000000u
#define SOCKET_MAX     100       /* of a Unix socket's path */

/* one agent, or with stand-ins one for each device */
enum { CONTROLLER, AGENT, STAND_IN = AGENT + DRIVER_DEVICES_MAX, CHILDREN = STAND_IN + DRIVER_DEVICES_MAX };

struct twin_run {
    const struct twin_request *q;
    struct fabric_about about;
    char                folder[SOCKET_MAX], scenario[4096];
    uint64_t            interval_us;     /* real time that an interval of the scenario takes */
    pid_t               child[CHILDREN];         /* 0: not running */
    struct hardware    *hardware;        /* devices behind stand-ins; NULL: one agent has all */
    int                 signals;
};

/* ---- files ---- */

/* Takes 'text'. */
static int write_text(const struct twin_run *t, const char *name, char *text, struct err *err)
{
    char path[SOCKET_MAX + 32];

    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    int rc = outfile_write(path, text, strlen(text), err);
    free(text);
    return rc;
}

/* The requested tuner, or that of the scenario, or expert. */
static const char *tuner_of(const struct twin_run *t)
{
    return t->q->tuner ? t->q->tuner : t->about.has_tuner ? t->about.tuner : "expert";
}

/* Is this the tuner of a scenario, by its name or as {name: '...', ...}? */
static bool is_called(const struct twin_run *t, const char *name)
{
    const char *tuner = tuner_of(t);
    size_t      skip = strncmp(tuner, "{name: '", 8) == 0 ? 8 : 0, length = strlen(name);

    return strncmp(tuner + skip, name, length) == 0 && !isalnum((unsigned char)tuner[skip + length]);
}

/* A tuner that sets queues individually runs in the agents, not in the controller. */
static bool is_of_agents(const struct twin_run *t)
{
    return is_called(t, "acc");
}

/* One that tries settings on a twin must know of messages, and what the network is built of. */
static bool is_rehearse(const struct twin_run *t)
{
    return is_called(t, "rehearse");
}

/* The number of intervals in this time; at least ten, because the machine may be busy. */
static uint32_t intervals(const struct twin_run *t, uint64_t ms)
{
    uint64_t count = ms * 1000 / t->interval_us;

    return count > 10 ? (uint32_t)count : 10;
}

/* The token of the controller's page: new for each run, readable only by its user. */
static int write_token(const struct twin_run *t, struct err *err)
{
    unsigned char random[16];
    char          path[SOCKET_MAX + 32];
    bool          is_good = false;

    snprintf(path, sizeof path, "%s/token", t->folder);
    int   fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out && getrandom(random, sizeof random, 0) == sizeof random) {
        for (size_t i = 0; i < sizeof random; i++)
            fprintf(out, "%02x", random[i]);
        is_good = fflush(out) == 0;
    }
    if (out)
        fclose(out);
    return is_good ? 0 : err_set(err, errno, "%s: %s", path, strerror(errno));
}

static int write_controller(const struct twin_run *t, struct err *err)
{
    const char *tuner = tuner_of(t), *folder = t->folder;
    char       *text;
    FILE       *out = text_stream(&text);

    fprintf(out, "name: twin\nagent_devices: 1000000\nagent_messages: 100000000\n"
            "listen: unix:%s/socket\nstate: %s/controller\nseed: %" PRIu64 "\n"
            "tls: {ca: %s/ca.pem, cert: %s/controller.pem, key: %s/controller.key}\n%s%s\n"
            "interval: %" PRIu64 "us\ntopology: links.yaml\n", folder, folder, t->about.seed, folder, folder,
            folder, is_of_agents(t) ? "queue_tuners: " : "tuner: ", is_of_agents(t) ? "yes" : tuner,
            t->interval_us);
    if (is_of_agents(t) && strstr(tuner, "learner: 'central'") && strstr(tuner, "train: 'yes'"))
        fprintf(out, "learner: %s\n", tuner);
    if (*t->about.goal)
        fprintf(out, "goal: '%s'\n", t->about.goal);
    if (is_rehearse(t))
        fprintf(out, "fabric: '%s'\n", t->scenario);
    if (t->q->is_locked)
        fprintf(out, "mode: direct\ngather: 1ms\nmonitor_delay: %" PRIu64 "us\ndispatch_delay: %" PRIu64
                "us\n", t->about.monitor_delay_us, t->about.dispatch_delay_us);
    else
        fprintf(out, "mode: %s\ngather: 1s\nnoise_pairs: 10\nstage_pairs: 5\nstale: %u\nblock: %u\n",
                t->q->is_direct ? "direct" : "auto", intervals(t, 1000), intervals(t, 300));
    if (t->q->page)
        fprintf(out, "http: {listen: '%.100s', token: %s/token}\n", t->q->page, folder);
    fclose(out);
    return write_text(t, "controller.yaml", text, err);
}

/* For the controller's page: how its devices are joined. */
static int write_links(const struct twin_run *t, struct err *err)
{
    char *text = NULL;
    int   rc = fabric_links(&text, t->scenario, t->hardware ? NULL : "twin", err);

    return rc ? rc : write_text(t, "links.yaml", text, err);
}

/* False: there are no more devices behind stand-ins. */
static bool device_of(const struct twin_run *t, uint32_t i, struct hardware_device *d)
{
    return t->hardware && hardware_device(t->hardware, i, d);
}

/* One agent of all devices or, with a device, its own behind a stand-in: real, but without pauses. */
static int write_agent(const struct twin_run *t, const struct hardware_device *device, struct err *err)
{
    const char *name = device ? device->name : "twin", *folder = t->folder;
    char       *text, file[MSG_NAME_SIZE + 16] = "agent.yaml";
    FILE       *out = text_stream(&text);

    fprintf(out, "name: '%s'\ncontroller: unix:%s/socket\nwrite: yes\ngap: 0ms\ninterval: %" PRIu64 "us\n"
            "tls: {ca: %s/ca.pem, cert: %s/%s.pem, key: %s/%s.key}\n"
            "switches_per_day: 1000000\nlasting_per_day: 1000000\n", name, folder, t->interval_us, folder,
            folder, name, folder, name);
    if (device) {
        snprintf(file, sizeof file, "agent-%s.yaml", name);
        fprintf(out, "state: %s/agent-%s\nroot: %s/devices/%s\ndriver: %s\n", folder, name, folder, name,
                device->is_switch ? "sonic" : "mlx5");
    } else
        fprintf(out, "state: %s/agent\nroot: '%s'\ndriver: twin\n%s%s%s\n", folder, t->scenario,
                t->q->is_locked ? "paused_max: 1\nlease: 3600s\n" : "",
                is_of_agents(t) ? "tuner: " : "", is_of_agents(t) ? tuner_of(t) : "");
    fclose(out);
    return write_text(t, file, text, err);
}

static int write_files(const struct twin_run *t, struct err *err)
{
    const char            *names[DRIVER_DEVICES_MAX + 4] = { "controller", "operator", "twin" };
    struct hardware_device d;

    for (uint32_t i = 0; device_of(t, i, &d); i++)
        names[3 + i] = d.name;
    int rc = authority_make(t->folder, names, err);
    rc = rc ? rc : write_links(t, err);
    if (!rc && t->q->page)
        rc = write_token(t, err);
    rc = rc ? rc : write_controller(t, err);
    for (uint32_t i = 0; !rc && device_of(t, i, &d); i++)
        rc = write_agent(t, &d, err);
    return rc || t->hardware ? rc : write_agent(t, NULL, err);
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

static int make_folder(struct twin_run *t, struct err *err)
{
    const char *parent = getenv("TMPDIR"), *out = t->q->out;
    char        path[4096 + 32];

    parent = out ? out : parent && *parent ? parent : "/tmp";
    if (out && mkdir(out, 0777))
        return err_set(err, errno, "%s: %s", out, errno == EEXIST ? "it already exists" : strerror(errno));
    if (!realpath(parent, path))
        return err_set(err, errno, "%s: %s", parent, strerror(errno));
    if (!out)
        snprintf(path + strlen(path), sizeof path - strlen(path), "/anole-twin-XXXXXX");
    if (strlen(path) + sizeof "/socket" > sizeof t->folder)
        return err_set(err, ENAMETOOLONG,
                       "%s: the path is too long for a socket in it; set TMPDIR to a shorter one", path);
    memcpy(t->folder, path, strlen(path) + 1);
    return out || mkdtemp(t->folder) ? 0 : err_set(err, errno, "%s: %s", path, strerror(errno));
}

/* ---- processes ---- */

/* Starts "anole-live COMMAND CONFIG" or, with a detail, "anole-twin COMMAND CONFIG DETAIL". */
static int start(struct twin_run *t, int i, const char *command, const char *config, const char *detail,
                 struct err *err)
{
    char     path[SOCKET_MAX + 32], program[PATH_MAX];
    pid_t    parent = getpid();
    sigset_t none;

    snprintf(path, sizeof path, "%s/%s", t->folder, config);
    t->child[i] = fork();
    if (t->child[i] < 0)
        return err_set(err, errno, "cannot start a process: %s", strerror(errno));
    if (t->child[i])
        return 0;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);               /* Ctrl-C is for the parent, which ends them in order */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    twin_hardware_beside(program, "anole-live");
    execl(detail ? "/proc/self/exe" : program, detail ? "anole-twin" : "anole-live", command, path, detail,
          (char *)NULL);
    _exit(127);
}

static void stop(pid_t child)
{
    uint64_t end_us = clock_us() + PATIENCE_US;

    if (child <= 0)
        return;
    kill(child, SIGTERM);
    while (waitpid(child, NULL, WNOHANG) == 0) {
        if (clock_us() > end_us)
            kill(child, SIGKILL);
        usleep(10000);
    }
}

/* ---- while it runs ---- */

static void ask(const struct twin_run *t, const char *verb)
{
    char               address[SOCKET_MAX + 16], file[3][SOCKET_MAX + 32];
    struct ctl_request q = { .address = address, .is_short = true, .question = { .version = MSG_VERSION } };
    struct err         err;

    snprintf(address, sizeof address, "unix:%s/socket", t->folder);
    snprintf(file[0], sizeof *file, "%s/ca.pem", t->folder);
    snprintf(file[1], sizeof *file, "%s/operator.pem", t->folder);
    snprintf(file[2], sizeof *file, "%s/operator.key", t->folder);
    q.tls = (struct rpc_tls){ .ca = file[0], .cert = file[1], .key = file[2] };
    snprintf(q.question.verb, sizeof q.question.verb, "%s", verb);
    if (ctl_ask(&q, &err))
        clock_log("%s", err.text);
    fflush(stdout);
}

/* Has a child ended? In lock step the agent does so when the scenario is over. */
static int check_children(struct twin_run *t, bool *is_over, struct err *err)
{
    int   status;
    pid_t pid = waitpid(-1, &status, WNOHANG);

    if (pid <= 0)
        return 0;
    for (int i = 0; i < CHILDREN; i++)
        t->child[i] = t->child[i] == pid ? 0 : t->child[i];
    *is_over = t->q->is_locked && !t->child[AGENT] && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return *is_over ? 0 : err_set(err, ECHILD, "a process of the twin has ended; see above");
}

/* Lost time is not made up for: if the simulation is slower than real time, agents see a slower network. */
static int simulate(const struct twin_run *t, uint64_t *next_us, struct err *err)
{
    int rc = 0;

    if (t->hardware && clock_us() >= *next_us) {
        rc = hardware_step(t->hardware, err);
        *next_us = max_u64(*next_us + t->interval_us, clock_us());
    }
    return rc;
}

/* Runs until a signal, the end of the time or of the scenario; a child that ends is a failure. */
static int watch(struct twin_run *t, uint64_t begin_us, struct err *err)
{
    struct signalfd_siginfo s;
    uint64_t                end_us = t->q->seconds ? begin_us + t->q->seconds * 1000000ull : UINT64_MAX;
    uint64_t                next_us = begin_us + STATUS_US, step_us = begin_us;
    bool                    is_over = false;
    int                     rc = 0;

    while (clock_us() < end_us && !rc && !is_over) {
        struct pollfd fd = { .fd = t->signals, .events = POLLIN };
        uint64_t      wake_us = t->hardware ? step_us : clock_us() + 200000;

        clock_wait(&fd, 1, min_u64(wake_us, end_us));
        if (read(t->signals, &s, sizeof s) == sizeof s)
            return 0;
        rc = check_children(t, &is_over, err);
        rc = rc ? rc : simulate(t, &step_us, err);
        if (rc || is_over || clock_us() < next_us)
            continue;
        next_us += STATUS_US;
        printf("-- %" PRIu64 " s --\n", (clock_us() - begin_us) / 1000000);
        ask(t, "status");
    }
    return rc;
}

/* ---- in the end ---- */

static void print_kept(const json_t *o)
{
    const char     *evidence = json_string_value(json_object_get(o, "evidence"));
    struct knob_set set = { 0 };
    char            text[1000];

    if (strcmp(json_get_text(o, "what"), "keep") != 0 || knobset_from_json(&set, json_object_get(o, "new")))
        return;
    printf("  %s\n  ", knobset_text(text, sizeof text, &set));
    safe_printf(stdout, "%s",
                evidence ? evidence : "without evidence: mode direct applies the tuner's decisions");
    putchar('\n');
}

/* From the controller's own log. */
static void print_worth(const struct twin_run *t)
{
    struct err err;
    char       path[SOCKET_MAX + 32], *text, *rest;
    size_t     length;

    snprintf(path, sizeof path, "%s/controller/audit.jsonl", t->folder);
    if (text_read_file(path, 1ul << 30, &text, &length, &err))
        return;
    puts("What was kept, and what it was worth (metric: utilisation, round trips and pauses, 0 to 1; an "
         "e-value of 100 comes by chance once in a hundred trials):");
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *o = json_loads(line, 0, NULL);

        print_kept(o);
        json_decref(o);
    }
    free(text);
    fflush(stdout);
}

/* Prints what will run. */
static void announce(const struct twin_run *t)
{
    const struct fabric_about *a = &t->about;
    double                     slower = (double)t->interval_us / (double)a->interval_us;

    printf("%s: %u hosts and %u switches, simulated; an agent for each, and a controller, over gRPC with "
           "certificates made just now.\n", t->q->scenario, a->hosts, a->switches);
    if (t->hardware)
        printf("Agents find the files of NICs (FUSE) and the databases of switches (Redis) below "
               "%s/devices.\n", t->folder);
    if (t->q->is_locked)
        printf("Lock step: simulated time waits for the controller.\n");
    else if (slower > 1)
        printf("An interval of %.10g ms takes %.10g ms: this network runs %.10g times slower than a real "
               "one.\n", (double)a->interval_us / 1000, (double)t->interval_us / 1000, slower);
    else
        printf("It runs in real time: one report every %.10g ms.\n", (double)a->interval_us / 1000);
    if (t->q->page && !strstr(t->q->page, ":0"))
        printf("Its page: http://%s/ (orders need the token in %s/token)\n", t->q->page, t->folder);
    else if (t->q->page)
        printf("The controller says where its page is; orders need the token in %s/token.\n", t->folder);
    printf("Files are in %s. Ctrl-C ends all of it.\n", t->folder);
    fflush(stdout);
}

static int check_request(const struct twin_run *t, struct err *err)
{
    const struct fabric_about *a = &t->about;
    bool                       is_locked = t->q->is_locked, is_hardware = t->q->is_hardware;
    const struct { bool is; const char *what; } refused[] = {
        { is_locked && is_hardware,
          "--hardware and --lock-step exclude each other: files and databases do not wait" },
        { is_hardware && is_rehearse(t), "--hardware and rehearse exclude each other: no NIC counts "
                                         "messages, and it would have nothing to see" },
        { is_hardware && is_of_agents(t), "--hardware and ACC exclude each other: links that seem slower "
                                          "would make its thresholds smaller" },
    };
    const struct { bool is; const char *what; } needed[] = {
        { !a->has_tuner && !t->q->tuner, "lock step needs a tuner, in the scenario or with --tuner" },
        { a->has_start, "a tuner with 'start' cannot run in lock step" },
        { a->interval_us < 1000, "lock step needs intervals of 1 ms or more" },
        { a->interval_us && (a->monitor_delay_us % a->interval_us || a->dispatch_delay_us % a->interval_us),
          "in lock step delays are whole intervals" },
        { a->seed > UINT32_MAX, "the seed must be below 2^32" },
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].is)
            return err_set(err, EINVAL, "%s", refused[i].what);
    if (is_hardware && a->hosts + a->switches > DRIVER_DEVICES_MAX)
        return err_set(err, E2BIG, "%s: %u hosts and switches; --hardware takes at most %d", t->q->scenario,
                       a->hosts + a->switches, DRIVER_DEVICES_MAX);
    for (size_t i = 0; is_locked && i < sizeof needed / sizeof *needed; i++)
        if (needed[i].is)
            return err_set(err, EINVAL, "%s: %s", t->q->scenario, needed[i].what);
    return is_hardware ? twin_hardware_check(err) : 0;
}

static int open_twin(struct twin_run *t, struct err *err)
{
    if (!realpath(t->q->scenario, t->scenario) || strchr(t->scenario, '\''))
        return err_set(err, ENOENT, "%s: there is no such file", t->q->scenario);
    int rc = fabric_describe(&t->about, t->q->scenario, err);
    rc = rc ? rc : check_request(t, err);
    t->interval_us = t->q->is_locked ? t->about.interval_us :
                     t->q->interval_ms ? t->q->interval_ms * 1000ull :
                     t->about.interval_us >= REAL_TIME_US ? t->about.interval_us : SLOW_US;
    return rc ? rc : make_folder(t, err);
}

static int start_agents(struct twin_run *t, struct err *err)
{
    char                   file[MSG_NAME_SIZE + 16];
    const char            *flags = t->q->is_locked ? "lm" : is_rehearse(t) ? "m" : "-";
    struct hardware_device d;
    int                    rc = t->hardware ? 0 : start(t, AGENT, "agent", "agent.yaml", flags, err);

    for (uint32_t i = 0; !rc && device_of(t, i, &d); i++) {
        snprintf(file, sizeof file, "agent-%s.yaml", d.name);
        rc = start(t, AGENT + (int)i, "agent", file, NULL, err);
    }
    return rc;
}

/* Ends the processes from one to another, in parallel. */
static void stop_all(const struct twin_run *t, int from, int to)
{
    for (int i = from; i < to; i++)
        if (t->child[i] > 0)
            kill(t->child[i], SIGTERM);
    for (int i = from; i < to; i++)
        stop(t->child[i]);
}

static int run(struct twin_run *t, struct err *err)
{
    char devices[12];

    announce(t);
    int rc = t->hardware ? twin_hardware_start(&t->child[STAND_IN], t->hardware, err) : 0;
    snprintf(devices, sizeof devices, "%u", t->about.hosts + t->about.switches);
    if (!rc)
        rc = start(t, CONTROLLER, "controller", "controller.yaml", t->q->is_locked ? devices : NULL, err);
    rc = rc ? rc : start_agents(t, err);
    rc = rc ? rc : watch(t, clock_us(), err);
    if (!rc) {
        puts("What was done:");
        ask(t, "history");
        print_worth(t);
    }
    stop_all(t, AGENT, STAND_IN);        /* first: they revert open changes */
    stop_all(t, CONTROLLER, AGENT);
    stop_all(t, STAND_IN, CHILDREN);
    return rc;
}

int twin_run(const struct twin_request *q, struct err *err)
{
    struct twin_run t = { .q = q };
    char            folder[SOCKET_MAX + 16];
    int             rc = open_twin(&t, err);

    if (rc)
        return rc;
    t.signals = clock_signals();
    snprintf(folder, sizeof folder, "%s/devices", t.folder);
    if (q->is_hardware)
        rc = hardware_open(&t.hardware, t.scenario, folder, t.interval_us, err);
    rc = rc ? rc : write_files(&t, err);
    rc = rc ? rc : run(&t, err);
    hardware_free(t.hardware);
    if (!q->out)
        nftw(t.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);    /* made by this process */
    close(t.signals);
    return rc;
}

/* ---- simulated time that waits for the controller ----
 *
 * The agent reports the interval that has ended. The controller hears all devices, lets its tuner decide, and
 * waits until every device has answered. Then it sends each a lease with the end of the next interval, and
 * the agent lets the network run until then.
 */

/* The pace comes first: hooks get its address. */
struct lock_agent { struct agent_pace pace; struct fabric *fabric; uint64_t *until_us; bool has_begun; };

static void let(struct agent_pace *p, uint32_t device, uint64_t until_us)
{
    ((struct lock_agent *)(void *)p)->until_us[device] = until_us;
}

/* The first report is of time 0; then an interval passes when every device may run. */
static enum agent_step step_agent(struct agent_pace *p)
{
    struct lock_agent *a = (void *)p;

    for (uint32_t i = 0; a->has_begun && i < fabric_nodes(a->fabric); i++)
        if (a->until_us[i] <= p->now_us)
            return AGENT_WAIT;
    if (fabric_is_over(a->fabric))
        return AGENT_END;
    if (a->has_begun)
        p->now_us = EPOCH_US + fabric_advance(a->fabric);
    a->has_begun = true;
    return AGENT_TICK;
}

struct lock_controller { struct controller_pace pace; uint32_t devices; uint64_t interval_us;
                         bool has_ticked; };

static bool has_all_reports(const struct lock_controller *l, const struct controller *c)
{
    for (uint32_t i = 0; i < c->peers; i++)
        if (c->peer[i].stamp_us != l->pace.now_us)
            return false;
    return c->peers == l->devices;
}

/* No device owes an answer but those that act later. */
static bool is_settled(const struct lock_controller *l, const struct controller *c)
{
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (p->step == STEP_PREPARING || p->step == STEP_REVERTING || p->step == STEP_CONFIRMING ||
            (p->step == STEP_COMMITTING && p->at_us <= l->pace.now_us))
            return false;
    return true;
}

static void step_controller(struct controller_pace *p, struct control *k, const struct live_tuner *tuner)
{
    const struct controller *c = &k->c;
    struct lock_controller *l = (void *)p;

    if (!has_all_reports(l, c) || !is_settled(l, c))
        return;
    if (!l->has_ticked || live_tuner_thinks(tuner))
        control_tick(k, p->now_us);
    l->has_ticked = true;
    if (is_settled(l, c) && !live_tuner_thinks(tuner)) {
        uint64_t next_us = l->pace.now_us + l->interval_us;

        control_input(k, (struct input){ .kind = INPUT_LET, .at_us = next_us }, l->pace.now_us);
        l->pace.now_us = next_us;
        l->has_ticked = false;
    }
}

/* ---- the processes ---- */

int twin_agent(const char *config, bool is_locked, bool has_messages, struct err *err)
{
    struct fabric    *fabric = NULL;
    struct driver     none = fabric_driver(NULL), driver;
    struct agent_file f;
    int               rc = config_read(&config_agent, &f, config, &none, err);     /* it names the scenario */

    if (rc)
        return rc;
    rc = fabric_new(&fabric, f.root, err);
    if (!rc) {
        struct lock_agent lock = { { .now_us = EPOCH_US, .let = let, .step = step_agent }, fabric,
                                   xcalloc(fabric_nodes(fabric), sizeof *lock.until_us), false };

        driver = fabric_driver(fabric);
        f.driver = &driver;
        if (is_locked)
            fabric_hold(fabric);
        if (has_messages)
            fabric_tell_messages(fabric);
        rc = agent_run(&f, is_locked ? &lock.pace : NULL, err);
        free(lock.until_us);
    }
    fabric_free(fabric);
    config_fini(&config_agent, &f);
    return rc;
}

int twin_controller(const char *config, uint32_t devices, struct err *err)
{
    struct controller_file f;
    int                    rc = config_read(&config_controller, &f, config, NULL, err);

    if (rc)
        return rc;
    struct lock_controller lock = { { .now_us = EPOCH_US, .epoch_us = EPOCH_US, .step = step_controller },
                                    devices, f.controller.interval_us, false };
    rc = live_tuner_check(&f, err);
    rc = rc ? rc : controller_run(&f, &lock.pace, err);
    config_fini(&config_controller, &f);
    return rc;
}
