#include "live/control/control.h"
#include "live/core/keep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAVED_TEXT_MAX 16384

void control_init(struct control *k, const struct controller_config *cfg, const struct control_io *io,
                  uint32_t peers_max)
{
    *k = (struct control){ .io = *io };
    audit_init(&k->audit);
    controller_init(&k->c, cfg, peers_max);
}

void control_fini(struct control *k)
{
    controller_fini(&k->c);
    actions_fini(&k->actions);
}

/* ---- actions ---- */

static void send(const struct control *k, struct action *a)
{
    static const struct msg_learn own = { 0 };
    const struct peer            *p = a->msg.kind == MSG_LEARN ? roster_of_link(&k->c, a->link) : NULL;

    if (p)
        a->msg.learn = a->number && k->io.net ? k->io.net(k->io.arg, p) : &own;
    k->io.send(k->io.arg, a->link, &a->msg);
}

/* A freeze first: there is room for it. */
static int store(struct control *k, struct action *a)
{
    char     text[SAVED_TEXT_MAX];
    json_t  *state = a->state;
    uint64_t freezes = (uint64_t)json_integer_value(json_object_get(state, "freezes"));

    if (freezes != k->freezes && hold_write(&k->io.hold, state))
        k->freezes = freezes;

    a->state = NULL;             /* released by keep_write() */
    return keep_write(&k->io.disk, CONTROLLER_SAVED_NAME, state,
                      JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS), text, sizeof text, &k->saves);
}

/* Journal lines: orders of operators, lost and returned devices. A trial has its line when it ends. */
static void tell(const struct control *k, const struct action *a)
{
    static const char *const   quiet[] = { "begin", "try", "would try", "stage", "spread", "confirm", "abort",
                                           "net", "refuse records", "reconfigure", NULL };
    const struct action_record *r = &a->record;
    char                        text[sizeof a->why + 2 * MSG_NAME_SIZE];

    for (int i = 0; quiet[i]; i++)
        if (strcmp(quiet[i], r->what) == 0)
            return;
    if (strcmp(r->what, "keep") == 0 || strcmp(r->what, "drop") == 0)
        snprintf(text, sizeof text, "trial %" PRIu64 " %s: %s", r->change,
                 *r->what == 'k' ? "kept" : "dropped", a->why);
    else
        snprintf(text, sizeof text, "%s by %s%s%s", r->what, r->who, *a->why ? ": " : "", a->why);
    k->io.log(k->io.arg, text);
}

static void note(struct control *k, const struct action *a, uint64_t now_us)
{
    const struct action_record *r = &a->record;

    if (k->io.log)
        tell(k, a);
    audit_write(&k->audit, &k->io.disk,
                &(struct audit_record){ .who = r->who, .what = r->what, .why = a->why, .term = r->term,
                                        .evidence = r->evidence, .change = r->change, .now_us = now_us,
                                        .old = &r->old, .new = &r->new });
}

static void decline(struct control *k, const struct action *a)
{
    if (k->io.declined)
        k->io.declined(k->io.arg, a->why);
    else
        k->io.ended(k->io.arg, false, 0, a->why);
}

/* Answers to the questions of a step. */
struct answers {
    bool            is_stored, is_asked, has_set, has_note;
    int             rc;
    struct knob_set set;
    char            why[MSG_WHY_SIZE], note[MSG_WHY_SIZE];
};

static void carry_out(struct control *k, struct action *a, uint64_t now_us, struct answers *to)
{
    switch (a->kind) {
    case ACTION_SEND:     send(k, a); break;
    case ACTION_RECORD:   note(k, a, now_us); break;
    case ACTION_LOG:
        if (k->io.log)
            k->io.log(k->io.arg, a->why);
        break;
    case ACTION_ENDED:    k->io.ended(k->io.arg, a->is_kept, (uint32_t)a->number, a->why); break;
    case ACTION_DECLINED: decline(k, a); break;
    case ACTION_LEARN:
        to->has_note |= k->io.records && k->io.records(k->io.arg, roster_of_link(&k->c, a->link), a->learn,
                                                       now_us, to->note);
        break;
    case ACTION_STORE:
        to->is_stored = true;
        to->rc = store(k, a);
        break;
    case ACTION_ASK:
        to->is_asked = true;
        to->has_set = k->io.propose(k->io.arg, now_us, &to->set, to->why);
        break;
    case ACTIONS:         break;
    }
}

/* ---- inputs ---- */

int control_input(struct control *k, struct input in, uint64_t now_us)
{
    struct answers to = { 0 };

    in.wall_us = k->io.disk.wall_us(k->io.disk.arg);
    controller_step(&k->c, &in, now_us, &k->actions);
    int rc = k->actions.rc, stored = 0;
    if (k->record)
        record_step(k->record, &in, now_us, &k->actions);
    for (uint32_t i = 0; i < k->actions.count; i++)
        carry_out(k, &k->actions.action[i], now_us, &to);
    if (to.is_stored)
        stored = control_input(k, (struct input){ .kind = INPUT_STORED, .rc = to.rc,
                                                  .is_held = k->freezes == k->c.freezes }, now_us);
    if (to.is_asked)
        control_input(k, (struct input){ .kind = INPUT_PROPOSAL, .set = to.has_set ? &to.set : NULL,
                                         .text = to.why }, now_us);
    if (to.has_note)
        control_note(k, "refuse records", to.note, now_us);
    return rc ? rc : stored;
}

/* As keep_read() wants it. */
struct saved { struct control *k; const char *held; uint64_t now_us; };

static bool take_saved(void *arg, json_t *o)
{
    struct saved *s = arg;
    char         *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));
    int rc = control_input(s->k, (struct input){ .kind = INPUT_START, .text = text ? text : "",
                                                 .what = s->held }, s->now_us);

    free(text);
    return !rc;
}

int control_start(struct control *k, const struct audit *audit, uint64_t now_us)
{
    char        *held = hold_read(&k->io.hold);
    struct saved saved = { k, held, now_us };
    int          rc = 0;

    k->audit = *audit;
    switch (keep_read(&k->io.disk, CONTROLLER_SAVED_NAME, SAVED_TEXT_MAX, &k->saves, take_saved, &saved)) {
    case KEEP_DAMAGED: rc = -EBADMSG; break;
    case KEEP_NONE:
        rc = control_input(k, (struct input){ .kind = INPUT_START, .text = "", .what = held }, now_us);
        break;
    default:           break;
    }
    k->freezes = k->c.freezes;
    free(held);
    return rc;
}

void control_fence(struct control *k, uint64_t counter, uint64_t now_us)
{
    control_input(k, (struct input){ .kind = INPUT_FENCE, .number = counter }, now_us);
}

void control_link(struct control *k, uint32_t link, uint64_t now_us)
{
    control_input(k, (struct input){ .kind = INPUT_LINK, .link = link }, now_us);
}

void control_cut(struct control *k, uint32_t link, uint64_t now_us)
{
    control_input(k, (struct input){ .kind = INPUT_CUT, .link = link }, now_us);
}

void control_msg(struct control *k, uint32_t link, const struct msg *m, uint64_t now_us)
{
    control_input(k, (struct input){ .kind = INPUT_MSG, .link = link, .msg = m }, now_us);
}

void control_tick(struct control *k, uint64_t now_us)
{
    if (k->io.interval)
        k->io.interval(k->io.arg, now_us);
    const struct msg_learn *net = k->io.net ? k->io.net(k->io.arg, NULL) : NULL;
    control_input(k, (struct input){ .kind = INPUT_TICK, .is_brief = k->is_brief,
                                     .number = net ? net->checksum : 0 }, now_us);
}

void control_note(struct control *k, const char *what, const char *why, uint64_t now_us)
{
    control_input(k, (struct input){ .kind = INPUT_NOTE, .what = what, .text = why }, now_us);
}

int control_order(struct control *k, const struct order *o, uint64_t now_us)
{
    return control_input(k, (struct input){ .kind = INPUT_ORDER, .order = o }, now_us);
}
