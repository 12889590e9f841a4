/* src/twin/advise_answer.c - the answer card of an advice. Every sentence is computed from the rows of the
 * evidence. */
#include "base/text.h"
#include "report/setting_print.h"
#include "twin/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a class that is slower by less on average is only named if its interval excludes 0 */
#define SLOWER_MEAN   0.01
#define LONG_BUDGET   600        /* million packet-hops: what a longer search is suggested to take */

static const char *const part_words[GOAL_PARTS] = { "all messages", "messages under 120 KB",
                                                    "messages of 120 KB to 1 MB",
                                                    "messages of 1 MB and more" };

static double percent(double log_ratio)
{
    return 100 * expm1(log_ratio);
}

/* "-19 % (95 % interval -21 to -16 %)" */
static const char *gain_text(char buf[80], struct advise_gain g)
{
    snprintf(buf, 80, "%+.3g %% (95 %% interval %+.3g to %+.3g %%)", round(10 * percent(g.mean)) / 10,
             round(10 * percent(g.low)) / 10, round(10 * percent(g.high)) / 10);
    return buf;
}

/* ---- the finding ---- */

/* The best of the others by mean score; 0: none. */
static uint32_t best_other(const struct advice *a)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < a->rows; i++)
        if (i != a->choice && (!best || advise_gain(a, &a->row[i], &a->row[best], 0).mean < 0))
            best = i;
    return best;
}

static const char *name_of(const struct advise_row *row, char buf[80])
{
    snprintf(buf, 80, row->is_preset ? "preset %s" : "the %s setting", row->name);
    return buf;
}

/* "", " at half the load", " at a load of 20 %" */
static const char *where_text(const struct advice *a, uint32_t load, char buf[80])
{
    char words[48];

    buf[0] = '\0';
    if (load)
        snprintf(buf, 80, " at %s%s", a->has_range ? "a " : "",
                 advise_load_text(a, load, words, sizeof(words)));
    return buf;
}

/* Whether a class is clearly slower than with yours, or only slower on average, at a load. */
static bool is_slower(const struct advice *a, uint32_t load, int part, bool is_clear)
{
    struct advise_gain g;

    if (!advised(a)->has[load])
        return false;
    g = advise_part(advised(a), &a->row[0], load, (enum goal_part)part);
    return is_clear ? g.low > 0 : g.mean > SLOWER_MEAN && g.low <= 0;
}

/* The first load at which a class is slower; ADVISE_LOADS: none. */
static uint32_t slower_at(const struct advice *a, int part, bool is_clear)
{
    uint32_t load = 0;

    while (load < ADVISE_LOADS && !is_slower(a, load, part, is_clear))
        load++;
    return load;
}

/* A class that becomes slower is part of the finding, not only of the cost. */
static void add_price(const struct advice *a, struct card *c)
{
    const char *before = ", but";
    char        where[80];

    for (int part = GOAL_MICE; part < GOAL_PARTS; part++) {
        uint32_t load = slower_at(a, part, true);

        if (load == ADVISE_LOADS)
            continue;
        card_append(c, CARD_FINDING, "%s %s take %.2g %% longer%s", before, part_words[part],
                    percent(advise_part(advised(a), &a->row[0], load, (enum goal_part)part).mean),
                    where_text(a, load, where));
        before = " and";
    }
    card_append(c, CARD_FINDING, ".");
}

/* True if every setting gives the same results: the traffic causes no congestion that settings act on. */
static bool has_no_effect(const struct advice *a)
{
    for (uint32_t i = 1; i < a->rows; i++) {
        struct advise_gain g = advise_gain(a, &a->row[i], &a->row[0], 0);

        if (g.low != 0 || g.high != 0)
            return false;
    }
    return a->rows > 1;
}

static void add_finding(const struct advice *a, struct card *c)
{
    double is = advise_slowdown(advised(a), 0, GOAL_ALL), was = advise_slowdown(&a->row[0], 0, GOAL_ALL);
    char   name[80], gain[80];

    if (advise_keeps_yours(a) && has_no_effect(a)) {
        card_add(c, CARD_FINDING, "Keep your setting: all %u others give the same results.", a->rows - 1);
        card_add(c, CARD_DETAIL, "This traffic causes no congestion that settings act on.");
        return;
    }
    if (advise_keeps_yours(a)) {
        card_add(c, CARD_FINDING,
                 "Keep your setting: none of %u other settings is clearly better by the goal '%s'.",
                 a->rows - 1, a->request->goal->name);
        return;
    }
    if (advise_part(advised(a), &a->row[0], 0, GOAL_ALL).high < 0)
        card_add(c, CARD_FINDING, "Use %s: it slows the average message %.2f times instead of %.2f times",
                 name_of(advised(a), name), is, was);
    else
        card_add(c, CARD_FINDING, "Use %s: by the goal '%s' it scores %s against yours",
                 name_of(advised(a), name), a->request->goal->name,
                 gain_text(gain, advise_gain(a, advised(a), &a->row[0], 0)));
    add_price(a, c);
}

/* ---- against the others ---- */

/* The first class that a setting slows clearly, at the expected load. */
static enum goal_part harmed_part(const struct advice *a, const struct advise_row *row)
{
    for (int part = GOAL_MICE; part < GOAL_PARTS; part++)
        if (advise_part(row, &a->row[0], 0, (enum goal_part)part).low > a->request->goal->bound)
            return (enum goal_part)part;
    return GOAL_PARTS;
}

/* How the advice compares with one of the others, and why that one is not advised. */
static void add_other(const struct advice *a, struct card *c, uint32_t other)
{
    const struct advise_row *row = &a->row[other];
    struct advise_gain       g = advise_gain(a, advised(a), row, 0);
    enum goal_part           harmed = harmed_part(a, row);
    char                     name[80], gain[80];

    name_of(row, name);
    name[0] = (char)(name[0] == 't' ? 'T' : name[0] == 'p' ? 'P' : name[0]);
    gain_text(gain, g);
    if (g.high < 0)
        card_add(c, CARD_DETAIL, "%s is clearly worse: the advice scores %s against it.", name, gain);
    else if (harmed != GOAL_PARTS && harmed_part(a, advised(a)) == GOAL_PARTS)
        card_add(c, CARD_DETAIL, "%s slows %s: %s against yours.", name, part_words[harmed],
                 gain_text(gain, advise_part(row, &a->row[0], 0, harmed)));
    else if (g.low > 0)
        card_add(c, CARD_DETAIL,
                 "%s scores better here, but not at every load: the advice scores %s against it.",
                 name, gain);
    else
        card_add(c, CARD_DETAIL,
                 "%s changes %u knob%s and is not clearly better: the advice scores %s against it.", name,
                 advise_knobs(a, row), advise_knobs(a, row) == 1 ? "" : "s", gain);
}

static void add_others(const struct advice *a, struct card *c)
{
    uint32_t searched = a->rows - 1;

    if (a->best_preset && a->best_preset != a->choice)
        add_other(a, c, a->best_preset);
    if (searched && !a->row[searched].is_preset && searched != a->choice)
        add_other(a, c, searched);
}

/* ---- costs ---- */

/* Classes that are slower than with yours, each with all loads at which it is. Returns how many. */
static uint32_t add_slower(const struct advice *a, struct card *c, bool is_clear)
{
    uint32_t named = 0;
    char     where[80], gain[80];

    for (int part = GOAL_MICE; part < GOAL_PARTS; part++) {
        if (slower_at(a, part, is_clear) == ADVISE_LOADS)
            continue;
        card_add(c, CARD_COST, is_clear ? "Slower: %s," : "Not clear: %s,", part_words[part]);
        for (uint32_t load = 0; load < ADVISE_LOADS; load++)
            if (is_slower(a, load, part, is_clear))
                card_add(c, CARD_COST, "%s%s,",
                         gain_text(gain, advise_part(advised(a), &a->row[0], load, (enum goal_part)part)),
                         where_text(a, load, where));
        c->text[CARD_COST][strlen(c->text[CARD_COST]) - 1] = '.';
        named++;
    }
    return named;
}

static void add_cost(const struct advice *a, struct card *c)
{
    uint32_t knobs = advise_knobs(a, advised(a));

    if (advise_keeps_yours(a)) {
        card_add(c, CARD_COST, "None: nothing changes.");
        return;
    }
    card_add(c, CARD_COST, "%u knob%s change%s.", knobs, knobs == 1 ? "" : "s", knobs == 1 ? "s" : "");
    if (!add_slower(a, c, true))
        card_add(c, CARD_COST, "No class of messages is clearly slower at any load tested.");
    add_slower(a, c, false);
}

/* ---- how sure ---- */

static void add_score(const struct advice *a, struct card *c, const struct advise_row *row, uint32_t load)
{
    struct advise_gain g = advise_gain(a, row, &a->row[0], load);
    char               gain[80], where[80];

    card_add(c, CARD_SURE, "%s%s%s.", gain_text(gain, g), where_text(a, load, where),
             g.low <= 0 && g.high >= 0 ? ", not clear" : "");
}

static void add_sure(const struct advice *a, struct card *c)
{
    const struct advise_row *row = advise_keeps_yours(a) ? &a->row[best_other(a)] : advised(a);
    char                     name[80];

    if (row != &a->row[0]) {
        card_add(c, CARD_SURE, "Score ('%s') of %s against yours:", a->request->goal->name,
                 name_of(row, name));
        for (uint32_t load = 0; load < ADVISE_LOADS; load++)
            if (row->has[load] && a->row[0].has[load])
                add_score(a, c, row, load);
    }
    card_add(c, CARD_SURE, "Means of %d seeds that the search did not use. Simulation only.", ADVISE_SEEDS);
    card_add(c, CARD_SURE, "%s", card_text(&a->about, CARD_SURE));
}

/* ---- for what, and what next ---- */

/* Presets are of DCQCN and ECN, the rows up to pmax. */
bool advise_has_default(const struct advice *a)
{
    bool is = !a->world.knobs;

    for (int i = 0; i <= KNOB_pmax; i++)
        is &= a->row[0].knobs.value[i] == knob_info[i].initial;
    return is;
}

static void add_setting(const struct advice *a, struct card *c)
{
    const struct host_record *h = a->request->record;

    if (h && h->device[0].has_settings)
        card_add(c, CARD_SETTING,
                 "'Yours' is what was read from %s%s%s; thresholds of switches are NVIDIA's defaults, "
                 "because a host cannot read them (--set kmin=VALUE).", h->device[0].name,
                 *h->host ? " of " : "", h->host);
    else if (advise_has_default(a))
        card_add(c, CARD_SETTING, "'Yours' is NVIDIA's default, because no other setting was given "
                 "(--set KEY=VALUE%s).", a->request->path ? ", or knobs: in the scenario" : "");
    else
        card_add(c, CARD_SETTING, "'Yours' is the setting of %s.",
                 a->request->path ? "the scenario" : "--set");
    card_add(c, CARD_SETTING, "Goal: %s.", a->request->goal->name);
}

static bool is_dear(const struct advice *a)
{
    for (int part = GOAL_MICE; part < GOAL_PARTS; part++)
        if (slower_at(a, part, true) != ADVISE_LOADS)
            return true;
    return false;
}

static void add_next(const struct advice *a, struct card *c)
{
    static const char *const without[] = { "--format", "-f", "--as", "--report", "--out", "-o", "--budget",
                                           "--jobs", "-j", NULL };
    unsigned budget = (unsigned)(a->request->budget / 1000000);
    bool     is_short = budget < LONG_BUDGET;
    bool     has_nics = setting_differs_in_mlx5(&a->row[0].knobs, &advised(a)->knobs);

    if (advise_keeps_yours(a) && (!is_short || has_no_effect(a)))
        return;
    if (a->request->argc == 0)
        return;
    if (is_short && (advise_keeps_yours(a) || is_dear(a))) {
        card_add(c, CARD_NEXT, "search longer%s; this search had a budget of %u",
                 advise_keeps_yours(a) ? "" : " for a setting without that cost", budget);
        card_add_command(c, a->request->argc, a->request->argv, without);
        card_add(c, CARD_COMMAND, "--budget %d", LONG_BUDGET);
        return;
    }
    card_add(c, CARD_NEXT, has_nics ?
             "write a script that sets NICs, and try it on one rack (--as sonic for switches)" :
             "write a script that sets switches; agents with driver mrc set NICs");
    if (a->request->out) {                   /* no second search */
        card_add(c, CARD_COMMAND, "anole tune --from");
        card_add_argument(c, a->request->out);
    } else {
        card_add_command(c, a->request->argc, a->request->argv, without);
        if (budget != ADVISE_BUDGET_MILLIONS)
            card_add(c, CARD_COMMAND, "--budget %u", budget);
    }
    card_add(c, CARD_COMMAND, has_nics ? "--as mlx5 > set-nics.sh" : "--as sonic > set-switches.sh");
}

void advise_answer(const struct advice *a, struct card *c)
{
    *c = (struct card){ 0 };
    add_finding(a, c);
    add_others(a, c);
    add_cost(a, c);
    add_sure(a, c);
    card_add(c, CARD_NETWORK, "%s", card_text(&a->about, CARD_NETWORK));
    card_add(c, CARD_TRAFFIC, "%s", card_text(&a->about, CARD_TRAFFIC));
    if (a->request->assumed && *a->request->assumed)
        card_add(c, CARD_TRAFFIC, "Assumed, because not given: %s.", a->request->assumed);
    add_setting(a, c);
    add_next(a, c);
}
