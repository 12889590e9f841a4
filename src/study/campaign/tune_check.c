/* src/study/campaign/tune_check.c - checks whether the result of a search is better than its initial setting.
 *
 * A search measures single intervals and keeps the best of many, so its result looks better than it is. Both
 * settings run the whole scenario again, with seeds that the search has not seen, and are compared pair by
 * pair as in anole compare.
 *
 * Slowdown and goodput, which applications notice, decide. Round trips and pauses are shown as well. The
 * burden of proof is on the new setting: one that did worse on average is not recommended because few seeds
 * could not prove it.
 */
#include "base/json.h"
#include "study/report/metrics.h"
#include "base/file/interrupt.h"
#include "study/report/page.h"
#include "study/run/progress.h"
#include "study/campaign/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLEAR_SHARE 0.01         /* a smaller change is ignored, however certain */
#define HARM_SHARE  0.05         /* a loss of more on average counts, even if it may be chance */

enum { BEFORE, AFTER };

static char names[][8] = { "before", "after" };

static const struct { const char *name; bool decides; } figures[] = {
    { "slowdown_mean", true }, { "slowdown_p99", true }, { "goodput_bps", true },
    { "rtt_us_mean", false },  { "paused_share", false },
};

#define FIGURES (sizeof(figures) / sizeof(*figures))

/* ---- runs ---- */

static void store_figures(struct tune_check *c, const struct simulation *s, uint32_t variant, uint32_t seed)
{
    static const char *const no_files[] = { NULL };
    struct comparison       *m = &c->comparison;
    struct results           results;
    uint32_t                 count;

    results_init(&results, s);
    struct metric *list = metrics_new(&results, &count);
    for (uint32_t i = 0; i < FIGURES * count; i++) {
        const struct metric *found = &list[i % count];

        if (strcmp(found->name, figures[i / count].name) != 0)
            continue;
        comparison_add_metrics(m, found, 1);
        struct figure *figure = figures_find(&m->figures, found->name);
        figure->value[variant * m->seeds + seed] = found->value;
        figure->is_shown = true;
    }
    if (c->has_pages)
        json_array_append_new(c->runs[variant], page_run(&results, names[variant], no_files));
    results_fini(&results);
    free(list);
}

void tune_simulate(const struct tune_search *t, struct simulation *s, const struct simulation_hooks *hooks,
                   const char *what)
{
    struct progress progress;

    interrupt_watch(sim_clock(s->sim));
    progress_start(&progress, !t->is_quiet);
    progress.what = what;
    simulation_run(s, hooks, &progress);
    progress_clear(&progress);
    interrupt_watch(NULL);
}

static int run_one(struct tune_check *c, const struct tune_search *t, uint32_t variant, uint32_t seed,
                   struct err *err)
{
    struct simulation_input input = t->input;
    struct simulation       s;
    char                    what[48];

    input.seed = &c->seed[seed];
    input.knobs = variant == BEFORE ? &t->start : &t->best;
    int rc = simulation_open(&s, &input, err);
    if (rc)
        return rc;
    snprintf(what, sizeof(what), "check, run %u of %u: ", 2 * seed + variant + 1, 2 * c->seeds);
    tune_simulate(t, &s, NULL, what);
    rc = simulation_failed(&s, err);
    if (!rc)
        store_figures(c, &s, variant, seed);
    simulation_close(&s);
    return rc;
}

/* Whether an interval of the search ran with a setting other than the first. */
static bool has_tried(const struct tuning *h)
{
    bool has = h->queues.changed > 0;

    for (uint32_t i = 0; i < h->steps && !has; i++)
        has = !knobs_equal(&h->first, &h->step[i].was);
    return has;
}

int tune_check(struct tune_check *c, const struct tune_search *t, uint32_t seeds, bool has_pages,
               struct err *err)
{
    bool is_same = knobs_equal(&t->start, &t->best);
    int  rc = 0;

    *c = (struct tune_check){ .verdict = !is_same ? TUNE_UNCHECKED : has_tried(&t->loop.tuning) ? TUNE_SAME
                                         : TUNE_UNTRIED,
                              .seeds = is_same ? 0 : seeds, .intervals = t->loop.tuning.steps };
    if (c->seeds == 0)
        return 0;
    c->seed = xcalloc(c->seeds, sizeof(*c->seed));
    for (uint32_t i = 0; i < c->seeds; i++)
        c->seed[i] = t->seed + t->rounds_max + i;
    c->variants = (struct variants){ .list = c->variant, .count = 2 };
    c->has_pages = has_pages;
    for (int i = 0; i < 2; i++) {
        c->variant[i].name = names[i];
        c->runs[i] = has_pages ? json_array() : NULL;
    }
    c->comparison = (struct comparison){ .variants = &c->variants, .baseline = BEFORE, .seed = c->seed,
                                         .seeds = c->seeds };
    for (uint32_t i = 0; i < 2 * c->seeds && !rc; i++)
        rc = run_one(c, t, i % 2, i / 2, err);
    if (!rc)
        tune_check_judge(c);
    return rc;
}

void tune_check_fini(struct tune_check *c)
{
    comparison_fini(&c->comparison);
    json_decref(c->runs[BEFORE]);
    json_decref(c->runs[AFTER]);
    free(c->seed);
    c->seed = NULL;
}

/* ---- the verdict ---- */

/* What became of a figure that decides. */
enum change {
    GAIN = 1,                    /* clear */
    CLEAR_LOSS = 2,
    LOSS = 4,                    /* clear, or large on average */
    NOTICEABLE = 8,              /* that users may notice, clear or not */
};

static unsigned change_of(const struct tune_check *c, uint32_t i)
{
    const struct metric        *m = &c->comparison.figures.list[i].metric;
    const struct compared_cell *after = comparison_cell(&c->comparison, i, AFTER);
    double                      harm = after->change * (m->better == BETTER_LOWER ? 1 : -1);
    bool                        decides = false;

    for (size_t n = 0; n < FIGURES; n++)
        decides |= figures[n].decides && strcmp(figures[n].name, m->name) == 0;
    if (!decides)
        return 0;
    return (fabs(after->change) >= CLEAR_SHARE ? NOTICEABLE : 0) |
           (after->is_significant ? after->is_better ? GAIN : CLEAR_LOSS | LOSS
            : harm > HARM_SHARE ? LOSS : 0);
}

/* "mean slowdown, goodput": figures that changed in this way; "": none. */
struct list { char text[300]; };

static struct list list_of(const struct tune_check *c, enum change change)
{
    struct list l = { "" };
    size_t      used = 0;

    for (uint32_t i = 0; i < c->comparison.figures.count && used < sizeof(l.text); i++)
        if (change_of(c, i) & change)
            used += (size_t)snprintf(l.text + used, sizeof(l.text) - used, "%s%s", used ? ", " : "",
                                     c->comparison.figures.list[i].metric.label);
    return l;
}

/* Of these the figure with the largest change; UINT32_MAX: none. */
static uint32_t largest(const struct tune_check *c, enum change change)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < c->comparison.figures.count; i++)
        if ((change_of(c, i) & change) &&
            (best == UINT32_MAX || fabs(comparison_cell(&c->comparison, i, AFTER)->change) >
                                   fabs(comparison_cell(&c->comparison, best, AFTER)->change)))
            best = i;
    return best;
}

void tune_check_judge(struct tune_check *c)
{
    unsigned all = 0;

    comparison_judge(&c->comparison);
    /* A change that no user would notice is not clear: here, and so on the terminal, in JSON and on the
     * page. */
    for (uint32_t i = 0; i < c->comparison.figures.count; i++) {
        struct compared_cell *cell = comparison_cell(&c->comparison, i, AFTER);

        cell->is_significant &= !(fabs(cell->change) < CLEAR_SHARE);
        cell->is_better &= cell->is_significant;
        all |= change_of(c, i);
    }
    c->verdict = !(all & GAIN) == !(all & LOSS) ? TUNE_UNCLEAR : all & GAIN ? TUNE_BETTER : TUNE_WORSE;
}

static void unclear_text(char *buf, size_t size, const struct tune_check *c)
{
    uint32_t noticed = largest(c, NOTICEABLE);

    if (*list_of(c, GAIN).text)
        snprintf(buf, size, "no clear difference: better in %s, worse in %s", list_of(c, GAIN).text,
                 list_of(c, LOSS).text);
    else if (c->seeds == 1)
        snprintf(buf, size, "no clear difference: one seed cannot tell; check more");
    else if (c->comparison.counted == 1)
        snprintf(buf, size, "no clear difference: all %u seeds gave the same runs, which count as one",
                 c->seeds);
    else if (noticed != UINT32_MAX)
        snprintf(buf, size, "no clear difference: %s changes by %+.1f %% on average, but %u seeds do not "
                 "show it for certain; check more", c->comparison.figures.list[noticed].metric.label,
                 100 * comparison_cell(&c->comparison, noticed, AFTER)->change, c->seeds);
    else
        snprintf(buf, size, "no clear difference: neither slowdown nor goodput changes by 1 %% or more");
}

char *tune_verdict_text(char *buf, size_t size, const struct tune_check *c, bool is_kept)
{
    switch (c->verdict) {
    case TUNE_UNCHECKED: snprintf(buf, size, "not checked");                                        break;
    case TUNE_UNTRIED:
        snprintf(buf, size, "nothing was tried: the tuner kept the starting setting (%u interval%s)",
                 c->intervals, c->intervals == 1 ? "" : "s");
        break;
    case TUNE_SAME:      snprintf(buf, size, "nothing better than the starting setting was found"); break;
    case TUNE_BETTER:    snprintf(buf, size, "better: %s", list_of(c, GAIN).text);                  break;
    case TUNE_UNCLEAR:   unclear_text(buf, size, c);                                                break;
    case TUNE_WORSE:
        snprintf(buf, size, "worse%s: %s; the %s", *list_of(c, CLEAR_LOSS).text ? "" : " on average",
                 list_of(c, LOSS).text,
                 is_kept ? "new setting is kept all the same" : "starting setting is kept");
    }
    return buf;
}

/* ---- the card ---- */

static void add_change(const struct tune_check *c, struct card *card, enum card_field field,
                       enum change change)
{
    uint32_t figure = largest(c, change);

    if (figure != UINT32_MAX) {
        comparison_add_change(&c->comparison, card, field, figure, AFTER);
        card_append(card, field, ".");
    }
}

void tune_check_answer(const struct tune_check *c, bool is_kept, struct card *card)
{
    char        text[700];
    struct list gains = list_of(c, GAIN), losses = list_of(c, LOSS);

    if (c->verdict == TUNE_UNCHECKED)
        card_add(card, CARD_FINDING, "The search found a setting. It was not checked on other seeds.");
    else if (c->verdict == TUNE_UNTRIED)
        card_add(card, CARD_FINDING, "%s. Give it more intervals (--budget), or another tuner.",
                 tune_verdict_text(text, sizeof(text), c, is_kept));
    else if (c->verdict == TUNE_SAME)
        card_add(card, CARD_FINDING, "Keep the starting setting: the search found nothing better.");
    else if (c->verdict == TUNE_BETTER)
        card_add(card, CARD_FINDING, "Use the setting found: it is better in %s.", gains.text);
    else if (c->verdict == TUNE_WORSE)
        card_add(card, CARD_FINDING,
                 is_kept ? "The setting found is worse in %s; it is saved because --keep asks for it."
                         : "Keep the starting setting: the one found is worse in %s.", losses.text);
    else if (*gains.text)
        card_add(card, CARD_FINDING, "No clear winner: the setting found is better in %s and worse in %s.",
                 gains.text, losses.text);
    else
        card_add(card, CARD_FINDING, "%s.", tune_verdict_text(text, sizeof(text), c, is_kept));
    card_capitalise(card, CARD_FINDING);
    add_change(c, card, CARD_SURE, GAIN);
    add_change(c, card, CARD_COST, LOSS);
    if (!*losses.text && c->seeds > 1)
        card_add(card, CARD_COST, "Neither slowdown nor goodput is clearly worse.");
}

json_t *tune_check_json(const struct tune_check *c)
{
    json_t *made = comparison_json(&c->comparison, true, NULL), *deciding = json_array();

    /* as on the terminal: these, in this order */
    for (uint32_t i = 0; i < c->comparison.figures.count; i++)
        json_array_append_new(deciding, JSON(c->comparison.figures.list[i].metric.name));
    json_object_set_new(made, "deciding", deciding);
    json_object_del(made, "answer");         /* the card of the search is the answer */
    return made;
}

/* ---- the table ---- */

void tune_check_print(const struct tune_check *c, FILE *out, bool has_colour)
{
    comparison_print_variant(&c->comparison, AFTER, out, has_colour);
    fputs("\nSlowdown: FCT / FCT of the same flow alone in the network.", out);
}
