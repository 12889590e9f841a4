/* src/base/http/server_test.c - raw requests to a server in the same thread. */
#include "base/http/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static struct { struct server *server; int answers; const char *event; uint64_t number; } t;

static const char zeros[7] = { 'a', 0, 'b', 0, 'c', 0, 'z' };

static uint64_t now_us(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000 + (uint64_t)at.tv_nsec / 1000;
}

static void answer(void *arg, const struct server_request *q, struct server_reply *r)
{
    char text[SERVER_BODY_MAX + 100];

    (void)arg;
    t.answers++;
    if (strcmp(q->path, "/bytes") == 0) {
        r->text = memcpy(xmalloc(sizeof zeros), zeros, sizeof zeros);
        r->length = sizeof zeros;
        return;
    }
    snprintf(text, sizeof text, "%s %s [%.*s]", q->method, q->path, (int)q->length, q->body);
    r->text = xstrdup(text);
}

static char *events(void *arg, struct server_cursor *at)
{
    (void)arg;
    if (at->last >= t.number)
        return NULL;
    at->last = t.number;
    return xstrdup(t.event);
}

static int open_server(void **state)
{
    struct server_hooks hooks = { answer, events, now_us, NULL, "/shell" };
    struct http_config  c = { .is_on = true, .listen = (char *)"127.0.0.1:0" };
    struct err          err = { "" };

    (void)state;
    t.answers = 0;
    t.number = 0;
    return server_open(&t.server, &c, &hooks, &err);
}

static int close_server(void **state)
{
    (void)state;
    server_free(t.server);
    return 0;
}

static int dial(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    a.sin_port = htons((uint16_t)strtoul(strrchr(server_address(t.server), ':') + 1, NULL, 10));
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

/* Runs the server until 'until' has been received, the connection closes, or a time limit. */
static bool receive_until(int fd, char *text, size_t size, const char *until)
{
    size_t   length = strlen(text);
    uint64_t end_us = now_us() + 2000000;

    while (now_us() < end_us && !strstr(text, until)) {
        struct pollfd fds[] = { { .fd = server_fd(t.server), .events = POLLIN },
                                { .fd = fd, .events = POLLIN } };
        ssize_t       got;

        poll(fds, 2, 50);
        server_run(t.server);
        got = recv(fd, text + length, size - length - 1, 0);
        if (got == 0)
            break;
        length += got > 0 ? (size_t)got : 0;
        text[length] = '\0';
    }
    return strstr(text, until) != NULL;
}

static void send_text(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void server_run__answers_allowed_requests(void **state)
{
    char text[4096] = "";
    int  fd = dial();

    (void)state;
    send_text(fd, "GET /here?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(receive_until(fd, text, sizeof text, "GET /here []"));
    assert_non_null(strstr(text, "HTTP/1.1 200 "));
    assert_non_null(strstr(text, "nosniff"));
    text[0] = '\0';
    send_text(fd, "POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                  "application/json\r\nContent-Length: 2\r\n\r\n{}");
    assert_true(receive_until(fd, text, sizeof text, "read-only"));
    assert_non_null(strstr(text, "HTTP/1.1 403 "));
    assert_int_equal(t.answers, 1);
    assert_int_equal(server_counts(t.server).requests, 2);
    assert_int_equal(server_counts(t.server).refused, 1);
    close(fd);
}

static void server_run__sends_binary_data(void **state)
{
    char text[4096] = "", *body;
    int  fd = dial();

    (void)state;
    send_text(fd, "GET /bytes HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(receive_until(fd, text, sizeof text, "\r\n\r\na"));
    assert_non_null(strstr(text, "Content-Length: 7\r\n"));
    body = strstr(text, "\r\n\r\n") + 4;
    assert_memory_equal(body, zeros, sizeof zeros);
    close(fd);
}

static int open_error(const char *listen, char *why)
{
    struct server_hooks hooks = { answer, events, now_us, NULL, "/shell" };
    struct http_config  c = { .is_on = true, .listen = (char *)listen };
    struct server      *s;
    struct err          err = { "" };
    int                 rc = server_open(&s, &c, &hooks, &err);

    assert_null(s);
    strcpy(why, err.text);
    return rc;
}

static void server_open__reports_an_invalid_address(void **state)
{
    char why[512];

    (void)state;
    assert_int_equal(open_error("127.0.0.1", why), -EINVAL);
    assert_string_equal(why, "127.0.0.1: an address is host:port, such as 127.0.0.1:8123 or [::1]:8123");
    assert_int_equal(open_error("127.0.0.1:70000", why), -EINVAL);       /* must not wrap to port 4464 */
    assert_int_equal(open_error("127.0.0.1:http", why), -EINVAL);
    assert_int_equal(open_error(server_address(t.server), why), -EADDRINUSE);
    assert_non_null(strstr(why, ": cannot listen there: Address already in use"));
}

static void server_run__public_server_is_read_only(void **state)
{
    struct server_hooks hooks = { answer, events, now_us, NULL, "/shell" };
    struct http_config  c = { .is_on = true, .is_public = true, .listen = (char *)"0.0.0.0:0" };
    struct err          err = { "" };
    char                text[4096] = "";
    int                 fd;

    (void)state;
    assert_int_equal(server_open(&t.server, &c, &hooks, &err), 0);
    fd = dial();
    send_text(fd, "GET /here HTTP/1.1\r\nHost: any.name\r\n\r\n");
    assert_true(receive_until(fd, text, sizeof text, "GET /here []"));
    text[0] = '\0';
    send_text(fd, "POST /here HTTP/1.1\r\nHost: any.name\r\nContent-Type: "
                  "application/json\r\nContent-Length: 2\r\n\r\n{}");
    assert_true(receive_until(fd, text, sizeof text, "read-only"));
    assert_non_null(strstr(text, "HTTP/1.1 405 "));
    assert_non_null(strstr(text, "Allow: GET, HEAD\r\n"));
    close(fd);
}

static void write_token(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, "0123456789abcdef\n", 17), 17);
    close(fd);
}

static void request_expecting(const char *request, const char *want)
{
    char text[4096] = "";
    int  fd = dial();

    send_text(fd, request);
    if (!receive_until(fd, text, sizeof text, want))
        fail_msg("'%s' is not in '%s'", want, text);
    close(fd);
}

static void server_run__remote_clients_get_the_empty_page_only(void **state)
{
    struct server_hooks hooks = { answer, events, now_us, NULL, "/shell" };
    char                path[] = "/tmp/anole-token-XXXXXX", listen[] = "0.0.0.0:0";
    struct http_config  c = { .is_on = true, .listen = listen, .token = path };
    struct err          err = { "" };

    (void)state;
    close(mkstemp(path));
    write_token(path);
    assert_int_equal(server_open(&t.server, &c, &hooks, &err), 0);
    unlink(path);
    t.answers = 0;
    request_expecting("GET /shell HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /shell []");
    assert_int_equal(t.answers, 1);
    request_expecting("GET /else HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 401 ");
    request_expecting("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 401 ");
    request_expecting("GET /shell HTTP/1.1\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 421 ");
    request_expecting("POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                      "application/json\r\nContent-Length: 2\r\n\r\n{}",
                      "HTTP/1.1 401 ");
    assert_int_equal(t.answers, 1);
    request_expecting(
        "GET /else HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer 0123456789abcdef\r\n\r\n",
        "GET /else []");
}

static void server_run__a_slow_client_does_not_block_others(void **state)
{
    char text[4096] = "", other[4096] = "";
    int  slow = dial(), fd = dial();

    (void)state;
    send_text(slow, "GET /slow HTTP/1.1\r\nHo");
    server_run(t.server);
    send_text(fd, "GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(receive_until(fd, other, sizeof other, "GET /quick []"));
    send_text(slow, "st: localhost\r\n\r\n");
    assert_true(receive_until(slow, text, sizeof text, "GET /slow []"));
    close(slow);
    close(fd);
}

static void server_wake__sends_new_events(void **state)
{
    char text[4096] = "", late[4096] = "";
    int  fd = dial(), other;

    (void)state;
    send_text(fd, "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(receive_until(fd, text, sizeof text, "text/event-stream"));
    assert_int_equal(server_counts(t.server).listeners, 1);
    t.event = "data: one\n\n";
    t.number = 1;
    server_wake(t.server);
    assert_true(receive_until(fd, text, sizeof text, "data: one\n\n"));
    t.event = "data: two\n\n";
    t.number = 2;
    server_wake(t.server);
    assert_true(receive_until(fd, text, sizeof text, "data: two\n\n"));
    other = dial();
    send_text(other, "GET /api/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 2\r\n\r\n");
    assert_true(receive_until(other, late, sizeof late, "text/event-stream"));
    assert_null(strstr(late, "data: two"));
    close(fd);
    t.number = 3;
    /* a disconnect is detected at the next event */
    for (int i = 0; i < 10 && server_counts(t.server).listeners > 1; i++) {
        server_wake(t.server);
        receive_until(other, late, sizeof late, "never");
        t.number++;
    }
    assert_int_equal(server_counts(t.server).listeners, 1);
    close(other);
}

static void server_run__too_many_listeners_are_refused(void **state)
{
    char text[4096];
    int  fd[20], refused = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        text[0] = '\0';
        fd[i] = dial();
        send_text(fd[i], "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_true(receive_until(fd[i], text, sizeof text, "\r\n\r\n"));
        refused += strstr(text, "HTTP/1.1 503 ") != NULL;
    }
    assert_int_equal(refused, 4);
    for (int i = 0; i < 20; i++)
        close(fd[i]);
}

static void server_run__long_bodies_and_heads_are_refused(void **state)
{
    static char body[100000];
    char        text[4096] = "";
    int         fd = dial();

    (void)state;
    memset(body, 'a', sizeof body - 1);
    send_text(fd, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
    (void)!send(fd, body, sizeof body, MSG_NOSIGNAL);
    receive_until(fd, text, sizeof text, "HTTP/1.1 4");
    assert_int_equal(t.answers, 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(server_run__answers_allowed_requests, open_server, close_server),
        cmocka_unit_test_setup_teardown(server_run__sends_binary_data, open_server, close_server),
        cmocka_unit_test_setup_teardown(server_open__reports_an_invalid_address, open_server, close_server),
        cmocka_unit_test_teardown(server_run__public_server_is_read_only, close_server),
        cmocka_unit_test_teardown(server_run__remote_clients_get_the_empty_page_only, close_server),
        cmocka_unit_test_setup_teardown(server_run__a_slow_client_does_not_block_others, open_server,
                                        close_server),
        cmocka_unit_test_setup_teardown(server_wake__sends_new_events, open_server, close_server),
        cmocka_unit_test_setup_teardown(server_run__too_many_listeners_are_refused, open_server,
                                        close_server),
        cmocka_unit_test_setup_teardown(server_run__long_bodies_and_heads_are_refused, open_server,
                                        close_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
