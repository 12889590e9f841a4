/* src/cmd/cmd_explain.c - anole explain: what a tuner did in a run, and why; or what a model does. */
#include "study/report/explain.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static json_t *step_json(const struct history_step *s)
{
    static const char *const verdicts[] = { [TUNER_ACCEPTED] = "accepted", [TUNER_REJECTED] = "rejected",
                                            [TUNER_BEST] = "best" };
    const struct { const char *key; double value; } known[] = {      /* if not NAN */
        { "goodput_gbps", s->goodput_gbps }, { "rtt_us", s->rtt_us }, { "paused_us", s->paused_us },
        { "utility", s->utility }, { "divergence", s->divergence }, { "elephants", s->elephants },
        { "temperature", s->temperature },
    };
    bool has_verdict = s->verdict != TUNER_NO_VERDICT;
    json_t *made =
        JSON_OF(JSON_FIELD(s, start_us), JSON_FIELD(s, end_us), JSON_FIELD(s, phase), JSON_FIELD(s, why),
                { "verdict", has_verdict ? JSON(verdicts[s->verdict]) : json_null() });

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (!isnan(known[i].value))
            json_put_number(made, known[i].key, known[i].value);
    json_object_set_new(made, "changes", json_of_changes(&s->was, &s->is));
    return made;
}

static bool is_decision(const struct history *h, uint32_t i)
{
    const struct history_step *s = &h->step[i];

    return i == 0 || s->verdict != TUNER_NO_VERDICT || !knobs_equal(&s->was, &s->is) ||
           s->phase != h->step[i - 1].phase;
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

    for (uint32_t i = 0; i < h->steps; i++)
        if (h->step[i].was.value[knob] != was) {
            was = h->step[i].was.value[knob];
            JSON_ADD(list, { "from_us", JSON(h->step[i].start_us) }, { "value", JSON(was) });
        }
    return list;
}

/* Steps with a decision, or all of them. With a knob other than KNOB_COUNT, its values instead. */
static json_t *explain_json(const struct history *h, const char *partial, bool has_all, enum knob knob)
{
    const struct knobs *last = h->steps ? &h->step[h->steps - 1].is : &h->first;
    json_t             *options = json_object();

    for (uint32_t i = 0; i < h->options; i++)
        json_put_text(options, h->option[i].name, h->option[i].text);
    json_t *all =
        JSON_OF(JSON_FIELD(h, tuner), { "options", options },
                { "partial", partial ? JSON(partial) : json_null() }, { "intervals", JSON(h->steps) },
                { "knobs_first", json_of_knobs(&h->first) }, { "changes", json_of_changes(&h->first, last) });
    if (knob != KNOB_COUNT)
        JSON_PUT(all, { "knob", JSON(knob_info[knob].name) }, { "values", values_json(h, knob) });
    else
        json_object_set_new(all, "steps", steps_json(h, has_all));
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

/* 'file' is that of the folder, or what the user named. */
static int read_history(struct history *h, const char *file, bool is_named, struct err *err)
{
    char  *text = NULL;
    size_t length;

    if (!is_named && access(file, F_OK) && errno == ENOENT)
        return err_set(err, ENOENT, "%s: there is no such file; a run without a tuner has no history", file);
    int rc = text_read_file(file, HISTORY_BYTES_MAX, &text, &length, err);
    rc = rc ? rc : history_parse(h, file, text, length, err);
    free(text);
    return rc;
}

static void print(const struct options *o, const struct history *h, const char *file)
{
    const char *slash = strrchr(file, '/');      /* the summary of the run is next to its history */
    char       *summary = xprintf("%.*ssummary.json", slash ? (int)(slash - file + 1) : 0, file),
               *partial = explain_partial(summary);
    enum knob   knob = o->knob ? knob_find(o->knob) : KNOB_COUNT;

    free(summary);
    if (o->is_json) {
        cmd_print_json(explain_json(h, partial, o->is_all, knob));
    } else {
        if (partial)
            printf("PARTIAL: %s\n\n", safe_name(partial).buf);
        if (o->knob)
            explain_print_knob(h, knob, stdout);
        if (o->is_all)
            explain_print_steps(h, stdout);
        if (!o->knob && !o->is_all)
            explain_print_story(h, stdout);
    }
    free(partial);
}

static int explain_main(int argc, char **argv)
{
    static char title[] = "anole explain rlcc";
    struct options o = { 0 };
    struct history h;
    struct err     err;

    if (argc > 1 && strcmp(argv[1], "rlcc") == 0) {
        argv[1] = title;
        return command_explain_rlcc.main(argc - 1, argv + 1);
    }
    cmd_parse(&line, argc, argv, &o);
    if (o.knob)
        check_knob(o.knob);
    char *file = file_of(o.path);
    int   rc = read_history(&h, file, strcmp(file, o.path) == 0, &err);
    if (!rc) {
        print(&o, &h, file);
        history_fini(&h);
    }
    free(file);
    return cmd_end(rc, &err);
}

const struct command command_explain = { "explain", "explain what a tuner did in a run, or what a model does",
                                         explain_main };
