/* src/live/h2/h2_server.c - what a server does with frames: each request is a call. */
#include "live/h2/h2_server.h"
#include "live/h2/h2_call.h"

#include <string.h>

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2_call *c;

    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    c = h2_call_add(arg);
    c->stream = frame->hd.stream_id;
    nghttp2_session_set_stream_user_data(session, c->stream, c);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_length, const uint8_t *value, size_t length, uint8_t flags, void *arg)
{
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

    (void)flags;
    (void)arg;
    if (!c || c->is_open)
        return 0;
    if (h2_call_is_text(name, name_length, ":path") && length < sizeof c->path) {
        memcpy(c->path, value, length);
        c->path[length] = '\0';
    } else if (h2_call_is_text(name, name_length, ":method"))
        c->is_post = h2_call_is_text(value, length, "POST");
    else if (h2_call_is_text(name, name_length, "content-type"))
        c->is_grpc = h2_call_is_grpc(value, length);
    return 0;
}

static void on_request(struct h2_call *c)
{
    c->kind = c->is_post && c->is_grpc ? c->h2->hooks.kind(c->path) : H2_UNKNOWN;
    if (c->kind == H2_UNKNOWN) {
        h2_end(c, H2_UNIMPLEMENTED);
        return;
    }
    c->is_open = c->is_ready = true;
    h2_call_answer(c);
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
    /* The client still waits for an answer, if its request was complete. */
    if (c && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) && (c->partial_length || c->kind == H2_STREAM))
        h2_end(c, c->partial_length ? H2_INTERNAL : H2_OK);
    return 0;
}

/* Resets a stream on which the client still sends after our last message. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)arg;
    if (frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) &&
        nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0)
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    return 0;
}

void h2_server_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
}
