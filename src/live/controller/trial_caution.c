#include "live/controller/trial.h"
#include "live/core/knobset.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAVE_US 60000000u
#define DAY_US  86400000000u

void caution_code(char code[CAUTION_CODE_SIZE], uint64_t term, uint64_t number, const struct knob_set *set)
{
    unsigned char bytes[EVP_MAX_MD_SIZE] = { 0 };
    json_t       *o = knobset_json(set);
    char         *text = NULL;

    json_put_count(o, "term", term);           /* no knob has such a name */
    json_put_count(o, "number", number);
    text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(o);
    if (text && !EVP_Digest(text, strlen(text), bytes, NULL, EVP_sha256(), NULL))
        memset(bytes, 0, sizeof bytes);
    free(text);
    for (int i = 0; i < (CAUTION_CODE_SIZE - 1) / 2; i++)
        snprintf(code + 2l * i, 3, "%02x", bytes[i]);
}

static uint32_t caution_harms(const struct caution *c, uint64_t now_us)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < CAUTION_HARMS; i++)
        count += c->harm_until_us[i] > now_us;
    return count;
}

uint32_t caution_harm(struct caution *c, uint64_t window_us, uint64_t now_us)
{
    uint32_t oldest = 0;

    for (uint32_t i = 1; i < CAUTION_HARMS; i++)
        if (c->harm_until_us[i] < c->harm_until_us[oldest])
            oldest = i;
    c->harm_until_us[oldest] = now_us + window_us;
    return caution_harms(c, now_us);
}

/* ---- settings ---- */

static const struct caution_setting *find(const struct caution *c, const char *code)
{
    for (uint32_t i = 0; i < CAUTION_SETTINGS; i++)
        if (strcmp(c->setting[i].code, code) == 0)
            return &c->setting[i];
    return NULL;
}

void caution_drop(struct caution *c, const struct knob_set *set, uint64_t until_us)
{
    struct caution_setting *s;
    char                    code[CAUTION_CODE_SIZE];
    uint32_t                first = 0;

    caution_code(code, 0, 0, set);
    s = (struct caution_setting *)find(c, code);
    for (uint32_t i = 1; i < CAUTION_SETTINGS && !s; i++)
        if (c->setting[i].until_us < c->setting[first].until_us)
            first = i;
    s = s ? s : &c->setting[first];
    memcpy(s->code, code, sizeof code);
    s->until_us = until_us;
}

uint64_t caution_wait_us(const struct caution *c, const struct knob_set *set, uint64_t now_us)
{
    const struct caution_setting *s;
    char                          code[CAUTION_CODE_SIZE];

    caution_code(code, 0, 0, set);
    s = find(c, code);
    return s && s->until_us > now_us ? s->until_us - now_us : 0;
}

/* ---- the disk ---- */

static bool is_any(const struct caution *c, uint64_t now_us)
{
    bool is = c->paused_until_us > now_us || caution_harms(c, now_us);

    for (uint32_t i = 0; i < CAUTION_SETTINGS && !is; i++)
        is = c->setting[i].until_us > now_us;
    return is;
}

bool caution_is_due(const struct caution *c, uint64_t now_us)
{
    return now_us >= c->saved_us + SAVE_US && is_any(c, now_us);
}

static uint64_t left(uint64_t until_us, uint64_t now_us)
{
    return until_us > now_us ? until_us - now_us : 0;
}

json_t *caution_json(struct caution *c, uint64_t now_us)
{
    json_t *o = json_object(), *harms = json_array(), *settings = json_object();

    for (uint32_t i = 0; i < CAUTION_HARMS; i++)
        if (c->harm_until_us[i] > now_us)
            json_array_append_new(harms, json_integer((json_int_t)left(c->harm_until_us[i], now_us)));
    for (uint32_t i = 0; i < CAUTION_SETTINGS; i++)
        if (c->setting[i].until_us > now_us)
            json_put_count(settings, c->setting[i].code, left(c->setting[i].until_us, now_us));
    json_put_count(o, "pause_left_us", left(c->paused_until_us, now_us));
    json_object_set_new(o, "harms_left_us", harms);
    json_object_set_new(o, "dropped_left_us", settings);
    c->saved_us = now_us;
    return o;
}

/* When something ends of which so much is left. A number that cannot be is taken for the longest time that
 * can. */
static uint64_t until(const json_t *value, uint64_t now_us)
{
    json_int_t us = json_integer_value(value);

    return now_us + (us < 0 || us > (json_int_t)DAY_US ? DAY_US : (uint64_t)us);
}

bool caution_take(struct caution *c, const json_t *o, uint64_t now_us)
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
