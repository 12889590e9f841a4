/* src/train/twin/twin_rows.h - results of trials on twins, and the fit of a net to them. */
#ifndef TRAIN_TWIN_TWIN_ROWS_H
#define TRAIN_TWIN_TWIN_ROWS_H

#include "tune/rehearse/search/surrogate.h"

struct twin_row {                /* one setting on one network */
    uint32_t network;
    float    input[SURROGATE_INPUTS];
    float    gain[GOAL_PARTS];   /* log slowdowns relative to NVIDIA's default on the same messages */
    bool     has[GOAL_PARTS];
};

struct twin_rows { struct twin_row *row; uint32_t rows; };

void twin_rows_add(struct twin_rows *, const struct twin_row *);

/* Fits a newly initialized net to all rows. Each head is fitted to three of four networks. */
void twin_rows_fit(const struct twin_rows *, struct net *, uint32_t epochs, uint64_t seed);

#endif
