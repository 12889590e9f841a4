/* src/base/http/gate.h - access control of the web server, decided from the request head alone.
 *
 *   - Local clients may read. Remote ones need the token, unless the server is read-only for everyone
 *     (is_public).
 *   - A token or certificate is that of a viewer, an approver or an operator. Changes need at least that of
 *     an approver; what each order needs is for the page to say.
 *   - Changes always need a token, in the Authorization header, which browsers do not send on their own.
 *   - Requests from pages of other sites are refused, even with the token.
 *   - The Host header must be a known name. This prevents DNS rebinding.
 *   - Wrong tokens are rate-limited.
 *   - A client certificate replaces the token. Browsers do send it on their own; the checks of Origin,
 *     Sec-Fetch-Site and Content-Type keep other sites' pages from using it.
 */
#ifndef BASE_HTTP_GATE_H
#define BASE_HTTP_GATE_H

#include <stdbool.h>
#include <stdint.h>

#define GATE_HOSTS_MAX 8

/* What a client may do: each includes those before it. */
enum gate_right { GATE_NOTHING, GATE_VIEW, GATE_APPROVE, GATE_OPERATE, GATE_RIGHTS };

struct gate {
    const char *token[GATE_RIGHTS];      /* by what it allows; NULL: there is none */
    bool        takes_clients;           /* client certificates are accepted */
    bool        is_open;                 /* reading needs no token: the server is local or public */
    bool        is_public;                 /* read-only: GET and HEAD only */
    bool        has_any_name;            /* listens on a wildcard address, so any Host is accepted */
    const char *host[GATE_HOSTS_MAX + 1];        /* host names without port, in addition to localhost */
    uint32_t    hosts;
    double      tries;                   /* wrong tokens left before rate limiting */
    uint64_t    tried_us;
};

struct gate_request {                    /* missing headers are NULL */
    const char *method, *host, *authorization;
    const char *origin, *site;           /* Origin, Sec-Fetch-Site */
    const char *type;                    /* Content-Type */
    const char *dest;                    /* Sec-Fetch-Dest */
    const char *client;                  /* subject of a verified certificate */
    enum gate_right client_right;
    const char *client_fault;            /* why a certificate was rejected */
};

/* token: of an operator. */
void gate_init(struct gate *, const char *token, bool is_open);

/* What its token or certificate allows. */
enum gate_right gate_right(const struct gate *, const struct gate_request *);

/* Returns 0, or the HTTP status of the refusal and its reason. */
int gate_check(struct gate *, const struct gate_request *, uint64_t now_us, const char **why);

/* Compares two strings in a time that depends only on their lengths. */
bool gate_is_same(const char *, const char *);

#endif
