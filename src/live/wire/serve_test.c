/* src/live/wire/serve_test.c - serve.h and dial.h: both sides in one process, over this machine's network.
 * Certificates: tests/cli/live.bats. */
#include "live/wire/dial.h"
#include "live/wire/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* One end of a connection: a server or a client. */
struct rpc { struct serve *serve; struct dial *dial; };

static char        address[128];
/* The server runs in the event loop of its program: it gets turns while the other side waits. */
static struct rpc *other;

static struct rpc *new_end(struct serve *serve, struct dial *dial)
{
    struct rpc *r = xcalloc(1, sizeof *r);

    *r = (struct rpc){ serve, dial };
    return r;
}

static int rpc_serve(struct rpc **out, const char *at, const struct rpc_tls *tls, struct err *err)
{
    struct serve *s;
    int           rc = serve_open(&s, at, tls, NULL, err);

    *out = rc ? NULL : new_end(s, NULL);
    return rc;
}

static int rpc_dial(struct rpc **out, const char *at, const struct rpc_tls *tls, struct err *err)
{
    struct dial *d;
    int          rc = dial_open(&d, at, tls, NULL, err);

    *out = rc ? NULL : new_end(NULL, d);
    return rc;
}

static void rpc_free(struct rpc *r)
{
    serve_free(r->serve);
    dial_free(r->dial);
    free(r);
}

static int rpc_fd(const struct rpc *r)
{
    return r->serve ? serve_fd(r->serve) : dial_fd(r->dial);
}

static bool rpc_next(struct rpc *r, struct rpc_event *e)
{
    return r->serve ? serve_next(r->serve, e) : dial_next(r->dial, e);
}

static void rpc_send(struct rpc *r, uint32_t link, const void *bytes, size_t length)
{
    if (r->serve)
        serve_send(r->serve, link, bytes, length);
    else
        dial_send(r->dial, link, bytes, length);
}

static int set_up(void **unused)
{
    (void)unused;
    snprintf(address, sizeof address, "unix:/tmp/anole-rpc-%d", (int)getpid());
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    unlink(address + 5);
    return 0;
}

#define KEPT_MAX 2000

static struct rpc_event kept[KEPT_MAX];          /* events that the server received in its turns */
static int              kept_first, kept_last;

/* Takes an event with a copy of its bytes. The caller frees it. */
static bool take(struct rpc *r, struct rpc_event *e)
{
    if (!rpc_next(r, e))
        return false;
    if (e->bytes)
        e->bytes = memcpy(xmalloc(e->length + 1), e->bytes, e->length);
    return true;
}

static void give_turn(struct rpc *r)
{
    struct rpc_event e;

    while (r && take(r, &e)) {
        assert_true(kept_last < KEPT_MAX);
        kept[kept_last++] = e;
    }
}

/* Returns the next event. The test fails if none comes. */
static struct rpc_event next(struct rpc *r)
{
    struct rpc_event e;
    struct pollfd    fd[2] = { { .fd = rpc_fd(r), .events = POLLIN }, { .fd = -1, .events = POLLIN } };

    if (r == other && kept_first < kept_last)
        return kept[kept_first++];
    while (!take(r, &e)) {
        fd[1].fd = other && r != other ? rpc_fd(other) : -1;
        assert_in_range(poll(fd, 2, 60000), 1, 2);
        if (r != other)
            give_turn(other);
    }
    return e;
}

static struct rpc *serve(void)
{
    struct rpc *r;
    struct err  err = { "" };

    if (rpc_serve(&r, address, &(struct rpc_tls){ 0 }, &err))
        fail_msg("%s", err.text);
    return other = r;
}

/* Also frees messages that were not taken. */
static void stop(struct rpc *r)
{
    for (; kept_first < kept_last; kept_first++)
        free(kept[kept_first].bytes);
    kept_first = kept_last = 0;
    other = NULL;
    rpc_free(r);
}

static struct rpc *dial(void)
{
    struct rpc *r;
    struct err  err = { "" };

    assert_int_equal(rpc_dial(&r, address, &(struct rpc_tls){ 0 }, &err), 0);
    return r;
}

static void expect_data(struct rpc *r, uint32_t link, const char *text)
{
    struct rpc_event e = next(r);

    assert_int_equal(e.kind, RPC_DATA);
    assert_int_equal(e.link, link);
    assert_int_equal(e.length, strlen(text));
    assert_memory_equal(e.bytes, text, e.length);
    free(e.bytes);
}

static void send__messages_arrive_in_order_both_ways(void **unused)
{
    struct rpc *server = serve(), *client = dial();
    uint32_t    up = next(client).link, down = next(server).link;
    char        text[24];

    (void)unused;
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "up %d", i);
        rpc_send(client, up, text, strlen(text));
        snprintf(text, sizeof text, "down %d", i);
        rpc_send(server, down, text, strlen(text));
    }
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "up %d", i);
        expect_data(server, down, text);
        snprintf(text, sizeof text, "down %d", i);
        expect_data(client, up, text);
    }
    rpc_free(client);
    assert_int_equal(next(server).kind, RPC_CLOSE);
    stop(server);
}

static void redial__comes_back_after_the_server_does(void **unused)
{
    struct rpc      *server = serve(), *client = dial();
    struct rpc_event e;

    (void)unused;
    assert_int_equal(next(client).kind, RPC_OPEN);
    stop(server);
    assert_int_equal(next(client).kind, RPC_CLOSE);
    rpc_send(client, 0, "lost", 4);              /* to a closed link */
    server = serve();
    do {
        dial_again(client->dial);
        e = next(client);
        usleep(20000);
    } while (e.kind == RPC_CLOSE);
    assert_int_equal(e.kind, RPC_OPEN);
    rpc_send(client, e.link, "here", 4);
    e = next(server);
    expect_data(server, e.link, "here");
    rpc_free(client);
    stop(server);
}

static void *ask(void *arg)
{
    unsigned char *reply = NULL;
    size_t         length = 0;
    struct err     err = { "" };
    int            rc = rpc_ask(address, &(struct rpc_tls){ 0 }, "question", 8, 20000, &reply, &length, &err);

    *(_Atomic int *)arg = rc ? rc : length == 6 && memcmp(reply, "answer", 6) == 0 ? 0 : -EBADMSG;
    free(reply);
    return NULL;
}

static void ask__is_answered(void **unused)
{
    struct rpc      *server = serve();
    struct rpc_event e;
    pthread_t        thread;
    _Atomic int      rc = 1;

    (void)unused;
    pthread_create(&thread, NULL, ask, &rc);
    e = next(server);
    assert_int_equal(e.kind, RPC_ASK);
    assert_memory_equal(e.bytes, "question", 8);
    serve_reply(server->serve, e.link, "answer", 6);
    while (rc == 1) {
        give_turn(server);
        usleep(1000);
    }
    pthread_join(thread, NULL);
    assert_int_equal(rc, 0);
    free(e.bytes);
    stop(server);
}

static void ask__without_a_server_fails_in_time(void **unused)
{
    unsigned char *reply;
    size_t         length;
    struct err     err = { "" };

    (void)unused;
    assert_true(rpc_ask(address, &(struct rpc_tls){ 0 }, "x", 1, 1000, &reply, &length, &err) < 0);
    assert_non_null(strstr(err.text, "no answer"));
}

/* The server accepts but never answers. */
static void ask__a_silent_server_is_an_error_in_time(void **unused)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    unsigned char     *reply;
    size_t             length;
    struct err         err = { "" };
    int                fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)unused;
    memcpy(at.sun_path, address + 5, strlen(address + 5) + 1);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_true(rpc_ask(address, &(struct rpc_tls){ 0 }, "x", 1, 300, &reply, &length, &err) < 0);
    assert_non_null(strstr(err.text, "no answer from a controller: it took too long"));
    close(fd);
}

static void *refuse_twice(void *listener)
{
    for (int i = 0; i < 2; i++)
        close(accept(*(int *)listener, NULL, NULL));
    close(*(int *)listener);
    return NULL;
}

/* A flooded listener closes connections before the request. Two are closed. Then the listener is gone,
 * which is a final error. */
static void ask__is_repeated_if_connections_are_closed(void **unused)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    unsigned char     *reply;
    size_t             length;
    struct err         err = { "" };
    int                fd = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_t          thread;

    (void)unused;
    memcpy(at.sun_path, address + 5, strlen(address + 5) + 1);
    unlink(at.sun_path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(pthread_create(&thread, NULL, refuse_twice, &fd), 0);
    assert_int_equal(rpc_ask(address, &(struct rpc_tls){ 0 }, "x", 1, 20000, &reply, &length, &err),
                     -ECONNREFUSED);
    assert_non_null(strstr(err.text, "Connection refused"));
    pthread_join(thread, NULL);
}

/* The send queue is bounded: a link whose other end does not read is closed. */
static void send__leaves_a_server_that_does_not_read(void **unused)
{
    static unsigned char message[20000];
    struct rpc          *server = serve(), *client = dial();
    uint32_t             link = next(client).link;
    struct rpc_event     e;

    (void)unused;
    other = NULL;                                /* the server gets no more turns */
    for (int i = 0; i < 2000; i++)
        rpc_send(client, link, message, sizeof message);
    e = next(client);
    assert_int_equal(e.kind, RPC_CLOSE);
    assert_string_equal(e.why, "it does not take what is sent");
    rpc_send(client, link, "lost", 4);
    rpc_free(client);
    stop(server);
}

static void cut__is_reported_to_both(void **unused)
{
    struct rpc      *server = serve(), *client = dial();
    uint32_t         up = next(client).link;
    struct rpc_event e = next(server);

    (void)unused;
    assert_int_equal(e.kind, RPC_OPEN);
    dial_finish(client->dial, up);
    assert_int_equal(next(server).kind, RPC_CLOSE);
    e = next(client);
    assert_int_equal(e.kind, RPC_CLOSE);
    assert_int_equal(e.link, up);
    dial_again(client->dial);
    e = next(client);
    assert_int_equal(e.kind, RPC_OPEN);
    assert_int_not_equal(e.link, up);
    serve_cut(server->serve, next(server).link);
    assert_int_equal(next(client).kind, RPC_CLOSE);
    rpc_free(client);
    stop(server);
}

static void dial__a_wrong_address_is_refused(void **unused)
{
    static const char *const wrong[] = { "127.0.0.1", "127.0.0.1:", "unix:", "localhost:1234567890123456" };
    struct rpc              *r;
    struct err               err = { "" };

    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(rpc_dial(&r, wrong[i], &(struct rpc_tls){ 0 }, &err) < 0);
        assert_null(r);
    }
    /* accepted, because it is looked up only later */
    assert_int_equal(rpc_dial(&r, "localhost:notaport", &(struct rpc_tls){ 0 }, &err), 0);
    assert_int_equal(next(r).kind, RPC_CLOSE);
    rpc_free(r);
}

static void serve__without_certificates_only_locally(void **unused)
{
    struct rpc *r;
    struct err  err = { "" };

    (void)unused;
    assert_int_equal(rpc_serve(&r, "0.0.0.0:7999", &(struct rpc_tls){ 0 }, &err), -EPERM);
    assert_int_equal(rpc_dial(&r, "10.0.0.1:7999", &(struct rpc_tls){ 0 }, &err), -EPERM);
    assert_int_equal(rpc_serve(&r, "127.0.0.1:7999",
                               &(struct rpc_tls){ .ca = "/nowhere", .cert = "/nowhere", .key = "/nowhere" }, &err), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(send__messages_arrive_in_order_both_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(redial__comes_back_after_the_server_does, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ask__is_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ask__without_a_server_fails_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ask__a_silent_server_is_an_error_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ask__is_repeated_if_connections_are_closed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(send__leaves_a_server_that_does_not_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut__is_reported_to_both, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dial__a_wrong_address_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(serve__without_certificates_only_locally, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
