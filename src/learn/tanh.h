/* src/learn/tanh.h - the hyperbolic tangent, the same on every machine. */
#ifndef LEARN_TANH_H
#define LEARN_TANH_H

/* From + - * / alone, within one unit in the last place. NaN stays NaN. */
float tanh_of(float x);

#endif
