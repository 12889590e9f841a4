#include "live/driver/sonic.h"
#include "base/io/clock.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_SIZE    160
#define SLOT_US_MIN 10000u       /* counters are polled every 100 ms at best */

enum { BYTES, PACKETS, MARKED_BYTES, MARKED_PACKETS, LENGTH, PEAK, COUNTERS };

static const char *const counter_names[COUNTERS] = {
    "SAI_QUEUE_STAT_BYTES", "SAI_QUEUE_STAT_PACKETS", "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES",
    "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
    "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
};
const char *const sonic_config_names[3] = { "green_min_threshold", "green_max_threshold",
                                            "green_drop_probability" };
const char *const sonic_asic_names[3] = { "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD",
                                          "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD",
                                          "SAI_WRED_ATTR_GREEN_DROP_PROBABILITY" };

struct counted { uint64_t value[COUNTERS]; bool has[COUNTERS]; };

struct queue {
    char           port[48];
    char           config[KEY_SIZE], own[KEY_SIZE];      /* QUEUE|..., WRED_PROFILE|ANOLE_... */
    char           counters[KEY_SIZE], asic[KEY_SIZE];
    /* the current profile, during a call: keys in CONFIG_DB and ASIC_DB */
    char           profile[KEY_SIZE], wred[KEY_SIZE];
    uint64_t       rate_bps;
    uint64_t       set[3], programmed[3];                /* for a call */
    uint32_t       found;                                /* for a call: how many of those six there were */
    struct counted is, last;
};

struct sonic_queues {
    struct redis *redis;
    struct queue *queue;
    uint32_t      queues;
    const char  **key;           /* room for a call */
    const struct request *request;       /* of a call */
    unsigned      number;
    uint64_t      looked_us;     /* when counters had last changed; 0: never */
};

static struct sonic_queues *queues_of(void *device)
{
    return *(struct sonic_queues **)device;
}

bool sonic_queues_number(const char *name, unsigned *number)
{
    char *end;

    if (strncmp(name, "all-", 4) != 0 || name[4] < '0' || name[4] > '9')
        return false;
    *number = (unsigned)strtoul(name + 4, &end, 10);
    return !*end && *number < 64;
}

/* ---- asking about all of them ---- */

/* The same fields of one hash of each queue. 'key' and 'to': places in struct queue. With a prefix, the field
 * becomes a key; others are numbers. */
struct request { int db; size_t key, to; const char *prefix; const char *const *field; int fields; };

static const char *const profile_field[] = { "wred_profile" };
static const char *const wred_field[] = { "SAI_QUEUE_ATTR_WRED_PROFILE_ID" };

static const struct request settings[] = {
    { REDIS_CONFIG, offsetof(struct queue, config), offsetof(struct queue, profile), "WRED_PROFILE|",
      profile_field, 1 },
    { REDIS_ASIC, offsetof(struct queue, asic), offsetof(struct queue, wred),
      "ASIC_STATE:SAI_OBJECT_TYPE_WRED:", wred_field, 1 },
    { REDIS_CONFIG, offsetof(struct queue, profile), offsetof(struct queue, set), NULL,
      sonic_config_names, 3 },
    { REDIS_ASIC, offsetof(struct queue, wred), offsetof(struct queue, programmed), NULL,
      sonic_asic_names, 3 },
};
static const struct request counters = { REDIS_COUNTERS, offsetof(struct queue, counters),
                                         offsetof(struct queue, is.value), NULL, counter_names, COUNTERS };

static void take(void *arg, uint32_t i, int field, const char *text)
{
    struct sonic_queues  *s = arg;
    const struct request *r = s->request;
    struct queue         *q = &s->queue[i];
    void                 *to = (char *)q + r->to;

    if (r->prefix)
        snprintf(to, KEY_SIZE, "%s%.64s", r->prefix, text);
    else if (text_to_uint(text, (uint64_t *)to + field, NULL))
        return;
    else if (r == &counters)
        q->is.has[field] = true;
    else
        q->found++;
}

static int ask_all(struct sonic_queues *s, const struct request *r)
{
    for (uint32_t i = 0; i < s->queues; i++)
        s->key[i] = (const char *)&s->queue[i] + r->key;
    s->request = r;
    return redis_get_many(s->redis, r->db,
                          &(struct redis_many){ s->key, s->queues, r->field, r->fields, take, s });
}

/* Reads the settings in CONFIG_DB and ASIC_DB. */
static int read_all(struct sonic_queues *s)
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
    struct sonic_queues *s = queues_of(device);
    int                  rc = read_all(s);

    for (uint32_t i = 0; i < s->queues && !rc; i++) {
        const struct queue *q = &s->queue[i];

        is_settled[i] = q->found == 6 && memcmp(q->set, q->programmed, sizeof q->set) == 0 &&
                        q->set[0] <= UINT32_MAX && q->set[1] <= UINT32_MAX && q->set[2] <= 100;
        if (is_settled[i])
            ecn[i] = (struct ecn){ (uint32_t)q->set[0], (uint32_t)q->set[1], (double)q->set[2] / 100 };
    }
    return rc;
}

/* ---- counters ---- */

static int read_counters(struct sonic_queues *s)
{
    for (uint32_t i = 0; i < s->queues; i++)
        s->queue[i].is = (struct counted){ 0 };
    return ask_all(s, &counters);
}

static bool has_changed(const struct sonic_queues *s)
{
    for (uint32_t i = 0; i < s->queues; i++)
        if (memcmp(s->queue[i].is.value, s->queue[i].last.value, sizeof s->queue[i].is.value) != 0)
            return true;
    return false;
}

/* Sent, marked and queued bytes must be known, and counters must not have decreased. */
static bool is_known(const struct queue *q)
{
    const struct counted *is = &q->is, *was = &q->last;

    return is->has[BYTES] && is->value[BYTES] >= was->value[BYTES] && (is->has[LENGTH] || is->has[PEAK]) &&
           (is->has[MARKED_BYTES] || is->has[MARKED_PACKETS]) &&
           is->value[MARKED_BYTES] >= was->value[MARKED_BYTES] &&
           is->value[MARKED_PACKETS] >= was->value[MARKED_PACKETS];
}

static uint64_t since(const struct queue *q, int counter)
{
    return q->is.value[counter] - q->last.value[counter];
}

static struct queue_slot slot_of(const struct queue *q)
{
    uint64_t marked = since(q, MARKED_BYTES), bytes = since(q, BYTES), packets = since(q, PACKETS);

    if (!q->is.has[MARKED_BYTES])
        marked = packets ? (uint64_t)((double)since(q, MARKED_PACKETS) * (double)bytes / (double)packets) : 0;
    return (struct queue_slot){ .tx_bytes = bytes, .marked_bytes = marked < bytes ? marked : bytes,
                                .queue_bytes_mean = q->is.value[q->is.has[LENGTH] ? LENGTH : PEAK] };
}

static int look(void *device, struct queue_slot *slot, uint64_t *us)
{
    struct sonic_queues *s = queues_of(device);
    uint64_t             at_us = clock_us();
    bool                 is_good = s->looked_us != 0;
    int                  rc = read_counters(s);

    if (rc)
        return rc;
    if (is_good && !has_changed(s))
        return -EAGAIN;
    for (uint32_t i = 0; i < s->queues; i++) {
        struct queue *q = &s->queue[i];

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
static int check_shared(struct sonic_queues *s, const char *profile, const struct ecn *was)
{
    uint64_t value;
    int      rc = 0;

    for (int i = 0; i < 3 && !rc; i++) {
        rc = redis_number(s->redis, REDIS_CONFIG, profile, sonic_config_names[i], &value);
        if (!rc && value != field_of(was, i))
            rc = -EBUSY;
    }
    return rc;
}

static int write_queue(void *device, uint32_t queue, const struct ecn *was, const struct ecn *is)
{
    struct sonic_queues *s = queues_of(device);
    const struct queue  *q = &s->queue[queue];
    struct redis_field   change[3];
    char                 name[MSG_NAME_SIZE], key[KEY_SIZE];
    int                  count = 0, rc;

    for (int i = 0; i < 3; i++)
        if (field_of(was, i) != field_of(is, i))
            change[count++] = (struct redis_field){ sonic_config_names[i], field_of(was, i),
                                                    field_of(is, i) };
    if (!count)
        return 0;
    rc = redis_get(s->redis, REDIS_CONFIG, q->config, "wred_profile", name, sizeof name);
    if (rc)
        return rc;
    snprintf(key, sizeof key, "WRED_PROFILE|%s", name);
    if (strcmp(key, q->own) == 0)
        return redis_set(s->redis, REDIS_CONFIG, key, change, count);
    rc = check_shared(s, key, was);
    return rc ? rc : redis_rebind(s->redis, q->config, key, q->own, change, count);
}

/* ---- opening ---- */

/* "QUEUE|Ethernet0|3": one port, one queue, the wanted one. */
static void visit(void *arg, const char *key)
{
    struct sonic_queues *s = arg;
    struct queue        *q;
    const char          *port = key + strlen("QUEUE|"), *bar = strchr(port, '|');
    unsigned long        number;
    char                *end;

    if (!bar || bar - port >= (long)sizeof q->port || memchr(port, ',', (size_t)(bar - port)) ||
        bar[1] < '0' || bar[1] > '9')
        return;
    number = strtoul(bar + 1, &end, 10);
    if (*end || number != s->number || s->queues == IO_QUEUES_MAX)
        return;
    s->queue = xrealloc(s->queue, (s->queues + 1ul) * sizeof *s->queue);
    q = &s->queue[s->queues++];
    *q = (struct queue){ 0 };
    snprintf(q->port, sizeof q->port, "%.*s", (int)(bar - port), port);
    snprintf(q->config, sizeof q->config, "%s", key);
    snprintf(q->own, sizeof q->own, "WRED_PROFILE|ANOLE_%.40s_%u", q->port, s->number);
}

/* Ethernet4 before Ethernet12. */
static int by_port(const void *a, const void *b)
{
    const char *x = ((const struct queue *)a)->port, *y = ((const struct queue *)b)->port;
    size_t      m = strlen(x), n = strlen(y);

    return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

static int find_counters(struct sonic_queues *s, struct queue *q, struct err *err)
{
    char     name[64], oid[48], port_key[KEY_SIZE];
    uint64_t mbps = 0;

    snprintf(name, sizeof name, "%s:%u", q->port, s->number);
    if (redis_get(s->redis, REDIS_COUNTERS, "COUNTERS_QUEUE_NAME_MAP", name, oid, sizeof oid))
        return err_set(err, ENOENT, "%s: it has no counters (counterpoll queue enable)", name);
    snprintf(q->counters, sizeof q->counters, "COUNTERS:%s", oid);
    snprintf(q->asic, sizeof q->asic, "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:%s", oid);
    snprintf(port_key, sizeof port_key, "PORT|%s", q->port);
    if (redis_number(s->redis, REDIS_CONFIG, port_key, "speed", &mbps) || !mbps)
        return err_set(err, ENOENT, "%s: CONFIG_DB does not say how fast it is", q->port);
    q->rate_bps = mbps * 1000000;
    return 0;
}

/* Refuses queues whose thresholds have no effect or whose length is not reported. */
static int check_queue(struct sonic_queues *s, const struct queue *q, struct err *err)
{
    char ecn[32] = "";

    redis_get(s->redis, REDIS_CONFIG, q->profile, "ecn", ecn, sizeof ecn);
    if (q->found < 6)
        return err_set(err, ENOENT,
                       "%s: CONFIG_DB or ASIC_DB does not say which thresholds it has", q->config);
    if (strcmp(ecn, "ecn_all") != 0 && !strstr(ecn, "green"))
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

static int find_all(struct sonic_queues *s, struct err *err)
{
    int rc = 0;

    if (redis_keys(s->redis, REDIS_CONFIG, "QUEUE|*", visit, s))
        return err_set(err, EIO, "%s: CONFIG_DB cannot be read", s->redis->socket);
    if (!s->queues)
        return err_set(err, ENOENT,
                       "CONFIG_DB has no port with an entry QUEUE|PORT|%u for this queue alone", s->number);
    qsort(s->queue, s->queues, sizeof *s->queue, by_port);
    s->key = xcalloc(s->queues, sizeof *s->key);
    for (uint32_t i = 0; i < s->queues && !rc; i++)
        rc = find_counters(s, &s->queue[i], err);
    if (!rc && (read_all(s) || read_counters(s)))
        rc = err_set(err, EIO, "%s: it does not answer", s->redis->socket);
    for (uint32_t i = 0; i < s->queues && !rc; i++)
        rc = check_queue(s, &s->queue[i], err);
    return rc;
}

int sonic_queues_open(struct sonic_queues **out, struct redis *redis, unsigned number, struct err *err)
{
    struct sonic_queues *s = xcalloc(1, sizeof *s);
    int                  rc;

    s->redis = redis;
    s->number = number;
    rc = find_all(s, err);
    *out = rc ? NULL : s;
    if (rc)
        sonic_queues_free(s);
    return rc;
}

void sonic_queues_free(struct sonic_queues *s)
{
    if (!s)
        return;
    free(s->queue);
    free(s->key);
    free(s);
}

uint32_t sonic_queues_count(const struct sonic_queues *s)
{
    return s->queues;
}

const char *sonic_queues_port(const struct sonic_queues *s, uint32_t i)
{
    return s->queue[i].port;
}

static uint32_t list(void *device, struct queue_facts fact[IO_QUEUES_MAX],
                     char name[IO_QUEUES_MAX][MSG_NAME_SIZE])
{
    const struct sonic_queues *s = queues_of(device);
    uint32_t                   count = s ? s->queues : 0;

    for (uint32_t i = 0; i < count; i++) {
        fact[i] = (struct queue_facts){ .rate_bps = s->queue[i].rate_bps, .port = i };
        snprintf(name[i], MSG_NAME_SIZE, "%s", s->queue[i].port);
    }
    return count;
}

const struct io_queues sonic_queues_io = {
    .list = list, .look = look, .read = read_queues, .write = write_queue, .slot_us_min = SLOT_US_MIN,
};
