/* src/live/wire/rpc.c - see rpc.h: either end, behind one name. */
#include "live/wire/rpc.h"
#include "live/wire/endpoint.h"
#include "live/wire/dial.h"
#include "live/wire/serve.h"

#include <stdlib.h>

struct rpc { struct serve *serve; struct dial *dial; };          /* one of them */

static struct rpc *rpc_new(struct serve *serve, struct dial *dial)
{
    struct rpc *r = xcalloc(1, sizeof *r);

    *r = (struct rpc){ serve, dial };
    return r;
}

int rpc_check(const char *address, const struct rpc_tls *tls, struct err *err)
{
    return address_check(address, tls, err);
}

int rpc_serve(struct rpc **out, const char *address, const struct rpc_tls *tls,
              const struct serve_limits *limits, struct err *err)
{
    struct serve_limits usual = { .account = ACCOUNT_LIMITS };
    struct serve *serve = NULL;
    int           rc = address_check(address, tls, err);

    rc = rc ? rc : serve_open(&serve, address, tls, limits ? limits : &usual, err);
    *out = rc ? NULL : rpc_new(serve, NULL);
    return rc;
}

int rpc_dial(struct rpc **out, const char *address, const struct rpc_tls *tls, struct err *err)
{
    struct dial *dial;
    int          rc = dial_open(&dial, address, tls,
                                &(struct dial_what){ .method = RPC_CONNECT_METHOD }, err);

    *out = rc ? NULL : rpc_new(NULL, dial);
    return rc;
}

int rpc_serve_local(struct rpc *r, const char *path, const char *address, struct err *err)
{
    char       usual[ADDRESS_LOCAL_SIZE];
    struct err ignored;

    if (path)
        return serve_add_local(r->serve, path, err);
    for (unsigned i = 0; address_local(usual, address, i); i++)
        if (serve_add_local(r->serve, usual, &ignored) == 0)
            break;
    return 0;
}

const struct serve_counts *rpc_counts(const struct rpc *r)
{
    return serve_counts(r->serve);
}

bool rpc_may_log(const struct rpc *r, struct account *a)
{
    return serve_may_log(r->serve, a);
}

bool rpc_has_room(const struct rpc *r, struct account *a, const char *device)
{
    return serve_has_room(r->serve, a, device);
}

bool rpc_news(struct rpc *r, char *text, size_t size)
{
    return serve_news(r->serve, text, size);
}

void rpc_free(struct rpc *r)
{
    if (!r)
        return;
    serve_free(r->serve);
    dial_free(r->dial);
    free(r);
}

int rpc_fd(const struct rpc *r)
{
    return r->serve ? serve_fd(r->serve) : dial_fd(r->dial);
}

bool rpc_next(struct rpc *r, struct rpc_event *e)
{
    return r->serve ? serve_next(r->serve, e) : dial_next(r->dial, e);
}

/* Only clients reconnect. */
void rpc_redial(struct rpc *r)
{
    if (r->dial)
        dial_again(r->dial);
}

void rpc_cut(struct rpc *r, uint32_t link)
{
    if (r->serve)
        serve_cut(r->serve, link);
    else
        dial_cut(r->dial, link);
}

void rpc_send(struct rpc *r, uint32_t link, const void *bytes, size_t length)
{
    if (r->serve)
        serve_send(r->serve, link, bytes, length);
    else
        dial_send(r->dial, link, bytes, length);
}

/* Only servers are asked. */
void rpc_reply(struct rpc *r, uint32_t link, const void *bytes, size_t length)
{
    if (r->serve)
        serve_reply(r->serve, link, bytes, length);
}
