/* src/tune/rehearse/check.h - is a twin right? It must have the slowdowns that hosts saw with the setting in force. */
#ifndef TUNE_REHEARSE_CHECK_H
#define TUNE_REHEARSE_CHECK_H

#include "core/predict.h"

/* Runs the twin with a setting. How far its mean slowdowns, of all messages and of elephants, are from those that were seen,
 * at worst: a log ratio, above 0 if messages of the twin are slower. Those of which there are too few do not count. */
int check_twin(const struct predictor *, const struct knobs *, uint64_t seed, const struct outcomes *saw, double *off,
               struct err *);

#endif
