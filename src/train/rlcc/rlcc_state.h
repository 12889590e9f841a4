/* src/train/rlcc/rlcc_state.h - a training of RL-CC at a moment at which all its worlds begin anew, in a file.
 *
 *   "ANOLERLCC1\n", the digest of the configuration, uint32 updates, Adam's two powers (double), parameters, Adam's means and
 *   squares (float), of trees their shape, visits and updates, too, and the digest of all before. Numbers are those of the machine: the file is for going on, not for
 *   carrying about.
 */
#ifndef TRAIN_RLCC_RLCC_STATE_H
#define TRAIN_RLCC_RLCC_STATE_H

#include "train/rlcc/rlcc_training.h"

/* Whole or not at all. */
int rlcc_state_save(struct rlcc_train *, struct err *);

/* Goes on from the file, which was saved with the same configuration; 0 without one, too: *is_there tells. */
int rlcc_state_load(struct rlcc_train *, bool *is_there, struct err *);

/* The same from bytes. What is refused changes nothing. */
int rlcc_state_parse(struct rlcc_train *, const char *name, const char *bytes, size_t length, struct err *);

#endif
