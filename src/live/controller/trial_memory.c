#include "live/controller/trial.h"
#include "base/json.h"
#include "base/minmax.h"
#include "core/units.h"
#include "live/core/audit.h"
#include "live/core/knobset.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAUTION_US     60000000u /* while settings are held off or tuning pauses it is saved so often */
#define DAY_US         86400000000u
#define SAVED_TEXT_MAX 16384
/* mode direct decides often: its record for operators is saved once a minute */
#define LAZY_US        60000000u
#define TRIALS_AHEAD   1000      /* numbers of trials that mode direct reserves at a time */

/* ---- trials that went badly ---- */

void caution_code(char code[CAUTION_CODE_SIZE], uint64_t term, uint64_t number, const struct knob_set *set)
{
    json_t *o = knobset_json(set);
    char    hash[AUDIT_HASH_SIZE];

    JSON_PUT(o, { "term", json_of_count(term) }, { "number", json_of_count(number) });   /* no knobs */
    char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(o);
    snprintf(code, CAUTION_CODE_SIZE, "%.*s", CAUTION_CODE_SIZE - 1, audit_hash(hash, text, strlen(text)));
    free(text);
}

static uint64_t left(uint64_t until_us, uint64_t now_us)
{
    return until_us > now_us ? until_us - now_us : 0;
}

static uint32_t harms(const struct caution *c, uint64_t now_us)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < CAUTION_HARMS; i++)
        count += c->harm_until_us[i] > now_us;
    return count;
}

/* The entry of a setting or, if it has none, the one that ends first. */
static uint32_t entry_of(const struct caution *c, const char *code)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < CAUTION_SETTINGS; i++) {
        if (strcmp(c->setting[i].code, code) == 0)
            return i;
        first = c->setting[i].until_us < c->setting[first].until_us ? i : first;
    }
    return first;
}

void caution_drop(struct caution *c, const struct knob_set *set, uint64_t until_us)
{
    struct caution_setting s = { .until_us = until_us };

    caution_code(s.code, 0, 0, set);
    c->setting[entry_of(c, s.code)] = s;
}

uint64_t caution_wait_us(const struct caution *c, const struct knob_set *set, uint64_t now_us)
{
    char code[CAUTION_CODE_SIZE];

    caution_code(code, 0, 0, set);
    const struct caution_setting *s = &c->setting[entry_of(c, code)];
    return strcmp(s->code, code) == 0 ? left(s->until_us, now_us) : 0;
}

bool caution_is_due(const struct caution *c, uint64_t now_us)
{
    bool is_any = c->paused_until_us > now_us || harms(c, now_us);

    for (uint32_t i = 0; i < CAUTION_SETTINGS; i++)
        is_any |= c->setting[i].until_us > now_us;
    return is_any && now_us >= c->saved_us + CAUTION_US;
}

static json_t *caution_json(struct caution *c, uint64_t now_us)
{
    json_t *harms = json_array(), *settings = json_object();

    for (uint32_t i = 0; i < CAUTION_HARMS; i++)
        if (c->harm_until_us[i] > now_us)
            json_array_append_new(harms, json_of_count(left(c->harm_until_us[i], now_us)));
    for (uint32_t i = 0; i < CAUTION_SETTINGS; i++)
        if (c->setting[i].until_us > now_us)
            json_put_count(settings, c->setting[i].code, left(c->setting[i].until_us, now_us));
    c->saved_us = now_us;
    return JSON_OF({ "pause_left_us", json_of_count(left(c->paused_until_us, now_us)) },
                   { "harms_left_us", harms }, { "dropped_left_us", settings });
}

/* When a saved pause ends. An impossible number counts as the longest possible pause. */
static uint64_t until(const json_t *value, uint64_t now_us)
{
    json_int_t us = json_integer_value(value);

    return now_us + (us < 0 || us > (json_int_t)DAY_US ? DAY_US : (uint64_t)us);
}

static bool caution_take(struct caution *c, const json_t *o, uint64_t now_us)
{
    json_t *harms = json_object_get(o, "harms_left_us"), *settings = json_object_get(o, "dropped_left_us"),
           *value;
    const char *code;
    uint32_t    count = 0;

    *c = (struct caution){ .saved_us = now_us };
    if (!o)
        return true;             /* of an earlier version */
    if (!json_is_integer(json_object_get(o, "pause_left_us")) || !json_is_array(harms) ||
        !json_is_object(settings))
        return false;
    c->paused_until_us = until(json_object_get(o, "pause_left_us"), now_us);
    for (size_t i = 0; i < json_array_size(harms) && i < CAUTION_HARMS; i++)
        c->harm_until_us[i] = until(json_array_get(harms, i), now_us);
    json_object_foreach(settings, code, value)
        if (count < CAUTION_SETTINGS && strlen(code) == CAUTION_CODE_SIZE - 1) {
            memcpy(c->setting[count].code, code, CAUTION_CODE_SIZE);
            c->setting[count++].until_us = until(value, now_us);
        }
    return true;
}

char *caution_time(char *buf, size_t size, uint64_t us)
{
    uint64_t s = (us + 999999) / 1000000, minutes = (s + 59) / 60;

    if (s < 100)
        snprintf(buf, size, "%" PRIu64 " s", s);
    else if (minutes < 100)
        snprintf(buf, size, "%" PRIu64 " min", minutes);
    else
        snprintf(buf, size, "%" PRIu64 " h %" PRIu64 " min", minutes / 60, minutes % 60);
    return buf;
}

/* ---- the disk ---- */

static json_t *standing_json(const struct standing *s)
{
    return JSON_OF({ "set", knobset_json(&s->set) }, { "since_us", json_of_count(s->wall_us) },
                   { "trial", json_of_count(s->trial) }, { "by", json_of_text(s->by) },
                   { "why", json_of_text(s->why) });
}

static json_t *drill_json(const struct drill_result *d)
{
    return JSON_OF({ "wall_us", json_of_count(d->wall_us) }, { "took_us", json_of_count(d->took_us) },
                   { "passed_us", json_of_count(d->passed_us) }, { "is_passed", json_boolean(d->is_passed) },
                   { "device", json_of_text(d->device) }, { "why", json_of_text(d->why) });
}

static json_t *memory_json(struct controller *c, uint64_t now_us)
{
    json_t *rolled_back = JSON_OF({ "who", json_of_text(c->rolled_back.who) },
                                  { "why", json_of_text(c->rolled_back.why) });

    return JSON_OF({ "version", json_of_count(1) }, { "counter", json_of_count(c->counter) },
                   { "trials", json_of_count(c->trials_saved) }, { "frozen", json_of_text(c->frozen) },
                   { "freezes", json_of_count(c->freezes) }, { "rolled_back", rolled_back },
                   { "caution", caution_json(&c->caution, now_us) },
                   { "standing", standing_json(&c->standing) }, { "drill", drill_json(&c->drill) });
}

void memory_save(struct controller *c)
{
    if (!c->is_storing)
        actions_add(c->out, ACTION_STORE);
    c->is_storing = true;
    c->is_dirty = false;
    c->save_us = NEVER;
}

void memory_print(struct controller *c, uint64_t now_us)
{
    for (uint32_t i = 0; i < c->out->count; i++)
        if (c->out->action[i].kind == ACTION_STORE)
            c->out->action[i].state = memory_json(c, now_us);
}

static uint64_t take_count(const json_t *o, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(o, key));
}

static void copy_text(char *to, size_t size, const json_t *o, const char *key)
{
    snprintf(to, size, "%s", json_get_text(o, key));
}

static void take_drill(struct drill_result *d, const json_t *o)
{
    *d = (struct drill_result){ .wall_us = take_count(o, "wall_us"), .took_us = take_count(o, "took_us"),
                                .passed_us = take_count(o, "passed_us"),
                                .is_passed = json_is_true(json_object_get(o, "is_passed")) };
    copy_text(d->device, sizeof d->device, o, "device");
    copy_text(d->why, sizeof d->why, o, "why");
}

/* For operators only: a malformed one is left out. */
static void take_standing(struct standing *s, const json_t *o)
{
    if (knobset_from_json(&s->set, json_object_get(o, "set")))
        return;
    s->wall_us = take_count(o, "since_us");
    s->trial = take_count(o, "trial");
    copy_text(s->by, sizeof s->by, o, "by");
    copy_text(s->why, sizeof s->why, o, "why");
}

static void take_freeze(struct controller *c, const json_t *o)
{
    const json_t *back = json_object_get(o, "rolled_back");

    c->freezes = take_count(o, "freezes");
    copy_text(c->frozen, sizeof c->frozen, o, "frozen");
    copy_text(c->rolled_back.who, sizeof c->rolled_back.who, back, "who");
    copy_text(c->rolled_back.why, sizeof c->rolled_back.why, back, "why");
}

/* A freeze that the full disk had no room for otherwise. One that cannot be read may have been one. */
static void take_held(struct controller *c, const char *text)
{
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

    if (!json_is_string(json_object_get(o, "frozen")))
        snprintf(c->frozen, sizeof c->frozen, "the file 'freeze' is damaged: it may have been frozen");
    else if (take_count(o, "freezes") > c->freezes)
        take_freeze(c, o);
    json_decref(o);
}

static bool take_saved(struct controller *c, const json_t *o)
{
    const json_t      *counter = json_object_get(o, "counter");

    if (take_count(o, "version") != 1 || !json_is_integer(counter) ||
        take_count(o, "counter") > MSG_TERM_COUNTER_MAX || take_count(o, "trials") > INT64_MAX ||
        !json_is_string(json_object_get(o, "frozen")) ||
        !caution_take(&c->caution, json_object_get(o, "caution"), c->started_us))
        return false;
    c->counter = take_count(o, "counter");
    c->trials = c->trials_saved = take_count(o, "trials");
    take_freeze(c, o);
    if (json_is_true(json_object_get(o, "queues_stopped")))      /* of an earlier version */
        snprintf(c->rolled_back.who, sizeof c->rolled_back.who, "a person");
    take_standing(&c->standing, json_object_get(o, "standing"));
    take_drill(&c->drill, json_object_get(o, "drill"));
    return true;
}

int memory_load(struct controller *c, const char *text, const char *held)
{
    json_t *o = *text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    bool    is_good = !*text || (o && take_saved(c, o));

    json_decref(o);
    if (is_good && *held)
        take_held(c, held);
    return is_good ? 0 : -EBADMSG;
}

bool memory_number(struct controller *c)
{
    if (c->trials < c->trials_saved) {
        c->trials++;
        return true;
    }
    c->before = c->trials_saved;
    c->trials_saved = c->trials + (c->cfg->mode == MODE_DIRECT ? TRIALS_AHEAD : 1);
    memory_save(c);
    return false;
}

void memory_save_soon(struct controller *c, uint64_t now_us)
{
    c->save_us = min_u64(c->save_us, c->cfg->mode == MODE_DIRECT ? now_us + LAZY_US : now_us);
}

void trial_note_by(struct controller *c, const char *who, const char *what, const char *why)
{
    struct action *a = actions_add(c->out, ACTION_RECORD);

    a->record.term = c->term;
    snprintf(a->record.who, sizeof a->record.who, "%s", who);
    snprintf(a->record.what, sizeof a->record.what, "%s", what);
    snprintf(a->why, sizeof a->why, "%s", why);
}

void trial_note(struct controller *c, const char *what, const char *why)
{
    trial_note_by(c, c->cfg->name, what, why);
}

void memory_count_harm(struct controller *c, uint64_t now_us)
{
    struct caution *k = &c->caution;
    uint32_t        oldest = 0;

    for (uint32_t i = 1; i < CAUTION_HARMS; i++)
        if (k->harm_until_us[i] < k->harm_until_us[oldest])
            oldest = i;
    k->harm_until_us[oldest] = now_us + c->cfg->window_us;
    if (harms(k, now_us) >= c->cfg->reverts_max) {
        k->paused_until_us = now_us + c->cfg->pause_us;
        trial_note(c, "pause", "too many trials did harm");
    }
    memory_save(c);              /* at once: a crash must not lose it */
}
