/* tests/fuzz/fuzz_http.c - a client without a token changes nothing, for any request head, and values parsed
 * from a body are valid. The input is six lines (method, Host, Authorization, Origin, Sec-Fetch-Site,
 * Content-Type, which is also used as Sec-Fetch-Dest), a path, and a body.
 */
#include "live/view/past.h"
#include "base/http/gate.h"
#include "live/view/controller_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))
#define TOKEN "0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_gate(const struct gate_request *q)
{
    struct gate local, remote;
    const char *why = NULL;
    int         status;

    gate_init(&local, TOKEN, true);
    gate_init(&remote, TOKEN, false);
    status = gate_check(&local, q, 1, &why);
    PROMISE(status == 0 || (status >= 400 && status < 500 && why && *why));
    if (!q->authorization || !strstr(q->authorization, TOKEN)) {
        PROMISE(status != 0 || strcmp(q->method, "GET") == 0 || strcmp(q->method, "HEAD") == 0);
        PROMISE(gate_check(&remote, q, 1, &why) != 0);
    }
    PROMISE(status != 0 || q->host);
}

static void check_text(const char *text, size_t size)
{
    PROMISE(strnlen(text, size) < size);
    for (; *text; text++)
        PROMISE((unsigned char)*text >= ' ' && *text != 127);
}

static void check_order(const char *path, const char *body, size_t length)
{
    struct question q = { .version = 77 };
    struct err      err = { "" };

    if (page_read_order(&q, path, body, length, &err)) {
        PROMISE(q.version == 77 && *err.text);
        return;
    }
    PROMISE(strcmp(q.verb, "freeze") == 0 || strcmp(q.verb, "thaw") == 0 || strcmp(q.verb, "approve") == 0 ||
            strcmp(q.verb, "rollback") == 0 || strcmp(q.verb, "forget") == 0 || strcmp(q.verb, "drill") == 0);
    PROMISE((q.number != 0) == (strcmp(q.verb, "approve") == 0));
    PROMISE(strcmp(q.verb, "forget") != 0 || *q.device);
    check_text(q.device, sizeof q.device);
    check_text(q.why, sizeof q.why);
}

/* Checks the end of /api/history/... : an accepted time span is valid. */
static void check_span(const char *path)
{
    uint64_t span_ms, until_ms;

    if (past_read_span(strncmp(path, "/api/history/", 13) == 0 ? path + 13 : path, &span_ms, &until_ms))
        PROMISE(span_ms >= 60000 && span_ms <= 366ull * 86400000 && until_ms < 1ull << 53);
}

/* Any text as an answer of Prometheus. */
static void check_matrix(const char *text, size_t length)
{
    struct past *p = past_new(604800000, 1800000000000, 60000);

    for (int i = 0; i <= PAST_COLUMNS; i++)
        past_read_matrix(p, (enum past_column)i, text, length);
    json_decref(past_json(p, "fuzz"));
    past_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char       *text = malloc(size + 1), *line[7], *rest;
    size_t      used;
    int         i = 0;

    memcpy(text, data, size);
    text[size] = '\0';
    rest = text;
    for (; i < 7; i++) {
        line[i] = rest;
        rest += strcspn(rest, "\n");
        if (*rest)
            *rest++ = '\0';
    }
    used = (size_t)(rest - text);
    check_gate(&(struct gate_request){ line[0], *line[1] ? line[1] : NULL, *line[2] ? line[2] : NULL,
                                       *line[3] ? line[3] : NULL, *line[4] ? line[4] : NULL,
                                       *line[5] ? line[5] : NULL, *line[5] ? line[5] : NULL, NULL, GATE_NOTHING, NULL });
    check_span(line[6]);
    check_matrix((const char *)data, size);
    check_order(line[6], rest, size - used);
    free(text);
    return 0;
}
