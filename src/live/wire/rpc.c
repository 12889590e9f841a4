/* src/live/wire/rpc.c - see rpc.h.
 *
 * Of who dials; servers are in serve.c. One thread waits at gRPC's completion queue; a lock guards all that it shares with the
 * program's loop. A link is a call. Its operations that are under way are counted, and the last of them frees it.
 */
#include "live/wire/rpc.h"
#include "live/h2/place.h"
#include "live/wire/buffer.h"
#include "live/wire/creds.h"
#include "live/wire/serve.h"

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

enum op_kind { OP_START, OP_RECEIVE, OP_SEND, OP_CLOSE, OP_KINDS };

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
    bool                is_open, is_closed, is_sending;
    bool                is_in_send;              /* send_next() is at work */
    grpc_metadata_array metadata, trailing;
    grpc_byte_buffer   *received;
    grpc_status_code    status;                  /* how it ended */
    grpc_slice          status_text;
    struct waiting     *first, **last;
    uint32_t            waiting;
    struct op           op[OP_KINDS];
    char                peer[64];
};

struct rpc {
    struct serve          *serve;                /* a server is nothing else */
    grpc_completion_queue *cq;
    grpc_channel          *channel;
    struct creds          *creds;
    char                  *address;
    pthread_t              thread;
    pthread_mutex_t        lock;
    int                    fd;
    struct places          links;
    bool                   is_ending;
    struct queued         *first, **last, *current;      /* current: the program looks at it */
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

    if (r->serve)
        return serve_next(r->serve, e);
    if (r->current)
        free(r->current->event.bytes);
    free(r->current);
    pthread_mutex_lock(&r->lock);
    r->current = q = r->first;
    if (q) {
        r->first = q->next;
        if (!r->first)
            r->last = &r->first;
        *e = q->event;
    } else if (read(r->fd, &count, sizeof count) < 0)
        assert(errno == EAGAIN);
    pthread_mutex_unlock(&r->lock);
    return q != NULL;
}

int rpc_fd(const struct rpc *r)
{
    return r->serve ? serve_fd(r->serve) : r->fd;
}

/* ---- links ---- */

static struct link *link_new(struct rpc *r)
{
    struct link *l = xcalloc(1, sizeof *l);

    l->rpc = r;
    l->id = place_take(&r->links, l);
    l->last = &l->first;
    l->status_text = grpc_empty_slice();
    for (int i = 0; i < OP_KINDS; i++)
        l->op[i] = (struct op){ (enum op_kind)i, l };
    grpc_metadata_array_init(&l->metadata);
    grpc_metadata_array_init(&l->trailing);
    return l;
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
    place_leave(&l->rpc->links, l->id);
    drop_waiting(l);
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

static void on_op(struct rpc *, struct op *, bool is_good);

/* A message that the kernel takes at once is sent before start() returns. What that has completed is taken here, so that the thread which
 * waits at the queue need not be woken: that costs more than the message. */
static void send_one(struct link *l)
{
    struct waiting *w = l->first;
    grpc_op         op = { .op = GRPC_OP_SEND_MESSAGE };
    void           *tag = NULL;
    int             is_good = 0;

    l->first = w->next;
    if (!l->first)
        l->last = &l->first;
    l->waiting--;
    l->is_sending = true;
    op.data.send_message.send_message = w->buffer;
    op.flags = l->first ? GRPC_WRITE_BUFFER_HINT : 0;
    grpc_completion_queue_thread_local_cache_init(l->rpc->cq);
    start(l, &op, 1, OP_SEND);
    grpc_byte_buffer_destroy(w->buffer);
    free(w);
    if (grpc_completion_queue_thread_local_cache_flush(l->rpc->cq, &tag, &is_good))
        on_op(l->rpc, tag, is_good != 0);
}

/* Whoever calls this holds the link: it is in l->pending. */
static void send_next(struct link *l)
{
    l->is_in_send = true;
    while (!l->is_sending && l->first && l->is_open && !l->is_closed)
        send_one(l);
    l->is_in_send = false;
}

/* An operation has come to its end, or somebody lets go of it. */
static void release(struct link *l)
{
    if (--l->pending == 0)
        link_free(l);
}

void rpc_send(struct rpc *r, uint32_t id, const void *bytes, size_t length)
{
    struct link    *l;
    struct waiting *w;

    if (r->serve) {
        serve_send(r->serve, id, bytes, length);
        return;
    }
    pthread_mutex_lock(&r->lock);
    l = place_find(&r->links, id);
    if (l && l->waiting >= WAITING_MAX && !l->is_closed)
        grpc_call_cancel(l->call, NULL);
    else if (l && !l->is_closed) {
        w = xcalloc(1, sizeof *w);
        w->buffer = buffer_from(bytes, length);
        *l->last = w;
        l->last = &w->next;
        l->waiting++;
        l->pending++;
        send_next(l);
        release(l);
    }
    pthread_mutex_unlock(&r->lock);
}

/* Only servers are asked. */
void rpc_reply(struct rpc *r, uint32_t id, const void *bytes, size_t length)
{
    if (r->serve)
        serve_reply(r->serve, id, bytes, length);
}

/* ---- what comes back ---- */

static void on_receive(struct rpc *r, struct link *l, bool is_good)
{
    struct rpc_event *e;

    if (!is_good || !l->received)
        return;
    e = tell(r, l, RPC_DATA, "");
    e->bytes = buffer_bytes(l->received, &e->length);
    grpc_byte_buffer_destroy(l->received);
    l->received = NULL;
    receive(l);
}

static void on_close(struct rpc *r, struct link *l)
{
    char text[160] = "";

    l->is_closed = true;
    drop_waiting(l);
    snprintf(text, sizeof text, "%.*s", (int)GRPC_SLICE_LENGTH(l->status_text), (const char *)GRPC_SLICE_START_PTR(l->status_text));
    tell(r, l, RPC_CLOSE, text);
    l->is_open = false;
}

static void on_op(struct rpc *r, struct op *op, bool is_good)
{
    struct link *l = op->link;

    switch (op->kind) {
    case OP_START:
        if (is_good && !l->is_closed) {
            l->is_open = true;
            creds_peer(l->call, l->peer, sizeof l->peer);
            tell(r, l, RPC_OPEN, "");
            send_next(l);
        }
        break;
    case OP_RECEIVE:
        on_receive(r, l, is_good);
        break;
    case OP_SEND:                /* send_next() goes on if it is the one that called */
        l->is_sending = false;
        if (!l->is_in_send)
            send_next(l);
        break;
    case OP_CLOSE:
        on_close(r, l);
        break;
    default:
        break;
    }
    release(l);
}

static void *watch(void *arg)
{
    struct rpc *r = arg;

    for (;;) {
        grpc_event e = grpc_completion_queue_next(r->cq, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);

        if (e.type == GRPC_QUEUE_SHUTDOWN)
            return NULL;
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

int rpc_check(const char *address, const struct rpc_tls *tls, struct err *err)
{
    return creds_check(address, tls, err);
}

int rpc_serve(struct rpc **out, const char *address, const struct rpc_tls *tls, struct err *err)
{
    struct serve *serve = NULL;
    int           rc = creds_check(address, tls, err);

    *out = NULL;
    if (!rc)
        rc = serve_open(&serve, address, tls, err);
    if (rc)
        return rc;
    *out = xcalloc(1, sizeof **out);
    (*out)->serve = serve;
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

    if (r->serve) {
        serve_cut(r->serve, id);
        return;
    }
    pthread_mutex_lock(&r->lock);
    l = place_find(&r->links, id);
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

static void cancel_all(struct rpc *r)
{
    pthread_mutex_lock(&r->lock);
    r->is_ending = true;         /* nothing more is started: the completion queue would not take it */
    for (uint32_t i = 0; i < r->links.count; i++) {
        struct link *l = r->links.thing[i];

        if (l && l->call && !l->is_closed)
            grpc_call_cancel(l->call, NULL);
    }
    pthread_mutex_unlock(&r->lock);
}

static void free_dialler(struct rpc *r)
{
    struct rpc_event e;

    cancel_all(r);
    grpc_completion_queue_shutdown(r->cq);
    pthread_join(r->thread, NULL);
    grpc_channel_destroy(r->channel);
    while (rpc_next(r, &e))
        continue;
    grpc_completion_queue_destroy(r->cq);
    close(r->fd);
    pthread_mutex_destroy(&r->lock);
    creds_free(r->creds);
    free(r->address);
    places_fini(&r->links);
    grpc_shutdown();
}

void rpc_free(struct rpc *r)
{
    if (!r)
        return;
    if (r->serve)
        serve_free(r->serve);
    else
        free_dialler(r);
    free(r);
}
