#include "study/report/about.h"
#include "base/text.h"
#include "work/net/measure.h"
#include "study/report/results_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 4            /* traffic entries that are named; the others are counted */

/* The range of host link rates: "100 Gb/s", or "25 Gb/s to 100 Gb/s". */
static void add_rates(struct card *c, const struct graph *g)
{
    uint32_t *link_of = graph_host_links(g);
    uint64_t  low = UINT64_MAX, high = 0;
    char      from[32], to[32];

    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].is_switch) {
            uint64_t bps = g->link[link_of[i]].rate_bps;

            low = bps < low ? bps : low;
            high = bps > high ? bps : high;
        }
    free(link_of);
    text_from_rate(from, sizeof(from), (double)low);
    text_from_rate(to, sizeof(to), (double)high);
    if (low == high)
        card_add(c, CARD_NETWORK, "at %s,", to);
    else
        card_add(c, CARD_NETWORK, "at %s to %s,", from, to);
}

static void add_oversubscription(struct card *c, const struct graph *g)
{
    double uplinks = graph_uplink_bps(g), ratio = uplinks > 0 ? graph_host_bps(g) / uplinks : 0;

    if (ratio > 1.005)
        card_add(c, CARD_NETWORK, "oversubscribed %.3g : 1,", ratio);
    else if (ratio > 0)
        card_add(c, CARD_NETWORK, "not oversubscribed,");
}

static void add_network(struct card *c, const struct sim *sim)
{
    const struct graph *g = sim_graph(sim);
    char                controls[SIM_CC_TEXT_MAX];

    card_add(c, CARD_NETWORK, "%s", counted(g->hosts, "host", "hosts").buf);
    add_rates(c, g);
    card_add(c, CARD_NETWORK, "%s,", counted(g->nodes - g->hosts, "switch", "switches").buf);
    add_oversubscription(c, g);
    card_add(c, CARD_NETWORK, "idle round trip %s; %s, %s, %s.", time_text(sim_idle_rtt_ps(sim)).buf,
             sim_cc_text(sim_settings(sim), controls), sim_settings(sim)->lb->name,
             sim_settings(sim)->is_lossless ? "lossless" : "lossy");
}

static void add_entry(struct card *c, const struct traffic_about *t, uint64_t run_ps, const char *end)
{
    char load[48] = "", when[160] = "", time[32];

    if (t->load > 0)
        snprintf(load, sizeof(load), ", load %.3g %% of %s", 100 * t->load,
                 t->is_of_bisection ? "bisection" : "host links");
    if (t->start_ps > 0)
        snprintf(when, sizeof(when), ", from %s", text_from_time(time, sizeof(time), t->start_ps));
    if (t->stop_ps < run_ps)
        snprintf(when + strlen(when), sizeof(when) - strlen(when), "%s %s", *when ? " to" : ", until",
                 text_from_time(time, sizeof(time), t->stop_ps));
    card_add(c, CARD_TRAFFIC, "%s: %s%s%s%s", t->name, *t->what ? t->what : t->kind, load, when, end);
}

void about_scenario(struct card *c, const struct scenario *scenario, const struct sim *sim)
{
    add_network(c, sim);
    for (uint32_t i = 0; i < scenario->entries && i < ENTRIES_MAX; i++)
        add_entry(c, &scenario->entry[i], scenario->run_ps, i + 1 < scenario->entries ? ";" : ".");
    if (scenario->entries > ENTRIES_MAX)
        card_add(c, CARD_TRAFFIC, "and %u more.", scenario->entries - ENTRIES_MAX);
}

/* ---- hardware ---- */

#define GBPS 1000000000ull

/* Measurements on hardware: maximum host speed and number of switches. The first row that fits a network
 * applies. */
static const struct {
    uint64_t    bps_max;
    uint32_t    switches_max;
    bool        has_cc;
    const char *text;
} hardware[] = {
    { 10 * GBPS, 9, false, "On hardware at 10 Gb/s, 9 of 10 series of reads of 400 KiB and more are within 2 % "
                           "in p50, as many within 5 % in p99; one had a p90 54 % off" },
    { 25 * GBPS, 1, true, "On ConnectX-5 at 25 Gb/s, DCQCN's mean queue was predicted 1.4 times too long" },
    { 400 * GBPS, 1, false, "On ConnectX-7 at 400 Gb/s, goodput was predicted within 0.2 %, bytes that PFC "
                            "holds within 2 %" },
};

static uint64_t fastest_host_bps(const struct sim *s)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct sim_port p = sim_port(s, i);

        most = !p.is_switch && p.rate_bps > most ? p.rate_bps : most;
    }
    return most;
}

void about_hardware(struct card *c, const struct sim *s)
{
    uint32_t switches = sim_graph(s)->nodes - sim_graph(s)->hosts;
    bool     has_cc = strcmp(sim_settings(s)->cc->name, "none") != 0;
    uint64_t bps = sim_settings(s)->model == MODEL_NIC ? fastest_host_bps(s) : 0;

    if (!bps)
        return;
    for (size_t i = 0; i < sizeof hardware / sizeof *hardware; i++)
        if (bps <= hardware[i].bps_max && switches <= hardware[i].switches_max &&
            has_cc == hardware[i].has_cc) {
            card_add(c, CARD_SURE, "%s (docs/hardware.md).", hardware[i].text);
            return;
        }
    card_add(c, CARD_SURE, "No hardware measurement is near this: %s (docs/hardware.md).",
             has_cc && bps > 25 * GBPS ? "none of congestion control on NICs above 25 Gb/s is public" :
                                         "nothing like it is validated beyond one switch");
}

void about_hardware_of_collective(struct card *c, uint64_t bytes, bool has_step_cost)
{
    if (has_step_cost)
        card_add(c, CARD_SURE,
                 "With a step cost fitted at 1 GiB, NCCL's bus bandwidth on 16 H100 was predicted 6 %% too "
                 "low at 8 GiB "
                 "(docs/hardware.md).");
    else
        card_add(c, CARD_SURE, "Not calibrated: without 'step_cost', NCCL's bus bandwidth on 16 H100 was "
                 "predicted 1.8 times too high at 1 GiB%s (docs/hardware.md).",
                 bytes < 256000000 ? ", and smaller sizes need it more" : "");
}
