/* src/live/daemon/run_controller.c - see run.h: one loop for all agents of a fabric, the tuner, and
 * operators. */
#include "core/units.h"
#include "live/control/control.h"
#include "base/minmax.h"
#include "live/daemon/ctl.h"
#include "live/core/live_clock.h"
#include "live/daemon/disk.h"
#include "live/daemon/hold_file.h"
#include "live/daemon/tuner/live_tuner.h"
#include "live/relay/relay.h"
#include "live/wire/codec.h"
#include "live/daemon/process.h"
#include "live/daemon/run.h"
#include "live/flows/collector.h"
#include "live/view/controller_page.h"
#include "live/view/state_json.h"
#include "live/view/words.h"
#include "live/wire/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STANDBY_US 100000u
#define LOOK_TICKS 50            /* between looks at what guardrails cannot see, and at what is missing */
#define THINK_US 20000u          /* a tuner that thinks is asked so often, where time waits for it */

#define BEHIND 0x80000000u       /* links behind relays have this bit, those of gRPC do not */

/* The controller's end of a connected relay: live/relay/relay.h over a stream. */
struct relay_end { struct fabric *fabric; uint32_t link; struct account *account; struct mux mux; };

struct fabric {
    const struct controller_file *file;
    /* after a reload: the files that 'file' points to now, and from the end of the trial on */
    struct controller_file       *own, *next;
    struct control                control;
    struct record                 record;        /* of its inputs, if there is one */
    struct disk                   disk;
    struct hold_file              hold;
    struct serve                 *serve;
    struct live_tuner             tuner;
    struct live_learner           learner;
    struct relay_end            **end;           /* of relays */
    uint32_t                      ends;
    struct relay_end             *current;       /* whose rack is being processed */
    uint32_t                      links;         /* behind relays, so far */
    uint32_t                      names_max;     /* devices that one certificate of a relay may speak for */
    struct rack                   rack;          /* the last that arrived */
    int                           signals;
    json_int_t                    unguarded;     /* devices, as last logged: log_unguarded() */
    bool                          told_disk;     /* the journal says that it cannot be written */
    uint64_t                      tick_us;
    struct page                   page;
    struct collector              flows;
    struct fsd                    fsd;           /* of the last window */
    struct lease                 *lease;         /* NULL: it is alone */
    uint64_t                      revision;      /* of the lease that it holds */
    struct controller_pace       *pace;          /* NULL: the clock */
};

/* ---- relays ---- */

static uint64_t now_us(const struct fabric *f)
{
    return f->pace ? f->pace->now_us : clock_us();
}

static void end_free(struct relay_end *e)
{
    mux_fini(&e->mux);
    free(e);
}

static uint32_t on_relay_link(void *arg, uint64_t now_us)
{
    struct fabric *f = ((struct relay_end *)arg)->fabric;
    uint32_t       link = BEHIND | f->links++;

    control_link(&f->control, link, now_us);
    return link;
}

static void on_relay_msg(void *arg, uint32_t link, const struct msg *m, uint64_t now_us)
{
    struct relay_end *e = arg;
    struct fabric    *f = e->fabric;

    f->page.counts.reports += m->kind == MSG_REPORT;
    if (m->kind != MSG_HELLO || account_has_room(e->account, f->names_max, m->name))
        control_msg(&f->control, link, m, now_us);
}

static void on_relay_cut(void *arg, uint32_t link)
{
    struct fabric *f = ((struct relay_end *)arg)->fabric;

    control_cut(&f->control, link, now_us(f));
}

static void send_down(void *arg, const struct rack *rack)
{
    struct relay_end *e = arg;
    unsigned char    *bytes;
    size_t            length = rack_codec_write(rack, &bytes);

    serve_send(e->fabric->serve, e->link, bytes, length);
    free(bytes);
}

static struct relay_end *end_of(struct fabric *f, const struct rpc_event *from)
{
    struct relay_end *e;

    for (uint32_t i = 0; i < f->ends; i++)
        if (f->end[i]->link == from->link)
            return f->end[i];
    e = xcalloc(1, sizeof *e);
    *e = (struct relay_end){ .fabric = f, .link = from->link, .account = from->account };
    mux_init(&e->mux, &(struct mux_io){ on_relay_link, on_relay_msg, on_relay_cut, send_down, e });
    f->end = xrealloc(f->end, (f->ends + 1ul) * sizeof *f->end);
    f->end[f->ends++] = e;
    return e;
}

static void cut_relay(struct fabric *f, uint32_t link)
{
    for (uint32_t i = 0; i < f->ends; i++)
        if (f->end[i]->link == link) {
            mux_on_cut(&f->end[i]->mux);
            end_free(f->end[i]);
            f->end[i] = f->end[--f->ends];
            return;
        }
}

/* The message leaves with the next flush. A link that is gone is no error. */
static void send_to_relay(struct fabric *f, uint32_t link, const struct msg *m)
{
    if (m->kind == MSG_LEARN || (f->current && mux_send(&f->current->mux, link, m)))
        return;                  /* relays do not carry LEARN */
    for (uint32_t i = 0; i < f->ends; i++)
        if (mux_send(&f->end[i]->mux, link, m))
            return;
}

/* ---- hooks ---- */

static void send(void *arg, uint32_t link, const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct fabric       *f = arg;

    if (link & BEHIND)
        send_to_relay(f, link, m);
    else
        serve_send(f->serve, link, bytes, codec_write(m, bytes));
}

static void interval(void *arg, uint64_t now_us)
{
    struct fabric *f = arg;
    char           note[MSG_WHY_SIZE];

    if (f->flows.fd >= 0) {
        collector_read(&f->flows, now_us, &f->fsd);
        f->tuner.flows = &f->fsd;
    }
    live_tuner_interval(&f->tuner, &f->control.c, now_us);
    if (live_learner_interval(&f->learner, f->file, &f->control.c, note))
        control_note(&f->control, "net", note, now_us);
    f->page.counts.records = f->learner.taken;
    f->page.counts.records_refused = f->learner.refused;
    f->page.counts.net = f->learner.net.version;
}

static bool records(void *arg, const struct peer *p, const struct msg_learn *m, uint64_t now_us,
                    char note[MSG_WHY_SIZE])
{
    struct fabric *f = arg;

    return live_learner_take(&f->learner, &f->control.c, p, m, now_us, note);
}

static const struct msg_learn *net(void *arg, const struct peer *p)
{
    struct fabric *f = arg;

    return live_learner_net(&f->learner, &f->control.c, p);
}

static bool propose(void *arg, uint64_t now_us, struct knob_set *set, char why[MSG_WHY_SIZE])
{
    struct fabric *f = arg;

    return live_tuner_propose(&f->tuner, &f->control.c, now_us, set, why);
}

static void ended(void *arg, bool is_kept, uint32_t missed, const char *why)
{
    struct fabric *f = arg;

    if (is_kept && missed)
        clock_log("trial %lu: %u devices did not take it", (unsigned long)f->control.c.trial.number, missed);
    f->page.counts.kept += is_kept;
    f->page.counts.dropped += !is_kept;
    live_tuner_ended(&f->tuner, &f->control.c, is_kept, missed, why);
}

/* In mode direct trials are too many for it. */
static void journal(void *arg, const char *text)
{
    const struct fabric *f = arg;

    if (f->control.c.cfg->mode != MODE_DIRECT || strncmp(text, "trial ", strlen("trial ")) != 0)
        clock_log("%s", text);
}

static void declined(void *arg, const char *why)
{
    struct fabric *f = arg;

    live_tuner_ended(&f->tuner, &f->control.c, false, 0, why);
}

/* ---- the network ---- */

static void on_data(struct fabric *f, const struct rpc_event *e, uint64_t now_us)
{
    static struct msg_learn learn;
    struct msg              m;

    f->page.counts.messages++;
    if (!process_hear(f->serve, e, &m, &learn))
        f->page.counts.unreadable++;
    else {
        f->page.counts.reports += m.kind == MSG_REPORT;
        control_msg(&f->control, e->link, &m, now_us);
    }
}

static bool is_one_of(const struct account *a, char *const *name, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (account_is(a, name[i]))
            return true;
    return false;
}

/* A relay speaks for the devices of others, whose names it has checked. */
static void on_rack(struct fabric *f, const struct rpc_event *e, uint64_t now_us)
{
    bool is_relay = !f->file->common.tls.ca || is_one_of(e->account, f->file->relay, f->file->relays);

    f->page.counts.messages++;
    if (!is_relay || rack_codec_read(&f->rack, e->bytes, e->length)) {
        f->page.counts.unreadable++;
        process_complain(f->serve, e, is_relay ? "sent something that is not a rack" :
                         "is not a relay of this controller");
    } else {
        f->current = end_of(f, e);
        mux_on_rack(&f->current->mux, &f->rack, now_us);
        f->current = NULL;
    }
}

static enum gate_right right_of(const struct fabric *f, const struct account *a)
{
    const struct controller_file *c = f->file;
    int                           right = a->is_owner ? GATE_OPERATE : GATE_NOTHING;

    for (int i = GATE_VIEW; i < GATE_RIGHTS && c->common.tls.ca; i++)
        right = is_one_of(a, c->client[i], c->clients[i]) && i > right ? i : right;
    return (enum gate_right)right;
}

static bool is_operator(void *arg, const struct account *a)
{
    return right_of(arg, a) != GATE_NOTHING;
}

/* Without certificates every user of this machine may look, and freeze. */
static const char *refusal(struct fabric *f, const struct account *a, const struct question *q)
{
    const struct words_verb *verb = words_verb_of(q->verb);
    enum gate_right          right = right_of(f, a);

    return right >= (verb ? verb->right : GATE_VIEW) ? NULL :
           right == GATE_APPROVE ? "an approver of this controller, who may look, approve and reject" :
           right == GATE_VIEW ? "a viewer of this controller, who may only look" :
           f->file->common.tls.ca ? "not an operator of this controller" :
           verb && verb->is_open ? NULL :
           "without certificates only root and the user of the controller may decide, by its socket file: "
           "anole ctl at that machine, or --address unix:FILE";
}

static void on_ask(struct fabric *f, const struct rpc_event *e, uint64_t now_us)
{
    struct question q;
    struct err      err = { "" };
    char           *text = NULL;
    unsigned char  *bytes;
    size_t          length;
    json_t         *tuner = live_tuner_json(&f->tuner);

    if (codec_read_question(&q, e->bytes, e->length))
        err_write(&err, "that is not a question");
    else if (refusal(f, e->account, &q))
        err_write(&err, "%s%s%s%s", f->file->common.tls.ca ? "'" : "", account_name(e->account),
                  f->file->common.tls.ca ? "' is " : "", refusal(f, e->account, &q));
    else
        text = answer_to(&f->control, &q, account_name(e->account),
                         &(struct answer_sources){ &f->page.ledger, tuner, f->page.counts.peers,
                                                   &f->page.upkeep, page_disk_is_bad(&f->page) },
                         now_us, &err);
    length = codec_write_reply(text ? "" : err.text, text ? text : "", &bytes);
    serve_reply(f->serve, e->link, bytes, length);
    free(bytes);
    free(text);
    json_decref(tuner);
}

/* Agents and relays of one that was deposed shall find the one that acts. */
static void on_event(struct fabric *f, const struct rpc_event *e, uint64_t now_us)
{
    if (f->control.c.role == ROLE_DEPOSED && (e->kind == RPC_OPEN || e->kind == RPC_DATA)) {
        serve_cut(f->serve, e->link);
        return;
    }
    switch (e->kind) {
    case RPC_OPEN:  control_link(&f->control, e->link, now_us); break;
    case RPC_CLOSE:
        cut_relay(f, e->link);
        control_cut(&f->control, e->link, now_us);
        break;
    case RPC_DATA:
        if (rack_codec_is(e->bytes, e->length))
            on_rack(f, e, now_us);
        else
            on_data(f, e, now_us);
        break;
    case RPC_ASK:   on_ask(f, e, now_us); break;
    }
}

/* A person with the token, or a certificate, over HTTP. */
static int act(void *arg, const struct question *q, const char *who, struct err *err)
{
    struct fabric *f = arg;

    return answer_act(&f->control, q, who, clock_us(), err);
}

static json_t *tuner_json(void *arg)
{
    return live_tuner_json(&((const struct fabric *)arg)->tuner);
}

/* ---- another configuration ---- */

static void take_next(struct fabric *f)
{
    struct controller_file *before = f->own, *new = f->next;
    bool is_http = !config_http_is_same(&new->common.http, &f->file->common.http),
         has_same_learner = config_tuner_is_same(&new->learner, &f->file->learner);

    f->file = f->own = new;
    f->next = NULL;
    live_tuner_fini(&f->tuner);
    live_tuner_init(&f->tuner, new, f->pace ? f->pace->epoch_us : 0);
    if (!has_same_learner) {
        live_learner_fini(&f->learner);
        live_learner_init(&f->learner, new);
    }
    page_know(&f->page, &new->links, &new->jobs);
    upkeep_init(&f->page.upkeep, &new->inventory);
    control_input(&f->control, (struct input){ .kind = INPUT_CONFIG, .config = &new->controller }, now_us(f));
    if (is_http)
        status_page_reopen(&f->page.http, &new->common.http);
    reload_free(&config_controller, before);
    process_note_reload(true);
    clock_log("its configuration was read again");
}

/* What a trial is judged by stays until it has ended. */
static void take_next_if_idle(struct fabric *f)
{
    if (f->next && f->control.c.trial.phase == TRIAL_NONE)
        take_next(f);
}

static void reload(void *arg)
{
    struct fabric          *f = arg;
    struct controller_file *next = reload_file(&config_controller, f->file);

    if (!next)
        return;
    reload_free(&config_controller, f->next);
    f->next = next;
    if (next->controller.mode == MODE_OBSERVE)
        control_input(&f->control,
                      (struct input){ .kind = INPUT_ABORT, .text = "the configuration says: observe" },
                      now_us(f));
    if (f->control.c.trial.phase == TRIAL_WAITING)
        control_input(&f->control, (struct input){ .kind = INPUT_ABORT, .text =
                      "the configuration was read again; the tuner proposes anew" }, now_us(f));
    if (f->control.c.trial.phase != TRIAL_NONE)
        clock_log("the new configuration holds when trial %lu has ended",
                  (unsigned long)f->control.c.trial.number);
    take_next_if_idle(f);
}

/* ---- time ---- */

/* Logs it when guardrails cannot see everything at more or fewer devices than before. */
static void log_unguarded(struct fabric *f)
{
    json_t    *o = state_json_unguarded(&f->control.c, clock_us());
    json_int_t count = json_integer_value(json_object_get(o, "devices"));

    if (count != f->unguarded && count)
        clock_log("guardrails do not see everything at %lld of %u devices; at %s not %s", (long long)count,
                  f->control.c.peers, json_get_text(o, "example"), json_get_text(o, "what"));
    f->unguarded = count;
    json_decref(o);
}

/* The journal says when the disk becomes full, and when it is not any more. */
static void tell_disk(struct fabric *f)
{
    bool is_bad = page_disk_is_bad(&f->page);

    if (is_bad && !f->told_disk)
        clock_log("the disk cannot be written: nothing new is tried; %lu records of the log are missing",
                  (unsigned long)f->control.audit.lost);
    else if (!is_bad && f->told_disk)
        clock_log("the disk can be written again");
    f->told_disk = is_bad;
}

static void look_after(struct fabric *f)
{
    struct upkeep_at at = { &f->control.c, serve_accounts(f->serve), serve_ends_s(f->serve), time(NULL),
                            clock_us() };

    tell_disk(f);
    log_unguarded(f);
    upkeep_look(&f->page.upkeep, &at, journal, f);
}

static void tick(struct fabric *f, uint64_t interval_us)
{
    process_log_budgets(f->serve);
    f->page.counts.ticks++;
    f->page.counts.late += clock_us() - f->tick_us > interval_us / 2;
    control_tick(&f->control, clock_us());
    f->control.is_brief = f->file->is_brief && live_tuner_is_idle(&f->tuner);
    take_next_if_idle(f);
    if (f->page.counts.ticks % LOOK_TICKS == 0)
        look_after(f);
    page_tick(&f->page, clock_us());
    f->tick_us += interval_us;
    if (f->tick_us < clock_us())
        f->tick_us = clock_us() + interval_us;
}

/* ---- several controllers ---- */

static bool has_lost_lease(const struct fabric *f, struct err *err)
{
    if (!f->lease)
        return false;
    struct lease_view v = lease_look(f->lease);
    if (clock_us() < v.until_us && v.revision == f->revision)
        return false;
    err_write(err, "the lease in etcd has ended, so another controller may act%s%s",
              *v.trouble ? ": " : "", v.trouble);
    return true;
}

static void say_standby(struct fabric *f, const struct lease_view *v)
{
    char text[sizeof f->page.standby];

    if (*v->trouble)
        snprintf(text, sizeof text, "etcd does not answer: %.150s", v->trouble);
    else
        snprintf(text, sizeof text, "%s has the lease", *v->holder ? v->holder : "an unknown controller");
    if (strcmp(text, f->page.standby) != 0)
        clock_log("standby: %s", text);
    snprintf(f->page.standby, sizeof f->page.standby, "%s", text);
}

/* Waits for the lease; agents cannot connect and go to the holder. Returns 1 if a signal ended it. */
static int stand_by(struct fabric *f)
{
    struct lease_view v;

    for (;;) {
        struct pollfd fd[] = { process_readable(f->signals),
                               process_readable(server_fd(f->page.http.server)) };

        if (process_wait(fd, 2, clock_us() + STANDBY_US, f->signals) == PROCESS_END)
            return 1;
        server_run(f->page.http.server);
        page_tick(&f->page, clock_us());
        v = lease_look(f->lease);
        if (clock_us() < v.until_us)
            break;
        if (*v.holder || *v.trouble)
            say_standby(f, &v);
    }
    f->page.standby[0] = '\0';
    f->revision = v.revision;
    clock_log("it has the lease in etcd, revision %lu", (unsigned long)v.revision);
    return 0;
}

static int loop(struct fabric *f, struct err *err)
{
    struct rpc_event e;
    uint64_t         interval_us = f->file->controller.interval_us;

    for (f->tick_us = clock_us() + interval_us;;) {
        struct pollfd fd[] = { process_readable(serve_fd(f->serve)), process_readable(f->signals),
                               process_readable(server_fd(f->page.http.server)),
                               process_readable(f->flows.fd) };
        uint64_t      until_us = !f->pace ? f->tick_us :
                                 live_tuner_thinks(&f->tuner) ? clock_us() + THINK_US : NEVER;
        enum process_order order = process_wait(fd, 4, until_us, f->signals);

        if (has_lost_lease(f, err))
            return -EAGAIN;      /* before anything that came meanwhile is answered */
        if (order == PROCESS_END)
            return 0;
        if (order == PROCESS_RELOAD)
            reload_on_signal(reload, f);
        while (serve_next(f->serve, &e))
            on_event(f, &e, now_us(f));
        server_run(f->page.http.server);
        collector_run(&f->flows);
        if (f->pace)
            f->pace->step(f->pace, &f->control, &f->tuner);
        else if (clock_us() >= f->tick_us)
            tick(f, interval_us);
        for (uint32_t i = 0; i < f->ends; i++)
            mux_flush(&f->end[i]->mux);
    }
}

/* A link is a file. */
static void raise_limits(void)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
}

static int open_flows(struct fabric *f, struct err *err)
{
    const struct controller_file *c = f->file;
    int                           rc = 0;

    if (!c->flows)
        return 0;
    for (uint32_t i = 0; i < c->flows_senders && !rc; i++)
        rc = collector_allow(&f->flows, c->flows_from[i], err);
    f->page.flows = &f->flows;
    return rc ? rc : collector_open(&f->flows, c->flows, err);
}

static int start(struct fabric *f, struct err *err)
{
    struct serve_limits  limits = { .account = ACCOUNT_LIMITS, .is_operator = is_operator, .arg = f };
    struct control_io    io = { .send = send, .interval = interval, .propose = propose, .ended = ended,
                                .declined = declined, .log = journal, .records = records, .net = net,
                                .arg = f };
    uint64_t             begin_us = f->pace ? f->pace->now_us - f->file->controller.gather_us : clock_us();
    struct audit         audit;
    struct err           why;
    char                 log[600];
    int                  rc = disk_open(&f->disk, f->file->common.state, &audit, err);

    if (rc)
        return rc;
    if (disk_mend_log(&f->disk, &audit, &why))
        clock_log("%s", why.text);
    snprintf(log, sizeof log, "%s/audit.%u.jsonl", f->file->common.state, f->disk.logs);
    if (f->disk.logs)
        ledger_load_file(&f->page.ledger, log);
    snprintf(log, sizeof log, "%s/" DISK_LOG, f->file->common.state);
    ledger_load_file(&f->page.ledger, log);
    io.disk = disk_io(&f->disk);
    if ((rc = hold_file_open(&f->hold, f->file->common.state)) != 0)
        clock_log("%s: a freeze would not survive a full disk: %s", f->file->common.state, strerror(-rc));
    io.hold = hold_file_io(&f->hold);
    io.disk.on_line = ledger_on_line;
    io.disk.on_line_arg = &f->page.ledger;
    control_init(&f->control, &f->file->controller, &io, f->file->devices_max);
    rc = status_page_open(&f->page.http, &f->file->common.http, err);
    if (!rc && f->file->prometheus)
        rc = page_remember(&f->page, f->file->prometheus, f->file->prometheus_match, err);
    rc = rc ? rc : open_flows(f, err);
    if (!rc && f->file->etcd.endpoints)
        rc = lease_open(&f->lease, &f->file->etcd, clock_us, err);
    if (!rc && f->lease) {
        clock_notify("READY=1\nSTATUS=standby");
        rc = stand_by(f);
        begin_us = clock_us();
    }
    if (rc)
        return rc;
    if (f->file->record) {
        rc = record_open(&f->record, f->file->record, f->control.c.cfg, f->file->devices_max, err);
        f->control.record = &f->record;
        if (rc)
            return rc;
    }
    if (control_start(&f->control, &audit, begin_us))
        return err_set(err, EBADMSG, "%s/%s: it cannot be understood", f->file->common.state,
                       CONTROLLER_SAVED_NAME);
    control_fence(&f->control, f->revision, begin_us);
    limits.account.devices = f->file->agent_devices;
    limits.account.connections = f->file->agent_devices + 64;
    limits.account.messages = f->file->agent_messages;
    rc = serve_open(&f->serve, f->file->listen, &f->file->common.tls, &limits, err);
    f->page.counts.audit = &f->control.audit;
    f->page.counts.peers = rc ? NULL : serve_counts(f->serve);
    return rc ? rc : serve_add_local(f->serve, f->file->socket, f->file->listen, err);
}

int controller_run(const struct controller_file *file, struct controller_pace *pace, struct err *err)
{
    static const char *const modes[] = { "observes only", "asks before it tries something",
                                         "tries without asking", "sets what its tuner says" };
    struct fabric f = { .file = file, .disk = { .lock_fd = -1, .log_fd = -1 }, .hold = { -1 }, .pace = pace };

    raise_limits();
    f.signals = clock_signals();
    live_tuner_init(&f.tuner, file, pace ? pace->epoch_us : 0);
    live_learner_init(&f.learner, file);
    page_init(&f.page, &f.control.c);
    page_know(&f.page, &file->links, &file->jobs);
    upkeep_init(&f.page.upkeep, &file->inventory);
    collector_init(&f.flows, file->flows_window_us);
    f.page.act = act;
    f.page.tuner = tuner_json;
    f.page.arg = &f;
    f.names_max = max_u32(file->agent_devices, RACK_DEVICES_MAX);        /* a rack may always be full */
    rack_init(&f.rack, 0);
    int rc = start(&f, err);
    if (!rc) {
        clock_log("listening at %s, %s", file->listen, modes[file->controller.mode]);
        clock_notify("READY=1\nSTATUS=acting");
        rc = loop(&f, err);
        clock_notify("STOPPING=1");
    }
    serve_free(f.serve);
    lease_free(f.lease);         /* last: no agent can reach it any more */
    page_fini(&f.page);
    collector_fini(&f.flows);
    live_tuner_fini(&f.tuner);
    live_learner_fini(&f.learner);
    for (uint32_t i = 0; i < f.ends; i++)
        end_free(f.end[i]);
    free(f.end);
    rack_fini(&f.rack);
    if (record_close(&f.record))
        clock_log("%s: the record of inputs is not complete: %s", file->record, strerror(f.record.error));
    control_fini(&f.control);
    reload_free(&config_controller, f.own);
    reload_free(&config_controller, f.next);
    hold_file_close(&f.hold);
    disk_close(&f.disk);
    close(f.signals);
    return rc > 0 ? 0 : rc;
}
