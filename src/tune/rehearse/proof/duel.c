/* src/tune/rehearse/proof/duel.c - see duel.h. */
#include "tune/rehearse/proof/duel.h"
#include "tune/rehearse/traffic/traffic_model.h"

/* Sum of logarithms of slowdowns, or of lost shares of progress, that a duel may cost. */
#define HARM_MAX 0.25

void duel_begin(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    struct contest_rule rule = { .pairs = (uint32_t)t->option[OPT_PAIRS], .harm_max = HARM_MAX };

    if (rule.pairs < 1 || (t->has_duelled && model_distance(&t->last, &t->duelled) < 1))
        return;
    t->duelled = t->last;
    t->has_duelled = true;
    if (!contest_begin(&t->contest, &rule, &t->goal, &t->window, t->intervals,
                       t->world.seed + t->decisions + 1)) {
        tuner_say(note, "messages take too long to compare formulas in blocks");
        return;
    }
    t->decisions++;
    t->phase = PHASE_DUEL;
    *knobs = contest_is_b(&t->contest) ? t->floor.other : t->floor.knobs;
    tuner_say(note, "the setting in force and the other formula take turns, in blocks of %u intervals, to find out "
              "which is better",
              contest_block(&t->contest));
}

static void end(struct rehearser *t, bool is_other, struct knobs *knobs, struct tuner_note *note)
{
    char text[CONTEST_TEXT];

    rehearser_say(note, "confirm", "%s with the other formula than with %s; %s", contest_text(&t->contest, text),
                  rehearser_floor_name(t), is_other ? "it is set" :
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
