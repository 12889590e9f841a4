#include "live/daemon/ctl_answer.h"
#include "base/json.h"
#include "live/view/metrics.h"
#include "live/view/state_json.h"

#include <string.h>

#define HISTORY_LINES 40

/* ---- what changes something ---- */

static int refuse(int rc, const struct question *q, struct err *err)
{
    bool is_approve = strcmp(q->verb, "approve") == 0;

    switch (rc) {
    case -ENOENT: return is_approve ? err_set(err, ENOENT, "no trial of that number waits for approval") :
                         err_set(err, ENOENT, "there is no device '%s'; see anole ctl status", q->device);
    case -ESTALE: return is_approve ?
        err_set(err, ESTALE, "the trial that waits is not the one that was meant; see anole ctl status") :
                         err_set(err, ESTALE, "another controller has taken over; ask that one");
    case -EBUSY:  return strcmp(q->verb, "forget") == 0 ?
                         err_set(err, EBUSY, "%s reports, or a trial is under way; stop its agent first",
                                 q->device) :
                         err_set(err, EBUSY,
                                 "a trial is under way, or the fabric is frozen; see anole ctl status");
    case -ENODEV:
        return err_set(err, ENODEV,
                       "no device can be drilled now: its agent must report and may write, and it must not "
                       "be frozen");
    case -EPERM:
        return err_set(err, EPERM,
                       "the controller observes only, so it writes nothing; set its mode to approve or auto "
                       "first");
    case -EAGAIN: return err_set(err, EAGAIN, "the controller is not active");
    default:      return rc ?
        err_set(err, EIO, "the controller cannot write its state to the disk; it does it all the same") : 0;
    }
}

static int act(struct controller *c, const struct question *q, const struct order *o, uint64_t now_us)
{
    bool is_freeze = strcmp(q->verb, "freeze") == 0;

    if (strcmp(q->verb, "approve") == 0)
        return controller_approve(c, q->number, q->code, o, now_us);
    if (strcmp(q->verb, "rollback") == 0)
        return controller_rollback(c, o, now_us);
    if (strcmp(q->verb, "forget") == 0)
        return controller_forget(c, q->device, o, now_us);
    if (strcmp(q->verb, "drill") == 0)
        return controller_drill(c, q->device, o, now_us);
    if (*q->device)
        return controller_freeze_device(c, q->device, is_freeze, o, now_us);
    return is_freeze ? controller_freeze(c, o, now_us) : controller_thaw(c, o, now_us);
}

int answer_act(struct controller *c, const struct question *q, const char *who, uint64_t now_us,
               struct err *err)
{
    struct order o = { *who ? who : "a person", q->why };

    return refuse(act(c, q, &o, now_us), q, err);
}

/* Adds the last settings tried on a twin to the last decision, if the tuner uses twins. */
static json_t *explain(const struct ledger *l, const json_t *tuner)
{
    json_t *list = ledger_decisions(l), *search = json_object_get(tuner, "search");

    if (search && json_array_size(list))
        json_object_set(json_array_get(list, json_array_size(list) - 1), "search", search);
    return list;
}

static json_t *status(const struct controller *c, const struct answer_sources *from, uint64_t now_us)
{
    json_t *o = state_json_status(c, from->tuner, now_us);

    json_object_set_new(o, "refused", process_refused_json(from->peers));
    return o;
}

static json_t *json_for(struct controller *c, const struct question *q, const char *who,
                        const struct answer_sources *from, uint64_t now_us, struct err *err)
{
    static const char *const acts[] = { "freeze", "thaw", "approve", "rollback", "forget", "drill", NULL };

    if (q->version != MSG_VERSION) {
        err_set(err, EPROTO, "it speaks version %u, the controller %u", q->version, MSG_VERSION);
        return NULL;
    }
    if (strcmp(q->verb, "status") == 0 || strcmp(q->verb, "devices") == 0)
        return status(c, from, now_us);
    if (strcmp(q->verb, "diff") == 0)
        return state_json_diff(c);
    if (strcmp(q->verb, "history") == 0)
        return ledger_json(from->ledger, HISTORY_LINES);
    if (strcmp(q->verb, "explain") == 0)
        return explain(from->ledger, from->tuner);
    for (int i = 0; acts[i]; i++)
        if (strcmp(q->verb, acts[i]) == 0)
            return answer_act(c, q, who, now_us, err) ? NULL : json_object();
    err_set(err, EINVAL, "the controller does not know '%s'", q->verb);
    return NULL;
}

char *answer_to(struct controller *c, const struct question *q, const char *who,
                const struct answer_sources *from, uint64_t now_us, struct err *err)
{
    json_t *o = json_for(c, q, who, from, now_us, err);
    char   *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS)) : NULL;

    json_decref(o);
    return text;
}
