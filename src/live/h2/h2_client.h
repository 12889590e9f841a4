/* src/live/h2/h2_client.h - what a client does with frames: it asks for a call, and hears how it went. */
#ifndef LIVE_H2_H2_CLIENT_H
#define LIVE_H2_H2_CLIENT_H

#include "live/h2/h2_state.h"

/* A client's call. 'timeout_ms' of 0: it has no deadline. It is freed when 'close' returns, or by h2_free()
 * if it was never opened. */
struct h2_request { const char *path, *authority; enum h2_kind kind; bool is_secure; int timeout_ms; };
struct h2_call *h2_begin(struct h2 *, const struct h2_request *);

/* In a client's 'close': has the server ended it well? If not, why; "": the connection is gone. */
bool h2_is_done(const struct h2_call *, const char **why);

/* For h2.c. */
void h2_client_callbacks(nghttp2_session_callbacks *);

#endif
