#include "tune/tuned_queues.h"
#include "base/err.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

static void put_ecn(json_t *o, const struct ecn *e)
{
    json_object_set_new(o, "kmin_bytes", json_integer(e->kmin_bytes));
    json_object_set_new(o, "kmax_bytes", json_integer(e->kmax_bytes));
    json_object_set_new(o, "pmax", json_real(e->pmax));
}

json_t *tuned_queues_json(const struct tuned_queues *q)
{
    json_t *o = json_object(), *settings = json_array(), *most = json_array();

    for (uint32_t i = 0; i < q->settings; i++) {
        json_t *row = json_object();

        put_ecn(row, &q->setting[i].ecn);
        json_object_set_new(row, "share", json_real(q->setting[i].share));
        json_array_append_new(settings, row);
    }
    for (uint32_t i = 0; i < q->mosts; i++) {
        json_t *row = json_object();

        json_object_set_new(row, "name", json_of_text(q->most[i].name));
        json_object_set_new(row, "changes", json_integer((json_int_t)q->most[i].changes));
        put_ecn(row, &q->most[i].last);
        json_array_append_new(most, row);
    }
    json_object_set_new(o, "queues", json_integer((json_int_t)q->queues));
    json_object_set_new(o, "changed", json_integer((json_int_t)q->changed));
    json_object_set_new(o, "changes", json_integer((json_int_t)q->changes));
    json_object_set_new(o, "settings", settings);
    json_object_set_new(o, "most_changed", most);
    return o;
}

static bool get_count(const json_t *o, const char *key, uint64_t max, uint64_t *count)
{
    const json_t *value = json_object_get(o, key);
    json_int_t    n = json_integer_value(value);

    *count = (uint64_t)n;
    return json_is_integer(value) && n >= 0 && (uint64_t)n <= max;
}

static bool get_share(const json_t *o, const char *key, double *share)
{
    const json_t *value = json_object_get(o, key);

    *share = json_number_value(value);
    return json_is_number(value) && *share >= 0 && *share <= 1;
}

static bool get_ecn(const json_t *o, struct ecn *e)
{
    uint64_t kmin, kmax;
    bool     is_good = get_count(o, "kmin_bytes", UINT32_MAX, &kmin) &&
                       get_count(o, "kmax_bytes", UINT32_MAX, &kmax) && get_share(o, "pmax", &e->pmax);

    if (is_good) {
        e->kmin_bytes = (uint32_t)kmin;
        e->kmax_bytes = (uint32_t)kmax;
    }
    return is_good;
}

static bool read_most(struct tuned_queues *q, const json_t *list)
{
    json_t *row;
    size_t  i;

    json_array_foreach(list, i, row) {
        struct tuned_queue *t = &q->most[i];
        const char         *name = json_string_value(json_object_get(row, "name"));

        if (i >= TUNED_MOST_MAX || !name || !get_count(row, "changes", INT64_MAX, &t->changes) ||
            !get_ecn(row, &t->last))
            return false;
        escape_text(t->name, sizeof t->name, name);
        q->mosts++;
    }
    return true;
}

bool tuned_queues_read(struct tuned_queues *q, const json_t *o)
{
    const json_t *list = json_object_get(o, "settings"), *row;
    size_t        i;

    *q = (struct tuned_queues){ 0 };
    if (!get_count(o, "queues", INT64_MAX, &q->queues) || !get_count(o, "changed", INT64_MAX, &q->changed) ||
        !get_count(o, "changes", INT64_MAX, &q->changes) || !json_is_array(list))
        return false;
    for (i = 0; i < json_array_size(list); i++) {
        row = json_array_get(list, i);
        if (i >= TUNED_SETTINGS_MAX || !get_ecn(row, &q->setting[i].ecn) ||
            !get_share(row, "share", &q->setting[i].share))
            return false;
        q->settings++;
    }
    return read_most(q, json_object_get(o, "most_changed"));
}
