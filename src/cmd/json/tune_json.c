#include "cmd/json/tune_json.h"

#include "base/json.h"
#include "cmd/json/cmd_json.h"

json_t *tune_json(const struct tune *t)
{
    static const char *const  words[] = { [TUNE_UNCHECKED] = "unchecked", [TUNE_SAME] = "same",
                                          [TUNE_BETTER] = "better",
                                          [TUNE_UNCLEAR] = "unclear", [TUNE_WORSE] = "worse" };
    const struct tune_search *s = &t->search;
    json_t                   *all = json_object(), *seeds = json_array();
    char                      verdict[700];
    struct card               answer;

    tune_answer(t, &answer);
    json_object_set_new(all, "answer", card_json(&answer));
    card_fini(&answer);
    json_put_text(all, "scenario", t->request->path);
    json_put_text(all, "tuner", t->request->tuner ? t->request->tuner : s->loop.tuning.algo->name);
    json_put_count(all, "intervals", s->loop.tuning.steps);
    for (uint32_t i = 0; i < s->rounds; i++)
        json_array_append_new(seeds, json_of_seed(s->seed + i));
    json_object_set_new(all, "seeds", seeds);
    json_object_set_new(all, "is_over", json_boolean(s->is_over));
    json_put_text(all, "verdict", words[t->check.verdict]);
    json_put_text(all, "verdict_text", tune_verdict_text(verdict, sizeof(verdict), &t->check,
                                                         t->request->is_kept));
    json_object_set_new(all, "is_kept", json_boolean(t->kept == &s->best));
    json_object_set_new(all, "changes", json_of_changes(&s->start, &s->best));
    json_object_set_new(all, "knobs", json_of_knobs(t->kept));
    json_object_set_new(all, "check", t->check.seeds ? tune_check_json(&t->check) : json_null());
    return all;
}

json_t *tune_setting_json(const char *name, const struct knobs *k)
{
    json_t *all = json_object();

    json_put_text(all, "setting", name);
    json_object_set_new(all, "knobs", json_of_knobs(k));
    return all;
}
