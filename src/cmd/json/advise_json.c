#include "cmd/json/advise_json.h"

#include "base/json.h"
#include "cmd/json/cmd_json.h"

#include <math.h>

/* As a share: -0.2 is a fifth less. */
static json_t *gain_json(struct advise_gain g)
{
    json_t *made = json_object();

    json_put_number(made, "change", exp(g.mean) - 1);
    json_put_number(made, "change_low", exp(g.low) - 1);
    json_put_number(made, "change_high", exp(g.high) - 1);
    return made;
}

static json_t *load_json(const struct advice *a, const struct advise_row *row, uint32_t load)
{
    static const char *const words[GOAL_PARTS] = { "all", "below_120KB", "to_1MB", "from_1MB" };
    json_t                  *made = json_object(), *slowdown = json_object(), *iteration = json_object();

    for (int i = 0; i < GOAL_PARTS; i++)
        json_put_number(slowdown, words[i], advise_slowdown(row, load, (enum goal_part)i));
    json_put_number(made, "load", a->load[load]);
    json_put_number(made, "load_share", a->has_range ? a->load[load] * a->described.load : NAN);
    json_put_count(made, "seeds", row->seeds[load]);
    json_object_set_new(made, "slowdown_mean", slowdown);
    for (uint32_t i = 0; i < a->jobs; i++)
        json_put_number(iteration, a->job_name[i], 1e6 * advise_iteration(row, load, i));
    json_object_set_new(made, "iteration_us", iteration);
    json_object_set_new(made, "against_yours",
                        row == &a->row[0] ? json_null() : gain_json(advise_gain(a, row, &a->row[0], load)));
    return made;
}

static json_t *row_json(const struct advice *a, const struct advise_row *row)
{
    json_t *made = json_object(), *loads = json_array(), *changes = json_array();

    json_put_text(made, "name", row->name);
    for (uint32_t i = 0; i < row->changes; i++) {
        json_t *change = json_object();

        json_put_text(change, "set", row->change[i]->set);
        json_put_text(change, "needs", row->change[i]->needs);
        json_array_append_new(changes, change);
    }
    json_object_set_new(made, "changes", changes);
    for (uint32_t i = 0; i < ADVISE_LOADS; i++)
        if (row->seeds[i])
            json_array_append_new(loads, load_json(a, row, i));
    json_object_set_new(made, "loads", loads);
    json_object_set_new(made, "confirmed", row->seeds[ADVISE_PROOF] ? load_json(a, row, ADVISE_PROOF) :
                        json_null());
    json_object_set_new(made, "knobs", json_of_knobs(&row->knobs));
    return made;
}

static json_t *recorded_json(const struct recorded *r, const char *path)
{
    json_t *made = json_object();

    json_put_text(made, "file", path);
    json_put_count(made, "rows", r->rows);
    json_put_count(made, "hosts", r->hosts);
    json_put_count(made, "restarts", r->restarts);
    json_put_number(made, "seconds", r->seconds);
    json_put_number(made, "load", r->load);
    json_put_number(made, "load_low", r->load_low);
    json_put_number(made, "load_high", r->load_high);
    json_put_number(made, "load_busiest", r->load_busiest);
    return made;
}

json_t *advise_json(const struct advice *a, const struct card *answer)
{
    json_t *all = json_object(), *rows = json_array(), *search = json_object();

    json_object_set_new(all, "answer", card_json(answer));
    json_put_text(all, "scenario", a->name);
    json_put_text(all, "goal", a->goal.name);
    if (a->request->messages)
        json_object_set_new(all, "messages", recorded_json(&a->messages, a->request->messages));
    if (a->request->counters)
        json_object_set_new(all, "counters", recorded_json(&a->counters, a->request->counters));
    json_object_set_new(all, "keeps_yours", json_boolean(advise_keeps_yours(a)));
    json_put_text(all, "advised", advised(a)->name);
    json_object_set_new(all, "changes", json_of_changes(&a->row[0].knobs, &advised(a)->knobs));
    json_put_text(all, "best_preset", a->row[a->best_preset].name);
    for (uint32_t i = 0; i < a->rows; i++)
        json_array_append_new(rows, row_json(a, &a->row[i]));
    json_object_set_new(all, "settings", rows);
    json_put_count(search, "trials", a->rehearsal.trials);
    json_put_number(search, "trial_us", (double)a->twin.until_ps / 1e6);
    json_put_count(search, "generations", a->rehearsal.generations);
    json_put_count(search, "blocks", a->rehearsal.race.blocks);
    json_put_number(search, "seconds", a->took_s);
    json_object_set_new(all, "search", search);
    return all;
}
