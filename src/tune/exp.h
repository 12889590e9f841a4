/* src/tune/exp.h - the exponential function, the same on every machine. */
#ifndef TUNE_EXP_H
#define TUNE_EXP_H

/* e^x from + - * / alone, within 4 units in the last place; 0 below -700, e^700 above 700. */
double exp_of(double x);

#endif
