#include "live/controller/trial.h"
#include "base/json.h"
#include "core/units.h"
#include "live/core/audit.h"
#include "live/core/keep.h"
#include "live/core/knobset.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

#define SAVED_TEXT_MAX 16384
/* mode direct decides often: its record for operators is saved once a minute */
#define LAZY_US        60000000u
#define TRIALS_AHEAD   1000      /* numbers of trials that mode direct reserves at a time */

static json_t *order_json(const struct order_text *o)
{
    json_t *object = json_object();

    json_put_text(object, "who", o->who);
    json_put_text(object, "why", o->why);
    return object;
}

static json_t *standing_json(const struct standing *s)
{
    json_t *o = json_object();

    json_object_set_new(o, "set", knobset_json(&s->set));
    json_put_count(o, "since_us", s->wall_us);
    json_put_count(o, "trial", s->trial);
    json_put_text(o, "by", s->by);
    json_put_text(o, "why", s->why);
    return o;
}

static json_t *drill_json(const struct drill_result *d)
{
    json_t *o = json_object();

    json_put_count(o, "wall_us", d->wall_us);
    json_put_count(o, "took_us", d->took_us);
    json_put_count(o, "passed_us", d->passed_us);
    json_object_set_new(o, "is_passed", json_boolean(d->is_passed));
    json_put_text(o, "device", d->device);
    json_put_text(o, "why", d->why);
    return o;
}

static void take_drill(struct drill_result *d, const json_t *o)
{
    d->wall_us = (uint64_t)json_integer_value(json_object_get(o, "wall_us"));
    d->took_us = (uint64_t)json_integer_value(json_object_get(o, "took_us"));
    d->passed_us = (uint64_t)json_integer_value(json_object_get(o, "passed_us"));
    d->is_passed = json_is_true(json_object_get(o, "is_passed"));
    snprintf(d->device, sizeof d->device, "%s", json_get_text(o, "device"));
    snprintf(d->why, sizeof d->why, "%s", json_get_text(o, "why"));
}

int memory_save(struct controller *c, uint64_t now_us)
{
    json_t *o = json_object();
    char    text[SAVED_TEXT_MAX];
    size_t  length;

    json_put_count(o, "version", 1);
    json_put_count(o, "counter", c->counter);
    json_put_count(o, "trials", c->trials_saved);
    json_put_text(o, "frozen", c->frozen);
    json_object_set_new(o, "rolled_back", order_json(&c->rolled_back));
    json_object_set_new(o, "caution", caution_json(&c->caution, now_us));
    json_object_set_new(o, "standing", standing_json(&c->standing));
    json_object_set_new(o, "drill", drill_json(&c->drill));
    length = json_dumpb(o, text, sizeof text - KEEP_SEAL_SIZE,
                        JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS));
    json_decref(o);
    assert(length <= sizeof text - KEEP_SEAL_SIZE);
    c->is_dirty = keep_write(&c->io.disk, CONTROLLER_SAVED_NAME, text, length, &c->saves) != 0;
    c->save_us = NEVER;
    return c->is_dirty ? -EIO : 0;
}

static void take_order(struct order_text *to, const json_t *o)
{
    snprintf(to->who, sizeof to->who, "%s", json_get_text(o, "who"));
    snprintf(to->why, sizeof to->why, "%s", json_get_text(o, "why"));
}

/* Is for people alone: what cannot be understood is left out. */
static void take_standing(struct standing *s, const json_t *o)
{
    const json_t *set = json_object_get(o, "set");

    if (!set || knobset_from_json(&s->set, set))
        return;
    s->wall_us = (uint64_t)json_integer_value(json_object_get(o, "since_us"));
    s->trial = (uint64_t)json_integer_value(json_object_get(o, "trial"));
    snprintf(s->by, sizeof s->by, "%s", json_get_text(o, "by"));
    snprintf(s->why, sizeof s->why, "%s", json_get_text(o, "why"));
}

static bool take_saved(struct controller *c, const json_t *o, uint64_t now_us)
{
    const json_t *counter = json_object_get(o, "counter"), *trials = json_object_get(o, "trials");
    const char   *frozen = json_string_value(json_object_get(o, "frozen"));

    if (json_integer_value(json_object_get(o, "version")) != 1 || !json_is_integer(counter) ||
        json_integer_value(counter) < 0 || (uint64_t)json_integer_value(counter) > MSG_TERM_COUNTER_MAX ||
        json_integer_value(trials) < 0 || !frozen ||
        !caution_take(&c->caution, json_object_get(o, "caution"), now_us))
        return false;
    c->counter = (uint64_t)json_integer_value(counter);
    c->trials = c->trials_saved = (uint64_t)json_integer_value(trials);
    snprintf(c->frozen, sizeof c->frozen, "%s", frozen);
    take_order(&c->rolled_back, json_object_get(o, "rolled_back"));
    if (json_is_true(json_object_get(o, "queues_stopped")))      /* of an earlier version */
        snprintf(c->rolled_back.who, sizeof c->rolled_back.who, "a person");
    take_standing(&c->standing, json_object_get(o, "standing"));
    take_drill(&c->drill, json_object_get(o, "drill"));
    return true;
}

static int take_text(void *arg, const char *text, size_t length)
{
    struct controller *c = arg;
    json_t            *o = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    bool               is_good = o && take_saved(c, o, c->started_us);

    json_decref(o);
    return is_good ? 0 : -EBADMSG;
}

int memory_load(struct controller *c)
{
    return keep_read(&c->io.disk, CONTROLLER_SAVED_NAME, SAVED_TEXT_MAX, &c->saves, take_text,
                     c) == KEEP_DAMAGED ? -EBADMSG : 0;
}

bool memory_number(struct controller *c, uint64_t now_us)
{
    uint64_t before = c->trials_saved;

    if (c->trials < c->trials_saved) {
        c->trials++;
        return true;
    }
    c->trials_saved = c->trials + (c->cfg->mode == MODE_DIRECT ? TRIALS_AHEAD : 1);
    if (memory_save(c, now_us)) {
        c->trials_saved = before;
        return false;
    }
    c->trials++;
    return true;
}

void memory_save_soon(struct controller *c, uint64_t now_us)
{
    uint64_t at_us = c->cfg->mode == MODE_DIRECT ? now_us + LAZY_US : now_us;

    if (at_us < c->save_us)
        c->save_us = at_us;
}

void memory_count_harm(struct controller *c, uint64_t now_us)
{
    if (caution_harm(&c->caution, c->cfg->window_us, now_us) >= c->cfg->reverts_max) {
        c->caution.paused_until_us = now_us + c->cfg->pause_us;
        audit_write(&c->audit, &c->io.disk, &(struct audit_record){ .who = c->cfg->name, .what = "pause",
                    .why = "too many trials did harm", .term = c->term, .now_us = now_us });
    }
    memory_save(c, now_us);             /* at once: a crash must not forget it */
}
