/* src/formats/simai_workload.c - the text workload of ASTRA-sim 1 and SimAI: layers that compute and communicate, forward and backward.
 *
 * Every rank does the same. Forward, layer by layer: computes, then the collective of the column "forward", which it waits for. Backward, from the last
 * layer to the first: the gradient of inputs and its collective, then that of weights, whose collective nobody waits for but the layer's
 * next forward pass, and the end. Each collective is over 'update' nanoseconds after its last message.
 */
#include "formats/simai.h"

#include "base/text.h"
#include "base/tokens.h"
#include "core/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORKLOAD_BYTES_MAX (1ul << 30)
#define WHOLE_OPS      1000000u              /* of all ranks; more are kept in a temporary file */
#define LAYERS_MAX     1000000u
#define NS_MAX         1000000000000000ull   /* 1,000,000 s */
#define SIZE_MAX_B     (1ull << 48)
#define FORWARD_MIN    4096u                 /* SimAI sends no less forward */
#define UPDATE_CPU     8u                    /* from here on; updates are delays, so layers next to each other have their own */
#define NONE           UINT32_MAX

enum policy { TRANSFORMER, TRANSFORMER_RECOMPUTED, DATA, MODEL, MICRO, INFERENCE };

static const char *const policies[] = { "HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "DATA", "MODEL", "MICRO", "DISTRIBUTED_INFERENCE", NULL };

enum group { TENSOR, REPLICAS, EXPERTS, EXPERT_REPLICAS, GROUPS };     /* TP, DP, EP, DP_EP; also the number of what carries them out, less 1 */

enum step { FORWARD, INPUTS, WEIGHTS, STEPS };

struct work {                    /* of a layer in one step */
    uint64_t compute_ns, bytes;
    uint8_t  collective, group;
    bool     is_there;           /* a collective is */
};

struct layer {
    struct work work[STEPS];
    uint64_t    update_ns;
    uint32_t    line;
    bool        is_checkpoint, recomputes;
    uint32_t    pending;         /* of the rank that is written: the last weight gradient's collective; NONE: it is over */
};

struct workload {
    struct tokens  w;
    enum policy    policy;
    uint32_t       tensor, experts, pipeline, all;       /* sizes; all: 0: as many as there are hosts */
    uint32_t       line;         /* the first */
    struct layer  *layer;
    uint32_t       layers;
    uint32_t      *mark[2], marks[2];                    /* checkpoints, checkpoint_initiates */
    uint32_t      *group[GROUPS];                        /* by rank: its group */
    struct trace  *trace;
    struct err    *err;
};

/* ---- the first line ---- */

static int read_marks(struct workload *x, uint32_t which)
{
    uint32_t count = 0;
    int      rc = tokens_uint32(&x->w, "the number of layers", LAYERS_MAX, &count, x->err);

    if (!rc && count > strlen(x->w.at) / 2 + 1)
        return tokens_err(&x->w, x->err, EINVAL, "%u layers are to be named, but the line ends before", count);
    free(x->mark[which]);
    x->mark[which] = xcalloc(count + 1ul, sizeof *x->mark[which]);
    x->marks[which] = 0;
    for (uint32_t i = 0; i < count && !rc; i++, x->marks[which]++)
        rc = tokens_uint32(&x->w, "a layer", LAYERS_MAX, &x->mark[which][i], x->err);
    return rc;
}

static int read_pipeline_bytes(struct workload *x)
{
    uint64_t bytes = 0;
    int      rc = tokens_uint(&x->w, "pp_comm", SIZE_MAX_B, &bytes, x->err);

    return !rc && bytes ? tokens_err(&x->w, x->err, EINVAL, "pp_comm: what stages of a pipeline send each other is not modelled; traffic of kind training has pipelines") : rc;
}

static int read_key(struct workload *x)
{
    uint32_t without_effect;

    if (strcmp(x->w.word, "model_parallel_NPU_group:") == 0)
        return tokens_uint32(&x->w, "model_parallel_NPU_group", TRACE_RANKS_MAX, &x->tensor, x->err);
    if (strcmp(x->w.word, "ep:") == 0)
        return tokens_uint32(&x->w, "ep", TRACE_RANKS_MAX, &x->experts, x->err);
    if (strcmp(x->w.word, "pp:") == 0)
        return tokens_uint32(&x->w, "pp", TRACE_RANKS_MAX, &x->pipeline, x->err);
    if (strcmp(x->w.word, "all_gpus:") == 0)
        return tokens_uint32(&x->w, "all_gpus", TRACE_RANKS_MAX, &x->all, x->err);
    if (strcmp(x->w.word, "vpp:") == 0 || strcmp(x->w.word, "ga:") == 0)
        return tokens_uint32(&x->w, "the number", UINT32_MAX, &without_effect, x->err);
    if (strcmp(x->w.word, "checkpoints:") == 0)
        return read_marks(x, 0);
    if (strcmp(x->w.word, "checkpoint_initiates:") == 0)
        return read_marks(x, 1);
    if (strcmp(x->w.word, "pp_comm:") == 0 || strcmp(x->w.word, "pp_comm") == 0)
        return read_pipeline_bytes(x);
    return tokens_err(&x->w, x->err, EINVAL, "there is no key '%.40s'", x->w.word);
}

static int read_policy(struct workload *x)
{
    const char *word = tokens_next_line(&x->w) ? tokens_next(&x->w) : NULL;
    int         rc = 0;

    if (!word)
        return tokens_err(&x->w, x->err, EINVAL, "the file is empty");
    x->line = x->w.line;
    for (int i = 0;; i++) {
        if (!policies[i])
            return tokens_err(&x->w, x->err, EINVAL, "the policy '%.40s' is not modelled; there are HYBRID_TRANSFORMER, "
                              "HYBRID_TRANSFORMER_FWD_IN_BCKWD, DATA, MODEL, MICRO and DISTRIBUTED_INFERENCE", word);
        x->policy = (enum policy)i;
        if (strcmp(policies[i], word) == 0)
            break;
    }
    while (!rc && tokens_next(&x->w))
        rc = read_key(x);
    return rc;
}

static int check_sizes(struct workload *x, uint32_t hosts)
{
    bool is_transformer = x->policy == TRANSFORMER || x->policy == TRANSFORMER_RECOMPUTED;

    x->all = x->all ? x->all : hosts;
    if (x->all > hosts)
        return tokens_err(&x->w, x->err, EINVAL, "all_gpus: %u do not fit on %u hosts: a host has one", x->all, hosts);
    if (is_transformer && !x->tensor)
        return tokens_err(&x->w, x->err, EINVAL, "model_parallel_NPU_group is missing or 0");
    if (x->pipeline != 1)
        return tokens_err(&x->w, x->err, EINVAL, "pp: %u: pipelines are not modelled; traffic of kind training has them", x->pipeline);
    if (!x->experts || !x->all)
        return tokens_err(&x->w, x->err, EINVAL, "ep or all_gpus is 0");
    x->tensor = is_transformer ? x->tensor : 1;
    if (x->all % x->tensor || x->all / x->tensor % x->experts)
        return tokens_err(&x->w, x->err, EINVAL, "%u GPUs cannot be divided into groups of %u, and those among %u experts", x->all, x->tensor, x->experts);
    return 0;
}

/* ---- layers ---- */

static int take_name(struct workload *x, struct work *work, enum step step, const char *name)
{
    static const struct { const char *name; uint8_t is; } kinds[] = {
        { "ALLREDUCE", TRACE_ALL_REDUCE }, { "ALLTOALL", TRACE_ALL_TO_ALL }, { "ALLGATHER", TRACE_ALL_GATHER }, { "REDUCESCATTER", TRACE_REDUCE_SCATTER },
    };

    work->is_there = strcmp(name, "NONE") != 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && work->is_there; i++) {
        size_t length = strlen(kinds[i].name);

        if (strncmp(name, kinds[i].name, length) != 0)
            continue;
        work->collective = kinds[i].is;
        if (name[length] == '\0')
            return work->group = step == WEIGHTS ? REPLICAS : TENSOR, 0;
        if (strcmp(name + length, "_EP") == 0)
            return work->group = EXPERTS, 0;
        if (strcmp(name + length, "_DP_EP") == 0)
            return work->group = EXPERT_REPLICAS, 0;
    }
    return work->is_there ? tokens_err(&x->w, x->err, EINVAL, "'%.40s' is not modelled; there are NONE, ALLREDUCE, ALLTOALL, ALLGATHER and REDUCESCATTER, each also "
                                       "with _EP and _DP_EP", name) : 0;
}

/* What a policy never carries out must not be there: somebody expects it. */
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

static int read_work(struct workload *x, struct work *work, enum step step)
{
    int rc = tokens_uint(&x->w, "the time", NS_MAX, &work->compute_ns, x->err);

    if (!rc && !tokens_next(&x->w))
        rc = tokens_err(&x->w, x->err, EINVAL, "the collective is missing");
    if (!rc)
        rc = take_name(x, work, step, x->w.word);
    if (!rc)
        rc = tokens_uint(&x->w, "the size", SIZE_MAX_B, &work->bytes, x->err);
    work->is_there &= work->bytes > 0;
    if (step == FORWARD && work->bytes < FORWARD_MIN)
        work->bytes = FORWARD_MIN;
    if (!rc && work->is_there && !is_carried_out(x->policy, step))
        rc = tokens_err(&x->w, x->err, EINVAL, "the policy %s has no collectives in this column", policies[x->policy]);
    return rc;
}

static int read_layer(struct workload *x, struct layer *l)
{
    int rc = 0;

    l->line = x->w.line;
    tokens_next(&x->w);          /* its name, which is there, and */
    if (!tokens_next(&x->w))     /* what it depends on, which nobody uses */
        return tokens_err(&x->w, x->err, EINVAL, "the layer's dependency, usually -1, is missing");
    for (int step = 0; step < STEPS && !rc; step++)
        rc = read_work(x, &l->work[step], (enum step)step);
    if (!rc)
        rc = tokens_uint(&x->w, "the time of the update", NS_MAX, &l->update_ns, x->err);
    return rc ? rc : tokens_end(&x->w, x->err);
}

static int read_layers(struct workload *x)
{
    int rc;

    if (!tokens_next_line(&x->w))
        return tokens_err(&x->w, x->err, EINVAL, "the number of layers is missing");
    rc = tokens_uint32(&x->w, "the number of layers", LAYERS_MAX, &x->layers, x->err);
    if (!rc)
        rc = tokens_end(&x->w, x->err);
    if (!rc && (!x->layers || x->layers > strlen(x->w.at) / 24 + 1))         /* a layer's shortest line has so many characters */
        rc = tokens_err(&x->w, x->err, EINVAL, x->layers ? "the file is too short for %u layers" : "there are no layers", x->layers);
    if (rc)
        return rc;
    x->layer = xcalloc(x->layers + 1ul, sizeof *x->layer);
    for (uint32_t i = 0; i < x->layers && !rc; i++)
        rc = tokens_next_line(&x->w) ? read_layer(x, &x->layer[i]) : tokens_err(&x->w, x->err, EINVAL, "the file ends after %u of %u layers", i, x->layers);
    if (!rc && tokens_next_line(&x->w))
        rc = tokens_err(&x->w, x->err, EINVAL, "there are more than the %u layers announced", x->layers);
    return rc;
}

/* Layers from a checkpoint to one that asks for it are computed again. */
static int mark_layers(struct workload *x)
{
    bool is_covered = false;

    x->w.line = x->line;
    for (uint32_t which = 0; which < 2; which++)
        for (uint32_t i = 0; i < x->marks[which]; i++) {
            if (x->mark[which][i] >= x->layers)
                return tokens_err(&x->w, x->err, EINVAL, "there is no layer %u: there are %u", x->mark[which][i], x->layers);
            x->layer[x->mark[which][i]].is_checkpoint |= which == 0;
            x->layer[x->mark[which][i]].recomputes |= which == 1;
        }
    for (uint32_t i = 0; i < x->layers; i++) {
        is_covered |= x->layer[i].is_checkpoint;
        if (x->layer[i].recomputes && !is_covered)
            return tokens_err(&x->w, x->err, EINVAL, "layer %u computes again from the checkpoint before it, but there is none", i);
    }
    return 0;
}

/* ---- groups ---- */

/* As SimAI makes them: tensor groups are ranks in a row, replicas have the same place in all of them, experts that in some in a row. */
static void make_groups(struct workload *x, enum group kind, uint32_t blocks, uint32_t each, uint32_t stride, uint32_t places)
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

static void make_all_groups(struct workload *x)
{
    uint32_t tensor = x->tensor, replicas = x->all / tensor, experts = x->experts;

    if (x->policy != TRANSFORMER && x->policy != TRANSFORMER_RECOMPUTED) {       /* everything is among all of them: group 0 */
        for (int i = 0; i < GROUPS; i++)
            x->group[i] = xcalloc(x->all + 1ul, sizeof *x->group[i]);
        return;
    }
    make_groups(x, TENSOR, replicas, tensor, 1, 1);
    make_groups(x, REPLICAS, 1, replicas, tensor, tensor);
    make_groups(x, EXPERTS, replicas / experts, experts, tensor, tensor);
    make_groups(x, EXPERT_REPLICAS, 1, replicas / experts, tensor * experts, tensor * experts);
}

/* ---- what a rank does ---- */

struct writer { struct workload *x; uint32_t rank, at; };    /* at: the operation that the next one follows; NONE: it is the first */

static uint32_t add_op(struct writer *r, const struct trace_op *op, uint32_t before)
{
    uint32_t number = trace_add(r->x->trace, r->rank, op);

    if (before != NONE)
        trace_require(r->x->trace, r->rank, number, before, false);
    return number;
}

static void compute(struct writer *r, const struct layer *l, enum step step)
{
    if (l->work[step].compute_ns)
        r->at = add_op(r, &(struct trace_op){ .type = TRACE_CALC, .line = l->line, .size = l->work[step].compute_ns * PS_PER_NS }, r->at);
}

/* Returns the operation that is over when it is; NONE: there is none. Nobody waits for it yet. */
static uint32_t communicate(struct writer *r, const struct layer *l, enum step step)
{
    const struct work        *w = &l->work[step];
    const struct workload    *x = r->x;
    struct trace_op           op = { .type = TRACE_COLLECTIVE, .line = l->line, .cpu = (uint8_t)(w->group + 1), .collective = w->collective, .size = w->bytes };
    const struct trace_group *g;
    uint32_t                  number;

    if (!w->is_there)
        return NONE;
    op.peer = x->group[w->group][r->rank];
    g = &x->trace->group[op.peer];
    if (w->collective == TRACE_ALL_GATHER)       /* there it is what each contributes, here what all have in the end */
        op.size = (op.size + g->count - 1) / g->count;
    number = add_op(r, &op, r->at);
    if (!l->update_ns)
        return number;
    op = (struct trace_op){ .type = TRACE_CALC, .line = l->line, .cpu = (uint8_t)(UPDATE_CPU + (uint32_t)(l - x->layer) % (256 - UPDATE_CPU)), .size = l->update_ns * PS_PER_NS };
    return add_op(r, &op, number);
}

/* What comes next waits for another operation, too. */
static void await(struct writer *r, uint32_t number, uint32_t line)
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

/* The collective follows 'at', so nothing else is to be waited for. */
static void communicate_now(struct writer *r, const struct layer *l, enum step step)
{
    uint32_t number = communicate(r, l, step);

    r->at = number == NONE ? r->at : number;
}

static void forward(struct writer *r, struct layer *l)
{
    await(r, l->pending, l->line);
    l->pending = NONE;
    compute(r, l, FORWARD);
    communicate_now(r, l, FORWARD);
}

static void recompute(struct writer *r, uint32_t i)
{
    struct workload *x = r->x;
    uint32_t         from = i;

    while (!x->layer[from].is_checkpoint)
        from--;
    for (; from < i; from++)
        forward(r, &x->layer[from]);
}

static void backward(struct writer *r, uint32_t i)
{
    struct workload *x = r->x;
    struct layer    *l = &x->layer[i];
    uint32_t         inputs = NONE;

    if (l->recomputes && x->policy == TRANSFORMER_RECOMPUTED)
        recompute(r, i);
    if (x->policy != DATA) {
        compute(r, l, INPUTS);
        if (x->policy == MODEL)
            inputs = i ? communicate(r, l, INPUTS) : NONE;
        else
            communicate_now(r, l, INPUTS);
    }
    compute(r, l, WEIGHTS);
    if (x->policy != MODEL)
        l->pending = communicate(r, l, WEIGHTS);
    await(r, inputs, l->line);
    if (x->policy == DATA && i)
        compute(r, l, INPUTS);
}

static void write_pass(struct writer *r)
{
    struct workload *x = r->x;

    if (x->policy == MICRO) {                    /* the first layer's, and nothing waits */
        communicate(r, &x->layer[0], WEIGHTS);
        return;
    }
    for (uint32_t i = 0; i < x->layers; i++)
        forward(r, &x->layer[i]);
    for (uint32_t i = x->layers; i-- > 0 && x->policy != INFERENCE;)
        backward(r, i);
}

static int write_ranks(struct workload *x, uint32_t passes)
{
    int rc = 0;

    for (uint32_t rank = 0; rank < x->all && !rc; rank++) {
        struct writer r = { x, rank, NONE };

        for (uint32_t i = 0; i < x->layers; i++)
            x->layer[i].pending = NONE;
        for (uint32_t i = 0; i < passes; i++) {
            write_pass(&r);
            if (x->trace->rank[rank].ops > TRACE_OPS_MAX)
                return tokens_err(&x->w, x->err, E2BIG, "a rank has more than %u operations", TRACE_OPS_MAX);
        }
        rc = rank == 0 && x->trace->ops * x->all > WHOLE_OPS ? trace_spill(x->trace, x->err) : 0;        /* all have as many */
        if (!rc)
            rc = trace_seal_rank(x->trace, rank, x->err);
    }
    return rc ? rc : trace_check(x->trace, x->err);
}

/* ---- the whole ---- */

int simai_parse_workload(const char *name, const char *text, uint32_t passes, uint32_t ranks, struct trace *t, struct err *err)
{
    struct workload x = { .experts = 1, .pipeline = 1, .trace = t, .err = err };
    int             rc;

    tokens_init(&x.w, name, text);
    rc = read_policy(&x);
    if (!rc)
        rc = check_sizes(&x, ranks);
    if (!rc)
        rc = read_layers(&x);
    if (!rc)
        rc = mark_layers(&x);
    if (!rc) {
        trace_init(t, name, x.all);
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

int simai_read_workload(const char *path, uint32_t passes, uint32_t ranks, struct trace *t, struct err *err)
{
    char *text;
    int   rc = tokens_read_file(path, WORKLOAD_BYTES_MAX, &text, err);

    if (rc)
        return rc;
    rc = simai_parse_workload(path, text, passes, ranks, t, err);
    free(text);
    return rc;
}
