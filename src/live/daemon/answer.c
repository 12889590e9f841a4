/* src/live/daemon/answer.c - see answer.h. */
#include "live/daemon/answer.h"
#include "base/json.h"
#include "base/text.h"
#include "live/controller/roster.h"
#include "live/core/knobset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_LINES 40
#define LOG_BYTES_MAX (1ul << 31)

static const char *const role_names[] = { "listening", "active", "deposed" };
static const char *const mode_names[] = { "observe", "approve", "auto", "direct" };
static const char *const phase_names[] = { "none", "waiting", "lead-in", "run", "spread", "soak", "confirm", "abort", "direct" };
static const char *const stage_names[] = { "one", "few", "quarter", "halves" };

/* ---- status ---- */

static json_t *trial_json(const struct controller *c)
{
    const struct trial *t = &c->trial;
    json_t             *o = json_object();

    json_put_count(o, "number", t->number);
    json_put_text(o, "phase", phase_names[t->phase]);
    json_put_text(o, "why", t->why);
    json_object_set_new(o, "set", knobset_json(&t->wanted));
    if (t->phase == TRIAL_LEAD_IN || t->phase == TRIAL_RUN)
        json_put_text(o, "stage", stage_names[t->stage]);
    if (!t->evidence.pairs)
        return o;
    json_put_count(o, "pairs", t->evidence.pairs);
    json_put_number(o, "gain", evalue_gain(&t->evidence));
    json_put_number(o, "e_gain", evalue_above(&t->evidence, 0));
    json_put_number(o, "e_harm", evalue_below(&t->evidence, -c->cfg->harm * t->metric));
    return o;
}

static json_t *device_json(const struct controller *c, const struct peer *p, uint64_t now_us)
{
    json_t *o = json_object();

    json_put_text(o, "name", p->name);
    json_put_text(o, "kind", p->where == KNOB_NIC ? "NIC" : "switch");
    json_object_set_new(o, "fresh", json_boolean(roster_is_fresh(c, p, now_us)));
    json_object_set_new(o, "writes", json_boolean(p->may_write));
    json_object_set_new(o, "held_back", json_boolean(p->may_write && !p->is_frozen && p->rank == RANK_NONE));
    json_object_set_new(o, "frozen", json_boolean(p->is_frozen));
    json_put_text(o, "why", *p->breach ? p->breach : p->frozen_why);
    json_put_number(o, "metric", p->sample.metric);
    json_put_number(o, "age_ms", p->heard_us ? (double)(now_us - p->heard_us) / 1e3 : NAN);
    return o;
}

static json_t *status_json(const struct controller *c, uint64_t now_us)
{
    json_t     *o = json_object(), *devices = json_array();
    const char *why = controller_obstacle(c, now_us);

    json_put_text(o, "name", c->cfg->name);
    json_put_text(o, "role", role_names[c->role]);
    json_put_text(o, "mode", mode_names[c->cfg->mode]);
    json_put_count(o, "term", c->term);
    json_put_text(o, "frozen", c->frozen);
    json_put_text(o, "obstacle", why ? why : "");
    json_put_number(o, "coverage", roster_coverage(c, now_us));
    json_put_count(o, "noise_pairs", c->aa[STAGE_HALVES].pairs);
    json_put_number(o, "noise_e", c->aa[STAGE_HALVES].evidence.sd > 0 ? evalue_above(&c->aa[STAGE_HALVES].evidence, 0) : NAN);
    json_object_set_new(o, "trial", trial_json(c));
    for (uint32_t i = 0; i < c->peers; i++)
        json_array_append_new(devices, device_json(c, &c->peer[i], now_us));
    json_object_set_new(o, "devices", devices);
    return o;
}

/* ---- diff ---- */

/* What devices hold that is not their baseline. */
static json_t *diff_json(const struct controller *c)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < c->peers; i++) {
        const struct peer *p = &c->peer[i];
        struct knob_set    is = { 0 }, was = { 0 };
        json_t            *o;

        for (int k = 0; k < KNOB_COUNT; k++)
            if (p->device.is_named[k] && p->baseline.is_named[k] &&
                !knobset_is_equal_value(p->device.knobs.value[k], p->baseline.knobs.value[k])) {
                knob_set_add(&is, (enum knob)k, p->device.knobs.value[k]);
                knob_set_add(&was, (enum knob)k, p->baseline.knobs.value[k]);
            }
        o = json_object();
        json_put_text(o, "name", p->name);
        json_object_set_new(o, "baseline", knobset_json(&was));
        json_object_set_new(o, "device", knobset_json(&is));
        json_array_append_new(list, o);
    }
    return list;
}

/* ---- history ---- */

/* The last lines of the log, as they are. */
static json_t *history_json(const char *log, struct err *err)
{
    char   *text, *line;
    size_t  length;
    json_t *list;

    if (text_read_file(log, LOG_BYTES_MAX, &text, &length, err))
        return NULL;
    list = json_array();
    for (uint32_t lines = 0; length && lines <= HISTORY_LINES; length--)
        if (text[length - 1] == '\n' && ++lines > HISTORY_LINES)
            break;
    for (line = text + length; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        json_t *o = json_loadb(line, strcspn(line, "\n"), 0, NULL);

        if (o)
            json_array_append_new(list, o);
    }
    free(text);
    return list;
}

/* ---- what changes something ---- */

static int refuse(int rc, const struct question *q, struct err *err)
{
    switch (rc) {
    case -ENOENT: return strcmp(q->verb, "approve") == 0 ? err_set(err, ENOENT, "no trial of that number waits for approval") :
                         err_set(err, ENOENT, "there is no device '%s'; see anole ctl status", q->device);
    case -EPERM:  return err_set(err, EPERM, "the controller observes only, or is not active");
    case -EBUSY:  return err_set(err, EBUSY, "a trial is under way; freeze first");
    case -EAGAIN: return err_set(err, EAGAIN, "the controller is not active");
    default:      return rc ? err_set(err, EIO, "the controller cannot write its state to the disk; it does it all the same") : 0;
    }
}

static int act(struct controller *c, const struct question *q, const char *why, uint64_t now_us)
{
    bool is_freeze = strcmp(q->verb, "freeze") == 0;

    if (strcmp(q->verb, "approve") == 0)
        return controller_approve(c, q->number, now_us);
    if (strcmp(q->verb, "rollback") == 0)
        return controller_rollback(c, why, now_us);
    if (*q->device)
        return controller_freeze_device(c, q->device, is_freeze, why, now_us);
    return is_freeze ? controller_freeze(c, why, now_us) : controller_thaw(c, why, now_us);
}

static json_t *act_json(struct controller *c, const struct question *q, const char *who, uint64_t now_us, struct err *err)
{
    char why[MSG_WHY_SIZE];

    snprintf(why, sizeof why, "%.40s%s%.100s", *who ? who : "a person", *q->why ? ": " : "", q->why);
    return refuse(act(c, q, why, now_us), q, err) ? NULL : json_object();
}

static json_t *json_for(struct controller *c, const struct question *q, const char *who, const char *log, uint64_t now_us,
                        struct err *err)
{
    static const char *const acts[] = { "freeze", "thaw", "approve", "rollback", NULL };

    if (q->version != MSG_VERSION) {
        err_set(err, EPROTO, "it speaks version %u, the controller %u", q->version, MSG_VERSION);
        return NULL;
    }
    if (strcmp(q->verb, "status") == 0)
        return status_json(c, now_us);
    if (strcmp(q->verb, "diff") == 0)
        return diff_json(c);
    if (strcmp(q->verb, "history") == 0)
        return history_json(log, err);
    for (int i = 0; acts[i]; i++)
        if (strcmp(q->verb, acts[i]) == 0)
            return act_json(c, q, who, now_us, err);
    err_set(err, EINVAL, "the controller does not know '%s'", q->verb);
    return NULL;
}

char *answer_to(struct controller *c, const struct question *q, const char *who, const char *log, uint64_t now_us, struct err *err)
{
    json_t *o = json_for(c, q, who, log, now_us, err);
    char   *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS)) : NULL;

    json_decref(o);
    return text;
}
