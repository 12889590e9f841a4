/* src/live/view/past_test.c - the last hour from memory, and longer ones from a Prometheus, here a small server
 * that answers one request per connection. */
#define MSG_CONFIRM SOCKET_CONFIRM       /* messages have one too */
#include <netinet/in.h>
#include <sys/socket.h>
#undef MSG_CONFIRM

#include "live/view/past.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define NOW_MS 1800000000000u

static double at(const json_t *o, const char *series, const char *column, size_t n)
{
    const json_t *list = json_object_get(json_object_get(json_object_get(o, "series"), series), column);

    return json_is_number(json_array_get(list, n)) ? json_number_value(json_array_get(list, n)) : NAN;
}

static void past_read_span__case(void **state)
{
    static const struct { const char *text; uint64_t span_ms, until_ms; } rows[] = {
        { "15m", 900000, 0 }, { "1h", 3600000, 0 }, { "365d", 31536000000, 0 }, { "7d/1800000000000", 604800000, NOW_MS },
        { "2h", 0, 0 }, { "1h/", 0, 0 }, { "1h/x", 0, 0 }, { "1h/5", 0, 0 }, { "1h/-1", 0, 0 }, { "", 0, 0 },
        { "1h/9007199254740992", 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t span_ms, until_ms;
        bool     is = past_read_span(rows[i].text, &span_ms, &until_ms);

        assert_int_equal(is, rows[i].span_ms != 0);
        assert_true(!is || (span_ms == rows[i].span_ms && until_ms == rows[i].until_ms));
    }
}

/* A point every second for 20 s, of which steps of 10 s have mean, least and most. */
static void past_take_timeline__folds_seconds(void **state)
{
    struct timeline *t = xcalloc(1, sizeof *t);
    struct past     *p = past_new(PAST_HOUR_MS, NOW_MS, 10000);

    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        struct timeline_point *is = &t->point[t->points++];

        *is = (struct timeline_point){ .wall_ms = NOW_MS - 10000 + i * 1000 };
        for (int k = 0; k < TIMELINE_SERIES; k++)
            is->value[k] = NAN;
        is->value[TIMELINE_METRIC] = (double)i;
    }
    t->knobs[t->changes++] = (struct timeline_knobs){ .wall_ms = NOW_MS - 2 * PAST_HOUR_MS };
    knob_set_add(&t->knobs[0].confirmed, KNOB_kmin, 100);
    t->knobs[t->changes++] = (struct timeline_knobs){ .wall_ms = NOW_MS - 5000 };
    knob_set_add(&t->knobs[1].confirmed, KNOB_kmin, 200);
    past_take_timeline(p, t);
    json_t *o = past_json(p, "memory");
    assert_int_equal(json_array_size(json_object_get(o, "t_ms")), 360);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(o, "t_ms"), 359)), NOW_MS);
    assert_true(at(o, "metric", "mean", 358) == 4.5 && at(o, "metric", "least", 358) == 0 && at(o, "metric", "most", 358) == 9);
    assert_true(at(o, "metric", "mean", 359) == 14.5 && at(o, "metric", "most", 359) == 19);
    assert_true(isnan(at(o, "metric", "mean", 357)) && isnan(at(o, "paused", "mean", 359)));
    assert_int_equal(json_integer_value(json_object_get(o, "oldest_ms")), NOW_MS - 10000);
    assert_int_equal(json_array_size(json_object_get(o, "knobs")), 2);     /* the first one held at the beginning */
    json_decref(o);
    past_free(p);
    free(t);
}

static void past_metrics__shows_the_newest_point(void **state)
{
    struct timeline *t = xcalloc(1, sizeof *t);
    struct prom      m;

    (void)state;
    for (int i = 0; i < 2; i++) {
        t->point[t->points] = (struct timeline_point){ .value = { [TIMELINE_METRIC] = 0.5 + i, [TIMELINE_CNPS] = NAN } };
        t->points++;
    }
    knob_set_add(&t->knobs[t->changes++].confirmed, KNOB_kmin, 100);
    prom_init(&m);
    past_metrics(&m, t);
    char *text = prom_end(&m);
    assert_non_null(strstr(text, "anole_controller_fabric{series=\"metric\"} 1.5\n"));
    assert_null(strstr(text, "cnps\"}"));        /* unknown is not 0 */
    assert_non_null(strstr(text, "anole_controller_setting{knob=\"kmin\"} 100\n"));
    free(text);
    free(t);
}

#define MATRIX(rows) "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[" rows "]}}"

static void past_read_matrix__leaves_out_what_does_not_fit(void **state)
{
    struct past *p = past_new(21600000, NOW_MS, 60000);
    double       from_s = (double)p->from_ms / 1000;
    char        *text = xprintf(MATRIX("{\"metric\":{\"series\":\"metric\"},\"values\":[[%.3f,\"0.5\"],[%.3f,\"NaN\"],[%.3f,\"7\"],"
                                "[%.3f,\"8\"],[\"x\",\"9\"],[%.3f,3],7]},{\"metric\":{\"series\":\"other\"},\"values\":[[%.3f,\"1\"]]},{}"),
                                from_s + 60, from_s + 120, from_s, from_s + 60 * 361, from_s + 180, from_s + 60);

    (void)state;
    assert_int_equal(p->points, 360);
    assert_int_equal(past_read_matrix(p, PAST_MEAN, text, strlen(text)), 0);
    assert_true(p->value[PAST_MEAN][TIMELINE_METRIC][0] == 0.5);
    for (uint32_t n = 1; n < p->points; n++)
        assert_true(isnan(p->value[PAST_MEAN][TIMELINE_METRIC][n]));
    assert_true(p->oldest_ms && p->oldest_ms < p->from_ms);                /* there may be more before */
    assert_int_equal(past_read_matrix(p, PAST_MEAN, "{}", 2), -EBADMSG);
    assert_int_equal(past_read_matrix(p, PAST_MEAN, "", 0), -EBADMSG);
    free(text);
    text = xprintf(MATRIX("{\"metric\":{\"knob\":\"kmin\"},\"values\":[[%.3f,\"100\"],[%.3f,\"100\"],[%.3f,\"200\"]]},"
                          "{\"metric\":{\"knob\":\"kmix\"},\"values\":[[%.3f,\"1\"]]}"),
                   from_s + 60, from_s + 180, from_s + 240, from_s + 60);
    assert_int_equal(past_read_matrix(p, PAST_COLUMNS, text, strlen(text)), 0);
    assert_int_equal(json_array_size(p->knobs), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(p->knobs, 1), "t_ms")), p->from_ms + 3 * 60000);
    free(text);
    past_free(p);
}

/* ---- a Prometheus ---- */

struct standin { int socket; pthread_t thread; char url[40], seen[4][1024]; int requests; bool is_broken; };

static void answer(struct standin *s, int fd)
{
    char  request[4096], *start;
    ssize_t length = read(fd, request, sizeof request - 1);

    assert_true(length > 0);
    request[length] = '\0';
    start = strstr(request, "start=");
    assert_non_null(start);
    if (s->requests < 4)
        snprintf(s->seen[s->requests], sizeof s->seen[0], "%.1000s", request);
    char *body = s->is_broken ? xstrdup("<html>") :
                 xprintf(MATRIX("{\"metric\":{\"series\":\"metric\"},\"values\":[[%s,\"%d\"]]}"),
                         strtok(start + 6, "& "), ++s->requests);
    dprintf(fd, "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
            s->is_broken ? "500 Oh" : "200 OK", strlen(body), body);
    free(body);
}

static void *serve(void *arg)
{
    struct standin *s = arg;

    for (int fd; (fd = accept(s->socket, NULL, NULL)) >= 0; close(fd))
        answer(s, fd);
    return NULL;
}

static void open_standin(struct standin *s)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t          size = sizeof to;

    s->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->socket, (void *)&to, size), 0);
    assert_int_equal(listen(s->socket, 8), 0);
    assert_int_equal(getsockname(s->socket, (void *)&to, &size), 0);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%u/", ntohs(to.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void close_standin(struct standin *s)
{
    shutdown(s->socket, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->socket);
}

static json_t *ask(struct past_asker *a, uint64_t span_ms, int *rc)
{
    json_t *o = NULL;

    for (int i = 0; i < 2000 && !o; i++)
        if (!(o = past_ask(a, span_ms, 0, NOW_MS + (uint64_t)i, rc)))
            usleep(5000);
    assert_non_null(o);
    return o;
}

static void past_ask__asks_for_means_and_bounds_of_each_step(void **state)
{
    struct standin     s = { 0 };
    struct past_asker *a;
    struct err         err;
    int                rc;

    (void)state;
    open_standin(&s);
    assert_int_equal(past_open(&a, s.url, "instance=\"c1\"", &err), 0);
    json_t *o = ask(a, 604800000, &rc);
    assert_int_equal(rc, 0);
    assert_int_equal(s.requests, 4);
    assert_string_equal(json_get_text(o, "source"), "Prometheus");
    assert_int_equal(json_integer_value(json_object_get(o, "step_ms")), 1680000);
    assert_true(at(o, "metric", "mean", 0) == 1 && at(o, "metric", "least", 0) == 2 && at(o, "metric", "most", 0) == 3);
    assert_non_null(strstr(s.seen[0], "GET /api/v1/query_range?query=avg%20by%20%28series%29"));
    assert_non_null(strstr(s.seen[0], "%7Binstance%3D%22c1%22%7D%5B1680s%5D"));
    assert_non_null(strstr(s.seen[0], "step=1680 "));
    assert_non_null(strstr(s.seen[3], "anole_controller_setting"));
    json_decref(o);
    json_decref(ask(a, 604800000, &rc));         /* still good */
    assert_int_equal(s.requests, 4);
    past_close(a);
    close_standin(&s);
}

static void past_ask__says_why_there_is_no_answer(void **state)
{
    struct standin     s = { .is_broken = true };
    struct past_asker *a;
    struct err         err;
    int                rc;

    (void)state;
    open_standin(&s);
    assert_int_equal(past_open(&a, s.url, NULL, &err), 0);
    json_t *o = ask(a, 604800000, &rc);
    assert_int_equal(rc, -EIO);
    assert_string_equal(json_get_text(o, "error"), "Prometheus: it answers with status 500, and without a matrix");
    json_decref(o);
    close_standin(&s);
    o = ask(a, 86400000, &rc);
    assert_true(rc == -EIO && strncmp(json_get_text(o, "error"), "Prometheus: ", 12) == 0);
    json_decref(o);
    past_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(past_read_span__case),
        cmocka_unit_test(past_take_timeline__folds_seconds),
        cmocka_unit_test(past_metrics__shows_the_newest_point),
        cmocka_unit_test(past_read_matrix__leaves_out_what_does_not_fit),
        cmocka_unit_test(past_ask__asks_for_means_and_bounds_of_each_step),
        cmocka_unit_test(past_ask__says_why_there_is_no_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
