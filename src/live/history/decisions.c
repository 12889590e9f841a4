#include "live/history/decisions.h"

#include <string.h>

/* The decision that a record belongs to: that of its trial and term. A trial of 'try' begins one. */
static json_t *decision_of(json_t *list, const json_t *record)
{
    json_int_t number = json_integer_value(json_object_get(record, "change"));
    json_int_t term = json_integer_value(json_object_get(record, "term"));

    for (size_t i = json_array_size(list); number && i-- > 0;) {
        json_t *d = json_array_get(list, i);

        if (json_integer_value(json_object_get(d, "trial")) == number &&
            json_integer_value(json_object_get(d, "term")) == term)
            return d;
    }
    return NULL;
}

static json_t *copy(const json_t *set)
{
    return set ? json_deep_copy(set) : json_object();
}

static void begin(json_t *list, const json_t *r, const char *outcome)
{
    json_array_append_new(list, JSON_OF(
        { "trial", json_integer(json_integer_value(json_object_get(r, "change"))) },
        { "term", json_integer(json_integer_value(json_object_get(r, "term"))) },
        { "began", json_of_text(json_get_text(r, "time")) }, { "set", copy(json_object_get(r, "new")) },
        { "was", copy(json_object_get(r, "old")) }, { "why", json_of_text(json_get_text(r, "why")) },
        { "outcome", json_of_text(outcome) }, { "steps", json_array() }));
}

static void add_step(json_t *d, const json_t *r)
{
    const char *evidence = json_get_text(r, "evidence");

    json_array_append_new(json_object_get(d, "steps"), JSON_OF(
        { "time", json_of_text(json_get_text(r, "time")) },
        { "what", json_of_text(json_get_text(r, "what")) },
        { "why", json_of_text(json_get_text(r, "why")) }, { "evidence", json_of_text(evidence) }));
    if (*evidence)
        json_put_text(d, "evidence", evidence);
}

static void end(json_t *d, const json_t *r, const char *outcome)
{
    json_put_text(d, "outcome", outcome);
    json_put_text(d, "ended", json_get_text(r, "time"));
    json_put_text(d, "end", json_get_text(r, "why"));
}

void decisions_take(json_t *list, const json_t *r)
{
    const char *what = json_get_text(r, "what");
    json_t     *d;

    if (strcmp(what, "try") == 0)
        begin(list, r, "open");
    else if (strcmp(what, "would try") == 0)
        begin(list, r, "would try");
    d = decision_of(list, r);
    if (!d)
        return;
    add_step(d, r);
    if (strcmp(what, "keep") == 0)
        end(d, r, "kept");
    else if (strcmp(what, "drop") == 0)
        end(d, r, "dropped");
}
