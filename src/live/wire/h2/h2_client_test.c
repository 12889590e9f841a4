/* src/live/wire/h2/h2_client_test.c - against nghttp2's server, with bytes passed by hand, and against our
 * own. For gRPC's server see tests/live/server.py. */
#include "live/wire/h2/h2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The client's events, as words. */
struct seen { char text[4096], why[H2_WHY_SIZE]; struct h2_call *call; unsigned opened, closed;
              bool is_done; };

static void on_open(void *arg, struct h2_call *c)
{
    struct seen *s = arg;

    s->call = c;
    s->opened++;
}

static void on_data(void *arg, struct h2_call *c, const unsigned char *bytes, size_t length)
{
    struct seen *s = arg;
    size_t       at = strlen(s->text);

    assert_ptr_equal(c, s->call);
    snprintf(s->text + at, sizeof s->text - at, "<%.*s>", (int)length, (const char *)bytes);
}

static void on_close(void *arg, struct h2_call *c)
{
    struct seen *s = arg;
    const char  *why;

    s->is_done = h2_is_done(c, &why);
    snprintf(s->why, sizeof s->why, "%s", why);
    s->call = NULL;
    s->closed++;
}

static const struct h2_hooks   hooks = { NULL, on_open, on_data, on_close };
static const struct h2_request request = { "/s", "here:1", H2_STREAM, true, 250 };

/* ---- nghttp2's server ---- */

struct server {
    nghttp2_session     *session;
    char                 headers[1024], got[256];
    size_t               got_length;
    const unsigned char *out;
    size_t               left;
    const char          *status, *message;       /* of the trailer; NULL: it does not end the stream */
    bool                 is_ended;               /* the client has ended its stream */
};

static nghttp2_nv nv(const char *name, const char *value)
{
    return (nghttp2_nv){ (uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), 0 };
}

static ssize_t give(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t room, uint32_t *flags,
                    nghttp2_data_source *source, void *arg)
{
    struct server *s = source->ptr;
    size_t         part = s->left < room ? s->left : room;
    nghttp2_nv     trailer[2];

    (void)arg;
    if (part)
        memcpy(bytes, s->out, part);
    s->out += part;
    s->left -= part;
    if (s->left || (!s->status && part))
        return (ssize_t)part;
    if (!s->status)
        return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    trailer[0] = nv("grpc-status", s->status);
    trailer[1] = nv("grpc-message", s->message ? s->message : "");
    nghttp2_submit_trailer(session, stream, trailer, s->message ? 2 : 1);
    return (ssize_t)part;
}

static int got_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                      size_t name_length, const uint8_t *value, size_t length, uint8_t flags, void *arg)
{
    struct server *s = arg;
    size_t         at = strlen(s->headers);

    (void)session, (void)frame, (void)flags;
    snprintf(s->headers + at, sizeof s->headers - at, "%.*s=%.*s\n", (int)name_length, (const char *)name,
             (int)length, (const char *)value);
    return 0;
}

static int got_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                    size_t length, void *arg)
{
    struct server *s = arg;

    (void)session, (void)flags, (void)stream;
    assert_true(s->got_length + length <= sizeof s->got);
    memcpy(s->got + s->got_length, bytes, length);
    s->got_length += length;
    return 0;
}

static int got_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    ((struct server *)arg)->is_ended |= (frame->hd.type == NGHTTP2_DATA ||
                                         frame->hd.type == NGHTTP2_HEADERS) &&
                                        frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    return 0;
}

static void server_init(struct server *s)
{
    nghttp2_session_callbacks *callbacks;

    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, got_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, got_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, got_frame);
    nghttp2_session_server_new(&s->session, callbacks, s);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(s->session, 0, NULL, 0);
}

static void answer(struct server *s, const char *status, const char *type)
{
    nghttp2_data_provider from = { .source.ptr = s, .read_callback = give };
    nghttp2_nv            head[] = { nv(":status", status), nv("content-type", type) };

    nghttp2_submit_response(s->session, 1, head, 2, &from);
}

/* Passes bytes both ways, 'grain' at a time, until neither side has more. */
static void talk(struct h2 *h, struct server *s, size_t grain)
{
    const unsigned char *bytes;
    ssize_t              n;
    size_t               m, moved;

    do {
        moved = 0;
        while ((m = h2_output(h, &bytes)) > 0) {
            moved += m;
            assert_int_equal(nghttp2_session_mem_recv(s->session, bytes, m), m);
        }
        while ((n = nghttp2_session_mem_send(s->session, &bytes)) > 0) {
            moved += (size_t)n;
            for (size_t at = 0; at < (size_t)n; at += grain)
                assert_true(h2_receive(h, bytes + at, (size_t)n - at < grain ? (size_t)n - at : grain));
        }
    } while (moved);
}

/* ---- tests ---- */

static void begin__sends_the_headers_of_gRPC(void **unused)
{
    struct seen   seen = { 0 };
    struct server s = { 0 };
    struct h2    *h = h2_new(&hooks, &seen, true);

    (void)unused;
    server_init(&s);
    h2_begin(h, &request);
    /* before the server's first bytes it is unknown whether it accepts the call */
    assert_int_equal(seen.opened, 0);
    talk(h, &s, 100);
    assert_int_equal(seen.opened, 1);
    assert_string_equal(s.headers,
                        ":method=POST\n:scheme=https\n:path=/s\n:authority=here:1\nte=trailers\n"
                        "content-type=application/grpc\n"
                        "user-agent=grpc-c-anole/1\ngrpc-timeout=250m\n");
    assert_true(h2_send(seen.call, "abc", 3));
    assert_true(h2_send(seen.call, "", 0));
    talk(h, &s, 100);
    assert_int_equal(s.got_length, 13);
    assert_memory_equal(s.got, "\0\0\0\0\3abc\0\0\0\0\0", 13);
    assert_false(s.is_ended);
    h2_end(seen.call, H2_OK);
    talk(h, &s, 100);
    assert_true(s.is_ended);
    h2_free(h);
    assert_int_equal(seen.closed, 1);
    assert_false(seen.is_done);
    nghttp2_session_del(s.session);
}

static void receive__messages_then_the_status(void **unused)
{
    static const unsigned char two[] = "\0\0\0\0\3one\0\0\0\0\5three";

    (void)unused;
    for (size_t grain = 1; grain < 40; grain += grain < 8 ? 1 : 8) {
        struct seen   seen = { 0 };
        struct server s = { .out = two, .left = sizeof two - 1, .status = "0" };
        struct h2    *h = h2_new(&hooks, &seen, true);

        server_init(&s);
        h2_begin(h, &request);
        talk(h, &s, grain);
        answer(&s, "200", "application/grpc+proto");
        talk(h, &s, grain);
        assert_string_equal(seen.text, "<one><three>");
        assert_int_equal(seen.closed, 1);
        assert_true(seen.is_done);
        nghttp2_session_del(s.session);
        h2_free(h);
    }
}

static void receive__refusals_have_a_reason(void **unused)
{
    static const struct { const char *status, *type, *bytes; size_t length; const char *end, *message, *why; } rows[] = {
        { "200", "application/grpc", "", 0, "14", "go away, 100%25 sure%0a%zz", "go away, 100% sure?%zz" },
        { "200", "application/grpc", "", 0, "12", NULL, "it refuses with gRPC's status 12" },
        { "200", "application/grpc", "", 0, "x", NULL, "" },
        { "404", "text/html", "", 0, "0", NULL, "it does not speak gRPC there: HTTP status 404" },
        { "200", "text/html", "", 0, "0", NULL, "it does not speak gRPC there: HTTP status 200" },
        { "200", "application/grpc", "\1\0\0\0\1x", 6, NULL, NULL, "it sent a compressed message" },
        { "200", "application/grpc", "\0\x7f\0\0\0x", 6, NULL, NULL, "it sent a message that is too long" },
        { "200", "application/grpc", "\0\0\0\0\7x", 6, "0", NULL, "it ended in the middle of a message" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen   seen = { 0 };
        struct server s = { .out = (const unsigned char *)rows[i].bytes, .left = rows[i].length,
                            .status = rows[i].end, .message = rows[i].message };
        struct h2    *h = h2_new(&hooks, &seen, true);

        server_init(&s);
        h2_begin(h, &request);
        talk(h, &s, 100);
        answer(&s, rows[i].status, rows[i].type);
        talk(h, &s, 7);
        assert_int_equal(seen.closed, 1);
        assert_false(seen.is_done);
        assert_string_equal(seen.why, rows[i].why);
        assert_string_equal(seen.text, "");
        nghttp2_session_del(s.session);
        h2_free(h);
    }
}

static void receive__another_protocol_ends_the_connection(void **unused)
{
    struct seen          seen = { 0 };
    struct h2           *h = h2_new(&hooks, &seen, true);
    const unsigned char *bytes;
    bool                 is_good;

    (void)unused;
    h2_begin(h, &request);
    while (h2_output(h, &bytes) > 0)
        continue;
    is_good = h2_receive(h, (const unsigned char *)"HTTP/1.1 400 Bad Request\r\n\r\n", 28);
    while (is_good && h2_output(h, &bytes) > 0)
        continue;                /* it may send a GOAWAY */
    assert_true(!is_good || h2_is_over(h));
    h2_free(h);
    assert_int_equal(seen.opened, 0);
    assert_int_equal(seen.closed, 0);
}

static void receive__goaway_ends_the_call(void **unused)
{
    struct seen   seen = { 0 };
    struct server s = { 0 };
    struct h2    *h = h2_new(&hooks, &seen, true);

    (void)unused;
    server_init(&s);
    h2_begin(h, &request);
    talk(h, &s, 100);
    /* the server has not accepted our stream */
    nghttp2_submit_goaway(s.session, 0, 0, NGHTTP2_NO_ERROR, NULL, 0);
    talk(h, &s, 100);
    assert_int_equal(seen.closed, 1);
    assert_true(h2_is_over(h));
    nghttp2_session_del(s.session);
    h2_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begin__sends_the_headers_of_gRPC),
        cmocka_unit_test(receive__messages_then_the_status),
        cmocka_unit_test(receive__refusals_have_a_reason),
        cmocka_unit_test(receive__another_protocol_ends_the_connection),
        cmocka_unit_test(receive__goaway_ends_the_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
