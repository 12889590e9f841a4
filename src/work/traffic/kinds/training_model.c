/* src/work/traffic/kinds/training_model.c - steps of an iteration from the shape of a language model.
 *
 * A worker holds layers / pipeline layers, each divided among its tensor group. For each micro-batch it
 * receives activations from the stage before, computes, and sends activations on; then the same backwards.
 * While it computes the last micro-batch backwards, gradients are reduced in buckets. Inside a layer, workers
 * exchange
 *
 *   tensor   two all-reduces of the activations; by time only where the group is inside a server
 *   context  keys and values of the other parts of the sequence, while they compute
 *   expert   tokens to their experts and back
 *
 * Activations, weights and gradients have 16 bits. Computing takes 2 operations per active parameter and
 * token, plus attention, at the speed that a GPU achieves, and twice that backwards. All forward passes come
 * before all backward passes.
 */
#include "work/traffic/kinds/training.h"

#include "core/units.h"

#include <math.h>

#define VALUE_BYTES 2.0                  /* activations, weights and gradients: bfloat16 */

/* ---- shapes ---- */

/* From the models' papers and configuration files. DeepSeek's attention has low-rank keys and queries, which
 * heads do not describe. */
enum { LLAMA_8B, LLAMA_70B, LLAMA_405B, MIXTRAL_8X7B, DEEPSEEK_V3 };

const char *const model_names[] = {
    [LLAMA_8B] = "llama_8b", [LLAMA_70B] = "llama_70b", [LLAMA_405B] = "llama_405b",
    [MIXTRAL_8X7B] = "mixtral_8x7b", [DEEPSEEK_V3] = "deepseek_v3", NULL,
};

static const struct model_shape models[] = {
    [LLAMA_8B] = { 32, 4096, 14336, 32, 8, 128256 },
    [LLAMA_70B] = { 80, 8192, 28672, 64, 8, 128256 },
    [LLAMA_405B] = { 126, 16384, 53248, 128, 8, 128256 },
    [MIXTRAL_8X7B] = { 32, 4096, 14336, 32, 8, 32000, .experts = 8, .active = 2, .expert_ffn = 14336 },
    [DEEPSEEK_V3] = { 61, 7168, 18432, 128, 128, 129280, .experts = 256, .active = 8, .shared = 1,
                      .expert_ffn = 2048, .dense_layers = 3, .attention = 187107328, .cache = 512 + 64 },
};

/* What users write: a shape, and how it is trained. */
struct model_request {
    struct model_shape shape;
    uint32_t           name, sequence, micro_batch, micro_batches, buckets, channels;
    uint64_t           chunk_bytes;
    double             tflops, skew;
    bool               is_overlapped, is_by_rail;
};

#define AT(field) KEY_AT(struct model_request, field)

static const struct key_row model_keys[] = {
    { "name",          KEY_NAME,  "",     "one of those below, whose shape the next keys change",
      AT(name), .choices = model_names },
    { "layers",        KEY_COUNT, "",     "layers", AT(shape.layers), 1, 100000 },
    { "hidden",        KEY_COUNT, "",     "width of activations", AT(shape.hidden), 1, 1e6 },
    { "ffn",           KEY_COUNT, "",     "width of a dense layer's feed-forward network",
      AT(shape.ffn), 1, 1e7 },
    { "heads",         KEY_COUNT, "",     "attention heads", AT(shape.heads), 1, 1e5 },
    { "kv_heads",      KEY_COUNT, "",     "heads of keys and values", AT(shape.kv_heads), 1, 1e5 },
    { "vocabulary",    KEY_COUNT, "",     "tokens", AT(shape.vocabulary), 1, 1e8 },
    { "experts",       KEY_COUNT, "",     "experts of a layer; 0: none", AT(shape.experts), 0, 1e5 },
    { "active",        KEY_COUNT, "",     "experts that a token uses", AT(shape.active), 0, 1e5 },
    { "shared",        KEY_COUNT, "",     "experts that all tokens use", AT(shape.shared), 0, 1e5 },
    { "expert_ffn",    KEY_COUNT, "",     "width of an expert's network", AT(shape.expert_ffn), 0, 1e7 },
    { "dense_layers",  KEY_COUNT, "",     "layers without experts", AT(shape.dense_layers), 0, 1e5 },
    { "sequence",      KEY_COUNT, "8192", "tokens of a sequence", AT(sequence), 1, 1e8 },
    { "micro_batch",   KEY_COUNT, "1",    "sequences of a micro-batch", AT(micro_batch), 1, 1e6 },
    { "micro_batches", KEY_COUNT, "8",    "micro-batches of a pipeline in an iteration",
      AT(micro_batches), 1, UINT16_MAX },
    { "tflops",        KEY_REAL,  "400",  "what a GPU achieves, in 10^12 operations a second",
      AT(tflops), 0.001, 1e9 },
    { "buckets",       KEY_COUNT, "8",    "buckets of gradients", AT(buckets), 1, 10000 },
    { "overlap",       KEY_YES,   "yes",  "reduce gradients while the last micro-batch is computed backwards",
      AT(is_overlapped) },
    { 0 },
};

static double layer_attention(const struct model_shape *m)
{
    double h = m->hidden;

    return m->attention ? (double)m->attention : 2 * h * h + 2 * h * h * m->kv_heads / m->heads;
}

static uint32_t expert_layers(const struct model_shape *m)
{
    return m->experts ? m->layers - m->dense_layers : 0;
}

/* Parameters of all layers, with 'experts' of those in a layer. */
static double layer_parameters(const struct model_shape *m, double experts)
{
    double dense = 3.0 * m->hidden * m->ffn, expert = 3.0 * m->hidden * m->expert_ffn;

    return m->layers * layer_attention(m) + (m->layers - expert_layers(m)) * dense +
           expert_layers(m) * (experts + m->shared) * expert;
}

double model_parameters(const struct model_shape *m)
{
    return layer_parameters(m, m->experts) + 2.0 * m->vocabulary * m->hidden;
}

double model_active_parameters(const struct model_shape *m)
{
    return layer_parameters(m, m->active) + 2.0 * m->vocabulary * m->hidden;
}

double model_cache_bytes(uint32_t model)
{
    const struct model_shape *m = &models[model];

    return VALUE_BYTES * m->layers * (m->cache ? m->cache : 2.0 * m->hidden * m->kv_heads / m->heads);
}

/* ---- steps ---- */

struct model_build {
    const struct model_request *q;
    const struct parallel      *p;
    uint32_t                    server;
    uint64_t                    inside_bps;      /* rate of a GPU inside its server; 0: none */
    struct iteration_step      *step;
    uint32_t                    steps;
    double                      before_s;        /* computing before the next step */
    bool                        is_full;         /* there is no room for another step */
};

static uint64_t ps_of(double seconds)
{
    return (uint64_t)fmin(round(seconds * (double)PS_PER_S), (double)KEY_TIME_PS_MAX);
}

static double tokens_of(const struct model_build *b)
{
    return (double)b->q->sequence * b->q->micro_batch / b->p->context;
}

/* Activations of a micro-batch between two layers. */
static double activation_bytes(const struct model_build *b)
{
    return tokens_of(b) * b->q->shape.hidden * VALUE_BYTES;
}

static uint32_t stage_layers(const struct model_build *b, uint32_t layers)
{
    return (layers + b->p->pipeline - 1) / b->p->pipeline;
}

static bool has_tensor_messages(const struct model_build *b)
{
    return b->p->tensor > 1 && (!b->inside_bps || b->server % b->p->tensor);
}

/* Time of a micro-batch in a stage, forwards. Tensor groups inside a server exchange their activations four
 * times in a layer, at the rate inside. */
static double forward_s(const struct model_build *b)
{
    const struct model_shape *m = &b->q->shape;
    double                    inputs = (double)m->vocabulary * m->hidden;        /* a table: no operations */
    double work = 2 * (model_active_parameters(m) - inputs) + 2.0 * b->q->sequence * m->hidden * m->layers;
    double s = work * tokens_of(b) / b->p->tensor / b->p->pipeline / b->q->tflops / 1e12;

    if (b->p->tensor > 1 && !has_tensor_messages(b))
        s += 4 * activation_bytes(b) * (b->p->tensor - 1) / b->p->tensor * 8 / (double)b->inside_bps *
             m->layers / b->p->pipeline;
    return s;
}

static struct iteration_step *add_model_step(struct model_build *b, enum collective_kind kind,
                                             enum parallel_group group, double bytes, uint32_t times,
                                             double compute_s)
{
    struct iteration_step *s = &b->step[b->steps];
    uint32_t               workers = parallel_size(b->p, group);
    uint32_t               channels = collective_has_rings(kind) ? b->q->channels : 0;
    double                 least = collective_has_rings(kind) ? workers * fmax(1, channels) : 1;

    b->is_full = b->steps + 1 == ITERATION_STEPS_MAX;
    b->steps += !b->is_full;
    *s = (struct iteration_step){
        .compute_ps = ps_of(compute_s), .before_ps = ps_of(b->before_s), .group = group, .times = times,
        .collective = { .kind = kind, .workers = workers, .chunk_bytes = b->q->chunk_bytes,
                        .channels = channels, .bytes = (uint64_t)fmax(least, fmin(bytes, TRAFFIC_SIZE_MAX)) },
    };
    b->before_s = 0;
    return s;
}

/* Adds what workers exchange inside a layer. Returns false if that is nothing; then 'compute_s' is unused. */
static bool add_layer(struct model_build *b, bool has_experts, bool is_back, double compute_s)
{
    const struct model_shape *m = &b->q->shape;
    uint32_t                  tensor = has_tensor_messages(b) ? 2 : 0;
    uint32_t                  expert = has_experts && b->p->expert > 1 ? 2 : 0;
    uint32_t                  context = b->p->context > 1 ? 1 + is_back : 0, all = tensor + expert + context;
    double                    keys = 2.0 * m->hidden * m->kv_heads / m->heads;
    struct iteration_step    *s;

    if (context) {
        s = add_model_step(b, COLLECTIVE_ALL_GATHER, PARALLEL_CONTEXT, tokens_of(b) * b->p->context * keys *
                           VALUE_BYTES / b->p->tensor, context, compute_s / all);
        s->is_overlapped = true;
    }
    if (tensor)
        add_model_step(b, COLLECTIVE_RING_ALL_REDUCE, PARALLEL_TENSOR, activation_bytes(b), tensor,
                       compute_s / all);
    if (expert) {
        s = add_model_step(b, COLLECTIVE_ALL_TO_ALL, PARALLEL_EXPERT, activation_bytes(b) * m->active /
                           b->p->tensor / b->p->expert, expert, compute_s / all);
        s->collective.skew = b->q->skew;
        s->collective.is_by_rail = b->q->is_by_rail;
    }
    return all > 0;
}

/* Adds 'times' of 'buckets' of a worker's gradients: of what its data group shares, and of its experts. */
static void add_gradients(struct model_build *b, uint32_t buckets, uint32_t times, double compute_s)
{
    const struct model_shape *m = &b->q->shape;
    double experts = 3.0 * m->hidden * m->expert_ffn * m->experts * expert_layers(m);
    double rest = model_parameters(m) - experts;
    double each = (double)b->p->tensor * b->p->pipeline * buckets / VALUE_BYTES;

    if (b->p->data > 1)
        add_model_step(b, COLLECTIVE_RING_ALL_REDUCE, PARALLEL_DATA, rest / each, times, compute_s / times)
            ->is_overlapped = true;
    if (experts > 0 && b->p->data > b->p->expert)
        add_model_step(b, COLLECTIVE_RING_ALL_REDUCE, PARALLEL_EXPERT_DATA, experts / each / b->p->expert,
                       times, 0)->is_overlapped = true;
}

/* Adds a micro-batch of a stage, from receiving to sending. */
static void add_stage_work(struct model_build *b, bool is_back, bool has_gradients, double *left_s)
{
    uint32_t layers = stage_layers(b, b->q->shape.layers);
    uint32_t experts = stage_layers(b, expert_layers(&b->q->shape));
    double   each_s = forward_s(b) * (is_back ? 2 : 1) / layers;
    bool     has_exchanges = false;

    *left_s = 0;
    for (uint32_t i = 0; i < layers; i++) {
        if (!add_layer(b, i + experts >= layers, is_back, each_s)) {
            *left_s += each_s;
            continue;
        }
        has_exchanges = true;
        if (has_gradients)
            add_gradients(b, layers, 1, 0);
    }
    if (!has_gradients || has_exchanges)
        return;
    add_gradients(b, b->q->buckets, b->q->buckets, *left_s);
    *left_s = 0;
}

/* Adds 'count' micro-batches in one direction. */
static void add_micro_batches(struct model_build *b, bool is_back, uint32_t count, bool has_gradients)
{
    double                 left_s;
    struct iteration_step *outer;
    uint32_t               first = b->steps;

    if (b->p->pipeline == 1) {
        for (uint32_t k = 0; k < count && !b->is_full; k++) {
            add_stage_work(b, is_back, has_gradients, &left_s);
            b->before_s += left_s;
        }
        return;
    }
    outer = add_model_step(b, is_back ? COLLECTIVE_SEND_PREVIOUS : COLLECTIVE_SEND_NEXT, PARALLEL_PIPELINE,
                           activation_bytes(b) / b->p->tensor, count, 0);
    outer->is_pipelined = true;
    add_stage_work(b, is_back, has_gradients, &left_s);
    outer->compute_ps = ps_of(left_s);
    outer->inside = b->steps - first - 1;
}

static void add_iteration(struct model_build *b)
{
    bool is_last_apart = b->q->is_overlapped && b->p->data > 1;

    add_micro_batches(b, false, b->q->micro_batches, false);
    if (b->q->micro_batches > is_last_apart)
        add_micro_batches(b, true, b->q->micro_batches - is_last_apart, false);
    if (is_last_apart)
        add_micro_batches(b, true, 1, true);
    else
        add_gradients(b, b->q->buckets, b->q->buckets, 0);
}

/* ---- reading ---- */

static void check_shape(struct reader *r, const struct yaml_node *node, const struct parallel *p,
                        const struct model_shape *m)
{
    if (m->kv_heads > m->heads)
        reader_refuse(r, node, "%u heads of keys and values are more than %u heads", m->kv_heads, m->heads);
    else if (m->dense_layers > m->layers)
        reader_refuse(r, node, "%u dense layers are more than %u layers", m->dense_layers, m->layers);
    else if (m->experts && (!m->active || m->active > m->experts || !m->expert_ffn))
        reader_refuse(r, node, "'experts' need 'active', at most as many, and 'expert_ffn'");
    else if (p->pipeline > m->layers)
        reader_refuse(r, node, "%u layers are too few for pipelines of %u stages", m->layers, p->pipeline);
    else if (p->expert > 1 && p->expert > m->experts)
        reader_refuse(r, node, "the model has %u experts, too few for groups of %u (expert)", m->experts,
                      p->expert);
}

/* 'model: NAME' is short for 'model: {name: NAME}'. */
static void read_request(const struct entry *e, const struct yaml_node *node, struct model_request *q)
{
    static const char *const needed[] = { "layers", "hidden", "ffn", "heads", "kv_heads", "vocabulary",
                                          NULL };
    bool                     is_name = node->kind == YAML_SCALAR;
    struct section           sec = section_open(e->r, is_name ? NULL : node,
                                                &(struct section){ .name = "model", .own = model_keys });
    int                      name = is_name ? section_choice(&e->sec, "model", "a model", model_names)
                                    : section_choice(&sec, "name", "a model", model_names);

    for (const char *const *key = needed; *key && !is_name && name < 0 && !e->r->rc; key++)
        section_need(&sec, *key);
    if (name >= 0)
        q->shape = models[name];
    section_read(&sec, model_keys, q);
}

uint32_t model_read_steps(const struct entry *e, const struct parallel *p, uint32_t server,
                          const struct collective_cfg *how, struct iteration_step *step, uint64_t *compute_ps)
{
    const struct yaml_node *node = section_get(&e->sec, "model");
    struct model_request    q = { .channels = how->channels, .chunk_bytes = how->chunk_bytes,
                                  .skew = how->skew, .is_by_rail = how->is_by_rail };
    struct model_build      b = { .q = &q, .p = p, .server = server, .inside_bps = e->graph->inside_rate_bps,
                                  .step = step };

    if (!node)
        return 0;
    read_request(e, node, &q);
    if (!e->r->rc)
        check_shape(e->r, node, p, &q.shape);
    if (e->r->rc)
        return 0;
    if (3 * forward_s(&b) * q.micro_batches * (double)PS_PER_S > (double)KEY_TIME_PS_MAX / 1000) {
        reader_refuse(e->r, node, "an iteration computes for %.3g s, too long to simulate",
                      3 * forward_s(&b) * q.micro_batches);
        return 0;
    }
    add_iteration(&b);
    *compute_ps += ps_of(b.before_s);
    if (b.is_full)
        reader_refuse(e->r, node, "an iteration has more than %u steps: use 'pipeline' groups, or fewer "
                      "'micro_batches'", ITERATION_STEPS_MAX);
    else if (b.steps == 0)
        reader_refuse(e->r, node, "no group has messages: all but 'tensor' have one worker, and that one is "
                      "inside a server");
    return b.steps;
}

void model_print_markdown(FILE *out)
{
    fputs("\n### traffic: models of training\n\n`model: NAME`, or `model: {name: NAME, ..}` with keys that "
          "change it. `groups`, `channels`, `chunk`, `pxn` and `skew` hold for\nall steps; `tensor` groups "
          "inside a server take time and send no messages.\n", out);
    key_print_markdown(out, model_keys);
    fputs("\n| name | parameters | active | bytes of a token's keys and values |\n|---|---|---|---|\n", out);
    for (uint32_t i = 0; model_names[i]; i++)
        fprintf(out, "| `%s` | %.1f billion | %.1f | %.0f |\n", model_names[i], model_parameters(&models[i]) /
                1e9, model_active_parameters(&models[i]) / 1e9, model_cache_bytes(i));
}
