/* src/live/h2/h2.c - see h2.h. */
#include "live/h2/h2.h"
#include "base/err.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX     5u            /* of a message: is it compressed, and its length */
#define WINDOW     (1 << 20)     /* bytes that the other side may send before it hears of us */
#define CALLS_MAX  100
#define HEADER_MAX 8192
#define PATH_SIZE  64
#define MAGIC      24u           /* bytes that a client says before its first frame */
#define HEAD       9u            /* of a frame */
#define FRAME_MAX  16384u        /* of its payload */
#define LINE       64u           /* of a cache */
#define UPDATE     13u           /* a frame that opens a window */

struct waiting { struct waiting *next; size_t length; unsigned char bytes[]; };

struct h2_call {
    struct h2      *h2;
    struct h2_call *next, **back;                /* of the connection's calls */
    int32_t         stream;
    enum h2_kind    kind;
    uint32_t        number;
    char            path[PATH_SIZE];
    bool            is_post, is_grpc;            /* as its headers say */
    bool            is_open, is_answered, is_ending, is_resting;         /* resting: nghttp2 waits for something to send */
    bool            is_said;                     /* the other side has nothing more to say */
    uint32_t        owed;                        /* bytes that came past nghttp2 since its window was opened */
    enum h2_status  status;
    unsigned char  *partial;                     /* of a message that has not come whole */
    size_t          partial_length, partial_room;
    struct waiting *first, **last;
    size_t          sent;                        /* of the first */
    uint32_t        waiting;
};

struct h2 {
    nghttp2_session *session;
    struct h2_hooks  hooks;
    void            *arg;
    struct h2_call  *calls;
    bool             is_touched;                 /* nghttp2 may have something to send */
    bool             is_in_headers;              /* more of them must come before anything else */
    size_t           left;                       /* of the frame that nghttp2 is in the middle of */
    unsigned char    head[HEAD];                 /* of the next, as far as it has come */
    size_t           head_length;
    uint32_t         owed;                       /* as of a call */
    bool             is_shut;                    /* a window is half used */
    unsigned char    update[UPDATE];
};

/* ---- what is sent ---- */

static nghttp2_nv header(const char *name, const char *value)
{
    return (nghttp2_nv){ .name = (uint8_t *)name, .namelen = strlen(name), .value = (uint8_t *)value,
                         .valuelen = strlen(value), .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME };
}

static void drop_first(struct h2_call *c)
{
    struct waiting *w = c->first;

    c->first = w->next;
    if (!c->first)
        c->last = &c->first;
    c->sent = 0;
    c->waiting--;
    free(w);
}

/* nghttp2 asks for bytes of messages: as many as fit, so that several messages are one frame. */
static ssize_t give(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t room, uint32_t *flags,
                    nghttp2_data_source *source, void *arg)
{
    struct h2_call *c = source->ptr;
    size_t          length = 0, part;
    char            text[12];
    nghttp2_nv      trailer;

    (void)arg;
    while (c->first && length < room) {
        part = c->first->length - c->sent < room - length ? c->first->length - c->sent : room - length;
        memcpy(bytes + length, c->first->bytes + c->sent, part);
        length += part;
        c->sent += part;
        if (c->sent == c->first->length)
            drop_first(c);
    }
    if (!c->first && c->is_ending) {
        snprintf(text, sizeof text, "%d", (int)c->status);
        trailer = header("grpc-status", text);
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_submit_trailer(session, stream, &trailer, 1);
    } else if (!length) {
        c->is_resting = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)length;
}

static void answer(struct h2_call *c)
{
    nghttp2_nv            headers[] = { header(":status", "200"), header("content-type", "application/grpc") };
    nghttp2_data_provider from = { .source.ptr = c, .read_callback = give };

    c->is_answered = true;
    nghttp2_submit_response(c->h2->session, c->stream, headers, sizeof headers / sizeof *headers, &from);
}

static void go_on(struct h2_call *c)
{
    c->h2->is_touched = true;
    if (!c->is_resting)
        return;
    c->is_resting = false;
    nghttp2_session_resume_data(c->h2->session, c->stream);
}

bool h2_send(struct h2_call *c, const void *bytes, size_t length)
{
    struct waiting *w;

    if (c->waiting >= H2_WAITING_MAX || length > H2_MESSAGE_MAX)
        return false;
    if (c->is_ending)
        return true;             /* nobody reads it any more */
    w = xmalloc(sizeof *w + PREFIX + length);
    w->next = NULL;
    w->length = PREFIX + length;
    memcpy(w->bytes, (unsigned char[PREFIX]){ 0, (unsigned char)(length >> 24), (unsigned char)(length >> 16),
                                              (unsigned char)(length >> 8), (unsigned char)length }, PREFIX);
    memcpy(w->bytes + PREFIX, bytes, length);
    *c->last = w;
    c->last = &w->next;
    c->waiting++;
    go_on(c);
    return true;
}

void h2_end(struct h2_call *c, enum h2_status status)
{
    if (c->is_ending)
        return;
    c->is_ending = true;
    c->status = status;
    if (!c->is_answered)
        answer(c);
    go_on(c);
}

void h2_cut(struct h2_call *c)
{
    c->is_ending = true;
    c->h2->is_touched = true;
    nghttp2_submit_rst_stream(c->h2->session, NGHTTP2_FLAG_NONE, c->stream, NGHTTP2_CANCEL);
}

/* ---- what comes ---- */

static size_t message_length(const unsigned char *prefix)
{
    return (size_t)prefix[1] << 24 | (size_t)prefix[2] << 16 | (size_t)prefix[3] << 8 | prefix[4];
}

/* Hands out the whole messages among these bytes; returns how many bytes they are. */
static size_t take_messages(struct h2_call *c, const unsigned char *bytes, size_t length)
{
    size_t at = 0;

    while (!c->is_ending && length - at >= PREFIX) {
        size_t size = message_length(bytes + at);

        if (bytes[at] != 0 || size > H2_MESSAGE_MAX) {
            h2_end(c, bytes[at] ? H2_UNIMPLEMENTED : H2_EXHAUSTED);
            break;
        }
        if (length - at - PREFIX < size)
            break;
        c->h2->hooks.data(c->h2->arg, c, bytes + at + PREFIX, size);
        at += PREFIX + size;
    }
    return c->is_ending ? length : at;
}

static void keep(struct h2_call *c, const unsigned char *bytes, size_t length)
{
    if (c->partial_length + length > c->partial_room) {
        c->partial_room = 2 * (c->partial_length + length);
        c->partial = xrealloc(c->partial, c->partial_room);
    }
    memcpy(c->partial + c->partial_length, bytes, length);
    c->partial_length += length;
}

static void take_bytes(struct h2_call *c, const unsigned char *bytes, size_t length)
{
    size_t used;

    if (!c->partial_length) {                    /* nearly always: whole messages, where they lie */
        used = take_messages(c, bytes, length);
        if (used < length)
            keep(c, bytes + used, length - used);
        return;
    }
    keep(c, bytes, length);
    used = take_messages(c, c->partial, c->partial_length);
    c->partial_length -= used;
    memmove(c->partial, c->partial + used, c->partial_length);
    if (!c->partial_length) {
        free(c->partial);
        c->partial = NULL;
        c->partial_room = 0;
    }
}

static int on_chunk(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t length, void *arg)
{
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, stream);

    (void)flags;
    (void)arg;
    if (c && c->is_open)
        take_bytes(c, bytes, length);
    return 0;
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2      *h = arg;
    struct h2_call *c;

    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    c = xcalloc(1, sizeof *c);
    c->h2 = h;
    c->stream = frame->hd.stream_id;
    c->last = &c->first;
    c->next = h->calls;
    c->back = &h->calls;
    if (c->next)
        c->next->back = &c->next;
    h->calls = c;
    nghttp2_session_set_stream_user_data(session, c->stream, c);
    return 0;
}

static bool is_text(const uint8_t *bytes, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(bytes, text, length) == 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                     const uint8_t *value, size_t length, uint8_t flags, void *arg)
{
    struct h2_call   *c = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    static const char grpc[] = "application/grpc";

    (void)flags;
    (void)arg;
    if (!c || c->is_open)
        return 0;
    if (is_text(name, name_length, ":path") && length < sizeof c->path) {
        memcpy(c->path, value, length);
        c->path[length] = '\0';
    } else if (is_text(name, name_length, ":method"))
        c->is_post = is_text(value, length, "POST");
    else if (is_text(name, name_length, "content-type"))
        c->is_grpc = length >= sizeof grpc - 1 && memcmp(value, grpc, sizeof grpc - 1) == 0;
    return 0;
}

static void on_request(struct h2_call *c)
{
    c->kind = c->is_post && c->is_grpc ? c->h2->hooks.kind(c->path) : H2_UNKNOWN;
    if (c->kind == H2_UNKNOWN) {
        h2_end(c, H2_UNIMPLEMENTED);
        return;
    }
    c->is_open = true;
    answer(c);
    c->h2->hooks.open(c->h2->arg, c);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2_call *c;

    (void)arg;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    c = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (c && frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        on_request(c);
    if (c)
        c->is_said |= (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    /* Who asked still waits for an answer, if what it said was whole. */
    if (c && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) && (c->partial_length || c->kind == H2_STREAM))
        h2_end(c, c->partial_length ? H2_INTERNAL : H2_OK);
    return 0;
}

/* Whoever still speaks after our last word is told that nobody listens. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)arg;
    if (frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) &&
        nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0)
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    return 0;
}

static void call_free(struct h2_call *c)
{
    if (c->is_open)
        c->h2->hooks.close(c->h2->arg, c);
    *c->back = c->next;
    if (c->next)
        c->next->back = c->back;
    while (c->first)
        drop_first(c);
    free(c->partial);
    free(c);
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *arg)
{
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, stream);

    (void)code;
    (void)arg;
    if (c)
        call_free(c);
    return 0;
}

/* ---- the connection ---- */

struct h2 *h2_new(const struct h2_hooks *hooks, void *arg)
{
    nghttp2_settings_entry     settings[] = { { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, CALLS_MAX },
                                              { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW },
                                              { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEADER_MAX } };
    nghttp2_session_callbacks *callbacks;
    struct h2                 *h = xcalloc(1, sizeof *h);

    h->hooks = *hooks;
    h->arg = arg;
    h->is_touched = true;
    h->left = MAGIC;
    if (nghttp2_session_callbacks_new(&callbacks))
        die("no memory");
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_chunk);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    if (nghttp2_session_server_new(&h->session, callbacks, h))
        die("no memory");
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, settings, sizeof settings / sizeof *settings);
    nghttp2_session_set_local_window_size(h->session, NGHTTP2_FLAG_NONE, 0, WINDOW);
    return h;
}

void h2_free(struct h2 *h)
{
    if (!h)
        return;
    for (struct h2_call *c = h->calls, *next; c; c = next) {
        next = c->next;
        nghttp2_session_set_stream_user_data(h->session, c->stream, NULL);
        call_free(c);
    }
    nghttp2_session_del(h->session);
    free(h);
}

/* ---- frames ----
 *
 * A frame that is nothing but bytes of a call that is open, and has come whole, need not go through nghttp2: that would touch more memory
 * than all else that becomes of a report, and with a thousand connections none of it is in a cache. What came that way is counted
 * here, and windows are opened again for it, beside nghttp2's, which knows of the other frames alone.
 */

static size_t put_update(struct h2 *h, uint32_t *owed, uint32_t stream)
{
    unsigned char *u = h->update;

    memcpy(u, (unsigned char[HEAD]){ 0, 0, 4, NGHTTP2_WINDOW_UPDATE, 0 }, HEAD);
    for (int i = 0; i < 4; i++) {
        u[5 + i] = (unsigned char)(stream >> (24 - 8 * i));
        u[HEAD + i] = (unsigned char)(*owed >> (24 - 8 * i));
    }
    *owed = 0;
    return UPDATE;
}

/* The call that bytes of this stream may be handed to at once; NULL: none. */
static struct h2_call *call_of(const struct h2 *h, uint32_t stream)
{
    for (struct h2_call *c = h->calls; c; c = c->next)
        if ((uint32_t)c->stream == stream)
            return c->is_open && !c->is_said && !c->is_ending ? c : NULL;
    return NULL;
}

/* Returns how many bytes the frame has; 0: it is one for nghttp2. */
static size_t take_quickly(struct h2 *h, const unsigned char *bytes, size_t length)
{
    uint32_t        stream;
    size_t          size;
    struct h2_call *c;

    if (h->left || h->head_length || h->is_in_headers || length < HEAD || bytes[3] != NGHTTP2_DATA || bytes[4])
        return 0;
    size = (size_t)bytes[0] << 16 | (size_t)bytes[1] << 8 | bytes[2];
    stream = (uint32_t)bytes[5] << 24 | (uint32_t)bytes[6] << 16 | (uint32_t)bytes[7] << 8 | bytes[8];
    c = size && size <= FRAME_MAX && length - HEAD >= size ? call_of(h, stream) : NULL;
    if (!c || c->owed + size > WINDOW || h->owed + size > WINDOW)
        return 0;                /* nghttp2 does not take it either, when it has no window for that */
    c->owed += (uint32_t)size;
    h->owed += (uint32_t)size;
    h->is_shut |= c->owed >= WINDOW / 2 || h->owed >= WINDOW / 2;
    take_bytes(c, bytes + HEAD, size);
    return HEAD + size;
}

/* How many of these bytes belong to what nghttp2 is in the middle of, or has to begin with. */
static size_t part_for_nghttp2(struct h2 *h, const unsigned char *bytes, size_t length)
{
    size_t part;

    if (h->left) {
        part = h->left < length ? h->left : length;
        h->left -= part;
        return part;
    }
    part = HEAD - h->head_length < length ? HEAD - h->head_length : length;
    memcpy(h->head + h->head_length, bytes, part);
    h->head_length += part;
    if (h->head_length == HEAD) {
        h->left = (size_t)h->head[0] << 16 | (size_t)h->head[1] << 8 | h->head[2];
        h->head_length = 0;
        if (h->head[3] == NGHTTP2_HEADERS || h->head[3] == NGHTTP2_CONTINUATION)
            h->is_in_headers = !(h->head[4] & NGHTTP2_FLAG_END_HEADERS);
    }
    return part;
}

/* The next window that is half used; 0: there is none. */
static size_t open_window(struct h2 *h)
{
    if (h->owed >= WINDOW / 2)
        return put_update(h, &h->owed, 0);
    for (struct h2_call *c = h->calls; c; c = c->next)
        if (c->owed >= WINDOW / 2 && call_of(h, (uint32_t)c->stream))
            return put_update(h, &c->owed, (uint32_t)c->stream);
    h->is_shut = false;
    return 0;
}

bool h2_receive(struct h2 *h, const unsigned char *bytes, size_t length)
{
    size_t at = 0, part;

    while (at < length) {
        part = take_quickly(h, bytes + at, length - at);
        if (!part) {
            part = part_for_nghttp2(h, bytes + at, length - at);
            h->is_touched = true;
            if (nghttp2_session_mem_recv(h->session, bytes + at, part) != (ssize_t)part)
                return false;
        }
        at += part;
    }
    return true;
}

void h2_fetch(const struct h2 *h)
{
    __builtin_prefetch(h);
    __builtin_prefetch(&h->calls);
    __builtin_prefetch(&h->update);
}

void h2_fetch_call(const struct h2 *h)
{
    for (size_t at = 0; h->calls && at < sizeof *h->calls; at += LINE)
        __builtin_prefetch((const char *)h->calls + at);
}

/* Windows are opened between nghttp2's frames, never inside of one. */
size_t h2_output(struct h2 *h, const unsigned char **bytes)
{
    ssize_t length = h->is_touched ? nghttp2_session_mem_send(h->session, bytes) : 0;

    if (length > 0)
        return (size_t)length;
    h->is_touched = false;
    *bytes = h->update;
    return h->is_shut ? open_window(h) : 0;
}

bool h2_has_output(const struct h2 *h)
{
    return h->is_touched || h->is_shut;
}

bool h2_is_over(const struct h2 *h)
{
    return !nghttp2_session_want_read(h->session) && !nghttp2_session_want_write(h->session);
}

void h2_ping(struct h2 *h)
{
    h->is_touched = true;
    nghttp2_submit_ping(h->session, NGHTTP2_FLAG_NONE, NULL);
}

void h2_bye(struct h2 *h)
{
    h->is_touched = true;
    nghttp2_session_terminate_session(h->session, NGHTTP2_NO_ERROR);
}

enum h2_kind h2_kind(const struct h2_call *c)
{
    return c->kind;
}

void *h2_owner(const struct h2_call *c)
{
    return c->h2->arg;
}

uint32_t h2_number(const struct h2_call *c)
{
    return c->number;
}

void h2_set_number(struct h2_call *c, uint32_t number)
{
    c->number = number;
}
