/* src/live/daemon/ctl.c - see ctl.h. */
#include "live/daemon/ctl.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "live/core/audit.h"
#include "live/core/knobset.h"
#include "live/wire/rpc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 5000

const char *const ctl_verbs[] = { "status", "history", "diff", "freeze", "thaw", "approve", "rollback", NULL };

/* A line, escaped: much of it comes from elsewhere. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    safe_vprintf(stdout, format, args);
    va_end(args);
    putchar('\n');
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "";
}

static const char *set_text(char *buf, size_t size, const json_t *o)
{
    struct knob_set set = { 0 };

    return knobset_from_json(&set, o) ? "" : knobset_text(buf, size, &set);
}

/* ---- status ---- */

static void print_trial(const json_t *t)
{
    char set[1000];

    if (strcmp(text_of(t, "phase"), "none") == 0)
        return;
    say("trial %" JSON_INTEGER_FORMAT ": %s%s%s, %s", json_integer_value(json_object_get(t, "number")),
                text_of(t, "phase"), *text_of(t, "stage") ? ", stage " : "", text_of(t, "stage"),
                set_text(set, sizeof set, json_object_get(t, "set")));
    if (*text_of(t, "why"))
        say("  because: %s", text_of(t, "why"));
    if (json_object_get(t, "pairs"))
        printf("  %" JSON_INTEGER_FORMAT " pairs, gain %.4g, e-value %.3g for a gain, %.3g for harm\n",
               json_integer_value(json_object_get(t, "pairs")), json_number_value(json_object_get(t, "gain")),
               json_number_value(json_object_get(t, "e_gain")), json_number_value(json_object_get(t, "e_harm")));
}

static const char *state_of(const json_t *d)
{
    return !json_is_true(json_object_get(d, "fresh")) ? "silent" :
           json_is_true(json_object_get(d, "frozen")) ? "frozen" :
           !json_is_true(json_object_get(d, "writes")) ? "observed" :
           json_is_true(json_object_get(d, "held_back")) ? "held back" : "tuned";
}

static void print_metric(const json_t *devices)
{
    double   sum = 0;
    unsigned count = 0;

    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *metric = json_object_get(json_array_get(devices, i), "metric");

        sum += json_is_number(metric) ? json_number_value(metric) : 0;
        count += json_is_number(metric);
    }
    if (count)
        printf(", metric %.3f", sum / count);
}

static void print_status(const json_t *o, bool is_short)
{
    const json_t *devices = json_object_get(o, "devices");

    say("%s: %s, mode %s, term %" JSON_INTEGER_FORMAT "", text_of(o, "name"), text_of(o, "role"), text_of(o, "mode"),
                json_integer_value(json_object_get(o, "term")));
    if (*text_of(o, "obstacle"))
        say("nothing is tried: %s", text_of(o, "obstacle"));
    print_trial(json_object_get(o, "trial"));
    printf("%zu devices, %.0f %% report", json_array_size(devices), json_number_value(json_object_get(o, "coverage")) * 100);
    print_metric(devices);
    putchar('\n');
    for (size_t i = 0; i < json_array_size(devices) && !is_short; i++) {
        const json_t *d = json_array_get(devices, i);

        say("  %-30s %-7s %-10s %s", text_of(d, "name"), text_of(d, "kind"), state_of(d), text_of(d, "why"));
    }
}

/* ---- diff, history ---- */

static void print_diff(const json_t *list)
{
    char was[1000], is[1000];

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);

        if (!json_object_size(json_object_get(o, "device")))
            say("%s: as it was", text_of(o, "name"));
        else
            say("%s: %s; baseline %s", text_of(o, "name"), set_text(is, sizeof is, json_object_get(o, "device")),
                        set_text(was, sizeof was, json_object_get(o, "baseline")));
    }
}

static void print_history(const json_t *list)
{
    char set[1000];

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i), *new = json_object_get(o, "new");
        const char   *why = text_of(o, "why"), *evidence = text_of(o, "evidence");

        say("%s %s%s%s%s%s%s%s", text_of(o, "time"), text_of(o, "what"), new ? " " : "",
                    new ? set_text(set, sizeof set, new) : "", *why ? ": " : "", why, *evidence ? "; " : "", evidence);
    }
}

/* ---- asking ---- */

static int print_answer(const struct ctl_request *q, const char *text, struct err *err)
{
    json_t *o = json_loads(text, JSON_DECODE_ANY, NULL);

    if (!o)
        return err_set(err, EBADMSG, "%s: the answer cannot be understood", q->address);
    if (q->is_json)
        puts(text);
    else if (strcmp(q->question.verb, "status") == 0)
        print_status(o, q->is_short);
    else if (strcmp(q->question.verb, "diff") == 0)
        print_diff(o);
    else if (strcmp(q->question.verb, "history") == 0)
        print_history(o);
    json_decref(o);
    return 0;
}

int ctl_ask(const struct ctl_request *q, struct err *err)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    unsigned char       *reply = NULL;
    char                *error = NULL, *text = NULL;
    size_t               length;
    int                  rc = rpc_ask(q->address, &q->tls, bytes, codec_write_question(&q->question, bytes), TIMEOUT_MS, &reply,
                                      &length, err);

    if (!rc && codec_read_reply(&error, &text, reply, length))
        rc = err_set(err, EBADMSG, "%s: the answer cannot be understood", q->address);
    if (!rc && *error)
        rc = err_set(err, EPERM, "%s", error);
    if (!rc)
        rc = print_answer(q, text, err);
    free(reply);
    free(error);
    free(text);
    return rc;
}

int ctl_verify(const char *path, struct err *err)
{
    struct audit a;
    char        *text;
    size_t       length;
    int          rc = text_read_file(path, 1ul << 32, &text, &length, err);

    if (rc)
        return rc;
    rc = audit_verify(&a, text_file_name(path), text, length, err);
    free(text);
    if (!rc)
        printf("%" PRIu64 " records, none changed, removed or added; head %s\n", a.seq, a.head);
    return rc;
}
