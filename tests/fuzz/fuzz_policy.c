/* tests/fuzz/fuzz_policy.c - for any input of policy_from_model(), an accepted policy is valid.
 *
 * The first byte selects the kind of the other bytes: the body of a model, which is tried as it is and again
 * with a corrected version, or a PyTorch checkpoint.
 */
#include "base/nets/policy/policy_file.h"
#include "base/nets/tree/tree_certify.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(const struct err *err)
{
    PROMISE(strncmp(err->text, "fuzz: ", 6) == 0);
    PROMISE(!strchr(err->text, '\n') && err->text[6]);
}

/* Writing an accepted policy yields the same bytes. */
static void check_same(const struct policy *p, const struct model *m)
{
    struct model again;

    policy_to_model(p, &again);
    PROMISE(strcmp(again.kind, m->kind) == 0);
    PROMISE(again.body_bytes == m->body_bytes && memcmp(again.body, m->body, m->body_bytes) == 0);
    model_fini(&again);
}

/* A decision is a valid multiplier of a rate; certified trees terminate. */
static void check_policy(const struct policy *p)
{
    static const float delta[] = { -0.8f, 0, 0.3f, 90 };
    struct rule_params params;
    struct certificate c;

    for (int i = 0; i < 4; i++) {
        float multiplier = policy_try(p, (float[]){ 1, delta[i], 1.1f, delta[3 - i] });

        PROMISE(multiplier > 0 && multiplier <= 2);
    }
    if (p->body != POLICY_TREES)
        return;
    PROMISE(rule_params_make(&params, &(struct rule_cfg){ 0 }, NULL) == 0);
    if (!certify_rule(&c, &p->trees, &params))
        PROMISE(!c.holds[CERTIFY_RISING] && c.broken[CERTIFY_RISING].multiplier > TREE_ONE);
    PROMISE(c.sum_min <= c.sum_max);
}

static void try(const struct model *m)
{
    struct err err = { "" };
    struct policy p;

    if (policy_from_model(&p, m, "fuzz", &err)) {
        check_refusal(&err);
        return;
    }
    check_policy(&p);
    check_same(&p, m);
    policy_fini(&p);
}

static void try_checkpoint(const uint8_t *data, size_t size)
{
    struct err err = { "" };
    struct policy p;

    if (policy_torch_parse(&p, "fuzz", data, size, &err)) {
        check_refusal(&err);
        return;
    }
    check_policy(&p);
    policy_fini(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kind[] = { "rlcc-lstm", "rlcc-int8", "rlcc-trees", "rlcc-mlp",
                                        "rlcc-int8_lstm" };
    const uint32_t kinds = sizeof kind / sizeof *kind;
    struct model m;

    if (size < 1)
        return 0;
    if (data[0] % (kinds + 1) == kinds) {
        try_checkpoint(data + 1, size - 1);
        return 0;
    }
    model_init_body(&m, kind[data[0] % (kinds + 1)], data + 1, (uint32_t)size - 1);
    try(&m);
    if (m.body_bytes >= 4) {
        memcpy(m.body, "\1\0\0\0", 4);
        try(&m);
    }
    model_fini(&m);
    return 0;
}
