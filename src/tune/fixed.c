/* src/tune/fixed.c - a setting that stays: what tuners are compared with. */
#include "tune/setting.h"
#include "tune/tuner.h"

#include <stdlib.h>
#include <string.h>

enum { SETTING };

struct fixed {
    struct knob_set set;
    char           *name;
    struct ecn     *ecn;         /* of each queue; NULL: the knobs hold for all */
    uint32_t        queues;
    bool            has_stepped;
};

/* Thresholds that go with the speed of each port. */
static void make_queues(struct fixed *f, const struct world *world)
{
    const struct setting *s = setting_find(f->name);

    if (!s || !s->is_by_speed)
        return;
    f->queues = world->queues;
    f->ecn = xcalloc(f->queues + 1ul, sizeof *f->ecn);
    for (uint32_t i = 0; i < f->queues; i++)
        setting_ecn(s, &f->set.knobs, world, &world->queue[i], &f->ecn[i]);
}

static int create(void **state, const struct world *world, const struct option_values *v, struct err *err)
{
    struct knob_set set;
    struct fixed *f;
    int rc = setting_read_named(v->text[SETTING], world, &set, err);

    if (rc)
        return rc;
    f = xcalloc(1, sizeof *f);
    f->set = set;
    f->name = xstrdup(v->text[SETTING]);
    make_queues(f, world);
    *state = f;
    return 0;
}

static void destroy(void *state)
{
    struct fixed *f = state;

    free(f->name);
    free(f->ecn);
    free(f);
}

static bool queues(const void *state, struct ecn *ecn)
{
    const struct fixed *f = state;

    for (uint32_t i = 0; i < f->queues; i++)
        ecn[i] = f->ecn[i];
    return f->ecn != NULL;
}

static void step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct fixed *f = state;
    const char   *what = knobs_equal(knobs, &f->set.knobs) ? "stays"
                         : f->has_stepped              ? "stays, but for knobs that others have turned"
                                                       : "is set";

    (void)r;
    note->phase = TUNER_HOLD;
    tuner_say(note, "the setting '%.120s' %s", f->name, what);
    *knobs = f->set.knobs;
    f->has_stepped = true;
}

static void best(const void *state, struct knobs *knobs)
{
    *knobs = ((const struct fixed *)state)->set.knobs;
}

static const bool *names(const void *state)
{
    return ((const struct fixed *)state)->set.is_named;
}

static const struct key_row options[] = {
    [SETTING] = { "setting", KEY_FILE, "default",
                  "default, default_artifact, expert, hpcc, bdp, gentle, secn0, secn1, secn2, vendor, or a "
                  "file of knobs", .choices = setting_names },
    { 0 },
};

const struct tuner_algo tuner_fixed = {
    .create = create, .destroy = destroy, .first = best, .step = step, .queues = queues, .best = best,
    .names = names,
    .name = "fixed", .about = "a constant setting: a preset or a file of knobs",
    .option = options,
};
