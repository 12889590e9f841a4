/* tests/fuzz/fuzz_trajectory.c - whatever is thrown at trajectories_parse(), it reads steps in order or says one line. */
#include "learn/policy/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct trajectories *t)
{
    uint32_t flows = 1;

    PROMISE(t->steps > 0);
    for (uint32_t i = 0; i < t->steps; i++) {
        PROMISE(isfinite(t->step[i].delta) && fabsf(t->step[i].delta) <= 1e6f);
        if (i > 0) {
            const struct trajectory_step *before = &t->step[i - 1];

            PROMISE(before->flow <= t->step[i].flow);
            PROMISE(before->flow != t->step[i].flow || before->number < t->step[i].number);
            flows += before->flow != t->step[i].flow;
        }
    }
    PROMISE(flows == t->flows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1);     /* no byte behind it: a sanitizer sees what is read there */
    struct trajectories t;
    struct err err = { "" };

    if (size)
        memcpy(text, data, size);
    if (trajectories_parse(&t, "fuzz", text, size, &err) == 0) {
        check(&t);
        trajectories_fini(&t);
    } else
        PROMISE(strncmp(err.text, "fuzz:", 5) == 0 && !strchr(err.text, '\n'));
    free(text);
    return 0;
}
