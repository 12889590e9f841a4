/* tests/fuzz/fuzz_agent.c - an agent whose controller sends arbitrary well-formed messages. Its disk and
 * device may fail, a file may be damaged, and it may be killed between two steps. In all cases it can read
 * back what it saves, it writes nothing outside its limits, and the device holds no unconfirmed value after
 * the lease has ended or after the next start.
 */
#include "live/agent/agent.h"
#include "live/core/keep.h"
#include "live/core/knobset.h"
#include "live/wire/codec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES   3
#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum knob own[] = { KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, KNOB_rpg_time_reset };

static struct { const uint8_t *at, *end; } in;
static struct { const char *name; char text[SAVED_TEXT_MAX]; long length; } file[] = {
    { .name = SAVED_NAME }, { .name = SAVED_NAME ".copy" }, { .name = SAVED_BASELINE },
};
static struct { bool fails, log_fails; char log[1 << 18]; size_t log_length; } disk;
static struct { struct knob_set holds; bool refuses, mute; unsigned writes; } device;
static struct agent_config cfg;
static struct agent        agent;
static uint64_t            now_us, lives;

static uint64_t take(unsigned bytes)
{
    uint64_t v = 0;

    for (; bytes && in.at < in.end; bytes--)
        v = v << 8 | *in.at++;
    return v;
}

static unsigned file_of(const char *name)
{
    unsigned i = 0;

    while (strcmp(file[i].name, name) != 0)
        i++;
    return i;
}

static int save(void *arg, const char *name, const char *text, size_t length)
{
    unsigned     i = file_of(name);
    uint64_t     sequence;
    long         whole = keep_unseal(text, length, &sequence);
    struct saved s;

    (void)arg;
    if (disk.fails)
        return -ENOSPC;
    PROMISE(length < sizeof file[i].text && whole >= 0);
    memcpy(file[i].text, text, length);
    file[i].length = (long)length;
    if (strcmp(name, SAVED_BASELINE) == 0)
        return 0;
    PROMISE(keep_parse(text, (size_t)whole, saved_take, &s) == 0);          /* saved state can be parsed */
    PROMISE(s.term == agent.saved.term && s.doubts == agent.saved.doubts);
    return 0;
}

static long load(void *arg, const char *name, char *text, size_t size)
{
    unsigned i = file_of(name);

    (void)arg, (void)size;
    if (file[i].length > 0)
        memcpy(text, file[i].text, (size_t)file[i].length);
    return file[i].length;
}

static int append(void *arg, const char *text, size_t length)
{
    (void)arg;
    if (disk.log_fails || disk.log_length + length > sizeof disk.log)
        return -ENOSPC;
    memcpy(disk.log + disk.log_length, text, length);
    disk.log_length += length;
    return 0;
}

static void set_aside(void *arg, const char *name)
{
    (void)arg;
    file[file_of(name)].length = -ENOENT;
}

static uint64_t replay(void *arg, void (*line)(void *, const char *, size_t), void *ctx)
{
    uint64_t count = 0;

    (void)arg;
    for (size_t at = 0, end; at < disk.log_length; at = end + 1, count++) {
        end = (size_t)((const char *)memchr(disk.log + at, '\n', disk.log_length - at) - disk.log);
        line(ctx, disk.log + at, end - at);
    }
    return count;
}

static uint64_t wall_us(void *arg)
{
    (void)arg;
    return 1700000000000000ull + now_us;
}

static int dev_read(void *arg, struct knob_set *s)
{
    (void)arg;
    if (device.mute)
        return -EIO;
    *s = device.holds;
    return 0;
}

static int dev_write(void *arg, const struct knob_set *s)
{
    (void)arg;
    for (int i = 0; i < KNOB_COUNT; i++)
        if (s->is_named[i])
            PROMISE(cfg.limits.may_set[i] && s->knobs.value[i] >= cfg.limits.min[i] &&
                    s->knobs.value[i] <= cfg.limits.max[i]);
    device.writes++;
    if (device.refuses)
        return -EIO;
    knobset_put(&device.holds, s);
    return 0;
}

static int dev_sample(void *arg, struct msg_sample *s)
{
    (void)arg;
    *s = (struct msg_sample){ .interval_us = cfg.interval_us, .metric = 0.5 };
    return 0;
}

static void send(void *arg, const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct msg           again;

    (void)arg;
    PROMISE(codec_read(&again, bytes, codec_write(m, bytes)) == 0);
}

/* Returns true if 'all' names every knob that 'some' names. */
static bool names_all(const struct knob_set *all, const struct knob_set *some)
{
    struct knob_set part = knobset_part(some, all);

    return knobset_has(&part, some);
}

static void start(void)
{
    struct agent_io io = { .disk = { save, load, append, wall_us, NULL, set_aside, replay, NULL, NULL },
                           .device = { .read = dev_read, .write = dev_write, .sample = dev_sample },
                           .send = send };
    struct audit    audit;

    PROMISE(audit_resume_tail(&audit, disk.log, disk.log_length) == (long)disk.log_length);
    agent_init(&agent, &cfg, &io, ++lives);
    agent_start(&agent, &audit, now_us);
    PROMISE(!agent.is_lost);
}

/* Damages one file while the agent does not run. It must not lose any state. */
static void damage(void)
{
    unsigned        i = (unsigned)take(1) % FILES;
    bool            was_saved = !agent.is_dirty && knobset_is_empty(&agent.adopted) && file[0].length > 0;
    struct knob_set confirmed = agent.saved.confirmed;

    if (file[i].length > 0)
        file[i].text[take(2) % (uint64_t)file[i].length] ^= (char)(1 + take(1) % 255);
    device.mute = device.refuses = false;
    start();
    PROMISE(!was_saved || names_all(&agent.saved.confirmed, &confirmed));
}

static uint64_t number(uint64_t near)
{
    switch (take(1) % 6) {
    case 0:  return 0;
    case 1:  return near;
    case 2:  return near + 1;
    case 3:  return near + take(3);
    case 4:  return near - take(3);
    default: return take(8);
    }
}

static struct knob_set settings(void)
{
    struct knob_set s = { 0 };

    for (uint64_t n = take(1) % 4; n; n--) {
        enum knob k = own[take(1) % 3];
        double    v = device.holds.knobs.value[k];

        switch (take(1) % 4) {
        case 0: v *= 2; break;
        case 1: v = floor(v / 2); break;
        case 2: v = (double)take(2); break;
        default: { uint64_t raw = take(8); memcpy(&v, &raw, sizeof v); if (!isfinite(v)) v = 1; }
        }
        knob_set_add(&s, k, v);
    }
    return s;
}

static void message(void)
{
    struct msg m = { .kind = (enum msg_kind)(MSG_WHO + take(1) % (MSG_KINDS - MSG_WHO)) };

    if (m.kind == MSG_RACK)
        return;
    m.incarnation = take(1) % 16 ? agent.incarnation : take(1);
    m.term = number(agent.saved.term) % (MSG_TERM_MAX + 1);      /* the codec accepts no other */
    m.change = number(agent.change);
    m.stamp_us = number(now_us);
    m.at_us = number(now_us);
    m.set = settings();
    agent_on_msg(&agent, &m, now_us);
}

static void check(void)
{
    if (agent.phase == PHASE_APPLIED)
        PROMISE(now_us <= agent.lease_until_us || agent.lease_until_us == 0 ||
                agent_timer_us(&agent) <= now_us);
    if (agent.phase == PHASE_IDLE && !agent.is_broken && !device.mute && agent.is_seen)
        PROMISE(knobset_has(&device.holds, &agent.saved.confirmed));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    in.at = data;
    in.end = data + size;
    for (int i = 0; i < FILES; i++)
        file[i].length = -ENOENT;
    disk.fails = disk.log_fails = false;
    disk.log_length = 0;
    memset(&device, 0, sizeof device);
    knob_set_add(&device.holds, KNOB_rpg_ai_rate, 5);
    knob_set_add(&device.holds, KNOB_rpg_hai_rate, 50);
    knob_set_add(&device.holds, KNOB_rpg_time_reset, 300);
    agent_config_init(&cfg, KNOB_NIC);
    snprintf(cfg.name, sizeof cfg.name, "h/d");
    cfg.may_write = true;
    cfg.gap_us = 1000;
    now_us = 1000000;
    lives = 0;
    memset(&agent, 0, sizeof agent);
    start();
    for (int i = 0; i < 400 && in.at < in.end; i++) {
        switch (take(1) % 13) {
        case 0: now_us += take(3); agent_on_timer(&agent, now_us); break;
        case 1: now_us += cfg.interval_us; agent_on_tick(&agent, now_us); break;
        case 2: disk.fails = take(1) & 1; break;
        case 3: disk.log_fails = take(1) & 1; break;
        case 4: device.refuses = take(1) & 1; break;
        case 5: device.mute = take(1) & 1; break;
        case 6: device.mute = device.refuses = false; start(); break;
        case 7: damage(); break;
        default: message(); break;
        }
        check();
    }
    device.mute = device.refuses = disk.fails = disk.log_fails = false;
    now_us += 200000000;
    for (int i = 0; i < 4; i++)
        agent_on_tick(&agent, now_us += 2000000);
    PROMISE(agent.phase == PHASE_IDLE && !agent.is_broken &&
            knobset_has(&device.holds, &agent.saved.confirmed));
    return 0;
}
