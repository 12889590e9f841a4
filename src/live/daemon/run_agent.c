/* src/live/daemon/run_agent.c - see run.h: one loop for all devices of a host, a stream to the controller for
 * each. */
#include "core/units.h"
#include "base/minmax.h"
#include "live/agent/agent.h"
#include "live/core/live_clock.h"
#include "live/daemon/disk.h"
#include "live/daemon/guarded.h"
#include "live/daemon/process.h"
#include "live/daemon/run.h"
#include "live/daemon/queues/queue_tuner.h"
#include "live/view/live_metrics.h"
#include "live/view/status_page.h"
#include "live/wire/codec.h"
#include "live/wire/dial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Shortest silence, without a lease, before another way is tried: a starting controller is silent, too. */
#define SILENCE_US     10000000u
/* of the queues of a real switch: what they bear is not known, and 13 attributes are set with each */
#define CHANGES_PER_S  20.0
/* An agent starts after the guards of the last one have reverted and let go of its lock. */
#define LOCK_US        3000000u
/* A guard takes an agent that is silent for longer for hung, even if a lease lasts longer. */
#define PATIENCE_US    10000000u
#define LEAVE_US       5000000u  /* queues have so long to come back in the end */

struct device {
    struct agent_config cfg;
    struct agent        agent;
    struct disk         disk;
    const struct driver *driver;
    void               *state;                   /* of the driver; NULL: not open */
    bool                is_started, is_guarded;
    struct guarded      guarded;                 /* if so */
    struct uplink       up;
    char                who[MSG_NAME_SIZE + 2];  /* "host1/mlx5_0: " */
    uint64_t            tick_us;
    struct agent_totals totals;
    const char         *told;                    /* the trouble that the journal has; "": none */
    struct queue_tuner *queues;                  /* NULL: none of its own */
    uint64_t            slot_us;                 /* when a slot ends; 0: its time is not the clock's */
    struct host        *host;
};

struct host {
    const struct agent_file *file;
    struct agent_file       *own;                /* read again: what 'file' points to; NULL: not yet */
    struct device           *device;
    uint32_t                 devices;
    int                      signals;
    struct agent_pace       *pace;               /* NULL: the clock */
    struct status_page       page;
};

/* ---- the network ---- */

static void send(void *arg, const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct device       *d = arg;

    if (d->up.is_up)
        dial_send(d->up.dial, d->up.link, bytes, codec_write(m, bytes));
}

static void log_line(void *arg, const char *line)
{
    (void)arg;
    clock_log("%s", line);
}

static void on_data(struct device *d, const struct rpc_event *e, uint64_t now_us)
{
    static struct msg_learn learn;
    struct msg              m;

    if (codec_read_all(&m, NULL, &learn, e->bytes, e->length))
        clock_log("%s: the controller sent something that is not a message", d->cfg.name);
    else if (d->host->pace && m.kind == MSG_LEASE && m.at_us)
        d->host->pace->let(d->host->pace, (uint32_t)(d - d->host->device), m.at_us);
    else
        agent_on_msg(&d->agent, &m, now_us);
}

static uint64_t now_of(const struct host *h)
{
    return h->pace ? h->pace->now_us : clock_us();
}

static void on_event(const struct host *h, struct device *d, const struct rpc_event *e)
{
    uint64_t now_us = now_of(h), before_us = d->agent.lease_until_us;

    uplink_on_event(&d->up, e);
    if (e->kind == RPC_OPEN) {
        if (!h->pace)
            clock_log("%s: connected to the controller", d->cfg.name);
        say_hello(&d->agent, now_us);
    } else if (e->kind == RPC_DATA) {
        on_data(d, e, now_us);
        /* from the controller whose word counts: another way may lead to it */
        if (d->agent.lease_until_us > before_us)
            d->up.path.heard_us = clock_us();
    }
}

static struct uplink_to uplink_of(const struct agent_file *f)
{
    return (struct uplink_to){ f->way, f->ways, f->relays, max_u64(10 * f->agent.interval_us, SILENCE_US),
                               &f->common.tls };
}

static void redial(const struct host *h, struct device *d, uint64_t now_us)
{
    struct uplink_to to = uplink_of(h->file);

    uplink_on_time(&d->up, &to, now_us);
}

/* ---- time ---- */

static void check_freeze_file(struct host *h, struct device *d, uint64_t now_us)
{
    char why[MSG_WHY_SIZE] = "";

    if (h->file->freeze && access(h->file->freeze, F_OK) == 0)
        snprintf(why, sizeof why, "frozen: the file %.120s is there", h->file->freeze);
    agent_stop_by_file(&d->agent, why, now_us);
}

static void on_tick(struct device *d, uint64_t now_us)
{
    if (d->queues)
        queue_tuner_on_tick(d->queues, now_us);
    agent_on_tick(&d->agent, now_us);
}

/* False: the pace has ended. */
static bool follow_pace(struct host *h)
{
    for (struct device *d = h->device; d < h->device + h->devices; d++)
        if (!d->up.is_up)
            return true;
    enum agent_step step = h->pace->step(h->pace);
    for (struct device *d = h->device; d < h->device + h->devices && step == AGENT_TICK; d++)
        agent_on_timer(&d->agent, h->pace->now_us);
    for (struct device *d = h->device; d < h->device + h->devices && step == AGENT_TICK; d++)
        on_tick(d, h->pace->now_us);
    return step != AGENT_END;
}

/* For the tuner of queues. Missed slots are not made up for: counters cover the whole time. */
static void on_queues_time(struct device *d, uint64_t now_us)
{
    if (queue_tuner_timer_us(d->queues) <= now_us)
        queue_tuner_on_timer(d->queues, now_us);
    if (d->slot_us && now_us >= d->slot_us) {
        queue_tuner_on_slot(d->queues, now_us);
        d->slot_us += queue_tuner_slot_us(d->queues);
        if (d->slot_us < now_us)
            d->slot_us = now_us + queue_tuner_slot_us(d->queues);
    }
}

static void on_slot(void *arg)
{
    struct device *d = arg;

    queue_tuner_on_slot(d->queues, now_of(d->host));
}

static void on_guard(struct device *d, uint64_t now_us)
{
    const char *why = d->is_guarded ? guarded_look(&d->guarded) : NULL;

    if (why)
        agent_on_guard(&d->agent, why, now_us);
    d->agent.has_news |= d->guarded.has_changed;
    d->guarded.has_changed = false;
}

/* The journal says when trouble begins and ends. */
static void tell_trouble(struct device *d)
{
    const char *now = agent_trouble(&d->agent);

    if (strcmp(now, d->told) == 0)
        return;
    clock_log("%s: %s%s", d->cfg.name, *now ? "trouble: " : "no more trouble: ", *now ? now : d->told);
    d->told = now;
}

static void on_time(struct host *h, struct device *d, uint64_t now_us)
{
    redial(h, d, now_us);
    if (agent_timer_us(&d->agent) <= now_us)
        agent_on_timer(&d->agent, now_us);
    if (d->queues)
        on_queues_time(d, now_us);
    if (now_us < d->tick_us)
        return;
    check_freeze_file(h, d, now_us);
    on_tick(d, now_us);
    agent_totals_add(&d->totals, &d->agent.sample);
    tell_trouble(d);
    d->tick_us += d->cfg.interval_us;
    if (d->tick_us < now_us)
        d->tick_us = now_us + d->cfg.interval_us;        /* it was stopped for a while */
}

static enum process_order wait_for_something(struct host *h)
{
    struct pollfd fd[2 * DRIVER_DEVICES_MAX + 2] = { process_readable(h->signals),
                                                 process_readable(server_fd(h->page.server)) };
    uint64_t      until_us = NEVER;

    for (uint32_t i = 0; i < h->devices; i++) {
        const struct device *d = &h->device[i];

        fd[2 * i + 2] = process_readable(dial_fd(d->up.dial));
        fd[2 * i + 3] = process_readable(d->is_guarded ? d->guarded.link.fd : -1);
        if (d->is_guarded)
            until_us = min_u64(until_us, guarded_timer_us(&d->guarded));
        if (!h->pace)
            until_us = min_u64(until_us, min_u64(d->tick_us, agent_timer_us(&d->agent)));
        if (!h->pace && d->queues)
            until_us = min_u64(until_us,
                               min_u64(queue_tuner_timer_us(d->queues), d->slot_us ? d->slot_us : NEVER));
        until_us = min_u64(until_us, uplink_timer_us(&d->up));
    }
    return process_wait(fd, 2 * h->devices + 2, until_us, h->signals);
}

/* ---- the page ---- */

/* Until then; NAN: there is no certificate. */
static double seconds_to(int64_t ends_s)
{
    return ends_s ? (double)(ends_s - (int64_t)time(NULL)) : (double)NAN;
}

static void add_metrics(void *arg, struct prom *m)
{
    const struct host *h = arg;
    struct agent_shown shown[DRIVER_DEVICES_MAX];

    for (uint32_t i = 0; i < h->devices; i++)
        shown[i] = (struct agent_shown){ &h->device[i].agent, &h->device[i].totals,
                                         h->device[i].up.is_up,
                                         seconds_to(dial_ends_s(h->device[i].up.dial)) };
    agent_metrics(m, shown, h->devices, clock_us());
}

static char *trouble(void *arg)
{
    const struct host *h = arg;
    char              *text = NULL;

    for (const struct device *d = h->device; d < h->device + h->devices; d++) {
        const struct agent *a = &d->agent;
        char               *before = text;

        if (!*agent_trouble(a))
            continue;
        text = xprintf("%s%s: %s\n", before ? before : "", a->cfg->name, agent_trouble(a));
        free(before);
    }
    return text;
}

/* ---- another configuration ---- */

/* What may write by its file must be able to. */
static int check_permits(const struct host *h, const struct agent_file *f, struct err *err)
{
    int rc = 0;

    for (struct device *d = h->device; d < h->device + h->devices && !rc && f->agent.may_write; d++)
        if (d->driver->permit)
            rc = d->driver->permit(d->state, err);
    return rc;
}

static void reload(void *arg)
{
    struct host       *h = arg;
    struct agent_file *before = h->own, *new = reload_file(&config_agent, h->file);
    bool               is_http = new && !config_http_is_same(&new->common.http, &h->file->common.http);
    struct err         err;

    if (!new)
        return;
    if (check_permits(h, new, &err)) {
        clock_log("%s; everything stays as it was", err.text);
        reload_free(&config_agent, new);
        process_note_reload(false);
        return;
    }
    h->file = h->own = new;
    for (struct device *d = h->device; d < h->device + h->devices; d++)
        agent_reconfigure(&d->agent, &d->cfg, &new->agent, clock_us());
    if (is_http)
        status_page_reopen(&h->page, &new->common.http);
    reload_free(&config_agent, before);
    process_note_reload(true);
    clock_log("its configuration was read again; %s", new->agent.may_write ? "may write" : "observes only");
}

/* ---- the loop ---- */

static void loop(struct host *h)
{
    struct rpc_event   e;
    enum process_order order;

    while ((order = wait_for_something(h)) != PROCESS_END) {
        if (order == PROCESS_RELOAD)
            reload_on_signal(reload, h);
        for (struct device *d = h->device; d < h->device + h->devices; d++) {
            on_guard(d, now_of(h));      /* what it has reverted must not be taken for a foreign edit */
            while (dial_next(d->up.dial, &e))
                on_event(h, d, &e);
            if (h->pace)
                redial(h, d, clock_us());
            else
                on_time(h, d, clock_us());
        }
        if (h->pace && !follow_pace(h))
            return;
        server_run(h->page.server);
    }
}

/* ---- opening and closing ---- */

static void close_device(struct device *d)
{
    queue_tuner_free(d->queues);
    dial_free(d->up.dial);
    if (d->is_guarded)
        guarded_close(&d->guarded);
    disk_close(&d->disk);
    if (d->state)
        d->driver->close(d->state);
}

/* A controller may set nothing on a switch with a tuner of its own; reading only shows that it works. */
static int read_nothing(void *arg, struct knob_set *set)
{
    struct device *d = arg;
    int            rc = d->driver->read(d->state, set);

    *set = (struct knob_set){ 0 };
    return rc;
}

static int write_nothing(void *arg, const struct knob_set *set)
{
    (void)arg, (void)set;
    return -EPERM;
}

static int read_device(void *arg, struct knob_set *set)
{
    struct device *d = arg;

    return d->driver->read(d->state, set);
}

static int write_by_guard(void *arg, const struct knob_set *set)
{
    return guarded_write(&((struct device *)arg)->guarded, set);
}

static const char *device_refuses(void *arg)
{
    struct device *d = arg;

    return d->driver->refuses ? d->driver->refuses(d->state) : NULL;
}

static int sample_device(void *arg, struct msg_sample *sample)
{
    struct device *d = arg;

    return d->driver->sample(d->state, sample);
}

static int start_queues(struct device *d, const struct host *h, struct err *err)
{
    const struct agent_file  *f = h->file;
    struct queue_tuner_config cfg = { .tuner = f->tuner,
                                      .hold_us = f->queue_hold_us,
                                      .changes_per_s = f->queue_changes ? (double)f->queue_changes :
                                      f->driver->is_simulated ? (double)INFINITY : CHANGES_PER_S };
    struct err                why;
    int                       rc = queue_tuner_new(&d->queues, &cfg, &d->agent, f->driver->queues,
                                                   d->state, &why);

    if (rc)
        return err_set(err, -rc, "%s: %s", d->cfg.name, why.text);
    queue_tuner_start(d->queues, now_of(h));
    if (f->driver->queues->on_slot)
        f->driver->queues->on_slot(d->state, queue_tuner_slot_us(d->queues) * PS_PER_US, on_slot, d);
    else
        d->slot_us = clock_us();
    return 0;
}

static uint64_t device_now_us(void *arg)
{
    const struct device *d = arg;

    return now_of(d->host);
}

static void start_guard(struct device *d, struct agent_io *io)
{
    d->is_guarded = guarded_is_possible(d->driver) && !d->cfg.has_tuner && !d->cfg.is_rescue;
    if (!d->is_guarded)
        return;
    d->guarded = (struct guarded){ .driver = d->driver, .state = d->state, .name = d->cfg.name,
                                   .lock_fd = d->disk.lock_fd, .link = { .fd = -1 },
                                   .patience_us = min_u64(d->cfg.lease_us, PATIENCE_US) };
    guarded_open(&d->guarded);
    io->guard = guarded_io(&d->guarded);
    io->device = (struct io_device){ read_device, write_by_guard, sample_device, d, device_refuses };
}

static int open_disk(struct device *d, const char *folder, struct audit *audit, struct err *err)
{
    uint64_t end_us = clock_us() + LOCK_US;
    int      rc;

    while ((rc = disk_open(&d->disk, folder, audit, err)) == -EBUSY && clock_us() < end_us)
        usleep(50000);
    return rc;
}

/* The device first, then the files: a bad disk or log must not keep a device from being restored. */
static int start_device(struct device *d, struct host *h, const char *name, struct err *err)
{
    const struct agent_file *f = h->file;
    struct agent_io io = { .device = { f->driver->read, f->driver->write, f->driver->sample, d->state,
                                       f->driver->refuses },
                           .send = send, .tell = log_line, .arg = d };
    struct audit    audit;
    struct err      why;
    char            folder[512];

    snprintf(folder, sizeof folder, "%s/%s", f->common.state, name);
    int rc = open_disk(d, folder, &audit, err);
    if (rc == -EBUSY)
        return rc;
    d->host = h;
    if (d->cfg.has_tuner)
        io.device = (struct io_device){ read_nothing, write_nothing, sample_device, d, NULL };
    io.disk = disk_io(&d->disk);
    io.now_us = device_now_us;
    start_guard(d, &io);
    /* no two starts are in the same millisecond */
    agent_init(&d->agent, &d->cfg, &io, io.disk.wall_us(io.disk.arg) / 1000);
    agent_start(&d->agent, &audit, now_of(h));
    d->is_started = true;
    if (disk_mend_log(&d->disk, &d->agent.audit, &why))
        clock_log("%s", why.text);
    if (d->agent.is_lost && !d->cfg.is_rescue)
        clock_log("%s: what it should hold is not known, because its files are damaged; it only observes",
                  d->cfg.name);
    if (d->cfg.may_write && agent_refusal(&d->agent))
        clock_log("%s: it only observes: %s", d->cfg.name, agent_refusal(&d->agent));
    return !rc && d->cfg.has_tuner ? start_queues(d, h, err) : rc;
}

static int open_device(struct device *d, const struct agent_file *f, const char *name, struct err *err)
{
    d->cfg = f->agent;
    d->told = "";
    d->driver = f->driver;
    d->disk.lock_fd = d->disk.log_fd = -1;
    snprintf(d->cfg.name, sizeof d->cfg.name, "%.31s/%.31s", f->common.name, name);
    snprintf(d->who, sizeof d->who, "%s: ", d->cfg.name);
    int rc = f->driver->open(f->driver, &d->state, f->root, name, err);
    if (!rc && f->driver->facts)
        d->cfg.where = f->driver->facts(d->state, &d->cfg.facts);
    d->cfg.has_tuner = f->tuner.kind && d->cfg.where == KNOB_SWITCH;
    return rc;
}

/* The devices that the file names, or all that the driver finds; returns how many. */
static int find_devices(const struct agent_file *f, char name[DRIVER_DEVICES_MAX][MSG_NAME_SIZE],
                        struct err *err)
{
    memcpy(name, f->device, sizeof f->device);
    return f->devices ? (int)f->devices : f->driver->find(f->driver, f->root, name, err);
}

static int open_host(struct host *h, const struct agent_file *f, struct err *err)
{
    char name[DRIVER_DEVICES_MAX][MSG_NAME_SIZE];
    int  count = find_devices(f, name, err), rc = 0;

    if (count < 0)
        return count;
    *h = (struct host){ .file = f, .device = xcalloc((unsigned long)count, sizeof *h->device) };
    for (int i = 0; i < count && !rc; i++) {
        rc = open_device(&h->device[i], f, name[i], err);
        h->devices += !rc;
    }
    return rc;
}

static void close_host(struct host *h)
{
    for (struct device *d = h->device; d < h->device + h->devices; d++)
        close_device(d);
    server_free(h->page.server);
    reload_free(&config_agent, h->own);
    free(h->device);
}

int agent_check(const struct agent_file *f, struct err *err)
{
    struct host     h = { 0 };
    struct knob_set set;
    int             rc = open_host(&h, f, err);

    rc = rc ? rc : check_permits(&h, f, err);
    for (uint32_t i = 0; i < h.devices && !rc; i++)
        if (f->driver->read(h.device[i].state, &set))
            rc = err_set(err, EIO, "%s: its parameters cannot be read", h.device[i].cfg.name);
    close_host(&h);
    return rc;
}

static bool leave_queues(struct device *d, const char *why)
{
    uint64_t end_us = clock_us() + LEAVE_US;

    while (d->queues && !queue_tuner_leave(d->queues, why, now_of(d->host))) {
        if (clock_us() >= end_us)
            return false;
        usleep(20000);
    }
    return true;
}

static int leave_device(struct device *d, const char *why, struct err *err)
{
    bool nic_is_back = agent_leave(&d->agent, why, now_of(d->host));
    bool queues_are_back = leave_queues(d, why);         /* whatever became of the NIC */

    return nic_is_back && queues_are_back ? 0 :
           err_set(err, EIO, "%s: it could not be brought back to what was confirmed", d->cfg.name);
}

/* Several devices may fail. Keeps the last error for the caller and logs the ones before it. */
static void keep_error(int *rc, struct err *err, int failed, const struct err *why)
{
    if (!failed)
        return;
    if (*rc)
        clock_log("%s", err->text);
    *err = *why;
    *rc = failed;
}

/* Reverts every device, also after one has failed; names each that did not come back. */
static int leave(struct host *h, const char *why, struct err *err)
{
    int rc = 0;

    for (struct device *d = h->device; d < h->device + h->devices; d++) {
        struct err trouble;
        int        failed = d->is_started ? leave_device(d, why, &trouble) : 0;

        keep_error(&rc, err, failed, &trouble);
    }
    return rc;
}

/* Of one device, whatever becomes of the others. */
static int rescue_device(struct host *h, const char *name, bool is_forget, struct err *err)
{
    struct device *d = h->device;
    struct err     why, trouble;
    int            rc = open_device(d, h->file, name, err);

    if (rc)
        return rc;
    h->devices = 1;
    d->cfg.is_rescue = true;
    int started = start_device(d, h, name, &why);
    if (!d->is_started)
        return err_set(err, -started, "%s: %s", d->cfg.name, why.text);
    int left = leave_device(d, "rescue", err);
    rc = agent_check_back(&d->agent, &trouble);
    if (rc)
        *err = trouble;          /* it says more */
    rc = rc ? rc : left;
    if (!rc && is_forget && agent_forget_term(&d->agent, now_of(h)))
        rc = err_set(err, EIO, "%s: its state cannot be written", d->cfg.name);
    if (rc)
        return rc;
    if (started)
        clock_log("%s: its files: %s", d->cfg.name, why.text);
    clock_log("%s: read back: it holds what was confirmed last", d->cfg.name);
    return 0;
}

int agent_rescue(const struct agent_file *f, bool is_forget, struct err *err)
{
    char name[DRIVER_DEVICES_MAX][MSG_NAME_SIZE];
    int  count = find_devices(f, name, err), rc = 0;

    for (int i = 0; i < count; i++) {
        struct host h = { .file = f, .device = xcalloc(1, sizeof *h.device) };
        struct err  trouble;
        int         failed = rescue_device(&h, name[i], is_forget, &trouble);

        close_host(&h);
        keep_error(&rc, err, failed, &trouble);
    }
    return count < 0 ? count : rc;
}

int agent_run(const struct agent_file *f, struct agent_pace *pace, struct err *err)
{
    struct uplink_to to = uplink_of(f);
    struct host      h = { 0 };
    int              rc = open_host(&h, f, err);

    srandom((unsigned)clock_us());
    h.signals = clock_signals();
    h.pace = pace;
    h.page = (struct status_page){ .metrics = add_metrics, .trouble = trouble, .arg = &h };
    rc = rc ? rc : check_permits(&h, f, err);
    rc = rc ? rc : status_page_open(&h.page, &f->common.http, err);
    for (struct device *d = h.device; d < h.device + h.devices && !rc; d++)
        rc = start_device(d, &h, strchr(d->cfg.name, '/') + 1, err);
    for (struct device *d = h.device; d < h.device + h.devices && !rc; d++) {
        rc = uplink_open(&d->up, d->who, &to, err);
        d->tick_us = clock_us();
    }
    if (!rc) {
        clock_log("%u devices, %s", h.devices, f->agent.may_write ? "may write" : "observes only");
        clock_notify("READY=1");
        loop(&h);
        clock_notify("STOPPING=1");
        rc = leave(&h, "the agent ends", err);
        for (uint32_t i = 0; i < h.devices; i++)
            agent_bye(&h.device[i].agent, now_of(&h));
    }
    close_host(&h);
    close(h.signals);
    return rc;
}
