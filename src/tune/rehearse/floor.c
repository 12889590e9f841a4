/* src/tune/rehearse/floor.c - see floor.h. */
#include "tune/rehearse/floor.h"
#include "tune/setting.h"

const char *const floor_names[] = { "none", "bdp", "gentle", NULL };
const char *const floor_abouts[] = { "", "bdp", "a setting that marks early and cuts by little", NULL };

/* Returns whether the network starts with the default setting of NICs and switches. */
static bool is_unchosen(const struct world *w)
{
    for (int i = 0; i <= KNOB_pmax; i++)
        if (w->start.value[i] != knob_info[i].initial)
            return false;
    return true;
}

void floor_make(struct floor *f, enum floor_formula formula, const struct world *w)
{
    enum floor_formula other = formula == FLOOR_BDP ? FLOOR_GENTLE : FLOOR_BDP;

    *f = (struct floor){ .knobs = w->start, .other = w->start };
    if (formula == FLOOR_NONE || w->is_in_use || w->knobs || !is_unchosen(w))
        return;
    f->has_formula = true;
    setting_find(floor_names[formula])->make(&f->knobs, w);
    setting_find(floor_names[other])->make(&f->other, w);
}

bool floor_is(const struct floor *f, const struct knobs *k)
{
    return f->has_formula && knobs_equal(&f->knobs, k);
}

void floor_swap(struct floor *f)
{
    struct knobs was = f->knobs;

    f->knobs = f->other;
    f->other = was;
}

bool floor_withdraw(struct floor *f, const struct knobs *initial)
{
    if (f->is_withdrawn || !f->has_formula)
        return false;
    f->is_withdrawn = true;
    f->other = f->knobs;
    f->knobs = *initial;
    return true;
}
