#include "sim/cc/rlcc/rlcc.h"

#include "base/nets/model.h"
#include "base/nets/policy/policy_file.h"

#include <stdlib.h>
#include <string.h>

#define RANGE_MAX 1.0

/* Generated from data/models: see docs/rlcc.md. */
extern const unsigned char rlcc_mlp_model[], rlcc_lstm_model[], rlcc_trees_model[];
extern const unsigned long rlcc_mlp_model_bytes, rlcc_lstm_model_bytes, rlcc_trees_model_bytes;

enum { TREES, EXPORTED, MLP, INT8, LSTM, INT8_LSTM };

const char *const rlcc_model_names[] = { "trees", "exported", "mlp", "int8", "lstm", "int8_lstm", NULL };

static const struct { const unsigned char *bytes; const unsigned long *length; } shipped[] = {
    [TREES] = { rlcc_trees_model, &rlcc_trees_model_bytes },
        [EXPORTED] = { rlcc_trees_model, &rlcc_trees_model_bytes },
    [MLP] = { rlcc_mlp_model, &rlcc_mlp_model_bytes },
        [INT8] = { rlcc_mlp_model, &rlcc_mlp_model_bytes },
    [LSTM] = { rlcc_lstm_model, &rlcc_lstm_model_bytes },
        [INT8_LSTM] = { rlcc_lstm_model, &rlcc_lstm_model_bytes },
};

static int find_shipped(const char *name)
{
    int i = 0;

    while (rlcc_model_names[i] && strcmp(rlcc_model_names[i], name) != 0)
        i++;
    return rlcc_model_names[i] ? i : -1;
}

/* Converts the net to integers. */
static int quantize(struct policy *p, struct err *err)
{
    struct policy net = *p;
    int rc = policy_init_int8(p, &net, err);

    policy_fini(&net);
    return rc;
}

static int set_range(struct policy *p, double range, const char *name, struct err *err)
{
    if (range == 0)
        return 0;
    if (!policy_is_float(p))
        return err_set(err, EINVAL, "%.200s: %s have their range of actions in them", name,
                       policy_body_name[p->body]);
    if (!(range > 0 && range <= RANGE_MAX))
        return err_set(err, ERANGE, "a range of actions of %g is not within 0 .. %g", range, RANGE_MAX);
    p->range = (float)range;
    return 0;
}

int rlcc_model_open(struct rlcc_model **made, const char *name, double range, struct err *err)
{
    int which = find_shipped(name);
    struct rlcc_model *m = xcalloc(1, sizeof *m);
    int rc = which < 0 ? policy_load(&m->own, name, err)
                       : policy_parse(&m->own, name, shipped[which].bytes, *shipped[which].length, err);

    if (rc) {
        free(m);
        return rc;
    }
    m->policy = &m->own;
    m->is_exported = which == EXPORTED;
    rc = set_range(&m->own, range, name, err);
    if (!rc && (which == INT8 || which == INT8_LSTM))
        rc = quantize(&m->own, err);
    if (rc)
        rlcc_model_close(m);
    else
        *made = m;
    return rc;
}

void rlcc_model_close(struct rlcc_model *m)
{
    if (!m)
        return;
    policy_fini(&m->own);
    free(m);
}
