#include "live/view/words.h"
#include "live/controller/roster.h"
#include "live/core/knobset.h"

#include <math.h>
#include <string.h>

const struct words_verb words_verbs[] = {
    { "status", .right = GATE_VIEW, .is_open = true },
    { "devices", .right = GATE_VIEW, .is_open = true },
    { "history", .right = GATE_VIEW, .is_open = true },
    { "explain", .right = GATE_VIEW, .is_open = true, .takes_trial = true },
    { "diff", .right = GATE_VIEW, .is_open = true },
    { "freeze", true, true, true, .right = GATE_OPERATE,
      .order = ORDER_FREEZE, .device_order = ORDER_FREEZE_DEVICE, .done = "frozen; an open change is reverted" },
    { "thaw", true, .takes_device = true, .right = GATE_OPERATE,
      .order = ORDER_THAW, .device_order = ORDER_THAW_DEVICE, .done = "thawed" },
    { "approve", true, .takes_trial = true, .right = GATE_APPROVE, .order = ORDER_APPROVE,
      .device_order = ORDER_APPROVE, .done = "the trial begins" },
    { "reject", true, .takes_trial = true, .right = GATE_APPROVE, .order = ORDER_REJECT,
      .device_order = ORDER_REJECT, .done = "rejected; the setting is not proposed again for an hour" },
    { "rollback", true, .right = GATE_OPERATE, .order = ORDER_ROLLBACK, .device_order = ORDER_ROLLBACK,
      .done = "all devices return to their baseline, and nothing is tried until anole ctl thaw; anole ctl "
              "diff shows those that have not" },
    { "forget", true, .takes_device = true, .right = GATE_OPERATE, .order = ORDER_FORGET,
      .device_order = ORDER_FORGET, .done = "forgotten; if it reports again it is back" },
    { "drill", true, .takes_device = true, .right = GATE_OPERATE, .order = ORDER_DRILL,
      .device_order = ORDER_DRILL,
      .done = "the drill begins: the device gets no lease and must revert on its own; anole ctl status shows "
              "the result" },
    { 0 },
};

const struct words_verb *words_verb_of(const char *name)
{
    for (const struct words_verb *v = words_verbs; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

const char *const words_role[] = { "listening", "active", "deposed" };
const char *const words_mode[] = { "observe", "approve", "auto", "direct" };
const char *const words_phase[] = { "none",    "waiting", "lead-in", "run",      "spread", "soak",
                                    "confirm", "abort",   "direct",  "rollback", "drill" };
const char *const words_state[] = { "silent",    "broken", "frozen", "observed",
                                    "held back", "ready",  "tuned",  "left",
                                    "unreadable", "expired" };

const char *words_stage(enum trial_phase phase, uint32_t stage)
{
    static const char *const names[STAGES] = { "one", "few", "quarter", "halves" };

    return phase == TRIAL_LEAD_IN || phase == TRIAL_RUN ? names[stage] : "";
}

const char *words_kind(enum knob_where where)
{
    return where == KNOB_NIC ? "NIC" : "switch";
}

enum words_state words_state_of(const struct controller *c, const struct peer *p, uint64_t now_us)
{
    struct knob_set changed = knobset_changed(&p->device, &p->baseline);

    return p->has_left                      ? STATE_LEFT
           : !roster_is_fresh(c, p, now_us) ? (p->is_expired ? STATE_EXPIRED : STATE_SILENT)
           : p->is_broken                   ? STATE_BROKEN
           : p->is_unreadable               ? STATE_UNREADABLE
           : p->is_frozen                   ? STATE_FROZEN
           : !knobset_is_empty(&changed) || p->self.moved ? STATE_TUNED
           : p->self.is_there               ? (p->self.is_allowed ? STATE_READY : STATE_OBSERVED)
           : !p->may_write                  ? STATE_OBSERVED
           : p->rank == RANK_NONE           ? STATE_HELD_BACK
                                            : STATE_READY;
}

void words_sums_add(struct words_sums *to, const struct msg_sample *s)
{
    double use = msg_use(s);

    if (!s->interval_us)
        return;
    to->cnps += s->cnps;
    to->counts_cnps |= !(s->unknown & MSG_UNKNOWN(cnps));
    if (!isnan(s->metric)) {
        to->metric += s->metric;
        to->metrics++;
    }
    if (!isnan(s->paused)) {
        to->paused += s->paused;
        to->pauses++;
        to->paused_most = fmax(to->paused_most, s->paused);
    }
    if (!isnan(use)) {
        to->use += use;
        to->uses++;
        to->sent_bps += use * (double)s->rate_bps;
        to->rate_bps += (double)s->rate_bps;
    }
}

double words_mean(double sum, uint32_t count)
{
    return count ? sum / count : NAN;
}

bool words_has_trial(const struct peer *p)
{
    return p->step == STEP_APPLIED || p->step == STEP_CONFIRMING;
}
