/* src/live/h2/listen.h - a socket that others dial. */
#ifndef LIVE_H2_LISTEN_H
#define LIVE_H2_LISTEN_H

#include "base/err.h"

/* Listens at "host:port", "[::1]:port" or "unix:PATH". Returns the descriptor, or a negative errno. Replaces
 * a socket file without a listener. */
int listen_open(const char *address, struct err *);

/* Accepts the next connection without waiting; negative: -errno. */
int listen_next(int fd);

#endif
