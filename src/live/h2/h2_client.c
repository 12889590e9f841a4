/* src/live/h2/h2_client.c - what a client does with frames: it asks for a call, and hears how it went. */
#include "live/h2/h2_client.h"
#include "live/h2/h2_call.h"

#include <ctype.h>
#include <stdio.h>

#define HEADERS_MAX 8

struct h2_call *h2_begin(struct h2 *h, const struct h2_request *r)
{
    char                  timeout[16];
    nghttp2_nv            headers[HEADERS_MAX] = { h2_call_header(":method", "POST"),
                                                   h2_call_header(":scheme", r->is_secure ? "https" : "http"),
                                                   h2_call_header(":path", r->path),
                                                   h2_call_header(":authority", r->authority),
                                                   h2_call_header("te", "trailers"),
                                                   h2_call_header("content-type", "application/grpc"),
                                                   h2_call_header("user-agent", "grpc-c-anole/1") };
    size_t                count = HEADERS_MAX - 1;
    struct h2_call       *c = h2_call_add(h);
    nghttp2_data_provider from = h2_call_source(c);

    if (r->timeout_ms) {
        snprintf(timeout, sizeof timeout, "%dm", r->timeout_ms);
        headers[count++] = h2_call_header("grpc-timeout", timeout);
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

/* ---- what comes ---- */

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

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_length, const uint8_t *value, size_t length, uint8_t flags, void *arg)
{
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

    (void)flags;
    (void)arg;
    if (!c || c->is_deaf)
        return 0;
    if (h2_call_is_text(name, name_length, ":status"))
        c->http_status = number_of(value, length);
    else if (h2_call_is_text(name, name_length, "content-type"))
        c->is_grpc = h2_call_is_grpc(value, length);
    else if (h2_call_is_text(name, name_length, "grpc-status"))
        c->status = number_of(value, length) >= 0 ? (enum h2_status)number_of(value, length) : H2_UNSAID;
    else if (h2_call_is_text(name, name_length, "grpc-message"))
        read_message(c->why, sizeof c->why, value, length);
    return 0;
}

/* Headers have come whole: the first say whether it is gRPC at all, the last how it ended. */
static void on_headers(struct h2_call *c, bool is_end)
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

/* The other side has said all. A call that is half open on our side would stay; so it is ended. */
static void on_end(struct h2_call *c)
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

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2      *h = arg;
    struct h2_call *c;
    bool            is_end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;

    if (frame->hd.type == NGHTTP2_SETTINGS && !h->is_greeted) {
        h->is_greeted = true;
        open_calls(h);
    }
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    c = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (c && frame->hd.type == NGHTTP2_HEADERS)
        on_headers(c, is_end);
    if (c && is_end)
        on_end(c);
    return 0;
}

void h2_client_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
}
