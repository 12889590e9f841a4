#include "live/driver/sonic.h"
#include "base/io/clock.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_US_MIN 10000u       /* counters are polled every 100 ms at best */

enum { BYTES, PACKETS, MARKED_BYTES, MARKED_PACKETS, LENGTH, PEAK };

static const char *const counter_names[SONIC_QUEUE_COUNTERS] = {
    "SAI_QUEUE_STAT_BYTES", "SAI_QUEUE_STAT_PACKETS", "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES",
    "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
    "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
};
const char *const sonic_config_names[3] = { "green_min_threshold", "green_max_threshold",
                                            "green_drop_probability" };
const char *const sonic_asic_names[3] = { "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD",
                                          "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD",
                                          "SAI_WRED_ATTR_GREEN_DROP_PROBABILITY" };

bool sonic_has_ecn(struct redis *r, const char *profile)
{
    char ecn[32] = "";

    redis_get(r, REDIS_CONFIG, profile, "ecn", ecn, sizeof ecn);
    return strcmp(ecn, "ecn_all") == 0 || strstr(ecn, "green");
}

/* ---- asking about all of them ---- */

/* The same fields of one hash of each queue. 'key' and 'to': places in struct sonic_queue. With a prefix, the
 * field becomes a key; others are numbers. */
struct request { int db; size_t key, to; const char *prefix; const char *const *field; int fields; };

static const char *const profile_field[] = { "wred_profile" };
static const char *const wred_field[] = { "SAI_QUEUE_ATTR_WRED_PROFILE_ID" };

static const struct request settings[] = {
    { REDIS_CONFIG, offsetof(struct sonic_queue, config), offsetof(struct sonic_queue, profile),
      "WRED_PROFILE|", profile_field, 1 },
    { REDIS_ASIC, offsetof(struct sonic_queue, asic), offsetof(struct sonic_queue, wred),
      "ASIC_STATE:SAI_OBJECT_TYPE_WRED:", wred_field, 1 },
    { REDIS_CONFIG, offsetof(struct sonic_queue, profile), offsetof(struct sonic_queue, set), NULL,
      sonic_config_names, 3 },
    { REDIS_ASIC, offsetof(struct sonic_queue, wred), offsetof(struct sonic_queue, programmed), NULL,
      sonic_asic_names, 3 },
};
static const struct request counters = {
    REDIS_COUNTERS, offsetof(struct sonic_queue, counters), offsetof(struct sonic_queue, is.value), NULL,
    counter_names, SONIC_QUEUE_COUNTERS
};

struct call { struct sonic *s; const struct request *request; };

static void take(void *arg, uint32_t i, int field, const char *text)
{
    const struct request *r = ((struct call *)arg)->request;
    struct sonic_queue   *q = &((struct call *)arg)->s->queue[i];
    void                 *to = (char *)q + r->to;

    if (r->prefix)
        snprintf(to, SONIC_KEY_SIZE, "%s%.64s", r->prefix, text);
    else if (text_to_uint(text, (uint64_t *)to + field, NULL))
        return;
    else if (r == &counters)
        q->is.has[field] = true;
    else
        q->found++;
}

static int ask_all(struct sonic *s, const struct request *r)
{
    const char *key[SONIC_QUEUES_MAX];
    struct call call = { s, r };

    for (uint32_t i = 0; i < s->queues; i++)
        key[i] = (const char *)&s->queue[i] + r->key;
    return redis_get_many(&s->redis, r->db,
                          &(struct redis_many){ key, s->queues, r->field, r->fields, take, &call });
}

/* Reads the settings in CONFIG_DB and ASIC_DB. */
static int read_all(struct sonic *s)
{
    int rc = 0;

    for (uint32_t i = 0; i < s->queues; i++) {
        s->queue[i].profile[0] = s->queue[i].wred[0] = '\0';
        s->queue[i].found = 0;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !rc; i++)
        rc = ask_all(s, &settings[i]);
    return rc;
}

static int read_queues(void *device, struct ecn *ecn, bool *is_settled)
{
    struct sonic *s = device;
    int           rc = read_all(s);

    for (uint32_t i = 0; i < s->queues && !rc; i++) {
        const struct sonic_queue *q = &s->queue[i];

        is_settled[i] = q->found == 6 && memcmp(q->set, q->programmed, sizeof q->set) == 0 &&
                        q->set[0] <= UINT32_MAX && q->set[1] <= UINT32_MAX && q->set[2] <= 100;
        if (is_settled[i])
            ecn[i] = (struct ecn){ (uint32_t)q->set[0], (uint32_t)q->set[1], (double)q->set[2] / 100 };
    }
    return rc;
}

/* ---- counters ---- */

static int read_counters(struct sonic *s)
{
    for (uint32_t i = 0; i < s->queues; i++)
        s->queue[i].is = (struct sonic_counted){ 0 };
    return ask_all(s, &counters);
}

static bool has_changed(const struct sonic *s)
{
    for (uint32_t i = 0; i < s->queues; i++)
        if (memcmp(s->queue[i].is.value, s->queue[i].last.value, sizeof s->queue[i].is.value) != 0)
            return true;
    return false;
}

/* Sent, marked and queued bytes must be known, and counters must not have decreased. */
static bool is_known(const struct sonic_queue *q)
{
    const struct sonic_counted *is = &q->is, *was = &q->last;

    return is->has[BYTES] && is->value[BYTES] >= was->value[BYTES] && (is->has[LENGTH] || is->has[PEAK]) &&
           (is->has[MARKED_BYTES] || is->has[MARKED_PACKETS]) &&
           is->value[MARKED_BYTES] >= was->value[MARKED_BYTES] &&
           is->value[MARKED_PACKETS] >= was->value[MARKED_PACKETS];
}

static uint64_t since(const struct sonic_queue *q, int counter)
{
    return q->is.value[counter] - q->last.value[counter];
}

static struct queue_slot slot_of(const struct sonic_queue *q)
{
    uint64_t marked = since(q, MARKED_BYTES), bytes = since(q, BYTES), packets = since(q, PACKETS);

    if (!q->is.has[MARKED_BYTES])
        marked = packets ? (uint64_t)((double)since(q, MARKED_PACKETS) * (double)bytes / (double)packets) : 0;
    return (struct queue_slot){ .tx_bytes = bytes, .marked_bytes = marked < bytes ? marked : bytes,
                                .queue_bytes_mean = q->is.value[q->is.has[LENGTH] ? LENGTH : PEAK] };
}

static int look(void *device, struct queue_slot *slot, uint64_t *us)
{
    struct sonic *s = device;
    uint64_t      at_us = clock_us();
    bool          is_good = s->looked_us != 0;
    int           rc = read_counters(s);

    if (rc)
        return rc;
    if (is_good && !has_changed(s))
        return -EAGAIN;
    for (uint32_t i = 0; i < s->queues; i++) {
        struct sonic_queue *q = &s->queue[i];

        is_good &= is_known(q);
        slot[i] = slot_of(q);
        q->last = q->is;
    }
    *us = at_us - s->looked_us;
    s->looked_us = at_us;
    return is_good ? 0 : -EAGAIN;
}

/* ---- writing ---- */

static uint64_t field_of(const struct ecn *e, int i)
{
    return i == 0 ? e->kmin_bytes : i == 1 ? e->kmax_bytes : (uint64_t)nearbyint(e->pmax * 100);
}

/* Does the profile that a queue shares with others hold this? */
static int check_shared(struct sonic *s, const char *profile, const struct ecn *was)
{
    uint64_t value;
    int      rc = 0;

    for (int i = 0; i < 3 && !rc; i++) {
        rc = redis_number(&s->redis, REDIS_CONFIG, profile, sonic_config_names[i], &value);
        if (!rc && value != field_of(was, i))
            rc = -EBUSY;
    }
    return rc;
}

static int write_queue(void *device, uint32_t queue, const struct ecn *was, const struct ecn *is)
{
    struct sonic             *s = device;
    const struct sonic_queue *q = &s->queue[queue];
    struct redis_field        all[3], change[3];
    char                      name[MSG_NAME_SIZE], key[SONIC_KEY_SIZE];
    int                       count = 0, rc;

    for (int i = 0; i < 3; i++) {
        all[i] = (struct redis_field){ sonic_config_names[i], field_of(was, i), field_of(is, i) };
        if (all[i].was != all[i].is)
            change[count++] = all[i];
    }
    if (!count)
        return 0;
    if (is->kmin_bytes > is->kmax_bytes)
        return -EINVAL;          /* orchagent would refuse the whole profile */
    rc = redis_get(&s->redis, REDIS_CONFIG, q->config, "wred_profile", name, sizeof name);
    if (rc)
        return rc;
    snprintf(key, sizeof key, "WRED_PROFILE|%s", name);
    if (strcmp(key, q->own) == 0) {
        rc = redis_unbind(&s->redis, q->config, key, all, 3);
        return rc == -ENOENT ? redis_set(&s->redis, key, change, count) : rc;
    }
    rc = check_shared(s, key, was);
    return rc ? rc : redis_rebind(&s->redis, q->config, key, q->own, change, count);
}

/* ---- opening ---- */

/* Refuses queues whose thresholds have no effect or whose length is not reported. */
static int check_queue(struct sonic *s, const struct sonic_queue *q, struct err *err)
{
    if (q->found < 6)
        return err_set(err, ENOENT,
                       "%s: CONFIG_DB or ASIC_DB does not say which thresholds it has", q->config);
    if (!sonic_has_ecn(&s->redis, q->profile))
        return err_set(err, EPERM, "%s: ECN is not on for green packets in %s", q->config, q->profile);
    if (q->is.has[BYTES] && !q->is.has[LENGTH] && !q->is.has[PEAK])
        return err_set(err, ENODATA,
                       "%s: queue length is not available; run 'counterpoll watermark enable' or enable "
                       "the PFC watchdog", q->config);
    if (q->is.has[BYTES] && !q->is.has[MARKED_BYTES] && !q->is.has[MARKED_PACKETS])
        return err_set(err, ENODATA,
                       "%s: marks are not counted; run 'counterpoll wredqueue enable'", q->config);
    return 0;
}

int sonic_queues_check(struct sonic *s, struct err *err)
{
    int rc = 0;

    if (!s->queues)
        return err_set(err, ENOENT,
                       "CONFIG_DB has no port with an entry QUEUE|PORT|%u for this queue alone", s->number);
    for (const struct sonic_queue *q = s->queue; q < s->queue + s->queues; q++) {
        if (!*q->counters)
            return err_set(err, ENOENT, "%s: it has no counters (counterpoll queue enable)", q->name);
        if (!q->rate_bps)
            return err_set(err, ENOENT, "%s: CONFIG_DB does not say how fast it is", q->port);
    }
    if (read_all(s) || read_counters(s))
        return err_set(err, EIO, "%s: it does not answer", s->redis.socket);
    for (uint32_t i = 0; i < s->queues && !rc; i++)
        rc = check_queue(s, &s->queue[i], err);
    return rc;
}

static uint32_t list(void *device, struct queue_facts fact[IO_QUEUES_MAX],
                     char name[IO_QUEUES_MAX][MSG_NAME_SIZE])
{
    const struct sonic *s = device;
    uint32_t            count = s->is_all ? s->queues : 0;

    for (uint32_t i = 0; i < count; i++) {
        fact[i] = (struct queue_facts){ .rate_bps = s->queue[i].rate_bps, .port = i };
        snprintf(name[i], MSG_NAME_SIZE, "%s", s->queue[i].port);
    }
    return count;
}

const struct io_queues sonic_queues_io = {
    .list = list, .look = look, .read = read_queues, .write = write_queue, .slot_us_min = SLOT_US_MIN,
};
