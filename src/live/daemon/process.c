#include "live/daemon/process.h"
#include "base/minmax.h"
#include "live/core/live_clock.h"
#include "live/daemon/notify.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PAUSE_US_MIN 100000u
#define PAUSE_US_MAX 5000000u

enum process_order process_wait(struct pollfd *fd, uint32_t count, uint64_t until_us, int signals)
{
    struct signalfd_siginfo s;

    notify_alive(clock_us());
    clock_wait(fd, count, until_us);
    if (read(signals, &s, sizeof s) != sizeof s)
        return PROCESS_GO_ON;
    return s.ssi_signo == SIGHUP ? PROCESS_RELOAD : PROCESS_END;
}

/* ---- dialling again ---- */

void redial_reset(struct redial *r)
{
    r->pause_us = PAUSE_US_MIN;
}

bool redial_is_reset(const struct redial *r)
{
    return r->pause_us == PAUSE_US_MIN;
}

void redial_plan(struct redial *r, uint64_t now_us)
{
    r->at_us = now_us + r->pause_us / 2 + (uint64_t)random() % r->pause_us;
    r->pause_us = min_u64(r->pause_us * 2, PAUSE_US_MAX);
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
