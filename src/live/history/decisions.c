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

static void begin(json_t *list, const json_t *r, const char *outcome)
{
    json_t *d = json_object(), *set = json_object_get(r, "new"), *was = json_object_get(r, "old");

    json_object_set_new(d, "trial", json_integer(json_integer_value(json_object_get(r, "change"))));
    json_object_set_new(d, "term", json_integer(json_integer_value(json_object_get(r, "term"))));
    json_put_text(d, "began", json_get_text(r, "time"));
    json_object_set_new(d, "set", set ? json_deep_copy(set) : json_object());
    json_object_set_new(d, "was", was ? json_deep_copy(was) : json_object());
    json_put_text(d, "why", json_get_text(r, "why"));
    json_put_text(d, "outcome", outcome);
    json_object_set_new(d, "steps", json_array());
    json_array_append_new(list, d);
}

static void add_step(json_t *d, const json_t *r)
{
    json_t *step = json_object();

    json_put_text(step, "time", json_get_text(r, "time"));
    json_put_text(step, "what", json_get_text(r, "what"));
    json_put_text(step, "why", json_get_text(r, "why"));
    json_put_text(step, "evidence", json_get_text(r, "evidence"));
    json_array_append_new(json_object_get(d, "steps"), step);
    if (*json_get_text(r, "evidence"))
        json_put_text(d, "evidence", json_get_text(r, "evidence"));
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
