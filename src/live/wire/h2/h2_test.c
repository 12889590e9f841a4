/* src/live/wire/h2/h2_test.c - against nghttp2's client, with bytes passed by hand. For gRPC's client see
 * tests/live/client.py. */
#include "live/wire/h2/h2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The server's events, as words. */
struct seen { char text[4096]; struct h2_call *call; unsigned opened, closed; };

static enum h2_kind kind_of(const char *path)
{
    return strcmp(path, "/s") == 0 ? H2_STREAM : strcmp(path, "/q") == 0 ? H2_QUESTION : H2_UNKNOWN;
}

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
    snprintf(s->text + at, sizeof s->text - at, "<%.*s>", length > 64 ? 8 : (int)length, (const char *)bytes);
}

static void on_close(void *arg, struct h2_call *c)
{
    struct seen *s = arg;

    (void)c;
    s->call = NULL;
    s->closed++;
}

static const struct h2_hooks hooks = { kind_of, on_open, on_data, on_close };

/* ---- the client ---- */

struct client {
    nghttp2_session     *session;
    const unsigned char *out;            /* what it sends; then it waits, or ends its stream */
    size_t               left;
    bool                 is_end;
    char                 got[4096], status[16];
    size_t               got_length;
    uint32_t             code;           /* of the end of the stream */
    bool                 is_over;
};

static ssize_t give(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t room, uint32_t *flags,
                    nghttp2_data_source *source, void *arg)
{
    struct client *c = source->ptr;
    size_t         part = c->left < room ? c->left : room;

    (void)session, (void)stream, (void)arg;
    if (part)
        memcpy(bytes, c->out, part);
    c->out += part;
    c->left -= part;
    if (!c->left && c->is_end)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return part || c->is_end ? (ssize_t)part : NGHTTP2_ERR_DEFERRED;
}

static int got_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                    size_t length, void *arg)
{
    struct client *c = arg;

    (void)session, (void)flags, (void)stream;
    assert_true(c->got_length + length <= sizeof c->got);
    memcpy(c->got + c->got_length, bytes, length);
    c->got_length += length;
    return 0;
}

static int got_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                      size_t name_length, const uint8_t *value, size_t length, uint8_t flags, void *arg)
{
    struct client *c = arg;

    (void)session, (void)frame, (void)flags;
    if (name_length == 11 && memcmp(name, "grpc-status", 11) == 0)
        snprintf(c->status, sizeof c->status, "%.*s", (int)length, (const char *)value);
    return 0;
}

static int got_close(nghttp2_session *session, int32_t stream, uint32_t code, void *arg)
{
    struct client *c = arg;

    (void)session, (void)stream;
    c->is_over = true;
    c->code = code;
    return 0;
}

static nghttp2_nv nv(const char *name, const char *value)
{
    return (nghttp2_nv){ (uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), 0 };
}

static void client_init(struct client *c, const char *path, const char *type)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_data_provider      from = { .source.ptr = c, .read_callback = give };
    nghttp2_nv                 head[] = { nv(":method", "POST"), nv(":scheme", "http"), nv(":path", path),
                                          nv(":authority", "x"), nv("content-type", type),
                                          nv("te", "trailers") };

    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, got_data);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, got_header);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, got_close);
    nghttp2_session_client_new(&c->session, callbacks, c);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(c->session, 0, NULL, 0);
    nghttp2_submit_request(c->session, NULL, head, sizeof head / sizeof *head, &from, NULL);
}

/* Passes bytes both ways, 'grain' at a time, until neither side has more. */
static void talk(struct client *c, struct h2 *h, size_t grain)
{
    const unsigned char *bytes;
    ssize_t              n;
    size_t               m, moved;

    do {
        moved = 0;
        while ((n = nghttp2_session_mem_send(c->session, &bytes)) > 0) {
            moved += (size_t)n;
            for (size_t at = 0; at < (size_t)n; at += grain)
                assert_true(h2_receive(h, bytes + at, (size_t)n - at < grain ? (size_t)n - at : grain));
        }
        while ((m = h2_output(h, &bytes)) > 0) {
            moved += m;
            assert_int_equal(nghttp2_session_mem_recv(c->session, bytes, m), m);
        }
    } while (moved);
}

static void say(struct client *c, struct h2 *h, const void *bytes, size_t length, bool is_end, size_t grain)
{
    c->out = bytes;
    c->left = length;
    c->is_end = is_end;
    nghttp2_session_resume_data(c->session, 1);
    talk(c, h, grain);
    assert_int_equal(c->left, 0);
}

/* ---- tests ---- */

static void receive__reassembles_messages(void **unused)
{
    static const unsigned char three[] = "\0\0\0\0\3one\0\0\0\0\0\0\0\0\0\5three";

    (void)unused;
    for (size_t grain = 1; grain < 40; grain += grain < 8 ? 1 : 8) {
        struct seen   s = { 0 };
        struct client c = { 0 };
        struct h2    *h = h2_new(&hooks, &s, false);

        client_init(&c, "/s", "application/grpc");
        talk(&c, h, grain);
        assert_int_equal(s.opened, 1);
        for (size_t at = 0; at < sizeof three - 1; at += grain)          /* also in frames of 'grain' bytes */
            say(&c, h, three + at, sizeof three - 1 - at < grain ? sizeof three - 1 - at : grain,
                false, grain);
        assert_string_equal(s.text, "<one><><three>");
        say(&c, h, "", 0, true, grain);
        assert_string_equal(c.status, "0");      /* the server ends a stream that the client has ended */
        assert_int_equal(s.closed, 1);
        nghttp2_session_del(c.session);
        h2_free(h);
    }
}

/* The client obeys flow control. More than a window arrives only if the server reopens windows, for frames
 * that come whole and for frames that come in parts. */
static void receive__more_than_a_window_holds(void **unused)
{
    static const size_t  grains[] = { 20000, 4000 };
    static unsigned char message[5 + 60000] = { 0, 0, 0, 60000 >> 8, 60000 & 255, 'm' };

    (void)unused;
    for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
        struct seen   s = { 0 };
        struct client c = { 0 };
        struct h2    *h = h2_new(&hooks, &s, false);

        client_init(&c, "/s", "application/grpc");
        talk(&c, h, grains[i]);
        for (int k = 0; k < 60; k++)             /* 3.6 MB */
            say(&c, h, message, sizeof message, false, k % 7 ? grains[i] : 3000);
        assert_int_equal(strlen(s.text), 60 * strlen("<m>"));
        say(&c, h, "", 0, true, grains[i]);
        assert_string_equal(c.status, "0");
        nghttp2_session_del(c.session);
        h2_free(h);
    }
}

static void send__arrives_with_a_prefix_and_in_order(void **unused)
{
    struct seen   s = { 0 };
    struct client c = { 0 };
    struct h2    *h = h2_new(&hooks, &s, false);

    (void)unused;
    client_init(&c, "/s", "application/grpc+proto");
    talk(&c, h, 100);
    assert_true(h2_send(s.call, "abc", 3));
    assert_true(h2_send(s.call, "", 0));
    talk(&c, h, 100);
    assert_true(h2_send(s.call, "d", 1));
    talk(&c, h, 100);
    assert_int_equal(c.got_length, 8 + 5 + 6);
    assert_memory_equal(c.got, "\0\0\0\0\3abc\0\0\0\0\0\0\0\0\0\1d", 19);
    h2_cut(s.call);
    talk(&c, h, 100);
    assert_true(c.is_over);
    assert_int_equal(c.code, NGHTTP2_CANCEL);
    assert_int_equal(s.closed, 1);
    nghttp2_session_del(c.session);
    h2_free(h);
}

static void send__refuses_more_than_the_queue_holds(void **unused)
{
    struct seen   s = { 0 };
    struct client c = { 0 };
    struct h2    *h = h2_new(&hooks, &s, false);

    (void)unused;
    client_init(&c, "/s", "application/grpc");
    talk(&c, h, 100);
    for (int i = 0; i < H2_WAITING_MAX; i++)
        assert_true(h2_send(s.call, "x", 1));
    assert_false(h2_send(s.call, "x", 1));
    nghttp2_session_del(c.session);
    h2_free(h);                                  /* also frees what waits to be sent */
    assert_int_equal(s.closed, 1);
}

static void end__a_question_gets_its_answer_then_a_status(void **unused)
{
    struct seen   s = { 0 };
    struct client c = { 0 };
    struct h2    *h = h2_new(&hooks, &s, false);

    (void)unused;
    client_init(&c, "/q", "application/grpc");
    say(&c, h, "\0\0\0\0\2hi", 7, true, 3);
    assert_string_equal(s.text, "<hi>");
    assert_string_equal(c.status, "");
    h2_send(s.call, "ho", 2);
    h2_end(s.call, H2_OK);
    talk(&c, h, 100);
    assert_memory_equal(c.got, "\0\0\0\0\2ho", 7);
    assert_string_equal(c.status, "0");
    assert_true(c.is_over);
    nghttp2_session_del(c.session);
    h2_free(h);
}

static void receive__refuses_with_a_status(void **unused)
{
    static const struct { const char *path, *type, *bytes; size_t length; const char *status; } rows[] = {
        { "/x", "application/grpc", "", 0, "12" },                       /* unknown path */
        { "/s", "text/plain", "", 0, "12" },
        { "/s", "application/grpc", "\1\0\0\0\1x", 6, "12" },           /* compressed */
        { "/s", "application/grpc", "\0\x7f\0\0\0x", 6, "8" },          /* 2 GB */
        { "/s", "application/grpc", "\0\0\0\0\7x", 6, "13" },           /* ends in the middle */
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen   s = { 0 };
        struct client c = { 0 };
        struct h2    *h = h2_new(&hooks, &s, false);

        client_init(&c, rows[i].path, rows[i].type);
        c.out = (const unsigned char *)rows[i].bytes;
        c.left = rows[i].length;
        c.is_end = i != 2 && i != 3;
        talk(&c, h, 100);
        assert_string_equal(c.status, rows[i].status);
        assert_string_equal(s.text, "");
        assert_int_equal(s.opened, s.closed);
        nghttp2_session_del(c.session);
        h2_free(h);
    }
}

static void receive__another_protocol_ends_the_connection(void **unused)
{
    struct seen s = { 0 };
    struct h2  *h = h2_new(&hooks, &s, false);

    (void)unused;
    assert_false(h2_receive(h, (const unsigned char *)"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27));
    h2_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive__reassembles_messages),
        cmocka_unit_test(receive__more_than_a_window_holds),
        cmocka_unit_test(send__arrives_with_a_prefix_and_in_order),
        cmocka_unit_test(send__refuses_more_than_the_queue_holds),
        cmocka_unit_test(end__a_question_gets_its_answer_then_a_status),
        cmocka_unit_test(receive__refuses_with_a_status),
        cmocka_unit_test(receive__another_protocol_ends_the_connection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
