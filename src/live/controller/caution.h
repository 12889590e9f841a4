/* src/live/controller/caution.h - what a controller remembers of trials that went badly, also after a
 * restart.
 *
 *   - Trials that did harm: several of them within an hour pause tuning for six hours.
 *   - Settings that evidence or a guardrail has spoken against: they are not tried again for an hour.
 *
 * The disk has the time that is left of each, not the time of day: setting a clock changes nothing. It is
 * written once a minute, so a restart makes a pause longer by at most a minute and the time that the
 * controller was down, never shorter.
 */
#ifndef LIVE_CONTROLLER_CAUTION_H
#define LIVE_CONTROLLER_CAUTION_H

#include "base/json.h"
#include "live/core/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define CAUTION_HARMS    8
#define CAUTION_SETTINGS 16
#define CAUTION_CODE_SIZE 17     /* 16 hexadecimal digits and a zero byte */

struct caution_setting { char code[CAUTION_CODE_SIZE]; uint64_t until_us; };

struct caution {
    uint64_t harm_until_us[CAUTION_HARMS];       /* a harmful trial counts until then */
    uint64_t paused_until_us;
    struct caution_setting setting[CAUTION_SETTINGS];    /* not tried again until then */
    uint64_t saved_us;           /* when the remaining pauses were last saved */
};

/* A digest of a setting, and of what goes with it: a term and a number, or zeros. */
void caution_code(char code[CAUTION_CODE_SIZE], uint64_t term, uint64_t number, const struct knob_set *);

/* A trial did harm. Returns how many such trials there were in the last window_us. */
uint32_t caution_harm(struct caution *, uint64_t window_us, uint64_t now_us);

/* A setting was dropped because of its measured effect. */
void caution_drop(struct caution *, const struct knob_set *, uint64_t until_us);

/* How long this setting is not to be tried; 0: it may be. */
uint64_t caution_wait_us(const struct caution *, const struct knob_set *, uint64_t now_us);

/* Returns whether the remaining pauses must be saved again. */
bool caution_is_due(const struct caution *, uint64_t now_us);

/* Converts the remaining pauses to and from JSON. Returns false if it is malformed. */
json_t *caution_json(struct caution *, uint64_t now_us);
bool    caution_take(struct caution *, const json_t *, uint64_t now_us);

/* "5 h 12 min", "40 s". Returns buf. */
char *caution_time(char *buf, size_t size, uint64_t us);

#endif
