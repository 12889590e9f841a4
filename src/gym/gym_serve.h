/* src/gym/gym_serve.h - sessions on file descriptors: a pipe, or a socket. */
#ifndef GYM_GYM_SERVE_H
#define GYM_GYM_SERVE_H

#include "gym/gym.h"

/* Serves one client until it closes or goes away, which is no error, even in the middle of a message of its own. What it
 * did wrong is told to it and in err. */
int gym_serve(const struct gym_world *, int in, int out, struct err *);

/* A socket to listen at: a new file, for this user alone. Refuses a path where something is. */
int gym_listen(const char *path, int *listener, struct err *);

/* Serves clients that connect, one after the other, until 'clients' of them were there (0: for ever). What one did wrong is
 * told to it and on standard error, and ends nothing else. Returns a negative errno if no more can connect. */
int gym_serve_socket(const struct gym_world *, int listener, uint64_t clients, struct err *);

#endif
