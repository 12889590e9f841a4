/* src/study/campaign/compare_answer.c - what a comparison found, in words. Every sentence is computed from
 * the cells. */
#include "base/bootstrap.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "study/campaign/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a variant is worth, in one sentence ---- */

#define NAMED_MAX 3              /* figures of a kind; the others are counted */

static const char *name_of(const struct comparison *c, uint32_t variant)
{
    return c->variants->list[variant].name;
}

/* A figure that people are shown, and for which more is better or worse. */
static bool is_judged(const struct comparison *c, uint32_t figure)
{
    return c->figures.list[figure].is_shown && c->figures.list[figure].metric.better != BETTER_NEITHER;
}

static bool is_named(const struct comparison *c, uint32_t figure, uint32_t variant, bool is_better)
{
    const struct compared_cell *cell = comparison_cell(c, figure, variant);

    return is_judged(c, figure) && cell->is_significant && cell->is_better == is_better;
}

static uint32_t count_named(const struct comparison *c, uint32_t variant, bool is_better)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < c->figures.count; i++)
        count += is_named(c, i, variant, is_better);
    return count;
}

/* "goodput, during" becomes "goodput (during)": commas stand between figures here. */
static void put_label(FILE *t, const char *label)
{
    const char *comma = strstr(label, ", ");

    if (comma)
        fprintf(t, "%.*s (%s)", (int)(comma - label), label, comma + 2);
    else
        fprintf(t, "%s", label);
}

/* "-38 %", "2.4 times as much", "+12" where the baseline is 0 */
static void put_change(FILE *t, const struct compared_cell *cell, enum metric_unit unit)
{
    char number[64];

    if (!isfinite(cell->change))
        fprintf(t, " %s%s", cell->difference > 0 ? "+" : "",
            metric_text(number, sizeof(number), unit, cell->difference));
    else if (cell->change >= 1)
        fprintf(t, " %.3g times as much", 1 + cell->change);
    else
        fprintf(t, fabs(cell->change) < 0.995 ? " %+.2g %%" : " %+.0f %%", 100 * cell->change);
}

static void put_named(FILE *t, const struct comparison *c, uint32_t variant, bool is_better)
{
    uint32_t count = count_named(c, variant, is_better), said = 0;

    for (uint32_t i = 0; i < c->figures.count && said < NAMED_MAX; i++) {
        if (!is_named(c, i, variant, is_better))
            continue;
        fprintf(t, "%s", said == 0 ? "" : said + 1 == count ? " and " : ", ");
        put_label(t, c->figures.list[i].metric.label);
        put_change(t, comparison_cell(c, i, variant), c->figures.list[i].metric.unit);
        said++;
    }
    if (count > said)
        fprintf(t, " and %u more", count - said);
}

static uint32_t count_shown(const struct comparison *c)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < c->figures.count; i++)
        count += is_judged(c, i);
    return count;
}

char *comparison_verdict(char *buf, size_t size, const struct comparison *c, uint32_t variant)
{
    const char *name = name_of(c, variant);
    uint32_t    gains = count_named(c, variant, true), losses = count_named(c, variant, false);
    FILE       *t = fmemopen(buf, size, "w");

    if (!t)
        die("out of memory");
    if (variant == c->baseline)
        fprintf(t, "%s is the baseline.", name);
    else if (!comparison_is_pair(c, variant))
        fprintf(t, "%s has other traffic than %s: no verdict.", name, name_of(c, c->baseline));
    else if (c->counted == 1)
        fprintf(t, "%s: one %s cannot tell a difference from chance.", name,
                c->seeds == 1 ? "seed" : "run that all seeds repeat");
    else if (gains == 0 && losses == 0)
        fprintf(t, "%s: no clear difference in any of %u figures.", name, count_shown(c));
    else {
        fprintf(t, "%s is %s", name, gains ? "better in " : "");
        put_named(t, c, variant, true);
        fputs(!gains ? "worse in " : losses ? "; worse in " : "; no figure is clearly worse", t);
        put_named(t, c, variant, false);
        fputs(".", t);
    }
    fclose(t);
    return buf;
}

/* ---- the figures that decide ---- */

/* Figures that are shown and have a value with any variant: those with this rank, or with any. */
static uint32_t add_deciding(const struct comparison *c, uint32_t *figure, uint32_t count, uint32_t rank)
{
    for (uint32_t i = 0; i < c->figures.count && count < COMPARE_DECIDING; i++) {
        const struct figure *f = &c->figures.list[i];
        bool                 has_value = false;

        for (uint32_t v = 0; v < c->variants->count; v++)
            has_value |= isfinite(comparison_cell(c, i, v)->mean);
        if (f->is_shown && has_value && (rank == METRIC_RANKS || metric_rank(f->metric.name) == rank))
            figure[count++] = i;
    }
    return count;
}

uint32_t comparison_deciding(const struct comparison *c, uint32_t figure[COMPARE_DECIDING])
{
    uint32_t count = 0, goal = comparison_goal_figure(c);

    if (goal != UINT32_MAX)
        figure[count++] = goal;
    for (uint32_t rank = 0; rank < METRIC_RANKS; rank++)
        count = add_deciding(c, figure, count, rank);
    return count ? count : add_deciding(c, figure, 0, METRIC_RANKS);
}

/* ---- the card ---- */

#define COSTS_MAX   3            /* that are named */
/* a loss that its whole interval exceeds is named, even where many comparisons hide it */
#define HARM_SHARE  0.01
#define OTHERS_MAX  3            /* variants, besides the one that is advised */
#define SETTINGS_MAX 4
#define SETS_MAX    4            /* keys of a variant that are listed; more are counted */

static double size_of(const struct compared_cell *cell)
{
    return isfinite(cell->change) && cell->change > -1 ? fabs(log1p(cell->change)) : 0.5;
}

/* Users feel how long things take; throughput and queues are causes of that. */
static double weight_of(const struct comparison *c, uint32_t figure, uint32_t variant)
{
    const char *name = c->figures.list[figure].metric.name;
    bool        is_felt = strcmp(name, "goodput_bps") != 0 && strcmp(name, "rtt_us_mean") != 0;
    bool        is_goal = figure == comparison_goal_figure(c), is_job = metric_rank(name) == 0;

    return size_of(comparison_cell(c, figure, variant)) + (is_felt ? 1000 : 0) + (is_job ? 1e5 : 0) +
           (is_goal ? 1e6 : 0);
}

/* The deciding figure with the largest clear change for better or worse; UINT32_MAX: none. */
static uint32_t largest(const struct comparison *c, uint32_t variant, bool is_better)
{
    uint32_t figure[COMPARE_DECIDING], count = comparison_deciding(c, figure), best = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++)
        if (is_named(c, figure[i], variant, is_better) &&
            (best == UINT32_MAX || weight_of(c, figure[i], variant) > weight_of(c, best, variant)))
            best = figure[i];
    return best;
}

/* Names what a figure is about, and whether that is plural: "small messages" matter, throughput matters. */
static const char *whom(const struct metric *m, bool *is_plural)
{
    static const struct { const char *name, *text; bool is_plural; } row[] = {
        { "mice.slowdown_p99", "small messages", true },
        { "elephants.slowdown_mean", "large messages", true },
        { "slowdown_mean", "the average message", false },   { "slowdown_p99", "the slowest messages", true },
        { "fct_us_p99", "the slowest messages", true },      { "goodput_bps", "throughput", false },
        { "rtt_us_mean", "queueing delay", false },
    };

    *is_plural = false;
    for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++)
        if (strcmp(m->name, row[i].name) == 0) {
            *is_plural = row[i].is_plural;
            return row[i].text;
        }
    return m->label;
}

/* The best by the goal of those that are clearly better than the baseline and keep its bounds. */
static uint32_t choose_by_goal(const struct comparison *c)
{
    uint32_t goal = comparison_goal_figure(c), best = c->baseline;
    double   least = 0;

    for (uint32_t v = 0; v < c->variants->count; v++) {
        double change = comparison_cell(c, goal, v)->change;

        if (v != c->baseline && is_named(c, goal, v, true) && !comparison_breaks_bound(c, v) &&
            change < least) {
            best = v;
            least = change;
        }
    }
    return best;
}

/* The variant to advise: one that only gains before one that also costs, then the largest gain. The
 * baseline: none gains. */
static uint32_t choose(const struct comparison *c)
{
    uint32_t best = c->baseline;
    double   most = -1;

    for (uint32_t v = 0; v < c->variants->count; v++) {
        uint32_t gain = v == c->baseline ? UINT32_MAX : largest(c, v, true);

        if (gain == UINT32_MAX)
            continue;
        double worth = fmin(99, size_of(comparison_cell(c, gain, v))) +
                       (largest(c, v, false) == UINT32_MAX ? 100 : 0);
        if (worth > most) {
            most = worth;
            best = v;
        }
    }
    return best;
}

/* The deciding figure that is worse by the most on average, clear or not, where its interval excludes no
 * change. */
uint32_t comparison_harm(const struct comparison *c, uint32_t variant)
{
    uint32_t figure[COMPARE_DECIDING], count = comparison_deciding(c, figure), worst = UINT32_MAX;
    double   most = -1;

    for (uint32_t i = 0; i < count; i++) {
        const struct compared_cell *cell = comparison_cell(c, figure[i], variant);
        enum metric_better          better = c->figures.list[figure[i]].metric.better;
        bool is_worse = better == BETTER_LOWER ? cell->change_low > HARM_SHARE
                                               : better == BETTER_HIGHER && cell->change_high < -HARM_SHARE;

        if (is_worse && size_of(cell) > most) {
            worst = figure[i];
            most = size_of(cell);
        }
    }
    return worst;
}

/* The mean with a variant, and with the baseline. */
struct means { char is[64], was[64]; };

static struct means means_of(const struct comparison *c, uint32_t figure, uint32_t variant)
{
    enum metric_unit unit = c->figures.list[figure].metric.unit;
    struct means     m;

    metric_text(m.is, sizeof(m.is), unit, comparison_cell(c, figure, variant)->mean);
    metric_text(m.was, sizeof(m.was), unit, comparison_cell(c, figure, c->baseline)->mean);
    return m;
}

void comparison_add_change(const struct comparison *c, struct card *card, enum card_field field,
                           uint32_t figure, uint32_t variant)
{
    const struct compared_cell *cell = comparison_cell(c, figure, variant);
    char                       *words;
    FILE                       *t = text_stream(&words);

    put_label(t, c->figures.list[figure].metric.label);
    put_change(t, cell, c->figures.list[figure].metric.unit);
    if (isfinite(cell->change_low))
        fprintf(t, fabs(cell->change_high) < 9.995 ? " (95 %% interval %+.3g to %+.3g %%)" :
                " (95 %% interval %+.0f to %+.0f %%)", 100 * cell->change_low, 100 * cell->change_high);
    fclose(t);
    card_add(card, field, "%s", words);
    free(words);
}

/* What changes exactly: the figure that decides first. */
static void add_exact(const struct comparison *c, struct card *card)
{
    uint32_t figure[COMPARE_DECIDING], count = comparison_deciding(c, figure);

    for (uint32_t v = 0, said = 0; count && v < c->variants->count && said < OTHERS_MAX; v++)
        if (v != c->baseline && comparison_is_pair(c, v) &&
            isfinite(comparison_cell(c, figure[0], v)->mean)) {
            struct means m = means_of(c, figure[0], v);

            card_add(card, CARD_DETAIL, "With %s %s is %s instead of %s.", name_of(c, v),
                     c->figures.list[figure[0]].metric.label, m.is, m.was);
            said++;
        }
}

/* The comparison cannot be judged: other traffic, one seed, or a goal without a value. True if the finding
 * says so. */
static bool add_refusal(const struct comparison *c, struct card *card)
{
    uint32_t pairs = 0;

    for (uint32_t v = 0; v < c->variants->count; v++)
        pairs += v != c->baseline && comparison_is_pair(c, v);
    if (pairs == 0 && c->variants->count > 1)
        card_add(card, CARD_FINDING,
                 "The variants send different traffic: they are shown side by side, without a verdict.");
    else if (c->variants->count == 1)
        card_add(card, CARD_FINDING, "Only one variant ran: there is nothing to compare it with.");
    else if (c->counted < c->seeds) {
        add_exact(c, card);
        card_add(card, CARD_FINDING,
                 "All %u seeds gave the same runs: nothing in them is random. The differences are exact for this "
                 "traffic, and no evidence for other traffic.", c->seeds);
    } else if (c->seeds == 1)
        card_add(card, CARD_FINDING, "One seed cannot tell a difference from chance: run more seeds.");
    else if (c->has_goal && !isfinite(comparison_cell(c, comparison_goal_figure(c), c->baseline)->mean))
        card_add(card, CARD_FINDING,
                 "No verdict: the goal '%s' has no value with %s, because nothing that it is about was sent.",
                 c->goal.name, name_of(c, c->baseline));
    return card->text[CARD_FINDING] != NULL;
}

static void add_finding(const struct comparison *c, struct card *card, uint32_t advised)
{
    uint32_t    gain = largest(c, advised, true), loss = largest(c, advised, false), figure[COMPARE_DECIDING];
    const char *base = name_of(c, c->baseline), *name = name_of(c, advised);

    if (c->has_goal) {
        card_add(card, CARD_FINDING, advised == c->baseline ?
                 "Keep %s: no other variant is clearly better by the goal '%s' with" :
                 "Use %s: it is better by the goal '%s' than the others, with", name, c->goal.name);
        card_add(card, CARD_FINDING,
                 "no class of messages more than %.3g %% slower than %s and no job, storage or rpc more than "
                 "%.3g %%.", 100 * c->goal.class_bound, base, 100 * c->goal.job_bound);
    } else if (advised == c->baseline) {
        card_add(card, CARD_FINDING, "Keep %s: no other variant is clearly better in any of %u main figures.",
                 base, comparison_deciding(c, figure));
    } else if (loss == UINT32_MAX) {
        card_add(card, CARD_FINDING,
                 "Use %s: it is better than %s in %s, and no main figure is clearly worse.", name, base,
                 c->figures.list[gain].metric.label);
    } else {
        bool        are_gaining, are_losing;
        const char *gaining = whom(&c->figures.list[gain].metric, &are_gaining);
        const char *losing = whom(&c->figures.list[loss].metric, &are_losing);

        card_add(card, CARD_FINDING, "Use %s if %s %s most. Keep %s if %s %s.", name, gaining,
                 are_gaining ? "matter" : "matters", base, losing, are_losing ? "do" : "does");
    }
}

static void add_details(const struct comparison *c, struct card *card, uint32_t advised)
{
    uint32_t figure[COMPARE_DECIDING], first = largest(c, advised, true), said = 0;
    char     text[600];
    bool     is_mean = false;

    /* The mean slowdown says it in words that need no glossary, so it is preferred. */
    for (uint32_t i = 0, count = comparison_deciding(c, figure); i < count && !is_mean; i++) {
        is_mean = is_named(c, figure[i], advised, true) &&
                  strcmp(c->figures.list[figure[i]].metric.name, "slowdown_mean") == 0;
        first = is_mean ? figure[i] : first;
    }
    if (advised != c->baseline) {
        struct means m = means_of(c, first, advised);

        card_add(card, CARD_DETAIL, is_mean ?
                 "With %s the %s slows the average message %s times instead of %s times." :
                 "With %s %s is %s instead of %s.", name_of(c, advised),
                 is_mean ? "network" : c->figures.list[first].metric.label, m.is, m.was);
    }
    for (uint32_t v = 0; v < c->variants->count && said < OTHERS_MAX; v++)
        if (v != c->baseline && v != advised) {
            card_add(card, CARD_DETAIL, "%s", comparison_verdict(text, sizeof(text), c, v));
            said++;
        }
    if (c->variants->count > said + 1 + (advised != c->baseline))
        card_add(card, CARD_DETAIL, "More variants are in the tables.");
}

static void add_cost(const struct comparison *c, struct card *card, uint32_t advised)
{
    uint32_t figure[COMPARE_DECIDING], count = comparison_deciding(c, figure), said = 0,
             all = count_named(c, advised, false), harm = comparison_harm(c, advised);

    if (advised == c->baseline) {
        card_add(card, CARD_COST, "None: nothing changes.");
        return;
    }
    for (uint32_t i = 0; i < count && said < COSTS_MAX; i++)
        if (is_named(c, figure[i], advised, false)) {
            struct means m = means_of(c, figure[i], advised);

            if (said++)
                card_append(card, CARD_COST, ";");
            comparison_add_change(c, card, CARD_COST, figure[i], advised);
            card_append(card, CARD_COST, ", %s instead of %s", m.is, m.was);
        }
    if (said)
        card_append(card, CARD_COST, ".");
    else if (harm != UINT32_MAX) {
        comparison_add_change(c, card, CARD_COST, harm, advised);
        card_append(card, CARD_COST,
                    ", which chance alone may explain: %u comparisons were made.", c->tested);
    } else
        card_add(card, CARD_COST, "No main figure is clearly worse.");
    if (all > said)
        card_add(card, CARD_COST, "%u other figure%s worse.", all - said, all - said == 1 ? " is" : "s are");
}

/* In how many seeds the change has the sign of the mean. */
static uint32_t agreeing_seeds(const struct comparison *c, uint32_t figure, uint32_t variant)
{
    const double *value = c->figures.list[figure].value;
    bool          is_more = comparison_cell(c, figure, variant)->difference > 0;
    uint32_t      agree = 0;

    for (uint32_t s = 0; s < c->counted; s++)
        agree += (value[(uint64_t)variant * c->seeds + s] -
                  value[(uint64_t)c->baseline * c->seeds + s] > 0) == is_more;
    return agree;
}

static void add_sure(const struct comparison *c, struct card *card, uint32_t advised)
{
    uint32_t gain = largest(c, advised, true), clear = 0;

    for (uint64_t i = 0; i < (uint64_t)c->figures.count * c->variants->count; i++)
        clear += c->cell[i].is_significant;
    if (gain != UINT32_MAX) {
        comparison_add_change(c, card, CARD_SURE, gain, advised);
        card_append(card, CARD_SURE, ", the same direction in %u of %u seeds.",
                    agreeing_seeds(c, gain, advised), c->counted);
    }
    if (c->tested)
        card_add(card, CARD_SURE,
                 "Of %u comparisons over %u seeds %u are clear; at most %.0f %% of these by chance "
                 "(false discovery rate).", c->tested, c->counted, clear, 100 * FDR_SHARE);
    if (c->counted < c->seeds)
        card_add(card, CARD_SURE, "All %u seeds gave the same runs, and count as one.", c->seeds);
    else if (c->seeds < COMPARE_SEEDS_TRUSTED)
        card_add(card, CARD_SURE, "Fewer than %d seeds: intervals are unreliable.", COMPARE_SEEDS_TRUSTED);
    card_add(card, CARD_SURE, "Simulation only.");
}

/* What variants set: "low-latency: kmin=40KB, kmax=160KB". */
static void add_settings(const struct comparison *c, struct card *card)
{
    uint32_t said = 0;

    for (uint32_t v = 0; v < c->variants->count && said < SETTINGS_MAX; v++) {
        const struct variant *variant = &c->variants->list[v];
        const char          **set = variant->set + variant->sets - variant->own;

        if (variant->own == 0 || strcmp(variant->name, set[0]) == 0)
            continue;            /* named by the keys it sets */
        card_add(card, CARD_SETTING, "%s:", variant->name);
        if (variant->own > SETS_MAX)
            card_add(card, CARD_SETTING, "%u keys.", variant->own);
        for (uint32_t i = 0; i < variant->own && variant->own <= SETS_MAX; i++)
            card_add(card, CARD_SETTING, "%s%s", set[i], i + 1 < variant->own ? "," : ".");
        said++;
    }
}

void comparison_add_about(const struct comparison *c, struct card *card)
{
    const struct card *base = &c->variants->list[c->baseline].about;

    for (enum card_field field = CARD_NETWORK; field <= CARD_TRAFFIC; field++) {
        card_add(card, field, "%s", card_text(base, field));
        for (uint32_t v = 0, said = 0; v < c->variants->count && said < 2; v++)
            if (strcmp(card_text(&c->variants->list[v].about, field), card_text(base, field)) != 0) {
                card_add(card, field, "%s: %s", name_of(c, v), card_text(&c->variants->list[v].about, field));
                said++;
            }
    }
}

void comparison_add_evidence(const struct comparison *c, struct card *card, uint32_t variant)
{
    add_cost(c, card, variant);
    add_sure(c, card, variant);
}

void comparison_add_more_seeds(const struct comparison *c, struct card *card, const char *why)
{
    unsigned seeds = c->seeds < 10 ? 10 : 2 * c->seeds;

    card_add(card, CARD_NEXT, "%s", why);
    card_add_command(card, c->argc, c->argv, (const char *const[]){ "--seeds", "-n", "--seed-list", "--jobs",
                     /* results do not depend on these */
                     "-j", "--out", "-o", "--format", "-f", "!--quiet", "!-q", NULL });
    card_add(card, CARD_COMMAND, "--seeds %u", seeds);
}

static void add_next(const struct comparison *c, struct card *card, uint32_t advised)
{
    const char *path = c->variants->list[c->baseline].file ? c->variants->list[c->baseline].file->path : NULL;

    if (c->argc == 0 || !path)
        return;
    if (advised == c->baseline) {
        comparison_add_more_seeds(c, card, "look for smaller differences with more seeds");
        return;
    }
    card_add(card, CARD_NEXT, "look for a setting %s",
             largest(c, advised, false) == UINT32_MAX ? "that is better still" : "without that cost");
    card_add(card, CARD_COMMAND, "anole advise");
    card_add_argument(card, path);
    card_add(card, CARD_COMMAND, "--report advice.html");
}

struct card *comparison_answer(const struct comparison *c, struct card *card)
{
    *card = (struct card){ 0 };
    if (add_refusal(c, card)) {
        if (c->seeds == 1 && c->argc && c->variants->count > 1)
            comparison_add_more_seeds(c, card, "run it with several seeds");
    } else {
        uint32_t advised = c->has_goal ? choose_by_goal(c) : choose(c);

        add_finding(c, card, advised);
        add_details(c, card, advised);
        comparison_add_evidence(c, card, advised);
        add_next(c, card, advised);
    }
    card_capitalise(card, CARD_COST);
    card_capitalise(card, CARD_SURE);
    comparison_add_about(c, card);
    add_settings(c, card);
    return card;
}
