#include "live/daemon/process.h"
#include "base/http/server.h"
#include "base/minmax.h"
#include "core/units.h"
#include "live/core/live_clock.h"
#include "live/daemon/tuner/live_tuner.h"
#include "live/view/live_metrics.h"
#include "live/wire/endpoint.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_US_MIN 100000u
#define PAUSE_US_MAX 5000000u
#define RETURN_US    60000000u   /* back to the first relay */

/* ---- the loop ---- */

/* Sends "WATCHDOG=1" twice per WatchdogSec. */
static void feed_watchdog(uint64_t now_us)
{
    static uint64_t next_us;
    const char     *text = getenv("WATCHDOG_USEC");
    uint64_t        period_us = text ? strtoull(text, NULL, 10) : 0;

    if (!period_us || now_us < next_us)
        return;
    next_us = now_us + period_us / 2;
    clock_notify("WATCHDOG=1");
}

enum process_order process_wait(struct pollfd *fd, uint32_t count, uint64_t until_us, int signals)
{
    struct signalfd_siginfo s;

    feed_watchdog(clock_us());
    clock_wait(fd, count, until_us);
    if (read(signals, &s, sizeof s) != sizeof s)
        return PROCESS_GO_ON;
    return s.ssi_signo == SIGHUP ? PROCESS_RELOAD : PROCESS_END;
}

/* ---- another configuration ---- */

void reload_on_signal(void (*reload)(void *), void *arg)
{
    struct timespec now;
    char            text[80];

    /* systemd's clock, which is not that of the state machines */
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
             (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
    clock_notify(text);
    reload(arg);
    clock_notify("READY=1");
}

int process_check(const struct config_common *new, const struct config_common *old, struct err *err)
{
    const struct http_config *http = &new->http;
    struct secure            *tls;
    bool                      has_address = !old || (old->http.is_on && http->is_on &&
                                                     strcmp(old->http.listen, http->listen) == 0);
    int                       rc = secure_open(&tls, &new->tls, false, err);

    secure_free(tls);
    return rc ? rc : server_check(http, has_address, err);
}

void *reload_file(const struct config_kind *kind, const void *old)
{
    const struct driver *driver = kind == &config_agent ? ((const struct agent_file *)old)->driver : NULL;
    const char *path = ((const struct config_common *)old)->file, *key = NULL;
    void       *new = xcalloc(1, kind->bytes);
    struct err  err;
    int         rc = config_read(kind, new, path, driver, &err);

    if (!rc && !(key = config_fixed_key(kind, new, old)) && kind == &config_controller)
        rc = live_tuner_check(new, &err);
    if (!rc && !key)
        rc = process_check(new, old, &err);
    if (!rc && !key)
        return new;
    if (key)
        clock_log("%s: '%s' cannot change while it runs: restart it; everything stays as it was", path, key);
    else
        clock_log("%s; everything stays as it was", err.text);
    reload_free(kind, new);
    process_note_reload(false);
    return NULL;
}

void reload_free(const struct config_kind *kind, void *file)
{
    if (file)
        config_fini(kind, file);
    free(file);
}

/* ---- the way to a controller ---- */

static int dial_path(struct uplink *u, const struct uplink_to *to, struct err *err)
{
    struct dial *dial;
    int          rc = dial_open(&dial, to->address[u->path.at], to->tls, NULL, err);

    if (rc)
        return rc;
    dial_free(u->dial);
    u->dial = dial;
    u->is_up = false;
    u->dialled = u->path.at;
    return 0;
}

int uplink_open(struct uplink *u, const char *who, const struct uplink_to *to, struct err *err)
{
    int rc = 0;

    *u = (struct uplink){ .who = who, .pause_us = PAUSE_US_MIN };
    path_init(&u->path, to->count, to->relays, to->silence_us, RETURN_US, clock_us());
    for (uint32_t i = 1; i < to->count && !rc; i++)
        rc = address_check(to->address[i], to->tls, err);
    return rc ? rc : dial_path(u, to, err);
}

static void plan_redial(struct uplink *u)
{
    u->redial_us = clock_us() + u->pause_us / 2 + (uint64_t)random() % u->pause_us;
    u->pause_us = min_u64(u->pause_us * 2, PAUSE_US_MAX);
}

void uplink_on_event(struct uplink *u, const struct rpc_event *e)
{
    if (e->kind == RPC_OPEN) {
        u->link = e->link;
        u->is_up = true;
    } else if (e->kind == RPC_DATA)
        u->pause_us = PAUSE_US_MIN;      /* the other end speaks, and does not only take calls */
    else if (e->kind == RPC_CLOSE) {
        if (u->is_up || u->pause_us == PAUSE_US_MIN)
            clock_log("%sno controller: %s", u->who, *e->why ? e->why : "it has closed the connection");
        u->is_up = false;
        path_lost(&u->path, clock_us());
        plan_redial(u);
    }
}

void uplink_on_time(struct uplink *u, const struct uplink_to *to, uint64_t now_us)
{
    bool       is_due = u->redial_us && now_us >= u->redial_us;
    struct err err;

    /* leaves a silent address, also while it is only being dialled */
    if (path_on_tick(&u->path, now_us) && !u->redial_us) {
        if (u->is_up)
            clock_log("%sgoes to %s", u->who, to->address[u->path.at]);
        is_due = true;
    }
    if (!is_due)
        return;
    u->redial_us = 0;
    if (u->dialled == u->path.at)
        dial_again(u->dial);
    else if (dial_path(u, to, &err)) {
        clock_log("%s%s", u->who, err.text);     /* certificates may be half-exchanged just now */
        plan_redial(u);
    }
}

uint64_t uplink_timer_us(const struct uplink *u)
{
    return u->redial_us ? u->redial_us : NEVER;
}

/* ---- agents as clients ---- */

void process_complain(struct serve *s, const struct rpc_event *e, const char *format, ...)
{
    const char *name = account_name(e->account);
    char        text[300];
    va_list     args;

    if (!account_may_log(serve_accounts(s), e->account, clock_us()))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clock_log("%s %s", *name ? name : "an agent", text);
}

bool process_hear(struct serve *s, const struct rpc_event *e, struct msg *m, struct msg_learn *learn)
{
    static struct msg_detail detail;

    if (codec_read_all(m, &detail, learn, e->bytes, e->length))
        process_complain(s, e, "sent something that is not a message");
    else if (m->kind == MSG_HELLO && !account_speaks_for(e->account, m->name))
        process_complain(s, e, "says that it is %s, which its certificate does not allow", m->name);
    else if (m->kind == MSG_HELLO && m->version != MSG_VERSION)
        process_complain(s, e, "with %s speaks version %u of the protocol, not %u", m->name, m->version,
                         MSG_VERSION);
    else
        return m->kind != MSG_HELLO ||
               account_has_room(e->account, serve_accounts(s)->limits.devices, m->name);
    return false;
}

void process_log_budgets(struct serve *s)
{
    char text[200];

    while (accounts_news(serve_accounts(s), text, sizeof text))
        clock_log("%s", text);
}
