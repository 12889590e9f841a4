/* src/train/rlcc/rlcc_state.h - saves and resumes an RL-CC training (train/resume.h). Saved when all its
 * worlds restart. */
#ifndef TRAIN_RLCC_RLCC_STATE_H
#define TRAIN_RLCC_RLCC_STATE_H

#include "train/rlcc/rlcc_training.h"

#include <stddef.h>

int rlcc_state_save(struct rlcc_train *, struct err *);
int rlcc_state_load(struct rlcc_train *, bool *is_there, struct err *);
int rlcc_state_parse(struct rlcc_train *, const char *name, const char *bytes, size_t length, struct err *);

#endif
