/* src/live/wire/rpc.c - see rpc.h.
 *
 * One thread waits at gRPC's completion queue; a lock guards all that it shares with the program's loop. A link is a call. Its
 * operations that are under way are counted, and the last of them frees it.
 */
#include "live/wire/rpc.h"
#include "live/wire/buffer.h"
#include "live/wire/creds.h"

#include <assert.h>
#include <grpc/support/time.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define CONNECT      "/anole.v1.Fabric/Connect"
#define WAITING_MAX  1024        /* messages that one link may leave waiting */
#define PLACE_BITS   20          /* of a link's number: its place; the rest says how often that was used */

enum op_kind { OP_NEW, OP_START, OP_RECEIVE, OP_SEND, OP_CLOSE, OP_STATUS, OP_KINDS };

struct link;
struct op { enum op_kind kind; struct link *link; };
struct waiting { struct waiting *next; grpc_byte_buffer *buffer; };
struct queued { struct queued *next; struct rpc_event event; };

struct link {
    struct rpc         *rpc;
    uint32_t            id;
    grpc_channel       *channel;                 /* its own; NULL: the program's one */
    grpc_call          *call;
    uint32_t            pending;                 /* operations under way */
    bool                is_open, is_closed, is_question, is_sending, is_ending;
    grpc_call_details   details;                 /* server */
    grpc_metadata_array metadata, trailing;
    grpc_byte_buffer   *received, *sent;
    grpc_status_code    status;                  /* client: how it ended */
    grpc_slice          status_text;
    int                 is_cancelled;            /* server */
    struct waiting     *first, **last;
    uint32_t            waiting;
    struct op           op[OP_KINDS];
    char                peer[64];
};

struct rpc {
    grpc_completion_queue *cq;
    grpc_server           *server;               /* or */
    grpc_channel          *channel;
    struct creds          *creds;
    char                  *address;              /* of a channel */
    pthread_t              thread;
    pthread_mutex_t        lock;
    int                    fd;
    struct link          **link;                 /* by place; NULL: it is free */
    uint32_t              *uses;                 /* of each place, so far */
    uint32_t               places, next;         /* next: where to look for a free one first */
    bool                   is_ending;
    struct queued         *first, **last;
};

/* ---- events for the loop ---- */

/* Returns the event, to be completed while the lock is held. */
static struct rpc_event *tell(struct rpc *r, const struct link *l, enum rpc_kind kind, const char *why)
{
    struct queued *q = xcalloc(1, sizeof *q);
    uint64_t       one = 1;
    bool           is_first = !r->first;         /* who is awake need not be woken */

    q->event = (struct rpc_event){ .kind = kind, .link = l->id };
    memcpy(q->event.peer, l->peer, sizeof l->peer);
    snprintf(q->event.why, sizeof q->event.why, "%s", why);
    *r->last = q;
    r->last = &q->next;
    if (is_first && write(r->fd, &one, sizeof one) < 0)
        assert(errno == EAGAIN);
    return &q->event;
}

bool rpc_next(struct rpc *r, struct rpc_event *e)
{
    struct queued *q;
    uint64_t       count;

    pthread_mutex_lock(&r->lock);
    q = r->first;
    if (q) {
        r->first = q->next;
        if (!r->first)
            r->last = &r->first;
        *e = q->event;
    } else if (read(r->fd, &count, sizeof count) < 0)
        assert(errno == EAGAIN);
    pthread_mutex_unlock(&r->lock);
    free(q);
    return q != NULL;
}

int rpc_fd(const struct rpc *r)
{
    return r->fd;
}

/* ---- links ---- */

/* Places are taken in turn, so that one that was just given back is not used again at once. */
static uint32_t free_place(struct rpc *r)
{
    uint32_t before = r->places;

    for (uint32_t i = 0; i < r->places; i++)
        if (!r->link[(r->next + i) % r->places])
            return (r->next = (r->next + i) % r->places + 1) - 1;
    assert(before < 1u << PLACE_BITS);
    r->places = 2 * before + 16;
    r->link = xrealloc(r->link, r->places * sizeof *r->link);
    r->uses = xrealloc(r->uses, r->places * sizeof *r->uses);
    memset(r->link + before, 0, (r->places - before) * sizeof *r->link);
    memset(r->uses + before, 0, (r->places - before) * sizeof *r->uses);
    r->next = before + 1;
    return before;
}

static struct link *link_new(struct rpc *r)
{
    struct link *l = xcalloc(1, sizeof *l);
    uint32_t     place = free_place(r);

    l->rpc = r;
    l->id = (r->uses[place]++ << PLACE_BITS | place) & INT32_MAX;
    r->link[place] = l;
    l->last = &l->first;
    l->status_text = grpc_empty_slice();
    for (int i = 0; i < OP_KINDS; i++)
        l->op[i] = (struct op){ (enum op_kind)i, l };
    grpc_call_details_init(&l->details);
    grpc_metadata_array_init(&l->metadata);
    grpc_metadata_array_init(&l->trailing);
    return l;
}

static struct link *link_find(struct rpc *r, uint32_t id)
{
    uint32_t     place = id & ((1u << PLACE_BITS) - 1);
    struct link *l = place < r->places ? r->link[place] : NULL;

    return l && l->id == id ? l : NULL;
}

static void drop_waiting(struct link *l)
{
    while (l->first) {
        struct waiting *w = l->first;

        l->first = w->next;
        grpc_byte_buffer_destroy(w->buffer);
        free(w);
    }
    l->last = &l->first;
    l->waiting = 0;
}

static void link_free(struct link *l)
{
    l->rpc->link[l->id & ((1u << PLACE_BITS) - 1)] = NULL;
    drop_waiting(l);
    grpc_call_details_destroy(&l->details);
    grpc_metadata_array_destroy(&l->metadata);
    grpc_metadata_array_destroy(&l->trailing);
    grpc_slice_unref(l->status_text);
    if (l->received)
        grpc_byte_buffer_destroy(l->received);
    if (l->call)
        grpc_call_unref(l->call);
    if (l->channel)
        grpc_channel_destroy(l->channel);
    free(l);
}

/* Starts operations that come back together. One that cannot be started comes to nothing: the call is over then. */
static void start(struct link *l, const grpc_op *ops, size_t count, enum op_kind kind)
{
    if (!l->rpc->is_ending && grpc_call_start_batch(l->call, ops, count, &l->op[kind], NULL) == GRPC_CALL_OK)
        l->pending++;
}

static void receive(struct link *l)
{
    grpc_op op = { .op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &l->received };

    start(l, &op, 1, OP_RECEIVE);
}

/* The last word of a server. */
static void end(struct link *l, grpc_status_code status)
{
    grpc_op op = { .op = GRPC_OP_SEND_STATUS_FROM_SERVER, .data.send_status_from_server.status = status };

    if (l->is_ending)
        return;
    l->is_ending = true;
    start(l, &op, 1, OP_STATUS);
}

static void send_next(struct link *l)
{
    struct waiting *w = l->first;
    grpc_op         op = { .op = GRPC_OP_SEND_MESSAGE };

    if (l->is_sending || !w || !l->is_open || l->is_closed)
        return;
    l->first = w->next;
    if (!l->first)
        l->last = &l->first;
    l->waiting--;
    l->is_sending = true;
    op.data.send_message.send_message = w->buffer;
    op.flags = l->first ? GRPC_WRITE_BUFFER_HINT : 0;
    start(l, &op, 1, OP_SEND);
    grpc_byte_buffer_destroy(w->buffer);
    free(w);
}

void rpc_send(struct rpc *r, uint32_t id, const void *bytes, size_t length)
{
    struct link    *l;
    struct waiting *w;

    pthread_mutex_lock(&r->lock);
    l = link_find(r, id);
    if (l && l->waiting >= WAITING_MAX && !l->is_closed)
        grpc_call_cancel(l->call, NULL);
    else if (l && !l->is_closed && !l->is_question) {
        w = xcalloc(1, sizeof *w);
        w->buffer = buffer_from(bytes, length);
        *l->last = w;
        l->last = &w->next;
        l->waiting++;
        send_next(l);
    }
    pthread_mutex_unlock(&r->lock);
}

void rpc_reply(struct rpc *r, uint32_t id, const void *bytes, size_t length)
{
    grpc_op      ops[2] = { { .op = GRPC_OP_SEND_MESSAGE }, { .op = GRPC_OP_SEND_STATUS_FROM_SERVER } };
    struct link *l;

    pthread_mutex_lock(&r->lock);
    l = link_find(r, id);
    if (l && l->is_question && !l->is_closed && !l->is_ending) {
        ops[0].data.send_message.send_message = buffer_from(bytes, length);
        ops[1].data.send_status_from_server.status = GRPC_STATUS_OK;
        l->is_ending = true;
        start(l, ops, 2, OP_STATUS);
        grpc_byte_buffer_destroy(ops[0].data.send_message.send_message);
    }
    pthread_mutex_unlock(&r->lock);
}

/* ---- what comes back ---- */

static void request_call(struct rpc *r)
{
    struct link *l;

    if (r->is_ending)
        return;
    l = link_new(r);
    if (grpc_server_request_call(r->server, &l->call, &l->details, &l->metadata, r->cq, r->cq, &l->op[OP_NEW]) == GRPC_CALL_OK)
        l->pending++;
    else
        link_free(l);
}

static void on_new(struct rpc *r, struct link *l)
{
    grpc_op first = { .op = GRPC_OP_SEND_INITIAL_METADATA };
    grpc_op close = { .op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &l->is_cancelled };
    bool    is_stream = grpc_slice_str_cmp(l->details.method, CONNECT) == 0;

    request_call(r);
    l->is_question = grpc_slice_str_cmp(l->details.method, RPC_ASK_METHOD) == 0;
    creds_peer(l->call, l->peer, sizeof l->peer);
    start(l, &close, 1, OP_CLOSE);
    start(l, &first, 1, OP_START);
    if (!is_stream && !l->is_question) {
        end(l, GRPC_STATUS_UNIMPLEMENTED);
        return;
    }
    receive(l);
    if (!is_stream)
        return;
    l->is_open = true;
    tell(r, l, RPC_OPEN, "");
}

static void on_receive(struct rpc *r, struct link *l, bool is_good)
{
    struct rpc_event *e;

    if (!is_good || !l->received) {
        if (r->server)
            end(l, GRPC_STATUS_OK);              /* the other side has nothing more to say */
        return;
    }
    e = tell(r, l, l->is_question ? RPC_ASK : RPC_DATA, "");
    e->bytes = buffer_bytes(l->received, &e->length);
    grpc_byte_buffer_destroy(l->received);
    l->received = NULL;
    if (!l->is_question)
        receive(l);
}

static void on_close(struct rpc *r, struct link *l)
{
    char text[160] = "";

    l->is_closed = true;
    drop_waiting(l);
    if (!r->server)
        snprintf(text, sizeof text, "%.*s", (int)GRPC_SLICE_LENGTH(l->status_text),
                 (const char *)GRPC_SLICE_START_PTR(l->status_text));
    if (l->is_open || !r->server)
        tell(r, l, RPC_CLOSE, text);
    l->is_open = false;
}

static void on_op(struct rpc *r, struct op *op, bool is_good)
{
    struct link *l = op->link;

    l->pending--;
    switch (op->kind) {
    case OP_NEW:
        if (is_good)
            on_new(r, l);
        break;
    case OP_START:
        if (is_good && !r->server && !l->is_closed) {
            l->is_open = true;
            creds_peer(l->call, l->peer, sizeof l->peer);
            tell(r, l, RPC_OPEN, "");
            send_next(l);
        }
        break;
    case OP_RECEIVE:
        on_receive(r, l, is_good);
        break;
    case OP_SEND:
        l->is_sending = false;
        send_next(l);
        break;
    case OP_CLOSE:
        on_close(r, l);
        break;
    default:
        break;
    }
    if (!l->pending)
        link_free(l);
}

static void *watch(void *arg)
{
    struct rpc *r = arg;

    for (;;) {
        grpc_event e = grpc_completion_queue_next(r->cq, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);

        if (e.type == GRPC_QUEUE_SHUTDOWN)
            return NULL;
        if (!e.tag)
            continue;            /* the server has shut down */
        pthread_mutex_lock(&r->lock);
        on_op(r, e.tag, e.success != 0);
        pthread_mutex_unlock(&r->lock);
    }
}

/* ---- opening ---- */

static struct rpc *rpc_new(void)
{
    struct rpc *r = xcalloc(1, sizeof *r);

    grpc_init();
    r->cq = grpc_completion_queue_create_for_next(NULL);
    r->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    r->last = &r->first;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

static void begin(struct rpc *r)
{
    if (r->fd < 0 || pthread_create(&r->thread, NULL, watch, r))
        die("cannot start a thread: %s", strerror(errno));
}

static grpc_arg number(const char *key, int value)
{
    return (grpc_arg){ .type = GRPC_ARG_INTEGER, .key = (char *)key, .value.integer = value };
}

int rpc_check(const char *address, const struct rpc_tls *tls, struct err *err)
{
    return creds_check(address, tls, err);
}

int rpc_serve(struct rpc **out, const char *address, const struct rpc_tls *tls, struct err *err)
{
    grpc_arg                 args[] = { number(GRPC_ARG_KEEPALIVE_TIME_MS, 10000), number(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5000),
                                        number(GRPC_ARG_ALLOW_REUSEPORT, 0),
                                        number("grpc.http2.min_ping_interval_without_data_ms", 1000) };
    grpc_channel_args        list = { sizeof args / sizeof *args, args };
    grpc_server_credentials *creds;
    struct creds            *files = NULL;
    struct rpc              *r;
    int                      rc = creds_check(address, tls, err), port;

    *out = NULL;
    if (!rc)
        rc = creds_open(&files, tls, err);
    if (rc)
        return rc;
    r = rpc_new();
    r->creds = files;
    r->server = grpc_server_create(&list, NULL);
    grpc_server_register_completion_queue(r->server, r->cq, NULL);
    creds = creds_server(files);
    port = grpc_server_add_http2_port(r->server, address, creds);
    grpc_server_credentials_release(creds);
    begin(r);
    if (!port) {
        rpc_free(r);
        return err_set(err, EADDRNOTAVAIL, "%s: cannot listen there", address);
    }
    grpc_server_start(r->server);
    pthread_mutex_lock(&r->lock);
    request_call(r);
    pthread_mutex_unlock(&r->lock);
    *out = r;
    return 0;
}

/* A stream of the program's channel, or of one of its own, which is freed with it. */
static uint32_t open_stream(struct rpc *r, bool is_own)
{
    struct link *l;
    uint32_t     id;
    grpc_op      ops[2] = { { .op = GRPC_OP_SEND_INITIAL_METADATA }, { .op = GRPC_OP_RECV_INITIAL_METADATA } };
    grpc_op      close = { .op = GRPC_OP_RECV_STATUS_ON_CLIENT };

    pthread_mutex_lock(&r->lock);
    r->channel = creds_renew(r->channel, r->address, r->creds);
    l = link_new(r);
    l->channel = is_own ? creds_channel(r->address, r->creds) : NULL;
    l->call = grpc_channel_create_call(is_own ? l->channel : r->channel, NULL, GRPC_PROPAGATE_DEFAULTS, r->cq,
                                       grpc_slice_from_static_string(CONNECT), NULL, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
    ops[1].data.recv_initial_metadata.recv_initial_metadata = &l->metadata;
    close.data.recv_status_on_client.trailing_metadata = &l->trailing;
    close.data.recv_status_on_client.status = &l->status;
    close.data.recv_status_on_client.status_details = &l->status_text;
    start(l, &close, 1, OP_CLOSE);
    start(l, ops, 2, OP_START);
    receive(l);
    id = l->id;
    pthread_mutex_unlock(&r->lock);
    return id;
}

void rpc_redial(struct rpc *r)
{
    open_stream(r, false);
}

uint32_t rpc_add(struct rpc *r)
{
    return open_stream(r, true);
}

void rpc_cut(struct rpc *r, uint32_t id)
{
    struct link *l;

    pthread_mutex_lock(&r->lock);
    l = link_find(r, id);
    if (l && l->call && !l->is_closed)
        grpc_call_cancel(l->call, NULL);
    pthread_mutex_unlock(&r->lock);
}

int rpc_dial(struct rpc **out, const char *address, const struct rpc_tls *tls, struct err *err)
{
    struct creds *files = NULL;
    int           rc = creds_check(address, tls, err);

    *out = NULL;
    if (!rc)
        rc = creds_open(&files, tls, err);
    if (rc)
        return rc;
    *out = rpc_new();
    (*out)->creds = files;
    (*out)->address = xstrdup(address);
    (*out)->channel = creds_channel(address, files);
    begin(*out);
    rpc_redial(*out);
    return 0;
}

void rpc_free(struct rpc *r)
{
    struct rpc_event e;

    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->is_ending = true;         /* nothing more is started: the completion queue would not take it */
    for (uint32_t i = 0; i < r->places; i++)
        if (r->link[i] && r->link[i]->call && !r->link[i]->is_closed)
            grpc_call_cancel(r->link[i]->call, NULL);
    pthread_mutex_unlock(&r->lock);
    if (r->server) {
        grpc_server_shutdown_and_notify(r->server, r->cq, NULL);
        grpc_server_cancel_all_calls(r->server);
    }
    grpc_completion_queue_shutdown(r->cq);
    pthread_join(r->thread, NULL);
    if (r->server)
        grpc_server_destroy(r->server);
    if (r->channel)
        grpc_channel_destroy(r->channel);
    while (rpc_next(r, &e))
        free(e.bytes);
    grpc_completion_queue_destroy(r->cq);
    close(r->fd);
    pthread_mutex_destroy(&r->lock);
    if (!r->server)              /* a handshake that is still under way may ask a server's once more */
        creds_free(r->creds);
    free(r->address);
    free(r->link);
    free(r->uses);
    free(r);
    grpc_shutdown();
}
