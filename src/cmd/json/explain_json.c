#include "cmd/json/explain_json.h"

#include "base/json.h"
#include "cmd/json/cmd_json.h"

#include <math.h>
#include <string.h>

static void put_known(json_t *to, const char *key, double value)
{
    if (!isnan(value))
        json_put_number(to, key, value);
}

static json_t *step_json(const struct history_step *s)
{
    static const char *const verdicts[] = { [TUNER_ACCEPTED] = "accepted", [TUNER_REJECTED] = "rejected",
                                            [TUNER_BEST] = "best" };
    json_t                  *made = json_object();

    json_put_number(made, "start_us", s->start_us);
    json_put_number(made, "end_us", s->end_us);
    json_put_text(made, "phase", s->phase);
    json_put_text(made, "why", s->why);
    json_object_set_new(made, "verdict", s->verdict == TUNER_NO_VERDICT ? json_null()
                        : json_string(verdicts[s->verdict]));
    put_known(made, "goodput_gbps", s->goodput_gbps);
    put_known(made, "rtt_us", s->rtt_us);
    put_known(made, "paused_us", s->paused_us);
    put_known(made, "utility", s->utility);
    put_known(made, "divergence", s->divergence);
    put_known(made, "elephants", s->elephants);
    put_known(made, "temperature", s->temperature);
    json_object_set_new(made, "changes", json_of_changes(&s->was, &s->is));
    return made;
}

static bool is_decision(const struct history *h, uint32_t i)
{
    const struct history_step *s = &h->step[i];

    return i == 0 || s->verdict != TUNER_NO_VERDICT || !knobs_equal(&s->was, &s->is) ||
        strcmp(s->phase, h->step[i - 1].phase) != 0;
}

static json_t *steps_json(const struct history *h, bool has_all)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < h->steps; i++)
        if (has_all || is_decision(h, i))
            json_array_append_new(list, step_json(&h->step[i]));
    return list;
}

/* From when on which value was in force. */
static json_t *values_json(const struct history *h, enum knob knob)
{
    json_t *list = json_array();
    double  was = NAN;

    for (uint32_t i = 0; i < h->steps; i++) {
        json_t *value;

        if (h->step[i].was.value[knob] == was)
            continue;
        was = h->step[i].was.value[knob];
        value = json_object();
        json_put_number(value, "from_us", h->step[i].start_us);
        json_put_number(value, "value", was);
        json_array_append_new(list, value);
    }
    return list;
}

json_t *explain_json(const struct history *h, const char *partial, bool has_all, enum knob knob)
{
    json_t *all = json_object(), *options = json_object();

    json_put_text(all, "tuner", h->tuner);
    for (uint32_t i = 0; i < h->options; i++)
        json_put_text(options, h->option[i].name, h->option[i].text);
    json_object_set_new(all, "options", options);
    json_object_set_new(all, "partial", partial ? json_of_text(partial) : json_null());
    json_put_count(all, "intervals", h->steps);
    json_object_set_new(all, "knobs_first", json_of_knobs(&h->first));
    json_object_set_new(all, "changes", json_of_changes(&h->first, h->steps ? &h->step[h->steps - 1].is
                                                        : &h->first));
    if (knob != KNOB_COUNT) {
        json_put_text(all, "knob", knob_info[knob].name);
        json_object_set_new(all, "values", values_json(h, knob));
    } else {
        json_object_set_new(all, "steps", steps_json(h, has_all));
    }
    if (h->queues.queues)
        json_object_set_new(all, "queues", tuned_queues_json(&h->queues));
    return all;
}
