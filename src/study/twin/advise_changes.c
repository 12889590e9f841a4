/* src/study/twin/advise_changes.c - changes other than knobs that an advice may propose if allowed. */
#include "base/minmax.h"
#include "base/text.h"
#include "study/twin/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const advise_kinds[] = { "control", "mtu", "ack_every", "retransmission", "balancer", NULL };

#define ALL_HOSTS "on all hosts at once"

static const struct advise_change changes[] = {
    { ALLOW_CONTROL, "cc=swift", "NICs that measure the delay of fabric and endpoint and run Swift or a "
      "program of yours, " ALL_HOSTS ": beside DCQCN it gets another share of links" },
    { ALLOW_CONTROL, "cc=timely", "NICs with time stamps of packets that run TIMELY or a program of yours, "
      ALL_HOSTS },
    { ALLOW_CONTROL, "cc=rttcc", "NICs with a control by round trips of probes, such as zero-touch RoCE, "
      ALL_HOSTS },
    { ALLOW_CONTROL, "cc=hpcc", "switches that write telemetry into packets, all of them, and NICs that read "
      "it, " ALL_HOSTS },
    { ALLOW_CONTROL, "cc=dcqcn", "ECN on all switches, and DCQCN " ALL_HOSTS },
    { ALLOW_MTU, "host.mtu=4096", "an MTU of 4096 bytes " ALL_HOSTS ", and ports of switches that take such "
      "frames; queue pairs must be made again" },
    { ALLOW_MTU, "host.mtu=1024", "an MTU of 1024 bytes " ALL_HOSTS "; queue pairs must be made again" },
    { ALLOW_ACK_EVERY, "host.ack_every=1", "a driver or an application that requests an ACK for every "
      "packet; queue pairs must be made again" },
    { ALLOW_ACK_EVERY, "host.ack_every=64", "a driver or an application that requests an ACK for every 64th "
      "packet; queue pairs must be made again" },
    { ALLOW_RETRANSMISSION, "host.retransmit=selective", "NICs with selective repeat, enabled " ALL_HOSTS },
    { ALLOW_RETRANSMISSION, "host.retransmit=go_back_n", "no support of NICs; selective repeat is disabled "
      ALL_HOSTS },
    { ALLOW_BALANCER, "lb=letflow", "switches that balance flowlets, all of them" },
    { ALLOW_BALANCER, "lb=adaptive", "switches with adaptive routing, all of them, and NICs that take "
      "packets out of order" },
    { ALLOW_BALANCER, "lb=spray", "switches that spray packets, all of them, and NICs that take packets out "
      "of order" },
};

#define CHANGES (sizeof(changes) / sizeof(*changes))

int advise_allow(uint32_t *allowed, const char *text, struct err *err)
{
    char hint[200], word[40];

    while (text) {
        const char *end = strchr(text, ',');
        int         kind = 0;

        snprintf(word, sizeof(word), "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        while (advise_kinds[kind] && strcmp(advise_kinds[kind], word) != 0)
            kind++;
        if (strcmp(word, "all") == 0)
            *allowed = UINT32_MAX;
        else if (!advise_kinds[kind])
            return err_set(err, EINVAL, "--allow: '%s' cannot be allowed%s", word,
                           text_names(hint, sizeof(hint), word, advise_kinds));
        else
            *allowed |= 1u << kind;
        text = end ? end + 1 : NULL;
    }
    return 0;
}

struct twin advise_twin(const struct advice *a, const struct advise_row *row,
                        const char *set[ADVISE_SETS_MAX])
{
    struct twin t = a->twin;
    uint32_t    given = min_u32(t.input.sets, ADVISE_SETS_MAX - ADVISE_KINDS);

    if (!row->changes)
        return t;
    for (uint32_t i = 0; i < given; i++)
        set[i] = t.input.set[i];
    for (uint32_t i = 0; i < row->changes; i++)
        set[given + i] = row->change[i]->set;
    t.input.set = set;
    t.input.sets = given + row->changes;
    return t;
}

/* A new row with these changes. Its knobs are those of the scenario with them, or 'knobs'. False: the
 * scenario cannot be simulated so, or there is no room; the reason is kept. */
static bool add_row(struct advice *a, const struct advise_change *const *change, uint32_t count,
                    const char *with, const struct knobs *knobs)
{
    struct advise_row *row = &a->row[a->rows];
    const char        *set[ADVISE_SETS_MAX];
    struct twin        twin;
    struct world       world;
    uint64_t           until_ps;
    struct err         err;

    if (a->rows == ADVISE_SETTINGS || a->twin.input.sets > ADVISE_SETS_MAX - ADVISE_KINDS)
        return false;
    *row = (struct advise_row){ .changes = count };
    for (uint32_t i = 0; i < count; i++)
        row->change[i] = change[i];
    twin = advise_twin(a, row, set);
    if (twin_world(&twin, &world, &until_ps, &err)) {
        card_add(&a->refused, CARD_DETAIL, "Not tried: %s (%s).", change[0]->set, err.text);
        return false;
    }
    row->knobs = knobs ? *knobs : world.start;
    row->control = world.control;
    world_fini(&world);
    snprintf(row->own_name, sizeof(row->own_name), "%s", with);
    for (uint32_t i = 0; i < count; i++)
        snprintf(row->own_name + strlen(row->own_name), sizeof(row->own_name) - strlen(row->own_name), "%s%s",
                 *row->own_name ? " + " : "", change[i]->set);
    row->name = row->own_name;
    a->rows++;
    return true;
}

void advise_add_changes(struct advice *a)
{
    for (uint32_t i = 0; i < CHANGES; i++) {
        const struct advise_change *change = &changes[i];

        if (a->request->allowed & 1u << change->kind)
            add_row(a, &change, 1, "", NULL);
    }
}

void advise_drop_idle_changes(struct advice *a)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < a->rows; i++) {
        struct race_gain g = advise_gain(a, &a->row[i], &a->row[0], 0);

        if (a->row[i].changes && advise_is_none(g))
            continue;
        if (kept != i)
            a->row[kept] = a->row[i];
        if (a->row[kept].changes)
            a->row[kept].name = a->row[kept].own_name;
        kept++;
    }
    a->rows = kept;
}

/* The best row with one change of a kind, or none (-1): clearly better than yours, harmless. 0: none. */
static uint32_t best_of_kind(const struct advice *a, int kind)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < a->rows; i++) {
        const struct advise_row *row = &a->row[i];
        bool is_of = kind < 0 ? !row->changes : row->changes == 1 && (int)row->change[0]->kind == kind;

        if (is_of && advise_gain(a, row, &a->row[0], 0).high < 0 &&
            advise_harmed(a, row, NULL) == GOAL_PARTIES &&
            (!best || advise_gain(a, row, &a->row[best], 0).mean < 0))
            best = i;
    }
    return best;
}

bool advise_add_combined(struct advice *a)
{
    const struct advise_change *change[ADVISE_KINDS];
    uint32_t                    count = 0, knobs = best_of_kind(a, -1);

    for (int kind = 0; kind < ADVISE_KINDS; kind++) {
        uint32_t best = best_of_kind(a, kind);

        if (best)
            change[count++] = a->row[best].change[0];
    }
    if (count == 0 || (count == 1 && (change[0]->kind == ALLOW_CONTROL || !knobs)))
        return false;
    if (change[0]->kind == ALLOW_CONTROL || !knobs)
        return add_row(a, change, count, "", NULL);
    return add_row(a, change, count, a->row[knobs].name, &a->row[knobs].knobs);
}
