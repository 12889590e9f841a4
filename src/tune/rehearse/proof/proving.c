#include "tune/rehearse/proof/proving.h"
#include "core/units.h"

#include <math.h>

#define MORE_LOAD     1.15       /* times the load before: slower messages are then not due to the setting */
#define MORE_RECENT   1.5        /* the same in a few intervals */
#define CAME_SHARE    0.33       /* fraction of the predicted gain that confirms it */
#define PROOFS_MAX    3          /* windows in which the load may be another before one is taken as it is */
#define REGRETS       2          /* windows in a row after which it is taken to be worse after all */

static void keep(struct rehearser *t, double gain, const char *how, struct tuner_note *note)
{
    memory_add(&t->memories, &t->chosen, &t->candidate, false);
    t->phase = PHASE_HOLD;
    t->is_kept = true;
    regret_keep(&t->regret);
    rehearser_say(note, TUNER_CONFIRM,
                  "%s: %.0f %% %s than before, %.0f %% were predicted; the setting stays", how,
                  fabs(rehearser_percent(gain)), gain < 0 ? "faster" : "slower",
                  -rehearser_percent(t->proof.expected));
}

void proving_go_back(struct rehearser *t, double gain, const char *how, struct knobs *knobs,
                     struct tuner_note *note)
{
    memory_add(&t->memories, &t->chosen, &t->was, true);
    rehearser_refute(t, &t->candidate);
    t->phase = PHASE_HOLD;
    t->is_kept = false;
    regret_end(&t->regret);
    *knobs = t->was;
    rehearser_say(note, TUNER_CONFIRM,
                  "%s: %.0f %% %s than before, %.0f %% faster was predicted; the setting from before comes "
                  "back", how,
        fabs(rehearser_percent(gain)), gain < 0 ? "faster" : "slower", -rehearser_percent(t->proof.expected));
}

/* The traffic has not changed. In closed loops, part of the predicted gain must be measured. */
static void judge(struct rehearser *t, const struct traffic_model *now, struct knobs *knobs,
                  struct tuner_note *note)
{
    double gain = proof_gain(&t->proof, &t->goal);
    bool   is_more = model_bps(now) > MORE_LOAD * t->before_bps,
           has_come = gain <= CAME_SHARE * t->proof.expected;
    bool   is_worse = proof_is_worse(&t->proof, &t->goal);

    if (!has_come && (rehearser_is_endogenous(now) || (is_worse && !is_more)))
        proving_go_back(t, gain, "messages in a window", knobs, note);
    else
        keep(t, gain, "messages in a window", note);
}

void proving_window(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    struct traffic_model now;
    bool                 is_known = model_make(&now, &t->window, t->seconds, t->hosts);
    bool                 is_alike = is_known && model_distance(&now, &t->chosen) < 1;

    t->last = now;
    t->has_last = is_known;
    if (is_alike) {
        proof_add(&t->proof, &t->window);
        judge(t, &now, knobs, note);
    } else if (++t->proofs < PROOFS_MAX)
        rehearser_say(note, TUNER_CONFIRM,
                      "the traffic is another than before: nothing can be said of the new setting yet");
    else
        proving_go_back(t, proof_gain(&t->proof, &t->goal), "with other traffic", knobs, note);
}

bool proving_is_regretted(struct rehearser *t, const struct traffic_model *now, double *gain)
{
    if (!t->is_kept || model_distance(now, &t->chosen) >= 1)
        return false;
    if (model_bps(now) > MORE_LOAD * t->before_bps && !rehearser_is_endogenous(now))
        return false;
    proof_add(&t->proof, &t->window);
    *gain = proof_gain(&t->proof, &t->goal);
    t->regrets = proof_is_worse(&t->proof, &t->goal) ? t->regrets + 1 : 0;
    return t->regrets >= REGRETS;
}

/* A setting that a controller proves is not logged before its verdict. */
static bool is_watched(const struct rehearser *t)
{
    return (t->phase == PHASE_HOLD && t->is_kept) || (t->phase == PHASE_PROVING && !t->world.is_in_use);
}

bool proving_interval(struct rehearser *t, const struct report *r, struct knobs *knobs,
                      struct tuner_note *note)
{
    double      seconds = (double)(r->end_ps - r->start_ps) / (double)PS_PER_S;
    bool        is_bad = regret_add(&t->regret, &t->goal, r);
    struct seen after = t->proof.after;
    bool        is_more;

    if (!is_bad || !is_watched(t))
        return false;
    regret_recent(&t->regret, &t->proof.after);
    is_more = (double)t->proof.after.posted_bytes * 8 / (REGRET_RECENT * seconds * t->hosts) > MORE_RECENT *
              t->before_bps;
    if (rehearser_is_endogenous(&t->chosen) || !is_more) {
        proving_go_back(t, proof_gain(&t->proof, &t->goal), "messages in the last intervals", knobs, note);
        return true;
    }
    t->proof.after = after;
    regret_keep(&t->regret);
    return false;
}

/* ---- a duel of formulas ---- */

#define HARM_MAX 0.25            /* log slowdowns, or lost shares of progress, that a duel may cost */
#define JOB_SHARE 0.01           /* of the time so far that jobs may lose: half of the default of goals */
#define JOB_FEARED 0.25          /* assumed loss of progress with a formula (workload 9104, repro/rehearse) */

/* A job can afford the first block with the formula. */
static bool is_affordable(const struct contest *c)
{
    return !contest_has_jobs(c) || c->rule.job_cost_max >= JOB_FEARED * c->pairing.length;
}

static void remember(struct rehearser *t)
{
    t->duelled = t->last;
    t->has_duelled = true;
}

void duel_begin(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    struct contest_rule rule = { .pairs = (uint32_t)t->option[OPT_PAIRS], .harm_max = HARM_MAX,
                                 .job_cost_max = JOB_SHARE * t->age };

    if (rule.pairs < 1 || (t->has_duelled && model_distance(&t->last, &t->duelled) < 1))
        return;
    if (!contest_begin(&t->contest, &rule, &t->goal, &t->window, t->intervals,
                       t->world.seed + t->decisions + 1)) {
        remember(t);
        tuner_say(note, "messages take too long to compare formulas in blocks");
        return;
    }
    if (!is_affordable(&t->contest)) {
        tuner_say(note,
                  "formulas are not compared yet, because a job might lose more than %.0f %% of the time so "
                  "far",
                  100 * JOB_SHARE);
        return;
    }
    remember(t);
    t->decisions++;
    t->phase = PHASE_DUEL;
    *knobs = contest_is_b(&t->contest) ? t->floor.other : t->floor.knobs;
    tuner_say(note,
              "the setting in force and the other formula take turns, in blocks of %u intervals, to find out "
              "which is better",
              t->contest.pairing.length);
}

static void end(struct rehearser *t, bool is_other, struct knobs *knobs, struct tuner_note *note)
{
    double cost = contest_job_cost(&t->contest);
    char   text[CONTEST_TEXT];

    if (cost > t->contest.rule.job_cost_max)
        rehearser_say(note, TUNER_CONFIRM,
                      "a job has lost %.1f intervals of its progress with the other formula; %s "
                      "comes back",
                      cost, rehearser_floor_name(t));
    else
        rehearser_say(note, TUNER_CONFIRM, "%s with the other formula than with %s; %s",
                      contest_text(&t->contest, text), rehearser_floor_name(t), is_other ? "it is set" :
                      evalue_gain(&t->contest.evalue) > 0 ? "that may be chance, and nothing is changed" :
                      "nothing is changed");
    if (is_other)
        floor_swap(&t->floor);
    *knobs = t->floor.knobs;
    t->phase = PHASE_WATCH;
    rehearser_begin_window(t);
}

void duel_step(struct rehearser *t, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    enum contest_verdict verdict = contest_add(&t->contest, &r->seen, (double)r->payload_bytes);

    note->phase = TUNER_CONFIRM;
    *knobs = contest_is_b(&t->contest) ? t->floor.other : t->floor.knobs;
    if (verdict != CONTEST_ON)
        end(t, verdict == CONTEST_B, knobs, note);
}
