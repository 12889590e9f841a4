/* src/cmd/cmd_about.c - an example: anole about, what a scenario's network and traffic are, without a run. */
#include "base/print/card.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "study/report/about.h"
#include "study/run/simulation.h"

struct options { const char *path; bool is_json; };

static const struct cmd_option option_rows[] = {
    CMD_FORMAT(struct options, is_json),
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "scenario", KEY_AT(struct options, path) },
    .missing = "which scenario? anole about SCENARIO.yaml; see anole about --help",
    .args = "SCENARIO.yaml",
    .help = "Prints what a scenario is about: its network and its traffic.",
};

/* The card: the finding in one sentence, for which network and traffic it holds, and what to do next. */
static struct card *about_answer(const char *path, const struct simulation *s, struct card *c)
{
    *c = (struct card){ 0 };
    about_scenario(c, &s->scenario, s->sim);
    card_add(c, CARD_FINDING, "The scenario has %u entr%s of traffic.", s->scenario.entries,
             s->scenario.entries == 1 ? "y" : "ies");
    card_add(c, CARD_NEXT, "run it");
    card_add(c, CARD_COMMAND, "anole run");
    card_add_argument(c, path);
    return c;
}

static int about_main(int argc, char **argv)
{
    struct options       o = { 0 };
    struct scenario_file file;
    struct simulation    s;
    struct err           err;

    cmd_parse(&line, argc, argv, &o);
    int rc = scenario_file_read(&file, o.path, &err);
    if (!rc) {
        struct simulation_input input = scenario_file_input(&file);

        rc = simulation_open(&s, &input, &err);
    }
    if (!rc) {
        if (o.is_json)
            cmd_print_json(card_end_json(about_answer(o.path, &s, EMPTY_CARD)));
        else
            card_end(about_answer(o.path, &s, EMPTY_CARD), stdout, cmd_has_colour(stdout));
        simulation_close(&s);
    }
    scenario_file_fini(&file);
    return cmd_end(rc, &err);
}

const struct command command_about = { "about", "say what a scenario is about", about_main };
