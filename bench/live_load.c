/* bench/live_load.c - a controller under the load of many agents, over real gRPC with certificates.
 *
 *   live_load ANOLE direct|relay AGENTS INTERVAL_MS SECONDS [RACK]
 *
 * Starts `ANOLE controller` as a separate process and simulates all agents itself. Each agent reports once
 * per interval, at its own time, and receives a lease. 'relay': racks of RACK (32) agents behind real relays
 * (live/relay), with one connection each. Prints "name value unit" lines: the controller's CPU time, bytes of
 * messages, latency of leases, number of leases later than an interval, and the time that a killed controller
 * needs until all agents are back. Other processes affect the CPU time only through caches. With
 * LIVE_LOAD_HTTP=HOST:PORT, the controller serves its page there, and devices have names of racks; SIGTERM
 * ends it.
 */
#include "bench/bench.h"
#include "base/err.h"
#include "live/relay/relay.h"
#include "standin/twin/authority.h"
#include "live/wire/codec.h"
#include "live_dial.h"

#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP_US    1000u         /* period of the check for due reports */
#define DIAL_GAP_US 10000u       /* at the start; later reconnections have a jitter as in agents */
#define PATIENCE_S 180

struct agent { uint64_t due_us, lease_us; bool has_lease; };     /* lease: stamp of the last answered report */
struct line  { uint32_t link; bool is_up, was_heard; uint64_t redial_us, backoff_us; struct relay relay; };      /* a connection */

static struct {
    const char    *anole;
    bool           is_relay, has_page;
    uint32_t       agents, lines, rack;
    uint64_t       interval_us;
    char           folder[64], address[128], file[3][96];
    pid_t          controller;
    struct agents *dial;
    struct agent  *agent;
    struct line   *line;
    uint32_t      *line_of;      /* by link */
    uint64_t       leases, late, reports, bytes_up, messages_up, bytes_down, messages_down, bytes_report, bytes_lease;
    uint64_t       worst_us, sum_us;
    uint64_t       answer_from_us;       /* leases for reports since then count */
} g;

static volatile sig_atomic_t is_ending;

static void on_signal(int number)
{
    (void)number;
    is_ending = 1;
}

static uint64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* ---- the controller ---- */

/* CPU time of all its threads in nanoseconds: /proc/PID/stat only counts hundredths of a second. */
static double cpu_s_of(pid_t pid)
{
    char               path[320];
    unsigned long long sum = 0, ns;
    struct dirent     *e;
    DIR               *tasks;
    FILE              *f;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    tasks = opendir(path);
    if (!tasks)
        bench_fail("controller", "it is gone");
    while ((e = readdir(tasks))) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)pid, e->d_name);
        f = *e->d_name != '.' ? fopen(path, "r") : NULL;
        sum += f && fscanf(f, "%llu", &ns) == 1 ? ns : 0;
        if (f)
            fclose(f);
    }
    closedir(tasks);
    return (double)sum / 1e9;
}

static double megabytes_of(pid_t pid)
{
    char  path[64];
    long  pages = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    f = fopen(path, "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        bench_fail("controller", "it is gone");
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void start_controller(void)
{
    char path[96];

    snprintf(path, sizeof path, "%s/controller.yaml", g.folder);
    g.controller = fork();
    if (g.controller == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);        /* ends with this process, even after a crash */
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        execl(g.anole, g.anole, "controller", path, (char *)NULL);
        _exit(127);
    }
}

static void write_config(void)
{
    static const char *const names[] = { "controller", "load", NULL };
    struct err               err;
    char                     path[96];
    FILE                    *f;

    snprintf(g.folder, sizeof g.folder, "/tmp/anole-load-XXXXXX");
    if (!mkdtemp(g.folder) || authority_make(g.folder, names, &err))
        bench_fail("folder", g.folder);
    snprintf(g.address, sizeof g.address, "unix:%s/socket", g.folder);
    snprintf(path, sizeof path, "%s/controller.yaml", g.folder);
    f = fopen(path, "w");
    if (!f)
        bench_fail("folder", path);
    fprintf(f, "name: c1\nlisten: %s\nstate: state\nmode: observe\ntuner: paraleon\ninterval: %" PRIu64 "us\ndevices_max: %u\n"
            "agent_devices: 1000000\nagent_messages: 1000000000\n"
            "gather: 1s\nrelays: [load]\ntls: {ca: ca.pem, cert: controller.pem, key: controller.key}\n", g.address, g.interval_us,
            g.agents);
    g.has_page = getenv("LIVE_LOAD_HTTP") != NULL;
    if (g.has_page)
        fprintf(f, "http: {listen: \"%s\"}\n", getenv("LIVE_LOAD_HTTP"));
    fclose(f);
}

/* ---- agents ---- */

static struct msg hello_of(uint32_t agent)
{
    struct msg m = { .kind = MSG_HELLO, .incarnation = 1 + agent, .version = MSG_VERSION, .interval_us = g.interval_us,
                     .facts = { .number = agent, .ports = 1, .rate_bps = 100000000000 } };

    if (g.has_page && g.is_relay)
        snprintf(m.name, sizeof m.name, "rack%u-host%u/mlx5_0", agent / g.rack, agent % g.rack);
    else
        snprintf(m.name, sizeof m.name, "load/h%u", agent);
    knob_set_add(&m.set, KNOB_rpg_ai_rate, 5);
    knob_set_add(&m.set, KNOB_rpg_hai_rate, 50);
    m.confirmed = m.baseline = m.set;
    return m;
}

/* With flow sizes, as from a host's monitor. */
static struct msg report_of(uint32_t agent, uint64_t stamp_us, struct msg_detail *d)
{
    d->fsd = (struct fsd){ .elephants = 3 * FSD_ONE, .mice = 5 * FSD_ONE, .bin = { [4] = 3, [7] = 2, [14] = 3 } };
    d->ports = d->pairs = 0;
    d->has_seen = false;
    return (struct msg){ .kind = MSG_REPORT, .incarnation = 1 + agent, .stamp_us = stamp_us, .term = 65537,
                         .sample = { .interval_us = g.interval_us, .tx_bytes = 30000000 + stamp_us % 1000000,
                                     .rate_bps = 100000000000, .cnps = stamp_us % 300, .marked_packets = stamp_us % 1000,
                                     .metric = 0.5 + (double)(stamp_us % 1000) * 1e-4, .detail = d } };
}

static void send_bytes(struct line *l, const void *bytes, size_t length)
{
    agents_send(g.dial, l->link, bytes, length);
    g.bytes_up += length;
    g.messages_up++;
}

static void send_msg(struct line *l, const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    size_t               length = codec_write(m, bytes);

    g.bytes_report = m->kind == MSG_REPORT ? length : g.bytes_report;
    send_bytes(l, bytes, length);
}

static void on_lease(uint32_t agent, uint64_t stamp_us)
{
    uint64_t took_us = now_us() - stamp_us;

    g.agent[agent].lease_us = stamp_us;
    if (stamp_us < g.answer_from_us)
        return;
    g.leases++;
    g.sum_us += took_us;
    g.late += took_us > (g.is_relay ? 2 : 1) * g.interval_us;            /* a relay waits for the end of its interval */
    g.worst_us = took_us > g.worst_us ? took_us : g.worst_us;
}

static void report(uint32_t agent, uint64_t at_us)
{
    static struct msg_detail detail;
    struct line             *l = &g.line[g.is_relay ? agent / g.rack : agent];
    struct msg               m = report_of(agent, at_us, &detail);

    if (!l->is_up)
        return;
    g.reports++;
    if (g.is_relay)
        relay_on_agent(&l->relay, agent, &m, at_us);
    else
        send_msg(l, &m);
}

/* ---- relays ---- */

static void relay_send(void *arg, uint32_t link, const struct msg *m)
{
    struct line *l = arg;
    struct msg   hello;

    if (m->kind == MSG_LEASE)
        on_lease(link, m->stamp_us);
    if (m->kind != MSG_WHO)
        return;
    hello = hello_of(link);
    relay_on_agent(&l->relay, link, &hello, now_us());
}

static void relay_cut(void *arg, uint32_t link)
{
    (void)arg, (void)link;
}

static void relay_send_up(void *arg, const struct rack *r)
{
    unsigned char *bytes;
    size_t         length = rack_codec_write(r, &bytes);

    g.bytes_report = r->rows ? length / r->rows : g.bytes_report;
    send_bytes(arg, bytes, length);
    free(bytes);
}

/* ---- connections ---- */

static void dial_line(uint32_t i)
{
    g.line[i].link = agents_add(g.dial);
    g.line_of[g.line[i].link] = i;
}

static void greet(uint32_t i)
{
    struct line *l = &g.line[i];
    struct msg   m;

    l->is_up = true;
    l->backoff_us = 100000;
    if (!g.is_relay) {
        m = hello_of(i);
        send_msg(l, &m);
        return;
    }
    relay_on_up(&l->relay, now_us());
    for (uint32_t k = i * g.rack; k < (i + 1) * g.rack && k < g.agents; k++) {
        m = hello_of(k);
        relay_on_agent(&l->relay, k, &m, now_us());
    }
    relay_flush(&l->relay);
}

static void on_data(uint32_t i, const struct rpc_event *e)
{
    static struct rack rack;
    struct msg         m;

    g.bytes_down += e->length;
    g.messages_down++;
    g.line[i].was_heard = true;
    if (g.is_relay) {
        if (rack_codec_is(e->bytes, e->length) && rack_codec_read(&rack, e->bytes, e->length) == 0)
            relay_on_rack(&g.line[i].relay, &rack, now_us());
        return;
    }
    if (codec_read(&m, e->bytes, e->length))
        bench_fail("controller", "it sent something that is not a message");
    if (m.kind == MSG_LEASE) {
        g.bytes_lease = e->length;
        on_lease(i, m.stamp_us);
    }
}

static void on_close(uint32_t i)
{
    struct line *l = &g.line[i];

    l->is_up = l->was_heard = false;
    l->redial_us = now_us() + l->backoff_us / 2 + (uint64_t)random() % l->backoff_us;
    l->backoff_us = l->backoff_us * 2 < 5000000 ? l->backoff_us * 2 : 5000000;
}

static void take_events(void)
{
    struct rpc_event e;

    while (agents_next(g.dial, &e)) {
        uint32_t i = g.line_of[e.link];

        if (g.line[i].link == e.link && e.kind == RPC_OPEN)
            greet(i);
        else if (g.line[i].link == e.link && e.kind == RPC_DATA)
            on_data(i, &e);
        else if (g.line[i].link == e.link && e.kind == RPC_CLOSE)
            on_close(i);
        free(e.bytes);
    }
}

/* ---- time ---- */

static void step(void)
{
    struct pollfd fd = { .fd = agents_fd(g.dial), .events = POLLIN };
    uint64_t      at_us = now_us();
    static uint64_t tick_us;

    for (uint32_t i = 0; i < g.agents; i++)
        if (at_us >= g.agent[i].due_us) {
            report(i, at_us);
            g.agent[i].due_us += g.interval_us;
            if (g.agent[i].due_us < at_us)
                g.agent[i].due_us = at_us + g.interval_us;
        }
    for (uint32_t i = 0; i < g.lines; i++)
        if (g.line[i].redial_us && at_us >= g.line[i].redial_us) {
            g.line[i].redial_us = 0;
            dial_line(i);
        }
    for (uint32_t i = 0; g.is_relay && at_us >= tick_us && i < g.lines; i++)
        if (g.line[i].is_up)
            relay_on_tick(&g.line[i].relay, at_us);
    if (at_us >= tick_us)
        tick_us = at_us + g.interval_us;
    ppoll(&fd, 1, &(struct timespec){ .tv_nsec = STEP_US * 1000 }, NULL);
    take_events();
}

static bool has_all_leases(uint64_t since_us)
{
    for (uint32_t i = 0; i < g.agents; i++)
        if (g.agent[i].lease_us < since_us)
            return false;
    return true;
}

static bool has_all_lines(void)
{
    for (uint32_t i = 0; i < g.lines; i++)
        if (!g.line[i].was_heard)
            return false;
    return true;
}

/* Measures the seconds until the controller has heard all agents, and until all have a lease again. */
static void wait_for_all(double *seen_s, double *leased_s)
{
    uint64_t begin_us = now_us();
    uint32_t steps = 0;

    *seen_s = 0;
    do {
        step();
        if (*seen_s == 0 && has_all_lines())
            *seen_s = (double)(now_us() - begin_us) / 1e6;
        if (now_us() > begin_us + PATIENCE_S * 1000000ull)
            bench_fail("agents", "not all of them have got a lease");
    } while (!is_ending && (steps++ % 8 || !has_all_leases(begin_us)));
    *leased_s = (double)(now_us() - begin_us) / 1e6;
}

static void measure(uint32_t seconds)
{
    uint64_t begin_us = now_us(), end_us = begin_us + seconds * 1000000ull;
    double   cpu_s = cpu_s_of(g.controller), took_s;

    g.leases = g.late = g.reports = g.bytes_up = g.messages_up = g.bytes_down = g.messages_down = g.worst_us = g.sum_us = 0;
    g.answer_from_us = begin_us;
    while (now_us() < end_us && !is_ending)
        step();
    took_s = (double)(now_us() - begin_us) / 1e6;
    cpu_s = cpu_s_of(g.controller) - cpu_s;
    bench_print("live_reports", (double)g.reports / took_s, "1/s");
    bench_print("live_reports_share", (double)g.reports * (double)g.interval_us / 1e6 / took_s / g.agents * 100, "%_of_wanted");
    bench_print("live_controller_cpu", cpu_s / took_s * 100, "%_of_a_core");
    bench_print("live_controller_cpu_per_1000", cpu_s / took_s * 100 / g.agents * 1000, "%_of_a_core");
    bench_print("live_controller_cpu_per_report", cpu_s / (double)g.reports * 1e6, "us");
    bench_print("live_controller_memory", megabytes_of(g.controller), "MB");
    bench_print("live_report_bytes", (double)g.bytes_report, g.is_relay ? "B_per_device" : "B");
    if (!g.is_relay)
        bench_print("live_lease_bytes", (double)g.bytes_lease, "B");
    bench_print("live_bytes_up", (double)g.bytes_up / took_s / g.agents, "B/s_per_device");
    bench_print("live_bytes_down", (double)g.bytes_down / took_s / g.agents, "B/s_per_device");
    bench_print("live_lease_mean", (double)g.sum_us / (double)(g.leases ? g.leases : 1) / 1e3, "ms");
    bench_print("live_lease_worst", (double)g.worst_us / 1e3, "ms");
    bench_print("live_leases_late", (double)g.late / (double)(g.leases ? g.leases : 1) * 100, "%");
}

static void set_up(void)
{
    static const char *const ending[] = { "ca.pem", "load.pem", "load.key" };
    struct rlimit            l;

    if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, on_signal);
    write_config();
    for (int i = 0; i < 3; i++)
        snprintf(g.file[i], sizeof g.file[i], "%s/%s", g.folder, ending[i]);
    g.lines = g.is_relay ? (g.agents + g.rack - 1) / g.rack : g.agents;
    g.agent = xcalloc(g.agents, sizeof *g.agent);
    g.line = xcalloc(g.lines, sizeof *g.line);
    g.line_of = xcalloc(1u << 20, sizeof *g.line_of);
    for (uint32_t i = 0; i < g.agents; i++)
        g.agent[i].due_us = now_us() + (uint64_t)random() % g.interval_us;
    for (uint32_t i = 0; i < g.lines; i++) {
        g.line[i].backoff_us = 100000;
        relay_init(&g.line[i].relay, &(struct relay_config){ UINT64_MAX / 2 },
                   &(struct relay_io){ relay_send, relay_cut, relay_send_up, &g.line[i] }, now_us());
    }
}

static void clean_up(void)
{
    char command[128];

    kill(g.controller, SIGTERM);
    waitpid(g.controller, NULL, 0);
    snprintf(command, sizeof command, "rm -rf %s", g.folder);
    if (system(command))
        fprintf(stderr, "bench: %s is left\n", g.folder);
}

int main(int argc, char **argv)
{
    double         seen_s, leased_s, cpu_s;

    if (argc != 6 && argc != 7)
        bench_fail("live_load", "ANOLE direct|relay AGENTS INTERVAL_MS SECONDS [RACK]");
    g.anole = argv[1];
    g.is_relay = strcmp(argv[2], "relay") == 0;
    g.agents = (uint32_t)atoi(argv[3]);
    g.interval_us = (uint64_t)atoi(argv[4]) * 1000;
    g.rack = argc > 6 ? (uint32_t)atoi(argv[6]) : 32;
    set_up();
    start_controller();
    sleep(1);
    g.dial = agents_new(g.address + strlen("unix:"), g.file[0], g.file[1], g.file[2]);
    for (uint32_t i = 0; i < g.lines; i++)
        g.line[i].redial_us = now_us() + i * DIAL_GAP_US;
    wait_for_all(&seen_s, &leased_s);
    bench_print("live_connect", leased_s, "s");
    measure((uint32_t)atoi(argv[5]));
    if (is_ending) {
        agents_free(g.dial);
        clean_up();
        return 0;
    }
    kill(g.controller, SIGKILL);
    waitpid(g.controller, NULL, 0);
    start_controller();
    wait_for_all(&seen_s, &leased_s);
    cpu_s = cpu_s_of(g.controller);
    bench_print("live_restart_seen", seen_s, "s");
    bench_print("live_restart_leased", leased_s, "s");
    bench_print("live_restart_cpu", cpu_s, "s");
    agents_free(g.dial);
    clean_up();
    return 0;
}
