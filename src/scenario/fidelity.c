#include "scenario/fidelity.h"

#include "base/text.h"
#include "scenario/keys.h"

#include <string.h>

#define ERROR_INITIAL 0.01

/* The monitor "none" sees nothing, so there need not be one. */
static void drop_blind_monitor(struct watch_cfg *w)
{
    if (w->monitors == 1 && w->monitor[0] == monitor_find("none"))
        w->monitors = 0;
}

/* What must see every packet, and what decides at every interval, has nothing to look at while packets are skipped. */
static const char *why_not(const struct scenario *s)
{
    if (s->cfg.model != MODEL_NIC)
        return "needs the model nic: the forks' models are there to be compared packet by packet";
    for (uint32_t i = 0; sim_cc(&s->cfg, i); i++)
        if (sim_cc(&s->cfg, i)->on_ack || sim_cc(&s->cfg, i)->on_rtt)
            return "goes with DCQCN's controls and none: others look at every acknowledgement, or send probes";
    if (s->tuner.kind)
        return "does not go with a tuner, which may turn knobs at every interval; give its setting as 'knobs'";
    if (s->watch.monitors)
        return "does not go with a monitor, which must see every packet";
    if (s->graph.inside_rate_bps)
        return "does not go with servers of several GPUs, whose messages are not packets";
    if (s->cfg.lb->is_woven)
        return "does not go with 'lb: conweave', which holds single packets";
    if (s->cfg.record_gaps)
        return "does not go with 'record_gaps', which needs every packet";
    if (s->cfg.knobs.value[KNOB_hf2t] > 0)
        return "does not go with HF2T, which holds single packets";
    for (uint32_t i = 0; i < s->changes; i++)
        if (s->change[i].set.is_named[KNOB_hf2t])
            return "does not go with HF2T, which holds single packets";
    return NULL;
}

static void read_kind(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    static const char *const kinds[] = { "packet", "fast", NULL };
    char                     near[80];
    const char              *why;
    int                      kind = 0;

    if (node->kind != YAML_SCALAR) {
        reader_refuse(r, node, "a fidelity must be a single name");
        return;
    }
    while (kinds[kind] && strcmp(node->text, kinds[kind]) != 0)
        kind++;
    if (!kinds[kind]) {
        reader_refuse(r, node, "'%.60s' is not a fidelity%s", node->text,
                      text_did_you_mean(near, sizeof near, node->text, kinds));
        return;
    }
    s->cfg.is_fast = kind == 1;
    if (s->cfg.is_fast)
        drop_blind_monitor(&s->watch);
    why = s->cfg.is_fast ? why_not(s) : NULL;
    if (why)
        reader_refuse(r, node, "fidelity fast %s", why);
}

void scenario_read_fidelity(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section sec = scenario_open(r, node && node->kind == YAML_MAP ? node : NULL, "fidelity");

    s->cfg.fast_error = ERROR_INITIAL;
    if (r->rc || !node)
        return;
    if (node->kind != YAML_MAP) {
        read_kind(r, s, node);
        return;
    }
    section_read(&sec, sec.common, &s->cfg);
    if (!r->rc)
        read_kind(r, s, section_get(&sec, "kind"));
}
