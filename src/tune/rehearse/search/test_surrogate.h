/* src/tune/rehearse/search/test_surrogate.h - a surrogate of which all is known, for tests. */
#ifndef TUNE_REHEARSE_SEARCH_TEST_SURROGATE_H
#define TUNE_REHEARSE_SEARCH_TEST_SURROGATE_H

#include "tune/rehearse/search/surrogate.h"

/* Small weights of the first layers, so that tanh is nearly a line: each head says a x kmin + b x pmax of all
 * messages and of every class. */
static inline void test_surrogate(struct surrogate *s, float a, float b)
{
    struct net_shape shape;
    float           *p;

    surrogate_shape(&shape);
    *s = (struct surrogate){ 0 };
    net_init(&s->net, &shape);
    p = s->net.parameter;
    p[(SURROGATE_ABOUT + 0) * shape.layer[0].width] = 0.01f * a;
    p[(SURROGATE_ABOUT + 2) * shape.layer[0].width] = 0.01f * b;
    p += shape.inputs * shape.layer[0].width + shape.layer[0].width;
    p[0] = 1;
    p += shape.layer[0].width * shape.layer[1].width + shape.layer[1].width;
    for (int i = 0; i < SURROGATE_OUTPUTS; i++)
        p[i] = 100;
}

#endif
