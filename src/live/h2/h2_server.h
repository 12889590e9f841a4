/* src/live/h2/h2_server.h - what a server does with frames, for h2.c. */
#ifndef LIVE_H2_H2_SERVER_H
#define LIVE_H2_H2_SERVER_H

#include "live/h2/h2_state.h"

void h2_server_callbacks(nghttp2_session_callbacks *);

#endif
