#include "live/daemon/queues/queue_tuner.h"
#include "base/minmax.h"
#include "core/units.h"
#include "live/agent/agent.h"
#include "tune/acc/acc.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTLE_US 2000000u       /* time for a write to take effect */
#define POLL_US   20000u         /* between looks at what has not settled */
#define DOUBT_US  60000000u      /* a write that failed may take effect for so long */
#define RETRY_US  500000u        /* between attempts to bring queues back */
#define TELL_US   60000000u      /* between records in the audit log */

struct queue {
    char       name[MSG_NAME_SIZE];
    struct ecn found;            /* the setting to restore */
    struct ecn is;               /* last read or written */
    bool       is_open;          /* written, not settled yet */
    bool       has_failed;       /* the last write: it may have happened or not */
    uint64_t   written_us;
    /* until then, or for all of a life that began with it, a setting of ours may turn up */
    uint64_t   doubt_until_us;
};

struct queue_tuner {
    struct queue_tuner_config cfg;
    struct agent             *agent;
    const struct io_queues   *io;
    void                     *device;
    struct loop               loop;
    uint64_t                  slot_ps;
    struct queue_saved        saved;
    struct queue              queue[IO_QUEUES_MAX];
    uint32_t                  queues;
    struct queue_slot         slot[IO_QUEUES_MAX];
    struct ecn                ecn[IO_QUEUES_MAX];        /* room for a call */
    bool                      is_settled[IO_QUEUES_MAX];
    bool                      is_ready;  /* saved state and queues have been read */
    bool                      is_lost;   /* the saved state is corrupt: nothing is written */
    bool                      is_going_back;
    char                      why[MSG_WHY_SIZE];         /* it goes back */
    uint64_t                  poll_us, back_us, retry_us, hold_until_us, tell_us;
    double                    tokens;    /* of changes */
    uint64_t                  tokens_us;
    uint64_t                  told_decisions, told_changes;
    struct acc_agents        *learning;  /* through the controller; NULL: not */
};

/* ---- making one ---- */

static bool has_option(const struct loop *l, const char *name, double value)
{
    const struct key_row *table = l->tuner.algo->option, *o = key_find(table, name);

    return o && l->tuning.values.value[o - table] == value;
}

static int open_loop(struct loop *l, const struct world *w, const struct loop_request *q, struct err *err)
{
    int rc = loop_open(l, w, q, err);

    if (rc)
        return rc;
    if (!l->tuner.algo->slot)
        rc = err_set(err, ENOTSUP, "%s%s does not set queues one by one: that is for a controller",
                     q->place, q->kind);
    else if (has_option(l, "train", 1) && !has_option(l, "learner", 1))
        rc = err_set(err, ENOTSUP, "%strain: switches learn through their controller: add learner: central",
                     q->place);
    else if (has_option(l, "agents", 1))
        rc = err_set(err, ENOTSUP,
                     "%sagents: central needs to see all switches, which an agent does not", q->place);
    if (rc)
        loop_close(l);
    return rc;
}

int queue_tuner_check(const struct loop_request *q, struct err *err)
{
    struct queue_facts fact = { .rate_bps = 25000000000 };
    struct world       w = { .queue = &fact, .queues = 1 };
    struct loop        l;
    int                rc = open_loop(&l, &w, q, err);

    if (!rc)
        loop_close(&l);
    return rc;
}

static uint32_t list_queues(struct queue_tuner *t, struct queue_facts *fact)
{
    char (*name)[MSG_NAME_SIZE] = xcalloc(IO_QUEUES_MAX, sizeof *name);

    t->queues = t->io->list(t->device, fact, name);
    for (uint32_t i = 0; i < t->queues; i++) {
        memcpy(t->queue[i].name, name[i], sizeof name[i]);
        fact[i].device = 0;
    }
    free(name);
    return t->queues;
}

static void on_learn(void *, const struct msg *, uint64_t now_us);

int queue_tuner_new(struct queue_tuner **out, const struct queue_tuner_config *cfg, struct agent *agent,
                    const struct io_queues *io, void *device, struct err *err)
{
    struct queue_facts *fact = xcalloc(IO_QUEUES_MAX, sizeof *fact);
    struct queue_tuner *t = xcalloc(1, sizeof *t);

    t->cfg = *cfg;
    t->agent = agent;
    t->io = io;
    t->device = device;
    struct world w = { .queue = fact, .queues = list_queues(t, fact) };
    int rc = t->queues ? open_loop(&t->loop, &w, &cfg->tuner, err) :
             err_set(err, ENOENT,
                     "it has no queues that can be set by themselves (of SONiC: devices: [all-3] is queue 3 "
                     "of all ports)");
    free(fact);
    if (rc) {
        free(t);
        *out = NULL;
        return rc;
    }
    t->slot_ps = loop_slot_ps(&t->loop);
    if (t->loop.tuner.algo == &tuner_acc) {
        acc_follow(&t->loop.tuner);
        t->learning = acc_central(&t->loop.tuner);
    }
    if (t->learning) {
        agent->self.is_training = true;
        agent->on_learn = on_learn;
        agent->learn_arg = t;
    }
    agent->self.queues = t->queues;
    *out = t;
    return 0;
}

void queue_tuner_free(struct queue_tuner *t)
{
    if (!t)
        return;
    loop_close(&t->loop);
    queue_saved_fini(&t->saved);
    free(t);
}

/* ---- records ---- */

static struct knob_set set_of(const struct ecn *e)
{
    struct knob_set s = { 0 };

    knob_set_add(&s, KNOB_kmin, e->kmin_bytes / 1e3);
    knob_set_add(&s, KNOB_kmax, e->kmax_bytes / 1e3);
    knob_set_add(&s, KNOB_pmax, e->pmax);
    return s;
}

static int note(struct queue_tuner *t, const char *what, const char *why, const struct ecn *new,
                uint64_t now_us)
{
    struct knob_set set = new ? set_of(new) : (struct knob_set){ 0 };

    return device_log(t->agent, (struct audit_record){ .what = what, .why = why, .new = new ? &set : NULL },
                      now_us);
}

static void count(struct queue_tuner *t)
{
    uint32_t moved = 0;

    for (uint32_t i = 0; i < t->queues; i++)
        moved += !ecn_equal(&t->queue[i].is, &t->queue[i].found);
    t->agent->self.moved = moved;
}

/* Logs the changes since the last record, if any. */
static void log_changes(struct queue_tuner *t, uint64_t now_us)
{
    const struct msg_self *s = &t->agent->self;
    char                   text[200];

    t->tell_us = now_us + TELL_US;
    if (s->changes == t->told_changes)
        return;
    snprintf(text, sizeof text, "%" PRIu64 " decisions, %" PRIu64
             " changes; %u of %u queues are not as they were found", s->decisions - t->told_decisions,
             s->changes - t->told_changes, s->moved, s->queues);
    note(t, "queues", text, NULL, now_us);
    t->told_decisions = s->decisions;
    t->told_changes = s->changes;
}

/* ---- writing ---- */

static void set_queue(struct queue_tuner *t, struct queue *q, const struct ecn *e, uint64_t now_us)
{
    struct ecn was = q->is;
    int        rc = t->io->write(t->device, (uint32_t)(q - t->queue), &was, e);

    t->poll_us = now_us;
    if (rc == -EBUSY)
        return;                  /* there was a concurrent write: the next reading shows it */
    q->is = *e;
    q->is_open = true;
    q->written_us = now_us;
    q->has_failed = rc != 0;
    if (rc)
        q->doubt_until_us = now_us + DOUBT_US;
}

static void write_back(struct queue_tuner *t, uint64_t now_us)
{
    t->retry_us = now_us + RETRY_US;
    for (uint32_t i = 0; i < t->queues; i++)
        if (!ecn_equal(&t->queue[i].is, &t->queue[i].found))
            set_queue(t, &t->queue[i], &t->queue[i].found, now_us);
}

static void go_back(struct queue_tuner *t, const char *why, uint64_t now_us)
{
    if (!t->is_going_back) {
        log_changes(t, now_us);
        snprintf(t->why, sizeof t->why, "%s", why);
        t->back_us = now_us;
    }
    t->is_going_back = true;
    write_back(t, now_us);
}

/* ---- what queues hold ---- */

/* It stays, and is what this queue goes back to. */
static void adopt(struct queue_tuner *t, struct queue *q, const struct ecn *e, uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    snprintf(why, sizeof why, "changed outside Anole: queue %.60s", q->name);
    q->found = q->is = *e;
    q->is_open = false;
    note(t, "adopt", why, e, now_us);
    if (queue_saved_find(&t->saved, q->name)) {
        queue_saved_put(&t->saved, q->name, e);
        queue_saved_write(&t->saved, &t->agent->io.disk);
    }
    agent_freeze(t->agent, why, now_us);
}

static void look_at(struct queue_tuner *t, struct queue *q, const struct ecn *holds, uint64_t now_us)
{
    if (ecn_equal(holds, &q->is)) {
        q->is_open = q->has_failed = false;
        return;
    }
    bool is_found = ecn_equal(holds, &q->found);
    /* a write of ours that came late, or did not come */
    bool is_late = now_us < q->doubt_until_us &&
                   ((q->has_failed && is_found) || queue_saved_has(&t->saved, holds));
    if (is_late || is_found) {
        q->is = *holds;
        q->is_open = false;
        /* the switch has restarted, or an operator restored it: do not tune now */
        t->hold_until_us = is_late ? t->hold_until_us : now_us + t->cfg.hold_us;
    } else
        adopt(t, q, holds, now_us);
}

/* Reads all of them. -EIO: they cannot be read, which changes nothing. */
static int read_state(struct queue_tuner *t, uint64_t now_us)
{
    int rc = t->io->read(t->device, t->ecn, t->is_settled);

    t->poll_us = now_us + POLL_US;
    for (uint32_t i = 0; i < t->queues && !rc; i++)
        if (t->is_settled[i])
            look_at(t, &t->queue[i], &t->ecn[i], now_us);
    count(t);
    return rc;
}

static bool is_any_open(const struct queue_tuner *t)
{
    for (uint32_t i = 0; i < t->queues; i++)
        if (t->queue[i].is_open)
            return true;
    return false;
}

/* A device that ignores writes would be written forever. */
static void find_stuck(struct queue_tuner *t, uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    for (uint32_t i = 0; i < t->queues && !t->is_going_back; i++) {
        const struct queue *q = &t->queue[i];

        if (!q->is_open || now_us < q->written_us + SETTLE_US)
            continue;
        snprintf(why, sizeof why, "queue %.60s did not take what was written", q->name);
        t->hold_until_us = now_us + t->cfg.hold_us;
        go_back(t, why, now_us);
    }
}

/* ---- learning ---- */

static void on_learn(void *arg, const struct msg *m, uint64_t now_us)
{
    struct queue_tuner     *t = arg;
    const struct msg_learn *l = m->learn;
    struct acc_net          net = { l->version, l->seed, l->checksum, l->value, l->floats };
    struct err              err;
    char                    why[MSG_WHY_SIZE] = "the initial net is back: learning is not allowed";

    if (l->checksum == t->agent->self.net)
        return;
    if (!l->version)
        acc_agents_drop(t->learning);
    else if (acc_agents_take(t->learning, &net, &err)) {
        snprintf(why, sizeof why, "net %" PRIu64 ": %.100s; the old one stays", l->version, err.text);
        note(t, "refuse", why, NULL, now_us);
        say_learn(t->agent, &(struct msg_learn){ .version = l->version }, why);
        return;
    } else
        snprintf(why, sizeof why, "version %" PRIu64 ", checksum %016" PRIx64, l->version, l->checksum);
    t->agent->self.net = l->version ? l->checksum : 0;
    note(t, "net", why, NULL, now_us);
}

/* Of the interval. What was not applied teaches nothing about it. */
static void send_records(struct queue_tuner *t, uint64_t now_us)
{
    static struct msg_learn   m;
    const struct acc_records *r = &t->learning->learner.records;
    uint32_t                  most = min_u32(MSG_LEARN_FLOATS_MAX / r->floats, MSG_LEARN_ROWS_MAX);

    for (uint32_t first = 0; first < r->count && !agent_may_tune(t->agent, now_us); first += m.rows) {
        m.version = t->learning->version;
        m.rows = min_u32(r->count - first, most);
        m.floats = m.rows * r->floats;
        for (uint32_t i = 0; i < m.rows; i++) {
            m.slot[i] = r->key[first + i].slot;
            m.queue[i] = r->key[first + i].queue;
        }
        memcpy(m.value, r->record + (size_t)first * r->floats, m.floats * sizeof *m.value);
        say_learn(t->agent, &m, "");
    }
    acc_agents_clear(t->learning);
}

/* ---- starting ---- */

/* The current setting of a queue is its initial one, ours, or foreign. */
static void meet(struct queue_tuner *t, struct queue *q, const struct ecn *holds, uint64_t now_us)
{
    const struct queue_found *f = queue_saved_find(&t->saved, q->name);

    q->found = f ? f->ecn : *holds;
    q->is = *holds;
    if (f && !ecn_equal(holds, &q->found) && !queue_saved_has(&t->saved, holds))
        adopt(t, q, holds, now_us);
}

static void try_to_start(struct queue_tuner *t, uint64_t now_us)
{
    if (t->is_lost || t->io->read(t->device, t->ecn, t->is_settled))
        return;
    for (uint32_t i = 0; i < t->queues; i++)
        if (!t->is_settled[i])
            return;
    t->is_ready = true;
    for (uint32_t i = 0; i < t->queues; i++) {
        t->queue[i].doubt_until_us = now_us + DOUBT_US;
        meet(t, &t->queue[i], &t->ecn[i], now_us);
    }
    count(t);
    if (t->agent->self.moved)
        go_back(t, "the agent has started", now_us);
}

void queue_tuner_start(struct queue_tuner *t, uint64_t now_us)
{
    int rc = queue_saved_read(&t->saved, &t->agent->io.disk);

    t->is_lost = rc && rc != -ENOENT;
    t->tell_us = now_us + TELL_US;
    t->tokens_us = now_us;
    t->tokens = t->cfg.changes_per_s;
    if (t->is_lost)
        agent_freeze(t->agent, "the saved state of queues is damaged", now_us);
    try_to_start(t, now_us);
}

/* ---- time ---- */

uint64_t queue_tuner_timer_us(const struct queue_tuner *t)
{
    if (t->is_going_back || is_any_open(t))
        return t->poll_us;
    return t->agent->self.moved ? t->agent->lease_until_us : NEVER;
}

void queue_tuner_on_timer(struct queue_tuner *t, uint64_t now_us)
{
    if (!t->is_ready)
        return;
    const char *why = !t->agent->self.moved || t->is_going_back ? NULL :
                      now_us < t->hold_until_us ? "queues were reset outside Anole" :
                      agent_may_tune(t->agent, now_us);
    if (why) {
        if (*t->agent->breach)
            t->hold_until_us = now_us + t->cfg.hold_us;
        go_back(t, why, now_us);
    }
    if (now_us < t->poll_us || (!t->is_going_back && !is_any_open(t)))
        return;
    read_state(t, now_us);
    find_stuck(t, now_us);
    if (!t->is_going_back)
        return;
    if (!t->agent->self.moved && !is_any_open(t)) {
        t->is_going_back = t->agent->self.is_broken = false;
        note(t, "revert", t->why, NULL, now_us);
    } else if (now_us >= t->retry_us) {
        t->agent->self.is_broken = now_us >= t->back_us + SETTLE_US;
        write_back(t, now_us);
    }
}

void queue_tuner_on_tick(struct queue_tuner *t, uint64_t now_us)
{
    if (!t->is_ready)
        try_to_start(t, now_us);
    else
        read_state(t, now_us);
    queue_tuner_on_timer(t, now_us);
    if (t->learning)
        send_records(t, now_us);
    if (now_us >= t->tell_us)
        log_changes(t, now_us);
}

bool queue_tuner_leave(struct queue_tuner *t, const char *why, uint64_t now_us)
{
    if (!t->is_ready)
        try_to_start(t, now_us);
    if (t->is_lost || !t->is_ready)
        return false;            /* what queues should hold, or what they hold, is not known */
    if (t->agent->self.moved && !t->is_going_back)
        go_back(t, why, now_us);
    queue_tuner_on_timer(t, now_us);
    if (!t->is_going_back)
        log_changes(t, now_us);
    return !t->is_going_back;
}

/* ---- a slot ---- */

uint64_t queue_tuner_slot_us(const struct queue_tuner *t)
{
    return max_u64(max_u64(t->slot_ps / PS_PER_US, 1), t->io->slot_us_min);
}

static double within(const struct limits *l, enum knob k, double value, double found, double unit)
{
    double least = ceil(l->min[k] * unit - 1e-9), most = floor(l->max[k] * unit + 1e-9);

    return !l->may_set[k] ? found : fmin(fmax(nearbyint(value), least), most);
}

/* What the agent's limits make of a setting. */
static struct ecn bounded(const struct queue_tuner *t, const struct queue *q, const struct ecn *e)
{
    const struct limits *l = &t->agent->cfg->limits;
    double               kmin = within(l, KNOB_kmin, e->kmin_bytes, q->found.kmin_bytes, 1e3);
    double               kmax = within(l, KNOB_kmax, e->kmax_bytes, q->found.kmax_bytes, 1e3);

    return (struct ecn){ .kmin_bytes = (uint32_t)fmin(kmin, kmax), .kmax_bytes = (uint32_t)kmax,
                         .pmax = l->may_set[KNOB_pmax] ? within(l, KNOB_pmax, e->pmax * 100, 0, 100) / 100 :
                         q->found.pmax };
}

static bool take_token(struct queue_tuner *t, uint64_t now_us)
{
    if (isinf(t->cfg.changes_per_s))
        return true;
    t->tokens = fmin(fmax(1, t->cfg.changes_per_s),
                     t->tokens + t->cfg.changes_per_s * (double)(now_us - t->tokens_us) / 1e6);
    t->tokens_us = now_us;
    bool has_one = t->tokens >= 1;
    t->tokens -= has_one;
    return has_one;
}

/* Saves and logs a setting before its first use, with the initial settings of all queues. */
static bool announce(struct queue_tuner *t, const struct ecn *e, uint64_t now_us)
{
    uint32_t settings = t->saved.settings;

    if (queue_saved_has(&t->saved, e))
        return true;
    for (uint32_t i = 0; i < t->queues; i++)
        if (!queue_saved_put(&t->saved, t->queue[i].name, &t->queue[i].found))
            return false;
    if (!queue_saved_add(&t->saved, e) || queue_saved_write(&t->saved, &t->agent->io.disk) ||
        note(t, "setting", "queues may be given this from now on", e, now_us)) {
        t->saved.settings = settings;
        return false;
    }
    return true;
}

static void change(struct queue_tuner *t, struct queue *q, const struct ecn *wanted, uint64_t now_us)
{
    struct ecn e = bounded(t, q, wanted);

    if (ecn_equal(&e, &q->is) || q->is_open || !take_token(t, now_us) || !announce(t, &e, now_us))
        return;
    set_queue(t, q, &e, now_us);
    t->agent->self.changes++;
}

/* Counters may cover more or less than a slot: scales bytes to one slot. */
static void fit_slot(struct queue_tuner *t, uint64_t us)
{
    double by = (double)t->slot_ps / PS_PER_US / (double)us;

    for (uint32_t i = 0; i < t->queues; i++) {
        struct queue_slot *s = &t->slot[i];

        s->ecn = t->queue[i].is;
        if (us * PS_PER_US == t->slot_ps)
            continue;
        s->tx_bytes = (uint64_t)nearbyint((double)s->tx_bytes * by);
        s->marked_bytes = (uint64_t)nearbyint((double)s->marked_bytes * by);
    }
}

void queue_tuner_on_slot(struct queue_tuner *t, uint64_t now_us)
{
    const struct tuner *tuner = &t->loop.tuner;
    struct acc_figures  figures;
    uint64_t            us = 0;

    queue_tuner_on_timer(t, now_us);
    if (!t->is_ready || t->io->look(t->device, t->slot, &us) || !us)
        return;
    fit_slot(t, us);
    tuner->algo->slot(tuner->state, t->slot);
    if (tuner->algo == &tuner_acc) {
        acc_figures(tuner, &figures);
        t->agent->self.decisions = figures.decisions;
    }
    if (t->is_going_back || now_us < t->hold_until_us || agent_may_tune(t->agent, now_us) ||
        !tuner->algo->queues(tuner->state, t->ecn))
        return;
    for (uint32_t i = 0; i < t->queues && !t->is_going_back; i++)
        change(t, &t->queue[i], &t->ecn[i], now_us);
    count(t);
    queue_tuner_on_timer(t, now_us);
}
