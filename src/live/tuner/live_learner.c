#include "live/tuner/live_learner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TELL_US 60000000u        /* between records of refusals in the audit log */

/* ---- life ---- */

/* Without queues: it only learns. */
static int open_loop(struct loop *l, const struct controller_file *f, struct err *err)
{
    struct loop_request q = config_tuner_request(&f->learner, f->common.file);
    struct world        w = { .seed = f->controller.seed };
    int                 rc = loop_open(l, &w, &q, err);

    if (!rc && (l->tuner.algo != &tuner_acc || !acc_central(&l->tuner)))
        rc = err_set(err, EINVAL, "%slearner: acc with train: yes and learner: central is wanted", q.place);
    else if (!rc && acc_central(&l->tuner)->frozen.parameters > MSG_LEARN_FLOATS_MAX)
        rc = err_set(err, E2BIG, "%slearner: its net has %u parameters, and a message at most %d", q.place,
                     acc_central(&l->tuner)->frozen.parameters, MSG_LEARN_FLOATS_MAX);
    else if (!rc && !f->controller.lets_queues)
        rc = err_set(err, EINVAL, "%slearner: it needs queue_tuners: yes", q.place);
    else
        return rc;
    loop_close(l);
    return rc;
}

int live_learner_check(const struct controller_file *f, struct err *err)
{
    struct loop l;
    int         rc = f->learner.kind ? open_loop(&l, f, err) : 0;

    if (f->learner.kind && !rc)
        loop_close(&l);
    return rc;
}

static void show_net(struct live_learner *l)
{
    const struct acc_learner *a = &l->acc->learner;

    l->net.version = a->version;
    l->net.floats = a->net.parameters;
    l->net.checksum = acc_checksum(a->net.parameter, a->net.parameters);
    memcpy(l->net.value, a->net.parameter, a->net.parameters * sizeof *l->net.value);
}

void live_learner_init(struct live_learner *l, const struct controller_file *f)
{
    struct err err;

    *l = (struct live_learner){ .acc = NULL };
    if (!f->learner.kind || open_loop(&l->loop, f, &err))
        return;
    l->acc = acc_central(&l->loop.tuner);
    show_net(l);
}

void live_learner_fini(struct live_learner *l)
{
    if (l->acc)
        loop_close(&l->loop);
    free(l->agent);
    *l = (struct live_learner){ .acc = NULL };
}

/* ---- agents ---- */

static struct learner_agent *find(const struct live_learner *l, const char *name)
{
    for (uint32_t i = 0; i < l->agents; i++)
        if (strcmp(l->agent[i].name, name) == 0)
            return &l->agent[i];
    return NULL;
}

static bool is_before(const struct learner_agent *a, const struct learner_agent *b)
{
    return a->number != b->number ? a->number < b->number : strcmp(a->name, b->name) < 0;
}

static void add_agent(struct live_learner *l, const struct peer *p)
{
    struct learner_agent *new;

    l->agent = xrealloc(l->agent, (l->agents + 1ul) * sizeof *l->agent);
    new = &l->agent[l->agents];
    *new = (struct learner_agent){ .number = p->facts.number };
    snprintf(new->name, sizeof new->name, "%s", p->name);
    for (uint32_t i = 0; i < l->agents; i++)
        if (is_before(new, &l->agent[i]))
            l->agent[i].rank++;
        else
            new->rank++;
    l->agents++;
}

/* Names that are forgotten stay, up to the number of devices that a controller has room for. */
static void find_agents(struct live_learner *l, const struct controller *c)
{
    for (uint32_t i = 0; i < c->peers && l->agents < c->peers_max; i++)
        if (c->peer[i].self.is_training && !find(l, c->peer[i].name))
            add_agent(l, &c->peer[i]);
    acc_records_share(&l->acc->learner.records, l->agents);
}

/* ---- records ---- */

/* Why these are not taken; NULL: they are. */
static const char *flaw(const struct live_learner *l, const struct peer *p, const struct msg_learn *m)
{
    uint32_t    floats = l->acc->learner.records.floats;
    const char *why = m->floats != m->rows * floats ? "records of another size" : NULL;

    for (uint32_t i = 0; i < m->rows && !why; i++)
        why = m->queue[i] >= p->self.queues ? "it has no such queue" :
              m->slot[i] >= ACC_RECORDS_MAX ? "there are not so many slots" :
              i && (m->slot[i] < m->slot[i - 1] ||
                    (m->slot[i] == m->slot[i - 1] && m->queue[i] <= m->queue[i - 1])) ?
              "records are not in order" :
              acc_learner_flaw(&l->acc->learner, m->value + (size_t)i * floats);
    return why;
}

static void note(struct controller *c, const char *what, const char *why, uint64_t now_us)
{
    audit_write(&c->audit, &c->io.disk, &(struct audit_record){ .who = c->cfg->name, .what = what, .why = why,
                                                                .term = c->term, .now_us = now_us });
}

static void refuse(struct live_learner *l, struct controller *c, const struct peer *p, const char *flaw,
                   uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    if (l->told_us && now_us < l->told_us + TELL_US)
        return;
    l->told_us = now_us;
    snprintf(why, sizeof why, "%.63s: %.50s; %" PRIu64 " refused so far", p->name, flaw, l->refused);
    note(c, "refuse records", why, now_us);
}

void live_learner_take(struct live_learner *l, struct controller *c, const struct peer *p,
                       const struct msg_learn *m, uint64_t now_us)
{
    const struct learner_agent *a = l->acc ? find(l, p->name) : NULL;
    const char                 *why;
    uint32_t                    floats, taken = 0;

    if (!l->acc)
        return;                  /* the learner was switched off meanwhile */
    floats = l->acc->learner.records.floats;
    why = !a || !m->version ? "it was given no net" : flaw(l, p, m);
    for (uint32_t i = 0; i < m->rows && !why; i++) {
        if (!acc_records_add(&l->acc->learner.records, m->slot[i], (uint32_t)(a - l->agent), m->queue[i],
                             m->value + (size_t)i * floats))
            why = "too many records in an interval";
        else
            taken++;
    }
    l->taken += taken;
    l->refused += m->rows - taken;
    if (why)
        refuse(l, c, p, why, now_us);
}

/* ---- an interval ---- */

const struct msg_learn *live_learner_net(struct live_learner *l, const struct peer *p)
{
    const struct learner_agent *a = l->acc ? find(l, p->name) : NULL;

    if (!a)
        return NULL;
    l->net.seed = acc_agents_seed(l->acc->cfg.dqn.seed, a->rank);
    return &l->net;
}

static void start_again(struct live_learner *l, struct controller *c, uint64_t now_us)
{
    if (!l->acc->learner.dqn.replay.added)
        return;
    acc_learner_reset(&l->acc->learner);
    show_net(l);
    note(c, "net", "after the rollback learning starts again with the initial net", now_us);
}

void live_learner_interval(struct live_learner *l, struct controller *c, uint64_t now_us)
{
    struct acc_learner *a;
    char                why[MSG_WHY_SIZE];

    if (!l->acc)
        return;
    a = &l->acc->learner;
    find_agents(l, c);
    if (*c->rolled_back.who)
        start_again(l, c, now_us);
    for (uint32_t i = 0; i < a->records.count; i++)
        a->records.key[i].agent = l->agent[a->records.key[i].agent].rank;
    if (!acc_learner_learn(a))
        return;
    show_net(l);
    snprintf(why, sizeof why, "version %" PRIu64 ", checksum %016" PRIx64 ": %" PRIu64 " updates, %" PRIu64
             " records of %u switches", a->version, l->net.checksum, a->dqn.updates, l->taken, l->agents);
    note(c, "net", why, now_us);
}
