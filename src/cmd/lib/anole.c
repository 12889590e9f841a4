/* src/cmd/lib/anole.c - implementation of the public library. */
#include "cmd/lib/anole.h"

#include "study/scenario/scenario.h"
#include "sim/sim.h"
#include "work/traffic/kinds/external.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct anole_world {
    struct scenario scenario;
    struct sim     *sim;
    uint32_t       *node;        /* by host */
    uint32_t       *host;        /* by node */
    uint32_t        hosts, entry;
    uint64_t        now_ps;      /* time of the caller; without events, the simulation's own clock does not
                                  * advance */
    int64_t         open;        /* unfinished messages and pending wake-ups */
    struct knobs    knobs;       /* current setting */
    uint32_t        changed;     /* changes of the scenario that have been applied */
    anole_message_hook *hook;    /* NULL: none */
    void           *arg;
};

int anole_abi(void)
{
    return ANOLE_ABI;
}

static void notify_program(struct anole_world *w, enum anole_event event, uint64_t now_ps,
                           const struct message *m)
{
    w->now_ps = now_ps;
    w->open -= event == (m->op.verb == VERB_READ ? ANOLE_ARRIVED : ANOLE_SENT);
    if (w->hook)
        w->hook(w->arg, event, now_ps,
                &(struct anole_message){ w->host[m->src], w->host[m->dst], m->bytes, m->tag, m->start_ps });
}

static void on_arrival(void *arg, uint64_t now_ps, const struct message *m)
{
    notify_program(arg, ANOLE_ARRIVED, now_ps, m);
}

static void on_sent(void *arg, uint64_t now_ps, const struct message *m)
{
    notify_program(arg, ANOLE_SENT, now_ps, m);
}

static void on_wake(void *arg, uint64_t now_ps, uint64_t tag)
{
    struct anole_world *w = arg;

    w->now_ps = now_ps;
    w->open--;
    if (w->hook)
        w->hook(w->arg, ANOLE_WOKEN, now_ps, &(struct anole_message){ .tag = tag, .posted_ps = now_ps });
}

/* ---- create ---- */

/* Returns true if a scenario names external traffic, other than in a comment, which begins with a '#' at the
 * start of a line or after a space. */
static bool has_external(const char *scenario)
{
    for (const char *at = scenario; (at = strstr(at, "external")) != NULL; at++) {
        const char *c = at;

        while (c > scenario && *c != '\n' && !(*c == '#' && (c[-1] == ' ' || c[-1] == '\t' || c[-1] == '\n')))
            c--;
        if (*c != '#')
            return true;
    }
    return false;
}

/* Appends external traffic to a scenario. If the scenario has traffic, this extends the list at its end;
 * otherwise parsing fails. */
static char *with_traffic(const char *scenario)
{
    const char *const own = "\ntraffic:\n  - {kind: external}\n";
    size_t            size = strlen(scenario) + strlen(own) + 1;
    char             *text = xmalloc(size);

    snprintf(text, size, "%s%s", scenario, has_external(scenario) ? "" : own);
    return text;
}

static void number_hosts(struct anole_world *w)
{
    const struct graph *g = sim_graph(w->sim);

    w->node = xcalloc(g->hosts + 1ul, sizeof *w->node);
    w->host = xcalloc(g->nodes + 1ul, sizeof *w->host);
    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].is_switch) {
            w->host[i] = w->hosts;
            w->node[w->hosts++] = i;
        }
}

struct anole_world *anole_open(const char *scenario, char *error, size_t error_bytes)
{
    struct anole_world *w = xcalloc(1, sizeof *w);
    char               *text = with_traffic(scenario);
    struct err          err = { "" };
    int rc = scenario_parse(&w->scenario, "scenario", text, strlen(text), NULL, 0, NULL, &err);

    free(text);
    if (!rc) {
        w->scenario.cfg.threads = 1;
        rc = scenario_start(&w->scenario, &w->sim, &err);
        if (rc)
            scenario_fini(&w->scenario);
    }
    if (rc) {
        if (error_bytes)
            snprintf(error, error_bytes, "%s", err.text);
        free(w);
        return NULL;
    }
    w->knobs = w->scenario.cfg.knobs;
    w->entry =
        external_find(sim_traffic(w->sim), &(struct external_hooks){ w, on_arrival, on_sent, on_wake });
    number_hosts(w);
    return w;
}

void anole_close(struct anole_world *w)
{
    if (!w)
        return;
    sim_free(w->sim);
    scenario_fini(&w->scenario);
    free(w->node);
    free(w->host);
    free(w);
}

/* ---- use ---- */

uint32_t anole_hosts(const struct anole_world *w)
{
    return w->hosts;
}

void anole_on_message(struct anole_world *w, anole_message_hook *hook, void *arg)
{
    w->hook = hook;
    w->arg = arg;
}

uint64_t anole_now_ps(const struct anole_world *w)
{
    return w->now_ps;
}

int anole_post(struct anole_world *w, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag)
{
    return anole_post_as(w, ANOLE_WRITE, src, dst, bytes, tag);
}

_Static_assert((int)ANOLE_WRITE == (int)VERB_WRITE && (int)ANOLE_SEND == (int)VERB_SEND &&
               (int)ANOLE_UD == (int)VERB_UD && (int)ANOLE_READ == (int)VERB_READ,
               "verbs have the same numbers");

/* Returns true if the world supports this operation. */
static bool has_verb(const struct anole_world *w, enum anole_verb verb, uint64_t bytes)
{
    if (verb == ANOLE_UD)
        return w->scenario.cfg.model == MODEL_NIC && bytes <= sim_settings(w->sim)->mtu_bytes;
    return verb == ANOLE_WRITE ||
           (sim_model_is_real(w->scenario.cfg.model) && (verb == ANOLE_SEND || verb == ANOLE_READ));
}

int anole_post_as(struct anole_world *w, enum anole_verb verb, uint32_t src, uint32_t dst, uint64_t bytes,
                  uint64_t tag)
{
    if (src >= w->hosts || dst >= w->hosts || src == dst || bytes == 0 || bytes > 1ull << 48 ||
        !has_verb(w, verb, bytes))
        return -1;
    if (w->entry == UINT32_MAX ||
        !external_post(sim_traffic(w->sim), w->entry, (enum verb)verb, w->node[src], w->node[dst], bytes,
                       w->now_ps, tag))
        return -1;
    sim_wake_workers(w->sim);
    w->open++;
    return 0;
}

int anole_wake(struct anole_world *w, uint64_t at_ps, uint64_t tag)
{
    if (at_ps < w->now_ps || w->entry == UINT32_MAX)
        return -1;
    external_wake(sim_traffic(w->sim), w->entry, at_ps, tag);
    sim_wake_workers(w->sim);
    w->open++;
    return 0;
}

/* A change applies to events at its exact time. */
static void run_until(struct anole_world *w, uint64_t until_ps)
{
    const struct scenario *s = &w->scenario;

    for (; w->changed < s->changes && s->change[w->changed].at_ps <= until_ps; w->changed++) {
        const struct knob_change *c = &s->change[w->changed];

        sim_run_until(w->sim, c->at_ps - 1);
        knobs_apply(&w->knobs, &c->set);
        sim_apply(w->sim, &w->knobs);
    }
    sim_run_until(w->sim, until_ps);
}

int64_t anole_run(struct anole_world *w, uint64_t until_ps)
{
    if (until_ps >= w->now_ps)
        run_until(w, until_ps);
    if (until_ps > w->now_ps)
        w->now_ps = until_ps;
    return sim_failure(w->sim) ? -1 : w->open;
}

const char *anole_failure(const struct anole_world *w)
{
    const struct err *why = sim_failure(w->sim);

    return why ? why->text : NULL;
}
