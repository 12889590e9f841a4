/* src/live/view/order.h - what a page asks a controller to do: POST /api/VERB with a JSON object. */
#ifndef LIVE_VIEW_ORDER_H
#define LIVE_VIEW_ORDER_H

#include "base/err.h"
#include "live/wire/codec.h"

#include <stddef.h>

/* From the path and the body, which may be empty: {"device": "host1/mlx5_0", "number": 3, "code": "...",
 * "why": "..."}. -ENOENT: there is no such verb. -EINVAL: what is in the body is not understood, and
 * nothing of it is used. */
int order_read(struct question *, const char *path, const char *body, size_t length, struct err *);

#endif
