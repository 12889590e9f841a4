/* peers/simai_workload.c - the text workload of ASTRA-sim 1 and SimAI: layers that compute and
 * communicate.
 *
 * Every rank does the same. Forward, layer by layer: compute, then wait for the collective of column
 * "forward". Backward, from the last layer to the first: the gradient of inputs and its collective, then the
 * gradient of weights. Only the layer's next forward pass, and the end, wait for the collective of the
 * weights. Each collective ends 'update' nanoseconds after its last message.
 */
#include "peers/simai.h"

#include "base/text.h"
#include "base/tokens.h"
#include "core/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORKLOAD_BYTES_MAX (1ul << 30)
#define LAYERS_MAX     1000000u
#define NS_MAX         1000000000000000ull   /* 1,000,000 s */
#define SIZE_MAX_B     (1ull << 48)
#define FORWARD_MIN    4096u                 /* SimAI's minimum forward size */
#define UPDATE_CPU     8u  /* first one; updates are delays, so adjacent layers have different ones */
#define NONE           UINT32_MAX

enum policy { TRANSFORMER, TRANSFORMER_RECOMPUTED, DATA, MODEL, MICRO, INFERENCE };

static const char *const policies[] = { "HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "DATA",
                                        "MODEL", "MICRO", "DISTRIBUTED_INFERENCE", NULL };

/* TP, DP, EP, DP_EP; also the processor that executes them, less 1 */
enum group { TENSOR, REPLICAS, EXPERTS, EXPERT_REPLICAS, GROUPS };

enum step { FORWARD, INPUTS, WEIGHTS, STEPS };

struct layer_work {              /* of a layer in one step */
    uint64_t compute_ns, bytes;
    uint8_t  collective, group;
    bool     has_collective;
};

struct simai_layer {
    struct layer_work work[STEPS];
    uint64_t          update_ns;
    uint32_t          line;
    bool              is_checkpoint, recomputes;
    uint32_t          pending;   /* for this rank: collective of the last weight gradient; NONE: complete */
};

struct simai_workload {
    struct tokens       w;
    enum policy         policy;
    uint32_t            tensor, experts, pipeline, all;  /* group sizes; all: 0 means one per host */
    uint32_t            line;    /* the first line */
    struct simai_layer *layer;
    uint32_t            layers;
    uint32_t           *mark[2], marks[2];               /* checkpoints, checkpoint_initiates */
    uint32_t           *group[GROUPS];                   /* by rank: its group */
    struct trace       *trace;
};

/* ---- the first line ---- */

bool simai_is_policy(const char *word, size_t length)
{
    for (int i = 0; policies[i]; i++)
        if (strlen(policies[i]) == length && strncmp(policies[i], word, length) == 0)
            return true;
    return false;
}

static void read_marks(struct simai_workload *x, uint32_t which)
{
    uint32_t count = 0;

    tokens_uint32(&x->w, "the number of layers", LAYERS_MAX, &count);
    if (count > strlen(x->w.at) / 2 + 1) {
        tokens_err(&x->w, EINVAL, "the line ends before all %u layers are listed", count);
        return;
    }
    free(x->mark[which]);
    x->mark[which] = xcalloc(count + 1ul, sizeof *x->mark[which]);
    x->marks[which] = count;
    for (uint32_t i = 0; i < count; i++)
        tokens_uint32(&x->w, "a layer", LAYERS_MAX, &x->mark[which][i]);
}

static void read_key(struct simai_workload *x)
{
    uint32_t without_effect;
    uint64_t bytes = 0;
    const struct { const char *key, *what; uint32_t *to, max; } counts[] = {
        { "model_parallel_NPU_group:", "model_parallel_NPU_group", &x->tensor, TRACE_RANKS_MAX },
        { "ep:", "ep", &x->experts, TRACE_RANKS_MAX },
        { "pp:", "pp", &x->pipeline, TRACE_RANKS_MAX },
        { "all_gpus:", "all_gpus", &x->all, TRACE_RANKS_MAX },
        { "vpp:", "the number", &without_effect, UINT32_MAX },
        { "ga:", "the number", &without_effect, UINT32_MAX },
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strcmp(x->w.word, counts[i].key) == 0) {
            tokens_uint32(&x->w, counts[i].what, counts[i].max, counts[i].to);
            return;
        }
    if (strcmp(x->w.word, "checkpoints:") == 0) {
        read_marks(x, 0);
    } else if (strcmp(x->w.word, "checkpoint_initiates:") == 0) {
        read_marks(x, 1);
    } else if (strcmp(x->w.word, "pp_comm:") == 0 || strcmp(x->w.word, "pp_comm") == 0) {
        tokens_uint(&x->w, "pp_comm", SIZE_MAX_B, &bytes);
        if (bytes)
            tokens_err(&x->w, EINVAL, "pp_comm: messages between pipeline stages are not modelled; traffic "
                       "of kind training has pipelines");
    } else {
        tokens_err(&x->w, EINVAL, "there is no key '%.40s'", x->w.word);
    }
}

static void read_policy(struct simai_workload *x)
{
    if (!tokens_need_line(&x->w, "the file is empty"))
        return;
    tokens_next(&x->w);
    x->line = x->w.line;
    int policy = text_index(x->w.word, policies);
    if (policy < 0)
        tokens_err(&x->w, EINVAL,
                   "the policy '%.40s' is not modelled; there are HYBRID_TRANSFORMER, "
                   "HYBRID_TRANSFORMER_FWD_IN_BCKWD, DATA, MODEL, MICRO and DISTRIBUTED_INFERENCE",
                   x->w.word);
    else
        x->policy = (enum policy)policy;
    while (tokens_next(&x->w))
        read_key(x);
}

static void check_sizes(struct simai_workload *x, uint32_t hosts)
{
    bool is_transformer = x->policy == TRANSFORMER || x->policy == TRANSFORMER_RECOMPUTED;

    x->all = x->all ? x->all : hosts;
    if (x->all > hosts)
        tokens_err(&x->w, EINVAL, "all_gpus: %u do not fit on %u hosts: a host has one", x->all, hosts);
    if (is_transformer && !x->tensor)
        tokens_err(&x->w, EINVAL, "model_parallel_NPU_group is missing or 0");
    if (x->pipeline != 1)
        tokens_err(&x->w, EINVAL, "pp: %u: pipelines are not modelled; traffic of kind training has them",
                   x->pipeline);
    if (!x->experts || !x->all)
        tokens_err(&x->w, EINVAL, "ep or all_gpus is 0");
    x->tensor = is_transformer ? x->tensor : 1;
    if (!x->w.rc && (x->all % x->tensor || x->all / x->tensor % x->experts))
        tokens_err(&x->w, EINVAL, "%u GPUs cannot be divided into groups of %u, and those among %u experts",
                   x->all, x->tensor, x->experts);
}

/* ---- layers ---- */

static void take_name(struct simai_workload *x, struct layer_work *work, enum step step)
{
    static const struct { const char *name; uint8_t is; } kinds[] = {
        { "ALLREDUCE", TRACE_ALL_REDUCE }, { "ALLTOALL", TRACE_ALL_TO_ALL },
        { "ALLGATHER", TRACE_ALL_GATHER }, { "REDUCESCATTER", TRACE_REDUCE_SCATTER },
    };
    const struct { const char *end; enum group group; } ends[] = {
        { "", step == WEIGHTS ? REPLICAS : TENSOR }, { "_EP", EXPERTS }, { "_DP_EP", EXPERT_REPLICAS },
    };
    const char *name = tokens_next(&x->w);

    if (!name) {
        tokens_err(&x->w, EINVAL, "the collective is missing");
        return;
    }
    work->has_collective = strcmp(name, "NONE") != 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && work->has_collective; i++) {
        size_t length = strlen(kinds[i].name);

        for (size_t k = 0; k < 3 && strncmp(name, kinds[i].name, length) == 0; k++)
            if (strcmp(name + length, ends[k].end) == 0) {
                work->collective = kinds[i].is;
                work->group = (uint8_t)ends[k].group;
                return;
            }
    }
    if (work->has_collective)
        tokens_err(&x->w, EINVAL, "'%.40s' is not modelled; there are NONE, ALLREDUCE, ALLTOALL, ALLGATHER "
                   "and REDUCESCATTER, each also with _EP and _DP_EP", name);
}

/* A collective in a column that the policy never executes is refused: the user expects it to run. */
static bool is_carried_out(enum policy p, enum step step)
{
    switch (p) {
    case DATA:
    case MICRO:     return step == WEIGHTS;
    case MODEL:     return step != WEIGHTS;
    case INFERENCE: return step == FORWARD;
    default:        return true;
    }
}

static void read_work(struct simai_workload *x, struct layer_work *work, enum step step)
{
    tokens_uint(&x->w, "the time", NS_MAX, &work->compute_ns);
    take_name(x, work, step);
    tokens_uint(&x->w, "the size", SIZE_MAX_B, &work->bytes);
    work->has_collective &= work->bytes > 0;
    if (step == FORWARD && work->bytes < FORWARD_MIN)
        work->bytes = FORWARD_MIN;
    if (work->has_collective && !is_carried_out(x->policy, step))
        tokens_err(&x->w, EINVAL, "the policy %s has no collectives in this column", policies[x->policy]);
}

static void read_layers(struct simai_workload *x)
{
    tokens_need_line(&x->w, "the number of layers is missing");
    tokens_uint32(&x->w, "the number of layers", LAYERS_MAX, &x->layers);
    tokens_end(&x->w);
    if (!x->layers)
        tokens_err(&x->w, EINVAL, "there are no layers");
    if (x->layers > strlen(x->w.at) / 24 + 1)    /* the minimum length of a layer's line */
        tokens_err(&x->w, EINVAL, "the file is too short for %u layers", x->layers);
    if (x->w.rc)
        return;
    x->layer = xcalloc(x->layers + 1ul, sizeof *x->layer);
    for (uint32_t i = 0; i < x->layers &&
         tokens_need_line(&x->w, "the file ends after %u of %u layers", i, x->layers); i++) {
        struct simai_layer *l = &x->layer[i];

        l->line = x->w.line;
        tokens_next(&x->w);          /* its name, and */
        if (!tokens_next(&x->w))     /* its unused dependency */
            tokens_err(&x->w, EINVAL, "the layer's dependency, usually -1, is missing");
        for (int step = 0; step < STEPS; step++)
            read_work(x, &l->work[step], (enum step)step);
        tokens_uint(&x->w, "the time of the update", NS_MAX, &l->update_ns);
        tokens_end(&x->w);
    }
    if (tokens_next_line(&x->w))
        tokens_err(&x->w, EINVAL, "there are more than the %u layers announced", x->layers);
}

/* Marks the layers from a checkpoint to the layer that requests recomputation. */
static void mark_layers(struct simai_workload *x)
{
    bool is_covered = false;

    for (uint32_t which = 0; which < 2 && !x->w.rc; which++)
        for (uint32_t i = 0; i < x->marks[which]; i++) {
            if (x->mark[which][i] >= x->layers) {
                tokens_err_at(&x->w, x->line, EINVAL, "there is no layer %u: there are %u",
                              x->mark[which][i], x->layers);
                return;
            }
            x->layer[x->mark[which][i]].is_checkpoint |= which == 0;
            x->layer[x->mark[which][i]].recomputes |= which == 1;
        }
    for (uint32_t i = 0; i < x->layers && !x->w.rc; i++) {
        is_covered |= x->layer[i].is_checkpoint;
        if (x->layer[i].recomputes && !is_covered)
            tokens_err_at(&x->w, x->line, EINVAL,
                          "layer %u is recomputed from the checkpoint before it, but there is none", i);
    }
}

/* ---- groups ---- */

/* Makes groups as SimAI does. Tensor groups are consecutive ranks. Replicas have the same index in all tensor
 * groups, experts in some consecutive ones. */
static void make_groups(struct simai_workload *x, enum group kind, uint32_t blocks, uint32_t each,
                        uint32_t stride, uint32_t places)
{
    uint32_t *rank = xcalloc(each + 1ul, sizeof *rank), number;

    x->group[kind] = xcalloc(x->all + 1ul, sizeof *x->group[kind]);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t place = 0; place < places; place++) {
            for (uint32_t i = 0; i < each; i++)
                rank[i] = b * (x->all / blocks) + place + i * stride;
            number = trace_add_group(x->trace, rank, each);
            for (uint32_t i = 0; i < each; i++)
                x->group[kind][rank[i]] = number;
        }
    free(rank);
}

static void make_all_groups(struct simai_workload *x)
{
    uint32_t tensor = x->tensor, replicas = x->all / tensor, experts = x->experts;

    /* all collectives use group 0, all ranks */
    if (x->policy != TRANSFORMER && x->policy != TRANSFORMER_RECOMPUTED) {
        for (int i = 0; i < GROUPS; i++)
            x->group[i] = xcalloc(x->all + 1ul, sizeof *x->group[i]);
        return;
    }
    make_groups(x, TENSOR, replicas, tensor, 1, 1);
    make_groups(x, REPLICAS, 1, replicas, tensor, tensor);
    make_groups(x, EXPERTS, replicas / experts, experts, tensor, tensor);
    make_groups(x, EXPERT_REPLICAS, 1, replicas / experts, tensor * experts, tensor * experts);
}

/* ---- operations of a rank ---- */

/* Writes the operations of a rank. at: the operation that the next one follows; NONE: it is the first. */
struct rank_writer { struct simai_workload *x; uint32_t rank, at; };

static uint32_t add_op(struct rank_writer *r, const struct trace_op *op, uint32_t before)
{
    uint32_t number = trace_add(r->x->trace, r->rank, op);

    if (before != NONE)
        trace_require(r->x->trace, r->rank, number, before, false);
    return number;
}

static void add_compute(struct rank_writer *r, const struct simai_layer *l, enum step step)
{
    if (l->work[step].compute_ns)
        r->at = add_op(r, &(struct trace_op){ .type = TRACE_CALC, .line = l->line,
                                              .size = l->work[step].compute_ns * PS_PER_NS }, r->at);
}

/* Adds a collective. Returns its last operation, or NONE if there is no collective. No operation waits for it
 * yet. */
static uint32_t add_collective(struct rank_writer *r, const struct simai_layer *l, enum step step)
{
    const struct layer_work     *w = &l->work[step];
    const struct simai_workload *x = r->x;
    struct trace_op              op = { .type = TRACE_COLLECTIVE, .line = l->line,
                                        .cpu = (uint8_t)(w->group + 1), .collective = w->collective,
                                        .size = w->bytes };

    if (!w->has_collective)
        return NONE;
    op.peer = x->group[w->group][r->rank];
    const struct trace_group *g = &x->trace->group[op.peer];
    if (w->collective == TRACE_ALL_GATHER)       /* SimAI: final size; here: contribution of each rank */
        op.size = (op.size + g->count - 1) / g->count;
    uint32_t number = add_op(r, &op, r->at);
    if (!l->update_ns)
        return number;
    op = (struct trace_op){ .type = TRACE_CALC, .line = l->line,
                            .cpu = (uint8_t)(UPDATE_CPU + (uint32_t)(l - x->layer) % (256 - UPDATE_CPU)),
                            .size = l->update_ns * PS_PER_NS };
    return add_op(r, &op, number);
}

/* Makes the next operation also wait for 'number'. */
static void add_wait(struct rank_writer *r, uint32_t number, uint32_t line)
{
    uint32_t was = r->at;

    if (number == NONE || number == was)
        return;
    if (was == NONE) {
        r->at = number;
        return;
    }
    r->at = add_op(r, &(struct trace_op){ .type = TRACE_CALC, .line = line }, was);
    trace_require(r->x->trace, r->rank, r->at, number, false);
}

/* The collective follows 'at', so there is nothing else to wait for. */
static void add_blocking_collective(struct rank_writer *r, const struct simai_layer *l, enum step step)
{
    uint32_t number = add_collective(r, l, step);

    r->at = number == NONE ? r->at : number;
}

static void add_forward(struct rank_writer *r, struct simai_layer *l)
{
    add_wait(r, l->pending, l->line);
    l->pending = NONE;
    add_compute(r, l, FORWARD);
    add_blocking_collective(r, l, FORWARD);
}

static void add_recompute(struct rank_writer *r, uint32_t i)
{
    struct simai_workload *x = r->x;
    uint32_t               from = i;

    while (!x->layer[from].is_checkpoint)
        from--;
    for (; from < i; from++)
        add_forward(r, &x->layer[from]);
}

static void add_backward(struct rank_writer *r, uint32_t i)
{
    struct simai_workload *x = r->x;
    struct simai_layer    *l = &x->layer[i];
    uint32_t               inputs = NONE;

    if (l->recomputes && x->policy == TRANSFORMER_RECOMPUTED)
        add_recompute(r, i);
    if (x->policy != DATA) {
        add_compute(r, l, INPUTS);
        if (x->policy == MODEL)
            inputs = i ? add_collective(r, l, INPUTS) : NONE;
        else
            add_blocking_collective(r, l, INPUTS);
    }
    add_compute(r, l, WEIGHTS);
    if (x->policy != MODEL)
        l->pending = add_collective(r, l, WEIGHTS);
    add_wait(r, inputs, l->line);
    if (x->policy == DATA && i)
        add_compute(r, l, INPUTS);
}

static void write_pass(struct rank_writer *r)
{
    struct simai_workload *x = r->x;

    if (x->policy == MICRO) {                    /* the first layer's; nothing waits for it */
        add_collective(r, &x->layer[0], WEIGHTS);
        return;
    }
    for (uint32_t i = 0; i < x->layers; i++)
        add_forward(r, &x->layer[i]);
    for (uint32_t i = x->layers; i-- > 0 && x->policy != INFERENCE;)
        add_backward(r, i);
}

static int write_ranks(struct simai_workload *x, uint32_t passes)
{
    int rc = 0;

    for (uint32_t rank = 0; rank < x->all && !rc; rank++) {
        struct rank_writer r = { x, rank, NONE };

        for (uint32_t i = 0; i < x->layers; i++)
            x->layer[i].pending = NONE;
        for (uint32_t i = 0; i < passes; i++) {
            x->trace->pass_at[i] = x->trace->rank[rank].ops;     /* all ranks have as many */
            write_pass(&r);
            if (x->trace->rank[rank].ops * (uint64_t)x->all > TRACE_OPS_MAX)
                return tokens_err_at(&x->w, x->line, E2BIG, "the ranks have more than %u operations",
                                     TRACE_OPS_MAX);
        }
        rc = trace_seal_rank(x->trace, rank, x->w.err);
    }
    return rc ? rc : trace_check(x->trace, x->w.err);
}

/* ---- entry points ---- */

int simai_read_workload(const char *path, const char *text, uint32_t passes, uint32_t ranks, struct trace *t,
                         struct err *err)
{
    struct simai_workload x = { .experts = 1, .pipeline = 1, .trace = t };

    tokens_open(&x.w, path, text, WORKLOAD_BYTES_MAX, err);
    read_policy(&x);
    check_sizes(&x, ranks);
    read_layers(&x);
    mark_layers(&x);
    int rc = tokens_close(&x.w);
    if (!rc) {
        trace_init(t, path, x.all);
        t->passes = passes;
        t->pass_at = xcalloc(passes, sizeof(*t->pass_at));
        t->is_by_number = true;
        make_all_groups(&x);
        rc = write_ranks(&x, passes);
        if (rc)
            trace_fini(t);
    }
    for (int i = 0; i < GROUPS; i++)
        free(x.group[i]);
    free(x.mark[0]);
    free(x.mark[1]);
    free(x.layer);
    return rc;
}
