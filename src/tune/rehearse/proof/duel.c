/* src/tune/rehearse/proof/duel.c - see duel.h. */
#include "tune/rehearse/proof/duel.h"
#include "tune/rehearse/traffic/traffic_model.h"

/* Sum of logarithms of slowdowns, or of lost shares of progress, that a duel may cost. */
#define HARM_MAX 0.25
/* Share of the time so far that jobs may lose: half of what goals allow by default. */
#define JOB_SHARE 0.01
/* Share of its progress that a job is assumed to lose with a formula, before that is measured: as on workload
 * 9104 of repro/rehearse. */
#define JOB_FEARED 0.25

/* A job can afford the first block with the formula. */
static bool is_affordable(const struct contest *c)
{
    return !contest_has_jobs(c) || c->rule.job_cost_max >= JOB_FEARED * contest_block(c);
}

/* This traffic has had its comparison. */
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
              contest_block(&t->contest));
}

static void end(struct rehearser *t, bool is_other, struct knobs *knobs, struct tuner_note *note)
{
    double cost = contest_job_cost(&t->contest);
    char   text[CONTEST_TEXT];

    if (cost > t->contest.rule.job_cost_max)
        rehearser_say(note, "confirm",
                      "a job has lost %.1f intervals of its progress with the other formula; %s "
                      "comes back",
                      cost, rehearser_floor_name(t));
    else
        rehearser_say(note, "confirm", "%s with the other formula than with %s; %s",
                      contest_text(&t->contest, text), rehearser_floor_name(t), is_other ? "it is set" :
                      contest_gain(&t->contest) > 0 ? "that may be chance, and nothing is changed" :
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

    note->phase = "confirm";
    *knobs = contest_is_b(&t->contest) ? t->floor.other : t->floor.knobs;
    if (verdict != CONTEST_ON)
        end(t, verdict == CONTEST_B, knobs, note);
}
