#include "live/controller/controller.h"
#include "base/err.h"
#include "base/minmax.h"
#include "core/units.h"
#include "live/controller/term.h"
#include "live/core/knobset.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a drill that failed or could not start is not repeated automatically for this long */
#define DRILL_AGAIN_US 3600000000u
#define RETRY_US     10000000u  /* devices that refused to be rolled back are asked again after so long */
#define AA_PAIRS_MAX   400       /* then half of the weight is forgotten */
#define DAY_US         86400000000u
#define TOLD_PER_DAY   400000u   /* bytes of the log for what an observing controller would try */

void controller_config_init(struct controller_config *c)
{
    *c = (struct controller_config){
        .mode = MODE_OBSERVE, .interval_us = 100000, .gather_us = 3000000, .answer_us = 3000000,
        .stale_intervals = 3, .block_length = 10, .burn_in = 3, .aa_pairs = 30, .stage_pairs = 13,
        .halves_intervals_max = 2000, .soak_intervals = 20, .accept_e = 100, .bound_e = 20, .reject_e = 20,
        .harm = 0.01, .hold_back = 0.05, .lost_max = 0.05, .reverts_max = 2, .window_us = 3600000000ull,
        .pause_us = 6 * 3600000000ull,
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

void controller_init(struct controller *c, const struct controller_config *cfg, uint32_t peers_max)
{
    *c = (struct controller){ .cfg = cfg, .peers_max = peers_max, .role = ROLE_GATHER, .save_us = NEVER,
                              .control = { NAN, NAN } };
    c->peer = xcalloc(peers_max + 1ul, sizeof *c->peer);
    fit_noise_blocks(c);
}

void controller_fini(struct controller *c)
{
    roster_fini(c);
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        free(p->detail);
    free(c->peer);
    c->peer = NULL;
    c->peers = 0;
}

static void fence(struct controller *c, uint64_t counter)
{
    assert(c->role == ROLE_GATHER);
    c->has_lease = counter > 0;
    c->counter = max_u64(c->counter, counter);
}

/* ---- terms ---- */

static bool may_let_queues(const struct controller *c, uint64_t now_us)
{
    return c->cfg->lets_queues && c->cfg->mode >= MODE_AUTO && !*c->frozen && !*c->rolled_back.who &&
           now_us >= c->caution.paused_until_us;
}

/* Repeats whether the agent's own tuner may act, until a report confirms it. */
static void let_queues(struct controller *c, struct peer *p, uint64_t now_us)
{
    bool may = may_let_queues(c, now_us);

    if (p->self.is_there && p->self.is_allowed != may)
        command_send(c, p,
                     &(struct msg){ .kind = MSG_QUEUES, .self = { .is_there = true, .is_allowed = may } });
}

/* Repeats the agent's net until a report confirms it; an agent that may not act uses its own. */
static void send_net(struct controller *c, struct peer *p, uint64_t now_us)
{
    uint64_t net = may_let_queues(c, now_us) ? c->net : 0;

    if (!p->self.is_training || p->self.net == net || p->link == LINK_NONE ||
        (net && p->net_refused == net) ||
        (p->net_us && p->net == net && now_us < p->net_us + 2 * c->cfg->interval_us))
        return;
    p->net = net;
    p->net_us = now_us;
    command_send(c, p, &(struct msg){ .kind = MSG_LEARN });
    c->out->action[c->out->count - 1].number = net;
}

static void on_learn(struct controller *c, struct peer *p, const struct msg *m)
{
    char why[MSG_NAME_SIZE + MSG_WHY_SIZE + 2];

    if (c->role != ROLE_ACTIVE || !m->learn || !p->self.is_training)
        return;
    if (m->learn->rows) {
        struct action *a = actions_add(c->out, ACTION_LEARN);

        a->link = p->link;
        a->learn = m->learn;
        return;
    }
    if (!p->net || p->net_refused == p->net)
        return;                  /* it was given none, or has said so */
    p->net_refused = p->net;
    snprintf(why, sizeof why, "%s: %s", p->name, m->why);
    trial_note(c, "net refused", why);
}

/* The answer to a report. */
static void note_report(struct controller *c, struct peer *p, uint64_t stamp_us, uint64_t now_us)
{
    double control = p->phase == PHASE_APPLIED ? c->control[p->where] : NAN;

    if (p->step == STEP_DRILLED)
        return;                  /* that is the drill */
    command_send(c, p, &(struct msg){ .kind = MSG_LEASE, .stamp_us = stamp_us, .has_control = !isnan(control),
                 .control = isnan(control) ? 0 : control,
                 .is_brief = c->is_brief && c->trial.phase == TRIAL_NONE });
    let_queues(c, p, now_us);
}

/* It has listened for long enough. A term counts only once it is on the disk: the tick waits for that. */
static void want_term(struct controller *c, uint64_t now_us)
{
    uint64_t counter = term_next(c, now_us);

    if (counter > MSG_TERM_COUNTER_MAX)
        return;
    c->before = c->counter;
    c->counter = counter;
    c->wait = WAIT_TERM;
    memory_save(c);
}

static void become_active(struct controller *c, uint64_t now_us)
{
    c->term = c->counter << MSG_TERM_ID_BITS | c->cfg->id;
    c->role = ROLE_ACTIVE;
    trial_note(c, "begin", "");
    for (uint32_t i = 0; i < c->peers; i++)      /* what they have reported so far is heard now */
        if (c->peer[i].stamp_us)
            note_report(c, &c->peer[i], c->peer[i].stamp_us, now_us);
}

static void step_down_if_outvoted(struct controller *c, uint64_t now_us)
{
    if (!term_is_outvoted(c, now_us))
        return;
    trial_abort(c, "another controller has taken over", now_us);
    c->role = ROLE_DEPOSED;
    trial_note(c, "deposed", "more than half of the hosts obey a higher term");
}

/* ---- messages ---- */

static void ask_who(struct controller *c, uint32_t link)
{
    struct action *a = actions_add(c->out, ACTION_SEND);

    a->link = link;
    a->msg.kind = MSG_WHO;
}

static void on_hello(struct controller *c, uint32_t link, const struct msg *m, uint64_t now_us)
{
    if (m->version != MSG_VERSION || m->where > KNOB_SWITCH || !*m->name)
        return;
    struct peer *p = roster_find(c, m->name);
    uint64_t     before = p ? p->incarnation : 0;
    p = roster_on_hello(c, link, m, now_us);
    if (p)
        term_see(c, p, m->term);
    if (p && before && before != m->incarnation) {
        p->is_lost |= c->trial.phase != TRIAL_NONE && p->step != STEP_NONE;
        p->step = STEP_NONE;     /* a restarted agent has lost its orders */
        p->net_us = 0;
    }
}

/* A device has an open change that this controller did not order: it is from an earlier time. */
static void take_back_stray(struct controller *c, struct peer *p)
{
    if (p->phase != PHASE_IDLE && !trial_has(c, p))
        command_send(c, p, &(struct msg){ .kind = MSG_REVERT, .change = p->open_change,
                                          .why = "unknown change: not in the controller's state" });
}

static void on_report(struct controller *c, struct peer *p, const struct msg *m, uint64_t now_us)
{
    roster_on_report(c, p, m, now_us);
    if (c->role != ROLE_ACTIVE)
        return;
    note_report(c, p, m->stamp_us, now_us);
    take_back_stray(c, p);
}

static void on_answer(struct controller *c, struct peer *p, const struct msg *m, uint64_t now_us)
{
    const char *why = command_on_answer(p, m);

    if (why)
        trial_on_refusal(c, p, m->answer == ANSWER_REFUSED, why, now_us);
    else
        trial_on_answer(c, now_us);
}

static void on_msg(struct controller *c, uint32_t link, const struct msg *m, uint64_t now_us)
{
    struct peer *p = roster_of_link(c, link);

    if (!term_is_possible(c, m->kind == MSG_HELLO ? m->name : p ? p->name : "an agent without a name",
                     m->term, now_us))
        return;
    if (m->kind == MSG_HELLO) {
        on_hello(c, link, m, now_us);
        return;
    }
    if (!p || p->incarnation != m->incarnation) {
        ask_who(c, link);
        return;
    }
    term_see(c, p, m->term);
    if (m->kind == MSG_REPORT)
        on_report(c, p, m, now_us);
    else if (m->kind == MSG_ANSWER)
        on_answer(c, p, m, now_us);
    else if (m->kind == MSG_LEARN)
        on_learn(c, p, m);
    else if (m->kind == MSG_BYE)
        roster_leave(c, p);
}

/* ---- nothing is open ---- */

/* A/A test: pairs of blocks without a difference measure the noise, and whether e-values are valid. */
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

static const char *pause_text(const struct controller *c, uint64_t now_us, char buf[MSG_WHY_SIZE])
{
    char left[40];

    snprintf(buf, MSG_WHY_SIZE,
             "it pauses for another %s, because %u trials did harm within an hour; anole ctl thaw ends the "
             "pause", caution_time(left, sizeof left, c->caution.paused_until_us - now_us),
             c->cfg->reverts_max);
    return buf;
}

const char *controller_obstacle(const struct controller *c, uint64_t now_us, char buf[MSG_WHY_SIZE])
{
    const char *why =
           c->role == ROLE_DEPOSED ? "another controller has taken over" :
           *c->frozen ? c->frozen :
           c->role == ROLE_GATHER && c->counter >= MSG_TERM_COUNTER_MAX ? "terms are used up" :
           c->role == ROLE_GATHER ? "it is listening to what devices hold" :
           now_us < c->caution.paused_until_us ? pause_text(c, now_us, buf) :
           !c->peers ? "there are no devices" :
           roster_coverage(c, now_us) < 1 - c->cfg->lost_max ? "too few devices report" :
           roster_breach(c, now_us) ? "a guardrail is broken" :
           c->cfg->mode == MODE_OBSERVE ? NULL :
           !c->ranked[KNOB_NIC] && !c->ranked[KNOB_SWITCH] ?
           "no device may be set: its agent observes, or it is frozen" :
           c->cfg->mode != MODE_DIRECT && c->aa[STAGE_HALVES].pairs < c->cfg->aa_pairs ?
           "it is measuring the noise" : NULL;

    if (why && why != buf)
        snprintf(buf, MSG_WHY_SIZE, "%s", why);
    return why ? buf : NULL;
}

/* ---- proposals ---- */

/* Reports to the tuner that its setting is not tried. Not logged: nothing has changed. */
static void decline(struct controller *c, const char *why)
{
    struct action *a = actions_add(c->out, ACTION_DECLINED);

    snprintf(c->declined, sizeof c->declined, "%s", why);
    snprintf(a->why, sizeof a->why, "%s", why);
}

/* An upper bound of the bytes of a record in the log. */
static uint64_t record_bytes(const struct action_record *r, const char *why)
{
    uint64_t bytes = 400 + strlen(why);

    for (int k = 0; k < KNOB_COUNT; k++)
        bytes += (r->old.is_named[k] + r->new.is_named[k]) * (strlen(knob_info[k].name) + 24);
    return bytes;
}

/* A tuner may propose a setting in every interval. The same one is recorded once, and records of a day are
 * limited to TOLD_PER_DAY bytes. */
static void only_observe(struct controller *c, const struct knob_set *wanted, const char *why,
                         uint64_t now_us)
{
    char code[CAUTION_CODE_SIZE], set[MSG_WHY_SIZE], text[MSG_WHY_SIZE];

    snprintf(text, sizeof text, "it observes only; it would set %.120s",
             knobset_text(set, sizeof set, wanted));
    decline(c, text);
    caution_code(code, 0, 0, wanted);
    if (strcmp(code, c->told.code) == 0 || now_us < c->told.again_us)
        return;
    trial_note(c, "would try", why);
    struct action_record *r = &c->out->action[c->out->count - 1].record;
    r->old = roster_held(c, wanted, false);
    r->new = *wanted;
    memcpy(c->told.code, code, sizeof code);
    c->told.again_us = now_us + record_bytes(r, why) * (DAY_US / TOLD_PER_DAY);
}

static void try(struct controller *c, uint64_t now_us)
{
    c->declined[0] = '\0';
    trial_begin(c, &c->proposal, c->proposal_why, c->cfg->mode == MODE_APPROVE, now_us);
}

/* What no device would set is not tried; what some would not set is said once. */
static struct knob_set leave_out(struct controller *c, const struct knob_set *wanted)
{
    char            left_out[MSG_WHY_SIZE];
    struct knob_set part = roster_settable(c, wanted, left_out);

    if (strcmp(left_out, c->left_out) == 0)
        return part;
    snprintf(c->left_out, sizeof c->left_out, "%s", left_out);
    if (*left_out) {
        struct action *a = actions_add(c->out, ACTION_LOG);

        snprintf(a->why, sizeof a->why, "left out of the tuner's setting, because agents do not set it: %s",
                 left_out);
    }
    return part;
}

static void on_proposal(struct controller *c, const struct knob_set *all, const char *why, uint64_t now_us)
{
    struct knob_set  part = leave_out(c, all);
    const struct knob_set *wanted = &part;
    char     text[MSG_WHY_SIZE], left[40], code[CAUTION_CODE_SIZE];
    uint64_t wait_us = caution_wait_us(&c->caution, wanted, now_us);

    if (knobset_is_empty(wanted)) {
        decline(c, "no agent sets what the tuner would change");
        return;
    }
    if (wait_us) {
        caution_code(code, 0, 0, wanted);
        caution_time(left, sizeof left, wait_us);
        if (strcmp(code, c->refused.code) == 0)
            snprintf(text, sizeof text, "a device refused the tuner's setting: %.80s; again in %.30s",
                     c->refused.why, left);
        else
            snprintf(text, sizeof text, "the tuner's setting was dropped before; it may be tried again in "
                     "%s, or after anole ctl thaw", left);
        decline(c, text);
        return;
    }
    if (c->cfg->mode == MODE_OBSERVE) {
        only_observe(c, wanted, why, now_us);
        return;
    }
    c->proposal = *wanted;
    snprintf(c->proposal_why, sizeof c->proposal_why, "%s", why);
    if (memory_number(c))
        try(c, now_us);
    else
        c->wait = WAIT_TRIAL;
}

/* ---- time ---- */

static int drill(struct controller *, const struct order *, uint64_t now_us);

/* Continues a rollback at devices that were silent, refused, or are new. */
static void go_on_rolling_back(struct controller *c, uint64_t now_us)
{
    if (!*c->rolled_back.who || c->role != ROLE_ACTIVE || c->cfg->mode == MODE_OBSERVE ||
        now_us < c->rollback_us)
        return;
    if (trial_begin_rollback(c, now_us))
        c->rollback_us = now_us + RETRY_US;
}

/* Starts a scheduled drill. A wrong time of day causes at worst a drill too many or too few. */
static void drill_if_due(struct controller *c, uint64_t now_us)
{
    uint64_t last_us = c->drill.wall_us;

    if (!c->cfg->drill_every_us || now_us < c->drill_us || *c->frozen || c->role != ROLE_ACTIVE ||
        (last_us && c->wall_us >= last_us && c->wall_us - last_us < c->cfg->drill_every_us))
        return;
    c->drill_us = now_us + DRILL_AGAIN_US;
    drill(c, &(struct order){ c->cfg->name, "drill_every", ORDER_DRILL, "", "", 0 }, now_us);
}

static void on_idle(struct controller *c, uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    if (c->is_unranked) {
        roster_rank(c);
        fit_noise_blocks(c);
    }
    watch_noise(c);
    go_on_rolling_back(c, now_us);
    if (c->trial.phase == TRIAL_NONE)
        drill_if_due(c, now_us);
    if (c->trial.phase != TRIAL_NONE || c->wait != WAIT_NONE || controller_obstacle(c, now_us, why))
        return;
    actions_add(c->out, ACTION_ASK);
    c->is_asking = true;
}

/* The journal names a device that has fallen silent or is back; of many at once, one. */
static void tell_lost(struct controller *c, uint64_t now_us)
{
    const struct peer *example[2] = { NULL, NULL };
    uint32_t           count[2] = { 0, 0 };

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        bool is_lost = p->reported && !p->has_left && !roster_is_fresh(c, p, now_us);

        if (is_lost == p->is_told_lost)
            continue;
        p->is_told_lost = is_lost;
        if (p->has_left)
            continue;            /* which it has said itself */
        example[!is_lost] = p;
        count[!is_lost]++;
    }
    for (int i = 0; i < 2; i++)
        if (count[i]) {
            struct action *a = actions_add(c->out, ACTION_LOG);
            char           more[40] = "";

            if (count[i] > 1)
                snprintf(more, sizeof more, " and %u other devices", count[i] - 1);
            snprintf(a->why, sizeof a->why, "%s: %s%s", i ? "back" : "lost", example[i]->name, more);
        }
}

/* The interval is over when the tuner has answered, and the answer is dealt with. */
static void end_interval(struct controller *c)
{
    if (!c->is_asking && c->wait == WAIT_NONE)
        roster_clear_metrics(c);
}

static void go_on_with_tick(struct controller *c, uint64_t now_us)
{
    step_down_if_outvoted(c, now_us);
    for (struct peer *p = c->peer; p < c->peer + c->peers && c->role == ROLE_ACTIVE; p++)
        send_net(c, p, now_us);
    roster_look(c, now_us);
    tell_lost(c, now_us);
    for (enum knob_where w = KNOB_NIC; w <= KNOB_SWITCH; w++)
        c->control[w] = c->trial.phase == TRIAL_NONE ? (double)NAN : roster_control(c, w, now_us);
    if (c->trial.phase != TRIAL_NONE)
        trial_on_tick(c, now_us);
    else
        on_idle(c, now_us);
    end_interval(c);
}

static void on_tick(struct controller *c, const struct input *in, uint64_t now_us)
{
    c->is_brief = in->is_brief;
    c->net = in->number;
    if (c->is_dirty || now_us >= c->save_us || caution_is_due(&c->caution, now_us))
        memory_save(c);
    if (c->role == ROLE_GATHER && now_us >= c->started_us + c->cfg->gather_us)
        want_term(c, now_us);
    if (c->wait == WAIT_NONE)
        go_on_with_tick(c, now_us);
}

/* What waited for the disk goes on, or does not happen. */
static void on_stored(struct controller *c, const struct input *in, uint64_t now_us)
{
    enum controller_wait waited = c->wait;
    struct peer         *p;
    int                  rc = in->rc;

    c->is_storing = false;
    c->is_dirty |= rc != 0;
    c->out->rc = rc && !in->is_held ? -EIO : 0;
    c->wait = WAIT_NONE;
    if (waited == WAIT_TERM) {
        if (rc)
            c->counter = c->before;
        else
            become_active(c, now_us);
        go_on_with_tick(c, now_us);
        return;
    }
    if (waited == WAIT_NONE)
        return;
    if (rc)
        c->trials_saved = c->before;
    else
        memory_number(c);
    if (waited == WAIT_DRILL && !rc && (p = roster_find(c, c->drill_device)) != NULL)
        trial_begin_drill(c, p, &c->drill_order, now_us);
    else if (waited == WAIT_TRIAL && rc)
        decline(c, "the disk cannot be written");
    else if (waited == WAIT_TRIAL)
        try(c, now_us);
    end_interval(c);
}

/* ---- people ---- */

static void reconfigure(struct controller *c, const struct controller_config *cfg)
{
    assert(c->trial.phase == TRIAL_NONE);
    c->cfg = cfg;
    c->is_unranked = true;
    fit_noise_blocks(c);
    trial_note(c, "reconfigure", "its configuration was read again");
}

static int freeze(struct controller *c, const struct order *o, const char *done, const char *what,
                  uint64_t now_us)
{
    c->freezes++;
    snprintf(c->frozen, sizeof c->frozen, "%s by %.40s%s%.90s", done, o->who, *o->why ? ": " : "", o->why);
    /* a rollback goes on: it leads to where nothing of ours is left */
    if (c->trial.phase != TRIAL_ROLLBACK)
        trial_abort(c, c->frozen, now_us);
    memory_save(c);
    trial_note_by(c, o->who, what, o->why);
    return 0;
}

static int thaw(struct controller *c, const struct order *o)
{
    c->freezes++;
    c->frozen[0] = '\0';
    c->rolled_back = (struct order_text){ 0 };
    c->caution = (struct caution){ 0 };
    c->declined[0] = '\0';
    trial_note_by(c, o->who, "thaw", o->why);
    memory_save(c);
    return 0;
}

static void note_device(struct controller *c, const struct order *o, const char *what)
{
    char why[MSG_NAME_SIZE + MSG_WHY_SIZE + 2];

    snprintf(why, sizeof why, "%s%s%s", o->device, *o->why ? ": " : "", o->why);
    trial_note_by(c, o->who, what, why);
}

static int freeze_device(struct controller *c, const struct order *o)
{
    bool         is_freeze = o->kind == ORDER_FREEZE_DEVICE;
    struct peer *p = roster_find(c, o->device);
    struct msg   m = { .kind = is_freeze ? MSG_FREEZE : MSG_THAW };

    if (!p || c->role != ROLE_ACTIVE)
        return p ? -EAGAIN : -ENOENT;
    snprintf(m.why, sizeof m.why, "%.60s%s%.90s", o->who, *o->why ? ": " : "", o->why);
    command_send(c, p, &m);
    note_device(c, o, is_freeze ? "freeze device" : "thaw device");
    return 0;
}

static int approve(struct controller *c, const struct order *o)
{
    if (c->trial.phase != TRIAL_WAITING || c->trial.number != o->number)
        return -ENOENT;
    if (strcmp(c->trial.code, o->code) != 0)
        return -ESTALE;
    trial_approve(c, o);
    return 0;
}

static int reject(struct controller *c, const struct order *o, uint64_t now_us)
{
    if (c->trial.phase != TRIAL_WAITING || c->trial.number != o->number)
        return -ENOENT;
    if (*o->code && strcmp(c->trial.code, o->code) != 0)
        return -ESTALE;
    trial_reject(c, o, now_us);
    return 0;
}

static int rollback(struct controller *c, const struct order *o, uint64_t now_us)
{
    if (c->cfg->mode == MODE_OBSERVE)
        return -EPERM;
    if (c->role == ROLE_DEPOSED)
        return -ESTALE;
    snprintf(c->rolled_back.who, sizeof c->rolled_back.who, "%s", o->who);
    snprintf(c->rolled_back.why, sizeof c->rolled_back.why, "%s", o->why);
    int rc = freeze(c, o, "rolled back", "rollback", now_us);
    c->rollback_us = 0;
    if (c->trial.phase == TRIAL_NONE)
        go_on_rolling_back(c, now_us);
    return rc;
}

static int forget(struct controller *c, const struct order *o, uint64_t now_us)
{
    size_t length = strlen(o->device);
    bool   is_many = length && o->device[length - 1] == '*', is_known = false;
    int    forgotten = 0;

    for (uint32_t i = 0; i < c->peers; i++) {
        struct peer *p = &c->peer[i];

        if (is_many ? strncmp(p->name, o->device, length - 1) : strcmp(p->name, o->device))
            continue;
        is_known = true;
        if (roster_is_fresh(c, p, now_us) ||
            (c->trial.phase != TRIAL_NONE && c->trial.phase != TRIAL_WAITING))
            continue;
        note_device(c, &(struct order){ .who = o->who, .why = o->why, .device = p->name }, "forget");
        roster_forget(c, p);
        forgotten++;
        i--;                     /* another has its place now */
    }
    return forgotten ? 0 : is_known ? -EBUSY : -ENOENT;
}

static int drill(struct controller *c, const struct order *o, uint64_t now_us)
{
    struct peer *p = *o->device ? roster_find(c, o->device) : roster_canary(c, now_us);

    if (c->cfg->mode == MODE_OBSERVE)
        return -EPERM;
    if (c->role != ROLE_ACTIVE)
        return -EAGAIN;
    if (*o->device && !p)
        return -ENOENT;
    if ((c->trial.phase != TRIAL_NONE && c->trial.phase != TRIAL_WAITING) || *c->frozen)
        return -EBUSY;
    if (!p || !p->may_write || p->is_frozen || p->is_broken || !roster_is_fresh(c, p, now_us))
        return -ENODEV;
    trial_withdraw(c, "a drill comes first; the tuner proposes anew", now_us);
    snprintf(c->drill_order.who, sizeof c->drill_order.who, "%s", o->who);
    snprintf(c->drill_order.why, sizeof c->drill_order.why, "%s", o->why);
    snprintf(c->drill_device, sizeof c->drill_device, "%s", p->name);
    if (memory_number(c))
        trial_begin_drill(c, p, &c->drill_order, now_us);
    else
        c->wait = WAIT_DRILL;
    return 0;
}

static int carry_out(struct controller *c, const struct order *o, uint64_t now_us)
{
    switch (o->kind) {
    case ORDER_FREEZE:        return freeze(c, o, "frozen", "freeze", now_us);
    case ORDER_THAW:          return thaw(c, o);
    case ORDER_FREEZE_DEVICE:
    case ORDER_THAW_DEVICE:   return freeze_device(c, o);
    case ORDER_APPROVE:       return approve(c, o);
    case ORDER_REJECT:        return reject(c, o, now_us);
    case ORDER_ROLLBACK:      return rollback(c, o, now_us);
    case ORDER_FORGET:        return forget(c, o, now_us);
    case ORDER_DRILL:         return drill(c, o, now_us);
    case ORDERS:              break;
    }
    return -EINVAL;
}

static int on_order(struct controller *c, const struct order *o, uint64_t now_us)
{
    int rc = carry_out(c, o, now_us);

    if (!rc)
        c->ordered[o->kind]++;
    return rc;
}

/* ---- the function ---- */

static void let_all(struct controller *c, uint64_t at_us, uint64_t now_us)
{
    for (uint32_t i = 0; i < c->peers; i++)
        command_send(c, &c->peer[i], &(struct msg){ .kind = MSG_LEASE, .stamp_us = now_us, .at_us = at_us });
}

static void on_answer_of_tuner(struct controller *c, const struct input *in, uint64_t now_us)
{
    c->is_asking = false;
    if (in->set)
        on_proposal(c, in->set, in->text, now_us);
    end_interval(c);
}

void controller_step(struct controller *c, const struct input *in, uint64_t now_us, struct actions *out)
{
    assert(in->kind == INPUT_STORED ? c->is_storing : !c->is_storing);
    assert(c->is_storing || (in->kind == INPUT_PROPOSAL) == c->is_asking);
    actions_clear(out);
    c->out = out;
    c->wall_us = in->wall_us;
    switch (in->kind) {
    case INPUT_START:
        c->started_us = now_us;
        out->rc = memory_load(c, in->text, in->what);
        break;
    case INPUT_FENCE:    fence(c, in->number); break;
    case INPUT_LINK:     ask_who(c, in->link); break;
    case INPUT_CUT:      roster_cut(c, in->link); break;
    case INPUT_MSG:      on_msg(c, in->link, in->msg, now_us); break;
    case INPUT_TICK:     on_tick(c, in, now_us); break;
    case INPUT_STORED:   on_stored(c, in, now_us); break;
    case INPUT_PROPOSAL: on_answer_of_tuner(c, in, now_us); break;
    case INPUT_ORDER:    out->rc = on_order(c, in->order, now_us); break;
    case INPUT_CONFIG:   reconfigure(c, in->config); break;
    case INPUT_ABORT:    trial_abort(c, in->text, now_us); break;
    case INPUT_NOTE:     trial_note(c, in->what, in->text); break;
    case INPUT_LET:      let_all(c, in->at_us, now_us); break;
    case INPUTS:         break;
    }
    memory_print(c, now_us);
    c->out = NULL;
}
