/* src/live/h2/place.h - numbers for things that come and go.
 *
 * A number is a place in a table, and how often that place was used before: the number of something that is
 * gone finds nothing, even when another thing has its place.
 */
#ifndef LIVE_H2_PLACE_H
#define LIVE_H2_PLACE_H

#include <stdint.h>

#define PLACE_BITS 20            /* of a number: the place */

struct places {
    void    **thing;             /* by place; NULL: it is free */
    uint32_t *uses;              /* of each place, so far */
    uint32_t  count, next;       /* next: where to look for a free one first */
};

void     places_fini(struct places *);
uint32_t place_take(struct places *, void *thing);       /* its number, below 2^31 */
void    *place_find(const struct places *, uint32_t number);     /* NULL: it is gone */
void     place_leave(struct places *, uint32_t number);

#endif
