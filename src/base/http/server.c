#include "base/http/server.h"
#include "base/minmax.h"
#include "base/text.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* ---- client certificates ---- */

#define NAME_SIZE         128
#define PEER_SUBJECT_SIZE 128

/* Returns why the certificate is invalid: issuer, validity period or purpose. NULL: valid. */
static const char *find_fault(gnutls_session_t session)
{
    gnutls_typed_vdata_st purpose = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
                                      .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT };
    unsigned              status = 0;

    if (gnutls_certificate_verify_peers(session, &purpose, 1, &status) < 0)
        return "the certificate cannot be checked";
    return status & GNUTLS_CERT_EXPIRED ? "the certificate has expired" :
           status & GNUTLS_CERT_NOT_ACTIVATED ? "the certificate is not valid yet" :
           status & GNUTLS_CERT_PURPOSE_MISMATCH ? "the certificate is not one for clients" :
           status ? "the certificate is not from an authority of 'client_ca'" : NULL;
}

static bool read_peer_names(const gnutls_datum_t *der, char name[NAME_SIZE], char subject[PEER_SUBJECT_SIZE])
{
    size_t            name_size = NAME_SIZE, subject_size = PEER_SUBJECT_SIZE;
    gnutls_x509_crt_t cert;

    name[0] = subject[0] = '\0';
    if (gnutls_x509_crt_init(&cert))
        return false;
    int rc = gnutls_x509_crt_import(cert, der, GNUTLS_X509_FMT_DER);
    rc = rc ? rc : gnutls_x509_crt_get_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &name_size);
    if (!rc && strlen(name) != name_size)
        rc = -1;                 /* a zero byte: the displayed name would differ from the signed one */
    if (!rc && gnutls_x509_crt_get_dn(cert, subject, &subject_size))
        memcpy(subject, name, NAME_SIZE);        /* the full subject is too long */
    gnutls_x509_crt_deinit(cert);
    for (char *c = subject; *c; c++)             /* what could corrupt logs or JSON */
        *c = (char)(*c < ' ' || *c > '~' || *c == '"' || *c == '\\' ? '?' : *c);
    return rc == 0;
}

/* half of these per address; fewer if the process may open few files */
#define CONNECTIONS_MAX   128u
#define LISTENERS_MAX     16u
#define HEAD_BYTES_MAX    16384
#define SILENT_S_MAX      3u     /* timeout within a request; libmicrohttpd detects disconnects late there */
#define IDLE_S_MAX        60u    /* between requests */
#define TOKEN_LENGTH_MIN  16
#define RUNS_MAX          64     /* calls of libmicrohttpd per server_run(), so that the loop can continue */

struct server {
    struct MHD_Daemon   *daemon;
    struct server_hooks  hooks;
    struct gate          gate;
    struct http_config   config;                 /* hosts and clients only */
    char                *token[GATE_RIGHTS], *cert, *key, *trust;        /* contents of the files */
    char                *name;                   /* host name of the listening address */
    int                  fd;
    struct event_listener *listeners;
    struct server_counts counts;
    char                 address[80];
};

/* A client that reads SERVER_EVENTS. */
struct event_listener {
    struct server         *server;
    struct MHD_Connection *connection;
    struct event_listener *next, **from;
    struct server_cursor   cursor;
    char                  *text;                 /* partly sent */
    size_t                 length, sent;
    bool                   is_asleep;
};

struct http_request { char body[SERVER_BODY_MAX + 1]; size_t length; bool is_too_long; };

/* ---- replies ---- */

static enum MHD_Result send_reply(struct server *s, struct MHD_Connection *c, struct server_reply r)
{
    struct MHD_Response *m = MHD_create_response_from_buffer(r.length ? r.length : strlen(r.text), r.text,
                                                            MHD_RESPMEM_MUST_FREE);

    s->counts.requests++;
    s->counts.refused += r.status >= 400;
    s->counts.wrong_tokens += r.status == 401 || r.status == 429;
    MHD_add_response_header(m, "Content-Type", r.type);
    MHD_add_response_header(m, "Cache-Control", "no-store");
    MHD_add_response_header(m, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(m, "X-Frame-Options", "DENY");
    MHD_add_response_header(m, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(m, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(
        m, "Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    if (r.status == 401)
        MHD_add_response_header(m, "WWW-Authenticate", "Bearer realm=\"anole\"");
    if (r.status == 405)
        MHD_add_response_header(m, "Allow", s->gate.is_public ? "GET, HEAD" : "GET, HEAD, POST");
    if (r.status < 400)
        MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, IDLE_S_MAX);
    enum MHD_Result rc = MHD_queue_response(c, r.status, m);
    MHD_destroy_response(m);
    return rc;
}

static enum MHD_Result refuse(struct server *s, struct MHD_Connection *c, unsigned status, const char *why)
{
    return send_reply(s, c, (struct server_reply){ status, "application/json",
                                                   xprintf("{\"error\":\"%s\"}\n", why), 0 });
}

/* ---- events ---- */

static void drop_listener(void *arg)
{
    struct event_listener *l = arg;

    *l->from = l->next;
    if (l->next)
        l->next->from = l->from;
    l->server->counts.listeners--;
    free(l->text);
    free(l);
}

/* Without events, suspends the connection until server_wake(). */
static ssize_t read_events(void *arg, uint64_t pos, char *buf, size_t max)
{
    struct event_listener *l = arg;

    (void)pos;
    if (l->text && l->sent == l->length) {
        free(l->text);
        l->text = NULL;
    }
    if (!l->text) {
        l->text = l->server->hooks.events(l->server->hooks.arg, &l->cursor);
        l->length = l->text ? strlen(l->text) : 0;
        l->sent = 0;
    }
    if (!l->length) {
        l->is_asleep = true;
        MHD_suspend_connection(l->connection);
        return 0;
    }
    size_t part = l->length - l->sent < max ? l->length - l->sent : max;
    memcpy(buf, l->text + l->sent, part);
    l->sent += part;
    return (ssize_t)part;
}

static enum MHD_Result start_events(struct server *s, struct MHD_Connection *c)
{
    const char            *last = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Last-Event-ID");
    struct MHD_Response   *m;
    struct event_listener *l;
    struct err             ignored;

    if (s->counts.listeners == LISTENERS_MAX)
        return refuse(s, c, 503, "too many listeners");
    l = xcalloc(1, sizeof *l);
    *l = (struct event_listener){ .server = s, .connection = c, .next = s->listeners, .from = &s->listeners };
    if (last)
        (void)text_to_uint(last, &l->cursor.last, &ignored);
    if (l->next)
        l->next->from = &l->next;
    s->listeners = l;
    s->counts.listeners++;
    s->counts.requests++;
    m = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_events, l, drop_listener);
    MHD_add_response_header(m, "Content-Type", "text/event-stream");
    MHD_add_response_header(m, "Cache-Control", "no-store");
    MHD_add_response_header(m, "X-Content-Type-Options", "nosniff");
    enum MHD_Result rc = MHD_queue_response(c, 200, m);
    MHD_destroy_response(m);
    return rc;
}

void server_wake(struct server *s)
{
    for (struct event_listener *l = s ? s->listeners : NULL; l; l = l->next)
        if (l->is_asleep) {
            l->is_asleep = false;
            MHD_resume_connection(l->connection);
        }
}

/* ---- requests ---- */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* What a client may do who sent a valid certificate of a trusted CA with a common name that we know. Stores
 * its subject ("O=Example,CN=operator"). Otherwise *fault holds the reason; NULL: no certificate. */
static enum gate_right right_by_certificate(const struct server *s, struct MHD_Connection *c,
                                            char subject[PEER_SUBJECT_SIZE], const char **fault)
{
    const union MHD_ConnectionInfo *tls =
        s->trust ? MHD_get_connection_info(c, MHD_CONNECTION_INFO_GNUTLS_SESSION) : NULL;
    gnutls_session_t      session = tls ? tls->tls_session : NULL;
    unsigned              certs = 0;
    const gnutls_datum_t *der = session ? gnutls_certificate_get_peers(session, &certs) : NULL;
    char                  name[NAME_SIZE];
    int                   right = GATE_NOTHING;

    *fault = NULL;
    if (!der || !certs || (*fault = find_fault(session)))
        return GATE_NOTHING;
    if (read_peer_names(&der[0], name, subject))
        for (int k = GATE_VIEW; k < GATE_RIGHTS; k++)
            for (uint32_t i = 0; i < s->config.clients[k]; i++)
                right = strcmp(s->config.client[k][i], name) == 0 ? k : right;
    *fault = right ? NULL :
             "the name in the certificate is not one of 'operators', 'approvers' or 'viewers' of 'http'";
    return (enum gate_right)right;
}

static enum MHD_Result answer_request(struct server *s, struct MHD_Connection *c, const char *method,
                                      const char *path, const struct http_request *q)
{
    struct server_reply r = { 200, "application/json", NULL, 0 };
    char                subject[PEER_SUBJECT_SIZE];
    const char         *why = "", *fault;
    enum gate_right     right = right_by_certificate(s, c, subject, &fault);
    const char         *client = right != GATE_NOTHING ? subject : NULL;
    struct gate_request access = { method, header(c, "Host"), header(c, "Authorization"), header(c, "Origin"),
                                   header(c, "Sec-Fetch-Site"), header(c, "Content-Type"),
                                   header(c, "Sec-Fetch-Dest"), client, right, fault };
    int                 status = gate_check(&s->gate, &access, s->hooks.now_us(), &why);
    bool                is_shell = s->hooks.shell && strcmp(path, s->hooks.shell) == 0 &&
                                   strcmp(method, "POST") != 0;

    if (status && !(status == 401 && is_shell))
        return refuse(s, c, (unsigned)status, why);
    if (q->is_too_long)
        return refuse(s, c, 413, "the body is too long");
    if (s->hooks.events && strcmp(path, SERVER_EVENTS) == 0 && strcmp(method, "GET") == 0)
        return start_events(s, c);
    s->hooks.answer(s->hooks.arg, &(struct server_request){ method, path, q->body, q->length, client,
                                                              gate_right(&s->gate, &access) }, &r);
    return send_reply(s, c, r);
}

/* Called once for the head, for each part of the body, and once at the end. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path, const char *method,
                                  const char *version, const char *part, size_t *length, void **state)
{
    struct server  *s = arg;
    struct http_request *q = *state;

    (void)version;
    if (!q) {
        *state = xcalloc(1, sizeof *q);
        return MHD_YES;
    }
    if (!*length)
        return answer_request(s, c, method, path, q);
    if (q->length + *length > SERVER_BODY_MAX)
        q->is_too_long = true;
    else {
        memcpy(q->body + q->length, part, *length);
        q->length += *length;
    }
    *length = 0;
    return MHD_YES;
}

static void on_end(void *arg, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode code)
{
    (void)arg, (void)c, (void)code;
    free(*state);
    *state = NULL;
}

/* ---- open ---- */

/* Reads the first line of a file, which must not be for others. Its group may read it: a service's group,
 * whose files belong to root. */
static int read_token(struct server *s, enum gate_right right, const char *path, struct err *err)
{
    struct stat st;
    size_t      length;
    char      **token = &s->token[right];

    if (!path)
        return 0;
    if (stat(path, &st) == 0 && (st.st_mode & 0037))
        return err_set(err, EPERM, "%s: readable by others; chmod 640", path);
    if (text_read_file(path, 4096, token, &length, err))
        return -EIO;
    (*token)[strcspn(*token, "\r\n")] = '\0';
    if (strlen(*token) < TOKEN_LENGTH_MIN)
        return err_set(err, EINVAL, "%s: a token has at least %d characters", path, TOKEN_LENGTH_MIN);
    for (int i = 0; i < GATE_RIGHTS; i++)
        if (i != (int)right && s->token[i] && gate_is_same(s->token[i], *token))
            return err_set(err, EINVAL, "%s: the token of another role is the same", path);
    return 0;
}

static int read_files(struct server *s, const struct http_config *c, struct err *err)
{
    size_t length;
    int    rc = read_token(s, GATE_OPERATE, c->token, err);

    rc = rc ? rc : read_token(s, GATE_APPROVE, c->approver_token, err);
    rc = rc ? rc : read_token(s, GATE_VIEW, c->viewer_token, err);
    if (!rc && c->cert)
        rc = text_read_file(c->cert, 1ul << 20, &s->cert, &length, err);
    if (!rc && c->key)
        rc = text_read_file(c->key, 1ul << 20, &s->key, &length, err);
    if (!rc && c->client_ca)
        rc = text_read_file(c->client_ca, 1ul << 20, &s->trust, &length, err);
    return rc;
}

/* Accepts "host:port" and "[::1]:port". */
static int resolve(const char *address, struct addrinfo **out, struct err *err)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
    struct address  at;
    uint64_t        port;
    struct err      ignored;

    if (address_split(&at, address) || text_to_uint(at.port, &port, &ignored) || port > 65535)
        return err_set(err, EINVAL, "%.80s: an address is host:port, such as 127.0.0.1:8123 or [::1]:8123",
                       address);
    if (getaddrinfo(*at.host ? at.host : NULL, at.port, &hints, out))
        return err_set(err, EADDRNOTAVAIL, "%s: there is no such address", address);
    return 0;
}

static void note_address(struct server *s, const struct addrinfo *a)
{
    const union MHD_DaemonInfo *port = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    char                        host[64];

    if (getnameinfo(a->ai_addr, a->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST))
        host[0] = '\0';
    snprintf(s->address, sizeof s->address, a->ai_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
             port ? port->port : 0u);
}

static unsigned connections_max(void)
{
    struct rlimit l = { .rlim_cur = RLIM_INFINITY };

    getrlimit(RLIMIT_NOFILE, &l);
    return (unsigned)min_u64(l.rlim_cur / 4, CONNECTIONS_MAX);
}

static struct MHD_Daemon *start_at(struct server *s, const struct addrinfo *a)
{
    unsigned              flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    struct MHD_OptionItem tls[] = { { MHD_OPTION_HTTPS_MEM_KEY, 0, s->key },
                                    { MHD_OPTION_HTTPS_MEM_CERT, 0, s->cert },
                                    { MHD_OPTION_HTTPS_PRIORITIES, 0, "NORMAL:-VERS-ALL:+VERS-TLS1.3" },
                                    /* requests a certificate, but does not require one */
                                    { s->trust ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0, s->trust },
                                    { MHD_OPTION_END, 0, NULL } };
    struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };
    unsigned              connections = connections_max();

    flags |= (s->cert ? (unsigned)MHD_USE_TLS : 0) | (a->ai_family == AF_INET6 ? (unsigned)MHD_USE_IPv6 : 0);
    errno = 0;
    return MHD_start_daemon(flags, 0, NULL, NULL, on_request, s, MHD_OPTION_SOCK_ADDR, a->ai_addr,
                            MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                            connections / 2, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES_MAX,
                            MHD_OPTION_CONNECTION_TIMEOUT, SILENT_S_MAX, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                            MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_ARRAY, s->cert ? tls : none,
                            MHD_OPTION_END);
}

/* Listens on the first usable address of the name. */
static int start_daemon(struct server *s, const char *listen, struct err *err)
{
    struct addrinfo *list = NULL, *a;
    int              rc = resolve(listen, &list, err);

    if (rc)
        return rc;
    for (a = list; a && !s->daemon; a = a->ai_next) {
        s->daemon = start_at(s, a);
        if (s->daemon)
            note_address(s, a);
    }
    if (s->daemon)
        s->fd = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    else
        rc = err_set(err, errno ? errno : EINVAL, "%.80s: cannot listen there: %s", listen,
                     errno ? strerror(errno) : "certificate and key do not fit");
    freeaddrinfo(list);
    return rc;
}

static void set_gate(struct server *s, const struct http_config *c)
{
    const char *colon = strrchr(c->listen, ':');

    gate_init(&s->gate, s->token[GATE_OPERATE], c->is_public || http_is_local(c->listen));
    s->gate.is_public = c->is_public;
    s->gate.takes_clients = c->client_ca != NULL;
    s->gate.token[GATE_APPROVE] = s->token[GATE_APPROVE];
    s->gate.token[GATE_VIEW] = s->token[GATE_VIEW];
    for (int k = GATE_VIEW; k < GATE_RIGHTS; k++)
        for (uint32_t i = 0; i < c->clients[k]; i++)
            s->config.client[k][s->config.clients[k]++] = xstrdup(c->client[k][i]);
    s->gate.has_any_name = c->is_public && http_is_everywhere(c->listen);
    for (; s->config.hosts < c->hosts; s->config.hosts++)
        s->gate.host[s->gate.hosts++] = s->config.host[s->config.hosts] = xstrdup(c->host[s->config.hosts]);
    /* Adds the host name of the listening address to the known names. */
    if (colon && colon != c->listen && !http_is_everywhere(c->listen))
        s->gate.host[s->gate.hosts++] = s->name = strndup(c->listen, (size_t)(colon - c->listen));
}

int server_open(struct server **out, const struct http_config *c, const struct server_hooks *hooks,
                struct err *err)
{
    struct server *s = xcalloc(1, sizeof *s);

    *s = (struct server){ .hooks = *hooks, .fd = -1 };
    int rc = read_files(s, c, err);
    set_gate(s, c);
    rc = rc ? rc : start_daemon(s, c->listen, err);
    if (rc) {
        server_free(s);
        s = NULL;
    }
    *out = s;
    return rc;
}

int server_check(const struct http_config *c, bool has_address, struct err *err)
{
    struct http_config  here = *c;
    struct server_hooks none = { 0 };
    struct server      *s;

    if (!c->is_on)
        return 0;
    if (has_address)
        here.listen = (char *)"127.0.0.1:0";     /* a certificate is not for one address */
    int rc = server_open(&s, &here, &none, err);
    server_free(s);
    return rc;
}

void server_free(struct server *s)
{
    if (!s)
        return;
    server_wake(s);
    if (s->daemon)
        MHD_stop_daemon(s->daemon);
    http_config_fini(&s->config);
    free(s->name);
    for (int i = 0; i < GATE_RIGHTS; i++)
        free(s->token[i]);
    free(s->cert);
    free(s->key);
    free(s->trust);
    free(s);
}

/* ---- run ---- */

int server_fd(const struct server *s)
{
    return s ? s->fd : -1;
}

void server_run(struct server *s)
{
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;

    for (int i = 0; s && i < RUNS_MAX; i++) {
        MHD_run(s->daemon);
        if (MHD_get_timeout(s->daemon, &wait_ms) != MHD_YES || wait_ms)
            return;
    }
}

struct server_counts server_counts(const struct server *s)
{
    return s->counts;
}

const char *server_address(const struct server *s)
{
    return s->address;
}
