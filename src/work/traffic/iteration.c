#include "work/traffic/iteration.h"

#include <stdlib.h>
#include <string.h>

/* Concurrent posts of one worker: in each of the two trees one to its parent and two to its children. */
#define TREE_POSTS 6u

#define SKEW_STRIDE 7919u        /* a prime: the hottest worker of a stage is not near that of the next */

static struct collective_cfg group_cfg(const struct iteration_cfg *cfg, const struct iteration_step *s)
{
    struct collective_cfg c = s->collective;

    c.workers = parallel_size(&cfg->parallel, s->group);
    return c;
}

/* How often a step occurs: those inside a pipelined step do for each of its micro-batches. */
static uint64_t times_of(const struct iteration_cfg *cfg, uint32_t step)
{
    for (uint32_t i = 0; i < step; i++)
        if (i + cfg->step[i].inside >= step)
            return (uint64_t)cfg->step[i].times * cfg->step[step].times;
    return cfg->step[step].times;
}

/* Stages of all its repetitions, without those of steps inside. */
static uint64_t stages_of(const struct iteration_cfg *cfg, uint32_t step)
{
    return times_of(cfg, step) * (cfg->step[step].inside ? 2 : 1);
}

int iteration_check(const struct iteration_cfg *cfg, struct err *err)
{
    uint64_t messages = 0, stages = 0;

    for (uint32_t i = 0; i < cfg->steps; i++) {
        struct collective_cfg c = group_cfg(cfg, &cfg->step[i]);

        messages += collective_messages(&c) * parallel_count(&cfg->parallel, cfg->step[i].group) *
                    times_of(cfg, i);
        stages += stages_of(cfg, i);
        if (messages > ITERATION_MESSAGES_MAX)
            return err_set(err, E2BIG,
                           "an iteration has more than %u messages: use fewer workers, steps or times",
                           ITERATION_MESSAGES_MAX);
        if (stages * cfg->parallel.workers > ITERATION_CELLS_MAX)
            return err_set(err, E2BIG, "an iteration has more than %u steps of workers: use fewer workers, "
                           "steps or times", ITERATION_CELLS_MAX);
    }
    return 0;
}

/* Upper bound of one worker's concurrent root messages: the largest step, plus overlapped steps still
 * running. Of those, each kind of group has at most one at a time. */
static uint32_t roots_max(const struct iteration_cfg *cfg)
{
    uint32_t most = TREE_POSTS, behind = 0, lane[PARALLEL_GROUPS] = { 0 };

    for (uint32_t i = 0; i < cfg->steps; i++) {
        const struct iteration_step *s = &cfg->step[i];
        struct collective_cfg        c = group_cfg(cfg, s);
        uint32_t                     roots = c.is_at_once && c.workers > TREE_POSTS ? c.workers : TREE_POSTS;

        most = roots > most ? roots : most;
        behind += s->is_pipelined ? s->times : 0;
        if (s->is_overlapped && roots > lane[s->group])
            lane[s->group] = roots;
    }
    for (uint32_t g = 0; g < PARALLEL_GROUPS; g++)
        behind += lane[g];
    return most + behind;
}

uint64_t iteration_flows(const struct iteration_cfg *cfg)
{
    return (uint64_t)roots_max(cfg) * cfg->parallel.workers;
}

const char *iteration_kind_name(uint32_t kind, const char **group)
{
    *group = parallel_names[kind % PARALLEL_GROUPS];
    return collective_names[kind / PARALLEL_GROUPS];
}

/* ---- building ---- */

struct iteration_builder { struct iteration *it; uint32_t stage; };      /* stage: the next */

static const struct collective *add_plan(struct iteration *it, const struct collective_cfg *cfg)
{
    struct collective *c = &it->plan[it->plans++];

    collective_init(c, cfg);
    collective_list_own(c, false);
    return c;
}

static void make_room(struct iteration *it, const struct iteration_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->steps; i++)
        it->stages += (uint32_t)stages_of(cfg, i);
    it->parallel = cfg->parallel;
    it->workers = cfg->parallel.workers;
    it->stage = xcalloc(it->stages + 1ul, sizeof *it->stage);
    it->plan = xcalloc(cfg->steps + (size_t)it->stages, sizeof *it->plan);
    it->count = xcalloc((size_t)it->stages * it->workers, sizeof *it->count);
}

/* The next stage, of a step, with a time to compute and one before that. Its messages come next. */
static void begin_stage(struct iteration_builder *b, const struct iteration_step *s, uint64_t compute_ps,
                        uint64_t before_ps)
{
    b->it->stage[b->stage] = (struct iteration_stage){
        .group = s->group, .first = b->it->messages, .compute_ps = compute_ps, .before_ps = before_ps,
        .kind = (uint8_t)(s->collective.kind * PARALLEL_GROUPS + s->group),
        .lane = s->is_pipelined ? ITERATION_NO_LANE : (uint8_t)s->group,
        .is_overlapped = s->is_overlapped || s->is_pipelined,
    };
}

/* Adds the messages of all groups and ends the stage. They arrive in 'arrives_in'. With skew each stage has
 * another hottest worker, as each layer of a model has other popular experts. */
static void end_stage(struct iteration_builder *b, const struct iteration_cfg *cfg, uint32_t step,
                      uint32_t arrives_in)
{
    const struct iteration_step *s = &cfg->step[step];
    struct iteration            *it = b->it;
    struct iteration_stage      *is = &it->stage[b->stage];
    struct collective_cfg        own = group_cfg(cfg, s);
    uint32_t                     groups = parallel_count(&cfg->parallel, s->group);

    own.hottest = b->stage * SKEW_STRIDE % own.workers;
    is->plan = own.skew > 0 ? add_plan(it, &own) : &it->plan[step];
    is->arrives_in = arrives_in;
    for (uint32_t i = 0; i < groups * own.workers; i++) {
        uint32_t member = i % own.workers,
                 worker = parallel_worker(&cfg->parallel, s->group, i / own.workers, member);

        it->count[b->stage * it->workers + worker] += is->plan->sends[member];
        it->count[arrives_in * it->workers + worker] += is->plan->receives[member];
    }
    it->messages += groups * is->plan->messages;
    b->stage++;
}

static void add_stage(struct iteration_builder *b, const struct iteration_cfg *cfg, uint32_t i, bool is_first)
{
    const struct iteration_step *s = &cfg->step[i];

    begin_stage(b, s, s->compute_ps, is_first ? s->before_ps : 0);
    end_stage(b, cfg, i, b->stage);
}

/* Adds a micro-batch of a pipelined step with steps inside: receive and compute, the steps inside, send. */
static void add_micro_batch(struct iteration_builder *b, const struct iteration_cfg *cfg, uint32_t i,
                            bool is_first)
{
    const struct iteration_step *s = &cfg->step[i];
    uint32_t                     received = b->stage;

    begin_stage(b, s, s->compute_ps, is_first ? s->before_ps : 0);
    b->stage++;
    for (uint32_t j = i + 1; j <= i + s->inside; j++)
        for (uint32_t k = 0; k < cfg->step[j].times; k++)
            add_stage(b, cfg, j, k == 0);
    begin_stage(b, s, 0, 0);
    end_stage(b, cfg, i, received);
}

void iteration_init(struct iteration *it, const struct iteration_cfg *cfg)
{
    struct iteration_builder b = { .it = it };

    *it = (struct iteration){ .roots_max = roots_max(cfg) };
    make_room(it, cfg);
    for (uint32_t i = 0; i < cfg->steps; i++) {
        struct collective_cfg c = group_cfg(cfg, &cfg->step[i]);

        add_plan(it, &c);
    }
    for (uint32_t i = 0; i < cfg->steps; i += 1 + cfg->step[i].inside)
        for (uint32_t k = 0; k < cfg->step[i].times; k++)
            (cfg->step[i].inside ? add_micro_batch : add_stage)(&b, cfg, i, k == 0);
    uint32_t next[PARALLEL_GROUPS + 1];
    for (uint32_t g = 0; g <= PARALLEL_GROUPS; g++)
        next[g] = ITERATION_NO_STAGE;
    for (uint32_t n = it->stages; n-- > 0;) {
        it->stage[n].next_in_lane = next[it->stage[n].lane];
        next[it->stage[n].lane] = n;
    }
}

void iteration_fini(struct iteration *it)
{
    for (uint32_t i = 0; i < it->plans; i++)
        collective_fini(&it->plan[i]);
    free(it->plan);
    free(it->stage);
    free(it->count);
    *it = (struct iteration){ 0 };
}

/* ---- messages ---- */

struct iteration_message iteration_find(const struct iteration *it, uint32_t number)
{
    struct iteration_message found;
    uint32_t                 from = 0, to = it->stages;

    while (to - from > 1) {      /* the last stage that does not begin after it, and so has messages */
        uint32_t middle = from + (to - from) / 2;

        *(it->stage[middle].first <= number ? &from : &to) = middle;
    }
    uint32_t at = number - it->stage[from].first;
    found = (struct iteration_message){ .c = it->stage[from].plan, .stage = from };
    found.group = at / found.c->messages;
    found.m = at % found.c->messages;
    found.first = number - found.m;
    return found;
}

uint32_t iteration_worker(const struct iteration *it, const struct iteration_message *m, uint32_t member)
{
    return parallel_worker(&it->parallel, it->stage[m->stage].group, m->group, member);
}

struct iteration_own iteration_own(const struct iteration *it, uint32_t stage, uint32_t worker)
{
    const struct iteration_stage *s = &it->stage[stage];

    if (!s->plan)
        return (struct iteration_own){ 0 };
    struct parallel_place is = parallel_place(&it->parallel, s->group, worker);
    return (struct iteration_own){ s->plan->own + s->plan->own_at[is.member], s->plan->sends[is.member],
                                   s->first + is.group * s->plan->messages };
}

double iteration_bytes(const struct iteration *it)
{
    double bytes = 0;

    for (uint32_t i = 0; i < it->stages; i++) {
        const struct iteration_stage *s = &it->stage[i];

        for (uint32_t m = 0; s->plan && m < s->plan->messages; m++)
            bytes += (double)s->plan->message[m].bytes * parallel_count(&it->parallel, s->group);
    }
    return bytes;
}

/* ---- metrics ---- */

/* By worker: completion time of a step from computing and dependencies alone, total busy time of the link,
 * and the time of the steps inside the current pipelined step, for each micro-batch. */
struct bound { uint64_t *ps, *busy_ps, *inside_ps; };

/* Fills the pipeline, with zero transfer time between stages. 'place' is a worker's position in its group. */
static void fill_pipeline(const struct iteration_cfg *cfg, const struct iteration_step *s, uint32_t group,
                          struct bound *b)
{
    uint32_t workers = parallel_size(&cfg->parallel, s->group);
    bool     is_back = s->collective.kind == COLLECTIVE_SEND_PREVIOUS;

    for (uint32_t k = 0; k < s->times; k++) {
        uint64_t from_ps = 0;

        for (uint32_t place = 0; place < workers; place++) {
            uint32_t  member = is_back ? workers - 1 - place : place;
            uint32_t  worker = parallel_worker(&cfg->parallel, s->group, group, member);
            uint64_t *at_ps = &b->ps[worker];

            *at_ps += k == 0 ? s->before_ps : 0;
            *at_ps = (*at_ps > from_ps ? *at_ps : from_ps) + s->compute_ps +
                     (s->inside ? b->inside_ps[worker] : 0);
            from_ps = *at_ps;
        }
    }
}

/* Adds a step to 'ps', once for each of its repetitions. */
static void add_step(const struct iteration_cfg *cfg, uint32_t i, uint32_t mtu_bytes, uint32_t overhead_bytes,
                     const uint64_t *rate_bps, struct bound *b, uint64_t *ps)
{
    const struct iteration_step *s = &cfg->step[i];
    struct collective_cfg group = group_cfg(cfg, s);
    uint64_t             *rate = xcalloc(group.workers, sizeof *rate),
                         *busy_ps = xcalloc(group.workers, sizeof *busy_ps);
    struct collective     c;

    group.skew = 0;              /* on average */
    if (rate_bps)
        collective_init(&c, &group);
    for (uint32_t g = 0; g < parallel_count(&cfg->parallel, s->group); g++) {
        for (uint32_t m = 0; rate_bps && m < group.workers; m++)
            rate[m] = rate_bps[parallel_worker(&cfg->parallel, s->group, g, m)];
        if (rate_bps)
            collective_link_ps(&c, mtu_bytes, overhead_bytes, rate, busy_ps);
        for (uint32_t m = 0; m < group.workers; m++) {
            uint32_t worker = parallel_worker(&cfg->parallel, s->group, g, m);

            b->busy_ps[worker] += times_of(cfg, i) * busy_ps[m];
            if (!s->is_pipelined)
                ps[worker] += s->before_ps + s->times * (s->compute_ps + (s->is_overlapped ? 0 : busy_ps[m]));
        }
        if (s->is_pipelined)
            fill_pipeline(cfg, s, g, b);
    }
    if (rate_bps)
        collective_fini(&c);
    free(rate);
    free(busy_ps);
}

uint64_t iteration_bound_ps(const struct iteration_cfg *cfg, uint32_t mtu_bytes, uint32_t overhead_bytes,
                            const uint64_t *rate_bps)
{
    uint32_t     workers = cfg->parallel.workers;
    struct bound b = { xcalloc(workers, sizeof *b.ps), xcalloc(workers, sizeof *b.busy_ps),
                       xcalloc(workers, sizeof *b.inside_ps) };
    uint64_t     bound = 0;

    for (uint32_t i = 0; i < cfg->steps; i += 1 + cfg->step[i].inside) {
        memset(b.inside_ps, 0, workers * sizeof *b.inside_ps);
        for (uint32_t j = i + 1; j <= i + cfg->step[i].inside; j++)
            add_step(cfg, j, mtu_bytes, overhead_bytes, rate_bps, &b, b.inside_ps);
        add_step(cfg, i, mtu_bytes, overhead_bytes, rate_bps, &b, b.ps);
    }
    for (uint32_t i = 0; i < workers; i++) {
        bound = b.ps[i] > bound ? b.ps[i] : bound;
        bound = b.busy_ps[i] > bound ? b.busy_ps[i] : bound;
    }
    free(b.ps);
    free(b.busy_ps);
    free(b.inside_ps);
    return bound;
}
