#include "http/gate.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define TRIES_MAX       10.0
#define TRIES_PER_S     1.0

void gate_init(struct gate *g, const char *token, bool is_open)
{
    *g = (struct gate){ .token = token, .is_open = is_open, .tries = TRIES_MAX };
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

    if (g->has_any_name)
        return true;
    if (is_name(host, length, "localhost") || is_name(host, length, "127.0.0.1") ||
        is_name(host, length, "[::1]"))
        return true;
    for (uint32_t i = 0; i < g->hosts; i++)
        if (is_name(host, length, g->host[i]))
            return true;
    return false;
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

static bool has_token(const struct gate *g, const struct gate_request *q)
{
    const char *text = q->authorization;

    if (!text || !g->token || strncasecmp(text, "Bearer ", 7) != 0)
        return false;
    for (text += 7; *text == ' '; text++)
        ;
    return gate_is_same(g->token, text);
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

static int check_token(struct gate *g, const struct gate_request *q, uint64_t now_us, const char **why)
{
    if (!g->token && !g->takes_clients) {
        *why = "read-only: the configuration names no token";
        return 403;
    }
    if ((g->takes_clients && q->client) || has_token(g, q))
        return 0;
    if (q->authorization && !take_try(g, now_us)) {
        *why = "too many wrong tokens; wait a moment";
        return 429;
    }
    *why = g->takes_clients && q->client_fault ? q->client_fault
           : !g->token                         ? "a client certificate is required"
           : g->takes_clients
               ? "the header 'Authorization: Bearer TOKEN' or a client certificate is required"
               : "the header 'Authorization: Bearer TOKEN' is required";
    return 401;
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

    if (!q->host || !is_known_host(g, q->host)) {
        *why = "the header Host names another machine; see 'hosts' of 'http'";
        return 421;
    }
    if (!is_read && g->is_public) {
        *why = "read-only: GET and HEAD";
        return 405;
    }
    if (!is_read && strcmp(q->method, "POST") != 0) {
        *why = "only GET, HEAD and POST are supported";
        return 405;
    }
    if (is_foreign_page(q)) {
        *why = "requests from pages of other sites are refused";
        return 403;
    }
    if (is_read)
        return g->is_open ? 0 : check_token(g, q, now_us, why);
    if (!is_json(q->type)) {
        *why = "the header Content-Type must be application/json";
        return 415;
    }
    return check_token(g, q, now_us, why);
}
