#include "sim/state/cfg.h"

#include <stddef.h>
#include <stdio.h>

const char *const sim_model_names[] = { "nic", "hpcc", "conweave", "htsim", "uet", NULL };

/* Returns "32 hosts", "class 4" or "classes 1 4". */
static const char *whose(const struct cc_other *c, char *buf, size_t size)
{
    if (!c->prios) {
        snprintf(buf, size, "%u host%s", c->hosts, c->hosts == 1 ? "" : "s");
        return buf;
    }
    size_t length = (size_t)snprintf(buf, size, "class%s", c->prios & (c->prios - 1) ? "es" : "");
    for (uint32_t i = 0; i < PRIOS; i++)
        if (c->prios >> i & 1)
            length += (size_t)snprintf(buf + length, size - length, " %u", i);
    return buf;
}

const char *sim_cc_text(const struct sim_cfg *c, char buf[SIM_CC_TEXT_MAX])
{
    size_t length = (size_t)snprintf(buf, SIM_CC_TEXT_MAX, "%s", c->shown_cc ? c->shown_cc : c->cc->name);
    char   who[32];

    for (uint32_t i = 0; i < c->cc_others && length < SIM_CC_TEXT_MAX; i++)
        length += (size_t)snprintf(buf + length, SIM_CC_TEXT_MAX - length, ", %s (%s)",
                                   c->cc_other[i].cc->name, whose(&c->cc_other[i], who, sizeof who));
    return buf;
}

const char *sim_lb_text(const struct sim_cfg *c)
{
    return c->shown_lb ? c->shown_lb : c->lb->name;
}

enum cc_telemetry sim_cc_telemetry(const struct sim_cfg *c)
{
    enum cc_telemetry most = CC_NO_TELEMETRY;

    if (c->model == MODEL_UET && !sim_roce_prios(c))
        return most;             /* UET connections need no telemetry */
    for (uint32_t i = sim_cc_of_pairs(c); sim_cc(c, i); i++)
        most = sim_cc(c, i)->telemetry > most ? sim_cc(c, i)->telemetry : most;
    return most;
}

bool sim_cc_probes(const struct sim_cfg *c)
{
    for (uint32_t i = 0; sim_cc(c, i); i++)
        if (sim_cc(c, i)->on_rtt)
            return true;
    return false;
}
