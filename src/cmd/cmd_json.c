#include "cmd/cmd_json.h"
#include "base/json.h"
#include "study/report/results_json.h"
#include "base/nets/policy/policy_story.h"
#include "base/nets/tree/tree_export.h"

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
            JSON_ADD(list, { "name", JSON(knob_info[i].name) }, { "was", JSON(was->value[i]) },
                     { "is", JSON(is->value[i]) });
        }
    return list;
}

/* ---- learned rate controls ---- */

static json_t *numbers_json(const float *x, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, JSON((double)x[i]));
    return list;
}

/* ---- decisions of a policy ---- */

static json_t *story_json(const struct policy_story *s, const struct rule_cfg *rule)
{
    static const uint32_t flows[] = { 1, 8, 64, 512, 4096 };
    json_t *made = JSON_OF(JSON_FIELD(s, empty), JSON_FIELD(s, target), JSON_FIELD(s, full),
                           JSON_FIELD(s, flooded), JSON_FIELD(s, rising), JSON_FIELD(s, falling),
                           JSON_FIELD(s, receding), JSON_FIELD(s, after_cut), JSON_FIELD(s, after_raise));
    json_t *inflation = json_object();
    char    key[16];

    json_object_set_new(made, "rest_delta", s->has_rest ? JSON((double)s->rest) : json_null());
    for (size_t i = 0; s->has_rest && i < sizeof flows / sizeof *flows; i++) {
        snprintf(key, sizeof key, "%u", flows[i]);
        json_put_number(inflation, key, policy_story_inflation(s, rule, flows[i]));
    }
    json_object_set_new(made, "rtt_over_base_by_flows", inflation);
    return made;
}

json_t *policy_json(const struct policy *p, const struct rule_cfg *rule)
{
    json_t             *rows = json_array(), *paper = json_array();
    struct policy_story story;
    policy_table        table;
    float               six[3][3];

    policy_story_tell(&story, p);
    policy_table_fill(table, p);
    policy_table_fill_paper(six, p);
    for (int i = 0; i < POLICY_TABLE_SIDE; i++)
        json_array_append_new(rows, numbers_json(table[i], POLICY_TABLE_SIDE));
    for (int i = 0; i < 3; i++)
        json_array_append_new(paper, numbers_json(six[i], 3));
    return JSON_OF({ "body", JSON(policy_body_name[p->body]) }, { "multipliers", story_json(&story, rule) },
                   { "table_deltas", numbers_json(policy_table_delta, POLICY_TABLE_SIDE) },
                   { "table_by_before_and_now", rows },
                   { "table_distance_from_released",
                     JSON((double)policy_table_distance(table, policy_table_released)) },
                   { "paper_table_6", paper });
}

/* ---- difference of two policies ---- */

json_t *policy_gap_json(const struct policy_gap *g, float delta_max)
{
    return JSON_OF(JSON_FIELD(g, states), { "mean", JSON(policy_gap_mean(g)) },
                   { "rms", JSON(policy_gap_rms(g)) }, JSON_FIELD(g, largest),
                   { "largest_at",
                     JSON_OF({ "state", numbers_json(g->x, POLICY_FEATURES) },
                             { "first", JSON((double)g->a) }, { "second", JSON((double)g->b) }) },
                   { delta_max > 0 ? "delta_max" : NULL, delta_max > 0 ? JSON((double)delta_max) : NULL });
}

json_t *policy_rising_json(const struct policy_rising *r)
{
    return JSON_OF(JSON_FIELD(r, states), JSON_FIELD(r, broken),
                   { "worst_state", r->broken ? numbers_json(r->x, POLICY_FEATURES) : json_null() },
                   { "worst_multiplier", r->broken ? JSON((double)r->most) : json_null() });
}

/* ---- trees ---- */

json_t *certificate_json(const struct certificate *c)
{
    json_t *list = json_array();
    char    text[300];

    for (int i = 0; i < CERTIFY_CLAIMS; i++) {
        certify_case_text(text, sizeof text, &c->broken[i], (enum certify_claim)i);
        JSON_ADD(list, { "claim", JSON(certify_claim_text[i]) }, { "holds", json_boolean(c->holds[i]) },
                 { "broken_by", c->holds[i] ? json_null() : JSON(text) });
    }
    return list;
}

json_t *distil_json(const struct distil_report *r)
{
    return JSON_OF(JSON_FIELD(r, rows), { "rows_aside", JSON(r->aside) },
                   { "grown", policy_gap_json(&r->grown, 0) }, { "mended", policy_gap_json(&r->mended, 0) },
                   { "states_mended", r->states < 0 ? json_null() : json_integer(r->states) },
                   { "certificate", certificate_json(&r->certificate) });
}

json_t *forest_cost_json(const struct forest *f)
{
    struct tree_export_cost c = tree_export_cost(f);

    return JSON_OF({ "operations", JSON(c.operations) }, { "table_bytes", JSON(c.table_bytes) },
                   { "flow_bytes", JSON(sizeof(struct rule_flow)) });
}
