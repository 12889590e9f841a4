/* src/tune/rehearse/proof/proving.h - checks a newly applied setting against its prediction. */
#ifndef TUNE_REHEARSE_PROOF_PROVING_H
#define TUNE_REHEARSE_PROOF_PROVING_H

#include "tune/rehearse/rehearse_state.h"

/* A window with the new setting is full: are messages as much faster as was predicted? */
void proving_window(struct rehearser *, struct knobs *, struct tuner_note *);

/* Drops a kept setting that turns out to be worse in two consecutive windows. Windows with more load do not
 * count. */
bool proving_is_regretted(struct rehearser *, const struct traffic_model *now, double *gain);

/* Checks every interval. Returns true if the last setting has become much worse, and the previous one is
 * back. */
bool proving_interval(struct rehearser *, const struct report *, struct knobs *, struct tuner_note *);

/* The setting from before comes back; 'how' says where that was seen. */
void proving_go_back(struct rehearser *, double gain, const char *how, struct knobs *, struct tuner_note *);

#endif
