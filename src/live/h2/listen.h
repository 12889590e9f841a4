/* src/live/h2/listen.h - a socket that others dial. */
#ifndef LIVE_H2_LISTEN_H
#define LIVE_H2_LISTEN_H

#include "base/err.h"

/* At "host:port", "[::1]:port" or "unix:PATH"; the descriptor, or below 0. A socket file that nobody listens
 * at any more is replaced. */
int listen_open(const char *address, struct err *);

/* The next who dials, without waiting; below 0: -errno. */
int listen_next(int fd);

#endif
