#include "live/daemon/tuner/live_tuner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LOG_US 60000000u        /* between records of refusals in the audit log */

_Static_assert(ACC_NET_MAX <= MSG_LEARN_FLOATS_MAX, "a net fits a message");

/* ---- life ---- */

/* Without queues: it only learns. */
static int open_loop(struct loop *l, const struct controller_file *f, struct err *err)
{
    struct world w = { .seed = f->controller.seed };
    int          rc = loop_open(l, &w, &f->learner, err);

    if (rc)
        return rc;
    if (l->tuner.algo != &tuner_acc || !acc_central(&l->tuner))
        rc = err_set(err, EINVAL, "%slearner: acc with train: yes and learner: central is wanted",
                     f->learner.place);
    else if (!f->controller.lets_queues)
        rc = err_set(err, EINVAL, "%slearner: it needs queue_tuners: yes", f->learner.place);
    if (rc)
        loop_close(l);
    return rc;
}

int live_learner_check(const struct controller_file *f, struct err *err)
{
    struct loop l;

    if (!f->learner.kind)
        return 0;
    int rc = open_loop(&l, f, err);
    if (!rc)
        loop_close(&l);
    return rc;
}

static void show_net(struct live_learner *l)
{
    const struct net *net = &l->acc->net;

    l->net.version = l->acc->version;
    l->net.floats = net->parameters;
    l->net.checksum = acc_checksum(net->parameter, net->parameters);
    memcpy(l->net.value, net->parameter, net->parameters * sizeof *l->net.value);
}

void live_learner_init(struct live_learner *l, const struct controller_file *f)
{
    struct err err;

    *l = (struct live_learner){ .seed = f->controller.seed };
    if (!f->learner.kind || open_loop(&l->loop, f, &err))
        return;                  /* none: live_learner_check() has said why */
    l->acc = &acc_central(&l->loop.tuner)->learner;
    show_net(l);
}

void live_learner_fini(struct live_learner *l)
{
    if (l->acc)
        loop_close(&l->loop);
    *l = (struct live_learner){ .acc = NULL };
}

/* ---- records ---- */

/* The place of an agent among those that train, by its place in the network and its name. */
static uint32_t rank_of(const struct controller *c, const struct peer *p)
{
    uint32_t rank = 0;

    for (const struct peer *other = c->peer; other < c->peer + c->peers; other++)
        rank += other->self.is_training &&
                (other->facts.number != p->facts.number ? other->facts.number < p->facts.number :
                 strcmp(other->name, p->name) < 0);
    return rank;
}

/* Why these are not taken; NULL: they are. */
static const char *flaw(const struct live_learner *l, const struct peer *p, const struct msg_learn *m)
{
    uint32_t    floats = l->acc->records.floats;
    const char *why = !m->version ? "it has no net" :
                      m->floats != m->rows * floats ? "records of another size" : NULL;

    for (uint32_t i = 0; i < m->rows && !why; i++)
        why = m->queue[i] >= p->self.queues ? "it has no such queue" :
              i && (m->slot[i] < m->slot[i - 1] ||
                    (m->slot[i] == m->slot[i - 1] && m->queue[i] <= m->queue[i - 1])) ?
              "records are not in order" : acc_learner_flaw(l->acc, m->value + (size_t)i * floats);
    return why;
}

bool live_learner_take(struct live_learner *l, const struct controller *c, const struct peer *p,
                       const struct msg_learn *m, uint64_t now_us, char note[MSG_WHY_SIZE])
{
    const char *why = l->acc ? flaw(l, p, m) : NULL;
    uint32_t    rank = rank_of(c, p), taken = 0;

    if (!l->acc)
        return false;            /* the learner was switched off meanwhile */
    while (!why && taken < m->rows && acc_records_add(&l->acc->records, m->slot[taken], rank, m->queue[taken],
                                                      m->value + (size_t)taken * l->acc->records.floats))
        taken++;
    l->taken += taken;
    l->refused += m->rows - taken;
    if (taken == m->rows || (l->logged_us && now_us < l->logged_us + LOG_US))
        return false;
    l->logged_us = now_us;
    snprintf(note, MSG_WHY_SIZE, "%.63s: %.50s; %" PRIu64 " refused so far", p->name,
             why ? why : "too many records in an interval", l->refused);
    return true;
}

/* ---- an interval ---- */

const struct msg_learn *live_learner_net(struct live_learner *l, const struct controller *c,
                                         const struct peer *p)
{
    if (!l->acc)
        return NULL;
    if (p)
        l->net.seed = acc_agents_seed(l->seed, rank_of(c, p));
    return &l->net;
}

bool live_learner_interval(struct live_learner *l, const struct controller_file *f,
                           const struct controller *c, char note[MSG_WHY_SIZE])
{
    if (!l->acc)
        return false;
    if (*c->rolled_back.who && l->taken) {
        live_learner_fini(l);
        live_learner_init(l, f);
        snprintf(note, MSG_WHY_SIZE, "after the rollback learning starts again with the initial net");
        return true;             /* and has no records yet */
    }
    if (!acc_learner_learn(l->acc))
        return false;
    show_net(l);
    snprintf(note, MSG_WHY_SIZE, "version %" PRIu64 ", checksum %016" PRIx64 ": %" PRIu64 " updates, %" PRIu64
             " records", l->net.version, l->net.checksum, l->acc->dqn.updates, l->taken);
    return true;
}
