/* src/live/controller/controller.c - see controller.h. */
#include "live/controller/controller.h"
#include "base/err.h"
#include "base/json.h"
#include "live/controller/command.h"
#include "live/controller/roster.h"
#include "live/controller/trial.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAVED_TEXT_MAX 4096
#define AA_PAIRS_MAX   400       /* then half of the weight is forgotten */
#define AHEAD_MAX      (1u << 20)        /* counters that an agent may have seen beyond ours: a controller takes one per start */
#define BLAME_US       10000000u /* between records about impossible terms */

void controller_config_init(struct controller_config *c)
{
    *c = (struct controller_config){
        .mode = MODE_OBSERVE, .interval_us = 100000, .gather_us = 3000000, .answer_us = 3000000, .stale_intervals = 3,
        .block_length = 10, .burn_in = 3, .aa_pairs = 30, .stage_pairs = 13, .halves_intervals_max = 2000,
        .soak_intervals = 20, .accept_e = 100, .bound_e = 20, .reject_e = 20, .harm = 0.01, .hold_back = 0.05,
        .lost_max = 0.05, .reverts_max = 2, .window_us = 3600000000ull, .pause_us = 6 * 3600000000ull,
    };
}

/* Blocks without a change are as long as those of a trial would be. */
static void fit_noise_blocks(struct controller *c)
{
    uint32_t length = trial_block_length(c);

    for (uint32_t i = 0; i < STAGES; i++)
        if (c->aa[i].pairing.length != length)
            pairing_init(&c->aa[i].pairing, length, c->cfg->burn_in, c->cfg->seed + 1000 + i);
}

void controller_init(struct controller *c, const struct controller_config *cfg, const struct controller_io *io, uint32_t peers_max)
{
    *c = (struct controller){ .cfg = cfg, .io = *io, .peers_max = peers_max, .role = ROLE_GATHER };
    c->peer = xcalloc(peers_max + 1ul, sizeof *c->peer);
    finder_init(&c->by_name);
    finder_init(&c->by_link);
    audit_init(&c->audit);
    fit_noise_blocks(c);
}

void controller_fini(struct controller *c)
{
    for (uint32_t i = 0; i < c->peers; i++)
        free(c->peer[i].detail);
    free(c->peer);
    c->peer = NULL;
    finder_fini(&c->by_name);
    finder_fini(&c->by_link);
    c->peers = 0;
}

/* ---- the disk ---- */

static int save(struct controller *c)
{
    json_t *o = json_object();
    char    text[SAVED_TEXT_MAX];
    size_t  length;

    json_put_count(o, "version", 1);
    json_put_count(o, "counter", c->counter);
    json_put_text(o, "frozen", c->frozen);
    json_object_set_new(o, "queues_stopped", json_boolean(c->are_queues_stopped));
    length = json_dumpb(o, text, sizeof text, JSON_INDENT(2));
    json_decref(o);
    c->is_dirty = c->io.disk.save(c->io.disk.arg, CONTROLLER_SAVED_NAME, text, length) != 0;
    return c->is_dirty ? -EIO : 0;
}

static bool take_saved(struct controller *c, const json_t *o)
{
    const json_t *counter = json_object_get(o, "counter");
    const char   *frozen = json_string_value(json_object_get(o, "frozen"));

    if (json_integer_value(json_object_get(o, "version")) != 1 || !json_is_integer(counter) ||
        json_integer_value(counter) < 0 || (uint64_t)json_integer_value(counter) > MSG_TERM_COUNTER_MAX || !frozen)
        return false;
    c->counter = (uint64_t)json_integer_value(counter);
    snprintf(c->frozen, sizeof c->frozen, "%s", frozen);
    c->are_queues_stopped = json_is_true(json_object_get(o, "queues_stopped"));
    return true;
}

int controller_start(struct controller *c, const struct audit *audit, uint64_t now_us)
{
    char    text[SAVED_TEXT_MAX];
    long    length = c->io.disk.load(c->io.disk.arg, CONTROLLER_SAVED_NAME, text, sizeof text);
    json_t *o;
    bool    is_good;

    c->audit = *audit;
    c->started_us = now_us;
    if (length < 0)
        return length == -ENOENT ? 0 : -EBADMSG;
    o = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
    is_good = o && take_saved(c, o);
    json_decref(o);
    return is_good ? 0 : -EBADMSG;
}

void controller_fence(struct controller *c, uint64_t counter)
{
    assert(c->role == ROLE_GATHER);
    c->has_lease = counter > 0;
    if (counter > c->counter)
        c->counter = counter;
}

static void note(struct controller *c, const char *what, const char *why, uint64_t now_us)
{
    audit_write(&c->audit, &c->io.disk, &(struct audit_record){ .who = c->cfg->name, .what = what, .why = why,
                .term = c->term, .now_us = now_us });
}

/* ---- terms ---- */

/* A term is a controller's, and counts on its word or on that of the lease. What agents say of terms is hearsay: one may lie. So
 *
 *   - a term so far ahead that no controller can have come to it is ignored, with the message, and its sender is named;
 *   - with a lease, agents depose nobody: whoever holds it acts. Without one, more than half of the hosts that report must have
 *     obeyed a higher term. A host counts once, however many devices it names;
 *   - counters end at MSG_TERM_COUNTER_MAX and never wrap.
 *
 * A controller that acts for a while although another took over does no harm: agents refuse the lower term. */
static uint64_t counter_of(uint64_t term)
{
    return term >> MSG_TERM_ID_BITS;
}

/* A tuner of the agent's own may act: said again until a report shows that it was heard. */
static void let_queues(struct controller *c, struct peer *p, uint64_t now_us)
{
    bool may = c->cfg->lets_queues && c->cfg->mode >= MODE_AUTO && !*c->frozen && !c->are_queues_stopped && now_us >= c->paused_until_us;

    if (p->self.is_there && p->self.is_allowed != may)
        command_send(c, p, &(struct msg){ .kind = MSG_QUEUES, .self = { .is_there = true, .is_allowed = may } });
}

/* The answer to a report. */
static void hear(struct controller *c, struct peer *p, uint64_t stamp_us, uint64_t now_us)
{
    command_send(c, p, &(struct msg){ .kind = MSG_LEASE, .stamp_us = stamp_us, .is_brief = c->is_brief && c->trial.phase == TRIAL_NONE });
    let_queues(c, p, now_us);
}

/* It has listened for long enough. A term counts only once it is on the disk. */
static void become_active(struct controller *c, uint64_t now_us)
{
    uint64_t before = c->counter;

    if (counter_of(c->term_seen) > c->counter)
        c->counter = counter_of(c->term_seen);
    c->counter++;
    if (c->counter > MSG_TERM_COUNTER_MAX || save(c)) {
        c->counter = before;
        return;
    }
    c->term = c->counter << MSG_TERM_ID_BITS | c->cfg->id;
    c->role = ROLE_ACTIVE;
    note(c, "begin", "", now_us);
    for (uint32_t i = 0; i < c->peers; i++)      /* what they have reported so far is heard now */
        if (c->peer[i].stamp_us)
            hear(c, &c->peer[i], c->peer[i].stamp_us, now_us);
}

/* Is it one that a controller can have come to? If not, the log names its sender. */
static bool is_possible(struct controller *c, const char *name, uint64_t term, uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    if (counter_of(term) <= c->counter + AHEAD_MAX && counter_of(term) < MSG_TERM_COUNTER_MAX)
        return true;
    if (now_us < c->blamed_us + BLAME_US && c->blamed_us)
        return false;
    c->blamed_us = now_us;
    snprintf(why, sizeof why, "%.63s: it claims the impossible term %" PRIu64 "; its messages are ignored", name, term);
    note(c, "ignore", why, now_us);
    return false;
}

/* What an agent claims to have obeyed; 0: it does not say. */
static void see_term(struct controller *c, struct peer *p, uint64_t term)
{
    if (!term)
        return;
    if (c->role == ROLE_GATHER && term > c->term_seen)
        c->term_seen = term;
    p->is_ahead = c->role == ROLE_ACTIVE && term > c->term;
    c->is_doubted |= p->is_ahead;
}

static int by_name(const void *a, const void *b)
{
    const struct peer *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

static bool is_same_host(const struct peer *a, const struct peer *b)
{
    size_t length = strcspn(a->name, "/");

    return length == strcspn(b->name, "/") && memcmp(a->name, b->name, length) == 0;
}

/* Do more than half of the hosts that report obey a higher term? */
static bool is_outvoted(const struct controller *c, uint64_t now_us)
{
    const struct peer **peer = xmalloc((c->peers + 1ul) * sizeof *peer);
    uint32_t            count = 0, hosts = 0, ahead = 0;

    for (uint32_t i = 0; i < c->peers; i++)
        if (roster_is_fresh(c, &c->peer[i], now_us))
            peer[count++] = &c->peer[i];
    qsort(peer, count, sizeof *peer, by_name);
    for (uint32_t i = 0, end; i < count; i = end) {
        bool is_ahead = false;

        for (end = i; end < count && is_same_host(peer[i], peer[end]); end++)
            is_ahead |= peer[end]->is_ahead;
        hosts++;
        ahead += is_ahead;
    }
    free(peer);
    return 2 * ahead > hosts;
}

static void count_claims(struct controller *c, uint64_t now_us)
{
    if (c->role != ROLE_ACTIVE || !c->is_doubted || c->has_lease)
        return;
    c->is_doubted = false;
    if (!is_outvoted(c, now_us))
        return;
    trial_abort(c, "another controller has taken over", now_us);
    c->role = ROLE_DEPOSED;
    note(c, "deposed", "more than half of the hosts obey a higher term", now_us);
}

/* ---- messages ---- */

static void ask_who(struct controller *c, uint32_t link)
{
    c->io.send(c->io.arg, link, &(struct msg){ .kind = MSG_WHO });
}

void controller_on_link(struct controller *c, uint32_t link, uint64_t now_us)
{
    (void)now_us;
    ask_who(c, link);
}

void controller_on_cut(struct controller *c, uint32_t link)
{
    roster_cut(c, link);
}

static void lose_trial(struct controller *c, struct peer *p)
{
    p->is_lost |= c->trial.phase != TRIAL_NONE && p->step != STEP_NONE;
    p->step = STEP_NONE;
}

static void on_hello(struct controller *c, uint32_t link, const struct msg *m, uint64_t now_us)
{
    struct peer *p;
    uint64_t     before;

    if (m->version != MSG_VERSION || m->where > KNOB_SWITCH || !*m->name)
        return;
    p = roster_find(c, m->name);
    before = p ? p->incarnation : 0;
    p = roster_on_hello(c, link, m, now_us);
    if (p)
        see_term(c, p, m->term);
    if (p && before && before != m->incarnation)
        lose_trial(c, p);        /* what it was told before it started anew is forgotten */
}

/* A device with something open that nobody here has asked for: from a time before this. */
static void take_back_stray(struct controller *c, struct peer *p)
{
    if (p->phase != PHASE_IDLE && !trial_has(c, p))
        command_send(c, p, &(struct msg){ .kind = MSG_REVERT, .change = p->open_change, .why = "nobody knows of it" });
}

static void on_report(struct controller *c, struct peer *p, const struct msg *m, uint64_t now_us)
{
    roster_on_report(c, p, m, now_us);
    if (c->role != ROLE_ACTIVE)
        return;
    hear(c, p, m->stamp_us, now_us);
    take_back_stray(c, p);
}

static void on_answer(struct controller *c, struct peer *p, const struct msg *m, uint64_t now_us)
{
    const char *why = command_on_answer(c, p, m);
    char        text[MSG_NAME_SIZE + MSG_WHY_SIZE + 2];

    if (!why)
        trial_on_answer(c, now_us);
    if (!why || c->trial.phase == TRIAL_CONFIRM || c->trial.phase == TRIAL_ABORT)
        return;
    snprintf(text, sizeof text, "%s: %s", p->name, why);
    trial_abort(c, text, now_us);
}

void controller_on_msg(struct controller *c, uint32_t link, const struct msg *m, uint64_t now_us)
{
    struct peer *p = roster_of_link(c, link);

    if (!is_possible(c, m->kind == MSG_HELLO ? m->name : p ? p->name : "an agent without a name", m->term, now_us))
        return;
    if (m->kind == MSG_HELLO) {
        on_hello(c, link, m, now_us);
        return;
    }
    if (!p || p->incarnation != m->incarnation) {
        ask_who(c, link);
        return;
    }
    see_term(c, p, m->term);
    if (m->kind == MSG_REPORT)
        on_report(c, p, m, now_us);
    else if (m->kind == MSG_ANSWER)
        on_answer(c, p, m, now_us);
}

/* ---- nothing is open ---- */

/* Pairs of blocks without any difference: what is noise, and whether the evidence would lie. */
static void watch_noise(struct controller *c)
{
    for (uint32_t i = 0; i < STAGES; i++) {
        struct aa *a = &c->aa[i];
        double     scale = i == STAGE_HALVES && c->ranked[KNOB_NIC] > 1 ? 0.5 : 1, d;

        if (!pairing_add(&a->pairing, roster_value(c, i, false) * scale, &d))
            continue;
        a->squares += d * d;
        if (++a->pairs == c->cfg->aa_pairs)
            evalue_init(&a->evidence, fmax(sqrt(a->squares / a->pairs), 1e-9));
        else if (a->pairs > c->cfg->aa_pairs)
            evalue_add(&a->evidence, d);
        if (a->pairs >= AA_PAIRS_MAX) {
            a->squares /= 2;
            a->pairs /= 2;
        }
    }
}

static bool has_breach(const struct controller *c, uint64_t now_us)
{
    for (uint32_t i = 0; i < c->peers; i++)
        if (*c->peer[i].breach && roster_is_fresh(c, &c->peer[i], now_us))
            return true;
    return false;
}

const char *controller_obstacle(const struct controller *c, uint64_t now_us)
{
    return c->role == ROLE_GATHER && c->counter >= MSG_TERM_COUNTER_MAX ? "terms are used up" :
           c->role == ROLE_GATHER ? "it is listening to what devices hold" :
           c->role == ROLE_DEPOSED ? "another controller has taken over" :
           *c->frozen ? c->frozen :
           now_us < c->paused_until_us ? "it pauses after trials that did harm" :
           !c->peers ? "there are no devices" :
           roster_coverage(c, now_us) < 1 - c->cfg->lost_max ? "too few devices report" :
           has_breach(c, now_us) ? "a guardrail is broken" :
           c->cfg->mode == MODE_OBSERVE ? NULL :
           !c->ranked[KNOB_NIC] && !c->ranked[KNOB_SWITCH] ? "no device may be set: its agent observes, or it is frozen" :
           c->cfg->mode != MODE_DIRECT && c->aa[STAGE_HALVES].pairs < c->cfg->aa_pairs ? "it is measuring the noise" : NULL;
}

static void propose(struct controller *c, uint64_t now_us)
{
    struct knob_set wanted = { 0 };
    char            why[MSG_WHY_SIZE] = "";

    if (!c->io.propose(c->io.arg, now_us, &wanted, why))
        return;
    if (c->cfg->mode != MODE_OBSERVE) {
        trial_begin(c, &wanted, why, c->cfg->mode == MODE_APPROVE, now_us);
        return;
    }
    audit_write(&c->audit, &c->io.disk, &(struct audit_record){ .who = c->cfg->name, .what = "would try", .why = why,
                .term = c->term, .now_us = now_us, .new = &wanted });
    c->io.ended(c->io.arg, false, 0, "it observes only");
}

/* ---- time ---- */

/* A trial that did harm has begun to end: too many of them in too short a time, and it pauses. */
static void count_revert(struct controller *c, uint64_t now_us)
{
    uint32_t room = sizeof c->reverted_us / sizeof *c->reverted_us, recent = 0;

    c->reverted_us[c->reverts++ % room] = now_us;
    for (uint32_t i = 0; i < room && i < c->reverts; i++)
        recent += now_us - c->reverted_us[i] < c->cfg->window_us;
    if (recent < c->cfg->reverts_max)
        return;
    c->paused_until_us = now_us + c->cfg->pause_us;
    note(c, "pause", "too many trials did harm", now_us);
}

static bool did_harm(const char *why)
{
    return strstr(why, "harm:") || strstr(why, "guardrail:");
}

void controller_on_tick(struct controller *c, uint64_t now_us)
{
    bool was_aborted = c->trial.phase == TRIAL_ABORT;

    if (c->is_dirty)
        save(c);
    if (c->role == ROLE_GATHER && now_us >= c->started_us + c->cfg->gather_us)
        become_active(c, now_us);
    count_claims(c, now_us);
    if (c->io.interval)
        c->io.interval(c->io.arg, now_us);
    if (c->is_unranked && c->trial.phase == TRIAL_NONE) {
        roster_rank(c);
        fit_noise_blocks(c);
    }
    if (c->trial.phase != TRIAL_NONE)
        trial_on_tick(c, now_us);
    else {
        watch_noise(c);
        if (!controller_obstacle(c, now_us))
            propose(c, now_us);
    }
    if (c->trial.phase == TRIAL_ABORT && !was_aborted && did_harm(c->trial.end))
        count_revert(c, now_us);
    roster_clear_metrics(c);
}

/* ---- people ---- */

void controller_reconfigure(struct controller *c, const struct controller_config *cfg, uint64_t now_us)
{
    assert(c->trial.phase == TRIAL_NONE);
    c->cfg = cfg;
    c->is_unranked = true;
    fit_noise_blocks(c);
    note(c, "reconfigure", "its configuration was read again", now_us);
}

void controller_collect(struct controller *c, bool is_brief)
{
    c->is_brief = is_brief;
}

void controller_end_trial(struct controller *c, const char *why, uint64_t now_us)
{
    trial_abort(c, why, now_us);
}

int controller_freeze(struct controller *c, const char *why, uint64_t now_us)
{
    int rc;

    snprintf(c->frozen, sizeof c->frozen, "frozen: %.140s", why);
    rc = save(c);
    note(c, "freeze", c->frozen, now_us);
    trial_abort(c, c->frozen, now_us);
    return rc;
}

int controller_thaw(struct controller *c, const char *why, uint64_t now_us)
{
    c->frozen[0] = '\0';
    c->paused_until_us = 0;
    c->are_queues_stopped = false;
    note(c, "thaw", why, now_us);
    return save(c);
}

int controller_freeze_device(struct controller *c, const char *name, bool is_frozen, const char *why, uint64_t now_us)
{
    struct peer *p = roster_find(c, name);
    struct msg   m = { .kind = is_frozen ? MSG_FREEZE : MSG_THAW };

    if (!p || c->role != ROLE_ACTIVE)
        return p ? -EAGAIN : -ENOENT;
    snprintf(m.why, sizeof m.why, "%s", why);
    note(c, is_frozen ? "freeze device" : "thaw device", name, now_us);
    command_send(c, p, &m);
    return 0;
}

int controller_approve(struct controller *c, uint64_t number, uint64_t now_us)
{
    if (c->trial.phase != TRIAL_WAITING || c->trial.number != number)
        return -ENOENT;
    trial_approve(c, now_us);
    return 0;
}

int controller_rollback(struct controller *c, const char *why, uint64_t now_us)
{
    if (c->role != ROLE_ACTIVE || c->cfg->mode == MODE_OBSERVE)
        return -EPERM;
    if (c->trial.phase != TRIAL_NONE)
        return -EBUSY;
    c->are_queues_stopped = true;
    save(c);
    trial_begin_rollback(c, why, now_us);
    return 0;
}
