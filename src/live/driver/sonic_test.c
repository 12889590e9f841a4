/* src/live/driver/sonic_test.c - the driver on a real Redis with a small orchagent, which copies CONFIG_DB
 * to ASIC_DB after a delay and exits at a value that is not digits. */
#include "live/driver/sonic.h"
#include "base/io/clock.h"
#include "base/text.h"
#include "live/driver/redis.h"
#include "live/guard/guard_link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char  root[64];
static pid_t server, orchagent;
static bool  has_redis;

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...)
{
    char    command[2048] = "";
    int     used = snprintf(command, sizeof command,
                            "cd '%s' && redis() { redis-cli -s var/run/redis/redis.sock \"$@\"; } && ", root);
    va_list args;

    va_start(args, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, args);
    va_end(args);
    return system(command);
}

static pid_t start(const char *command)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    if (chdir(root) == 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void stop(pid_t *pid)
{
    if (!*pid)
        return;
    kill(*pid, SIGKILL);
    waitpid(*pid, NULL, 0);
    *pid = 0;
}

/* Copies field by field, as orchagent does, 100 ms later. */
#define ORCHAGENT \
    "while sleep 0.1; do for f in min_threshold max_threshold drop_probability; do " \
    "v=$(redis-cli -s var/run/redis/redis.sock -n 4 HGET 'WRED_PROFILE|P' green_$f); " \
    "case $v in *[!0-9]*) exit 1 ;; esac; " \
    "redis-cli -s var/run/redis/redis.sock -n 1 HSET ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x13 " \
    "SAI_WRED_ATTR_GREEN_$(echo $f | tr a-z A-Z) $v >/dev/null; done; done"

static int set_up(void **unused)
{
    (void)unused;
    has_redis = system("command -v redis-server >/dev/null") == 0;
    if (!has_redis)
        return 0;
    snprintf(root, sizeof root, "/tmp/anole-sonic-XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(shell("mkdir -p var/run/redis"), 0);
    server = start("exec redis-server --port 0 --unixsocket var/run/redis/redis.sock --save '' --databases "
                   "100 >log 2>&1");
    assert_int_equal(shell("for i in $(seq 200); do redis ping 2>/dev/null | grep -q PONG && exit 0; sleep "
                           "0.05; done; exit 1"), 0);
    assert_int_equal(shell("{ redis -n 4 HSET 'WRED_PROFILE|P' green_min_threshold 1048576 "
                           "green_max_threshold 2097152 "
          "green_drop_probability 5 ecn ecn_all wred_green_enable true yellow_min_threshold 7 && redis -n "
          "4 HSET 'QUEUE|Ethernet0|3-4' wred_profile P scheduler s && redis -n 4 HSET 'PORT|Ethernet0' "
          "speed 100000 && redis -n 2 HSET COUNTERS_QUEUE_NAME_MAP Ethernet0:3 oid:0x15 Ethernet0:4 "
          "oid:0x16 && redis -n 2 HSET COUNTERS_PORT_NAME_MAP Ethernet0 oid:0x10 && redis -n 2 HSET "
          "COUNTERS:oid:0x15 SAI_QUEUE_STAT_BYTES 1000 SAI_QUEUE_STAT_DROPPED_PACKETS 7 && redis -n 2 "
          "HSET COUNTERS:oid:0x16 SAI_QUEUE_STAT_BYTES 0 && redis -n 1 HSET "
          "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x15 SAI_QUEUE_ATTR_WRED_PROFILE_ID oid:0x13 && redis -n 1 "
          "HSET ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x13 SAI_WRED_ATTR_GREEN_MIN_THRESHOLD 1048576 "
          "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD 2097152 SAI_WRED_ATTR_GREEN_DROP_PROBABILITY 5; } >/dev/null"),
          0);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    stop(&orchagent);
    stop(&server);
    if (has_redis)
        shell("rm -rf '%s'", root);
    return 0;
}

static void *must_open(void)
{
    struct err err = { "" };
    void      *device = NULL;

    if (!has_redis)
        skip();
    if (driver_sonic.open(&driver_sonic, &device, root, "P", &err))
        fail_msg("%s", err.text);
    return device;
}

static struct knob_set set_of(double kmin, double kmax, double pmax)
{
    struct knob_set set = { 0 };

    knob_set_add(&set, KNOB_kmin, kmin);
    knob_set_add(&set, KNOB_kmax, kmax);
    knob_set_add(&set, KNOB_pmax, pmax);
    return set;
}

static void read__returns_what_config_and_asic_agree_on(void **unused)
{
    void           *device = must_open();
    struct knob_set set;

    (void)unused;
    assert_int_equal(driver_sonic.read(device, &set), 0);
    assert_true(set.knobs.value[KNOB_kmin] == 1048.576 && set.knobs.value[KNOB_kmax] == 2097.152);
    assert_true(set.knobs.value[KNOB_pmax] == 0.05);
    shell("redis -n 4 HSET 'WRED_PROFILE|P' green_min_threshold 5 >/dev/null");
    assert_int_equal(driver_sonic.read(device, &set), -EAGAIN);
    driver_sonic.close(device);
}

static void write__is_one_hset_of_digits_seen_in_the_asic(void **unused)
{
    void           *device = must_open();
    struct knob_set set = set_of(800, 2097.152, 0.2), read;

    (void)unused;
    orchagent = start(ORCHAGENT);
    start("timeout 4 redis-cli -s var/run/redis/redis.sock monitor >monitor");
    assert_int_equal(shell("sleep 0.3"), 0);
    assert_int_equal(driver_sonic.write(device, &set), 0);
    assert_int_equal(driver_sonic.read(device, &read), 0);
    assert_true(read.knobs.value[KNOB_kmin] == 800 && read.knobs.value[KNOB_pmax] == 0.2);
    assert_int_equal(driver_sonic.write(device, &set), 0);       /* the same values again: nothing is sent */
    assert_int_equal(shell("[ \"$(grep -c 'HSET\" \"WRED_PROFILE' monitor)\" = 1 ] && grep -q "
                           "'\\[4 .*\"HSET\" \"WRED_PROFILE|P\" \"green_min_threshold\" \"800000\" "
                           "\"green_drop_probability\" \"20\"$' monitor"), 0);
    assert_int_equal(shell("[ \"$(redis -n 4 HGET 'WRED_PROFILE|P' yellow_min_threshold)\" = 7 ]"), 0);
    driver_sonic.close(device);
}

static void write__refuses_values_that_do_not_fit_the_fields(void **unused)
{
    void           *device = must_open();
    struct knob_set set = set_of(800, 1600, 0.055), other = { 0 };

    (void)unused;
    assert_int_equal(driver_sonic.write(device, &set), -EINVAL);         /* half a percent */
    set = set_of(3e6, 3e6, 0.05);
    assert_int_equal(driver_sonic.write(device, &set), -EINVAL);         /* 3 GB do not fit */
    knob_set_add(&other, KNOB_rpg_ai_rate, 5);
    assert_int_equal(driver_sonic.write(device, &other), -ENOENT);
    assert_int_equal(shell("[ \"$(redis -n 4 HGET 'WRED_PROFILE|P' green_min_threshold)\" = 1048576 ]"), 0);
    driver_sonic.close(device);
}

static void write__without_an_orchagent_times_out(void **unused)
{
    void           *device = must_open();
    struct knob_set set = set_of(800, 1600, 0.05);

    (void)unused;
    assert_int_equal(driver_sonic.write(device, &set), -ETIMEDOUT);
    driver_sonic.close(device);
}

static void sample__takes_differences_and_reports_stale_counters(void **unused)
{
    void             *device = must_open();
    struct msg_sample s;

    (void)unused;
    assert_int_equal(driver_sonic.sample(device, &s), -EAGAIN);
    assert_int_equal(driver_sonic.sample(device, &s), 0);
    assert_true(isnan(s.metric));
    shell("redis -n 2 HSET COUNTERS:oid:0x15 SAI_QUEUE_STAT_BYTES 5000 SAI_QUEUE_STAT_DROPPED_PACKETS 9 "
          "PFC_WD_STATUS stormed SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES 7000 >/dev/null; redis -n 2 HSET "
          "COUNTERS:oid:0x16 SAI_QUEUE_STAT_BYTES 300 >/dev/null");
    assert_int_equal(driver_sonic.sample(device, &s), 0);
    assert_int_equal(s.tx_bytes, 4300);
    assert_int_equal(s.lossless_drops, 2);
    assert_int_equal(s.watchdog, 1);
    /* no pause counter: pauses are unknown and add nothing to the metric */
    assert_true(isnan(s.paused) && s.metric >= 0 && s.metric < 0.5);
    /* queue 4 does not count drops */
    assert_true((s.unknown & MSG_UNKNOWN(cnps)) && (s.unknown & MSG_UNKNOWN(lossless_drops)));
    assert_int_equal(s.detail->ports, 1);        /* two queues of one port */
    assert_string_equal(s.detail->port[0].name, "Ethernet0");
    assert_true(s.detail->port[0].tx_bytes == 4300 && s.detail->port[0].rate_bps == 100000000000);
    assert_true(s.detail->port[0].has_queue && s.detail->port[0].queue_bytes == 7000);
    driver_sonic.close(device);
}

/* What a counter has ever counted is no increase: drops would break a guardrail. */
static void sample__counters_that_come_and_go_are_no_increase(void **unused)
{
    void             *device = must_open();
    struct msg_sample s;

    (void)unused;
    assert_int_equal(driver_sonic.sample(device, &s), -EAGAIN);
    shell("redis -n 2 HSET COUNTERS:oid:0x16 SAI_QUEUE_STAT_DROPPED_PACKETS 1000 SAI_QUEUE_STAT_BYTES 10 "
          ">/dev/null");
    assert_int_equal(driver_sonic.sample(device, &s), -EAGAIN);
    shell("redis -n 2 HDEL COUNTERS:oid:0x15 SAI_QUEUE_STAT_BYTES >/dev/null");
    assert_int_equal(driver_sonic.sample(device, &s), -EAGAIN);
    shell("redis -n 2 HSET COUNTERS:oid:0x15 SAI_QUEUE_STAT_BYTES 1500 >/dev/null");
    assert_int_equal(driver_sonic.sample(device, &s), -EAGAIN);
    shell("redis -n 2 HSET COUNTERS:oid:0x15 SAI_QUEUE_STAT_BYTES 1700 >/dev/null");
    assert_int_equal(driver_sonic.sample(device, &s), 0);
    assert_true(s.tx_bytes == 200 && s.lossless_drops == 0);
    driver_sonic.close(device);
}

static void open__refuses_devices_that_cannot_be_tuned(void **unused)
{
    struct err err;
    void      *device;

    (void)unused;
    if (!has_redis)
        skip();
    assert_true(driver_sonic.open(&driver_sonic, &device, root, "Q", &err) < 0);
    assert_non_null(strstr(err.text, "it has no green_min_threshold"));
    assert_true(driver_sonic.open(&driver_sonic, &device, root, "P x", &err) < 0);
    shell("redis -n 4 HSET 'WRED_PROFILE|P' ecn ecn_none >/dev/null");
    assert_true(driver_sonic.open(&driver_sonic, &device, root, "P", &err) < 0);
    assert_non_null(strstr(err.text, "ECN is not on"));
    assert_true(driver_sonic.open(&driver_sonic, &device, "/nowhere", "P", &err) < 0);
    assert_non_null(strstr(err.text, "no Redis answers"));
}

struct found { char last[64]; int count; };

static void note(void *arg, const char *key)
{
    struct found *f = arg;

    assert_true(strcmp(f->last, key) < 0);       /* once each, sorted by name */
    snprintf(f->last, sizeof f->last, "%s", key);
    f->count++;
}

struct many { uint64_t value[3000]; int absent; };

static void take_one(void *arg, uint32_t key, int field, const char *text)
{
    struct many *m = arg;

    m->absent += field != 0;
    assert_int_equal(text_to_uint(text, &m->value[key], NULL), 0);
}

/* More keys than SCAN returns at a time, and more than a socket's buffer of commands. */
static void redis__thousands_of_keys(void **unused)
{
    static const char *const   field[] = { "n", "absent" };
    static char                name[3000][32];
    static const char         *key[3000];
    static struct many         m;
    struct found               found = { "", 0 };
    char                       socket[128];
    struct redis               r;

    (void)unused;
    if (!has_redis)
        skip();
    assert_int_equal(shell("seq 0 2999 | awk '{ print \"HSET KEY|\" $1 \" n \" $1 * 7 }' | redis -n 4 "
                           ">/dev/null"), 0);
    snprintf(socket, sizeof socket, "%s/var/run/redis/redis.sock", root);
    redis_init(&r, socket);
    assert_int_equal(redis_keys(&r, REDIS_CONFIG, "KEY|*", note, &found), 0);
    assert_int_equal(found.count, 3000);
    for (int i = 0; i < 3000; i++) {
        snprintf(name[i], sizeof *name, "KEY|%d", i);
        key[i] = i % 10 ? name[i] : "";          /* "": not requested */
        m.value[i] = 1;
    }
    assert_int_equal(redis_get_many(&r, REDIS_CONFIG,
                                    &(struct redis_many){ key, 3000, field, 2, take_one, &m }), 0);
    for (uint64_t i = 0; i < 3000; i++)
        assert_int_equal(m.value[i], i % 10 ? 7 * i : 1);
    assert_int_equal(m.absent, 0);
    assert_int_equal(shell("redis -n 4 DEL 'KEY|5' >/dev/null; redis -n 4 SET 'KEY|5' text >/dev/null"), 0);
    /* not a hash */
    assert_int_equal(redis_get_many(&r, REDIS_CONFIG,
                                    &(struct redis_many){ key, 3000, field, 2, take_one, &m }), -EIO);
    usleep(300000);              /* the driver waits before it reconnects */
    assert_int_equal(redis_keys(&r, REDIS_CONFIG, "NO|*", note, &found), 0);     /* connects again */
    redis_fini(&r);
}

/* ---- with a guard: the real program ---- */

static void start_guard(struct guard_link *g)
{
    struct err err = { "" };

    *g = (struct guard_link){ .fd = -1 };
    if (guard_link_open(g, &err))
        fail_msg("%s", err.text);
    assert_int_equal(guard_link_greet(g, -1, 2000000), 0);
}

/* Tries 'set' for so long, and waits for the ASIC. */
static void must_try(struct guard_link *g, void *device, struct knob_set set, uint64_t lease_us)
{
    static struct guard_frame f;
    struct knob_set           back = set_of(1048.576, 2097.152, 0.05);

    f = (struct guard_frame){ .until_us = clock_us() + lease_us };
    assert_int_equal(driver_sonic.prepare(device, &set, &back, f.line, &f.count), 0);
    assert_int_equal(guard_link_ask(g, &f, GUARD_TRY), 0);
    assert_int_equal(driver_sonic.settle(device), 0);
}

static bool holds(void *device, double kmin, double kmax, double pmax)
{
    struct knob_set set;

    return driver_sonic.settle(device) == 0 && driver_sonic.read(device, &set) == 0 &&
           set.knobs.value[KNOB_kmin] == kmin && set.knobs.value[KNOB_kmax] == kmax &&
           set.knobs.value[KNOB_pmax] == pmax;
}

static bool is_back_within(void *device, uint64_t us)
{
    uint64_t end_us = clock_us() + us;

    while (!holds(device, 1048.576, 2097.152, 0.05))
        if (clock_us() > end_us)
            return false;
    return true;
}

static void guard__sets_thresholds_back_when_the_lease_ends(void **unused)
{
    void             *device = must_open();
    struct guard_link g;

    (void)unused;
    orchagent = start(ORCHAGENT);
    start_guard(&g);
    must_try(&g, device, set_of(1048.576, 6400, 0.2), 1500000);
    assert_true(holds(device, 1048.576, 6400, 0.2));
    assert_true(is_back_within(device, 3000000));
    assert_true(guard_link_hear(&g) && g.news == GUARD_LEASE_ENDED);
    guard_link_close(&g);
    driver_sonic.close(device);
}

/* Redis was restarted meanwhile, so the guard has to connect again. */
static void guard__sets_thresholds_back_when_the_agent_ends(void **unused)
{
    void             *device = must_open();
    struct guard_link g;

    (void)unused;
    orchagent = start(ORCHAGENT);
    start_guard(&g);
    must_try(&g, device, set_of(800, 2097.152, 0.05), 9000000);
    signal(SIGPIPE, SIG_IGN);
    shell("redis client kill type normal >/dev/null");
    guard_link_close(&g);
    assert_true(is_back_within(device, 2000000));
    driver_sonic.close(device);
}

static void guard__leaves_thresholds_of_someone_else(void **unused)
{
    void             *device = must_open();
    struct guard_link g;

    (void)unused;
    orchagent = start(ORCHAGENT);
    start_guard(&g);
    must_try(&g, device, set_of(800, 2097.152, 0.2), 9000000);
    shell("redis -n 4 HSET 'WRED_PROFILE|P' green_min_threshold 700000 >/dev/null");
    guard_link_close(&g);
    usleep(500000);
    assert_true(holds(device, 700, 2097.152, 0.2));
    driver_sonic.close(device);
}

static void guard__writes_what_the_agent_reverts(void **unused)
{
    static struct guard_frame f;
    void                     *device = must_open();
    struct knob_set           back = set_of(1048.576, 2097.152, 0.05);
    struct guard_link         g;

    (void)unused;
    orchagent = start(ORCHAGENT);
    start_guard(&g);
    shell("redis -n 4 HSET 'WRED_PROFILE|P' green_min_threshold 700000 >/dev/null");
    f = (struct guard_frame){ .count = 0 };
    assert_int_equal(driver_sonic.prepare(device, &back, &back, f.line, &f.count), 0);
    assert_int_equal(guard_link_ask(&g, &f, GUARD_BACK), 0);
    assert_true(is_back_within(device, 2000000));
    guard_link_close(&g);
    driver_sonic.close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(read__returns_what_config_and_asic_agree_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write__is_one_hset_of_digits_seen_in_the_asic, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write__refuses_values_that_do_not_fit_the_fields, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write__without_an_orchagent_times_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample__takes_differences_and_reports_stale_counters,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample__counters_that_come_and_go_are_no_increase, set_up, tear_down),
        cmocka_unit_test_setup_teardown(open__refuses_devices_that_cannot_be_tuned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(redis__thousands_of_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(guard__sets_thresholds_back_when_the_lease_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(guard__sets_thresholds_back_when_the_agent_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(guard__leaves_thresholds_of_someone_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(guard__writes_what_the_agent_reverts, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
