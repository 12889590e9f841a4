/* tests/fuzz/fuzz_scenario.c - any text is a scenario that can be started and run, or rejected with a reason.
 *
 * The rest of a line after "#--set " is a --set option. Files are looked up in a folder that does not exist.
 */
#include "core/units.h"
#include "study/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#define NAME      "no-such-folder/s"
#define SETS_MAX  8
#define NODES_MAX 64                 /* larger networks are parsed but not run, to limit the run time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Terminates the --set lines of the text with zeros, and lists them. */
static uint32_t take_sets(char *text, const char **set)
{
    uint32_t count = 0;
    char    *line = text, *end;

    for (; count < SETS_MAX && (line = strstr(line, "#--set ")); line = end + 1) {
        set[count++] = line + 7;
        end = strchr(line, '\n');
        if (!end)
            break;
        *end = '\0';
    }
    return count;
}

static void check(const struct scenario *s)
{
    if (graph_check(&s->graph, NULL) || knobs_check(&s->cfg.knobs, NULL) || !s->traffic || !s->cfg.cc ||
        !s->cfg.lb)
        abort();
    if (s->cfg.mtu_bytes < 64 || s->cfg.mtu_bytes > 9000 || s->cfg.pfc_shift > 7 || s->cfg.ack_every == 0)
        abort();
    for (uint32_t i = 0; i < s->entries; i++)
        if (s->entry[i].start_ps >= s->entry[i].stop_ps && strcmp(s->entry[i].kind, "flows") != 0)
            abort();
    for (uint32_t i = 1; i < s->cfg.changes; i++)
        if (s->cfg.change[i].at_ps < s->cfg.change[i - 1].at_ps || s->cfg.change[i].link >= s->graph.links)
            abort();
    for (uint32_t i = 0; i < s->changes; i++)
        if (s->change[i].at_ps <= (i ? s->change[i - 1].at_ps : 0) ||
            knobs_check(&s->change[i].set.knobs, NULL))
            abort();
}

static void run(struct scenario *s)
{
    struct sim *sim;
    struct err  err = { "" };

    if (s->graph.nodes > NODES_MAX || s->cfg.changes > 16)
        return;
    if (scenario_start(s, &sim, &err)) {
        if (strncmp(err.text, NAME ": ", strlen(NAME) + 2) != 0)
            abort();
        return;
    }
    for (uint64_t at_ps = PS_PER_US; at_ps <= 5 * PS_PER_US && sim_counts(sim)->events < 20000;
         at_ps += PS_PER_US)
        sim_run_until(sim, at_ps);
    sim_check(sim);
    sim_free(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char           *text = memcpy(calloc(1, size + 1), data, size);
    char           *copy = memcpy(calloc(1, size + 1), data, size);
    const char     *set[SETS_MAX];
    uint32_t        sets = take_sets(copy, set);
    struct err      err = { "" };
    struct scenario s;

    if (scenario_parse(&s, NAME, text, size, set, sets, NULL, &err) == 0) {
        check(&s);
        run(&s);
        scenario_fini(&s);
    } else if (strncmp(err.text, NAME, strlen(NAME)) != 0 && strncmp(err.text, "--set ", 6) != 0 &&
               strncmp(err.text, "no-such-folder/", 15) != 0 && err.text[0] != '/') {
        abort();
    }
    free(copy);
    free(text);
    return 0;
}
