/* src/tune/eigen.h - eigenvectors of small symmetric matrices. */
#ifndef TUNE_EIGEN_H
#define TUNE_EIGEN_H

#include "tune/search/space.h"

#include <stdint.h>

/* a space's, and one axis that only twins have: rehearse/search/coded.h */
#define MATRIX_DIMS_MAX (SPACE_DIMS_MAX + 1)

struct matrix { double at[MATRIX_DIMS_MAX][MATRIX_DIMS_MAX]; };

/* Writes the eigenvalues of the symmetric n x n matrix 'a', in no order, and its eigenvectors, of length 1,
 * as the columns of 'vector': a = vector diag(value) vector^T. Uses + - * / and square roots alone, and so
 * gives the same on every processor. */
void eigen_solve(const struct matrix *a, uint32_t n, double *value, struct matrix *vector);

#endif
