/* src/study/twin/advise_answer.c - the answer card of an advice, computed from the rows of the evidence. */
#include "base/text.h"
#include "core/knob_text.h"
#include "study/report/setting_print.h"
#include "study/twin/advise.h"

#include <math.h>
#include <string.h>

#define SLOWER_MEAN   0.01       /* a class that is less slower is only named if its interval excludes 0 */
#define LONG_BUDGET   600        /* million packet-hops: what a longer search is suggested to take */
#define MISSED_MOST   0.05       /* what "keep yours" may miss; if it may be more: "cannot tell" */

/* What a smaller figure is called, and a larger one. */
struct way { const char *less, *more; };

static const struct way score_way = { "better", "worse" }, time_way = { "faster", "slower" };

const char *advise_party_text(const struct advice *a, uint32_t party, char buf[100])
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

/* In percent, with three digits. */
static double rounded(double log_ratio)
{
    double percent = round(10 * advise_percent(log_ratio)) / 10;

    return fabs(percent) < 999.5 ? percent : round(percent);
}

/* "19 % better" */
static const char *percent_text(char buf[40], double log_ratio, const struct way *way)
{
    double percent = rounded(log_ratio);

    snprintf(buf, 40, "%.10g %% %s", fabs(percent), percent <= 0 ? way->less : way->more);
    return buf;
}

/* "19 % better (95 % interval 16 to 21 %)", "3 % better (95 % interval: 8 % better to 2 % worse)", without an
 * interval "19 % better" */
static const char *gain_text(char buf[120], struct race_gain g, const struct way *way)
{
    double ends[] = { fabs(rounded(g.low)), fabs(rounded(g.high)) };
    char   mean[40], low[40], high[40];

    percent_text(mean, g.mean, way);
    if (isnan(g.low))
        snprintf(buf, 120, "%s", mean);
    else if (rounded(g.low) * rounded(g.high) > 0)
        snprintf(buf, 120, "%s (95 %% interval %.10g to %.10g %%)", mean, fmin(ends[0], ends[1]),
                 fmax(ends[0], ends[1]));
    else
        snprintf(buf, 120, "%s (95 %% interval: %s to %s)", mean, percent_text(low, g.low, way),
                 percent_text(high, g.high, way));
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

/* Its confirmation, if there was one. */
static uint32_t last_test(const struct advise_row *row)
{
    return row->seeds[ADVISE_PROOF] ? ADVISE_PROOF : 0;
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
        card_append(c, CARD_FINDING, "%s %s take %.2g %% longer%s", before,
                    advise_party_text(a, party, words),
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
        card_append(c, CARD_FINDING, "%s of %s takes %s instead of %s", i ? ", one" : ": an iteration",
                    a->job_name[i], is, was);
    }
}

/* Nothing was tried, because the budget is too small. */
static void add_too_few(const struct advice *a, struct card *c)
{
    char knob[KNOB_TEXT_MAX], trial[32];

    text_figure(trial, sizeof(trial), "us", (double)a->twin.input.until_ps / PS_PER_US);
    card_add(c, CARD_FINDING, "Cannot tell: the budget of the search is worth fewer than %d trials of %s, so "
             "nothing was tried.", ADVISE_TRIALS_FEW, trial);
    if (a->slowest != KNOB_COUNT)
        card_add(c, CARD_DETAIL, "Shorter ones would not show what %s does, which acts every %s.",
                 knob_info[a->slowest].name, knob_text(knob, a->slowest, a->world.start.value[a->slowest]));
}

/* Of those that may be much better than yours, the one that may be best; 0: none. */
static uint32_t find_missed(const struct advice *a)
{
    uint32_t best = 0;
    double   most = log1p(-MISSED_MOST);

    for (uint32_t i = 1; i < a->rows; i++) {
        const struct advise_row *row = &a->row[i];
        double                   low = advise_gain(a, row, &a->row[0], last_test(row)).low;

        if (low < most && !advise_is_stuck(row) && advise_harmed(a, row, NULL) == GOAL_PARTIES) {
            most = low;
            best = i;
        }
    }
    return best;
}

enum advise_verdict advise_verdict(const struct advice *a)
{
    if (!advise_keeps_yours(a))
        return ADVISE_USE;
    if (a->is_short)
        return ADVISE_OPEN;
    return has_no_effect(a) || is_one_run(a) || !find_missed(a) ? ADVISE_KEEP : ADVISE_OPEN;
}

static void add_kept(const struct advice *a, struct card *c)
{
    if (has_no_effect(a)) {
        card_add(c, CARD_FINDING, "Keep your setting: all %u others give the same results.", a->rows - 1);
        card_add(c, CARD_DETAIL, "This traffic causes no congestion that settings act on.");
    } else if (is_one_run(a))
        card_add(c, CARD_FINDING,
                 "Keep your setting: all %u seeds gave the same trials, because nothing in them is random. "
                 "The differences between settings are exact for this traffic, and no evidence for other "
                 "traffic.",
                 a->row[0].seeds[0]);
    else
        card_add(c, CARD_FINDING,
                 "Keep your setting: of %u others none is clearly better by the goal '%s' and within its "
                 "bounds.", a->rows - 1, a->goal.name);
}

static void add_open(const struct advice *a, struct card *c)
{
    const struct advise_row *row = &a->row[find_missed(a)];
    char                     name[80], percent[40];

    card_add(c, CARD_FINDING, "Cannot tell: of %u others none is clearly better than yours by the goal '%s' "
             "and within its bounds, but %s may be up to %s.", a->rows - 1, a->goal.name, name_of(row, name),
             percent_text(percent, advise_gain(a, row, &a->row[0], last_test(row)).low, &score_way));
}

static void add_finding(const struct advice *a, struct card *c)
{
    uint32_t            test = advise_test(a);
    enum advise_verdict verdict = advise_verdict(a);
    char                name[80], gain[120];

    if (a->is_short)
        add_too_few(a, c);
    else if (verdict == ADVISE_OPEN)
        add_open(a, c);
    else if (verdict == ADVISE_KEEP)
        add_kept(a, c);
    if (verdict != ADVISE_USE)
        return;
    gain_text(gain, advise_gain(a, advised(a), &a->row[0], test), &score_way);
    card_add(c, CARD_FINDING, "Use %s: %s than yours by the goal '%s'", name_of(advised(a), name), gain,
             a->goal.name);
    if (a->goal.figure == GOAL_ITERATIONS)
        add_iterations(a, c, test);
    add_price(a, c);
}

/* ---- against the others ---- */

/* Why a setting is not advised though it may score better: it harms a class or job beyond the bound, or
 * that it does not is uncertain. False: neither. */
static bool add_harm(const struct advice *a, struct card *c, const struct advise_row *row, const char *name)
{
    uint32_t test, party = advise_harmed(a, row, &test);
    char     words[100], gain[120], where[80];

    if (party != GOAL_PARTIES) {
        card_add(c, CARD_DETAIL, "%s slows %s by more than %.3g %%: %s%s than with yours.", name,
                 advise_party_text(a, party, words), advise_percent(advise_bound(a, party)),
                 gain_text(gain, advise_party(row, &a->row[0], test, party), &time_way),
                 where_text(a, test, where));
        return true;
    }
    for (party = GOAL_MICE; party < GOAL_PARTIES && row->seeds[ADVISE_PROOF]; party++) {
        struct race_gain g = advise_party(row, &a->row[0], ADVISE_PROOF, party);

        if (!(g.high > advise_bound(a, party)))
            continue;            /* or not known: too few of its messages */
        card_add(c, CARD_DETAIL, "%s may slow %s by more than %.3g %%: %s than with yours.", name,
                 advise_party_text(a, party, words), advise_percent(advise_bound(a, party)),
                 gain_text(gain, g, &time_way));
        return true;
    }
    return false;
}

/* How the advice compares with one of the others, and why that one is not advised. */
static void add_other(const struct advice *a, struct card *c, uint32_t other)
{
    const struct advise_row *row = &a->row[other];
    uint32_t                 test = last_test(row);
    struct race_gain       g = advise_gain(a, advised(a), row, 0);
    char                     name[80], gain[120];

    name_of(row, name);
    name[0] = (char)(name[0] == 't' ? 'T' : name[0] == 'p' ? 'P' : name[0]);
    gain_text(gain, g, &score_way);
    if (g.high < 0 && !advise_keeps_yours(a))
        card_add(c, CARD_DETAIL, "%s is clearly worse: the advice scores %s than it.", name, gain);
    else if (add_harm(a, c, row, name))
        return;
    else if (advise_keeps_yours(a))
        card_add(c, CARD_DETAIL, "%s scores %s than yours%s.", name,
                 gain_text(gain, advise_gain(a, row, &a->row[0], test), &score_way),
                 test == ADVISE_PROOF ? ", when it was confirmed on new messages" : "");
    else if (g.low > 0)
        card_add(c, CARD_DETAIL,
                 "%s is better here, but not at every load: the advice scores %s than it.",
                 name, gain);
    else if (row->changes)
        card_add(c, CARD_DETAIL, "%s is not clearly better: the advice scores %s than it.", name, gain);
    else
        card_add(c, CARD_DETAIL,
                 "%s changes %u knob%s and is not clearly better: the advice scores %s than it.", name,
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
    char     where[80], gain[120], words[100];

    for (uint32_t party = GOAL_MICE; party < GOAL_PARTIES; party++) {
        if (slower_at(a, party, is_clear) == ADVISE_TESTS)
            continue;
        card_add(c, CARD_COST, is_clear ? "Slower: %s," : "Not clear: %s,",
                 advise_party_text(a, party, words));
        for (uint32_t test = 0; test < ADVISE_TESTS; test++)
            if (is_slower(a, test, party, is_clear))
                card_add(c, CARD_COST, "%s%s,",
                         gain_text(gain, advise_party(advised(a), &a->row[0], test, party), &time_way),
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
    char             gain[120], where[80];

    card_add(c, CARD_SURE, "%s%s%s.", gain_text(gain, g, &score_way), where_text(a, test, where),
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
    uint32_t                 test = last_test(row);
    char                     name[80];

    if (a->is_short) {
        card_add(c, CARD_SURE, "%s", card_text(&a->about, CARD_SURE));
        return;
    }
    if (row != &a->row[0]) {
        if (advise_keeps_yours(a)) {
            card_add(c, CARD_SURE, "The best of the others, %s, by the goal '%s':", name_of(row, name),
                     a->goal.name);
            add_score(a, c, row, test);
        }
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
    bool     can_grow = budget < LONG_BUDGET;
    bool     has_nics = setting_differs_in_mlx5(&a->row[0].knobs, &advised(a)->knobs);

    if (advise_keeps_yours(a) && (!can_grow || has_no_effect(a) || is_one_run(a)))
        return;
    if (a->request->argc == 0)
        return;
    if (a->is_short) {
        card_add(c, CARD_NEXT, "search with a budget of %d trials", ADVISE_TRIALS_FEW);
        card_add_command(c, a->request->argc, a->request->argv, without);
        card_add(c, CARD_COMMAND, "--budget %.0f", ceil(ADVISE_TRIALS_FEW * a->trial_cost / 1e6 + 1e-3));
        return;
    }
    if (can_grow && (advise_keeps_yours(a) || is_dear(a))) {
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
