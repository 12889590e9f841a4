#include "traffic/parallel.h"

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

uint32_t parallel_size(const struct parallel *p, enum parallel_group kind)
{
    switch (kind) {
    case PARALLEL_TENSOR:      return p->tensor;
    case PARALLEL_DATA:        return p->data;
    case PARALLEL_PIPELINE:    return p->pipeline;
    case PARALLEL_EXPERT:      return p->expert;
    case PARALLEL_EXPERT_DATA: return p->data / p->expert;
    case PARALLEL_CONTEXT:     return context_of(p);
    default:                   return p->workers;
    }
}

uint32_t parallel_count(const struct parallel *p, enum parallel_group kind)
{
    return p->workers / parallel_size(p, kind);
}

static uint32_t worker_at(const struct parallel *p, uint32_t tensor, uint32_t data, uint32_t pipeline)
{
    return tensor + p->tensor * (data + p->data * pipeline);
}

/* Groups of a kind are numbered in order of their first workers, except for the three kinds within a data
 * group. */
uint32_t parallel_worker(const struct parallel *p, enum parallel_group kind, uint32_t group, uint32_t member)
{
    uint32_t tensor = group % p->tensor, rest = group / p->tensor;
    uint32_t near = kind == PARALLEL_CONTEXT ? context_of(p) : p->expert, lines = p->data / near;

    switch (kind) {
    case PARALLEL_TENSOR:
        return group * p->tensor + member;
    case PARALLEL_DATA:
        return worker_at(p, tensor, member, rest);
    case PARALLEL_PIPELINE:
        return worker_at(p, tensor, rest, member);
    case PARALLEL_EXPERT:
    case PARALLEL_CONTEXT:
        return worker_at(p, tensor, rest % lines * near + member, rest / lines);
    case PARALLEL_EXPERT_DATA:
        return worker_at(p, tensor, member * p->expert + rest % p->expert, rest / p->expert);
    default:
        return member;
    }
}

struct parallel_place parallel_place(const struct parallel *p, enum parallel_group kind, uint32_t worker)
{
    uint32_t tensor = worker % p->tensor, data = worker / p->tensor % p->data,
             pipeline = worker / p->tensor / p->data;
    uint32_t near = kind == PARALLEL_CONTEXT ? context_of(p) : p->expert;

    switch (kind) {
    case PARALLEL_TENSOR:
        return (struct parallel_place){ worker / p->tensor, tensor };
    case PARALLEL_DATA:
        return (struct parallel_place){ tensor + p->tensor * pipeline, data };
    case PARALLEL_PIPELINE:
        return (struct parallel_place){ tensor + p->tensor * data, pipeline };
    case PARALLEL_EXPERT:
    case PARALLEL_CONTEXT:
        return (struct parallel_place){ tensor + p->tensor * (pipeline * (p->data / near) + data / near),
                                        data % near };
    case PARALLEL_EXPERT_DATA:
        return (struct parallel_place){ tensor + p->tensor * (pipeline * near + data % near), data / near };
    default:
        return (struct parallel_place){ 0, worker };
    }
}
