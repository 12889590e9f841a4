#include "work/traffic/job.h"
#include "work/traffic/kind.h"

#include <assert.h>

void job_init(struct job *j, const struct traffic_kind *kind, struct traffic *t,
              const struct traffic_common *common, const uint32_t *hosts, uint32_t count)
{
    struct traffic_entry *e = traffic_add_entry(t, kind, j, common, hosts, count);

    e->job = j;
    *j = (struct job){ .traffic = t, .common = *common, .entry = t->entries - 1, .first_stream = t->streams,
                       .workers = count, .host = e->hosts,
                       .worker_of = xcalloc(t->graph->nodes + 1ul, sizeof *j->worker_of) };
    for (uint32_t i = 0; i < t->graph->nodes; i++)
        j->worker_of[i] = JOB_NO_WORKER;
    for (uint32_t i = 0; i < count; i++) {
        assert(j->worker_of[hosts[i]] == JOB_NO_WORKER);
        j->worker_of[hosts[i]] = i;
        traffic_add_stream(t, hosts[i], i)->is_worker = true;
    }
}

void job_send_bps(struct job *j, double bps)
{
    j->traffic->entry[j->entry].bps = bps;
}

void job_expect(struct job *j, double flows)
{
    j->traffic->entry[j->entry].flows = flows;
    traffic_expect_some(j->traffic, flows);
}

void job_reserve(struct job *j, uint32_t posts)
{
    post_reserve(&j->traffic->part[0], posts);
}

void job_post(struct job *j, uint32_t worker, uint64_t at_ps, uint32_t dst, uint64_t bytes, uint64_t tag)
{
    job_post_on(j, worker, at_ps, dst, 0, bytes, tag);
}

void job_post_on(struct job *j, uint32_t worker, uint64_t at_ps, uint32_t dst, uint32_t pair, uint64_t bytes,
                 uint64_t tag)
{
    assert(worker < j->workers && dst != j->host[worker] && bytes > 0);
    post_add(j->traffic, j->first_stream + worker,
             &(struct traffic_post){ .at_ps = at_ps, .bytes = bytes, .tag = tag, .dst = dst, .pair = pair,
                                     .op = { .verb = (uint8_t)j->verb } });
}

/* A post of 0 bytes is a wake-up, not a flow. */
void job_wake(struct job *j, uint32_t worker, uint64_t at_ps, uint64_t tag)
{
    assert(worker < j->workers);
    post_add(j->traffic, j->first_stream + worker,
             &(struct traffic_post){ .at_ps = at_ps, .tag = tag, .dst = j->host[worker] });
}

uint32_t job_part(const struct job *j, uint32_t worker)
{
    return j->traffic->stream[j->first_stream + worker].part;
}

void job_signal(struct job *j, uint32_t worker, uint64_t now_ps, uint64_t value)
{
    struct traffic_part *p = &j->traffic->part[job_part(j, worker)];

    assert(j->signal_ps > 0);
    p->signal = xgrow(p->signal, p->signals, &p->signals_max, 16, sizeof *p->signal);
    p->signal[p->signals++] = (struct signal){ now_ps + j->signal_ps, value, j->entry, worker };
}

struct rng *job_rng(struct job *j, uint32_t worker)
{
    return &j->traffic->stream[j->first_stream + worker].rng;
}

static void report(const struct job *j, uint32_t node, const struct op_result *r)
{
    struct traffic *t = j->traffic;

    if (!t->on_op)
        return;
    if (t->parts > 1) {          /* they run concurrently: the callback waits until traffic_tell() */
        struct traffic_part *p = &t->part[t->part_of[node]];

        p->op = xgrow(p->op, p->ops, &p->ops_max, 256, sizeof *p->op);
        p->op[p->ops++] = *r;
    } else {
        t->on_op(t->on_op_arg, r);
    }
}

void job_report(const struct job *j, uint32_t node, enum op_kind kind, uint64_t bytes, uint64_t start_ps,
                uint64_t now_ps)
{
    report(j, node, &(struct op_result){ kind, j->entry, bytes, start_ps, now_ps - start_ps, 0, 0 });
}

void job_report_pass(const struct job *j, uint32_t worker, uint32_t pass, uint64_t now_ps)
{
    uint64_t start_ps = j->common.start_ps;

    report(j, j->host[worker],
           &(struct op_result){ OP_ITERATION, j->entry, 0, start_ps, now_ps - start_ps, pass, j->workers });
}
