/* src/live/daemon/run_controller.c - see run.h: one loop for all agents of a fabric, its tuner, and people who ask. */
#include "live/daemon/answer.h"
#include "live/daemon/clock.h"
#include "live/daemon/disk.h"
#include "live/daemon/live_tuner.h"
#include "live/daemon/notify.h"
#include "live/daemon/run.h"
#include "live/wire/codec.h"
#include "live/wire/rpc.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct fabric {
    const struct controller_file *file;
    struct controller             controller;
    struct disk                   disk;
    struct rpc                   *rpc;
    struct live_tuner             tuner;
    int                           signals;
    uint64_t                      tick_us;
    char                          log[600];
};

/* ---- hooks ---- */

static void send(void *arg, uint32_t link, const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct fabric       *f = arg;

    rpc_send(f->rpc, link, bytes, codec_write(m, bytes));
}

static bool propose(void *arg, uint64_t now_us, struct knob_set *set, char why[MSG_WHY_SIZE])
{
    struct fabric *f = arg;

    return live_tuner_propose(&f->tuner, &f->controller, now_us, set, why);
}

static void ended(void *arg, bool is_kept, uint32_t missed, const char *why)
{
    struct fabric *f = arg;

    if (f->controller.cfg->mode != MODE_OBSERVE)
        clock_log("trial %lu %s%s: %s", (unsigned long)f->controller.trial.number, is_kept ? "kept" : "dropped",
                  is_kept && missed ? ", not by all devices" : "", why);
    live_tuner_ended(&f->tuner, is_kept, missed, why);
}

/* ---- the network ---- */

/* An agent speaks for the devices of its own host: those whose names begin with the name in its certificate. */
static bool may_be(const struct msg *m, const char *peer)
{
    size_t length = strlen(peer);

    return !length || (strncmp(m->name, peer, length) == 0 && m->name[length] == '/');
}

static void on_data(struct fabric *f, const struct rpc_event *e, uint64_t now_us)
{
    struct msg m;

    if (codec_read(&m, e->bytes, e->length))
        clock_log("%s sent something that is not a message", *e->peer ? e->peer : "an agent");
    else if (m.kind == MSG_HELLO && !may_be(&m, e->peer))
        clock_log("%s says that it is %s, which its certificate does not allow", e->peer, m.name);
    else if (m.kind == MSG_HELLO && m.version != MSG_VERSION)
        clock_log("%s speaks version %u of the protocol, not %u", m.name, m.version, MSG_VERSION);
    else
        controller_on_msg(&f->controller, e->link, &m, now_us);
}

static bool is_operator(const struct controller_file *c, const char *peer)
{
    if (!c->common.ca)
        return true;             /* this machine only, and nobody has a certificate */
    for (uint32_t i = 0; i < c->operators; i++)
        if (strcmp(c->operator[i], peer) == 0)
            return true;
    return false;
}

static void on_ask(struct fabric *f, const struct rpc_event *e, uint64_t now_us)
{
    struct question q;
    struct err      err = { "" };
    char           *text = NULL;
    unsigned char  *bytes;
    size_t          length;

    if (codec_read_question(&q, e->bytes, e->length))
        err_write(&err, "that is not a question");
    else if (!is_operator(f->file, e->peer))
        err_write(&err, "'%s' is not an operator of this controller", e->peer);
    else
        text = answer_to(&f->controller, &q, e->peer, f->log, now_us, &err);
    length = codec_write_reply(text ? "" : err.text, text ? text : "", &bytes);
    rpc_reply(f->rpc, e->link, bytes, length);
    free(bytes);
    free(text);
}

static void on_event(struct fabric *f, const struct rpc_event *e, uint64_t now_us)
{
    switch (e->kind) {
    case RPC_OPEN:  controller_on_link(&f->controller, e->link, now_us); break;
    case RPC_CLOSE: controller_on_cut(&f->controller, e->link); break;
    case RPC_DATA:  on_data(f, e, now_us); break;
    case RPC_ASK:   on_ask(f, e, now_us); break;
    }
}

/* ---- time ---- */

static void loop(struct fabric *f)
{
    struct signalfd_siginfo s;
    struct rpc_event        e;
    uint64_t                interval_us = f->file->controller.interval_us;

    for (f->tick_us = clock_us() + interval_us;;) {
        struct pollfd fd[2] = { { .fd = rpc_fd(f->rpc), .events = POLLIN }, { .fd = f->signals, .events = POLLIN } };

        notify_alive(clock_us());
        clock_wait(fd, 2, f->tick_us);
        if (read(f->signals, &s, sizeof s) == sizeof s)
            return;
        while (rpc_next(f->rpc, &e)) {
            on_event(f, &e, clock_us());
            free(e.bytes);
        }
        if (clock_us() < f->tick_us)
            continue;
        controller_on_tick(&f->controller, clock_us());
        f->tick_us += interval_us;
        if (f->tick_us < clock_us())
            f->tick_us = clock_us() + interval_us;
    }
}

/* gRPC never listens again once it was out of files (CVE-2023-4785). */
static void raise_limits(void)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
}

static int start(struct fabric *f, struct err *err)
{
    struct controller_io io = { .send = send, .propose = propose, .ended = ended, .arg = f };
    struct rpc_tls       tls = config_tls(&f->file->common);
    struct audit         audit;
    int                  rc = disk_open(&f->disk, f->file->common.state, &audit, err);

    if (rc)
        return rc;
    io.disk = disk_io(&f->disk);
    controller_init(&f->controller, &f->file->controller, &io, f->file->devices_max);
    if (controller_start(&f->controller, &audit, clock_us()))
        return err_set(err, EBADMSG, "%s/%s: it cannot be understood", f->file->common.state, CONTROLLER_SAVED_NAME);
    return rpc_serve(&f->rpc, f->file->listen, &tls, err);
}

int controller_run(const struct controller_file *file, struct err *err)
{
    static const char *const modes[] = { "observes only", "asks before it tries something", "tries by itself" };
    struct fabric f = { .file = file, .disk = { .lock_fd = -1, .log_fd = -1 } };
    int           rc;

    raise_limits();
    f.signals = clock_signals();
    live_tuner_init(&f.tuner, file);
    snprintf(f.log, sizeof f.log, "%s/audit.jsonl", file->common.state);
    rc = start(&f, err);
    if (!rc) {
        clock_log("listening at %s, %s", file->listen, modes[file->controller.mode]);
        notify("READY=1");
        loop(&f);
        notify("STOPPING=1");
    }
    rpc_free(f.rpc);
    live_tuner_fini(&f.tuner);
    controller_fini(&f.controller);
    disk_close(&f.disk);
    close(f.signals);
    return rc;
}
