/* src/live/h2/h2.c - see h2.h: the connection; h2_call.c has its calls, h2_server.c and h2_client.c the two
 * ends. */
#include "live/h2/h2.h"
#include "live/h2/h2_server.h"
#include "base/err.h"

#include <stdlib.h>

#define WINDOW     (1 << 20)     /* bytes that the other side may send before it hears of us */
#define CALLS_MAX  100
#define HEADER_MAX 8192
#define HELD_MAX   (16u << 20)

static int on_chunk(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                    size_t length, void *arg)
{
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, stream);

    (void)flags;
    (void)arg;
    if (c && c->is_ready)
        h2_call_take(c, bytes, length);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *arg)
{
    struct h2_call *c = nghttp2_session_get_stream_user_data(session, stream);

    (void)code;
    (void)arg;
    if (c)
        h2_call_free(c);
    return 0;
}

/* ---- the connection ---- */

static struct h2 *open_end(const struct h2_hooks *hooks, void *arg, bool is_client)
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
    if (is_client)
        h2_client_callbacks(callbacks);
    else
        h2_server_callbacks(callbacks);
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

struct h2 *h2_new(const struct h2_hooks *hooks, void *arg)
{
    return open_end(hooks, arg, false);
}

struct h2 *h2_dial(const struct h2_hooks *hooks, void *arg)
{
    return open_end(hooks, arg, true);
}

void h2_free(struct h2 *h)
{
    if (!h)
        return;
    for (struct h2_call *c = h->calls, *next; c; c = next) {
        next = c->next;
        nghttp2_session_set_stream_user_data(h->session, c->stream, NULL);
        h2_call_free(c);
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

void h2_share(struct h2 *h, size_t *held, size_t max)
{
    h->held = held;
    h->held_max = max;
}

bool h2_has_output(const struct h2 *h)
{
    return h->is_touched;
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
