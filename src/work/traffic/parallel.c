#include "work/traffic/parallel.h"

#include <stddef.h>

const char *const parallel_names[] = {
    [PARALLEL_ALL] = "all", [PARALLEL_TENSOR] = "tensor", [PARALLEL_DATA] = "data",
    [PARALLEL_PIPELINE] = "pipeline", [PARALLEL_EXPERT] = "expert",
    [PARALLEL_EXPERT_DATA] = "expert_data", [PARALLEL_CONTEXT] = "context", [PARALLEL_GROUPS] = NULL,
};

static uint32_t context_of(const struct parallel *p) { return p->context ? p->context : 1; }

int parallel_check(struct parallel *p, struct err *err)
{
    uint64_t each = (uint64_t)p->tensor * p->pipeline;

    if (each == 0 || p->workers % each)
        return err_set(err, EINVAL,
                       "%u workers cannot be divided into groups of %u (tensor) times %u (pipeline)",
                       p->workers, p->tensor, p->pipeline);
    p->data = (uint32_t)(p->workers / each);
    for (int is_context = 0; is_context < 2; is_context++) {
        uint32_t size = is_context ? context_of(p) : p->expert;

        if (size == 0 || p->data % size)
            return err_set(err, EINVAL, "%u workers in a data group cannot be divided into groups of %u (%s)",
                           p->data, size, is_context ? "context" : "expert");
    }
    return 0;
}

/* The groups of a kind divide every 'stride' x 'size' consecutive workers: members are 'stride' apart. */
struct parallel_line { uint32_t stride, size; };

static struct parallel_line line_of(const struct parallel *p, enum parallel_group kind)
{
    switch (kind) {
    case PARALLEL_TENSOR:      return (struct parallel_line){ 1, p->tensor };
    case PARALLEL_DATA:        return (struct parallel_line){ p->tensor, p->data };
    case PARALLEL_PIPELINE:    return (struct parallel_line){ p->tensor * p->data, p->pipeline };
    case PARALLEL_EXPERT:      return (struct parallel_line){ p->tensor, p->expert };
    case PARALLEL_EXPERT_DATA: return (struct parallel_line){ p->tensor * p->expert, p->data / p->expert };
    case PARALLEL_CONTEXT:     return (struct parallel_line){ p->tensor, context_of(p) };
    default:                   return (struct parallel_line){ 1, p->workers };
    }
}

uint32_t parallel_size(const struct parallel *p, enum parallel_group kind)
{
    return line_of(p, kind).size;
}

uint32_t parallel_count(const struct parallel *p, enum parallel_group kind)
{
    return p->workers / parallel_size(p, kind);
}

/* Groups are numbered in the order of their first workers. */
uint32_t parallel_worker(const struct parallel *p, enum parallel_group kind, uint32_t group, uint32_t member)
{
    struct parallel_line l = line_of(p, kind);

    return group / l.stride * l.stride * l.size + member * l.stride + group % l.stride;
}

struct parallel_place parallel_place(const struct parallel *p, enum parallel_group kind, uint32_t worker)
{
    struct parallel_line l = line_of(p, kind);

    return (struct parallel_place){ worker / (l.stride * l.size) * l.stride + worker % l.stride,
                                    worker / l.stride % l.size };
}
