/* src/live/tls/tls.h - TLS certificate and key files. */
#ifndef LIVE_TLS_TLS_H
#define LIVE_TLS_TLS_H

#include <stdbool.h>

struct rpc_tls {
    const char *ca, *cert, *key; /* files; all NULL: none */
    unsigned    refresh_s;       /* how often they are read again; 0: every minute */
    bool        is_old;          /* TLS 1.2 will do; else 1.3 */
};

#endif
