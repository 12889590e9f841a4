/* src/learn/tanh.h - a hyperbolic tangent with the same bits on every machine. */
#ifndef LEARN_TANH_H
#define LEARN_TANH_H

/* Uses + - * / only; accurate to one unit in the last place. NaN stays NaN. */
float tanh_of(float x);

#endif
