#include "live/wire/h2/h2.h"
#include "base/err.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX      5u           /* bytes before a message: is it compressed, and its length */
#define HEADERS_MAX 8
#define WINDOW      (1 << 20)    /* bytes that the other side may send before it hears of us */
#define CALLS_MAX   100
#define HEADER_MAX  8192
#define HELD_MAX    (16u << 20)

static nghttp2_nv header(const char *name, const char *value)
{
    return (nghttp2_nv){ .name = (uint8_t *)name, .namelen = strlen(name), .value = (uint8_t *)value,
                         .valuelen = strlen(value), .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME };
}

static bool is_text(const uint8_t *bytes, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(bytes, text, length) == 0;
}

static bool is_grpc(const uint8_t *content_type, size_t length)
{
    static const char grpc[] = "application/grpc";       /* what may follow is how messages are written */

    return length >= sizeof grpc - 1 && memcmp(content_type, grpc, sizeof grpc - 1) == 0;
}

static bool has_room(const struct h2 *h, size_t bytes)
{
    return bytes <= h->held_max && *h->held <= h->held_max - bytes;
}

/* ---- sending ---- */

static void drop_first(struct h2_call *c)
{
    struct h2_waiting *w = c->first;

    c->first = w->next;
    if (!c->first)
        c->last = &c->first;
    c->sent = 0;
    c->waiting--;
    *c->h2->held -= w->length;
    free(w);
}

/* nghttp2 asks for bytes of messages: as many as fit, so that several messages are one frame. */
static ssize_t give(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t room, uint32_t *flags,
                    nghttp2_data_source *source, void *arg)
{
    struct h2_call *c = source->ptr;
    size_t          length = 0, part;
    char            text[12];

    (void)arg;
    while (c->first && length < room) {
        part = c->first->length - c->sent < room - length ? c->first->length - c->sent : room - length;
        memcpy(bytes + length, c->first->bytes + c->sent, part);
        length += part;
        c->sent += part;
        if (c->sent == c->first->length)
            drop_first(c);
    }
    if (!c->first && c->is_ending && c->h2->is_client)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    else if (!c->first && c->is_ending) {
        snprintf(text, sizeof text, "%d", (int)c->status);
        nghttp2_nv trailer = header("grpc-status", text);
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_submit_trailer(session, stream, &trailer, 1);
    } else if (!length) {
        c->is_resting = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)length;
}

static nghttp2_data_provider source_of(struct h2_call *c)
{
    return (nghttp2_data_provider){ .source.ptr = c, .read_callback = give };
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
    struct h2_waiting *w;

    if (c->waiting >= H2_WAITING_MAX || length > H2_MESSAGE_MAX || !has_room(c->h2, PREFIX + length))
        return false;
    if (c->is_ending)
        return true;             /* there is no reader any more */
    w = xmalloc(sizeof *w + PREFIX + length);
    w->next = NULL;
    w->length = PREFIX + length;
    memcpy(w->bytes,
           (unsigned char[PREFIX]){ 0, (unsigned char)(length >> 24), (unsigned char)(length >> 16),
                                    (unsigned char)(length >> 8), (unsigned char)length }, PREFIX);
    memcpy(w->bytes + PREFIX, bytes, length);
    *c->last = w;
    c->last = &w->next;
    c->waiting++;
    *c->h2->held += w->length;
    go_on(c);
    return true;
}

/* A server's headers; once. */
static void answer(struct h2_call *c)
{
    nghttp2_nv            headers[] = { header(":status", "200"),
                                        header("content-type", "application/grpc") };
    nghttp2_data_provider from = source_of(c);

    if (c->is_answered)
        return;
    c->is_answered = true;
    nghttp2_submit_response(c->h2->session, c->stream, headers, sizeof headers / sizeof *headers, &from);
}

/* A server's last word is a status; a client goes on hearing. */
void h2_end(struct h2_call *c, enum h2_status status)
{
    if (c->is_ending)
        return;
    c->is_ending = true;
    if (!c->h2->is_client) {
        c->is_deaf = true;
        c->status = status;
        answer(c);
    }
    go_on(c);
}

void h2_cut(struct h2_call *c)
{
    if (c->is_cut)
        return;
    c->is_cut = c->is_ending = c->is_deaf = true;
    c->h2->is_touched = true;
    nghttp2_submit_rst_stream(c->h2->session, NGHTTP2_FLAG_NONE, c->stream, NGHTTP2_CANCEL);
}

/* ---- receiving ---- */

/* Something that is no message of ours. */
static void refuse(struct h2_call *c, enum h2_status status)
{
    if (!c->h2->is_client) {
        h2_end(c, status);
        return;
    }
    snprintf(c->why, sizeof c->why, "%s",
             status == H2_EXHAUSTED ? "it sent a message that is too long" : "it sent a compressed message");
    h2_cut(c);
}

/* Hands out the whole messages among these bytes; returns how many bytes they are. */
static size_t take_messages(struct h2_call *c, const unsigned char *bytes, size_t length)
{
    size_t at = 0;

    while (!c->is_deaf && length - at >= PREFIX) {
        size_t size = (size_t)bytes[at + 1] << 24 | (size_t)bytes[at + 2] << 16 | (size_t)bytes[at + 3] << 8 |
                      bytes[at + 4];

        if (bytes[at] != 0 || size > H2_MESSAGE_MAX) {
            refuse(c, bytes[at] ? H2_UNIMPLEMENTED : H2_EXHAUSTED);
            break;
        }
        if (length - at - PREFIX < size)
            break;
        c->h2->hooks.data(c->h2->arg, c, bytes + at + PREFIX, size);
        at += PREFIX + size;
    }
    return c->is_deaf ? length : at;
}

static void drop_partial(struct h2_call *c)
{
    *c->h2->held -= c->partial_room;
    free(c->partial);
    c->partial = NULL;
    c->partial_length = c->partial_room = 0;
}

/* False: there is no room for it. */
static bool keep(struct h2_call *c, const unsigned char *bytes, size_t length)
{
    size_t room = 2 * (c->partial_length + length);

    if (c->partial_length + length > c->partial_room) {
        if (!has_room(c->h2, room - c->partial_room))
            return false;
        *c->h2->held += room - c->partial_room;
        c->partial_room = room;
        c->partial = xrealloc(c->partial, room);
    }
    memcpy(c->partial + c->partial_length, bytes, length);
    c->partial_length += length;
    return true;
}

/* Complete messages are delivered without a copy; only an incomplete one is kept. */
static void take(struct h2_call *c, const unsigned char *bytes, size_t length)
{
    size_t used = c->partial_length ? 0 : take_messages(c, bytes, length);

    if (used < length && !keep(c, bytes + used, length - used))
        refuse(c, H2_EXHAUSTED);
    if (!c->partial_length)
        return;
    used = take_messages(c, c->partial, c->partial_length);
    c->partial_length -= used;
    memmove(c->partial, c->partial + used, c->partial_length);
    if (!c->partial_length)
        drop_partial(c);
}

/* ---- calls ---- */

static struct h2_call *add_call(struct h2 *h)
{
    struct h2_call *c = xcalloc(1, sizeof *c);

    c->h2 = h;
    c->last = &c->first;
    c->next = h->calls;
    c->back = &h->calls;
    if (c->next)
        c->next->back = &c->next;
    h->calls = c;
    return c;
}

static void free_call(struct h2_call *c)
{
    if (c->is_open)
        c->h2->hooks.close(c->h2->arg, c);
    *c->back = c->next;
    if (c->next)
        c->next->back = c->back;
    while (c->first)
        drop_first(c);
    drop_partial(c);
    free(c);
}

struct h2_call *h2_begin(struct h2 *h, const struct h2_request *r)
{
    char                  timeout[16];
    nghttp2_nv            headers[HEADERS_MAX] = {
        header(":method", "POST"), header(":scheme", r->is_secure ? "https" : "http"),
        header(":path", r->path), header(":authority", r->authority), header("te", "trailers"),
        header("content-type", "application/grpc"), header("user-agent", "grpc-c-anole/1"),
    };
    size_t                count = HEADERS_MAX - 1;
    struct h2_call       *c = add_call(h);
    nghttp2_data_provider from = source_of(c);

    if (r->timeout_ms) {
        snprintf(timeout, sizeof timeout, "%dm", r->timeout_ms);
        headers[count++] = header("grpc-timeout", timeout);
    }
    c->kind = r->kind;
    c->status = H2_UNSAID;
    c->is_answered = true;
    c->stream = nghttp2_submit_request(h->session, NULL, headers, count, &from, c);
    h->is_touched = true;
    return c;
}

bool h2_is_done(const struct h2_call *c, const char **why)
{
    *why = c->why;
    return c->status == H2_OK;
}

static int hex(uint8_t digit)
{
    return isdigit(digit) ? digit - '0' : isxdigit(digit) ? tolower(digit) - 'a' + 10 : -1;
}

/* gRPC encodes all but plain text as %XX. Characters that could spoil a log are dropped. */
static void read_message(char *text, size_t size, const uint8_t *value, size_t length)
{
    size_t out = 0;

    for (size_t i = 0; i < length && out + 1 < size; i++) {
        int c = value[i];

        if (c == '%' && i + 2 < length && hex(value[i + 1]) >= 0 && hex(value[i + 2]) >= 0) {
            c = hex(value[i + 1]) * 16 + hex(value[i + 2]);
            i += 2;
        }
        text[out++] = (char)(c >= ' ' && c < 127 ? c : '?');
    }
    text[out] = '\0';
}

/* -1: not a number, or more than six digits. */
static int number_of(const uint8_t *value, size_t length)
{
    int number = length && length <= 6 ? 0 : -1;

    for (size_t i = 0; i < length && number >= 0; i++)
        number = isdigit(value[i]) ? 10 * number + (value[i] - '0') : -1;
    return number;
}

/* ---- frames ---- */

/* Server: each request is a call. */
static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2 *h = arg;

    if (h->is_client || frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    struct h2_call *c = add_call(h);
    c->stream = frame->hd.stream_id;
    nghttp2_session_set_stream_user_data(session, c->stream, c);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_length, const uint8_t *value, size_t length, uint8_t flags, void *arg)
{
    const struct h2 *h = arg;
    struct h2_call  *c = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

    (void)flags;
    if (!c || (h->is_client ? c->is_deaf : c->is_open))
        return 0;
    if (is_text(name, name_length, "content-type"))
        c->is_grpc = is_grpc(value, length);
    else if (is_text(name, name_length, ":path") && length < sizeof c->path) {
        memcpy(c->path, value, length);
        c->path[length] = '\0';
    } else if (is_text(name, name_length, ":method"))
        c->is_post = is_text(value, length, "POST");
    else if (is_text(name, name_length, ":status"))
        c->http_status = number_of(value, length);
    else if (h->is_client && is_text(name, name_length, "grpc-status"))
        c->status = number_of(value, length) >= 0 ? (enum h2_status)number_of(value, length) : H2_UNSAID;
    else if (h->is_client && is_text(name, name_length, "grpc-message"))
        read_message(c->why, sizeof c->why, value, length);
    return 0;
}

/* All headers of a block arrived: the first block shows whether it is gRPC, the last how the call ended. */
static void on_response(struct h2_call *c, bool is_end)
{
    if (c->http_status / 100 == 1)
        return;                  /* nothing yet */
    if (!c->is_ready && (c->http_status != 200 || !c->is_grpc)) {
        snprintf(c->why, sizeof c->why, "it does not speak gRPC there: HTTP status %d", c->http_status);
        c->status = H2_UNSAID;
        h2_cut(c);
        return;
    }
    c->is_ready = true;
    if (is_end && c->status != H2_OK && c->status != H2_UNSAID && !*c->why)
        snprintf(c->why, sizeof c->why, "it refuses with gRPC's status %d", (int)c->status);
}

/* The server has ended the call. Ends our side, too: a half-open call would stay. */
static void on_response_end(struct h2_call *c)
{
    if (c->partial_length) {
        c->status = H2_UNSAID;
        snprintf(c->why, sizeof c->why, "it ended in the middle of a message");
    }
    if (!c->is_ending || c->first)
        h2_cut(c);
}

static void open_calls(struct h2 *h)
{
    for (struct h2_call *c = h->calls, *next; c; c = next) {
        next = c->next;
        if (!c->is_open) {
            c->is_open = true;
            h->hooks.open(h->arg, c);
        }
    }
}

static void on_request(struct h2_call *c)
{
    c->kind = c->is_post && c->is_grpc ? c->h2->hooks.kind(c->path) : H2_UNKNOWN;
    if (c->kind == H2_UNKNOWN) {
        h2_end(c, H2_UNIMPLEMENTED);
        return;
    }
    c->is_open = c->is_ready = true;
    answer(c);
    c->h2->hooks.open(c->h2->arg, c);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2 *h = arg;
    bool       is_end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;

    if (h->is_client && frame->hd.type == NGHTTP2_SETTINGS && !h->is_greeted) {
        h->is_greeted = true;
        open_calls(h);
    }
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!c)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && h->is_client)
        on_response(c, is_end);
    else if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        on_request(c);
    if (is_end && h->is_client)
        on_response_end(c);
    else if (is_end && (c->partial_length || c->kind == H2_STREAM))      /* a question waits for its answer */
        h2_end(c, c->partial_length ? H2_INTERNAL : H2_OK);
    return 0;
}

/* Server: resets a stream on which the client still sends after our last message. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    const struct h2 *h = arg;

    if (!h->is_client && frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) &&
        nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0)
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    return 0;
}

static int on_chunk(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                    size_t length, void *arg)
{
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, stream);

    (void)flags;
    (void)arg;
    if (c && c->is_ready)
        take(c, bytes, length);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *arg)
{
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, stream);

    (void)code;
    (void)arg;
    if (c)
        free_call(c);
    return 0;
}

/* ---- the connection ---- */

struct h2 *h2_new(const struct h2_hooks *hooks, void *arg, bool is_client)
{
    nghttp2_settings_entry settings[] = {
        is_client ? (nghttp2_settings_entry){ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 } :
                    (nghttp2_settings_entry){ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, CALLS_MAX },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW },
        { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEADER_MAX },
    };
    nghttp2_session_callbacks *callbacks;
    struct h2                 *h = xcalloc(1, sizeof *h);

    h->hooks = *hooks;
    h->arg = arg;
    h->is_touched = true;
    h->is_client = is_client;
    h->held = &h->own_held;
    h->held_max = HELD_MAX;
    if (nghttp2_session_callbacks_new(&callbacks))
        die("no memory");
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    if (is_client ? nghttp2_session_client_new(&h->session, callbacks, h) :
        nghttp2_session_server_new(&h->session, callbacks, h))
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
        free_call(c);
    }
    nghttp2_session_del(h->session);
    free(h);
}

bool h2_receive(struct h2 *h, const unsigned char *bytes, size_t length)
{
    h->is_touched = true;
    return nghttp2_session_mem_recv(h->session, bytes, length) == (ssize_t)length;
}

size_t h2_output(struct h2 *h, const unsigned char **bytes)
{
    ssize_t length = h->is_touched ? nghttp2_session_mem_send(h->session, bytes) : 0;

    h->is_touched = length > 0;
    return length > 0 ? (size_t)length : 0;
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
