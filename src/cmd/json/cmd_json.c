#include "cmd/json/cmd_json.h"

#include "base/json.h"
#include "report/results_json.h"

#include <stdio.h>

void cmd_print_json(json_t *value)
{
    results_json_print(value, stdout);
}

json_t *json_of_knobs(const struct knobs *k)
{
    json_t *all = json_object();

    for (int i = 0; i < KNOB_COUNT; i++)
        json_put_number(all, knob_info[i].name, k->value[i]);
    return all;
}

json_t *json_of_changes(const struct knobs *was, const struct knobs *is)
{
    json_t *list = json_array();

    for (int i = 0; i < KNOB_COUNT; i++)
        if (was->value[i] != is->value[i]) {
            json_array_append_new(list, JSON_OF(
                { "name", json_of_text(knob_info[i].name) }, { "was", json_of_number(was->value[i]) },
                { "is", json_of_number(is->value[i]) }));
        }
    return list;
}
