/* src/gym/gym_serve.h - gym sessions on file descriptors: pipes and sockets. */
#ifndef GYM_GYM_SERVE_H
#define GYM_GYM_SERVE_H

#include "gym/gym.h"

/* Serves one client until it closes or disconnects, which is not an error, even within a message. Protocol
 * errors are reported to the client and in err. */
int gym_serve(const struct gym_world *, int in, int out, struct err *);

/* Creates a listening socket that only this user can access. Refuses an existing path. */
int gym_listen(const char *path, int *listener, struct err *);

/* Serves clients one after the other until 'clients' have connected (0: forever). A client's errors are
 * reported to it and on standard error, and affect no other client. Returns a negative errno if accepting
 * fails. */
int gym_serve_socket(const struct gym_world *, int listener, uint64_t clients, struct err *);

#endif
