#include "live/daemon/ctl.h"
#include "live/daemon/disk.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "live/core/audit.h"
#include "live/core/knobset.h"
#include "live/wire/dial.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_MS 5000

#define FEW_DEVICES 16           /* 'status' lists more devices than this only by count */

const char *const ctl_verbs[] = { "status", "devices", "history",  "explain", "diff",  "freeze",
                                  "thaw",   "approve", "rollback", "forget",  "drill", NULL };

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

static const char *set_text(char *buf, size_t size, const json_t *o)
{
    struct knob_set set = { 0 };

    return knobset_from_json(&set, o) ? "" : knobset_text(buf, size, &set);
}

/* ---- status ---- */

static void print_trial(const json_t *t)
{
    char set[1000];

    if (strcmp(json_get_text(t, "phase"), "none") == 0)
        return;
    say("trial %" JSON_INTEGER_FORMAT ": %s%s%s, %s", json_integer_value(json_object_get(t, "number")),
        json_get_text(t, "phase"), *json_get_text(t, "stage") ? ", stage " : "", json_get_text(t, "stage"),
        set_text(set, sizeof set, json_object_get(t, "set")));
    if (*json_get_text(t, "why"))
        say("  because: %s", json_get_text(t, "why"));
    if (*json_get_text(t, "by"))
        say("  ordered by: %s", json_get_text(t, "by"));
    if (*json_get_text(t, "code"))
        say("  approve it: anole ctl approve %" JSON_INTEGER_FORMAT ":%s",
            json_integer_value(json_object_get(t, "number")), json_get_text(t, "code"));
    if (json_object_get(t, "pairs"))
        printf("  %" JSON_INTEGER_FORMAT " pairs, gain %.4g, e-value %.3g for a gain, %.3g for harm\n",
               json_integer_value(json_object_get(t, "pairs")), json_number_value(json_object_get(t, "gain")),
               json_number_value(json_object_get(t, "e_gain")),
               json_number_value(json_object_get(t, "e_harm")));
}

static double number_of(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A device that needs attention. */
static bool is_troubled(const json_t *d)
{
    static const char *const states[] = { "silent", "broken", "frozen", NULL };

    for (int i = 0; states[i]; i++)
        if (strcmp(json_get_text(d, "state"), states[i]) == 0)
            return true;
    return *json_get_text(d, "why") != '\0';
}

static void print_device(const json_t *d)
{
    double age_ms = number_of(d, "age_ms");
    char   age[32] = "never heard";

    if (isfinite(age_ms))
        snprintf(age, sizeof age, age_ms < 10000 ? "%.0f ms ago" : "%.3g s ago",
                 age_ms < 10000 ? age_ms : age_ms / 1e3);
    say("  %-30s %-7s %-10s %-12s %s", json_get_text(d, "name"), json_get_text(d, "kind"),
        json_get_text(d, "state"), age, json_get_text(d, "why"));
}

static void print_states(const json_t *devices)
{
    static const char *const states[] = { "tuned",  "ready",  "held back", "observed", "frozen",
                                          "broken", "silent", "left",      NULL };
    size_t                   all = json_array_size(devices);

    for (int i = 0; states[i] && all; i++) {
        size_t count = 0;

        for (size_t k = 0; k < all; k++)
            count += strcmp(json_get_text(json_array_get(devices, k), "state"), states[i]) == 0;
        if (count)
            printf("  %zu %s\n", count, states[i]);
    }
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

/* "2026-11-17 20:30". Returns buf. */
static char *time_text(char *buf, size_t size, double ms)
{
    time_t    s = (time_t)(ms / 1e3);
    struct tm tm;

    if (!isfinite(ms) || !localtime_r(&s, &tm) || !strftime(buf, size, "%Y-%m-%d %H:%M", &tm))
        snprintf(buf, size, "never");
    return buf;
}

static void print_in_effect(const json_t *s)
{
    const json_t *set = json_object_get(s, "set");
    const char   *by = json_get_text(s, "by");
    bool          is_baseline = !json_object_size(set);
    char          text[1000], when[40];

    if (!isfinite(number_of(s, "since_ms")))
        say("in effect: the baseline of each device; no setting was ever kept");
    else
        say("in effect: %s, since %s, %s by %s%s%s",
            is_baseline ? "the baseline of each device" : set_text(text, sizeof text, set),
            time_text(when, sizeof when, number_of(s, "since_ms")), is_baseline ? "rolled back" : "approved",
            by, *json_get_text(s, "why") ? ": " : "", json_get_text(s, "why"));
}

static void print_drill(const json_t *d)
{
    char when[40];

    if (isfinite(number_of(d, "last_ms")) && !json_is_true(json_object_get(d, "is_passed")))
        say("dead-man switch: the last drill FAILED, %s at %s: %s",
            time_text(when, sizeof when, number_of(d, "last_ms")), json_get_text(d, "device"),
            json_get_text(d, "why"));
    else if (isfinite(number_of(d, "passed_ms")))
        say("dead-man switch: proven %s at %s, back after %.1f s",
            time_text(when, sizeof when, number_of(d, "passed_ms")), json_get_text(d, "device"),
            number_of(d, "took_ms") / 1e3);
    else
        say("dead-man switch: never proven here; anole ctl drill proves it");
}

static void print_unguarded(const json_t *u)
{
    json_int_t count = json_integer_value(json_object_get(u, "devices"));

    if (count)
        say("guardrails cannot see %s at %" JSON_INTEGER_FORMAT
            " devices, such as %s: nothing ends a trial there at once because of them",
            json_get_text(u, "what"), count, json_get_text(u, "example"));
}

/* Connections refused for their certificate: a peer has the wrong files, or is a stranger. */
static void print_refused(const json_t *r)
{
    json_int_t count = json_integer_value(json_object_get(r, "total"));
    char       when[40];

    if (count)
        say("%" JSON_INTEGER_FORMAT " connection%s refused, the last %s: %s", count, count == 1 ? "" : "s",
            time_text(when, sizeof when, number_of(r, "last_ms")), json_get_text(r, "last"));
}

static void print_status(const json_t *o, bool is_short)
{
    const json_t *devices = json_object_get(o, "devices");

    print_in_effect(json_object_get(o, "in_effect"));
    say("next: %s", json_get_text(o, "next"));
    print_drill(json_object_get(o, "drill"));
    print_unguarded(json_object_get(o, "unguarded"));
    print_refused(json_object_get(o, "refused"));
    say("%s: %s, mode %s, term %" JSON_INTEGER_FORMAT "", json_get_text(o, "name"), json_get_text(o, "role"),
        json_get_text(o, "mode"), json_integer_value(json_object_get(o, "term")));
    print_trial(json_object_get(o, "trial"));
    printf("%zu devices, %.0f %% report", json_array_size(devices),
           json_number_value(json_object_get(o, "coverage")) * 100);
    print_metric(devices);
    putchar('\n');
    if (is_short)
        return;
    if (json_array_size(devices) > FEW_DEVICES)
        print_states(devices);
    for (size_t i = 0; i < json_array_size(devices); i++)
        if (json_array_size(devices) <= FEW_DEVICES || is_troubled(json_array_get(devices, i)))
            print_device(json_array_get(devices, i));
}

/* ---- devices ---- */

static void print_share(const char *name, double share)
{
    if (isfinite(share))
        printf("  %s %.1f %%", name, share * 100);
}

static void print_devices(const json_t *o)
{
    const json_t *devices = json_object_get(o, "devices");
    char          set[1000];

    if (!json_array_size(devices))
        puts("there are no devices");
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *d = json_array_get(devices, i), *changed = json_object_get(d, "changed");

        print_device(d);
        printf("   ");
        print_share("sends", number_of(d, "utilisation"));
        print_share("paused", number_of(d, "paused"));
        if (!isfinite(number_of(d, "paused")))
            printf("  paused unknown");
        if (isfinite(number_of(d, "metric")))
            printf("  metric %.3f", number_of(d, "metric"));
        say("  %s%s", json_object_size(changed) ? "changed: " : "as it was",
            json_object_size(changed) ? set_text(set, sizeof set, changed) : "");
    }
}

/* ---- explain ---- */

static void print_decision(const json_t *d)
{
    const json_t *steps = json_object_get(d, "steps");
    json_int_t    trial = json_integer_value(json_object_get(d, "trial"));
    char          set[1000];

    if (trial)
        say("trial %" JSON_INTEGER_FORMAT " of term %" JSON_INTEGER_FORMAT ": %s", trial,
            json_integer_value(json_object_get(d, "term")), json_get_text(d, "outcome"));
    else
        say("%s: it observes only", json_get_text(d, "outcome"));
    say("  %s", set_text(set, sizeof set, json_object_get(d, "set")));
    say("  because: %s", json_get_text(d, "why"));
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *s = json_array_get(steps, i);
        const char   *why = i ? json_get_text(s, "why") : "", *evidence = json_get_text(s, "evidence");

        say("  %s %-8s%s%s%s%s", json_get_text(s, "time"), json_get_text(s, "what"), *why ? " " : "", why,
            *evidence ? "; " : "", evidence);
    }
}

/* Settings tried on a twin: the finalists of the race, with their predicted gain. */
static void print_search(const json_t *search)
{
    const json_t *tried = json_object_get(search, "tried");
    char          set[1000];

    if (!json_array_size(tried))
        return;
    say("tried on a twin, %" JSON_INTEGER_FORMAT " reports ago: %s",
        json_integer_value(json_object_get(search, "reports_ago")), json_get_text(search, "why"));
    for (size_t i = 0; i < json_array_size(tried); i++) {
        const json_t *t = json_array_get(tried, i);
        const char   *name = json_get_text(t, "name");

        if (json_is_true(json_object_get(t, "is_out")))
            continue;
        say("  %+.0f %% (%+.0f to %+.0f)%s %s", number_of(t, "gain"), number_of(t, "low"),
            number_of(t, "high"),
            json_is_true(json_object_get(t, "is_now")) ? ", the current setting then:" : ":",
            *name ? name : set_text(set, sizeof set, json_object_get(t, "set")));
    }
}

/* The last decision, or all of that number: each controller counts from one. */
static int print_explain(const json_t *list, uint64_t number, struct err *err)
{
    size_t count = json_array_size(list), shown = 0;

    if (!count)
        puts("nothing was tried yet; see anole ctl status for why");
    else if (!number)
        print_decision(json_array_get(list, count - 1));
    if (count && !number)
        print_search(json_object_get(json_array_get(list, count - 1), "search"));
    for (size_t i = 0; i < count && number; i++)
        if ((uint64_t)json_integer_value(json_object_get(json_array_get(list, i), "trial")) == number) {
            print_decision(json_array_get(list, i));
            shown++;
        }
    return number && !shown
               ? err_set(err, ENOENT, "no trial %" PRIu64 " among the last; the audit log has all", number)
               : 0;
}

/* ---- diff, history ---- */

static void print_diff(const json_t *list)
{
    char was[1000], is[1000];

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);

        if (!json_object_size(json_object_get(o, "device")))
            say("%s: as it was", json_get_text(o, "name"));
        else
            say("%s: %s; baseline %s", json_get_text(o, "name"),
                set_text(is, sizeof is, json_object_get(o, "device")),
                set_text(was, sizeof was, json_object_get(o, "baseline")));
    }
}

static void print_history(const json_t *list)
{
    char set[1000];

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i), *new = json_object_get(o, "new");
        const char   *why = json_get_text(o, "why"), *evidence = json_get_text(o, "evidence");

        say("%s %s: %s%s%s%s%s%s%s", json_get_text(o, "time"), json_get_text(o, "who"),
            json_get_text(o, "what"), new ? " " : "", new ? set_text(set, sizeof set, new) : "",
            *why ? ": " : "", why, *evidence ? "; " : "", evidence);
    }
}

/* ---- asking ---- */

int ctl_print(const struct ctl_request *q, const char *text, struct err *err)
{
    static const char *const done[][2] = {
        { "freeze", "frozen; an open change is reverted" },
        { "thaw", "thawed" },
        { "approve", "the trial begins" },
        { "rollback", "all devices return to their baseline, and nothing is tried until anole ctl thaw; "
                      "anole ctl diff shows those that have not" },
        { "forget", "forgotten; if it reports again it is back" },
        { "drill", "the drill begins: the device gets no lease and must revert on its own; anole ctl status "
                   "shows the result" },
    };
    json_t *o = json_loads(text, JSON_DECODE_ANY, NULL);
    int     rc = 0;

    if (!o)
        return err_set(err, EBADMSG, "%s: the answer cannot be understood", q->address);
    if (q->is_json)
        puts(text);
    else if (strcmp(q->question.verb, "status") == 0)
        print_status(o, q->is_short);
    else if (strcmp(q->question.verb, "devices") == 0)
        print_devices(o);
    else if (strcmp(q->question.verb, "explain") == 0)
        rc = print_explain(o, q->question.number, err);
    else if (strcmp(q->question.verb, "diff") == 0)
        print_diff(o);
    else if (strcmp(q->question.verb, "history") == 0)
        print_history(o);
    for (size_t i = 0; i < sizeof done / sizeof *done && !q->is_json; i++)
        if (strcmp(q->question.verb, done[i][0]) == 0)
            puts(done[i][1]);
    json_decref(o);
    return rc;
}

/* The answer is malloc'd; NULL on failure. */
static int ask(const struct ctl_request *q, const struct question *question, char **text, struct err *err)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    unsigned char       *reply = NULL;
    char                *error = NULL;
    size_t               length;
    int rc = rpc_ask(q->address, &q->tls, bytes, codec_write_question(question, bytes), TIMEOUT_MS, &reply,
                     &length, err);

    *text = NULL;
    if (!rc && codec_read_reply(&error, text, reply, length))
        rc = err_set(err, EBADMSG, "%s: the answer cannot be understood", q->address);
    if (!rc && *error)
        rc = err_set(err, EPERM, "%s", error);
    if (rc) {
        free(*text);
        *text = NULL;
    }
    free(reply);
    free(error);
    return rc;
}

/* ---- approving ---- */

static bool is_agreed(void)
{
    char line[16];

    printf("let it begin? [y/N] ");
    fflush(stdout);
    return fgets(line, sizeof line, stdin) && (line[0] == 'y' || line[0] == 'Y');
}

/* Shows what waits, and fills in its code if a person at a terminal agrees. Elsewhere the code must be
 * given: a script that was written for one trial does not approve another. */
static int agree(const json_t *trial, struct question *q, struct err *err)
{
    const char *code = json_get_text(trial, "code");
    char        set[1000];

    if (!*code || (uint64_t)json_integer_value(json_object_get(trial, "number")) != q->number)
        return err_set(err, ENOENT, "no trial of that number waits for approval");
    say("trial %" PRIu64 " would set %s", q->number,
        set_text(set, sizeof set, json_object_get(trial, "set")));
    say("  because: %s", json_get_text(trial, "why"));
    fflush(stdout);              /* before what may be wrong */
    if (*q->code)
        return 0;
    if (!isatty(STDIN_FILENO))
        return err_set(err, EPERM, "approve needs the code of the setting: anole ctl approve %" PRIu64 ":%s",
                       q->number, code);
    if (!is_agreed())
        return err_set(err, ECANCELED, "not approved");
    snprintf(q->code, sizeof q->code, "%s", code);
    return 0;
}

static int prepare_approval(struct ctl_request *q, struct err *err)
{
    struct question status = { .version = q->question.version, .verb = "status" };
    char           *text;
    json_t         *o;
    int             rc = ask(q, &status, &text, err);

    if (rc)
        return rc;
    o = json_loads(text, 0, NULL);
    rc = agree(json_object_get(o, "trial"), &q->question, err);
    json_decref(o);
    free(text);
    return rc;
}

int ctl_ask(struct ctl_request *q, struct err *err)
{
    char *text = NULL;
    int   rc = strcmp(q->question.verb, "approve") == 0 ? prepare_approval(q, err) : 0;

    if (!rc)
        rc = ask(q, &q->question, &text, err);
    if (!rc)
        rc = ctl_print(q, text, err);
    free(text);
    return rc;
}

int ctl_verify(const char *path, struct err *err)
{
    struct audit a;
    uint64_t     records;
    int          rc = disk_verify(path, &a, &records, err);

    if (rc)
        return rc;
    printf("%" PRIu64 " records, none changed, removed or added; head %s\n", records, a.head);
    if (a.seq != records)
        printf("they begin with record %" PRIu64 ": the files before are not here\n", a.seq - records + 1);
    return 0;
}
