/* src/live/daemon/run_relay.c - see run.h: a relay as a process. Agents dial in, it dials out. */
#include "base/minmax.h"
#include "live/core/live_clock.h"
#include "live/daemon/process.h"
#include "live/daemon/run.h"
#include "live/view/live_metrics.h"
#include "live/view/status_page.h"
#include "live/wire/codec.h"
#include "live/wire/dial.h"
#include "live/wire/serve.h"

#include <stdlib.h>
#include <unistd.h>

/* losses: of the controller */
struct relay_counts { uint64_t messages, reports, unreadable, racks, rack_bytes, losses; };

struct rack_relay {
    const struct relay_file *file;
    struct relay_file       *own;        /* read again: what 'file' points to; NULL: not yet */
    struct relay_counts      counts;
    struct status_page       page;
    struct relay             relay;
    struct serve            *agents;
    struct uplink            up;
    int                      signals;
    uint64_t                 tick_us;
    struct rack              rack;       /* that came last */
};

/* ---- hooks ---- */

static void send(void *arg, uint32_t link, const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct rack_relay   *r = arg;

    serve_send(r->agents, link, bytes, codec_write(m, bytes));
}

static void cut(void *arg, uint32_t link)
{
    serve_cut(((struct rack_relay *)arg)->agents, link);
}

static void send_up(void *arg, const struct rack *rack)
{
    struct rack_relay *r = arg;
    unsigned char     *bytes;

    if (!r->up.is_up)
        return;
    size_t length = rack_codec_write(rack, &bytes);
    r->counts.racks++;
    r->counts.rack_bytes += length;
    dial_send(r->up.dial, r->up.link, bytes, length);
    free(bytes);
}

/* ---- agents ---- */

static void on_agent_data(struct rack_relay *r, const struct rpc_event *e)
{
    struct msg m;

    r->counts.messages++;
    if (!process_hear(r->agents, e, &m, NULL))
        r->counts.unreadable++;
    else {
        r->counts.reports += m.kind == MSG_REPORT;
        relay_on_agent(&r->relay, e->link, &m, clock_us());
    }
}

/* Without a controller there is nothing to relay. */
static void on_agent(struct rack_relay *r, const struct rpc_event *e)
{
    if (e->kind == RPC_OPEN && !r->up.is_up)
        serve_cut(r->agents, e->link);
    else if (e->kind == RPC_DATA)
        on_agent_data(r, e);
    else if (e->kind == RPC_CLOSE)
        relay_on_agent_cut(&r->relay, e->link);
}

/* ---- the controller ---- */

/* Of several controllers one answers. */
static struct uplink_to uplink_of(const struct relay_file *f)
{
    return (struct uplink_to){ f->controller, f->controllers, 0, UINT64_MAX / 2, &f->common.tls };
}

static void on_up(struct rack_relay *r, const struct rpc_event *e)
{
    r->counts.losses += e->kind == RPC_CLOSE && r->up.is_up;
    uplink_on_event(&r->up, e);
    if (e->kind == RPC_OPEN) {
        clock_log("connected to the controller");
        relay_on_up(&r->relay, clock_us());
    } else if (e->kind == RPC_DATA && rack_codec_is(e->bytes, e->length)) {
        if (rack_codec_read(&r->rack, e->bytes, e->length) == 0)
            relay_on_rack(&r->relay, &r->rack, clock_us());
        else {
            r->counts.unreadable++;
            clock_log("the controller sent something that is not a rack");
        }
    } else if (e->kind == RPC_CLOSE)
        relay_on_down(&r->relay);
}

/* ---- time ---- */

static void on_time(struct rack_relay *r, uint64_t now_us)
{
    struct uplink_to to = uplink_of(r->file);

    uplink_on_time(&r->up, &to, now_us);
    if (now_us < r->tick_us)
        return;
    process_log_budgets(r->agents);
    relay_on_tick(&r->relay, now_us);
    r->tick_us += r->file->interval_us;
    if (r->tick_us < now_us)
        r->tick_us = now_us + r->file->interval_us;
}

/* ---- HTTP, and another configuration ---- */

static void add_metrics(void *arg, struct prom *m)
{
    const struct rack_relay   *r = arg;
    const struct relay_counts *c = &r->counts;
    uint64_t                   heard_us = r->relay.heard_us;

    prom_one(m, "anole_relay_connected", "gauge", "1: it has a controller.", r->up.is_up);
    prom_one(m, "anole_relay_devices", "gauge", "Devices behind it.", r->relay.agents);
    prom_one(m, "anole_relay_heard_age_seconds", "gauge",
             "Since the controller last said something; -1: never.",
             heard_us ? (double)(clock_us() - heard_us) / 1e6 : -1);
    prom_one(m, "anole_relay_messages_total", "counter", "Messages of agents.", (double)c->messages);
    prom_one(m, "anole_relay_reports_total", "counter", "Of these, reports.", (double)c->reports);
    prom_one(m, "anole_relay_unreadable_total", "counter",
             "Messages of agents or the controller that were not understood, or not allowed.",
             (double)c->unreadable);
    prom_one(m, "anole_relay_racks_total", "counter", "Messages to the controller.", (double)c->racks);
    prom_one(m, "anole_relay_rack_bytes_total", "counter", "Bytes of these.", (double)c->rack_bytes);
    prom_one(m, "anole_relay_lost_controller_total", "counter", "How often the controller was lost.",
             (double)c->losses);
    process_peers(m, "anole_relay", serve_counts(r->agents));
}

static char *trouble(void *arg)
{
    return ((const struct rack_relay *)arg)->up.is_up ? NULL : xstrdup("it has no controller\n");
}

static void reload(void *arg)
{
    struct rack_relay *r = arg;
    struct relay_file *before = r->own, *new = reload_file(&config_relay, r->file);
    bool               is_http = new && !config_http_is_same(&new->common.http, &r->file->common.http);

    if (!new)
        return;
    r->file = r->own = new;
    r->relay.cfg.silence_us = new->silence_us;
    if (is_http)
        status_page_reopen(&r->page, &new->common.http);
    reload_free(&config_relay, before);
    process_note_reload(true);
    clock_log("its configuration was read again");
}

static void loop(struct rack_relay *r)
{
    struct rpc_event e;

    for (r->tick_us = clock_us();;) {
        struct pollfd fd[] = { process_readable(serve_fd(r->agents)), process_readable(dial_fd(r->up.dial)),
                               process_readable(r->signals), process_readable(server_fd(r->page.server)) };
        enum process_order order = process_wait(fd, 4, min_u64(uplink_timer_us(&r->up), r->tick_us),
                                                r->signals);

        if (order == PROCESS_END)
            return;
        if (order == PROCESS_RELOAD)
            reload_on_signal(reload, r);
        while (serve_next(r->agents, &e))
            on_agent(r, &e);
        while (dial_next(r->up.dial, &e))
            on_up(r, &e);
        relay_flush(&r->relay);
        on_time(r, clock_us());
        server_run(r->page.server);
    }
}

int relay_run(const struct relay_file *f, struct err *err)
{
    struct rack_relay r = { .file = f };
    struct uplink_to  to = uplink_of(f);

    srandom((unsigned)clock_us());
    r.signals = clock_signals();
    relay_init(&r.relay, &(struct relay_config){ f->silence_us },
               &(struct relay_io){ send, cut, send_up, &r }, clock_us());
    rack_init(&r.rack, 0);
    int rc = serve_open(&r.agents, f->listen, &f->common.tls, NULL, err);
    r.page = (struct status_page){ .metrics = add_metrics, .trouble = trouble, .arg = &r };
    rc = rc ? rc : status_page_open(&r.page, &f->common.http, err);
    rc = rc ? rc : uplink_open(&r.up, "", &to, err);
    if (!rc) {
        clock_log("relay at %s", f->listen);
        clock_notify("READY=1");
        loop(&r);
        clock_notify("STOPPING=1");
    }
    server_free(r.page.server);
    serve_free(r.agents);
    dial_free(r.up.dial);
    relay_fini(&r.relay);
    rack_fini(&r.rack);
    reload_free(&config_relay, r.own);
    close(r.signals);
    return rc;
}
