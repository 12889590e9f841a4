/* src/study/twin/advise_answer.c - the answer card of an advice, computed from the rows of the evidence. */
#include "base/text.h"
#include "core/knob_text.h"
#include "study/report/setting_print.h"
#include "study/twin/advise.h"

#include <math.h>
#include <string.h>

#define SLOWER_MEAN   0.01       /* a class that is less slower is only named if its interval excludes 0 */
#define LONG_BUDGET   600        /* million packet-hops: what a longer search is suggested to take */

/* "messages under 120 KB", "iterations of job1" */
static const char *party_text(const struct advice *a, uint32_t party, char buf[100])
{
    static const char *const words[GOAL_PARTS] = { "all messages", "messages under 120 KB",
                                                   "messages of 120 KB to 1 MB",
                                                   "messages of 1 MB and more" };

    if (party >= GOAL_LOOPS)
        snprintf(buf, 100, "operations of %s", a->loop_name[party - GOAL_LOOPS]);
    else if (party >= GOAL_PARTS)
        snprintf(buf, 100, "iterations of %s", a->job_name[party - GOAL_PARTS]);
    else
        snprintf(buf, 100, "%s%s", words[party], a->jobs ? " outside jobs" : "");
    return buf;
}

/* "-19 % (95 % interval -21 to -16 %)", without an interval "-19 %" */
static const char *gain_text(char buf[80], struct race_gain g)
{
    const double log_ratio[] = { g.mean, g.low, g.high };
    double       percent[3];

    for (int i = 0; i < 3; i++)
        percent[i] = round(10 * advise_percent(log_ratio[i])) / 10;
    if (isnan(g.low))
        snprintf(buf, 80, "%+.3g %%", percent[0]);
    else
        snprintf(buf, 80, fabs(percent[2]) < 999.5 ? "%+.3g %% (95 %% interval %+.3g to %+.3g %%)"
                          : "%+.0f %% (95 %% interval %+.0f to %+.0f %%)", percent[0], percent[1],
                 percent[2]);
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
    snprintf(buf, 80, row->changes ? "%.70s" : row->is_preset ? "preset %.60s" : "the %.60s setting",
             row->name);
    return buf;
}

/* "", " at half the load", " at a load of 20 %" */
static const char *where_text(const struct advice *a, uint32_t load, char buf[80])
{
    char words[48];

    buf[0] = '\0';
    if (load && load != ADVISE_PROOF)
        snprintf(buf, 80, " at %s%s", a->has_range ? "a " : "",
                 advise_load_text(a, load, words, sizeof(words)));
    return buf;
}

/* True for tests that the answer states. The choice was the best of many, so its first test is too good. */
static bool is_relevant(const struct advise_row *row, uint32_t test)
{
    return row->seeds[test] && !(test == 0 && row->seeds[ADVISE_PROOF]);
}

/* Whether a party is clearly slower than with yours, or only slower on average. */
static bool is_slower(const struct advice *a, uint32_t test, uint32_t party, bool is_clear)
{
    struct race_gain g;

    if (!is_relevant(advised(a), test))
        return false;
    g = advise_party(advised(a), &a->row[0], test, party);
    return is_clear ? g.low > 0 : g.mean > SLOWER_MEAN && g.low <= 0;
}

/* The first test in which a party is slower; ADVISE_TESTS: none. */
static uint32_t slower_at(const struct advice *a, uint32_t party, bool is_clear)
{
    uint32_t test = 0;

    while (test < ADVISE_TESTS && !is_slower(a, test, party, is_clear))
        test++;
    return test;
}

/* What becomes slower is part of the finding, not only of the cost. */
static void add_price(const struct advice *a, struct card *c)
{
    const char *before = ", but";
    char        where[80], words[100];

    for (uint32_t party = GOAL_MICE; party < GOAL_PARTIES; party++) {
        uint32_t test = slower_at(a, party, true);

        if (test == ADVISE_TESTS)
            continue;
        card_append(c, CARD_FINDING, "%s %s take %.2g %% longer%s", before, party_text(a, party, words),
                    advise_percent(advise_party(advised(a), &a->row[0], test, party).mean),
                    where_text(a, test, where));
        before = " and";
    }
    card_append(c, CARD_FINDING, ".");
}

/* True if every setting gives the same results: the traffic causes no congestion that settings act on. Trials
 * that skip packets cannot show this: they have no queues of a few packets, which a low 'kmin' acts on. */
static bool has_no_effect(const struct advice *a)
{
    if (a->is_fast)
        return false;
    for (uint32_t i = 1; i < a->rows; i++)
        if (!advise_is_none(advise_gain(a, &a->row[i], &a->row[0], 0)))
            return false;
    return a->rows > 1;
}

/* True if all seeds gave the same trials, with every setting. */
static bool is_one_run(const struct advice *a)
{
    for (uint32_t i = 0; i < a->rows; i++)
        if (!advise_repeats(&a->row[i], 0))
            return false;
    return true;
}

/* "an iteration of job1 takes 1.2 ms instead of 1.5 ms" */
static void add_iterations(const struct advice *a, struct card *c, uint32_t test)
{
    char is[32], was[32];

    for (uint32_t i = 0; i < a->jobs; i++) {
        text_figure(is, sizeof(is), "us", 1e6 * advise_iteration(advised(a), test, i));
        text_figure(was, sizeof(was), "us", 1e6 * advise_iteration(&a->row[0], test, i));
        card_append(c, CARD_FINDING, "%s of %s takes %s instead of %s", i ? ", one" : " an iteration",
                    a->job_name[i], is, was);
    }
}

static void add_finding(const struct advice *a, struct card *c)
{
    uint32_t test = advise_test(a);
    double is = advise_slowdown(advised(a), test, GOAL_ALL),
           was = advise_slowdown(&a->row[0], test, GOAL_ALL);
    char   name[80], gain[80];

    if (advise_keeps_yours(a) && a->is_short) {
        char knob[KNOB_TEXT_MAX], trial[32];

        text_figure(trial, sizeof(trial), "us", (double)a->twin.input.until_ps / PS_PER_US);
        card_add(c, CARD_FINDING, "Cannot tell: the budget of the search is worth fewer than %d trials of %s.",
                 ADVISE_TRIALS_FEW, trial);
        if (a->slowest != KNOB_COUNT)
            card_add(c, CARD_DETAIL, "Shorter ones would not show what %s does, which acts every %s.",
                     knob_info[a->slowest].name, knob_text(knob, a->slowest, a->world.start.value[a->slowest]));
        return;
    }
    if (advise_keeps_yours(a) && has_no_effect(a)) {
        card_add(c, CARD_FINDING, "Keep your setting: all %u others give the same results.", a->rows - 1);
        card_add(c, CARD_DETAIL, "This traffic causes no congestion that settings act on.");
        return;
    }
    if (advise_keeps_yours(a) && is_one_run(a)) {
        card_add(c, CARD_FINDING,
                 "Keep your setting: all %u seeds gave the same trials, because nothing in them is random. "
                 "The differences between settings are exact for this traffic, and no evidence for other "
                 "traffic.",
                 a->row[0].seeds[0]);
        return;
    }
    if (advise_keeps_yours(a)) {
        card_add(c, CARD_FINDING,
                 "Keep your setting: of %u others none is clearly better by the goal '%s' and within its "
                 "bounds.", a->rows - 1, a->goal.name);
        return;
    }
    card_add(c, CARD_FINDING, "Use %s:", name_of(advised(a), name));
    if (a->goal.figure == GOAL_ITERATIONS)
        add_iterations(a, c, test);
    else if (advise_part(advised(a), &a->row[0], test, GOAL_ALL).high < 0)
        card_add(c, CARD_FINDING, "it slows the average message %.2f times instead of %.2f times", is, was);
    else
        card_add(c, CARD_FINDING, "by the goal '%s' it scores %s against yours", a->goal.name,
                 gain_text(gain, advise_gain(a, advised(a), &a->row[0], test)));
    add_price(a, c);
}

/* ---- against the others ---- */

/* Why a setting is not advised though it may score better: it harms a class or job beyond the bound, or
 * that it does not is uncertain. False: neither. */
static bool add_harm(const struct advice *a, struct card *c, const struct advise_row *row, const char *name)
{
    uint32_t test, party = advise_harmed(a, row, &test);
    char     words[100], gain[80], where[80];

    if (party != GOAL_PARTIES) {
        card_add(c, CARD_DETAIL, "%s slows %s by more than %.3g %%: %s%s against yours.", name,
                 party_text(a, party, words), advise_percent(advise_bound(a, party)),
                 gain_text(gain, advise_party(row, &a->row[0], test, party)), where_text(a, test, where));
        return true;
    }
    for (party = GOAL_MICE; party < GOAL_PARTIES && row->seeds[ADVISE_PROOF]; party++) {
        struct race_gain g = advise_party(row, &a->row[0], ADVISE_PROOF, party);

        if (g.high <= advise_bound(a, party))
            continue;
        card_add(c, CARD_DETAIL, "%s may slow %s by more than %.3g %%: %s against yours.", name,
                 party_text(a, party, words), advise_percent(advise_bound(a, party)), gain_text(gain, g));
        return true;
    }
    return false;
}

/* How the advice compares with one of the others, and why that one is not advised. */
static void add_other(const struct advice *a, struct card *c, uint32_t other)
{
    const struct advise_row *row = &a->row[other];
    uint32_t                 test = row->seeds[ADVISE_PROOF] ? ADVISE_PROOF : 0;
    struct race_gain       g = advise_gain(a, advised(a), row, 0);
    char                     name[80], gain[80];

    name_of(row, name);
    name[0] = (char)(name[0] == 't' ? 'T' : name[0] == 'p' ? 'P' : name[0]);
    gain_text(gain, g);
    if (g.high < 0 && !advise_keeps_yours(a))
        card_add(c, CARD_DETAIL, "%s is clearly worse: the advice scores %s against it.", name, gain);
    else if (add_harm(a, c, row, name))
        return;
    else if (advise_keeps_yours(a))
        card_add(c, CARD_DETAIL, "%s scores %s against yours%s.", name,
                 gain_text(gain, advise_gain(a, row, &a->row[0], test)),
                 test == ADVISE_PROOF ? ", when it was confirmed on new messages" : "");
    else if (g.low > 0)
        card_add(c, CARD_DETAIL,
                 "%s scores better here, but not at every load: the advice scores %s against it.",
                 name, gain);
    else if (row->changes)
        card_add(c, CARD_DETAIL, "%s is not clearly better: the advice scores %s against it.", name, gain);
    else
        card_add(c, CARD_DETAIL,
                 "%s changes %u knob%s and is not clearly better: the advice scores %s against it.", name,
                 advise_knobs(a, row), advise_knobs(a, row) == 1 ? "" : "s", gain);
}

/* The best preset, what the search found, and the best of the changes that were allowed. */
static void add_others(const struct advice *a, struct card *c)
{
    uint32_t searched = 0, change = 0;

    for (uint32_t i = 1; i < a->rows; i++) {
        if (!a->row[i].is_preset && !a->row[i].changes &&
            (!searched || advise_gain(a, &a->row[i], &a->row[searched], 0).mean < 0))
            searched = i;
        if (a->row[i].changes && (!change || advise_gain(a, &a->row[i], &a->row[change], 0).mean < 0))
            change = i;
    }
    if (a->best_preset && a->best_preset != a->choice)
        add_other(a, c, a->best_preset);
    if (searched && searched != a->choice)
        add_other(a, c, searched);
    if (change && change != a->choice)
        add_other(a, c, change);
    if (a->refused.text[CARD_DETAIL])
        card_add(c, CARD_DETAIL, "%s", card_text(&a->refused, CARD_DETAIL));
}

/* ---- costs ---- */

/* Parties that are slower than with yours, each with all tests in which it is. Returns how many. */
static uint32_t add_slower(const struct advice *a, struct card *c, bool is_clear)
{
    uint32_t named = 0;
    char     where[80], gain[80], words[100];

    for (uint32_t party = GOAL_MICE; party < GOAL_PARTIES; party++) {
        if (slower_at(a, party, is_clear) == ADVISE_TESTS)
            continue;
        card_add(c, CARD_COST, is_clear ? "Slower: %s," : "Not clear: %s,", party_text(a, party, words));
        for (uint32_t test = 0; test < ADVISE_TESTS; test++)
            if (is_slower(a, test, party, is_clear))
                card_add(c, CARD_COST, "%s%s,",
                         gain_text(gain, advise_party(advised(a), &a->row[0], test, party)),
                         where_text(a, test, where));
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
    for (uint32_t i = 0; i < advised(a)->changes; i++)
        card_add(c, CARD_COST, "%s needs %s.", advised(a)->change[i]->set, advised(a)->change[i]->needs);
    if (knobs && !advised(a)->control)
        card_add(c, CARD_COST, "%u knob%s change%s.", knobs, knobs == 1 ? "" : "s", knobs == 1 ? "s" : "");
    if (!add_slower(a, c, true))
        card_add(c, CARD_COST, "No %sclass of messages is clearly slower at any load tested.",
                 a->jobs ? "job and no " : "");
    add_slower(a, c, false);
}

/* ---- how sure ---- */

static void add_score(const struct advice *a, struct card *c, const struct advise_row *row, uint32_t test)
{
    struct race_gain g = advise_gain(a, row, &a->row[0], test);
    char               gain[80], where[80];

    card_add(c, CARD_SURE, "%s%s%s.", gain_text(gain, g), where_text(a, test, where),
             g.low <= 0 && g.high >= 0 ? ", not clear" : "");
}

static const char *bounded_text(const struct advice *a)
{
    return !a->loops ? "job" : !a->jobs ? "storage or rpc" : "job, storage or rpc";
}

static void add_bounds(const struct advice *a, struct card *c)
{
    card_add(c, CARD_SURE, "No class of messages is more than %.3g %% slower", 100 * a->goal.class_bound);
    if (a->jobs || a->loops)
        card_append(c, CARD_SURE, ", no %s more than %.3g %%", bounded_text(a), 100 * a->goal.job_bound);
    card_append(c, CARD_SURE, " (upper ends of 95 %% intervals).");
}

static void add_sure(const struct advice *a, struct card *c)
{
    const struct advise_row *row = advise_keeps_yours(a) ? &a->row[best_other(a)] : advised(a);
    uint32_t                 test = row->seeds[ADVISE_PROOF] ? ADVISE_PROOF : 0;
    char                     name[80];

    if (row != &a->row[0]) {
        card_add(c, CARD_SURE, "Score ('%s') of %s against yours:", a->goal.name, name_of(row, name));
        add_score(a, c, row, test);
        for (uint32_t load = 1; load < ADVISE_LOADS; load++)
            if (row->seeds[load])
                add_score(a, c, row, load);
    }
    if (!advise_keeps_yours(a) && test == ADVISE_PROOF)
        add_bounds(a, c);
    card_add(c, CARD_SURE, "Means of %u seeds that %s did not use. Simulation only.", row->seeds[test],
             test == ADVISE_PROOF ? "search and choice" : "the search");
    if (advise_repeats(&a->row[0], test) && advise_repeats(row, test))
        card_add(c, CARD_SURE, "All %u gave the same trials, and count as one.", row->seeds[test]);
    if (a->is_fast)
        card_add(c, CARD_SURE, "Trials skipped packets of flows that were alone (fidelity: fast); %s.",
                 test == ADVISE_PROOF ? "these seeds were run packet by packet"
                                      : "nothing was confirmed packet by packet");
    card_add(c, CARD_SURE, "%s", card_text(&a->about, CARD_SURE));
}

/* ---- for what, and what next ---- */

/* Presets are of DCQCN and ECN, the rows up to pmax. */
bool advise_has_default(const struct advice *a)
{
    bool is = !a->world.control;

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
    card_add(c, CARD_SETTING, "Goal: %s, no class of messages more than %.3g %% slower", a->goal.name,
             100 * a->goal.class_bound);
    if (a->goal.figure == GOAL_ITERATIONS || a->loops)
        card_append(c, CARD_SETTING, ", no %s more than %.3g %%", bounded_text(a), 100 * a->goal.job_bound);
    card_append(c, CARD_SETTING, ", at the expected load.");
}

static bool is_dear(const struct advice *a)
{
    for (uint32_t party = GOAL_MICE; party < GOAL_PARTIES; party++)
        if (slower_at(a, party, true) != ADVISE_TESTS)
            return true;
    return false;
}

static void add_next(const struct advice *a, struct card *c)
{
    static const char *const without[] = { "--format", "-f", "--as", "--report", "--out", "-o", "--budget",
                                           "--jobs", "-j", "--allow", NULL };
    unsigned budget = (unsigned)(a->request->budget / 1000000);
    bool     is_short = budget < LONG_BUDGET;
    bool     has_nics = setting_differs_in_mlx5(&a->row[0].knobs, &advised(a)->knobs);

    if (advise_keeps_yours(a) && (!is_short || has_no_effect(a) || is_one_run(a)))
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
    if (advised(a)->changes) {
        card_add(c, CARD_NEXT, "look for a better setting with this change");
        card_add_command(c, a->request->argc, a->request->argv, without);
        for (uint32_t i = 0; i < advised(a)->changes; i++)
            card_add(c, CARD_COMMAND, "--set %s", advised(a)->change[i]->set);
        return;
    }
    card_add(c, CARD_NEXT, has_nics ?
             "write a script that sets NICs, and try it on one rack (--as sonic for switches)" :
             "write a script that sets switches");
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
