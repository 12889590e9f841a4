/* src/live/wire/creds.c - see creds.h. */
#include "live/wire/creds.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REFRESH_S 60

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

/* Both sides: the files are watched. */
static grpc_tls_credentials_options *options_of(const struct rpc_tls *tls)
{
    grpc_tls_credentials_options  *o = grpc_tls_credentials_options_create();
    grpc_tls_certificate_provider *files =
        grpc_tls_certificate_provider_file_watcher_create(tls->key, tls->cert, tls->ca,
                                                          tls->refresh_s ? tls->refresh_s : REFRESH_S);

    grpc_tls_credentials_options_set_certificate_provider(o, files);
    grpc_tls_certificate_provider_release(files);
    grpc_tls_credentials_options_watch_root_certs(o);
    grpc_tls_credentials_options_watch_identity_key_cert_pairs(o);
    return o;
}

grpc_server_credentials *creds_server(const struct rpc_tls *tls)
{
    grpc_tls_credentials_options *o;

    if (!tls->ca)
        return grpc_insecure_server_credentials_create();
    o = options_of(tls);
    grpc_tls_credentials_options_set_cert_request_type(o, GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    return grpc_tls_server_credentials_create(o);
}

grpc_channel_credentials *creds_client(const struct rpc_tls *tls)
{
    return tls->ca ? grpc_tls_credentials_create(options_of(tls)) : grpc_insecure_credentials_create();
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
