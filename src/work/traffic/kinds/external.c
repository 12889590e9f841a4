#include "work/traffic/kinds/external.h"

#include "work/traffic/kind.h"
#include "work/traffic/job.h"
#include "work/traffic/read.h"

#include <stdlib.h>

#define FLOWS_EXPECTED 1e6

struct external {
    struct job            job;
    struct external_hooks hooks;
};

static void on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    const struct external *x = (const struct external *)j;

    if (x->hooks.on_arrival)
        x->hooks.on_arrival(x->hooks.arg, now_ps, m);
}

static void on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    const struct external *x = (const struct external *)j;

    if (x->hooks.on_sent)
        x->hooks.on_sent(x->hooks.arg, now_ps, m);
}

static void on_wake(struct job *j, uint64_t now_ps, uint32_t worker, uint64_t tag)
{
    const struct external *x = (const struct external *)j;

    (void)worker;
    if (x->hooks.on_wake)
        x->hooks.on_wake(x->hooks.arg, now_ps, tag);
}

static void external_read(struct entry *e);

struct external_cfg { struct reads_cfg reads; };

extern const struct traffic_kind traffic_external;
static const struct key_row keys[] = {
    { "hosts", KEY_LIST, "", "hosts that may send and receive; a count: the first; default: all" },
    READS_KEYS(struct external_cfg, reads),
    { 0 },
};

const struct traffic_kind traffic_external = {
    .name = "external",
    .about = "messages that a program posts by libanole, one by one; a run of the command sends none",
    .keys = keys, .read = external_read, .on_arrival = on_arrival, .on_sent = on_sent, .on_wake = on_wake,
};

void traffic_add_external(struct traffic *t, const struct traffic_common *common, const uint32_t *hosts,
                          uint32_t count, const struct reads_cfg *reads)
{
    struct external *x = xcalloc(1, sizeof *x);

    job_init(&x->job, &traffic_external, t, common, hosts, count);
    job_expect(&x->job, FLOWS_EXPECTED);
    job_allow_reads(&x->job, reads);
}

static void external_read(struct entry *e)
{
    struct hosts        hosts = entry_hosts(e, "hosts", 2, UINT32_MAX);
    struct external_cfg cfg = { 0 };

    section_read(&e->sec, keys, &cfg);
    if (!e->r->rc)
        traffic_add_external(e->traffic, &e->common, hosts.node, hosts.count, &cfg.reads);
    e->qps = 1;
}

uint32_t external_find(struct traffic *t, const struct external_hooks *hooks)
{
    for (uint32_t i = 0; i < t->entries; i++)
        if (t->entry[i].kind == &traffic_external) {
            ((struct external *)t->entry[i].job)->hooks = *hooks;
            return i;
        }
    return UINT32_MAX;
}

bool external_post(struct traffic *t, uint32_t entry, enum verb verb, uint32_t src, uint32_t dst,
                   uint64_t bytes, uint64_t at_ps, uint64_t tag)
{
    struct job *j = t->entry[entry].job;

    if (j->worker_of[src] == JOB_NO_WORKER || j->worker_of[dst] == JOB_NO_WORKER)
        return false;
    if (verb != VERB_WRITE && !t->entry[entry].qps)
        return false;
    j->verb = verb;              /* of this message */
    if (verb == VERB_READ)
        job_read(j, j->worker_of[src], at_ps, dst, bytes, tag);
    else
        job_post(j, j->worker_of[src], at_ps, dst, bytes, tag);
    return true;
}

void external_wake(struct traffic *t, uint32_t entry, uint64_t at_ps, uint64_t tag)
{
    job_wake(t->entry[entry].job, 0, at_ps, tag);
}
