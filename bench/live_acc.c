/* bench/live_acc.c - the cost of ACC at an agent for a switch of 48 busy ports, every 500 us.
 *
 *   live_acc [FOLDER]
 *
 * agent48:       counters and thresholds in memory: reading, deciding, bounds, and setting new values
 * agent48_redis: the same through the driver 'sonic', on the switch in FOLDER (anole-switch FOLDER 48 25000),
 * with the
 *                shares of the agent and of Redis. It includes no changes: the 20 per second that agents make
 *                cost almost
 *                nothing. 'change' is the cost of one.
 *
 * Updating the counters is not included. All results are CPU time, so they do not depend on other processes.
 */
#include "base/rng.h"
#include "bench.h"
#include "live/driver/redis.h"
#include "live/driver/sonic.h"
#include "live/daemon/queues/queue_tuner.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define QUEUES  48
#define SLOT_US 500
#define SLOTS   4000

struct memory {
    struct queue_slot slot[QUEUES];
    struct ecn        ecn[QUEUES];
    struct rng        rng;
};

/* ---- queues in memory ---- */

static uint32_t list(void *arg, struct queue_facts fact[IO_QUEUES_MAX], char name[IO_QUEUES_MAX][MSG_NAME_SIZE])
{
    (void)arg;
    for (uint32_t i = 0; i < QUEUES; i++) {
        fact[i] = (struct queue_facts){ .rate_bps = 25000000000 };
        snprintf(name[i], MSG_NAME_SIZE, "%u", i);
    }
    return QUEUES;
}

static int look(void *arg, struct queue_slot *slot, uint64_t *us)
{
    memcpy(slot, ((struct memory *)arg)->slot, sizeof ((struct memory *)arg)->slot);
    *us = SLOT_US;
    return 0;
}

static int read_queues(void *arg, struct ecn *ecn, bool *is_settled)
{
    memcpy(ecn, ((struct memory *)arg)->ecn, sizeof ((struct memory *)arg)->ecn);
    for (int i = 0; i < QUEUES; i++)
        is_settled[i] = true;
    return 0;
}

static int write_queue(void *arg, uint32_t queue, const struct ecn *was, const struct ecn *is)
{
    (void)was;
    ((struct memory *)arg)->ecn[queue] = *is;
    return 0;
}

static const struct io_queues in_memory = { list, look, read_queues, write_queue, NULL, 0 };

static void pass_in_memory(struct memory *m)
{
    for (int i = 0; i < QUEUES; i++)
        m->slot[i] = (struct queue_slot){ .tx_bytes = 700000 + rng_below(&m->rng, 800000), .marked_bytes = rng_below(&m->rng, 100000),
                                          .queue_bytes_mean = 6000 + rng_below(&m->rng, 400000) };
}

/* ---- an agent with permission to write ---- */

static int save(void *arg, const char *name, const char *text, size_t length)
{
    (void)arg, (void)name, (void)text, (void)length;
    return 0;
}

static long load(void *arg, const char *name, char *text, size_t size)
{
    (void)arg, (void)name;
    if (size)
        text[0] = '\0';
    return -ENOENT;
}

static int append(void *arg, const char *text, size_t length)
{
    (void)arg, (void)text, (void)length;
    return 0;
}

static uint64_t wall(void *arg)
{
    (void)arg;
    return 0;
}

static int read_nothing(void *arg, struct knob_set *set)
{
    (void)arg;
    *set = (struct knob_set){ 0 };
    return 0;
}

static void hear(void *arg, const struct msg *m)
{
    (void)arg, (void)m;
}

static void make_agent(struct agent *a, struct agent_config *cfg)
{
    struct agent_io io = { .disk = { save, load, append, wall, NULL }, .device = { .read = read_nothing }, .send = hear };
    struct audit    audit;

    agent_config_init(cfg, KNOB_SWITCH);
    snprintf(cfg->name, sizeof cfg->name, "leaf/all-3");
    cfg->may_write = cfg->has_tuner = true;
    audit_init(&audit);
    agent_init(a, cfg, &io, 1);
    agent_start(a, &audit, 1);
    a->self.is_allowed = true;
    a->lease_until_us = UINT64_MAX;
}

static struct queue_tuner *make_tuner(struct agent *a, const struct io_queues *io, void *device, double changes_per_s)
{
    static struct option_text option[] = { { "slot_us", "500", "" } };
    struct queue_tuner_config cfg = { .tuner = { .kind = "acc", .place = "", .option = option, .options = 1, .beside = "" },
                                      .changes_per_s = changes_per_s };
    struct queue_tuner       *t;
    struct err                err;

    if (queue_tuner_new(&t, &cfg, a, io, device, &err))
        bench_fail("live_acc", err.text);
    queue_tuner_start(t, 1);
    return t;
}

static void check_decisions(const struct agent *a)
{
    if (a->self.decisions < (uint64_t)QUEUES * SLOTS * 9 / 10)
        bench_fail("live_acc", "queues that should be busy were idle");
}

static void run_in_memory(void)
{
    static struct memory       m;
    static struct agent        agent;
    static struct agent_config cfg;
    struct queue_tuner        *t;
    double                     s = 0;

    rng_init(&m.rng, 1, 0);
    for (int i = 0; i < QUEUES; i++)
        m.ecn[i] = (struct ecn){ 400000, 1600000, 0.2 };
    make_agent(&agent, &cfg);
    t = make_tuner(&agent, &in_memory, &m, (double)INFINITY);
    for (uint64_t n = 1; n <= SLOTS; n++) {
        double before;

        pass_in_memory(&m);
        before = bench_cpu_s();
        queue_tuner_on_slot(t, n * SLOT_US);
        s += bench_cpu_s() - before;
    }
    check_decisions(&agent);
    bench_print("acc.agent48", 100 * s / SLOTS / (SLOT_US * 1e-6), "%core");
    bench_print("acc.agent48_changes", (double)agent.self.changes / SLOTS, "/slot");
    queue_tuner_free(t);
}

/* ---- through Redis ---- */

static double redis_cpu_s(redisContext *c)
{
    redisReply *reply = redisCommand(c, "INFO cpu");
    double      s = 0;

    for (const char *name[] = { "used_cpu_sys:", "used_cpu_user:", NULL }, **n = name; *n; n++) {
        const char *at = reply && reply->type == REDIS_REPLY_STRING ? strstr(reply->str, *n) : NULL;

        s += at ? strtod(at + strlen(*n), NULL) : 0;
    }
    freeReplyObject(reply);
    return s;
}

/* As syncd would. */
static void pass_in_redis(redisContext *c, struct rng *rng, uint64_t *sent, uint64_t *marked)
{
    for (int i = 0; i < QUEUES; i++) {
        sent[i] += 700000 + rng_below(rng, 800000);
        marked[i] += rng_below(rng, 100000);
        redisAppendCommand(c, "HSET COUNTERS:oid:0x150000000%05x SAI_QUEUE_STAT_BYTES %" PRIu64 " SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES %" PRIu64
                           " SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES %" PRIu64, i, sent[i], marked[i], 6000 + (uint64_t)rng_below(rng, 400000));
    }
    for (int i = 0; i < QUEUES; i++) {
        void *reply;

        if (redisGetReply(c, &reply) != REDIS_OK)
            bench_fail("live_acc", "Redis is gone");
        freeReplyObject(reply);
    }
}

struct measured { double agent_s, redis_s, traffic_s; };

static struct measured measure(redisContext *c, struct queue_tuner *t, struct rng *rng, uint64_t slots)
{
    static uint64_t sent[QUEUES], marked[QUEUES];
    struct measured m = { 0 };

    for (uint64_t n = 1; n <= slots; n++) {
        double at = redis_cpu_s(c), before;

        pass_in_redis(c, rng, sent, marked);
        m.traffic_s += redis_cpu_s(c) - at;
        at = redis_cpu_s(c);
        before = bench_cpu_s();
        queue_tuner_on_slot(t, n * SLOT_US);
        m.agent_s += bench_cpu_s() - before;
        m.redis_s += redis_cpu_s(c) - at;
    }
    return m;
}

static void measure_change(void *device)
{
    struct ecn ecn[QUEUES], other;
    bool       is_settled[QUEUES];
    double     before;
    int        count = 0;

    if (driver_sonic.queues->read(device, ecn, is_settled))
        bench_fail("live_acc", "the switch cannot be read");
    before = bench_cpu_s();
    for (int n = 0; n < 20; n++)
        for (uint32_t i = 0; i < QUEUES; i++) {
            other = ecn[i];
            other.kmax_bytes++;
            count += driver_sonic.queues->write(device, i, &ecn[i], &other) == 0;
            count += driver_sonic.queues->write(device, i, &other, &ecn[i]) == 0;
        }
    if (count != 2 * 20 * QUEUES)
        bench_fail("live_acc", "changes were refused");
    bench_print("acc.change_redis", (bench_cpu_s() - before) / count * 1e6, "us");
}

static void run_in_redis(const char *folder)
{
    static struct agent        agent;
    static struct agent_config cfg;
    char                       path[400];
    struct queue_tuner        *t;
    redisContext              *c;
    struct rng                 rng;
    struct err                 err;
    struct measured            m;
    void                      *device;

    snprintf(path, sizeof path, "%s/var/run/redis/redis.sock", folder);
    c = redisConnectUnix(path);
    if (!c || c->err)
        bench_fail("live_acc", "there is no switch in this folder");
    freeReplyObject(redisCommand(c, "SELECT %d", REDIS_COUNTERS));
    if (driver_sonic.open(&driver_sonic, &device, folder, "all-3", &err))
        bench_fail("live_acc", err.text);
    rng_init(&rng, 1, 0);
    make_agent(&agent, &cfg);
    agent.self.is_allowed = false;               /* it decides without setting values: see above */
    t = make_tuner(&agent, driver_sonic.queues, device, 20);
    m = measure(c, t, &rng, SLOTS);
    if (agent.self.queues != QUEUES)
        bench_fail("live_acc", "the switch must have 48 ports");
    check_decisions(&agent);
    bench_print("acc.agent48_redis", 100 * m.agent_s / SLOTS / (SLOT_US * 1e-6), "%core");
    bench_print("acc.redis48", 100 * m.redis_s / SLOTS / (SLOT_US * 1e-6), "%core");
    measure_change(device);
    queue_tuner_free(t);
    driver_sonic.close(device);
    redisFree(c);
}

int main(int argc, char **argv)
{
    run_in_memory();
    if (argc > 1)
        run_in_redis(argv[1]);
    return 0;
}
