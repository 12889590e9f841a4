/* src/train/rlcc/rlcc_state.h - the state of an RL-CC training in a file, saved when all its worlds restart.
 *
 * "ANOLERLCC1\n", the digest of the configuration, uint32 updates, Adam's two powers (double), parameters,
 * Adam's means and squares (float), and the digest of everything before. The file is in native byte order: it is meant for resuming on the same machine.
 */
#ifndef TRAIN_RLCC_RLCC_STATE_H
#define TRAIN_RLCC_RLCC_STATE_H

#include "train/rlcc/rlcc_training.h"

/* Writes the file atomically. */
int rlcc_state_save(struct rlcc_train *, struct err *);

/* Resumes from the file, which must have been saved with the same configuration. *is_there: the file exists;
 * it is not an error if not. */
int rlcc_state_load(struct rlcc_train *, bool *is_there, struct err *);

/* Parses the contents of such a file. On failure, nothing changes. */
int rlcc_state_parse(struct rlcc_train *, const char *name, const char *bytes, size_t length, struct err *);

#endif
