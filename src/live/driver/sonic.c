#include "live/driver/sonic.h"
#include "base/io/clock.h"
#include "base/minmax.h"
#include "core/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTLE_US   2000000u     /* orchagent and syncd have so long */
#define POLL_US     20000u

/* scale: what a knob of 1 is in the field, in the order of sonic_config_names[]. */
static const struct field { enum knob knob; double scale; } fields[] = {
    { KNOB_kmin, 1000 }, { KNOB_kmax, 1000 }, { KNOB_pmax, 100 },
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* ---- finding ---- */

struct names { char (*name)[MSG_NAME_SIZE]; int count; };

static void add_profile(void *arg, const char *key)
{
    struct names *n = arg;

    if (n->count < DRIVER_DEVICES_MAX && strlen(key + 13) < MSG_NAME_SIZE / 2)
        snprintf(n->name[n->count++], MSG_NAME_SIZE, "%.31s", key + 13);         /* behind "WRED_PROFILE|" */
}

static void init_redis(struct redis *r, const char *root)
{
    char socket[400];

    snprintf(socket, sizeof socket, "%s/var/run/redis/redis.sock", strcmp(root, "/") ? root : "");
    redis_init(r, socket);
}

static int find(const struct driver *driver, const char *root, char name[][MSG_NAME_SIZE], struct err *err)
{
    struct redis r;
    struct names n = { name, 0 };

    (void)driver;
    init_redis(&r, root);
    int rc = redis_check(&r, err);
    if (!rc && redis_keys(&r, REDIS_CONFIG, "WRED_PROFILE|*", add_profile, &n))
        rc = err_set(err, EIO, "%s: CONFIG_DB cannot be read", r.socket);
    redis_fini(&r);
    return rc ? rc : n.count ? n.count : err_set(err, ENOENT, "there is no WRED profile in CONFIG_DB");
}

/* ---- queues ---- */

/* The place of a port in the report; MSG_PORTS_MAX: there is no room. */
static uint32_t port_of(struct sonic *s, const char *name, uint64_t rate_bps)
{
    uint32_t i = 0;

    while (i < s->ports && strcmp(s->port[i].name, name) != 0)
        i++;
    if (i == MSG_PORTS_MAX || strlen(name) >= MSG_PORT_NAME_SIZE)
        return MSG_PORTS_MAX;
    if (i == s->ports) {
        s->port[s->ports++] = (struct sonic_port){ .rate_bps = rate_bps };
        memcpy(s->port[i].name, name, strlen(name) + 1);
    }
    s->port[i].queues++;
    return i;
}

/* One queue of a port: "Ethernet0", 3. Its counters are found by name. */
static void add_queue(struct sonic *s, const char *port, unsigned number, const char *config)
{
    struct sonic_queue *q = &s->queue[s->queues];
    char                oid[48], port_key[SONIC_KEY_SIZE];
    uint64_t            mbps = 0;

    if (s->queues == SONIC_QUEUES_MAX || strlen(port) >= sizeof q->port)
        return;
    *q = (struct sonic_queue){ .number = number };
    snprintf(q->port, sizeof q->port, "%s", port);
    snprintf(q->name, sizeof q->name, "%s:%u", port, number);
    snprintf(q->config, sizeof q->config, "%s", config);
    snprintf(q->own, sizeof q->own, "WRED_PROFILE|ANOLE_%.40s_%u", port, number);
    if (redis_get(&s->redis, REDIS_COUNTERS, "COUNTERS_QUEUE_NAME_MAP", q->name, oid, sizeof oid) == 0) {
        snprintf(q->counters, sizeof q->counters, "COUNTERS:%s", oid);
        snprintf(q->asic, sizeof q->asic, "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:%s", oid);
    } else if (!s->is_all) {
        return;
    }
    if (redis_get(&s->redis, REDIS_COUNTERS, "COUNTERS_PORT_NAME_MAP", port, oid, sizeof oid) == 0)
        snprintf(q->port_counters, sizeof q->port_counters, "COUNTERS:%s", oid);
    snprintf(port_key, sizeof port_key, "PORT|%s", port);
    redis_number(&s->redis, REDIS_CONFIG, port_key, "speed", &mbps);
    q->rate_bps = mbps * 1000000;
    s->queues++;
}

/* "QUEUE|Ethernet0,Ethernet4|3-4": its queues, if it names the profile. "all-3" takes entries of one port and
 * this queue alone. */
static void visit_queue(void *arg, const char *key)
{
    struct sonic *s = arg;
    char          profile[MSG_NAME_SIZE], ports[SONIC_KEY_SIZE], *rest;

    snprintf(ports, sizeof ports, "%s", key + strlen("QUEUE|"));
    char *numbers = strchr(ports, '|');
    if (!numbers || numbers[1] < '0' || numbers[1] > '9')
        return;                  /* a chassis has other keys */
    *numbers++ = '\0';
    unsigned long first = strtoul(numbers, &rest, 10);
    if (s->is_all) {
        if (!*rest && first == s->number && !strchr(ports, ',') && s->queues < IO_QUEUES_MAX)
            add_queue(s, ports, s->number, key);
        return;
    }
    unsigned long last = *rest == '-' ? strtoul(rest + 1, &rest, 10) : first;
    if (*rest || redis_get(&s->redis, REDIS_CONFIG, key, "wred_profile", profile, sizeof profile) ||
        strcmp(profile, s->profile) != 0)
        return;
    for (char *port = strtok_r(ports, ",", &rest); port; port = strtok_r(NULL, ",", &rest))
        for (unsigned long i = first; i <= last && i < 64; i++)
            add_queue(s, port, (unsigned)i, key);
}

/* Ethernet4 before Ethernet12. */
static int by_port(const void *a, const void *b)
{
    const char *x = ((const struct sonic_queue *)a)->port, *y = ((const struct sonic_queue *)b)->port;
    size_t      m = strlen(x), n = strlen(y);

    return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

static int find_queues(struct sonic *s, struct err *err)
{
    if (redis_keys(&s->redis, REDIS_CONFIG, "QUEUE|*", visit_queue, s))
        return err_set(err, EIO, "%s: CONFIG_DB cannot be read", s->redis.socket);
    if (s->is_all)
        qsort(s->queue, s->queues, sizeof *s->queue, by_port);
    for (uint32_t i = 0; i < s->queues; i++) {
        s->rate_bps += s->queue[i].rate_bps;
        s->queue[i].place = port_of(s, s->queue[i].port, s->queue[i].rate_bps);
    }
    return 0;
}

/* The object that the ASIC has for the profile: the one that its first queue names. */
static int find_asic_key(struct sonic *s, struct err *err)
{
    char oid[64];

    if (!s->queues)
        return err_set(err, ENOENT,
                       "%s: no queue names this profile, or queue counters are off (counterpoll queue "
                       "enable)", s->profile);
    if (redis_get(&s->redis, REDIS_ASIC, s->queue->asic, "SAI_QUEUE_ATTR_WRED_PROFILE_ID", oid, sizeof oid))
        return err_set(err, ENOENT, "%s: ASIC_DB does not say which profile %s has", s->profile,
                       s->queue->name);
    snprintf(s->asic_key, sizeof s->asic_key, "ASIC_STATE:SAI_OBJECT_TYPE_WRED:%.63s", oid);
    return 0;
}

/* ---- opening ---- */

static bool is_profile_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
            return false;
    return isalnum((unsigned char)*name) && strlen(name) <= 32;
}

static int check_profile(struct sonic *s, struct err *err)
{
    uint64_t value;

    for (int i = 0; i < FIELDS; i++)
        if (redis_number(&s->redis, REDIS_CONFIG, s->key, sonic_config_names[i], &value))
            return err_set(err, ENOENT, "%s: it has no %s", s->key, sonic_config_names[i]);
    return sonic_has_ecn(&s->redis, s->key) ? 0 :
           err_set(err, EPERM, "%s: ECN is not on for green packets", s->key);
}

static void close_device(void *state)
{
    struct sonic *s = state;

    redis_fini(&s->redis);
    free(s);
}

/* "all-3" -> 3. False: it is not such a name. */
static bool is_all(const char *name, unsigned *number)
{
    char *end;

    if (strncmp(name, "all-", 4) != 0 || name[4] < '0' || name[4] > '9')
        return false;
    *number = (unsigned)strtoul(name + 4, &end, 10);
    return !*end && *number < 64;
}

static int open_device(const struct driver *driver, void **state, const char *root, const char *name,
                       struct err *err)
{
    struct sonic *s = xcalloc(1, sizeof *s);
    int           rc = 0;

    (void)driver;
    *state = NULL;
    init_redis(&s->redis, root);
    s->is_all = is_all(name, &s->number);
    snprintf(s->profile, sizeof s->profile, "%s", name);
    snprintf(s->key, sizeof s->key, "WRED_PROFILE|%s", name);
    if (!s->is_all && !is_profile_name(name))
        rc = err_set(err, EINVAL, "'%s' is not the name of a profile", name);
    rc = rc ? rc : redis_check(&s->redis, err);
    if (!rc && !s->is_all)
        rc = check_profile(s, err);
    rc = rc ? rc : find_queues(s, err);
    rc = rc ? rc : s->is_all ? sonic_queues_check(s, err) : find_asic_key(s, err);
    if (rc)
        close_device(s);
    else
        *state = s;
    return rc;
}

/* ---- knobs ---- */

/* The values in CONFIG_DB. -EAGAIN: the ASIC does not have them yet. */
static int read_fields(struct sonic *s, uint64_t value[FIELDS])
{
    uint64_t asic;
    int      rc = 0;

    for (int i = 0; i < FIELDS && !rc; i++) {
        rc = redis_number(&s->redis, REDIS_CONFIG, s->key, sonic_config_names[i], &value[i]);
        rc = rc ? rc : redis_number(&s->redis, REDIS_ASIC, s->asic_key, sonic_asic_names[i], &asic);
        if (!rc && asic != value[i])
            rc = -EAGAIN;
    }
    return rc;
}

static int read_knobs(void *state, struct knob_set *set)
{
    struct sonic   *s = state;
    struct knob_set read = { 0 };
    uint64_t        value[FIELDS];
    struct err      err;
    int             rc;

    if (s->is_all) {             /* its queues are set one by one */
        rc = redis_check(&s->redis, &err);
        if (!rc)
            *set = read;
        return rc;
    }
    rc = read_fields(s, value);
    if (rc)
        return rc;
    for (int i = 0; i < FIELDS; i++)
        knob_set_add(&read, fields[i].knob, (double)value[i] / fields[i].scale);
    *set = read;
    return 0;
}

/* Whole numbers in the range of the field, or nothing. Percent have no fractions. */
static int field_of(const struct field *f, double knob, uint64_t *value)
{
    double scaled = knob * f->scale, whole = nearbyint(scaled);

    if (!(scaled >= 0 && scaled <= INT32_MAX) || fabs(scaled - whole) > 1e-6 * fmax(1, scaled) ||
        (f->knob == KNOB_pmax && whole > 100))
        return -EINVAL;
    *value = (uint64_t)whole;
    return 0;
}

/* -ENOENT: it names a knob that a profile does not have. */
static int check_names(const struct knob_set *set)
{
    int rc = 0;

    for (int k = 0; k < KNOB_COUNT && !rc; k++)
        if (set->is_named[k] && k != KNOB_kmin && k != KNOB_kmax && k != KNOB_pmax)
            rc = -ENOENT;
    return rc;
}

/* Waits until the ASIC has the values. */
static int settle(struct sonic *s)
{
    uint64_t value[FIELDS], until_us = clock_us() + SETTLE_US;
    int      rc;

    while ((rc = read_fields(s, value)) == -EAGAIN && clock_us() < until_us)
        usleep(POLL_US);
    return rc == -EAGAIN ? -ETIMEDOUT : rc;
}

static int settle_device(void *state)
{
    return settle(state);
}

/* ---- for a guard ---- */

/* Sets fields of a hash, unless one holds neither of two texts ("*": any) and so is someone else's. Redis runs
 * a script as one step. Unchanged fields are not written. */
static const char script[] =
    "local w={} for i=1,#ARGV,3 do local v,a,b=redis.call('HGET',KEYS[1],ARGV[i]),ARGV[i+1],ARGV[i+2] "
    "if v~=a and v~=b and a~='*' then return 0 end if v~=b then w[#w+1]=ARGV[i] w[#w+1]=b end end "
    "if #w>0 then redis.call('HSET',KEYS[1],unpack(w)) end return 1";

struct request { char *text; size_t size, used; };

static void add_word(struct request *r, const char *word)
{
    if (r->used < r->size)
        r->used += (size_t)snprintf(r->text + r->used, r->size - r->used, "$%zu\r\n%s\r\n", strlen(word),
                                    word);
}

/* "SELECT 4" and "EVAL", as Redis reads them. -EFBIG: it is too long. */
static int put_request(char text[GUARD_TEXT_SIZE], const struct sonic *s, const uint64_t from[FIELDS],
                       const uint64_t to[FIELDS], const bool is_set[FIELDS], bool is_any)
{
    struct request r = { text, GUARD_TEXT_SIZE, 0 };
    int            count = 0;
    char           number[24];

    for (int i = 0; i < FIELDS; i++)
        count += is_set[i];
    r.used = (size_t)snprintf(text, r.size, "*2\r\n$6\r\nSELECT\r\n$1\r\n%d\r\n*%d\r\n", REDIS_CONFIG,
                              4 + 3 * count);
    add_word(&r, "EVAL");
    add_word(&r, script);
    add_word(&r, "1");
    add_word(&r, s->key);
    for (int i = 0; i < FIELDS; i++) {
        if (!is_set[i])
            continue;
        add_word(&r, sonic_config_names[i]);
        snprintf(number, sizeof number, "%" PRIu64, from[i]);
        add_word(&r, is_any ? "*" : number);
        snprintf(number, sizeof number, "%" PRIu64, to[i]);
        add_word(&r, number);
    }
    return r.used < r.size ? 0 : -EFBIG;
}

static int prepare(void *state, const struct knob_set *set, const struct knob_set *back,
                   struct guard_line *line, uint32_t *count)
{
    const struct sonic *s = state;
    uint64_t            new[FIELDS] = { 0 }, old[FIELDS] = { 0 };
    bool                is_set[FIELDS] = { false };
    int                 rc = s->is_all ? -ENOENT : check_names(set);

    for (int i = 0; i < FIELDS && !rc; i++) {
        enum knob k = fields[i].knob;

        is_set[i] = set->is_named[k];
        if (!is_set[i])
            continue;
        rc = back->is_named[k] ? field_of(&fields[i], set->knobs.value[k], &new[i]) : -ENOENT;
        rc = rc ? rc : field_of(&fields[i], back->knobs.value[k], &old[i]);
    }
    *count = 1;
    *line = (struct guard_line){ .target = GUARD_SOCKET, .good = "+OK\r\n:1\r\n",
                                 .foreign = "+OK\r\n:0\r\n" };
    if (!rc && strlen(s->redis.socket) >= sizeof line->path)
        rc = -ENAMETOOLONG;
    snprintf(line->path, sizeof line->path, "%.*s", (int)sizeof line->path - 1, s->redis.socket);
    rc = rc ? rc : put_request(line->attempt, s, old, new, is_set, false);
    return rc ? rc : put_request(line->back, s, new, old, is_set, memcmp(new, old, sizeof new) == 0);
}

static int write_knobs(void *state, const struct knob_set *set)
{
    struct sonic      *s = state;
    struct redis_field change[FIELDS];
    uint64_t           is[FIELDS], wanted;
    int                count = 0, rc = s->is_all ? -ENOENT : read_fields(s, is);

    rc = rc ? rc : check_names(set);
    for (int i = 0; i < FIELDS && !rc; i++) {
        if (!set->is_named[fields[i].knob])
            continue;
        rc = field_of(&fields[i], set->knobs.value[fields[i].knob], &wanted);
        if (!rc && wanted != is[i])
            change[count++] = (struct redis_field){ sonic_config_names[i], is[i], wanted };
    }
    if (!rc && count)
        rc = redis_set(&s->redis, s->key, change, count);
    return rc ? rc : settle(s);
}

/* ---- counters ---- */

/* A missing counter is 0 and unknown. The length of a queue is its peak since syncd last looked, if the
 * switch keeps watermarks. */
static struct sonic_sums read_counters(struct sonic *s, const struct sonic_queue *q)
{
    char pause[64], state[32] = "";
    const struct { const char *key, *field; uint64_t unknown; } row[SONIC_COUNTERS] = {
        [SONIC_BYTES] = { q->counters, "SAI_QUEUE_STAT_BYTES", MSG_UNKNOWN(tx_bytes) },
        [SONIC_DROPS] = { q->counters, "SAI_QUEUE_STAT_DROPPED_PACKETS", MSG_UNKNOWN(lossless_drops) },
        [SONIC_MARKED] = { q->counters, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
                           MSG_UNKNOWN(marked_packets) },
        [SONIC_PAUSED_US] = { q->port_counters, pause, SONIC_UNKNOWN_PAUSED },
    };
    struct sonic_sums is = { 0 };

    snprintf(pause, sizeof pause, "SAI_PORT_STAT_PFC_%u_RX_PAUSE_DURATION_US", q->number);
    for (int i = 0; i < SONIC_COUNTERS; i++)
        if (!*row[i].key || redis_number(&s->redis, REDIS_COUNTERS, row[i].key, row[i].field, &is.value[i])) {
            is.unknown |= row[i].unknown;
            is.missing++;
        }
    if (redis_get(&s->redis, REDIS_COUNTERS, q->counters, "PFC_WD_STATUS", state, sizeof state) || !*state)
        is.unknown |= MSG_UNKNOWN(watchdog);
    is.is_stormed = strcmp(state, "stormed") == 0;
    is.has_queue = *q->counters && redis_number(&s->redis, REDIS_COUNTERS, q->counters,
                                                "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
                                                &is.queue_bytes) == 0;
    return is;
}

static void add_sums(struct sonic_sums *sum, const struct sonic_sums *is)
{
    for (int i = 0; i < SONIC_COUNTERS; i++)
        sum->value[i] += is->value[i];
    sum->unknown |= is->unknown;
    sum->missing += is->missing;
    sum->is_stormed |= is->is_stormed;
    sum->has_queue |= is->has_queue;
    sum->queue_bytes = max_u64(is->queue_bytes, sum->queue_bytes);
}

/* Do both readings have the same counters, and has none decreased? A counter that comes or goes would look
 * like all that it has ever counted. */
static bool is_comparable(const struct sonic_sums *is, const struct sonic_sums *was)
{
    bool are_up = is->missing == was->missing;

    for (int i = 0; i < SONIC_COUNTERS; i++)
        are_up &= is->value[i] >= was->value[i];
    return are_up;
}

/* The increase of a counter. One that decreased was reset, and gives 0. */
static uint64_t since(const struct sonic_sums *is, const struct sonic_sums *was, int counter)
{
    return is->value[counter] > was->value[counter] ? is->value[counter] - was->value[counter] : 0;
}

/* The activity of each port since the last reading, and its current counters. */
static void take_ports(struct sonic *s, const struct sonic_sums *is, uint64_t interval_us)
{
    s->detail.ports = s->ports;
    for (uint32_t i = 0; i < s->ports; i++) {
        struct sonic_port     *p = &s->port[i];
        struct msg_port *to = &s->detail.port[i];
        uint64_t         paused_us = since(&is[i], &p->last, SONIC_PAUSED_US) / p->queues;

        *to = (struct msg_port){ .tx_bytes = since(&is[i], &p->last, SONIC_BYTES), .rate_bps = p->rate_bps,
                                 .paused_ps = min_u64(paused_us, interval_us) * PS_PER_US,
                                 .marked_packets = since(&is[i], &p->last, SONIC_MARKED),
                                 .queue_bytes = is[i].queue_bytes, .has_queue = is[i].has_queue };
        memcpy(to->name, p->name, sizeof to->name);
        p->last = is[i];
    }
}

static int sample(void *state, struct msg_sample *out)
{
    struct sonic     *s = state;
    struct sonic_sums is = { 0 }, was = s->last, port[MSG_PORTS_MAX + 1] = { 0 };
    uint64_t          at_us = clock_us(), interval_us = at_us - s->sampled_us;
    bool              is_first = !s->sampled_us;
    struct err        err;

    if (redis_check(&s->redis, &err))
        return -EIO;
    for (uint32_t i = 0; i < s->queues; i++) {
        struct sonic_sums queue = read_counters(s, &s->queue[i]);

        add_sums(&is, &queue);
        add_sums(&port[s->queue[i].place], &queue);
    }
    *out = (struct msg_sample){ .interval_us = interval_us, .rate_bps = s->rate_bps,
                                .watchdog = is.is_stormed, .metric = NAN, .paused = NAN,
                                 .unknown = MSG_UNKNOWN(cnps) | (is.unknown & ~SONIC_UNKNOWN_PAUSED) };
    out->is_stale = !is_first && is.missing == was.missing &&
                    memcmp(is.value, was.value, sizeof is.value) == 0;
    if (out->is_stale)
        return 0;                /* the ASIC was not polled since: only storms are known */
    s->last = is;
    s->sampled_us = at_us;
    take_ports(s, port, interval_us);
    if (is_first || !is_comparable(&is, &was))
        return -EAGAIN;
    out->tx_bytes = since(&is, &was, SONIC_BYTES);
    out->lossless_drops = since(&is, &was, SONIC_DROPS);
    out->marked_packets = since(&is, &was, SONIC_MARKED);
    if (!(is.unknown & SONIC_UNKNOWN_PAUSED))
        out->paused = fmin(1, (double)since(&is, &was, SONIC_PAUSED_US) / (double)interval_us / s->queues);
    out->metric = msg_metric(out);
    out->detail = &s->detail;
    return 0;
}

const struct driver driver_sonic = {
    .find = find, .open = open_device, .close = close_device, .read = read_knobs, .write = write_knobs,
    .prepare = prepare, .settle = settle_device,
    .sample = sample, .queues = &sonic_queues_io, .name = "sonic",
    .about = "SONiC switches: WRED profiles in Redis", .where = KNOB_SWITCH,
};
