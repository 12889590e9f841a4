#include "base/http/gate.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define TRIES_MAX       10.0
#define TRIES_PER_S     1.0

void gate_init(struct gate *g, const char *token, bool is_open)
{
    *g = (struct gate){ .token = { [GATE_OPERATE] = token }, .is_open = is_open, .tries = TRIES_MAX };
}

bool gate_is_same(const char *a, const char *b)
{
    size_t   length = strlen(a), other = strlen(b);
    unsigned differs = length != other;

    for (size_t i = 0; i < length; i++)
        differs |= (unsigned)(unsigned char)a[i] ^ (unsigned char)(i < other ? b[i] : 0);
    return !differs;
}

/* ---- host names ---- */

/* Length of the name in "name:port" or "[::1]:port". */
static size_t name_length(const char *host)
{
    const char *end = *host == '[' ? strchr(host, ']') : NULL;

    return end ? (size_t)(end - host) + 1 : strcspn(host, ":");
}

static bool is_name(const char *host, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(host, name, length) == 0;
}

static bool is_known_host(const struct gate *g, const char *host)
{
    size_t length = name_length(host);
    bool   is_known = g->has_any_name || is_name(host, length, "localhost") ||
                      is_name(host, length, "127.0.0.1") || is_name(host, length, "[::1]");

    for (uint32_t i = 0; i < g->hosts; i++)
        is_known |= is_name(host, length, g->host[i]);
    return is_known;
}

/* Compares "http://host:port" with "host:port". */
static bool is_same_origin(const char *origin, const char *host)
{
    const char *rest = strstr(origin, "://");

    return rest && strcasecmp(rest + 3, host) == 0;
}

/* True for a top-level navigation: the response is displayed, and the linking site cannot read it. */
static bool is_navigation(const struct gate_request *q)
{
    return strcmp(q->method, "GET") == 0 && !q->origin && q->dest && strcasecmp(q->dest, "document") == 0;
}

static bool is_foreign_page(const struct gate_request *q)
{
    if (is_navigation(q))
        return false;
    if (q->site && strcasecmp(q->site, "same-origin") != 0 && strcasecmp(q->site, "none") != 0)
        return true;
    return q->origin && !is_same_origin(q->origin, q->host);
}

/* ---- token ---- */

static bool has_tokens(const struct gate *g, enum gate_right least)
{
    bool has = false;

    for (int i = (int)least; i < GATE_RIGHTS; i++)
        has |= g->token[i] != NULL;
    return has;
}

enum gate_right gate_right(const struct gate *g, const struct gate_request *q)
{
    enum gate_right right = g->takes_clients && q->client ? q->client_right : GATE_NOTHING;
    const char     *text = q->authorization;

    if (!text || strncasecmp(text, "Bearer ", 7) != 0)
        return right;
    text += 7;
    text += strspn(text, " ");
    for (int i = (int)right + 1; i < GATE_RIGHTS; i++)
        if (g->token[i] && gate_is_same(g->token[i], text))
            right = (enum gate_right)i;
    return right;
}

/* Token bucket: TRIES_MAX wrong tokens at once, and TRIES_PER_S afterwards. */
static bool take_try(struct gate *g, uint64_t now_us)
{
    double grown = g->tries + (double)(now_us - g->tried_us) / 1e6 * TRIES_PER_S;

    g->tries = grown < TRIES_MAX ? grown : TRIES_MAX;
    g->tried_us = now_us;
    if (g->tries < 1)
        return false;
    g->tries--;
    return true;
}

static int refuse(int status, const char *reason, const char **why)
{
    *why = reason;
    return status;
}

static int check_token(struct gate *g, const struct gate_request *q, enum gate_right least, uint64_t now_us,
                       const char **why)
{
    enum gate_right right = gate_right(g, q);

    if (!has_tokens(g, least) && !g->takes_clients)
        return refuse(403, "read-only: the configuration names no token", why);
    if (right >= least)
        return 0;
    if (right != GATE_NOTHING)
        return refuse(403, "this is the token or certificate of a viewer, who changes nothing", why);
    if (q->authorization && !take_try(g, now_us))
        return refuse(429, "too many wrong tokens; wait a moment", why);
    return refuse(401, g->takes_clients && q->client_fault ? q->client_fault :
                  !has_tokens(g, least) ? "a client certificate is required" :
                  g->takes_clients ?
                  "the header 'Authorization: Bearer TOKEN' or a client certificate is required" :
                  "the header 'Authorization: Bearer TOKEN' is required", why);
}

static bool is_json(const char *type)
{
    static const char json[] = "application/json";

    return type && strncasecmp(type, json, sizeof json - 1) == 0 &&
           !isalnum((unsigned char)type[sizeof json - 1]);
}

int gate_check(struct gate *g, const struct gate_request *q, uint64_t now_us, const char **why)
{
    bool is_read = strcmp(q->method, "GET") == 0 || strcmp(q->method, "HEAD") == 0;

    if (!q->host || !is_known_host(g, q->host))
        return refuse(421, "the header Host names another machine; see 'hosts' of 'http'", why);
    if (!is_read && g->is_public)
        return refuse(405, "read-only: GET and HEAD", why);
    if (!is_read && strcmp(q->method, "POST") != 0)
        return refuse(405, "only GET, HEAD and POST are supported", why);
    if (is_foreign_page(q))
        return refuse(403, "requests from pages of other sites are refused", why);
    if (!is_read && !is_json(q->type))
        return refuse(415, "the header Content-Type must be application/json", why);
    return is_read && g->is_open ? 0 :
           check_token(g, q, is_read ? GATE_VIEW : GATE_APPROVE, now_us, why);
}
