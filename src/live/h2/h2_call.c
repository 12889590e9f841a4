/* src/live/h2/h2_call.c - calls of either end: messages that wait to be sent, and those that come. */
#include "live/h2/h2_call.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nghttp2_nv h2_call_header(const char *name, const char *value)
{
    return (nghttp2_nv){ .name = (uint8_t *)name, .namelen = strlen(name), .value = (uint8_t *)value,
                         .valuelen = strlen(value), .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME };
}

bool h2_call_is_text(const uint8_t *bytes, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(bytes, text, length) == 0;
}

bool h2_call_is_grpc(const uint8_t *content_type, size_t length)
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
    if (!c->first && c->is_ending && c->h2->is_client)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    else if (!c->first && c->is_ending) {
        snprintf(text, sizeof text, "%d", (int)c->status);
        trailer = h2_call_header("grpc-status", text);
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_submit_trailer(session, stream, &trailer, 1);
    } else if (!length) {
        c->is_resting = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)length;
}

nghttp2_data_provider h2_call_source(struct h2_call *c)
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

    if (c->waiting >= H2_WAITING_MAX || length > H2_MESSAGE_MAX || !has_room(c->h2, H2_PREFIX + length))
        return false;
    if (c->is_ending)
        return true;             /* there is no reader any more */
    w = xmalloc(sizeof *w + H2_PREFIX + length);
    w->next = NULL;
    w->length = H2_PREFIX + length;
    memcpy(w->bytes,
           (unsigned char[H2_PREFIX]){ 0, (unsigned char)(length >> 24), (unsigned char)(length >> 16),
                                              (unsigned char)(length >> 8),
                                              (unsigned char)length }, H2_PREFIX);
    memcpy(w->bytes + H2_PREFIX, bytes, length);
    *c->last = w;
    c->last = &w->next;
    c->waiting++;
    *c->h2->held += w->length;
    go_on(c);
    return true;
}

void h2_call_answer(struct h2_call *c)
{
    nghttp2_nv            headers[] = { h2_call_header(":status", "200"),
                                        h2_call_header("content-type", "application/grpc") };
    nghttp2_data_provider from = h2_call_source(c);

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
        h2_call_answer(c);
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

/* ---- what comes ---- */

static size_t message_length(const unsigned char *prefix)
{
    return (size_t)prefix[1] << 24 | (size_t)prefix[2] << 16 | (size_t)prefix[3] << 8 | prefix[4];
}

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

    while (!c->is_deaf && length - at >= H2_PREFIX) {
        size_t size = message_length(bytes + at);

        if (bytes[at] != 0 || size > H2_MESSAGE_MAX) {
            refuse(c, bytes[at] ? H2_UNIMPLEMENTED : H2_EXHAUSTED);
            break;
        }
        if (length - at - H2_PREFIX < size)
            break;
        c->h2->hooks.data(c->h2->arg, c, bytes + at + H2_PREFIX, size);
        at += H2_PREFIX + size;
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
void h2_call_take(struct h2_call *c, const unsigned char *bytes, size_t length)
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

struct h2_call *h2_call_add(struct h2 *h)
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

void h2_call_free(struct h2_call *c)
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
