#include "study/scenario/scenario.h"

#include "base/text.h"
#include "work/traffic/traffic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE_LONGER 8            /* times the empty round trip: a base from which on queues are very long */

/* The place of a key, or the whole file. */
static const char *place_of(const struct scenario *s, enum scenario_place p, char buf[FIT_PLACE_MAX])
{
    if (s->place[p])
        return s->place[p];
    snprintf(buf, FIT_PLACE_MAX, "%.400s: ", s->path);
    return buf;
}

void scenario_keep_place(const struct section *sec, struct scenario *s, const char *key,
                         enum scenario_place p)
{
    const struct yaml_node *node = section_get(sec, key);

    if (!node || sec->r->rc)
        return;
    free(s->place[p]);
    s->place[p] = reader_place(sec->r, node->line, node->column);
}

const char *fit_place(const struct scenario *s, const char *why, char buf[FIT_PLACE_MAX])
{
    static const struct { const char *word; enum scenario_place place; } rows[] = {
        { "the buffer of", PLACE_BUFFER }, { "pause_time", PLACE_PAUSE_TIME }, { "telemetry", PLACE_CC },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(why, rows[i].word) && s->place[rows[i].place])
            return s->place[rows[i].place];
    return place_of(s, PLACE_TOPOLOGY, buf);
}

static int check_rto(const struct scenario *s, const struct sim *sim, struct err *err)
{
    uint64_t rto_ps = sim_settings(sim)->rto_ps, idle_ps = sim_idle_rtt_ps(sim);
    char     is[32], least[32], at[FIT_PLACE_MAX];

    if (!s->place[PLACE_RTO] || !rto_ps || rto_ps > idle_ps)
        return 0;
    return err_set(err, EINVAL, "%san 'rto' of %s is not longer than the round trip of the longest path, %s, "
                   "when it is empty: all would be sent again before it can be answered; 'auto' chooses one",
                   place_of(s, PLACE_RTO, at), text_from_time(is, sizeof is, rto_ps),
                   text_from_time(least, sizeof least, idle_ps));
}

static int refuse_room(const struct scenario *s, const struct sim *sim, enum scenario_place p,
                       const char *key, struct err *err)
{
    char frame[32], at[FIT_PLACE_MAX];

    return err_set(err, EINVAL, "%swith this '%s' no switch has room for a packet of %s: all would be "
                   "dropped, always", place_of(s, p, at), key,
                   text_from_bytes(frame, sizeof frame, sim_largest_frame(sim_settings(sim))));
}

/* Mirrors how switch/switch.c admits a packet to an empty buffer. */
static int check_room(const struct scenario *s, const struct sim *sim, struct err *err)
{
    const struct sim_cfg *cfg = sim_settings(sim);
    int64_t               frame = sim_largest_frame(cfg), room = INT64_MAX;

    for (uint32_t i = 0; i < sim_graph(sim)->nodes; i++)
        if (sim_node(sim, i).is_switch && sim_room_bytes(sim, i) < room)
            room = sim_room_bytes(sim, i);
    if (room == INT64_MAX)
        return 0;
    if (room < frame)
        return refuse_room(s, sim, PLACE_BUFFER, "buffer", err);
    if (cfg->model == MODEL_CONWEAVE)
        return 0;
    if (cfg->lossy_alpha * (double)room < (double)frame)
        return refuse_room(s, sim, PLACE_LOSSY_ALPHA, "lossy_alpha", err);
    if (cfg->lossy_queue_bytes && (int64_t)cfg->lossy_queue_bytes < frame)
        return refuse_room(s, sim, PLACE_LOSSY_QUEUE, "lossy_queue", err);
    return 0;
}

int fit_check(const struct scenario *s, const struct sim *sim, struct err *err)
{
    int rc = check_rto(s, sim, err);

    return rc ? rc : check_room(s, sim, err);
}

/* HF2T is no balancer: a knob of its own turns it on. */
static bool is_read(const struct sim_cfg *cfg, enum knob knob)
{
    for (uint32_t i = 0; sim_cc(cfg, i); i++)
        if (knob_is_read_by(knob, sim_cc(cfg, i)->name))
            return true;
    return !*knob_info[knob].readers || knob_is_read_by(knob, cfg->lb->name) || knob_is_read_by(knob, "hf2t");
}

void fit_find_idle_knob(const struct section *sec, struct scenario *s)
{
    const struct yaml_node *map = section_get(sec, "knobs");

    for (const struct yaml_node *c = map ? map->child : NULL; c && !sec->r->rc; c = c->next)
        if (!is_read(&s->cfg, knob_find(c->key))) {
            s->idle_knob = knob_find(c->key);
            s->place[PLACE_IDLE_KNOB] = reader_place(sec->r, c->key_line, c->key_column);
            return;
        }
}

static char *warn_of_knob(const struct scenario *s)
{
    char controls[SIM_CC_TEXT_MAX];

    if (!s->place[PLACE_IDLE_KNOB])
        return NULL;
    bool is_of_cc = knob_info[s->idle_knob].where == KNOB_NIC;
    return xprintf("%s'%s' changes nothing: %s %s does not look at it", s->place[PLACE_IDLE_KNOB],
                   knob_info[s->idle_knob].name, is_of_cc ? "cc" : "lb",
                   is_of_cc ? sim_cc_text(&s->cfg, controls) : sim_lb_text(&s->cfg));
}

/* Finds the first switch whose buffer is too small for its headroom: see buffer_wraps. */
static char *warn_of_buffer(const struct scenario *s, const struct sim *sim)
{
    char at[FIT_PLACE_MAX];

    for (uint32_t i = 0; i < sim_graph(sim)->nodes; i++)
        if (sim_node(sim, i).shared_bytes_max > (int64_t)sim_settings(sim)->buffer_bytes)
            return xprintf("%sthe buffer of %s is smaller than the headroom of its ports; as in the fork, "
                           "whose threshold wraps around then, it never pauses",
                           place_of(s, PLACE_TOPOLOGY, at), sim_graph(sim)->node[i].name);
    return NULL;
}

/* A constant base RTT that does not fit the network makes RL-CC mistake an empty path for a full one, or the
 * reverse. */
static char *warn_of_base(const struct scenario *s, const struct sim *sim)
{
    double base_us = s->cfg.knobs.value[KNOB_rlcc_base], beta = s->cfg.knobs.value[KNOB_rlcc_beta];
    double empty_us = (double)sim_idle_rtt_ps(sim) / PS_PER_US;
    char   at[FIT_PLACE_MAX];

    if (!is_read(&s->cfg, KNOB_rlcc_base) || base_us <= 0 ||
        (empty_us < beta * base_us && empty_us * BASE_LONGER > base_us))
        return NULL;
    return xprintf("%san 'rlcc_base' of %.4g us does not fit a path whose empty round trip is %.4g us: %s; 0 "
                   "takes that of each path", place_of(s, PLACE_CC, at), base_us, empty_us,
                   empty_us < base_us ? "queues will be long" : "links will stand idle");
}

char *fit_warning(const struct scenario *s, const struct sim *sim)
{
    uint64_t full_ps = sim_full_rtt_with_one_queue_ps(sim);
    char is[32], full[32],
        *of_buffer = sim_settings(sim)->buffer_wraps ? warn_of_buffer(s, sim) : warn_of_base(s, sim);

    if (of_buffer)
        return of_buffer;
    if (!s->place[PLACE_RTO] || !sim_settings(sim)->rto_ps || !sim_model_is_real(sim_settings(sim)->model) ||
        sim_settings(sim)->rto_ps >= full_ps)
        return warn_of_knob(s);
    return xprintf("%san 'rto' of %s is shorter than a full queue takes, %s: time-outs may send again what "
                   "is not lost; 'auto' chooses one", s->place[PLACE_RTO],
                   text_from_time(is, sizeof is, sim_settings(sim)->rto_ps),
                   text_from_time(full, sizeof full, full_ps));
}
