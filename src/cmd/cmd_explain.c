/* src/cmd/cmd_explain.c - anole explain: what a tuner did in a run, and why; or what a model does. */
#include "report/explain.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HISTORY_BYTES_MAX (1u << 30)

struct options { const char *path, *knob; bool is_all, is_json; };

static void check_knob(const char *word)
{
    char hint[64];

    if (knob_find(word) != KNOB_COUNT)
        return;
    text_did_you_mean(hint, sizeof(hint), word, knob_names);
    cmd_usage("--knob: '%s' is not a knob%s", word, *hint ? hint : "; see anole list knob");
}

static const struct cmd_option option_rows[] = {
    { "all", 'a', NULL, "Print every step, one per line", KEY_AT(struct options, is_all) },
    CMD_FORMAT(struct options, is_json),
    { "knob", 'k', "NAME", "Follow one knob: its values, and the results with them",
      KEY_AT(struct options, knob) },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "run", KEY_AT(struct options, path) },
    .missing = "which run? anole explain DIR; see anole explain --help",
    .args = "DIR|FILE\nrlcc MODEL [MODEL]",
    .help = "Explains what a tuner did: when and why a search began, what it tried, what it kept, and the "
            "effect. DIR is the folder that anole run --out wrote; FILE is a tuning.jsonl, or what anole "
            "tune --history wrote. With the word rlcc first: explains a learned rate control; see anole "
            "explain rlcc --help."
            "\v"
            "Examples:\n"
            "  anole run influx.yaml --set tuner=paraleon --out results\n"
            "  anole explain results\n"
            "      Explain what PARALEON did.\n"
            "  anole explain results --knob kmin\n"
            "      List all values that kmin had.\n"
            "  anole explain rlcc trees.rlcc\n"
            "      Explain a model, and what is proven about it. A folder of that name is\n"
            "      ./rlcc.",
};

/* ---- --format json ---- */

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

/* The values of a knob, and since when each was set. */
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
        JSON_PUT(value, { "from_us", json_of_number(h->step[i].start_us) }, { "value", json_of_number(was) });
        json_array_append_new(list, value);
    }
    return list;
}

/* Steps with a decision, or all of them. With a knob other than KNOB_COUNT, also its values. */
static json_t *explain_json(const struct history *h, const char *partial, bool has_all, enum knob knob)
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
        JSON_PUT(all, { "knob", json_of_text(knob_info[knob].name) }, { "values", values_json(h, knob) });
    } else {
        json_object_set_new(all, "steps", steps_json(h, has_all));
    }
    if (h->queues.queues)
        json_object_set_new(all, "queues", tuned_queues_json(&h->queues));
    return all;
}

/* A folder stands for the file in it. To be freed. */
static char *file_of(const char *path)
{
    struct stat info;

    if (stat(path, &info) || !S_ISDIR(info.st_mode))
        return xstrdup(path);
    return xprintf("%s%stuning.jsonl", path, *path && path[strlen(path) - 1] == '/' ? "" : "/");
}

static int read_history(struct history *h, const char *path, struct err *err)
{
    struct stat info;
    char       *file = file_of(path), *text = NULL;
    size_t      length;
    int         rc;

    if (strcmp(file, path) != 0 && stat(file, &info) && errno == ENOENT)
        rc = err_set(err, ENOENT, "%s: there is no such file; a run without a tuner has no history", file);
    else
        rc = text_read_file(file, HISTORY_BYTES_MAX, &text, &length, err);
    rc = rc ? rc : history_parse(h, file, text, length, err);
    free(text);
    free(file);
    return rc;
}

/* The summary of the run is next to its history. */
static char *partial_of(const char *path)
{
    char *file = file_of(path), *slash = strrchr(file, '/');
    char *summary = xprintf("%.*ssummary.json", slash ? (int)(slash - file + 1) : 0, file);
    char *text = explain_partial(summary);

    free(summary);
    free(file);
    return text;
}

static void print(const struct options *o, const struct history *h)
{
    char *partial = partial_of(o->path);

    if (o->is_json)
        cmd_print_json(explain_json(h, partial, o->is_all, o->knob ? knob_find(o->knob) : KNOB_COUNT));
    else if (partial)
        printf("PARTIAL: %s\n\n", safe_name(partial).buf);
    free(partial);
    if (o->is_json)
        return;
    if (o->knob)
        explain_print_knob(h, knob_find(o->knob), stdout);
    if (o->is_all)
        explain_print_steps(h, stdout);
    if (!o->knob && !o->is_all)
        explain_print_story(h, stdout);
}

static int explain_main(int argc, char **argv)
{
    static char title[] = "anole explain rlcc";
    struct options o = { 0 };
    struct history h;
    struct err     err;
    int            rc;

    if (argc > 1 && strcmp(argv[1], "rlcc") == 0) {
        argv[1] = title;
        return command_explain_rlcc.main(argc - 1, argv + 1);
    }
    cmd_parse(&line, argc, argv, &o);
    if (o.knob)
        check_knob(o.knob);
    rc = read_history(&h, o.path, &err);
    if (rc)
        return cmd_end(rc, &err);
    print(&o, &h);
    history_fini(&h);
    return cmd_end(0, &err);
}

const struct command command_explain = { "explain", "explain what a tuner did in a run, or what a model does",
                                         explain_main };
