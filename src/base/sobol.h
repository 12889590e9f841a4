/* src/base/sobol.h - points that fill a box more evenly than chance does.
 *
 * The first n points of a Sobol sequence leave no large part of the box unvisited, whatever n is and in every
 * projection: where a grid of 10 values in 6 dimensions has a million points, 64 of these say what there is.
 *
 * I. M. Sobol, USSR Comput. Math. Math. Phys. 7 (1967) 86; in the order of the Gray code as in I. A. Antonov
 * and V. M. Saleev, ibid. 19 (1979) 252. Direction numbers: S. Joe and F. Y. Kuo, "Constructing Sobol
 * sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635, the first
 * SOBOL_DIMENSIONS of new-joe-kuo-6.21201.
 */
#ifndef BASE_SOBOL_H
#define BASE_SOBOL_H

#include <stdint.h>

#define SOBOL_DIMENSIONS 40

/* Coordinate 'dimension' (0 .. SOBOL_DIMENSIONS - 1) of point 'index', as a fraction of 2^32. Point 0 is all
 * zeros. XOR with any constant of one's own per dimension (a digital shift) keeps the evenness. */
uint32_t sobol_at(uint32_t dimension, uint32_t index);

#endif
