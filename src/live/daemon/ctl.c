#include "live/daemon/ctl.h"
#include "live/daemon/disk.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "live/core/knobset.h"
#include "live/view/live_metrics.h"
#include "live/view/state_json.h"
#include "live/view/words.h"
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

#define HISTORY_LINES 40
#define FEW_DEVICES 16           /* 'status' lists more devices than this only by count */

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

static long long integer(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static double number_of(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* "kmin 400 -> 1600KB, pmax 0.05 -> 0.2"; devices that differ hold "several". Returns buf. */
static char *change_text(char *buf, size_t size, const json_t *set, const json_t *was)
{
    const char *name;
    json_t     *value;
    size_t      used = 0;

    snprintf(buf, size, "nothing");
    json_object_foreach((json_t *)set, name, value) {
        enum knob knob = knob_find(name);
        double    old = number_of(was, name);
        char      from[32] = "several";

        if (isfinite(old))
            snprintf(from, sizeof from, "%.10g", old);
        if (used < size)
            used += (size_t)snprintf(buf + used, size - used, "%s%s %s -> %.10g%s", used ? ", " : "", name,
                                     from, json_number_value(value),
                                     knob == KNOB_COUNT ? "" : knob_unit_name(knob_info[knob].unit));
    }
    return buf;
}

/* ---- status ---- */

static void print_trial(const json_t *t)
{
    char set[1000];

    if (strcmp(json_get_text(t, "phase"), "none") == 0)
        return;
    say("trial %lld: %s%s%s, %s", integer(t, "number"), json_get_text(t, "phase"),
        *json_get_text(t, "stage") ? ", stage " : "", json_get_text(t, "stage"),
        change_text(set, sizeof set, json_object_get(t, "set"), json_object_get(t, "was")));
    if (*json_get_text(t, "why"))
        say("  because: %s", json_get_text(t, "why"));
    if (*json_get_text(t, "by"))
        say("  ordered by: %s", json_get_text(t, "by"));
    if (*json_get_text(t, "code"))
        say("  approve it: anole ctl approve %lld:%s", integer(t, "number"), json_get_text(t, "code"));
    if (json_object_get(t, "pairs"))
        printf("  %lld pairs, gain %.4g, e-value %.3g for a gain, %.3g for harm\n", integer(t, "pairs"),
               json_number_value(json_object_get(t, "gain")), json_number_value(json_object_get(t, "e_gain")),
               json_number_value(json_object_get(t, "e_harm")));
}

/* A device that needs attention. */
static bool is_troubled(const json_t *d)
{
    const char *state = json_get_text(d, "state");

    return strcmp(state, "silent") == 0 || strcmp(state, "broken") == 0 || strcmp(state, "frozen") == 0 ||
           strcmp(state, "unreadable") == 0 || strcmp(state, "expired") == 0 || *json_get_text(d, "why");
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
                                          "broken", "unreadable", "silent", "expired", "left", NULL };
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
    if (integer(u, "devices"))
        say("guardrails cannot see %s at %lld devices, such as %s: nothing ends a trial there at once "
            "because of them", json_get_text(u, "what"), integer(u, "devices"), json_get_text(u, "example"));
}

/* Connections refused for their certificate: a peer has the wrong files, or is a stranger. */
static void print_refused(const json_t *r)
{
    long long count = integer(r, "total");
    char      when[40];

    if (count)
        say("%lld connection%s refused, the last %s: %s", count, count == 1 ? "" : "s",
            time_text(when, sizeof when, number_of(r, "last_ms")), json_get_text(r, "last"));
}

static void print_inventory(const json_t *i)
{
    long long missing = integer(i, "missing"), unexpected = integer(i, "unexpected");

    if (missing)
        say("%lld of %lld expected devices do not report, such as %s", missing, integer(i, "expected"),
            json_get_text(i, "missing_example"));
    if (unexpected)
        say("%lld devices report that are not in the inventory, such as %s", unexpected,
            json_get_text(i, "unexpected_example"));
}

static void print_certificates(const json_t *c)
{
    double own = number_of(c, "own_days"), least = number_of(c, "least_days");

    if (own < UPKEEP_SOON_DAYS)
        say("the certificate of this controller ends in %.0f days", floor(own));
    if (least <= 0)
        say("the certificates of %lld peers have ended, such as that of %s", integer(c, "ended"),
            json_get_text(c, "least_name"));
    else if (least < UPKEEP_SOON_DAYS)
        say("%lld certificates of peers end within %d days, that of %s in %.0f", integer(c, "ending"),
            UPKEEP_SOON_DAYS, json_get_text(c, "least_name"), floor(least));
}

static void print_status(const json_t *o, bool is_short)
{
    const json_t *devices = json_object_get(o, "devices");

    print_in_effect(json_object_get(o, "in_effect"));
    say("next: %s", json_get_text(o, "next"));
    print_drill(json_object_get(o, "drill"));
    print_unguarded(json_object_get(o, "unguarded"));
    if (*json_get_text(o, "left_out"))
        say("left out of the tuner's setting, because agents do not set it: %s",
            json_get_text(o, "left_out"));
    print_refused(json_object_get(o, "refused"));
    if (json_is_true(json_object_get(o, "disk_is_bad")))
        say("the controller's disk cannot be written: nothing new is tried");
    print_inventory(json_object_get(o, "inventory"));
    print_certificates(json_object_get(o, "certificates"));
    say("%s: %s, mode %s, term %lld", json_get_text(o, "name"), json_get_text(o, "role"),
        json_get_text(o, "mode"), integer(o, "term"));
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
    char          set[1000];

    if (integer(d, "trial"))
        say("trial %lld of term %lld: %s", integer(d, "trial"), integer(d, "term"),
            json_get_text(d, "outcome"));
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
    say("tried on a twin, %lld reports ago: %s", integer(search, "reports_ago"),
        json_get_text(search, "why"));
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
    size_t        count = json_array_size(list), shown = 0;
    const json_t *last = json_array_get(list, count - 1);

    if (!count)
        puts("nothing was tried yet; see anole ctl status for why");
    else if (!number) {
        print_decision(last);
        print_search(json_object_get(last, "search"));
    }
    for (size_t i = 0; i < count && number; i++)
        if ((uint64_t)integer(json_array_get(list, i), "trial") == number) {
            print_decision(json_array_get(list, i));
            shown++;
        }
    return number && !shown ?
           err_set(err, ENOENT, "no trial %" PRIu64 " among the last; the audit log has all", number) : 0;
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
    const struct words_verb *verb = words_verb_of(q->question.verb);
    json_t                  *o = json_loads(text, JSON_DECODE_ANY, NULL);
    int                      rc = 0;

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
    else if (verb && verb->done)
        puts(verb->done);
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

    if (!*code || (uint64_t)integer(trial, "number") != q->number)
        return err_set(err, ENOENT, "no trial of that number waits for approval");
    say("trial %" PRIu64 " would set %s", q->number,
        change_text(set, sizeof set, json_object_get(trial, "set"), json_object_get(trial, "was")));
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
    int             rc = ask(q, &status, &text, err);

    if (rc)
        return rc;
    json_t *o = json_loads(text, 0, NULL);
    rc = agree(json_object_get(o, "trial"), &q->question, err);
    json_decref(o);
    free(text);
    return rc;
}

int ctl_ask(struct ctl_request *q, struct err *err)
{
    char *text = NULL;
    int   rc = strcmp(q->question.verb, "approve") == 0 ? prepare_approval(q, err) : 0;

    rc = rc ? rc : ask(q, &q->question, &text, err);
    rc = rc ? rc : ctl_print(q, text, err);
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

int ctl_replay(const char *path, struct err *err)
{
    uint64_t steps;
    int      rc = record_replay(path, stdout, &steps, err);

    if (!rc)
        printf("%" PRIu64 " inputs: the same actions follow\n", steps);
    return rc;
}

/* ---- the controller's answers ---- */

static int refuse(int rc, const struct question *q, struct err *err)
{
    bool is_approve = strcmp(q->verb, "approve") == 0 || strcmp(q->verb, "reject") == 0;

    switch (rc) {
    case -ENOENT: return is_approve ? err_set(err, ENOENT, "no trial of that number waits for approval") :
                         err_set(err, ENOENT, "there is no device '%s'; see anole ctl status", q->device);
    case -ESTALE: return is_approve ?
        err_set(err, ESTALE, "the trial that waits is not the one that was meant; see anole ctl status") :
                         err_set(err, ESTALE, "another controller has taken over; ask that one");
    case -EBUSY:  return strcmp(q->verb, "forget") == 0 ?
                         err_set(err, EBUSY, "%s reports, or a trial is under way; stop its agent first",
                                 q->device) :
                         err_set(err, EBUSY,
                                 "a trial is under way, or the fabric is frozen; see anole ctl status");
    case -ENODEV:
        return err_set(err, ENODEV,
                       "no device can be drilled now: its agent must report and may write, and it must not "
                       "be frozen");
    case -EPERM:
        return err_set(err, EPERM,
                       "the controller observes only, so it writes nothing; set its mode to approve or auto "
                       "first");
    case -EAGAIN:
        return err_set(err, EAGAIN,
                       "the controller is not active; after its start it first listens for reports ('gather')");
    default:      return rc ?
        err_set(err, EIO, "the controller cannot write its state to the disk; it does it all the same") : 0;
    }
}

int answer_act(struct control *k, const struct question *q, const char *who, uint64_t now_us, struct err *err)
{
    const struct words_verb *verb = words_verb_of(q->verb);
    struct order o = { *who ? who : "a person", q->why, *q->device ? verb->device_order : verb->order,
                       q->device, q->code, q->number };

    return refuse(control_order(k, &o, now_us), q, err);
}

/* Adds the last settings tried on a twin to the last decision, if the tuner uses twins. */
static json_t *explain(const struct ledger *l, const json_t *tuner)
{
    json_t *list = ledger_decisions(l), *search = json_object_get(tuner, "search");

    if (search && json_array_size(list))
        json_object_set(json_array_get(list, json_array_size(list) - 1), "search", search);
    return list;
}

static json_t *status(const struct controller *c, const struct answer_sources *from, uint64_t now_us)
{
    json_t *o = state_json_status(c, from->tuner, now_us);

    JSON_PUT(o, { "refused", process_refused_json(from->peers) },
             { "disk_is_bad", json_boolean(from->disk_is_bad) },
             { "inventory", upkeep_inventory_json(from->upkeep) },
             { "certificates", upkeep_certificates_json(from->upkeep) });
    return o;
}

static json_t *json_for(struct control *k, const struct question *q, const char *who,
                        const struct answer_sources *from, uint64_t now_us, struct err *err)
{
    const struct words_verb *verb = words_verb_of(q->verb);
    const struct controller *c = &k->c;

    if (q->version != MSG_VERSION) {
        err_set(err, EPROTO, "it speaks version %u, the controller %u", q->version, MSG_VERSION);
        return NULL;
    }
    if (strcmp(q->verb, "status") == 0 || strcmp(q->verb, "devices") == 0)
        return status(c, from, now_us);
    if (strcmp(q->verb, "diff") == 0)
        return state_json_diff(c);
    if (strcmp(q->verb, "history") == 0)
        return ledger_json(from->ledger, HISTORY_LINES);
    if (strcmp(q->verb, "explain") == 0)
        return explain(from->ledger, from->tuner);
    if (verb && verb->is_order)
        return answer_act(k, q, who, now_us, err) ? NULL : json_object();
    err_set(err, EINVAL, "the controller does not know '%s'", q->verb);
    return NULL;
}

char *answer_to(struct control *k, const struct question *q, const char *who,
                const struct answer_sources *from, uint64_t now_us, struct err *err)
{
    json_t *o = json_for(k, q, who, from, now_us, err);
    char   *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS)) : NULL;

    json_decref(o);
    return text;
}
