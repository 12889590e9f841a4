/* src/live/daemon/run_baseline.c - see run.h: all that was ever confirmed is taken back, without a
 * controller. */
#include "base/err.h"
#include "live/agent/agent.h"
#include "live/core/knobset.h"
#include "live/core/live_clock.h"
#include "live/daemon/disk.h"
#include "live/daemon/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_nothing(void *arg, const struct msg *m)
{
    (void)arg, (void)m;
}

static void log_line(void *arg, const char *line)
{
    (void)arg;
    clock_log("%s", line);
}

/* What was confirmed becomes a value that we tried, so that it counts as ours and not as set by a person. On
 * the disk before the device is touched: after a kill, --rescue goes on with it. */
static int take_back(struct agent *a, struct err *err)
{
    static const char why[] = "a person at this machine asked for the baseline";
    struct saved     *s = &a->saved;
    struct knob_set   was = s->confirmed, base = s->baseline;

    if (!s->has_baseline || knobset_has(&was, &base))
        return 0;
    knobset_put(&s->confirmed, &base);
    if (!saved_doubt(s, &was))
        s->doubt[0] = was;
    if (device_log(a, (struct audit_record){ .what = "confirm", .why = why, .old = &was, .new = &base },
                   clock_us()) || device_save(a)) {
        s->confirmed = was;
        return err_set(err, EIO, "%s: its state cannot be written; it holds what was confirmed",
                       a->cfg->name);
    }
    device_restore(a, why, clock_us());
    return agent_check_back(a, err);
}

static int restore_device(const struct agent_file *f, const char *name, void *device, struct err *err)
{
    struct agent_config cfg = f->agent;
    struct agent_io     io = { .device = { f->driver->read, f->driver->write, f->driver->sample, device,
                                           f->driver->refuses },
                               .send = say_nothing, .tell = log_line };
    static struct agent a;
    struct disk         disk = { .lock_fd = -1, .log_fd = -1 };
    struct audit        audit;
    char               *folder = xprintf("%s/%s", f->common.state, name);

    snprintf(cfg.name, sizeof cfg.name, "%.31s/%.31s", f->common.name, name);
    cfg.is_rescue = true;
    int rc = disk_open(&disk, folder, &audit, err);
    if (!rc) {
        io.disk = disk_io(&disk);
        agent_init(&a, &cfg, &io, io.disk.wall_us(io.disk.arg) / 1000);
        agent_start(&a, &audit, clock_us());
        rc = agent_check_back(&a, err);
        rc = rc ? rc : take_back(&a, err);
    }
    disk_close(&disk);
    free(folder);
    if (!rc)
        clock_log("%s: read back: it holds its baseline", cfg.name);
    return rc;
}

/* A switch with a tuner of its own has no values but those that --rescue has restored. */
static int restore(const struct agent_file *f, const char *name, struct err *err)
{
    struct msg_facts facts;
    void            *device;
    int              rc = f->driver->open(f->driver, &device, f->root, name, err);

    if (rc)
        return rc;
    enum knob_where where = f->driver->facts ? f->driver->facts(device, &facts) : f->driver->where;
    if (!f->tuner.kind || where != KNOB_SWITCH)
        rc = restore_device(f, name, device, err);
    f->driver->close(device);
    return rc;
}

int agent_baseline(const struct agent_file *f, struct err *err)
{
    char       name[DRIVER_DEVICES_MAX][MSG_NAME_SIZE];
    int        count, rc = agent_rescue(f, false, err);
    struct err trouble = { "" };

    memcpy(name, f->device, sizeof f->device);
    count = f->devices ? (int)f->devices : f->driver->find(f->driver, f->root, name, &trouble);
    if (count < 0 && !rc)
        *err = trouble;
    for (int i = 0; i < count; i++) {
        int failed = restore(f, name[i], &trouble);

        if (!failed)
            continue;
        if (rc)
            clock_log("%s", err->text);
        *err = trouble;
        rc = failed;
    }
    return count < 0 ? count : rc;
}
