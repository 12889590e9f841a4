/* src/live/h2/h2.c - see h2.h: the connection; h2_call.c has its calls, h2_server.c and h2_client.c the two ends. */
#include "live/h2/h2.h"
#include "live/h2/h2_server.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW     (1 << 20)     /* bytes that the other side may send before it hears of us */
#define CALLS_MAX  100
#define HEADER_MAX 8192
#define MAGIC      24u           /* bytes that a client says before its first frame */
#define FRAME_MAX  16384u        /* of its payload */
#define LINE       64u           /* of a cache */

static int on_chunk(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t length, void *arg)
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
    nghttp2_settings_entry     settings[] = { is_client ? (nghttp2_settings_entry){ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 } :
                                              (nghttp2_settings_entry){ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, CALLS_MAX },
                                              { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW },
                                              { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEADER_MAX } };
    nghttp2_session_callbacks *callbacks;
    struct h2                 *h = xcalloc(1, sizeof *h);

    h->hooks = *hooks;
    h->arg = arg;
    h->is_touched = true;
    h->is_client = is_client;
    h->left = is_client ? 0 : MAGIC;
    if (nghttp2_session_callbacks_new(&callbacks))
        die("no memory");
    if (is_client)
        h2_client_callbacks(callbacks);
    else
        h2_server_callbacks(callbacks);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    if (is_client ? nghttp2_session_client_new(&h->session, callbacks, h) : nghttp2_session_server_new(&h->session, callbacks, h))
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

/* ---- frames ----
 *
 * A frame that is nothing but bytes of a call that is open, and has come whole, need not go through nghttp2: that would touch more memory
 * than all else that becomes of a report, and with a thousand connections none of it is in a cache. What came that way is counted
 * here, and windows are opened again for it, beside nghttp2's, which knows of the other frames alone.
 */

static size_t put_update(struct h2 *h, uint32_t *owed, uint32_t stream)
{
    unsigned char *u = h->update;

    memcpy(u, (unsigned char[H2_HEAD]){ 0, 0, 4, NGHTTP2_WINDOW_UPDATE, 0 }, H2_HEAD);
    for (int i = 0; i < 4; i++) {
        u[5 + i] = (unsigned char)(stream >> (24 - 8 * i));
        u[H2_HEAD + i] = (unsigned char)(*owed >> (24 - 8 * i));
    }
    *owed = 0;
    return H2_UPDATE;
}

/* The call that bytes of this stream may be handed to at once; NULL: none. */
static struct h2_call *call_of(const struct h2 *h, uint32_t stream)
{
    for (struct h2_call *c = h->calls; c; c = c->next)
        if ((uint32_t)c->stream == stream)
            return c->is_ready && !c->is_said && !c->is_deaf ? c : NULL;
    return NULL;
}

/* Returns how many bytes the frame has; 0: it is one for nghttp2. */
static size_t take_quickly(struct h2 *h, const unsigned char *bytes, size_t length)
{
    uint32_t        stream;
    size_t          size;
    struct h2_call *c;

    if (h->left || h->head_length || h->is_in_headers || length < H2_HEAD || bytes[3] != NGHTTP2_DATA || bytes[4])
        return 0;
    size = (size_t)bytes[0] << 16 | (size_t)bytes[1] << 8 | bytes[2];
    stream = (uint32_t)bytes[5] << 24 | (uint32_t)bytes[6] << 16 | (uint32_t)bytes[7] << 8 | bytes[8];
    c = size && size <= FRAME_MAX && length - H2_HEAD >= size ? call_of(h, stream) : NULL;
    if (!c || c->owed + size > WINDOW || h->owed + size > WINDOW)
        return 0;                /* nghttp2 does not take it either, when it has no window for that */
    c->owed += (uint32_t)size;
    h->owed += (uint32_t)size;
    h->is_shut |= c->owed >= WINDOW / 2 || h->owed >= WINDOW / 2;
    h2_call_take(c, bytes + H2_HEAD, size);
    return H2_HEAD + size;
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
    part = H2_HEAD - h->head_length < length ? H2_HEAD - h->head_length : length;
    memcpy(h->head + h->head_length, bytes, part);
    h->head_length += part;
    if (h->head_length == H2_HEAD) {
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
