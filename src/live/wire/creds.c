/* src/live/wire/creds.c - see creds.h. */
#include "live/wire/creds.h"
#include "live/wire/identity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_here(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strncmp(address, "localhost:", 10) == 0 ||
           strncmp(address, "[::1]:", 6) == 0 || strncmp(address, "unix:", 5) == 0;
}

int creds_check(const char *address, const struct rpc_tls *tls, struct err *err)
{
    const char *file[] = { tls->ca, tls->cert, tls->key };

    if (!tls->ca)
        return is_here(address) ? 0 : err_set(err, EPERM, "%s: without TLS only this machine can be reached; write 127.0.0.1:PORT, "
                                              "or give tls", address);
    for (int i = 0; i < 3; i++)
        if (access(file[i], R_OK))
            return err_set(err, errno, "%s: %s", file[i], strerror(errno));
    return 0;
}

struct creds { struct identity identity; };

int creds_open(struct creds **out, const struct rpc_tls *tls, struct err *err)
{
    struct creds *c;
    int           rc;

    *out = NULL;
    if (!tls->ca)
        return 0;
    c = xcalloc(1, sizeof *c);
    rc = identity_open(&c->identity, tls, err);
    if (rc) {
        free(c);
        return rc;
    }
    *out = c;
    return 0;
}

void creds_free(struct creds *c)
{
    if (!c)
        return;
    identity_fini(&c->identity);
    free(c);
}

static grpc_channel_credentials *client(const struct creds *c)
{
    grpc_ssl_pem_key_cert_pair pair;

    if (!c)
        return grpc_insecure_credentials_create();
    pair = (grpc_ssl_pem_key_cert_pair){ c->identity.text[2], c->identity.text[1] };
    return grpc_ssl_credentials_create(c->identity.text[0], &pair, NULL, NULL);
}

static grpc_arg number(const char *key, int value)
{
    return (grpc_arg){ .type = GRPC_ARG_INTEGER, .key = (char *)key, .value.integer = value };
}

grpc_channel *creds_channel(const char *address, const struct creds *files)
{
    grpc_arg args[] = { number(GRPC_ARG_KEEPALIVE_TIME_MS, 10000), number(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5000),
                        number(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1), number(GRPC_ARG_HTTP2_BDP_PROBE, 0), number(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200),
                        /* what each message would go through, and nobody uses */
                        number(GRPC_ARG_ENABLE_RETRIES, 0), number(GRPC_ARG_ENABLE_CHANNELZ, 0), number(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0),
                        number(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20000), number(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000) };
    grpc_channel_args         list = { sizeof args / sizeof *args, args };
    grpc_channel_credentials *creds = client(files);
    grpc_channel             *channel = grpc_channel_create(address, creds, &list);

    grpc_channel_credentials_release(creds);
    return channel;
}

grpc_channel *creds_renew(grpc_channel *channel, const char *address, struct creds *c)
{
    if (!c || !identity_look(&c->identity))
        return channel;
    grpc_channel_destroy(channel);
    return creds_channel(address, c);
}

void creds_peer(grpc_call *call, char *name, size_t size)
{
    grpc_auth_context               *context = grpc_call_auth_context(call);
    grpc_auth_property_iterator      i;
    const grpc_auth_property        *p;

    name[0] = '\0';
    if (!context)
        return;
    i = grpc_auth_context_find_properties_by_name(context, GRPC_X509_CN_PROPERTY_NAME);
    p = grpc_auth_property_iterator_next(&i);
    if (p && p->value_length < size)
        snprintf(name, size, "%.*s", (int)p->value_length, p->value);
    grpc_auth_context_release(context);
}
