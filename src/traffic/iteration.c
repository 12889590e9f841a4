#include "traffic/iteration.h"

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
        if (messages > COLLECTIVE_MESSAGES_MAX)
            return err_set(err, E2BIG,
                           "an iteration has more than %u messages: use fewer workers, steps or times",
                           COLLECTIVE_MESSAGES_MAX);
        if (stages * cfg->parallel.workers > ITERATION_CELLS_MAX)
            return err_set(err, E2BIG,
                           "an iteration has more than %u steps of workers: use fewer workers, steps or "
                           "times",
                           ITERATION_CELLS_MAX);
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

struct iteration_builder {
    struct iteration *it;
    uint32_t          arrivals, sents, stage;    /* counts so far */
    uint32_t          arrival_stage;             /* of messages of this stage */
};

static uint32_t sum_counts(const struct iteration_cfg *cfg, const struct collective *step,
                           uint32_t (*count)(const struct collective *))
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < cfg->steps; i++)
        all += count(&step[i]) * parallel_count(&cfg->parallel, cfg->step[i].group) *
               (uint32_t)times_of(cfg, i);
    return all;
}

static uint32_t messages_of(const struct collective *c) { return c->messages; }
static uint32_t arrivals_of(const struct collective *c) { return c->arrival_at[c->messages]; }
static uint32_t sents_of(const struct collective *c) { return c->sent_at[c->messages]; }

static void copy_list(uint32_t *to_at, uint32_t *to, uint32_t *used, const uint32_t *at, const uint32_t *list,
                      uint32_t m, uint32_t first)
{
    for (uint32_t i = at[m]; i < at[m + 1]; i++)
        to[(*used)++] = list[i] + first;
    to_at[1] = *used;
}

/* Adds the collective of one group. */
static void add_group(struct iteration_builder *b, const struct iteration_cfg *cfg,
                      const struct iteration_step *s, const struct collective *c, uint32_t group)
{
    struct iteration *it = b->it;
    uint32_t          first = it->messages;

    for (uint32_t m = 0; m < c->messages; m++) {
        uint32_t                   id = first + m;
        struct collective_message *made = &it->message[id];

        *made = c->message[m];
        made->src = parallel_worker(&cfg->parallel, s->group, group, made->src);
        made->dst = parallel_worker(&cfg->parallel, s->group, group, made->dst);
        it->waits[id] = (uint8_t)(c->waits[m] + 1);
        it->stage_of[id] = b->stage;
        it->count[b->stage * it->workers + made->src]++;
        it->arrival_stage_of[id] = b->arrival_stage;
        it->count[b->arrival_stage * it->workers + made->dst]++;
        copy_list(&it->arrival_at[id], it->arrival, &b->arrivals, c->arrival_at, c->arrival, m, first);
        copy_list(&it->sent_at[id], it->sent, &b->sents, c->sent_at, c->sent, m, first);
    }
    it->messages += c->messages;
}

/* Lists the messages that each worker sends in each stage, in order. */
static void list_own(struct iteration *it)
{
    uint32_t cells = it->stages * it->workers;

    it->own_at = xcalloc(cells + 2ul, sizeof *it->own_at);
    it->own = xcalloc(it->messages + 1ul, sizeof *it->own);
    for (uint32_t m = 0; m < it->messages; m++)
        it->own_at[it->stage_of[m] * it->workers + it->message[m].src + 2]++;
    for (uint32_t i = 2; i <= cells; i++)
        it->own_at[i] += it->own_at[i - 1];
    /* own_at[i + 1] moves from the start of i's list to its end */
    for (uint32_t m = 0; m < it->messages; m++)
        it->own[it->own_at[it->stage_of[m] * it->workers + it->message[m].src + 1]++] = m;
}

static void make_room(struct iteration *it, const struct iteration_cfg *cfg, const struct collective *step)
{
    uint32_t messages = sum_counts(cfg, step, messages_of);

    for (uint32_t i = 0; i < cfg->steps; i++)
        it->stages += (uint32_t)stages_of(cfg, i);
    it->workers = cfg->parallel.workers;
    it->message = xcalloc(messages + 1ul, sizeof *it->message);
    it->waits = xcalloc(messages + 1ul, sizeof *it->waits);
    it->stage_of = xcalloc(messages + 1ul, sizeof *it->stage_of);
    it->arrival_stage_of = xcalloc(messages + 1ul, sizeof *it->arrival_stage_of);
    it->arrival_at = xcalloc(messages + 2ul, sizeof *it->arrival_at);
    it->sent_at = xcalloc(messages + 2ul, sizeof *it->sent_at);
    it->arrival = xcalloc(sum_counts(cfg, step, arrivals_of) + 1ul, sizeof *it->arrival);
    it->sent = xcalloc(sum_counts(cfg, step, sents_of) + 1ul, sizeof *it->sent);
    it->compute_ps = xcalloc(it->stages, sizeof *it->compute_ps);
    it->before_ps = xcalloc(it->stages, sizeof *it->before_ps);
    it->kind = xcalloc(it->stages, sizeof *it->kind);
    it->lane = xcalloc(it->stages, sizeof *it->lane);
    it->next_in_lane = xcalloc(it->stages, sizeof *it->next_in_lane);
    it->is_overlapped = xcalloc(it->stages, sizeof *it->is_overlapped);
    it->count = xcalloc((size_t)it->stages * it->workers, sizeof *it->count);
}

/* The next stage, of a step, with a time to compute and one before that. Its messages come next. */
static void begin_stage(struct iteration_builder *b, const struct iteration_step *s, uint64_t compute_ps,
                        uint64_t before_ps)
{
    struct iteration *it = b->it;

    it->compute_ps[b->stage] = compute_ps;
    it->before_ps[b->stage] = before_ps;
    it->kind[b->stage] = (uint8_t)(s->collective.kind * PARALLEL_GROUPS + s->group);
    it->lane[b->stage] = s->is_pipelined ? ITERATION_NO_LANE : (uint8_t)s->group;
    it->is_overlapped[b->stage] = s->is_overlapped || s->is_pipelined;
}

/* Adds the messages of all groups and ends the stage. They arrive in 'arrival_stage'. With skew each stage
 * has another hottest worker, as each layer of a model has other popular experts. */
static void end_stage(struct iteration_builder *b, const struct iteration_cfg *cfg,
                      const struct iteration_step *s, const struct collective *c, uint32_t arrival_stage)
{
    struct collective     skewed;
    struct collective_cfg own = group_cfg(cfg, s);

    b->arrival_stage = arrival_stage;
    if (own.skew > 0) {
        own.hottest = b->stage * SKEW_STRIDE % own.workers;
        collective_init(&skewed, &own);
        c = &skewed;
    }
    for (uint32_t g = 0; g < parallel_count(&cfg->parallel, s->group); g++)
        add_group(b, cfg, s, c, g);
    if (c == &skewed)
        collective_fini(&skewed);
    b->stage++;
}

static void add_stage(struct iteration_builder *b, const struct iteration_cfg *cfg, uint32_t i,
                      const struct collective *c, bool is_first)
{
    const struct iteration_step *s = &cfg->step[i];

    begin_stage(b, s, s->compute_ps, is_first ? s->before_ps : 0);
    end_stage(b, cfg, s, &c[i], b->stage);
}

/* Adds a micro-batch of a pipelined step with steps inside: receive and compute, the steps inside, send. */
static void add_micro_batch(struct iteration_builder *b, const struct iteration_cfg *cfg, uint32_t i,
                            const struct collective *c, bool is_first)
{
    const struct iteration_step *s = &cfg->step[i];
    uint32_t                     received = b->stage;

    begin_stage(b, s, s->compute_ps, is_first ? s->before_ps : 0);
    b->stage++;
    for (uint32_t j = i + 1; j <= i + s->inside; j++)
        for (uint32_t k = 0; k < cfg->step[j].times; k++)
            add_stage(b, cfg, j, c, k == 0);
    begin_stage(b, s, 0, 0);
    end_stage(b, cfg, s, &c[i], received);
}

static void link_lanes(struct iteration *it)
{
    uint32_t next[PARALLEL_GROUPS + 1];

    for (uint32_t g = 0; g <= PARALLEL_GROUPS; g++)
        next[g] = ITERATION_NO_STAGE;
    for (uint32_t stage = it->stages; stage-- > 0;) {
        it->next_in_lane[stage] = next[it->lane[stage]];
        next[it->lane[stage]] = stage;
    }
}

void iteration_init(struct iteration *it, const struct iteration_cfg *cfg)
{
    struct collective       *step = xcalloc(cfg->steps, sizeof *step);
    struct iteration_builder b = { .it = it };

    *it = (struct iteration){ .roots_max = roots_max(cfg) };
    for (uint32_t i = 0; i < cfg->steps; i++) {
        struct collective_cfg c = group_cfg(cfg, &cfg->step[i]);

        collective_init(&step[i], &c);
    }
    make_room(it, cfg, step);
    for (uint32_t i = 0; i < cfg->steps; i += 1 + cfg->step[i].inside)
        for (uint32_t k = 0; k < cfg->step[i].times; k++)
            (cfg->step[i].inside ? add_micro_batch : add_stage)(&b, cfg, i, step, k == 0);
    link_lanes(it);
    list_own(it);
    for (uint32_t i = 0; i < cfg->steps; i++)
        collective_fini(&step[i]);
    free(step);
}

void iteration_fini(struct iteration *it)
{
    free(it->message);
    free(it->waits);
    free(it->stage_of);
    free(it->arrival_stage_of);
    free(it->arrival_at);
    free(it->arrival);
    free(it->sent_at);
    free(it->sent);
    free(it->compute_ps);
    free(it->before_ps);
    free(it->kind);
    free(it->lane);
    free(it->next_in_lane);
    free(it->is_overlapped);
    free(it->own_at);
    free(it->own);
    free(it->count);
    *it = (struct iteration){ 0 };
}

/* ---- metrics ---- */

/* By worker: completion time of a step from computing and dependencies alone, total busy time of the link,
 * and the time of what is inside the current pipelined step, for each micro-batch. */
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
