#include "live/wire/tls/secure.h"
#include "base/io/clock.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REFRESH_S 60

enum { CA, CERT, KEY, FILES };

struct secure {
    char     *path[FILES];
    SSL_CTX  *context;
    unsigned  refresh_s;
    int64_t   looked_s;          /* when the files were last read */
    bool      is_client, is_old;
};

static const unsigned char h2_name[] = { 2, 'h', '2' };        /* gRPC speaks HTTP/2 alone */

/* ---- contexts ---- */

static int choose(SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *in,
                  unsigned in_length, void *arg)
{
    (void)ssl;
    (void)arg;
    return SSL_select_next_proto((unsigned char **)out, length, h2_name, sizeof h2_name, in,
                                 in_length) == OPENSSL_NPN_NEGOTIATED ?
           SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* A daemon cannot use a key with a password. */
/* NOLINT(readability-non-const-parameter): OpenSSL's */
static int no_password(char *buf, int size, int is_write, void *arg)
{
    (void)buf, (void)size, (void)is_write, (void)arg;
    return 0;
}

static int use_files(SSL_CTX *context, char *const path[FILES], struct err *err)
{
    SSL_CTX_set_default_passwd_cb(context, no_password);
    for (int i = 0; i < FILES; i++)
        if (faccessat(AT_FDCWD, path[i], R_OK, AT_EACCESS))          /* a capability may allow it */
            return err_set(err, errno, "%s: %s", path[i], strerror(errno));
    if (SSL_CTX_load_verify_file(context, path[CA]) != 1)
        return err_set(err, EBADMSG, "%s: it is no certificate", path[CA]);
    if (SSL_CTX_use_certificate_chain_file(context, path[CERT]) != 1)
        return err_set(err, EBADMSG, "%s: it is no certificate", path[CERT]);
    if (SSL_CTX_use_PrivateKey_file(context, path[KEY], SSL_FILETYPE_PEM) != 1 &&
        ERR_GET_REASON(ERR_peek_last_error()) != X509_R_KEY_VALUES_MISMATCH)
        return err_set(err, EBADMSG, "%s: it is no key, or has a password", path[KEY]);
    return SSL_CTX_check_private_key(context) == 1 ? 0 :
           err_set(err, EBADMSG, "%s and %s do not belong together", path[CERT], path[KEY]);
}

/* Buffers are given back while nothing is in them, where there are a thousand connections. */
static void set_up(SSL_CTX *context, bool is_client, bool is_old)
{
    SSL_CTX_set_min_proto_version(context, is_old ? TLS1_2_VERSION : TLS1_3_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (is_client ? 0 : SSL_VERIFY_FAIL_IF_NO_PEER_CERT), NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                     (is_client ? 0 : SSL_MODE_RELEASE_BUFFERS));
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_num_tickets(context, 0);
    if (!is_client)
        SSL_CTX_set_alpn_select_cb(context, choose, NULL);
    else if (SSL_CTX_set_alpn_protos(context, h2_name, sizeof h2_name))
        die("no memory");
}

/* Reads the files. Unless they are complete and fit together, the context stays as it is. */
static int read_files(struct secure *s, struct err *err)
{
    SSL_CTX *context = SSL_CTX_new(s->is_client ? TLS_client_method() : TLS_server_method());

    if (!context)
        die("no memory");
    int rc = use_files(context, s->path, err);
    ERR_clear_error();           /* or it would be taken for that of a connection */
    if (!rc) {
        set_up(context, s->is_client, s->is_old);
        SSL_CTX_free(s->context);                /* existing connections keep it */
        s->context = context;
    } else
        SSL_CTX_free(context);
    s->looked_s = (int64_t)(clock_us() / 1000000);
    return rc;
}

int secure_open(struct secure **out, const struct rpc_tls *tls, bool is_client, struct err *err)
{
    struct secure *s;

    *out = NULL;
    if (!tls->ca)
        return 0;
    s = xcalloc(1, sizeof *s);
    signal(SIGPIPE, SIG_IGN);    /* OpenSSL writes to sockets without MSG_NOSIGNAL */
    *s = (struct secure){ .path = { xstrdup(tls->ca), xstrdup(tls->cert), xstrdup(tls->key) },
                          .refresh_s = tls->refresh_s ? tls->refresh_s : REFRESH_S, .is_client = is_client,
                          .is_old = tls->is_old };
    int rc = read_files(s, err);
    if (rc)
        secure_free(s);
    else
        *out = s;
    return rc;
}

void secure_free(struct secure *s)
{
    if (!s)
        return;
    for (int i = 0; i < FILES; i++)
        free(s->path[i]);
    SSL_CTX_free(s->context);
    free(s);
}

/* Files that are just being replaced are taken at the next look. */
static void look_again(struct secure *s)
{
    struct err ignored;

    if ((int64_t)(clock_us() / 1000000) - s->looked_s >= s->refresh_s)
        (void)read_files(s, &ignored);
}

SSL *secure_begin(struct secure *s, int fd, const char *host)
{
    look_again(s);
    SSL *ssl = SSL_new(s->context);
    if (!ssl || SSL_set_fd(ssl, fd) != 1)
        die("no memory");
    if (!s->is_client) {
        SSL_set_accept_state(ssl);
        return ssl;
    }
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) != 1 &&         /* it is a name */
        (SSL_set1_host(ssl, host) != 1 || SSL_set_tlsext_host_name(ssl, host) != 1))
        die("no memory");
    SSL_set_connect_state(ssl);
    return ssl;
}

const char *secure_refusal(const SSL *ssl)
{
    const unsigned char *name;
    unsigned             length;
    long                 why = SSL_get_verify_result(ssl);

    if (why != X509_V_OK)
        return X509_verify_cert_error_string(why);
    SSL_get0_alpn_selected(ssl, &name, &length);
    return SSL_is_init_finished(ssl) && !(length == 2 && memcmp(name, "h2", 2) == 0) ?
           "it does not speak HTTP/2" : NULL;
}

/* ---- names ---- */

struct name_list { char (*name)[SECURE_NAME_SIZE]; uint32_t count, max; };

static void add_name(struct name_list *l, const unsigned char *text, int length)
{
    if (length <= 0 || length >= SECURE_NAME_SIZE || l->count == l->max)
        return;
    for (int i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~' || text[i] == '*')
            return;
    for (uint32_t i = 0; i < l->count; i++)
        if (strlen(l->name[i]) == (size_t)length && memcmp(l->name[i], text, (size_t)length) == 0)
            return;
    memcpy(l->name[l->count], text, (size_t)length);
    l->name[l->count++][length] = '\0';
}

static void add_common_name(struct name_list *l, const X509 *cert)
{
    X509_NAME             *subject = X509_get_subject_name(cert);
    int                    at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    const ASN1_STRING     *value = at < 0 ? NULL : X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));

    if (value)
        add_name(l, ASN1_STRING_get0_data(value), ASN1_STRING_length(value));
}

/* Every machine has this one. */
static bool is_localhost(const ASN1_STRING *s)
{
    return ASN1_STRING_length(s) == 9 && memcmp(ASN1_STRING_get0_data(s), "localhost", 9) == 0;
}

static void add_other_names(struct name_list *l, const X509 *cert)
{
    GENERAL_NAMES *all = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);

    for (int i = 0; i < sk_GENERAL_NAME_num(all); i++) {
        const GENERAL_NAME *n = sk_GENERAL_NAME_value(all, i);

        if ((n->type == GEN_DNS && !is_localhost(n->d.ia5)) || n->type == GEN_URI)
            add_name(l, ASN1_STRING_get0_data(n->d.ia5), ASN1_STRING_length(n->d.ia5));
    }
    GENERAL_NAMES_free(all);
}

uint32_t secure_names(const SSL *ssl, char (*name)[SECURE_NAME_SIZE], uint32_t max)
{
    struct name_list list = { name, 0, max };
    X509            *cert = SSL_get1_peer_certificate(ssl);

    if (cert) {
        add_common_name(&list, cert);
        add_other_names(&list, cert);
    }
    X509_free(cert);
    return list.count;
}

/* ---- ends ---- */

static int64_t ends_s(const X509 *cert)
{
    struct tm tm;

    return cert && ASN1_TIME_to_tm(X509_get0_notAfter(cert), &tm) == 1 ? (int64_t)timegm(&tm) : 0;
}

int64_t secure_ends_s(struct secure *s)
{
    if (!s)
        return 0;
    look_again(s);
    return ends_s(SSL_CTX_get0_certificate(s->context));
}

int64_t secure_peer_ends_s(const SSL *ssl)
{
    X509   *cert = SSL_get1_peer_certificate(ssl);
    int64_t ends = ends_s(cert);

    X509_free(cert);
    return ends;
}

/* ---- refusals ---- */

enum secure_refusal secure_refused(const SSL *ssl, int reason)
{
    long why = SSL_get_verify_result(ssl);

    switch (reason) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return SECURE_NO_CERTIFICATE;
    case SSL_R_UNSUPPORTED_PROTOCOL: case SSL_R_NO_SHARED_CIPHER: return SECURE_OLD;
    case SSL_R_HTTP_REQUEST: case SSL_R_WRONG_VERSION_NUMBER: case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_BAD_RECORD_TYPE: case SSL_R_HTTPS_PROXY_REQUEST: return SECURE_PLAIN;
    default: break;
    }
    if (why == X509_V_ERR_CERT_HAS_EXPIRED || why == X509_V_ERR_CERT_NOT_YET_VALID)
        return SECURE_EXPIRED;
    return why != X509_V_OK ? SECURE_AUTHORITY : reason ? SECURE_OTHER : SECURE_GONE;
}

const char *secure_refusal_text(enum secure_refusal r)
{
#define TEXT(id, text) [SECURE_##id] = text,
    static const char *const texts[] = { SECURE_REFUSALS(TEXT) };

    return texts[r];
}
