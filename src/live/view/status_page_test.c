/* src/live/view/status_page_test.c - what agents and relays answer over HTTP. */
#include "live/view/status_page.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

static const char *trouble;

static void put_metrics(void *arg, struct prom *m)
{
    prom_one(m, "anole_test_count", "counter", "Something.", *(const double *)arg);
}

static char *find_trouble(void *arg)
{
    (void)arg;
    return trouble ? xstrdup(trouble) : NULL;
}

static double             count = 42;
static struct status_page page = { .metrics = put_metrics, .trouble = find_trouble, .arg = &count };
static struct http_config config = { .is_on = true, .listen = (char *)"127.0.0.1:0" };

/* Sends a request and returns the answer's status; 'text' is the whole answer. */
static unsigned ask(const char *request, char *text, size_t size)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char               head[200];
    size_t             length = 0;
    ssize_t            got = 1;

    to.sin_port = htons((uint16_t)strtoul(strrchr(server_address(page.server), ':') + 1, NULL, 10));
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    snprintf(head, sizeof head, "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", request);
    assert_int_equal(send(fd, head, strlen(head), MSG_NOSIGNAL), (ssize_t)strlen(head));
    for (int tries = 0; tries < 100 && got != 0; tries++) {
        struct pollfd fds[] = { { .fd = server_fd(page.server), .events = POLLIN },
                                { .fd = fd, .events = POLLIN } };

        poll(fds, 2, 50);
        server_run(page.server);
        got = recv(fd, text + length, size - length - 1, MSG_DONTWAIT);
        length += got > 0 ? (size_t)got : 0;
    }
    text[length] = '\0';
    close(fd);
    return length > 12 ? (unsigned)strtoul(text + strlen("HTTP/1.1 "), NULL, 10) : 0;
}

static void answer__has_metrics_and_health(void **unused)
{
    char       text[20000];
    struct err err;

    (void)unused;
    assert_int_equal(status_page_open(&page, &config, &err), 0);
    assert_int_equal(ask("GET /metrics", text, sizeof text), 200);
    assert_non_null(strstr(text, "text/plain; version=0.0.4"));
    assert_non_null(strstr(text, "\nanole_test_count 42\n"));
    assert_non_null(strstr(text, "\nprocess_"));                 /* those of the process follow */
    assert_int_equal(ask("GET /healthz", text, sizeof text), 200);
    assert_non_null(strstr(text, "\r\n\r\nok\n"));
    trouble = "no controller for 30 s\n";
    assert_int_equal(ask("GET /healthz", text, sizeof text), 503);
    assert_non_null(strstr(text, "\r\n\r\nno controller for 30 s\n"));
    assert_int_equal(ask("GET /", text, sizeof text), 404);
    server_free(page.server);
    page.server = NULL;
}

static void reopen__follows_the_configuration(void **unused)
{
    char text[20000];

    (void)unused;
    trouble = NULL;
    status_page_reopen(&page, &config);
    assert_non_null(page.server);
    assert_int_equal(ask("GET /healthz", text, sizeof text), 200);
    status_page_reopen(&page, &(struct http_config){ .is_on = false });
    assert_null(page.server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer__has_metrics_and_health),
        cmocka_unit_test(reopen__follows_the_configuration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
